/*
 * The sandbox_exec backend: sandbox-exec(1) of macOS puts a profile (sbpl.h) on the command, the
 * rest is as in the native backend. Without a word about files the profile is the compatible one:
 * no network, and everything else as it is. A policy that names places (--root, --ro, --rw, --hide)
 * gets the strict one: writing only there and in a private temporary folder, homes and other
 * temporary folders closed, no services of other programs. What a profile cannot do is refused.
 */
#include "be_sandbox_exec.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../base/str.h"
#include "../sys/fd.h"
#include "../sys/path.h"
#include "../sys/path_os.h"
#include "../sys/self.h"
#include "guard.h"
#include "program.h"
#include "root.h"
#include "sbpl.h"
#include "temp.h"

/* By their real paths: what belongs to users and to whoever else uses this machine. */
static const char *const private_places[] = { "/Users", "/private/tmp", "/private/var/tmp",
	"/Volumes" };

static int refuse(const char *what, const char *path, struct err *e)
{
	return err_set(e, ERR_REFUSED, "the sandbox_exec backend cannot %s%s", what, path);
}

/* ---- policy to profile ---- */

struct maker { /* while a profile is made */
	struct plan *plan;
	const struct sandbox_exec_facts *facts;
	struct sbpl sbpl;
};

/*
 * Where a name of the policy leads. In the project root hostile code may have made links, so a name
 * in there must not lead through one.
 */
static int find_real(const struct maker *m, const char *path, char *real, struct err *e)
{
	const struct plan *p = m->plan;
	int rc = m->facts->look_real(path, real);

	if (rc != 0)
		return err_sys(e, ERR_USAGE, -rc, "%s", path);
	if (p->root != NULL && view_path_is_below(path, p->root) && strcmp(path, real) != 0)
		return err_set(e, ERR_USAGE,
		    "%s: leads through a symbolic link in the project root; name what it leads to",
		    path);
	return 0;
}

static int add_mount(struct maker *m, const struct policy_mount *mount, struct err *e)
{
	const char *base = m->plan->cwd_outside != NULL ? m->plan->cwd_outside : "/";
	MEM_AUTOFREE char *src = NULL, *dst = NULL;
	char real[PATH_MAX];

	if (mount->kind == MOUNT_TMPFS)
		return refuse("mount anything: --tmpfs ", mount->dst, e);
	src = view_clean_path(base, mount->src, e);
	dst = view_clean_path(base, mount->dst != NULL ? mount->dst : mount->src, e);
	if (src == NULL || dst == NULL)
		return -1;
	if (strcmp(src, dst) != 0)
		return refuse("show a file under another path: --bind ", dst, e);
	if (find_real(m, src, real, e) != 0)
		return -1;
	if (strcmp(real, "/") == 0)
		return err_set(e, ERR_USAGE,
		    "the whole root \"/\" cannot be opened: name a folder");
	return sbpl_add_place(&m->sbpl, real,
	    mount->kind == MOUNT_RO || mount->is_read_only ? SBPL_READ : SBPL_READ_WRITE, e);
}

static int add_hidden(struct maker *m, const struct policy_mount *mount, struct err *e)
{
	const char *base = m->plan->cwd_outside != NULL ? m->plan->cwd_outside : "/";
	MEM_AUTOFREE char *path = view_clean_path(base, mount->dst, e);
	char real[PATH_MAX];

	if (path == NULL)
		return -1;
	if (strcmp(path, "/") == 0)
		return err_set(e, ERR_USAGE, "--hide /: nothing would be left");
	if (m->facts->look_real(path, real) == 0)
		return strv_add(&m->sbpl.hidden, real, e);
	if (sbpl_is_writable(&m->sbpl, path))
		return err_set(e, ERR_USAGE,
		    "--hide %s: does not exist in a folder where the command could make it; make "
		    "it first",
		    path);
	return strv_add(&m->sbpl.hidden, path, e);
}

static int add_private(struct maker *m, const char *path, struct err *e)
{
	return path == NULL || strcmp(path, "/") == 0 || strv_has(&m->sbpl.private, path) ?
		   0 :
		   strv_add(&m->sbpl.private, path, e);
}

