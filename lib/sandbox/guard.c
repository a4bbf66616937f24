/*
 * The guardian's life: set up, start the command, one short loop (signals of children, the runner's
 * socket), kill what is left, clean up, end. See guard.h. It is forked from the runner and must
 * never return into the runner's code.
 */
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../sys/fd.h"
#include "../sys/loop.h"
#include "../sys/path.h"
#include "../sys/path_os.h"
#include "../sys/proc.h"
#include "../sys/proc_os.h"
#include "../sys/tree.h"
#include "guard_os.h"

#define CLIENT_TERM_MS 2000

void guard_note(struct guard *g, enum layer layer, int errnum)
{
	if (errnum == 0)
		g->report.applied |= LAYER_BIT(layer);
	else
		g->report.applied &= ~LAYER_BIT(layer);
	g->report.layer_errno[layer] = errnum;
}

static void guard_send(struct guard *g, enum guard_event event, int pass_fd)
{
	g->report.event = (int32_t)event;
	g->tell(g, pass_fd);
}

void guard_tell_record(struct guard *g, int pass_fd)
{
	/* a runner that is gone is noticed by its socket; there is nobody to tell */
	(void)fd_send_msg(g->control_fd, &g->report, sizeof g->report, pass_fd);
}

static _Noreturn void guard_fail(struct guard *g, bool is_final, const struct err *e)
{
	g->report.error = *e;
	g->report.is_final = is_final || e->kind == ERR_USAGE;
	guard_send(g, GUARD_FAILED, -1);
	_exit(125);
}

int guard_pass_fd(struct guard *g, int fd, int as, struct err *e)
{
	if (g->pass_count == GUARD_PASS_MAX) {
		fd_close(&fd);
		return err_set(
		    e, ERR_INTERNAL, "more than %d descriptors for the command", GUARD_PASS_MAX);
	}
	g->pass[g->pass_count++] = (struct guard_pass){ fd, as };
	return 0;
}

static void guard_close_command_fds(struct guard *g)
{
	/* folders outside: nothing needs them any more */
	fd_close(&g->plan->root_fd);
	fd_close(&g->plan->cwd_fd);
	fd_close(&g->stdin_fd);
	fd_close(&g->stdout_fd);
	fd_close(&g->stderr_fd);
	for (size_t i = 0; i < g->pass_count; i++)
		fd_close(&g->pass[i].fd);
	fd_close(&g->pty_slave_fd);
	fd_close(&g->landlock_fd);
}

static void guard_isolate(struct guard *g)
{
	int keep[9 + GUARD_PASS_MAX + 3 * CGROUP_DIRS_MAX +
		 MEM_COUNT(((struct view_facts *)NULL)->system)];
	const struct plan *p = g->plan;
	size_t n = 0;

	keep[n++] = g->control_fd;
	keep[n++] = g->report_fd;
	keep[n++] = g->stdin_fd;
	keep[n++] = g->stdout_fd;
	keep[n++] = g->stderr_fd;
	keep[n++] = p->root_fd;
	keep[n++] = p->cwd_fd;
	keep[n++] = p->temp_parent_fd;
	for (size_t i = 0; i < p->cgroup.dir_count; i++) {
		keep[n++] = p->cgroup.parent_fd[i];
		keep[n++] = p->cgroup.dir_fd[i];
		keep[n++] = p->cgroup.procs_fd[i];
	}
	for (size_t i = 0; i < g->pass_count; i++)
		keep[n++] = g->pass[i].fd;
	for (size_t i = 0; p->system_sources != NULL && i < p->view.count; i++)
		if (p->system_sources[i].fd >= 0)
			keep[n++] = p->system_sources[i].fd;
	/* other runs of this process, and whatever its caller left open: none of it may live on
	 * here or in the command */
	fd_close_others(keep, n);
}

/*
 * A path that lies in the project root may lead elsewhere by the time it is opened: from the pinned
 * root down, through no link. In a mount namespace of our own the view's paths are already what
 * they should be.
 */
static int guard_add_rule(const struct guard *g, const struct plan_rule *r)
{
	const struct plan *p = g->plan;
	const char *rel = p->root == NULL || p->root_fd < 0 ? NULL : path_below(r->path, p->root);
	int fd, rc;

	if (rel == NULL || (g->report.applied & LAYER_BIT(LAYER_MOUNT_NS)) != 0)
		return landlock_allow_path(
		    g->landlock_fd, g->landlock_abi, r->path, r->access, true);
	fd = path_open_beneath(p->root_fd, rel, PATH_OS_SEARCH);
	if (fd < 0)
		return fd;
	rc = landlock_allow_fd(g->landlock_fd, g->landlock_abi, fd, r->access);
	fd_close(&fd);
	return rc;
}

