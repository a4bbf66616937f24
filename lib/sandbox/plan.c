/*
 * Policy and host → plan. What it does to the system is limited to looking, pinning the root by a
 * descriptor, and making the control group that limits need; plan_fini() undoes both.
 */
#include "plan.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../sys/fd.h"
#include "../sys/home_os.h"
#include "../sys/path.h"
#include "../sys/path_os.h"
#include "../sys/proc.h"
#include "../sys/tree.h"
#include "container.h"
#include "root.h"
#include "seccomp_file.h"

const char *const plan_proc_read_only[] = { "/proc/sys", "/proc/sysrq-trigger", "/proc/irq",
	"/proc/bus", "/proc/fs", NULL };
const char *const plan_proc_masked[] = { "/proc/kcore", "/proc/keys", "/proc/kmsg",
	"/proc/timer_list", "/proc/sched_debug", NULL };
const char *const plan_proc_masked_for_root[] = { "/proc/slabinfo", "/proc/vmallocinfo",
	"/proc/pagetypeinfo", "/proc/kpagecount", "/proc/kpageflags", "/proc/kpagecgroup",
	"/proc/allocinfo", NULL };

void plan_miss(struct plan *plan, enum layer layer, const char *fmt, ...)
{
	va_list ap;
	char text[256];

	if ((plan->missing & ~plan->generic & LAYER_BIT(layer)) != 0)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	plan->missing |= LAYER_BIT(layer);
	plan->generic &= ~LAYER_BIT(layer);
	free(plan->why[layer]);
	plan->why[layer] = mem_strdup(text, NULL); /* without memory: missing without a reason */
}

void plan_put_refusal(char *text, size_t size, enum layer layer, int errnum)
{
	const char *what = "refused by the kernel";

	if (layer == LAYER_PROC)
		what = "a fresh one is refused, as parts of the /proc around us are masked";
	else if (layer == LAYER_UTS_NS)
		what = "the outer host name is seen, as setting another is refused";
	(void)snprintf(text, size, "%s: %s", what, strerror(errnum));
}

int plan_add_rule(struct plan *plan, const char *path, enum landlock_access access, struct err *e)
{
	struct plan_rule *r;

	if (plan->rule_count == plan->rule_alloc) {
		size_t n = plan->rule_alloc == 0 ? 32 : plan->rule_alloc * 2;
		void *p = mem_realloc_array(plan->rules, n, sizeof *plan->rules, e);

		if (p == NULL)
			return -1;
		plan->rules = p;
		plan->rule_alloc = n;
	}
	r = &plan->rules[plan->rule_count];
	r->access = access;
	r->path = mem_strdup(path, e);
	if (r->path == NULL)
		return -1;
	plan->rule_count++;
	return 0;
}

int plan_add_view_rules(struct plan *p, struct err *e)
{
	const struct view *v = &p->view;

	if (plan_add_rule(p, "/", LANDLOCK_READ_EXEC, e) != 0 ||
	    plan_add_rule(p, "/proc", LANDLOCK_WRITE_FILES, e) != 0 ||
	    plan_add_rule(p, "/dev", LANDLOCK_DEVICE, e) != 0 ||
	    plan_add_rule(p, "/dev/shm", LANDLOCK_READ_WRITE, e) != 0)
		return -1;
	for (size_t i = 0; i < v->count; i++) {
		bool is_writable = v->ops[i].kind == VIEW_TMPFS ||
				   (v->ops[i].kind == VIEW_BIND && !v->ops[i].is_read_only);

		if (is_writable && plan_add_rule(p, v->ops[i].dst, LANDLOCK_READ_WRITE, e) != 0)
			return -1;
	}
	return 0;
}

int plan_add_check(struct plan *plan, enum plan_check_kind kind, const char *path, uint64_t dev,
    uint64_t ino, struct err *e)
{
	char *copy = mem_strdup(path, e);

	if (copy != NULL && plan->check_count == plan->check_alloc) {
		size_t n = plan->check_alloc == 0 ? 32 : plan->check_alloc * 2;
		void *p = mem_realloc_array(plan->checks, n, sizeof *plan->checks, e);

		if (p == NULL) {
			free(copy);
			return -1;
		}
		plan->checks = p;
		plan->check_alloc = n;
	}
	if (copy == NULL)
		return -1;
	plan->checks[plan->check_count++] = (struct plan_check){ copy, kind, dev, ino };
	return 0;
}

