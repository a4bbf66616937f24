/*
 * The command's child, from its birth to exec. It shares the guardian's memory (vfork), so it
 * writes nothing but its own stack and the error object, and calls nothing that allocates. The
 * order of the steps matters and is numbered; each step says why it stands where it does.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../sys/fd.h"
#include "../sys/linux_ns.h"
#include "../sys/proc.h"
#include "exec.h"
#include "guard.h"
#include "stage_os.h"

#define STAGE_PASS_ABOVE 32 /* no descriptor of a command has a number as high */

/* 1. A session of its own: no controlling terminal that TIOCSTI could push bytes into, one group to
 * signal. */
static int stage_session(const struct guard *g, struct err *e)
{
	if (setsid() < 0)
		return err_errno(e, ERR_SETUP, "setsid");
	if (g->pty_slave_fd >= 0 && ioctl(g->pty_slave_fd, TIOCSCTTY, 0) != 0)
		return err_errno(e, ERR_SETUP, "make the pty the controlling terminal");
	if (!g->has_pid_ns)
		proc_die_with_parent(g->self_pid);
	return 0;
}

/* 2. Into the cgroup while we may still write there. */
static int stage_cgroup(const struct guard *g, struct err *e)
{
	int rc = g->must_join ? cgroup_join_self(&g->plan->cgroup) :
				0; /* else there is none, or we were born in it */

	if (rc != 0)
		return err_sys(e, ERR_SETUP, -rc, "join the control group");
	/* the namespace that we have begins at the runner's group: the command's is to begin at its
	 * own (cgroup_namespaces(7)) */
	if (g->plan->cgroup.dir_count == 0 || stage_os_begin_cgroup_ns(g->plan->namespaces) == 0)
		return 0;
	return err_errno(e, ERR_SETUP, "make a control group namespace");
}

/* 3. Standard descriptors: our pipes, never the caller's. Everything else closes on exec. */
static int stage_one_fd(int fd, int as, struct err *e)
{
	if (fd < 0) { /* an end-of-file pipe where there is no /dev/null */
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (fd < 0 && fd_pipe(&fd, &(int){ -1 }, e) != 0)
			return -1;
	}
	if (dup2(fd, as) != as)
		return err_errno(e, ERR_SETUP, "dup2 to %d", as);
	return fcntl(as, F_SETFD, 0) == 0 ? 0 : err_errno(e, ERR_SETUP, "descriptor %d", as);
}

static int stage_stdio(const struct guard *g, struct err *e)
{
	bool is_tty = g->pty_slave_fd >= 0;

	if (stage_one_fd(is_tty ? g->pty_slave_fd : g->stdin_fd, 0, e) != 0 ||
	    stage_one_fd(is_tty ? g->pty_slave_fd : g->stdout_fd, 1, e) != 0 ||
	    stage_one_fd(is_tty ? g->pty_slave_fd : g->stderr_fd, 2, e) != 0)
		return -1;
	return 0;
}

/* Descriptors beside those: first out of the way of all the numbers that are to be taken, then into
 * place. */
static int stage_pass_fds(const struct guard *g, struct err *e)
{
	int from[GUARD_PASS_MAX];

	for (size_t i = 0; i < g->pass_count; i++) {
		from[i] = fcntl(g->pass[i].fd, F_DUPFD_CLOEXEC, STAGE_PASS_ABOVE);
		if (from[i] < 0)
			return err_errno(e, ERR_SETUP, "descriptor %d", g->pass[i].fd);
	}
	for (size_t i = 0; i < g->pass_count; i++)
		if (dup2(from[i], g->pass[i].as) < 0)
			return err_errno(e, ERR_SETUP, "dup2 to %d", g->pass[i].as);
	return 0;
}

/* 4. The working folder, and proof that it is where it should be: "(unreachable)" or another place
 * is no folder. */