static int add_places(struct maker *m, struct err *e)
{
	const struct plan *p = m->plan;
	const struct policy *policy = p->policy;

	for (size_t i = 0; i < MEM_COUNT(private_places); i++)
		if (add_private(m, private_places[i], e) != 0)
			return -1;
	if (add_private(m, p->home_outside, e) != 0 ||
	    sbpl_add_place(&m->sbpl, m->facts->self, SBPL_PROGRAM, e) != 0 ||
	    sbpl_add_place(&m->sbpl, p->root, SBPL_READ_WRITE, e) != 0 ||
	    (p->temp_path != NULL &&
		sbpl_add_place(&m->sbpl, p->temp_path, SBPL_READ_WRITE, e) != 0))
		return -1;
	for (size_t i = 0; i < policy->mount_count; i++)
		if (policy->mounts[i].kind != MOUNT_HIDE &&
		    add_mount(m, &policy->mounts[i], e) != 0)
			return -1;
	for (size_t i = 0; i < policy->mount_count; i++)
		if (policy->mounts[i].kind == MOUNT_HIDE &&
		    add_hidden(m, &policy->mounts[i], e) != 0)
			return -1;
	return 0;
}

static int put_profile(struct maker *m, struct err *e)
{
	struct buf text;
	int rc;

	m->sbpl.net = m->plan->policy->net;
	m->sbpl.want_tty = m->plan->policy->want_tty;
	if (m->sbpl.is_strict && add_places(m, e) != 0)
		return -1;
	buf_init(&text, LIMIT_PROFILE);
	rc = sbpl_put(&m->sbpl, &text, e);
	if (rc != 0 && e->kind == ERR_IO)
		(void)err_set(e, ERR_REFUSED,
		    "the policy names too many places for a profile of %lu bytes", LIMIT_PROFILE);
	if (rc == 0)
		m->plan->profile = buf_take_str(&text, e);
	buf_fini(&text);
	return m->plan->profile == NULL ? -1 : 0;
}

static bool is_strict(const struct policy *p)
{
	return p->root != NULL || p->mount_count != 0;
}

int sandbox_exec_plan_argv(struct plan *plan, const struct sandbox_exec_facts *facts, struct err *e)
{
	struct maker m = { .plan = plan, .facts = facts };
	int rc;

	sbpl_init(&m.sbpl);
	m.sbpl.is_strict = is_strict(plan->policy);
	rc = put_profile(&m, e);
	sbpl_fini(&m.sbpl);
	if (rc != 0)
		return -1;
	if (strv_add(&plan->tool, facts->program, e) != 0 || strv_add(&plan->tool, "-p", e) != 0 ||
	    strv_add(&plan->tool, plan->profile, e) != 0 ||
	    strv_add(&plan->tool, facts->self, e) != 0 ||
	    strv_add(&plan->tool, EXEC_STEP_OPTION, e) != 0)
		return -1;
	for (char *const *word = plan->rq->argv; *word != NULL; word++)
		if (strv_add(&plan->tool, *word, e) != 0)
			return -1;
	plan->argv = plan->tool.v;
	return 0;
}

/* ---- the host ---- */

/* SBX_SANDBOX_EXEC names another one. */
static int find_tool(const struct sandbox_request *rq, char *path, struct err *e)
{
	const char *named = plan_host_env(rq, "SBX_SANDBOX_EXEC");
	struct stat st;

	if ((named != NULL ? program_check(named, path, PATH_MAX, &st) :
			     program_find("sandbox-exec", path, PATH_MAX, &st)) == 0)
		return 0;
	return err_set(e, ERR_REFUSED,
	    "sandbox-exec is a program of macOS: no sandbox-exec %s %s (elsewhere use -b namespace "
	    "or landlock)",
	    named != NULL ? "at SBX_SANDBOX_EXEC" : "in",
	    named != NULL ? named : PLAN_DEFAULT_PATH);
}

static int sandbox_exec_available(const struct sandbox_request *rq, struct err *e)
{
	char program[PATH_MAX];

	return find_tool(rq, program, e);
}