/* An earlier run may have left a link to anywhere where a folder of the project is named: such a
 * name is refused. */
static int plan_check_beneath(const struct plan *plan, struct err *e)
{
	for (size_t i = 0; i < plan->view.count; i++) {
		const struct view_op *op = &plan->view.ops[i];
		int fd = !op->is_beneath ? -1 :
					   path_open_beneath(plan->root_fd,
					       path_below(op->src, plan->root), PATH_OS_SEARCH);

		if (op->is_beneath && fd < 0 && (fd == -ELOOP || fd == -EXDEV))
			return err_set(e, ERR_USAGE,
			    "%s: leads through a symbolic link in the project root; name what it "
			    "leads to",
			    op->src);
		if (op->is_beneath && fd < 0)
			return err_sys(e, ERR_USAGE, -fd, "%s", op->src);
		if (fd >= 0)
			(void)close(fd);
	}
	return 0;
}

int plan_build_view(struct plan *plan, bool is_etc_list, struct err *e)
{
	struct view_facts *f = &plan->facts;

	view_fini(&plan->view);
	view_facts_fini(f);
	f->root = plan->root;
	f->private_root = plan->private_root;
	f->home = plan->home;
	f->cwd = plan->cwd_outside != NULL ? plan->cwd_outside : "/";
	if (view_look(f, is_etc_list, e) != 0)
		return -1;
	return view_plan(&plan->view, plan->policy, f, e) != 0 ? -1 : plan_check_beneath(plan, e);
}

void plan_close_sources(struct plan *plan)
{
	for (size_t i = 0; plan->system_sources != NULL && i < plan->view.count; i++)
		mount_source_close(&plan->system_sources[i]);
	free(plan->system_sources);
	plan->system_sources = NULL;
}

const char *plan_host_env(const struct sandbox_request *rq, const char *name)
{
	size_t n = strlen(name);

	for (char *const *v = rq->env; v != NULL && *v != NULL; v++)
		if (strncmp(*v, name, n) == 0 && (*v)[n] == '=')
			return *v + n + 1;
	return NULL;
}

/* A folder of the system in which an empty HOME cannot be mounted, unless there is a real folder
 * for it. */
static bool plan_is_bad_home(const char *home)
{
	struct stat st;

	if (strcmp(home, "/") == 0 || root_is_system_folder(home))
		return true;
	if (!view_path_is_below(home, "/opt") && !view_path_is_below(home, "/nix") &&
	    !view_path_is_below(home, "/gnu"))
		return false;
	return lstat(home, &st) != 0 || !S_ISDIR(st.st_mode);
}

/* HOME as it is inside: the caller's own path where that can be one, else /tmp; and its real path,
 * for comparison. */
static int plan_home(struct plan *plan, struct err *e)
{
	const char *home = plan_host_env(plan->rq, "HOME");
	char told[PATH_MAX], real[PATH_MAX];

	/* without HOME in the environment, as login(1) would set it */
	if (home == NULL || home[0] != '/')
		home = home_os_of(geteuid(), told) ? told : "/tmp";
	if (home[0] != '/')
		home = "/tmp";
	plan->home = view_clean_path("/", home, e);
	if (plan->home == NULL)
		return -1;
	plan->home_outside = mem_strdup(path_resolve(plan->home, real) ? real : plan->home, e);
	if (plan_is_bad_home(plan->home)) {
		free(plan->home);
		plan->home = mem_strdup("/tmp", e);
	}
	return plan->home == NULL || plan->home_outside == NULL ? -1 : 0;
}

static int plan_identity(struct plan *plan, struct err *e)
{
	const struct policy *p = plan->policy;

	plan->outside_uid = geteuid();
	plan->outside_gid = getegid();
	plan->uid = p->is_user_set ? p->uid : plan->outside_uid;
	plan->gid = p->is_user_set ? p->gid : plan->outside_gid;
	if (geteuid() != getuid() || getegid() != getgid())
		return err_set(
		    e, ERR_REFUSED, "sbx is not made to be set-id: real and effective user differ");
	return 0;
}

static int plan_put_env(struct plan *plan, struct err *e)
{
	struct strv *env = &plan->env.env;

	if (env_build(plan->policy, plan->rq->env, &plan->env, e) != 0)
		return -1;
	if (plan->policy->env_mode == ENV_CLEAR)
		return 0;
	if (env_get(env, "PATH") == NULL && env_put(env, "PATH", PLAN_DEFAULT_PATH, e) != 0)
		return -1;
	return 0;
}