static int stage_chdir(const struct guard *g, struct err *e)
{
	char now[PATH_MAX];
	const char *cwd = g->plan->cwd;

	if (chdir(cwd) != 0)
		return err_errno(e, ERR_SETUP, "change to %s in the sandbox", cwd);
	if (getcwd(now, sizeof now) == NULL || strcmp(now, cwd) != 0)
		return err_set(e, ERR_SETUP, "%s in the sandbox leads to another folder", cwd);
	return 0;
}

/* 5. Identity and capabilities: after all that needed them, before everything that limits system
 * calls. */
static int stage_identity(struct guard *g, struct err *e)
{
	const struct plan *p = g->plan;
	int rc;

	if (p->want_setuid) {
		if (stage_os_become(p->uid, p->gid) != 0)
			return err_errno(
			    e, ERR_SETUP, "become user %u group %u", p->uid, p->gid);
	}
	if (!p->want_capability_drop)
		return 0;
	rc = ns_drop_capabilities();
	guard_note(g, LAYER_CAPABILITIES, -rc);
	return rc == 0 ? 0 : err_sys(e, ERR_SETUP, -rc, "drop capabilities");
}

/* 6. no_new_privs: Landlock and seccomp ask for it, and set-id programs then give nothing. */
static int stage_no_new_privs(struct guard *g, struct err *e)
{
	if (!g->plan->want_no_new_privs)
		return 0;
	if (stage_os_no_new_privs() != 0)
		return err_errno(e, ERR_SETUP, "no_new_privs");
	guard_note(g, LAYER_NO_NEW_PRIVS, 0);
	return 0;
}

/* 7. Landlock: the rules were made by the guardian, here they are put on. */
static int stage_landlock(struct guard *g, struct err *e)
{
	int rc;

	if (g->landlock_fd < 0)
		return 0;
	rc = landlock_restrict(g->landlock_fd);
	guard_note(g, LAYER_LANDLOCK, -rc);
	return rc == 0 ? 0 : err_sys(e, ERR_SETUP, -rc, "apply Landlock rules");
}

/* 8. Resource limits: after Landlock, whose descriptors a small --nofile would forbid. */
static int stage_limit(int resource, const char *name, rlim_t soft, rlim_t hard, struct err *e)
{
	struct rlimit old, now = { soft, hard };

	if (getrlimit(resource, &old) != 0)
		return err_errno(e, ERR_SETUP, "%s", name);
	/* above the hard limit only root may go, and a limit that is tighter already is kept */
	if (old.rlim_max != RLIM_INFINITY && now.rlim_max > old.rlim_max)
		now.rlim_max = old.rlim_max;
	if (now.rlim_cur > now.rlim_max)
		now.rlim_cur = now.rlim_max;
	return stage_os_set_limit(resource, &now) == 0 ? 0 : err_errno(e, ERR_SETUP, "%s", name);
}

static int stage_rlimits(struct guard *g, struct err *e)
{
	const struct policy *p = g->plan->policy;
	const struct plan *plan = g->plan;
	rlim_t cpu = (rlim_t)((p->cpu_time_ms + 999) / 1000);

	/* core(5): a limit of 1 byte also stops pipe handlers, 0 does not */
	if (stage_limit(RLIMIT_CORE, "RLIMIT_CORE", 1, 1, e) != 0)
		return -1;
	/* soft first: SIGXCPU can be told from a kill; a second later comes SIGKILL */
	if (cpu != 0 && stage_limit(RLIMIT_CPU, "RLIMIT_CPU", cpu, cpu + 1, e) != 0)
		return -1;
	if (p->is_fsize_set &&
	    stage_limit(RLIMIT_FSIZE, "RLIMIT_FSIZE", p->fsize_bytes, p->fsize_bytes, e) != 0)
		return -1;
	if (plan->rlimit_as_bytes != 0 && stage_limit(RLIMIT_AS, "RLIMIT_AS", plan->rlimit_as_bytes,
					      plan->rlimit_as_bytes, e) != 0)
		return -1;
	if (plan->rlimit_data_bytes != 0 &&
	    stage_limit(RLIMIT_DATA, "RLIMIT_DATA", plan->rlimit_data_bytes,
		plan->rlimit_data_bytes, e) != 0)
		return -1;
	if (plan->rlimit_nproc != 0 && stage_limit(RLIMIT_NPROC, "RLIMIT_NPROC", plan->rlimit_nproc,
					   plan->rlimit_nproc, e) != 0)
		return -1;
	if (p->is_nofile_set &&
	    stage_limit(RLIMIT_NOFILE, "RLIMIT_NOFILE", p->nofile, p->nofile, e) != 0)
		return -1;
	guard_note(g, LAYER_RLIMITS, 0);
	return 0;
}

