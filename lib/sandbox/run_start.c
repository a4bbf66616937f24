/*
 * The start of a run: try a backend, or one after the other for auto; fork its guardian; decide
 * what a failure means. What must not happen here: going on to a weaker backend for any other
 * reason than that this machine does not give the better one.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../base/log.h"
#include "../base/mem.h"
#include "../sys/fd.h"
#include "../sys/proc.h"
#include "run.h"

static void run_try_next(struct sandbox_run *run);

int run_arm_wall(struct sandbox_run *run, struct err *e)
{
	uint64_t timeout_ms = run->rq.policy->timeout_ms;

	return timeout_ms == 0 ? 0 : loop_arm(run->loop, &run->wall, timeout_ms, e);
}

uint64_t run_setup_ms(const struct sandbox_run *run)
{
	return run->plan.setup_ms != 0 ? run->plan.setup_ms : LIMIT_SETUP_MS;
}

/*
 * Does this error say that the machine does not give what the backend needs? Only then may auto go
 * on to a weaker one. What may be gone the next moment (no memory, no process or descriptor left),
 * or is the fault of a file, could be brought about by another sandbox, to have the next command
 * run without one.
 */
static bool run_is_missing_here(const struct err *e)
{
	switch (e->errnum) {
	case EPERM:
	case EACCES:
	case ENOSYS:
	case EINVAL:
	case EOPNOTSUPP:
	case ENODEV: /* no such file system type */
	case ENOENT: /* no bwrap, no /proc */
		return true;
	case 0:
		return e->kind == ERR_REFUSED || e->kind == ERR_SETUP;
	default:
		return false;
	}
}

void run_explain_tool(struct sandbox_run *run, struct err *e)
{
	const struct sandbox_backend *b = run->plan.backend;
	char line[512];
	ssize_t n;

	if (!b->has_exec_step || b->explain == NULL || e->kind != ERR_SETUP || run->out[1].fd < 0)
		return;
	n = read(run->out[1].fd, line, sizeof line - 1);
	if (n <= 0)
		return;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (line[0] != '\0')
		b->explain(line, e);
}

/* The guardian did not come up, or said that it cannot: the next backend of auto, or the end. */
void run_start_failed(struct sandbox_run *run, const struct err *e, bool is_final)
{
	bool is_hopeless =
	    is_final || run->named != NULL || run->is_ending || !run_is_missing_here(e);

	log_write(LOG_LIFECYCLE, "backend %s: %s", run->plan.backend->name, e->msg);
	run_reap_guard(run);
	inner_close(run);
	run_io_close(run);
	if (run->first_error.kind == ERR_NONE)
		run->first_error = *e;
	if (!is_hopeless && sandbox_backends[run->next] != NULL) {
		run_try_next(run);
		return;
	}
	run->result.backend = run->plan.backend->name;
	if (is_hopeless) {
		struct err copy = *e;

		if (run->named == NULL && e->kind == ERR_REFUSED &&
		    strcmp(run->first_error.msg, e->msg) != 0)
			(void)err_set(&copy, ERR_REFUSED, "%.300s (passed over before: %.300s)",
			    e->msg, run->first_error.msg);
		else
			run_explain_missing(&run->plan, &copy);
		run_fail(run, &copy);
	} else {
		run_fail(run, &run->first_error);
	}
}

static void run_close_command_ends(struct guard *g)
{
	fd_close(&g->control_fd);
	fd_close(&g->stdin_fd);
	fd_close(&g->stdout_fd);
	fd_close(&g->stderr_fd);
	for (size_t i = 0; i < g->pass_count; i++)
		fd_close(&g->pass[i].fd);
}

/* See guard_wait_temp(). A guardian that has failed meanwhile is told of by its own record. */
static void run_make_temp(struct sandbox_run *run)
{
	const struct plan *p = &run->plan;
	int rc = mkdirat(p->temp_parent_fd, p->temp_name, 0700);

	run_tell_guard(run, GUARD_TEMP, rc == 0 ? 0 : errno);
}