/* Landlock's rule for it is the last one, so that the runner has had time to make it. */
int guard_wait_temp(const struct guard *g, struct err *e)
{
	struct guard_command c;
	int fd;
	ssize_t n = fd_recv_record(g->control_fd, &c, sizeof c, &fd);

	fd_close(&fd);
	if (n != (ssize_t)sizeof c || c.op != GUARD_TEMP)
		return err_set(e, ERR_SETUP, "ended before the command was started");
	if (c.signo != 0)
		return err_sys(e, ERR_SETUP, c.signo, "make %s", g->plan->temp_path);
	return 0;
}

static bool guard_is_temp_rule(const struct guard *g, const struct plan_rule *r)
{
	return g->plan->want_temp && strcmp(r->path, g->plan->temp_path) == 0;
}

static int guard_prepare_landlock(struct guard *g, struct err *e)
{
	const struct plan *p = g->plan;
	int errnum, rc;

	if (!p->want_landlock)
		return 0;
	g->landlock_abi = landlock_abi(&errnum);
	if (g->landlock_abi == 0) {
		guard_note(g, LAYER_LANDLOCK, errnum);
		return 0;
	}
	g->landlock_fd = landlock_create(g->landlock_abi, p->landlock_flags);
	if (g->landlock_fd < 0) {
		errnum = -g->landlock_fd;
		g->landlock_fd = -1;
		return err_sys(e, ERR_SETUP, errnum, "make a Landlock rule set");
	}
	for (size_t i = 0; i < p->rule_count; i++) {
		if (guard_is_temp_rule(g, &p->rules[i]) && guard_wait_temp(g, e) != 0)
			return -1;
		rc = guard_add_rule(g, &p->rules[i]);
		if (rc != 0)
			return err_sys(e, ERR_SETUP, -rc, "Landlock rule for %s", p->rules[i].path);
	}
	/* of the host's terminals only the command's own */
	rc = g->pty_slave_fd < 0 ? 0 :
				   landlock_allow_fd(g->landlock_fd, g->landlock_abi,
				       g->pty_slave_fd, LANDLOCK_DEVICE);
	return rc == 0 ? 0 : err_sys(e, ERR_SETUP, -rc, "Landlock rule for the pseudo-terminal");
}

/* A folder of PATH that is there; without a mount namespace it must be one of the view's, as the
 * others cannot be read. */
static bool guard_path_exists(const char *dir, void *ctx)
{
	const struct guard *g = ctx;
	struct stat st;

	if (stat(dir, &st) != 0 || !S_ISDIR(st.st_mode))
		return false;
	return (g->report.applied & LAYER_BIT(LAYER_MOUNT_NS)) != 0 || g->plan->view.count == 0 ||
	       view_shows(&g->plan->view, dir);
}

static void guard_filter_path(struct guard *g)
{
	struct strv *env = &g->plan->env.env;

	for (size_t i = 0; i < env->n; i++)
		if (strncmp(env->v[i], "PATH=", 5) == 0)
			env_filter_path(env->v[i] + 5, guard_path_exists, g);
}

static int guard_setup(struct guard *g, struct err *e)
{
	const struct sandbox_backend *b = g->plan->backend;
	/* an engine's own daemons are not ours to end */
	int orphans = b->is_container ? 0 : -proc_set_subreaper();

	if (b->setup != NULL && b->setup(g, e) != 0)
		return -1;
	proc_set_dumpable(false);
	if (b->has_inner_init)
		return 0; /* all that concerns the command is made inside */
	if (g->plan->policy->want_tty && guard_os_open_pty(g, e) != 0)
		return -1;
	guard_filter_path(g);
	if (guard_prepare_landlock(g, e) != 0)
		return -1;
	g->report.applied |= g->plan->applied;
	/* pid 1 of a namespace gets the orphans in any case */
	guard_note(g, LAYER_DIE_WITH_RUNNER, g->has_pid_ns ? 0 : orphans);
	return 0;
}

static int guard_open_step(struct guard *g, struct err *e)
{
	int write_fd = -1;

	if (fd_pipe(&g->step.fd, &write_fd, e) != 0 || fd_set_nonblock(g->step.fd, e) != 0) {
		fd_close(&write_fd);
		return -1;
	}
	return guard_pass_fd(g, write_fd, EXEC_STEP_FD, e);
}

static pid_t guard_fork_command(struct guard *g)
{
	const struct cgroup *group = &g->plan->cgroup;

	g->self_pid = getpid();
	if (group->version == 2 && !g->plan->backend->has_inner_init) {
		pid_t pid = proc_vfork_into(group->dir_fd[0], stage_run, g);

		if (pid != -ENOSYS)
			return pid;
	}
	g->must_join =
	    group->dir_count != 0; /* the folders are all that an inner init knows of it */
	return proc_vfork(stage_run, g);
}

