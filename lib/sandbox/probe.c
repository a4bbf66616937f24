/*
 * The probe's tries. A try is a function run in a forked child, in the namespaces that it needs,
 * with a second to answer; the answer is a step name and an errno. See probe.h.
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../base/str.h"
#include "../sys/fd.h"
#include "../sys/linux_cgroup.h"
#include "../sys/linux_landlock.h"
#include "../sys/linux_mount.h"
#include "../sys/linux_ns.h"
#include "../sys/linux_seccomp.h"
#include "../sys/loop.h"
#include "../sys/proc.h"
#include "plan.h"
#include "stage_os.h"

#define PROBE_STEP_MS 1000U     /* one try of a layer */
#define PROBE_ENV_MAX 16U
#define PROBE_BACKEND_MS 10000U /* a whole run, on a slow emulated machine too */

/* steps that are explained by themselves */
#define PROBE_STEP_MAKE "make the namespace"
#define PROBE_STEP_MAP "write uid_map"
#define PROBE_STEP_NAME "set the host name"
#define PROBE_OTHER_PROFILE                                                                       \
	"docker, podman: --security-opt seccomp=unconfined, or a profile that allows clone, "     \
	"unshare, mount and sethostname"

struct probe_answer {
	int32_t errnum; /* 0: it works */
	char step[48];  /* what failed */
};

static int probe_say(struct probe_answer *a, int rc, const char *step)
{
	if (rc == 0)
		return 0;
	a->errnum = -rc;
	(void)snprintf(a->step, sizeof a->step, "%s", step);
	return -1;
}

/* --- tries; each runs in a child and says what failed --- */

static uid_t outside_uid;
static gid_t outside_gid;
static bool is_without_user_ns;   /* as guard_start() does where root can have none */
static uint64_t child_namespaces; /* in a child: those that it has */

/* Who we are in the new namespaces, and nothing of what is mounted in them outside. */
static int try_map(struct probe_answer *a)
{
	if ((child_namespaces & CLONE_NEWUSER) == 0)
		return (child_namespaces & CLONE_NEWNS) == 0 ?
			   0 :
			   probe_say(a, mount_make_private(), "make mounts private");
	proc_set_dumpable(true);
	return probe_say(
	    a, ns_map_self(outside_uid, outside_uid, outside_gid, outside_gid), PROBE_STEP_MAP);
}

static int try_nothing(struct probe_answer *a)
{
	return try_map(a);
}

static int try_mount(struct probe_answer *a)
{
	/* a distribution may let the namespace be made and take its capabilities away: so mount
	 * something */
	if (try_map(a) != 0)
		return -1;
	return probe_say(a, mount_tmpfs("/", 4096, 16, 0755, 0), "mount a tmpfs");
}

static int try_view(struct probe_answer *a)
{
	bool is_detachable;

	if (try_map(a) != 0 || probe_say(a, mount_new_root(), "mount an empty root") != 0 ||
	    probe_say(a, mount_pivot(&is_detachable), "pivot_root") != 0)
		return -1;
	return is_detachable ? probe_say(a, mount_drop_old_root(), "drop the old root") : 0;
}

static int try_proc(struct probe_answer *a)
{
	if (try_map(a) != 0 || probe_say(a, mount_new_root(), "mount an empty root") != 0)
		return -1;
	if (mkdir("proc", 0555) != 0) /* an initramfs may have no /proc to mount over */
		return probe_say(a, -errno, "make a folder");
	return probe_say(a, mount_proc("proc"), "mount a fresh /proc");
}

static int try_net(struct probe_answer *a)
{
	if (try_map(a) != 0)
		return -1;
	return probe_say(a, ns_loopback_up(), "bring the loopback interface up");
}

static int try_uts(struct probe_answer *a)
{
	if (try_map(a) != 0)
		return -1;
	return probe_say(a, ns_set_hostname("sandbox"), PROBE_STEP_NAME);
}

static int try_landlock(struct probe_answer *a)
{
	int errnum = 0, abi = landlock_abi(&errnum), fd, rc;

	if (abi == 0)
		return probe_say(a, -errnum, "landlock_create_ruleset");
	fd = landlock_create(abi, 0);
	if (fd < 0)
		return probe_say(a, fd, "make a rule set");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0)
		return probe_say(a, -errno, "no_new_privs");
	rc = landlock_restrict(fd);
	if (rc != 0)
		return probe_say(a, rc, "restrict");
	/* no rule allows anything: this must be denied now */
	return open("/", O_RDONLY | O_CLOEXEC) < 0 && errno == EACCES ?
		   0 :
		   probe_say(a, -ENOTSUP, "deny opening /");
}