/* Fork the guardian and watch it. */
static int run_launch(struct sandbox_run *run, struct err *e)
{
	struct guard g;
	int rc;

	memset(&g, 0, sizeof g);
	g.plan = &run->plan;
	g.control_fd = g.report_fd = g.stdin_fd = g.stdout_fd = g.stderr_fd = -1;
	g.pty_master_fd = g.pty_slave_fd = g.landlock_fd = -1;
	rc = fd_socketpair(SOCK_SEQPACKET, &run->control.fd, &g.control_fd, e);
	if (rc == 0)
		rc = run_io_open(run, &g, e);
	if (rc == 0 && run->plan.backend->has_inner_init)
		rc = inner_open(&run->inner, &g, e);
	if (rc == 0) {
		run->guard_pid = guard_start(&g, e);
		rc = run->guard_pid < 0 ? -1 : 0;
	}
	if (rc == 0 && run->plan.want_temp)
		run_make_temp(run);
	run_close_command_ends(&g);
	if (rc != 0) {
		run->guard_pid = 0;
		return -1;
	}
	run->control.events = POLLIN;
	run->control.fn = run_on_control;
	run->control.ctx = run;
	if (loop_add(run->loop, &run->control, e) != 0 ||
	    (run->inner.fd >= 0 && inner_start(run, e) != 0) ||
	    loop_arm(run->loop, &run->give_up, run_setup_ms(run), e) != 0) {
		(void)kill(run->guard_pid, SIGKILL);
		return -1;
	}
	return 0;
}

/* A backend that auto passed over says why its layers are missing. */
static void run_note_passed_over(struct sandbox_run *run)
{
	if (run->named != NULL || run->first_error.kind == ERR_NONE)
		return;
	for (int i = 0; i < LAYER_COUNT; i++)
		if ((LAYER_ALL & ~run->plan.backend->layers & LAYER_BIT(i)) != 0)
			plan_miss(&run->plan, (enum layer)i, "%s", run->first_error.msg);
}

static void run_try(struct sandbox_run *run, const struct sandbox_backend *b)
{
	struct err e = ERR_INIT;
	int rc;

	plan_fini(&run->plan);
	run->state = RUN_STARTING;
	run->is_guard_told = false;
	run->plan.backend = b;
	if (b->available != NULL && b->available(&run->rq, &e) != 0) {
		run_start_failed(run, &e, false);
		return;
	}
	rc = plan_make(&run->plan, &run->rq, b, &e);
	if (rc != 0) {
		/*
		 * What was asked for wrongly is as wrong with every backend; and what this one
		 * refuses (a limit that cannot be kept, a layer that is required) must not be had
		 * by going on to a weaker one.
		 */
		run_start_failed(run, &e, e.kind != ERR_SETUP);
		return;
	}
	run_note_passed_over(run);
	if (run_launch(run, &e) != 0)
		run_start_failed(run, &e, false);
}

static void run_try_next(struct sandbox_run *run)
{
	run_try(run, run->named != NULL ? run->named : sandbox_backends[run->next++]);
}

struct sandbox_run *sandbox_start(struct loop *loop, const struct sandbox_request *rq,
    void (*done)(struct sandbox_run *run, void *ctx), void *ctx, struct err *e)
{
	struct sandbox_run *run = mem_calloc(1, sizeof *run, e);
	struct err why = ERR_INIT;
	bool is_auto, is_container;

	if (run == NULL)
		return NULL;
	run_init(run, loop, rq);
	run->done = done;
	run->ctx = ctx;
	run->named = sandbox_backend_find(rq->policy->backend, &is_auto, &why);
	is_container = run->named != NULL && run->named->is_container;
	/* of what a killed guardian leaves; but an engine's own daemons are nobody's children */
	if (rq->is_only_run && !is_container)
		(void)proc_set_subreaper();
	/* an engine may have to pull, or to start a machine: there the command's time begins with
	 * the command */
	if ((run->named == NULL && !is_auto) ||
	    sandbox_complete_policy(run->named, &run->policy, &run->rq, &why) != 0 ||
	    (!is_container && run_arm_wall(run, &why) != 0))
		run_fail(run, &why);
	else
		run_try_next(run);
	return run;
}
