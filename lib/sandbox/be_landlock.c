/*
 * The landlock backend: no namespace at all, so it works where those are refused (Docker's and
 * Kubernetes' defaults). The same view as far as rules can give it: content, not names; a private
 * temporary folder on the host stands in for /tmp and HOME. What rules cannot do is refused, never
 * left out.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../sys/linux_seccomp.h"
#include "guard.h"
#include "plan.h"
#include "temp.h"

static int landlock_available(const struct sandbox_request *rq, struct err *e)
{
	int errnum;

	(void)rq;
	if (landlock_abi(&errnum) > 0)
		return 0;
	return err_sys(e, ERR_REFUSED, errnum,
	    "Landlock is not usable here (needs Linux 5.13 with landlock in the lsm= list)");
}

static int landlock_refuse(const char *what, const char *path, struct err *e)
{
	return err_set(
	    e, ERR_REFUSED, "the landlock backend cannot %s%s; use -b namespace", what, path);
}

static int landlock_check_op(
    const struct plan *p, const struct view_op *op, size_t i, struct err *e)
{
	const struct view_op *above = view_covering(&p->view, op->dst, i);
	bool is_above_writable = above != NULL && above->kind == VIEW_BIND && !above->is_read_only;

	switch (op->kind) {
	case VIEW_BIND:
		if (strcmp(op->src, op->dst) != 0)
			return landlock_refuse(
			    "show a file under another path: --bind ", op->dst, e);
		if (op->is_read_only && is_above_writable)
			return landlock_refuse(
			    "take writing away inside a writable folder: --ro ", op->dst, e);
		return 0;
	case VIEW_HIDE:
		if ((above != NULL && above->kind != VIEW_TMPFS) ||
		    view_has_below(&p->view, op->dst))
			return landlock_refuse(
			    "hide what lies in a visible folder or holds what is shown: --hide ",
			    op->dst, e);
		return 0;
	case VIEW_TMPFS:
		/* /tmp, HOME and the private root are the view's own, and become folders of the
		 * private one */
		if (op->is_asked)
			return landlock_refuse("mount anything: --tmpfs ", op->dst, e);
		return 0;
	case VIEW_SYMLINK:
	case VIEW_PROC:
	case VIEW_DEV:
		return 0;
	}
	return err_set(e, ERR_INTERNAL, "unknown view operation");
}

static int landlock_add_op(struct plan *p, const struct view_op *op, struct err *e)
{
	/* not /dev/pts: it holds the user's other terminals; a terminal made inside is opened
	 * through its master */
	static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
		"/dev/urandom", "/dev/ptmx" };

	switch (op->kind) {
	case VIEW_BIND:
		if (!op->is_system && access(op->src, F_OK) != 0)
			return err_errno(e, ERR_USAGE, "%s", op->src);
		return plan_add_rule(
		    p, op->dst, op->is_read_only ? LANDLOCK_READ_EXEC : LANDLOCK_READ_WRITE, e);
	case VIEW_PROC:
		/* read only: as root, files of /proc/sys are ours to write also without
		 * capabilities */
		return plan_add_rule(p, "/proc", LANDLOCK_READ, e);
	case VIEW_DEV:
		for (size_t i = 0; i < MEM_COUNT(devices); i++)
			if (plan_add_rule(p, devices[i], LANDLOCK_DEVICE, e) != 0)
				return -1;
		return p->policy->want_tty ? plan_add_rule(p, "/dev/tty", LANDLOCK_DEVICE, e) : 0;
	case VIEW_SYMLINK: /* resolved by the kernel: the target's own rule counts */
	case VIEW_TMPFS:
	case VIEW_HIDE:
		return 0;
	}
	return 0;
}

static int landlock_plan(struct plan *p, struct err *e)
{
	const struct policy *policy = p->policy;
	int errnum;

	if (policy->net == NET_LOOPBACK)
		return landlock_refuse("give a loopback of its own: --net loopback", "", e);
	if (policy->net == NET_NONE && policy->is_net_set && !policy->is_best_effort &&
	    seccomp_available() != 0)
		return landlock_refuse(
		    "take the network away where the kernel has no seccomp filters: --net none", "",
		    e);
	if (policy->is_user_set && (policy->uid != p->outside_uid || policy->gid != p->outside_gid))
		return landlock_refuse("show another user: --user", "", e);
	if (plan_build_view(p, p->outside_uid == 0, e) != 0)
		return -1;
	for (size_t i = 0; i < p->view.count; i++)
		if (landlock_check_op(p, &p->view.ops[i], i, e) != 0 ||
		    landlock_add_op(p, &p->view.ops[i], e) != 0)
			return -1;
	if (temp_use(p, e) != 0 ||
	    (p->want_temp && plan_add_rule(p, p->temp_path, LANDLOCK_READ_WRITE, e) != 0))
		return -1;
	p->want_capability_drop = p->want_no_new_privs = p->want_landlock = true;
	p->landlock_flags = LANDLOCK_SCOPE_ABSTRACT | LANDLOCK_SCOPE_SIGNALS | LANDLOCK_DENY_UNIX;
	if (policy->net == NET_NONE)
		p->landlock_flags |= LANDLOCK_DENY_TCP;
	plan_miss(p, LAYER_METADATA,
	    "Landlock guards content: names of other files can be seen, modes, owners and times "
	    "also changed where "
	    "file permissions allow");
	if (seccomp_available() != 0 && landlock_abi(&errnum) < 3)
		plan_miss(p, LAYER_VIEW,
		    "truncate(2) of files elsewhere: Landlock before ABI 3 does not refuse it, and "
		    "there are no seccomp filters that would");
	plan_miss(p, LAYER_PID_NS,
	    landlock_supported(landlock_abi(&errnum), LANDLOCK_SCOPE_SIGNALS) != 0 ?
		"no namespace: other processes can be seen" :
		"no namespace: other processes can be seen, and signalled (Landlock before ABI 6)");
	if (policy->net == NET_NONE)
		plan_miss(p, LAYER_NET_NS,
		    seccomp_available() == 0 ?
			"no namespace: sockets of the internet families are refused by seccomp "
			"instead" :
			"no namespace, and no seccomp filters that would refuse sockets instead");
	return 0;
}

static int landlock_setup(struct guard *g, struct err *e)
{
	(void)e;
	if ((g->plan->missing & LAYER_BIT(LAYER_VIEW)) == 0)
		guard_note(g, LAYER_VIEW, 0);
	return 0;
}

const struct sandbox_backend backend_landlock = {
	.name = "landlock",
	.aliases = "",
	.layers = LAYER_BIT(LAYER_VIEW) | LAYER_BIT(LAYER_LANDLOCK) | LAYER_BIT(LAYER_SECCOMP) |
		  LAYER_BIT(LAYER_CAPABILITIES) | LAYER_BIT(LAYER_NO_NEW_PRIVS) |
		  LAYER_BIT(LAYER_ENV) | LAYER_BIT(LAYER_RLIMITS) |
		  LAYER_BIT(LAYER_DIE_WITH_RUNNER) | LAYER_BIT(LAYER_MEMORY) |
		  LAYER_BIT(LAYER_PIDS) | LAYER_BIT(LAYER_CPU),
	.available = landlock_available,
	.plan = landlock_plan,
	.setup = landlock_setup,
};