static int try_seccomp(struct probe_answer *a)
{
	struct sock_fprog prog = { 0, NULL };
	struct err e = ERR_INIT;
	int rc;

	if (seccomp_compile_builtin(0, &prog, &e) != 0)
		return probe_say(a, -EINVAL, "compile the filter");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0)
		return probe_say(a, -errno, "no_new_privs");
	rc = seccomp_install(&prog);
	if (rc != 0)
		return probe_say(a, rc, "install the filter");
	return unshare(CLONE_NEWUSER) != 0 && errno == EPERM ?
		   0 :
		   probe_say(a, -ENOTSUP, "refuse unshare");
}

static int try_capabilities(struct probe_answer *a)
{
	if (probe_say(a, ns_drop_capabilities(), "drop capabilities") != 0)
		return -1;
	for (int cap = 0; cap <= CAP_LAST_CAP; cap++)
		if (ns_has_capability(cap))
			return probe_say(a, -ENOTSUP, "be without capabilities");
	return 0;
}

static int try_no_new_privs(struct probe_answer *a)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0)
		return probe_say(a, -errno, "no_new_privs");
	return prctl(PR_GET_NO_NEW_PRIVS, 0UL, 0UL, 0UL, 0UL) == 1 ?
		   0 :
		   probe_say(a, -ENOTSUP, "no_new_privs");
}

static int try_rlimits(struct probe_answer *a)
{
	struct rlimit one = { 1, 1 };

	return stage_os_set_limit(RLIMIT_CORE, &one) == 0 ? 0 :
							 probe_say(a, -errno, "setrlimit");
}

static int try_subreaper(struct probe_answer *a)
{
	int is_on = 0, rc = proc_set_subreaper();

	if (rc != 0)
		return probe_say(a, rc, "become a subreaper");
	if (prctl(PR_GET_CHILD_SUBREAPER, (unsigned long)(uintptr_t)&is_on, 0UL, 0UL, 0UL) != 0 ||
	    is_on == 0)
		return probe_say(a, -ENOTSUP, "become a subreaper");
	return 0;
}

static const struct probe_try {
	enum layer layer;
	uint32_t namespaces;
	int (*fn)(struct probe_answer *a);
	const char *done; /* evidence when it works */
} tries[] = {
	{ LAYER_USER_NS, CLONE_NEWUSER, try_nothing, "made one and mapped the user" },
	{ LAYER_MOUNT_NS, CLONE_NEWUSER | CLONE_NEWNS, try_mount, "mounted a tmpfs in a new one" },
	{ LAYER_PID_NS, CLONE_NEWUSER | CLONE_NEWPID, try_nothing, "made one" },
	{ LAYER_NET_NS, CLONE_NEWUSER | CLONE_NEWNET, try_net, "made one, loopback up" },
	{ LAYER_IPC_NS, CLONE_NEWUSER | CLONE_NEWIPC, try_nothing, "made one" },
	{ LAYER_UTS_NS, CLONE_NEWUSER | CLONE_NEWUTS, try_uts, "made one and set its host name" },
	{ LAYER_CGROUP_NS, CLONE_NEWUSER | CLONE_NEWCGROUP, try_nothing, "made one" },
	{ LAYER_VIEW, CLONE_NEWUSER | CLONE_NEWNS, try_view, "changed to an empty root" },
	{ LAYER_PROC, CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID, try_proc,
	    "mounted a fresh /proc" },
	{ LAYER_METADATA, CLONE_NEWUSER | CLONE_NEWNS, try_view, "changed to an empty root" },
	{ LAYER_LANDLOCK, 0, try_landlock, "opening / was denied by a rule set" },
	{ LAYER_SECCOMP, 0, try_seccomp, "unshare was refused by the filter" },
	{ LAYER_CAPABILITIES, 0, try_capabilities, "none is left" },
	{ LAYER_NO_NEW_PRIVS, 0, try_no_new_privs, "set" },
	{ LAYER_RLIMITS, 0, try_rlimits, "set one" },
	{ LAYER_DIE_WITH_RUNNER, 0, try_subreaper, "became a subreaper" },
};

/* --- running a try --- */