/* After the backend has said where things are inside: what the environment says of places must be
 * true there. */
static int plan_fix_env(struct plan *plan, struct err *e)
{
	struct strv *env = &plan->env.env;
	bool is_clear = plan->policy->env_mode == ENV_CLEAR;

	if (plan->cwd != NULL && !is_clear && env_put(env, "PWD", plan->cwd, e) != 0)
		return -1;
	if ((plan->backend->layers & LAYER_BIT(LAYER_VIEW)) == 0)
		return 0; /* native: the caller's places are the command's */
	if ((env_get(env, "HOME") != NULL || !is_clear) && env_put(env, "HOME", plan->home, e) != 0)
		return -1;
	if (plan->temp_path != NULL)
		return env_put(env, "TMPDIR", plan->temp_path, e);
	return env_get(env, "TMPDIR") == NULL ? 0 : env_put(env, "TMPDIR", "/tmp", e);
}

static int plan_compile(struct seccomp_rules *rules, struct sock_fprog *prog, struct err *e)
{
	int rc = seccomp_compile(rules, prog, e);

	seccomp_rules_fini(rules);
	return rc;
}

/*
 * Where only Landlock stands between the command and the host, a filter of its own refuses what
 * Landlock cannot, so that neither --seccomp none nor an own list opens it again.
 */
static int plan_outside_filter(struct plan *plan, struct err *e)
{
	bool is_without_ns =
	    (plan->backend->layers & (LAYER_BIT(LAYER_MOUNT_NS) | LAYER_BIT(LAYER_LANDLOCK))) ==
	    LAYER_BIT(LAYER_LANDLOCK);
	struct seccomp_rules rules;
	int errnum, abi = is_without_ns ? landlock_abi(&errnum) : 0;
	unsigned flags = plan->policy->net == NET_NONE ? SECCOMP_OUTSIDE_INET : 0U;

	if (!is_without_ns)
		return 0;
	if (landlock_supported(abi, LANDLOCK_DENY_UNIX) == 0)
		flags |= SECCOMP_OUTSIDE_UNIX;
	if (abi < 3)
		flags |= SECCOMP_OUTSIDE_TRUNCATE;
	seccomp_rules_init(&rules);
	if (seccomp_rules_outside(&rules, flags, e) != 0) {
		seccomp_rules_fini(&rules);
		return -1;
	}
	return plan_compile(&rules, &plan->outside_filter, e);
}

static int plan_main_filter(struct plan *plan, struct err *e)
{
	struct seccomp_rules rules;
	const char *file = plan->policy->seccomp;

	if (file == NULL)
		return seccomp_compile_builtin(plan->builtin_flags, &plan->filter, e);
	seccomp_rules_init(&rules);
	if (seccomp_file_load(plan->policy->root, file, &rules, e) != 0) {
		seccomp_rules_fini(&rules);
		return -1;
	}
	return plan_compile(&rules, &plan->filter, e);
}

static int plan_refuse_limit(
    struct plan *plan, enum layer layer, const char *option, const char *why, struct err *e)
{
	if (!plan->policy->is_best_effort)
		return err_set(e, ERR_REFUSED,
		    "%s cannot be kept here: %s; --best-effort runs without that promise", option,
		    why);
	plan_miss(plan, layer, "%s", why);
	return 0;
}

static int plan_no_filter(struct plan *plan, int errnum, struct err *e)
{
	char why[128];

	plan->filter.len = 0;
	(void)snprintf(
	    why, sizeof why, "this kernel has no seccomp filters (%s)", strerror(errnum));
	if (plan->policy->seccomp != NULL && strcmp(plan->policy->seccomp, "none") != 0)
		return plan_refuse_limit(plan, LAYER_SECCOMP, "--seccomp", why, e);
	plan_miss(plan, LAYER_SECCOMP, "%s", why);
	return 0;
}