static int guard_spawn(struct guard *g, struct err *e)
{
	pid_t pid;

	if (g->plan->backend->has_exec_step && guard_open_step(g, e) != 0)
		return -1;
	pid = guard_fork_command(g);
	if (pid < 0)
		return err_sys(e, ERR_SETUP, (int)-pid, "make the command's process");
	if (g->stage_error.kind != ERR_NONE) {
		(void)proc_wait(pid, NULL);
		*e = g->stage_error;
		return -1;
	}
	g->command_pid = g->report.command_pid = pid;
	return 0;
}

static void guard_note_status(struct guard *g, int status)
{
	g->command_pid = 0;
	g->report.has_status = 1;
	g->report.status = status;
}

/* Reap all that ended. True when no child is left. */
static bool guard_reap(struct guard *g)
{
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, WNOHANG | PROC_OS_WAIT_ALL);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid <= 0)
			return pid < 0;
		if (pid == g->command_pid)
			guard_note_status(g, status);
	}
}

/*
 * An engine's client that is killed while it makes a container leaves one that the engine knows
 * nothing of (podman: conmon with a waiting "runc init"): it may first come to an end of its own.
 */
static void guard_end_client(struct guard *g)
{
	if (g->command_pid == 0 || kill(g->command_pid, SIGTERM) != 0)
		return;
	for (int i = 0; i < CLIENT_TERM_MS && !guard_reap(g); i += 10)
		(void)usleep(10000);
}

/* Everything below us, by the surest means there is; then wait until it is gone. */
static int guard_kill_all(struct guard *g)
{
	int status = 0, left;
	struct rusage usage;
	bool is_seen = false;

	if (guard_reap(g) && proc_session_is_empty(g->report.command_pid))
		return 0; /* the usual end: nothing is left */
	if (g->plan->backend->is_container)
		guard_end_client(g);
	if (g->plan->cgroup.version != 0)
		(void)cgroup_kill(&g->plan->cgroup);
	if (g->has_pid_ns) {
		/* pid 1 is not hit by its own kill(-1); the kernel holds the list while it signals:
		 * nothing forks away */
		do {
			(void)kill(-1, SIGKILL);
			(void)waitid(P_ALL, 0, &(siginfo_t){ 0 },
			    WEXITED | WNOWAIT | PROC_OS_WAIT_ALL);
		} while (!guard_reap(g));
		return 0;
	}
	left =
	    proc_kill_children(g->report.command_pid, g->command_pid, &status, &usage, &is_seen);
	if (is_seen)
		guard_note_status(g, status);
	return left;
}