struct probe_wait {
	struct loop loop;
	struct loop_watch watch;
	struct loop_timer timer;
	struct probe_answer answer;
};

static void probe_on_answer(struct loop_watch *w, short revents)
{
	struct probe_wait *p = w->ctx;

	(void)revents;
	if (read(w->fd, &p->answer, sizeof p->answer) != (ssize_t)sizeof p->answer)
		(void)probe_say(&p->answer, -ECHILD, "survive");
	loop_stop(&p->loop);
}

static void probe_on_time(struct loop_timer *t)
{
	struct probe_wait *p = t->ctx;

	(void)probe_say(&p->answer, -ETIMEDOUT, "answer in time");
	loop_stop(&p->loop);
}

static _Noreturn void probe_child(const struct probe_try *t, uint64_t namespaces, int fd)
{
	struct probe_answer a;

	memset(&a, 0, sizeof a);
	child_namespaces = namespaces;
	if (t->fn(&a) == 0)
		a.errnum = 0;
	(void)!write(fd, &a, sizeof a);
	_exit(0);
}

static int probe_do(const struct probe_try *t, struct probe_answer *answer, struct err *e)
{
	struct probe_wait p;
	int write_fd;
	uint64_t namespaces = t->namespaces;
	pid_t pid;

	if (is_without_user_ns && t->layer != LAYER_USER_NS)
		namespaces &= ~(uint64_t)CLONE_NEWUSER;

	memset(&p, 0, sizeof p);
	if (fd_pipe(&p.watch.fd, &write_fd, e) != 0)
		return -1;
	pid = proc_fork(namespaces);
	if (pid == 0)
		probe_child(t, namespaces, write_fd);
	fd_close(&write_fd);
	if (pid < 0) {
		(void)probe_say(answer, (int)pid, PROBE_STEP_MAKE);
		fd_close(&p.watch.fd);
		return 0;
	}
	loop_init(&p.loop);
	p.watch.events = POLLIN;
	p.watch.fn = probe_on_answer;
	p.timer.fn = probe_on_time;
	p.watch.ctx = p.timer.ctx = &p;
	if (loop_add(&p.loop, &p.watch, e) != 0 ||
	    loop_arm(&p.loop, &p.timer, PROBE_STEP_MS, e) != 0 || loop_run(&p.loop, e) != 0)
		(void)probe_say(&p.answer, -ENOMEM, "wait");
	loop_fini(&p.loop);
	(void)kill(pid, SIGKILL);
	(void)proc_wait(pid, NULL);
	fd_close(&p.watch.fd);
	*answer = p.answer;
	return 0;
}

/* --- why a namespace is refused, and what to do --- */

static bool probe_file_says(const char *path, const char *text)
{
	char content[64];

	return fd_read_small(AT_FDCWD, path, content, sizeof content) > 0 &&
	       strncmp(content, text, strlen(text)) == 0;
}

static bool probe_is_filtered(void)
{
	char status[4096];

	return fd_read_small(AT_FDCWD, "/proc/self/status", status, sizeof status) > 0 &&
	       str_find(status, "\nSeccomp:\t2") != NULL;
}

static void probe_explain(struct probe_row *row, const char *reason, const char *remedy)
{
	(void)snprintf(row->reason, sizeof row->reason, "%s", reason);
	(void)snprintf(row->remedy, sizeof row->remedy, "%s", remedy);
}

static void probe_explain_namespace(struct probe_row *row, const struct probe_answer *a)
{
	if (strcmp(a->step, PROBE_STEP_NAME) == 0)
		probe_explain(row,
		    "the namespace is there, but a seccomp filter around us (a container's) "
		    "refuses to name the host in it: the outer name is seen",
		    PROBE_OTHER_PROFILE);
	else if (access("/proc/self/uid_map", F_OK) != 0)
		probe_explain(row, "/proc is not mounted, so the user cannot be mapped",
		    "mount -t proc proc /proc");
	else if (strcmp(a->step, PROBE_STEP_MAP) == 0 && outside_uid == 0 &&
		 !ns_has_capability(CAP_SETFCAP))
		probe_explain(row, "uid 0 cannot be mapped without CAP_SETFCAP (Linux 5.12)",
		    "docker, podman: --cap-add SETFCAP, or --user with another uid");
	else if (probe_file_says("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1") &&
		 geteuid() != 0)
		probe_explain(row,
		    "AppArmor takes the capabilities of unprivileged user namespaces away",
		    "install an AppArmor profile for this program with \"userns,\" in it, or "
		    "sysctl kernel.apparmor_restrict_unprivileged_userns=0");
	else if (probe_file_says("/proc/sys/user/max_user_namespaces", "0\n"))
		probe_explain(
		    row, "user.max_user_namespaces is 0", "sysctl user.max_user_namespaces=10000");
	else if (probe_file_says("/proc/sys/kernel/unprivileged_userns_clone", "0\n") &&
		 geteuid() != 0)
		probe_explain(row, "kernel.unprivileged_userns_clone is 0",
		    "sysctl kernel.unprivileged_userns_clone=1");
	else if (a->errnum == EINVAL || a->errnum == ENOSYS)
		probe_explain(row, "this kernel was built without it, or an emulator lacks it", "");
	else if (probe_is_filtered())
		probe_explain(row, "a seccomp filter around us (a container's) refuses it",
		    PROBE_OTHER_PROFILE "; the landlock backend works without");
	else
		probe_explain(row, strerror(a->errnum), "");
}