static int plan_filter(struct plan *plan, struct err *e)
{
	bool is_none = plan->policy->seccomp != NULL && strcmp(plan->policy->seccomp, "none") == 0;
	int rc = seccomp_available();

	if ((plan->backend->layers & LAYER_BIT(LAYER_SECCOMP)) == 0)
		return 0;
	/* first: a mistake in a list is told wherever it is read */
	if (!is_none && plan_main_filter(plan, e) != 0)
		return -1;
	if (rc != 0)
		return plan_no_filter(plan, -rc, e);
	if (plan_outside_filter(plan, e) != 0)
		return -1;
	if (is_none)
		plan_miss(plan, LAYER_SECCOMP, "switched off by --seccomp none");
	return 0;
}

/* RLIMIT_NPROC counts by user within the user namespace (since 5.14), except for the host's root.
 */
static bool plan_nproc_counts(const struct plan *plan)
{
	return (plan->backend->layers & LAYER_BIT(LAYER_USER_NS)) != 0 && plan->outside_uid != 0;
}

static int plan_memory(struct plan *plan, struct err *e)
{
	const struct policy *p = plan->policy;
	bool is_native = (plan->backend->layers & LAYER_BIT(LAYER_VIEW)) == 0;

	if (p->memory_bytes == 0)
		return 0;
	if (is_native || p->want_rlimit_as)
		plan->rlimit_as_bytes = p->memory_bytes;
	if (plan->cgroup.is_kept[CGROUP_MEMORY]) {
		plan->applied |= LAYER_BIT(LAYER_MEMORY);
		return 0;
	}
	if (is_native) { /* no limit of the whole: so it is told */
		plan_miss(plan, LAYER_MEMORY,
		    "RLIMIT_AS limits each process by itself, not all together (%s)",
		    plan->cgroup.why[CGROUP_MEMORY]);
		return 0;
	}
	if (plan_refuse_limit(plan, LAYER_MEMORY, "--memory", plan->cgroup.why[CGROUP_MEMORY], e) !=
	    0)
		return -1;
	plan->rlimit_data_bytes =
	    p->memory_bytes; /* memfd, tmpfs and sockets are not counted: said in missing */
	plan->is_memory_sampled = true;
	return 0;
}

static int plan_pids(struct plan *plan, struct err *e)
{
	const struct policy *p = plan->policy;

	if (p->pids == 0)
		return 0;
	if (plan->cgroup.is_kept[CGROUP_PIDS]) {
		plan->applied |= LAYER_BIT(LAYER_PIDS);
		return 0;
	}
	if (plan_nproc_counts(plan)) {
		plan->rlimit_nproc = p->pids + 1; /* the guardian is the same user's */
		plan->applied |= LAYER_BIT(LAYER_PIDS);
		return 0;
	}
	return plan_refuse_limit(plan, LAYER_PIDS, "--pids", plan->cgroup.why[CGROUP_PIDS], e);
}

#define PLAN_PIDS_UNLIMITED 4194304U /* PID_MAX_LIMIT of 64-bit kernels */

static int plan_limits(struct plan *plan, struct err *e)
{
	const struct policy *p = plan->policy;
	struct cgroup_limits l = { p->memory_bytes, p->pids, p->cpus_milli };

	/* processor time is counted best by a group: one whose only limit is higher than any
	 * machine goes */
	if (p->cpu_time_ms != 0 && l.memory_bytes == 0 && l.pids == 0 && l.cpus_milli == 0)
		l.pids = PLAN_PIDS_UNLIMITED;
	if ((l.memory_bytes != 0 || l.pids != 0 || l.cpus_milli != 0) &&
	    cgroup_create(&plan->cgroup, &l, e) != 0)
		return -1;
	if (plan_memory(plan, e) != 0 || plan_pids(plan, e) != 0)
		return -1;
	if (p->cpus_milli == 0)
		return 0;
	if (plan->cgroup.is_kept[CGROUP_CPU]) {
		plan->applied |= LAYER_BIT(LAYER_CPU);
		return 0;
	}
	return plan_refuse_limit(plan, LAYER_CPU, "--cpus", plan->cgroup.why[CGROUP_CPU], e);
}

uint32_t plan_full_set(const struct policy *p)
{
	uint32_t full = LAYER_ALL;

	if (p->memory_bytes == 0)
		full &= ~LAYER_BIT(LAYER_MEMORY);
	if (p->pids == 0)
		full &= ~LAYER_BIT(LAYER_PIDS);
	if (p->cpus_milli == 0)
		full &= ~LAYER_BIT(LAYER_CPU);
	if (p->net == NET_HOST)
		full &= ~LAYER_BIT(LAYER_NET_NS);
	if (p->env_mode == ENV_INHERIT)
		full &= ~LAYER_BIT(LAYER_ENV);
	return full;
}