/* 10. The filters last: steps above need calls that they refuse. */
static int stage_one_filter(const struct sock_fprog *filter, struct err *e)
{
	int rc = filter->len == 0 ? 0 : seccomp_install(filter);

	return rc == 0 ? 0 : err_sys(e, ERR_SETUP, -rc, "install the seccomp filter");
}

static int stage_seccomp(struct guard *g, struct err *e)
{
	if (stage_one_filter(&g->plan->outside_filter, e) != 0 ||
	    stage_one_filter(&g->plan->filter, e) != 0)
		return -1;
	if (g->plan->filter.len != 0)
		guard_note(g, LAYER_SECCOMP, 0);
	return 0;
}

/* What must not be missing; after all layers, before the command. */
static int stage_require(const struct guard *g, struct err *e)
{
	uint32_t lacking = g->plan->required & ~g->report.applied;
	char why[128] = "";

	for (int i = 0; i < LAYER_COUNT; i++) {
		if ((lacking & LAYER_BIT(i)) == 0)
			continue;
		if (g->report.layer_errno[i] != 0)
			plan_put_refusal(why, sizeof why, (enum layer)i, g->report.layer_errno[i]);
		return err_set(e, ERR_REFUSED, "required layer %s is missing%s%s; nothing was run",
		    layer_name((enum layer)i), *why == '\0' ? "" : ": ", why);
	}
	return 0;
}

/* 11. The command, or the tool that runs it. */
static int stage_exec(struct guard *g, struct err *e)
{
	const struct plan *p = g->plan;

	if (!p->backend->has_exec_step)
		return exec_command(env_get(&p->env.env, "PATH"), p->argv, p->env.env.v, e);
	(void)execve(p->argv[0], p->argv, p->env.env.v);
	return err_errno(e, ERR_SETUP, "start %s", p->argv[0]);
}

static int stage_steps(struct guard *g, struct err *e)
{
	if (stage_session(g, e) != 0 || stage_cgroup(g, e) != 0 || stage_stdio(g, e) != 0 ||
	    stage_pass_fds(g, e) != 0 || stage_chdir(g, e) != 0 || stage_identity(g, e) != 0 ||
	    stage_no_new_privs(g, e) != 0 || stage_landlock(g, e) != 0 || stage_rlimits(g, e) != 0)
		return -1;
	loop_restore_signals(); /* 9. the caller's mask and dispositions */
	if (stage_seccomp(g, e) != 0 || stage_require(g, e) != 0)
		return -1;
	return stage_exec(g, e);
}

/* The tool of a backend, which runs our own init: all that concerns the command is done there. */
static int stage_tool(struct guard *g, struct err *e)
{
	/* neither the command's environment nor ours is the tool's business */
	static char *const empty[] = { NULL };
	char *const *env = g->plan->tool_env.n > 0 ? g->plan->tool_env.v : empty;
	char *const *argv = g->plan->argv;

	if (stage_session(g, e) != 0 || stage_stdio(g, e) != 0 || stage_pass_fds(g, e) != 0)
		return -1;
	loop_restore_signals();
	(void)execve(argv[0], argv, env);
	return err_errno(e, ERR_SETUP, "start %s", argv[0]);
}

int stage_run(void *guard)
{
	struct guard *g = guard;

	(void)(g->plan->backend->has_inner_init ? stage_tool : stage_steps)(g, &g->stage_error);
	return 125;
}