static void probe_explain_layer(
    struct probe_row *row, const struct probe_try *t, const struct probe_answer *a)
{
	if (a->errnum == ETIMEDOUT)
		probe_explain(row, "it did not answer within a second", "");
	else if (t->layer == LAYER_PROC && a->errnum == EPERM &&
		 strcmp(a->step, "mount a fresh /proc") == 0)
		probe_explain(row,
		    "the /proc around us has masked parts, so the kernel refuses a fresh one (a "
		    "container)",
		    "podman: --security-opt unmask=ALL; docker: --security-opt "
		    "systempaths=unconfined");
	else if (t->namespaces != 0)
		probe_explain_namespace(row, a);
	else if (t->layer == LAYER_LANDLOCK && a->errnum == ENOSYS)
		probe_explain(row, "the kernel is older than 5.13 or a filter hides the call", "");
	else if (t->layer == LAYER_LANDLOCK && a->errnum == EOPNOTSUPP)
		probe_explain(row, "Landlock is built in but not switched on",
		    "add landlock to lsm= on the kernel command line");
	else
		probe_explain(row, strerror(a->errnum), "");
}

static int probe_layer(const struct probe_try *t, struct probe_row *row, struct err *e)
{
	struct probe_answer a;

	memset(&a, 0, sizeof a);
	if (probe_do(t, &a, e) != 0)
		return -1;
	row->works = a.errnum == 0;
	if (row->works) {
		(void)snprintf(row->evidence, sizeof row->evidence, "%s", t->done);
		return 0;
	}
	if (t->layer == LAYER_USER_NS && outside_uid == 0)
		is_without_user_ns = strcmp(a.step, PROBE_STEP_MAKE) == 0 ||
				     access("/proc/self/uid_map", F_OK) != 0;
	(void)snprintf(row->evidence, sizeof row->evidence, "%s: %s", a.step, strerror(a.errnum));
	probe_explain_layer(row, t, &a);
	return 0;
}

/* What only root can drop: a file that such a group may read can be read inside, where it shows. */
static void probe_tell_groups(struct probe_row *row)
{
	gid_t gid = outside_gid;
	size_t len = strlen(row->evidence);

	/* with room for one it fails where there are more */
	if (outside_uid != 0 && (getgroups(1, &gid) < 0 || gid != outside_gid))
		(void)snprintf(row->evidence + len, sizeof row->evidence - len,
		    "; the caller's other groups stay");
}

/* Where there is no root to change, Landlock gives the view by rules. */
static void probe_view_by_rules(struct probe_report *r)
{
	struct probe_row *view = &r->layers[LAYER_VIEW];

	if (view->works || !r->layers[LAYER_LANDLOCK].works)
		return;
	memset(view, 0, sizeof *view);
	view->name = layer_name(LAYER_VIEW);
	view->works = true;
	(void)snprintf(view->evidence, sizeof view->evidence,
	    "by Landlock rules: content of other files, not their names");
}