static int plan_require(struct plan *plan, struct err *e)
{
	const struct policy *p = plan->policy;
	uint32_t full = plan_full_set(p);
	uint32_t lacking;

	if (!proc_has_subreaper() && !plan->backend->has_inner_init)
		plan_miss(plan, LAYER_DIE_WITH_RUNNER,
		    "this system gives orphans away: a process that left both its parent and the "
		    "command's session is not found at the end");
	for (int i = 0; i < LAYER_COUNT; i++) {
		if ((full & ~plan->backend->layers & ~plan->missing & LAYER_BIT(i)) == 0)
			continue;
		plan_miss(plan, (enum layer)i, "the %s backend does not give it",
		    plan->backend->name);
		plan->generic |= LAYER_BIT(i);
	}
	if (p->env_mode != ENV_INHERIT)
		plan->applied |= LAYER_BIT(LAYER_ENV);
	plan->required = p->require | (p->is_strict ? full : 0U);
	lacking = plan->required & (plan->missing | ~full);
	for (int i = 0; i < LAYER_COUNT; i++)
		if ((lacking & LAYER_BIT(i)) != 0)
			return err_set(e, ERR_REFUSED,
			    "required layer %s is missing: %s; nothing was run",
			    layer_name((enum layer)i),
			    plan->why[i] != NULL ? plan->why[i] :
						   "this policy does not ask for it");
	return 0;
}

static void plan_init(
    struct plan *plan, const struct sandbox_request *rq, const struct sandbox_backend *backend)
{
	memset(plan, 0, sizeof *plan);
	plan->rq = rq;
	plan->policy = rq->policy;
	plan->backend = backend;
	plan->argv = rq->argv;
	plan->root_fd = plan->cwd_fd = plan->temp_parent_fd = -1;
	cgroup_init(&plan->cgroup);
}

int plan_make(struct plan *plan, const struct sandbox_request *rq,
    const struct sandbox_backend *backend, struct err *e)
{
	plan_init(plan, rq, backend);
	if (rq->argv == NULL || rq->argv[0] == NULL || rq->argv[0][0] == '\0')
		return err_set(e, ERR_USAGE, "no command given");
	if (plan_identity(plan, e) != 0 || plan_home(plan, e) != 0 || root_resolve(plan, e) != 0 ||
	    plan_put_env(plan, e) != 0 || backend->plan(plan, e) != 0 ||
	    plan_fix_env(plan, e) != 0 || plan_filter(plan, e) != 0 ||
	    (!backend->is_container && plan_limits(plan, e) != 0))
		return -1;
	return plan_require(plan, e);
}

void plan_release(struct plan *plan)
{
	if (plan->cgroup.version != 0)
		(void)cgroup_remove(
		    &plan->cgroup); /* the guardian has done so, unless there was none */
	cgroup_close(&plan->cgroup);
	plan->cgroup.version = 0;
	if (plan->want_temp && plan->temp_parent_fd >= 0)
		(void)tree_remove(plan->temp_parent_fd, plan->temp_name); /* the same */
	fd_close(&plan->root_fd);
	fd_close(&plan->cwd_fd);
	fd_close(&plan->temp_parent_fd);
}

void plan_fini(struct plan *plan)
{
	plan_release(plan);
	plan_close_sources(plan);
	view_fini(&plan->view);
	view_facts_fini(&plan->facts);
	env_block_fini(&plan->env);
	for (size_t i = 0; i < plan->rule_count; i++)
		free(plan->rules[i].path);
	free(plan->rules);
	strv_fini(&plan->tool);
	free(plan->profile);
	strv_fini(&plan->tool_env);
	container_free(plan->container);
	for (size_t i = 0; i < plan->check_count; i++)
		free(plan->checks[i].path);
	free(plan->checks);
	free(plan->filter.filter);
	free(plan->outside_filter.filter);
	for (int i = 0; i < LAYER_COUNT; i++)
		free(plan->why[i]);
	free(plan->cwd_outside);
	free(plan->root);
	free(plan->private_root);
	free(plan->cwd);
	free(plan->home);
	free(plan->home_outside);
	free(plan->notice);
	free(plan->temp_path);
	memset(plan, 0, sizeof *plan);
	plan->root_fd = plan->cwd_fd = plan->temp_parent_fd = -1;
}
