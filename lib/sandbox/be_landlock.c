/*
 * The landlock backend: no namespace at all, so it works where those are refused (Docker's and
 * Kubernetes' defaults). The same view as far as rules can give it: content, not names; a private
 * temporary folder on the host stands in for /tmp and HOME. What rules cannot do is refused, never
 * left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../sys/fd.h"
#include "../sys/linux_seccomp.h"
#include "../sys/proc.h"
#include "guard.h"
#include "plan.h"

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
		if (above != NULL && (above->kind == VIEW_BIND || above->kind == VIEW_PROC))
			return landlock_refuse(
			    "hide what lies inside a visible folder: --hide ", op->dst, e);
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
			return err_sys(e, ERR_USAGE, errno, "%s", op->src);
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

/*
 * Modes are not all: around us there may be another sandbox whose rules know no modes. Then (the
 * usual way into Landlock rules is no_new_privs) a nameless file asks for nearly the same rights
 * and leaves nothing.
 */
static bool landlock_can_write(int dir_fd)
{
	int fd;

	if (faccessat(dir_fd, ".", W_OK | X_OK, AT_EACCESS) != 0)
		return false;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0UL, 0UL, 0UL, 0UL) == 0)
		return true;
	fd = openat(dir_fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0) /* not every file system can do it */
		return errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL;
	(void)close(fd);
	return true;
}

/* The caller's TMPDIR is the last resort: what our own outer sandbox gives, say. Not one in the
 * project, where an earlier command may have put anything. */
static const char *landlock_own_temp(const struct plan *p)
{
	const char *dir = plan_host_env(p->rq, "TMPDIR");
	bool is_usable = dir != NULL && dir[0] == '/' &&
			 (p->root == NULL || !view_path_is_below(dir, p->root));

	return is_usable ? dir : NULL;
}

/*
 * "/tmp/sbx-…": its path is in the environment, so it is chosen here. The runner makes it while
 * the guardian is at the other rules (a folder can take a large file system half a millisecond);
 * the guardian removes it. Without a place for it want_temp stays false.
 */
static int landlock_choose_temp(struct plan *p, struct err *e)
{
	const char *const parents[] = { "/tmp", "/var/tmp", "/dev/shm", landlock_own_temp(p) };
	unsigned char r[8];

	if (getrandom(r, sizeof r, 0) != (ssize_t)sizeof r)
		return err_sys(e, ERR_SETUP, errno, "getrandom");
	(void)snprintf(p->temp_name, sizeof p->temp_name, "sbx-%02x%02x%02x%02x%02x%02x%02x%02x",
	    r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]);
	for (size_t i = 0; i < MEM_COUNT(parents) && parents[i] != NULL; i++) {
		p->temp_parent_fd = open(parents[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (p->temp_parent_fd >= 0 && landlock_can_write(p->temp_parent_fd)) {
			p->want_temp = true;
			p->temp_path = mem_printf(e, "%s/%s", parents[i], p->temp_name);
			return p->temp_path == NULL ? -1 : 0;
		}
		fd_close(&p->temp_parent_fd);
	}
	return 0;
}

/* A read-only machine without a tmpfs: the command goes without, and is told so. */
static int landlock_go_without_temp(struct plan *p, struct err *e)
{
	free(p->notice);
	p->notice = mem_printf(e,
	    "/tmp, /var/tmp and /dev/shm cannot be written: the command gets no temporary "
	    "folder%s",
	    p->root != NULL ? "" : " and, with no project root (--root DIR), no other to write to");
	return p->notice == NULL ? -1 : 0;
}

/* One folder is /tmp, HOME and, where there is no project root, the working folder. */
static int landlock_use_temp(struct plan *p, struct err *e)
{
	bool is_home_inside = p->root != NULL && view_path_is_below(p->home, p->root);
	const char *place;

	if (landlock_choose_temp(p, e) != 0 ||
	    (!p->want_temp && landlock_go_without_temp(p, e) != 0))
		return -1;
	place = p->want_temp ? p->temp_path : "/"; /* which no rule lets it read */
	if (!is_home_inside) {
		free(p->home);
		p->home = mem_strdup(place, e);
	}
	if (p->root == NULL) {
		free(p->cwd);
		p->cwd = mem_strdup(place, e);
	}
	if (p->home == NULL || p->cwd == NULL)
		return -1;
	return p->want_temp ? plan_add_rule(p, p->temp_path, LANDLOCK_READ_WRITE, e) : 0;
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
	if (landlock_use_temp(p, e) != 0)
		return -1;
	p->want_capability_drop = p->want_no_new_privs = p->want_landlock = true;
	p->landlock_flags = LANDLOCK_SCOPE_ABSTRACT | LANDLOCK_SCOPE_SIGNALS | LANDLOCK_DENY_UNIX;
	if (policy->net == NET_NONE)
		p->landlock_flags |= LANDLOCK_DENY_TCP;
	plan_miss(p, LAYER_METADATA,
	    "Landlock guards content: names of other files can be seen, modes, owners and times "
	    "also changed where "
	    "file permissions allow");
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