static int probe_limits(struct probe_report *r, struct err *e)
{
	static const struct {
		enum layer layer;
		enum cgroup_controller controller;
	} limits[] = { { LAYER_MEMORY, CGROUP_MEMORY }, { LAYER_PIDS, CGROUP_PIDS },
		{ LAYER_CPU, CGROUP_CPU } };
	struct cgroup g;

	cgroup_init(&g);
	if (cgroup_probe(&g, e) != 0)
		return -1;
	for (size_t i = 0; i < MEM_COUNT(limits); i++) {
		struct probe_row *row = &r->layers[limits[i].layer];

		row->works = g.is_kept[limits[i].controller];
		if (row->works)
			(void)snprintf(row->evidence, sizeof row->evidence,
			    "set in a control group (v%d) and read back", g.version);
		else
			(void)snprintf(
			    row->evidence, sizeof row->evidence, "no control group keeps it");
		(void)snprintf(row->reason, sizeof row->reason, "%s",
		    row->works ? "" : g.why[limits[i].controller]);
	}
	cgroup_close(&g);
	if (!r->layers[LAYER_PIDS].works && outside_uid != 0 && r->layers[LAYER_USER_NS].works) {
		r->layers[LAYER_PIDS].works = true;
		r->layers[LAYER_PIDS].reason[0] = '\0';
		(void)snprintf(r->layers[LAYER_PIDS].evidence, PROBE_TEXT,
		    "RLIMIT_NPROC, which counts within the user namespace");
	}
	return 0;
}

/* --- backends --- */

static void probe_on_done(struct sandbox_run *run, void *ctx)
{
	(void)run;
	loop_stop(ctx);
}

static int probe_policy(struct policy *p, const char *backend, const char *self_path,
    bool want_mount, struct err *e)
{
	policy_init(p);
	p->timeout_ms = PROBE_BACKEND_MS;
	p->kill_grace_ms = 0;
	p->backend = backend == NULL ? NULL : mem_strdup(backend, e);
	if (backend != NULL && p->backend == NULL)
		return -1;
	if (!want_mount)
		return 0;
	/* our own program is the command: the only one that is surely there */
	p->mounts = mem_calloc(1, sizeof *p->mounts, e);
	if (p->mounts == NULL)
		return -1;
	p->mounts[0].kind = MOUNT_RO;
	p->mounts[0].src = mem_strdup(self_path, e);
	p->mounts[0].dst = mem_strdup(self_path, e);
	p->mount_count = 1;
	return p->mounts[0].src == NULL || p->mounts[0].dst == NULL ? -1 : 0;
}

static void probe_put_reason(struct probe_row *row, const struct sandbox_result *res)
{
	if (row->works)
		row->reason[0] = '\0';
	else if (res->error.kind != ERR_NONE)
		(void)snprintf(row->reason, sizeof row->reason, "%.250s", res->error.msg);
	else
		(void)snprintf(row->reason, sizeof row->reason, "it ended by %s, status %d",
		    reason_name(res->reason), res->exit_code);
}

static char *own_env[PROBE_ENV_MAX + 1]; /* the caller's strings, as every run sees them */

static void probe_take_env(char *const *env)
{
	size_t n = 0;

	for (; *env != NULL && n < PROBE_ENV_MAX; env++)
		if (strncmp(*env, "SBX_", 4) == 0)
			own_env[n++] = *env;
	own_env[n] = NULL;
}

/* A real run; what came of it is copied out. want_mount: of our program, which native cannot do. */
static int probe_real_run(const char *backend, const char *self_path, bool want_mount,
    char *const *env, struct probe_row *row, uint32_t *applied, struct err *e)
{
	char *argv[] = { (char *)(uintptr_t)self_path, (char *)(uintptr_t) "--version", NULL };
	struct policy policy;
	struct sandbox_request rq;
	struct sandbox_run *run = NULL;
	struct loop loop;
	const struct sandbox_result *res;
	int rc = -1;

	memset(&rq, 0, sizeof rq);
	loop_init(&loop);
	if (probe_policy(&policy, backend, self_path, want_mount, e) == 0) {
		rq.policy = &policy;
		rq.argv = argv;
		rq.env = env;
		rq.max_output_bytes = 4096;
		rq.stdin_mode = STDIN_NULL;
		run = sandbox_start(&loop, &rq, probe_on_done, &loop, e);
		rc = run == NULL ? -1 : loop_run(&loop, e);
	}
	if (rc == 0) {
		res = sandbox_run_result(run);
		row->works = res->error.kind == ERR_NONE && res->exit_code == 0;
		row->name = res->backend != NULL ? res->backend : row->name;
		*applied = res->applied;
		if (row->works)
			(void)snprintf(row->evidence, sizeof row->evidence,
			    "ran a command in %llu ms", (unsigned long long)res->duration_ms);
		else
			(void)snprintf(
			    row->evidence, sizeof row->evidence, "a command could not be run");
		probe_put_reason(row, res);
	}
	sandbox_run_free(run);
	policy_fini(&policy);
	loop_fini(&loop);
	return rc;
}