static int check_policy(const struct plan *p, struct err *e)
{
	const struct policy *policy = p->policy;

	/* that would be the host's own, with every service of the machine on it */
	if (policy->net == NET_LOOPBACK)
		return refuse("give a loopback of its own: --net loopback", "", e);
	if (policy->seccomp != NULL && strcmp(policy->seccomp, "none") != 0)
		return refuse("filter system calls: --seccomp ", policy->seccomp, e);
	if (policy->is_user_set && policy->uid != p->outside_uid && geteuid() != 0)
		return refuse("become another user without being root: --user", "", e);
	return 0;
}

/* In the strict profile the root is where the command may write: not everywhere. */
static int check_root(const struct plan *p, struct err *e)
{
	const char *why = root_unsuitable(p, p->root);

	if (why == NULL || root_is_named_writable(p->policy, p->root))
		return 0;
	return err_set(e, ERR_USAGE,
	    "%s is %s and cannot be the project root of a strict profile; name a project folder "
	    "with --root DIR, or add --rw %s",
	    p->root, why, p->root);
}

static int use_places(struct plan *p, struct err *e)
{
	struct strv *env = &p->env.env;
	bool is_clear = p->policy->env_mode == ENV_CLEAR;

	if (check_root(p, e) != 0 || temp_use(p, e) != 0)
		return -1;
	if ((!is_clear || env_get(env, "HOME") != NULL) && env_put(env, "HOME", p->home, e) != 0)
		return -1;
	return p->temp_path == NULL ? 0 : env_put(env, "TMPDIR", p->temp_path, e);
}

static void tell_missing(struct plan *p)
{
	bool is_net_denied = p->policy->net == NET_NONE;

	if (is_net_denied)
		plan_miss(p, LAYER_NET_NS, "no namespace: the profile denies the network instead");
	if (is_strict(p->policy))
		plan_miss(p, LAYER_VIEW,
		    "the profile denies writing outside the named places and reading in homes and "
		    "temporary folders; the rest of the system can be read");
	else
		plan_miss(p, LAYER_VIEW,
		    "the compatible profile denies %s; name the project with --root for the "
		    "strict one",
		    is_net_denied ? "the network only" : "nothing");
}

static int sandbox_exec_plan(struct plan *p, struct err *e)
{
	char program[PATH_MAX], self[PATH_MAX];
	struct sandbox_exec_facts facts = { program, self, path_os_real };

	if (find_tool(p->rq, program, e) != 0 || check_policy(p, e) != 0 ||
	    self_path(p->rq->self_path, self, e) != 0)
		return -1;
	if (is_strict(p->policy) && use_places(p, e) != 0)
		return -1;
	p->want_setuid = p->policy->is_user_set;
	tell_missing(p);
	return sandbox_exec_plan_argv(p, &facts, e);
}

static int sandbox_exec_setup(struct guard *g, struct err *e)
{
	return g->plan->want_temp ? guard_wait_temp(g, e) : 0;
}

void sandbox_exec_explain(const char *line, struct err *e)
{
	if (str_find(line, "sandbox_apply: Operation not permitted") != NULL)
		(void)err_set(e, ERR_SETUP,
		    "%s (we run in a sandbox already, and profiles do not nest)", line);
	else
		(void)err_set(e, ERR_SETUP, "%s", line);
}

const struct sandbox_backend backend_sandbox_exec = {
	.name = "sandbox_exec",
	.aliases = "sandbox-exec seatbelt",
	.layers = LAYER_BIT(LAYER_ENV) | LAYER_BIT(LAYER_RLIMITS) |
		  LAYER_BIT(LAYER_DIE_WITH_RUNNER) | LAYER_BIT(LAYER_MEMORY) |
		  LAYER_BIT(LAYER_PIDS) | LAYER_BIT(LAYER_CPU),
	.available = sandbox_exec_available,
	.plan = sandbox_exec_plan,
	.setup = sandbox_exec_setup,
	.has_exec_step = true,
	.explain = sandbox_exec_explain,
};