/* The runner ended without waiting for us: its socket tells. */
static bool guard_is_orphan(const struct guard *g)
{
	char c;

	return recv(g->control_fd, &c, sizeof c, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static void guard_clean_up(const struct guard *g)
{
	const struct plan *p = g->plan;

	guard_os_regain_rights(g);
	/* a killed process leaves its group a moment after it was reaped */
	for (int i = 0; i < 200 && p->cgroup.version != 0 && cgroup_remove(&p->cgroup) == -EBUSY;
	     i++)
		(void)usleep(500);
	if (p->cgroup.version != 0 && guard_is_orphan(g))
		cgroup_abandon(&p->cgroup);
	if (p->want_temp && p->temp_parent_fd >= 0)
		(void)tree_remove(p->temp_parent_fd, p->temp_name);
}

void guard_finish(struct guard *g)
{
	bool is_tool_done = g->command_pid == 0;

	g->report.left = guard_kill_all(g);
	if (g->plan->backend->cleanup != NULL)
		g->plan->backend->cleanup(g, is_tool_done);
	if (g->plan->cgroup.version != 0)
		g->report.has_group = cgroup_read_usage(&g->plan->cgroup, &g->report.group) == 0;
	guard_clean_up(g);
	(void)getrusage(RUSAGE_CHILDREN, &g->report.usage);
	guard_send(g, GUARD_DONE, -1);
	_exit(0);
}

static void guard_started(struct guard *g)
{
	guard_send(g, GUARD_STARTED, g->pty_master_fd);
	fd_close(&g->pty_master_fd);
}

/* The tool, or our exec step behind it, could not start the command. */
static _Noreturn void guard_step_failed(struct guard *g)
{
	bool is_final = g->step_report.error.kind != ERR_NONE;
	struct err e = g->step_report.error;

	g->report.left = guard_kill_all(g);
	guard_clean_up(g);
	if (!is_final && g->report.has_status)
		(void)err_set(&e, ERR_SETUP, "%s ended with status %d before the command",
		    g->plan->argv[0], proc_exit_status(g->report.status));
	else if (!is_final)
		(void)err_set(&e, ERR_SETUP, "%s did not start the command", g->plan->argv[0]);
	err_sanitize(&e);
	guard_fail(g, is_final, &e);
}

/* Take what the exec step says; at its end the command runs, or never will. */
static void guard_read_step(struct guard *g)
{
	ssize_t n;

	while ((n = read(g->step.fd, (char *)&g->step_report + g->step_len,
		    sizeof g->step_report - g->step_len)) > 0) {
		g->step_len += (size_t)n;
		if (g->step_len < sizeof g->step_report)
			continue;
		g->is_step_seen = true;
		g->step_len = 0;
		if (g->step_report.error.kind != ERR_NONE)
			guard_step_failed(g);
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	loop_del(g->loop, &g->step);
	fd_close(&g->step.fd);
	if (!g->is_step_seen)
		guard_step_failed(g);
	guard_started(g);
}

static void guard_on_step(struct loop_watch *w, short revents)
{
	(void)revents;
	guard_read_step(w->ctx);
}

static void guard_on_child(struct loop *l, int signo, void *ctx)
{
	struct guard *g = ctx;
	bool was_running = g->command_pid != 0;
	bool is_nothing_left = guard_reap(g) && proc_session_is_empty(g->report.command_pid);

	(void)l;
	(void)signo;
	if (g->step.fd >= 0 && g->command_pid == 0) /* all that it said is in the pipe */
		guard_read_step(g);
	if (g->step.fd >= 0 && g->command_pid == 0)
		guard_step_failed(g); /* the tool has left a process behind that holds it */
	if (is_nothing_left)
		guard_finish(g);
	if (was_running && g->command_pid == 0)
		guard_send(g, GUARD_EXITED, -1);
}

void guard_signal(const struct guard *g, int signo)
{
	if (g->command_pid <= 0)
		return;
	/* the group: what a terminal would signal; the leader alone where it has left its group */
	if (kill(-g->command_pid, signo) != 0)
		(void)kill(g->command_pid, signo);
}

void guard_on_control(struct loop_watch *w, short revents)
{
	struct guard *g = w->ctx;
	struct guard_command c;
	int fd;
	ssize_t n = fd_recv_record(g->control_fd, &c, sizeof c, &fd);

	(void)revents;
	fd_close(&fd);
	if (n != (ssize_t)sizeof c || c.op == GUARD_KILL) /* told to, or the runner is gone */
		guard_finish(g);
	guard_signal(g, c.signo);
}

static void guard_block_signals(void)
{
	sigset_t all;

	/* what a terminal sends is the runner's to forward; SIGCHLD opens in ppoll only */
	sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	loop_forget_signals();
}

/* Would another backend fail in the same way? It would, once everything but the command itself
 * stood. */
static bool guard_is_final(const struct guard *g)
{
	return !g->plan->backend->has_inner_init && g->stage_error.kind != ERR_NONE &&
	       g->stage_error.kind != ERR_REFUSED;
}

void guard_run(struct guard *g)
{
	static struct loop loop; /* as long-lived as the process */
	struct loop_watch control = {
		.fd = g->control_fd, .events = POLLIN, .fn = g->on_control
	};
	struct err e = ERR_INIT;

	/* a child that is born in a v2 group has a copy of our memory, yet tells by it how far it
	 * came */
	if ((g->plan->cgroup.version == 2 || proc_may_copy()) &&
	    (g = proc_share(g, sizeof *g)) == NULL)
		_exit(125);
	control.ctx = g;
	g->step = (struct loop_watch){
		.fd = -1, .events = POLLIN, .fn = guard_on_step, .ctx = g
	};
	loop_init(&loop); /* first: an inner init learns here which signals its command is to have
			     blocked */
	guard_block_signals();
	guard_isolate(g);
	/* out of the caller's process group: a SIGKILL to that group must find us alive to clean up
	 */
	(void)setsid();
	g->loop = &loop;
	if (loop_on_signal(&loop, SIGCHLD, guard_on_child, g, &e) != 0 ||
	    loop_add(&loop, &control, &e) != 0)
		guard_fail(g, false, &e);
	if (guard_setup(g, &e) != 0 || guard_spawn(g, &e) != 0) {
		(void)guard_kill_all(g);
		if (g->plan->backend->cleanup != NULL)
			g->plan->backend->cleanup(g, true);
		guard_clean_up(g);
		guard_fail(g, guard_is_final(g), &e);
	}
	guard_close_command_fds(g);
	if (g->step.fd >= 0 && loop_add(&loop, &g->step, &e) != 0)
		guard_step_failed(g);
	guard_os_drop_rights(g);
	if (!g->plan->backend->has_exec_step)
		guard_started(g);
	(void)loop_run(&loop, &e);
	guard_finish(g);
}