/* What keeps the namespace backend from working, by the layers that it cannot do without. */
static const char *probe_namespace_remedy(const struct probe_report *r)
{
	static const enum layer needed[] = { LAYER_USER_NS, LAYER_MOUNT_NS, LAYER_PID_NS,
		LAYER_NET_NS, LAYER_VIEW };

	for (size_t i = 0; i < MEM_COUNT(needed); i++)
		if (!r->layers[needed[i]].works)
			return r->layers[needed[i]].remedy;
	return "";
}

static int probe_container(const char *backend, const char *self_path, char *const *env,
    struct probe_row *row, struct err *e)
{
	uint32_t applied;

	return probe_real_run(backend, self_path, true, env, row, &applied, e);
}

static int probe_backends(struct probe_report *r, const char *only, const char *self_path,
    char *const *env, struct err *e)
{
	const struct sandbox_backend *named[] = { NULL, NULL }, *const *list = sandbox_backends;
	uint32_t applied;
	bool is_auto;

	if (only != NULL) {
		named[0] = sandbox_backend_find(only, &is_auto, e);
		if (named[0] == NULL && !is_auto)
			return -1;
	}
	if (named[0] != NULL)
		list = named + named[0]->is_container;
	for (; *list != NULL; list++) {
		struct probe_row *row = &r->backends[r->backend_count++];

		row->name = (*list)->name;
		if (probe_real_run(row->name, self_path,
			*list != &backend_native && *list != &backend_sandbox_exec, own_env, row,
			&applied, e) != 0)
			return -1;
		if (!row->works && *list == &backend_namespace)
			(void)snprintf(
			    row->remedy, sizeof row->remedy, "%s", probe_namespace_remedy(r));
	}
	return probe_engines(r, named[0], self_path, env, probe_container, e);
}

static int probe_choice(struct probe_report *r, const char *self_path, struct err *e)
{
	size_t len = 0;

	if (probe_real_run(NULL, self_path, true, own_env, &r->choice, &r->choice_applied, e) != 0)
		return -1;
	/* where only native is left */
	if (!r->choice.works &&
	    probe_real_run(NULL, self_path, false, own_env, &r->choice, &r->choice_applied, e) != 0)
		return -1;
	if (!r->choice.works)
		return 0;
	for (int i = 0; i < LAYER_COUNT; i++) {
		if ((r->choice_applied & LAYER_BIT(i)) != 0 || i == LAYER_MEMORY ||
		    i == LAYER_PIDS || i == LAYER_CPU)
			continue;
		len += (size_t)snprintf(r->choice.reason + len, sizeof r->choice.reason - len,
		    "%s%s", len == 0 ? "" : " ", layer_name((enum layer)i));
		if (len >= sizeof r->choice.reason)
			break;
	}
	return 0;
}

int probe_run(struct probe_report *r, const char *only, const char *self_path, char *const *env,
    struct err *e)
{
	struct utsname u;
	int errnum;

	memset(r, 0, sizeof *r);
	probe_take_env(env);
	if (uname(&u) == 0)
		(void)snprintf(r->kernel, sizeof r->kernel, "%.60s %.80s %.40s", u.sysname,
		    u.release, u.machine);
	outside_uid = geteuid();
	outside_gid = getegid();
	r->uid = outside_uid;
	r->is_container_like = probe_is_filtered();
	r->landlock_abi = landlock_abi(&errnum);
	for (int i = 0; i < LAYER_COUNT; i++)
		r->layers[i].name = layer_name((enum layer)i);
	r->layers[LAYER_ENV].works = true;
	(void)snprintf(r->layers[LAYER_ENV].evidence, PROBE_TEXT, "needs nothing of the kernel");
	for (size_t i = 0; i < MEM_COUNT(tries); i++)
		if (probe_layer(&tries[i], &r->layers[tries[i].layer], e) != 0)
			return -1;
	probe_tell_groups(&r->layers[LAYER_USER_NS]);
	probe_view_by_rules(r);
	if (probe_limits(r, e) != 0 || probe_backends(r, only, self_path, env, e) != 0)
		return -1;
	return probe_choice(r, self_path, e);
}
