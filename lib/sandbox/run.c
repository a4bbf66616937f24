/*
 * The life of a run, as the runner sees it: watch the guardian's socket, keep the deadlines, end
 * it, wait for what is on its way, tell the result. run_start.c tries the backends. A table of who
 * does what:
 *
 *   event                      STARTING          RUNNING             EXITED         ENDED
 *   guardian: started          to RUNNING        -                   -              -
 *   guardian: failed           next or conclude  -                   -              -
 *   guardian: exited           -                 to EXITED, drain    -              -
 *   inner init: started        to RUNNING        -                   -              -
 *   inner init: failed         kept for the end  -                   -              -
 *   inner init: exited, done   -                 to EXITED, drain    -              -
 *   guardian: socket ends      next or conclude  to ENDED (lost)     to ENDED       -
 *   outputs ended              -                 -                   kill the rest  conclude
 *   wall, cpu, memory, cancel  kill              TERM, grace, KILL   KILL           -
 *   drain bound                -                 -                   KILL           conclude
 *
 * With an inner init (inner.h) the guardian's "started" and "exited" are those of its tool and say
 * nothing of the command.
 */
#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../base/log.h"
#include "../base/mem.h"
#include "../sys/clock.h"
#include "../sys/fd.h"
#include "../sys/proc.h"
#include "../sys/tty.h"

#define RUN_GIVE_UP_MS 12000U /* the guardian's own bound is 10 s */
#define RUN_INNER_MS \
	2000U /* an inner init has so long to end what it was told to; then the guardian does */
#define RUN_CONTAINER_MS 10000U /* the same with an engine, which then removes the container */
#define RUN_SAMPLE_MS 25U
#define RUN_ENDED_EARLY "ended before the command was started"

static void run_on_finish(struct loop_timer *t)
{
	struct sandbox_run *run = t->ctx;

	run->done(run, run->ctx);
}

static void run_disarm(struct sandbox_run *run)
{
	struct loop_timer *const timers[] = { &run->wall, &run->grace, &run->drain, &run->give_up,
		&run->sample };

	for (size_t i = 0; i < MEM_COUNT(timers); i++)
		loop_disarm(run->loop, timers[i]);
	loop_del(run->loop, &run->control);
	fd_close(&run->control.fd);
	inner_close(run);
}

/* Everything is known: say so from the loop, never from inside sandbox_start(). */
static void run_finish(struct sandbox_run *run)
{
	if (run->state == RUN_DONE)
		return;
	run->state = RUN_DONE;
	run_disarm(run);
	run->result.duration_ms = (clock_now_us() - run->start_us) / 1000U;
	run_conclude(run);
	run_io_close(run);
	if (loop_arm(run->loop, &run->finish, 0, &run->result.error) != 0)
		run->done(run, run->ctx);
}

void run_fail(struct sandbox_run *run, const struct err *e)
{
	if (run->result.error.kind == ERR_NONE)
		run->result.error = *e;
	run_finish(run);
}

void run_tell_guard(struct sandbox_run *run, enum guard_op op, int signo)
{
	struct guard_command c = { (int32_t)op, signo };

	/* a guardian that does not read any more is about to end, which its socket tells */
	if (run->control.fd >= 0)
		(void)fd_send_record(run->control.fd, &c, sizeof c);
}

/* To whoever is the command's parent: of an inner init's, the guardian knows the tool only. */
static void run_command(struct sandbox_run *run, enum guard_op op, int signo)
{
	if (run->inner.fd >= 0)
		inner_send(run, op, signo);
	else
		run_tell_guard(run, op, signo);
}

static void run_kill_by_guard(struct sandbox_run *run)
{
	struct err e = ERR_INIT;

	run->is_guard_told = true;
	inner_hang_up(run);
	run_tell_guard(run, GUARD_KILL, 0);
	(void)loop_arm(run->loop, &run->give_up, RUN_GIVE_UP_MS, &e);
}

static void run_expect_inner_end(struct sandbox_run *run)
{
	struct err e = ERR_INIT;

	(void)loop_arm(run->loop, &run->give_up,
	    run->plan.backend->is_container ? RUN_CONTAINER_MS : RUN_INNER_MS, &e);
}

static void run_kill(struct sandbox_run *run)
{
	loop_disarm(run->loop, &run->grace);
	if (run->state == RUN_STARTING && run->guard_pid > 0 &&
	    !run->plan.backend->has_inner_init && !run->plan.backend->has_exec_step) {
		(void)kill(run->guard_pid, SIGKILL); /* nothing runs yet that could be left */
		return;
	}
	if (run->state == RUN_STARTING || run->inner.fd < 0) {
		run_kill_by_guard(run);
		return;
	}
	inner_send(run, GUARD_KILL, 0);
	run_expect_inner_end(run);
}

void run_end(struct sandbox_run *run, enum reason reason, bool at_once)
{
	struct err e = ERR_INIT;

	if (run->state >= RUN_ENDED)
		return;
	if (!run->is_ending) {
		run->is_ending = true;
		run->ended_for = reason;
		log_write(LOG_LIFECYCLE, "ending the command: %s", reason_name(reason));
	}
	if (at_once || run->state != RUN_RUNNING || run->rq.policy->kill_grace_ms == 0) {
		run_kill(run);
		return;
	}
	run_command(run, GUARD_SIGNAL, SIGTERM);
	run_command(
	    run, GUARD_SIGNAL, SIGCONT); /* a stopped process takes SIGTERM only when it goes on */
	if (run->grace.index == 0)
		(void)loop_arm(run->loop, &run->grace, run->rq.policy->kill_grace_ms, &e);
}

static void run_on_grace(struct loop_timer *t)
{
	run_kill(t->ctx);
}

static void run_on_wall(struct loop_timer *t)
{
	struct sandbox_run *run = t->ctx;

	run->result.timed_out = true;
	run_end(run, REASON_WALL_TIMEOUT, false);
}

static void run_on_give_up(struct loop_timer *t)
{
	struct sandbox_run *run = t->ctx;

	run->is_late = run->is_late || run->state == RUN_STARTING;
	if (run->plan.backend->has_inner_init && !run->is_guard_told)
		run_kill_by_guard(run);
	else if (run->guard_pid > 0)
		(void)kill(run->guard_pid, SIGKILL);
}

/* Limits that no kernel object keeps: CPU time of the whole tree; memory where there is no cgroup.
 */
static void run_on_sample(struct loop_timer *t)
{
	struct sandbox_run *run = t->ctx;
	const struct policy *p = run->rq.policy;
	struct proc_tree_usage u;
	struct cgroup_usage group;
	struct err e = ERR_INIT;

	if (run->state != RUN_RUNNING)
		return;
	if (proc_tree_measure(run->guard_pid, &u) == 0) {
		if (run->plan.cgroup.version != 0 &&
		    cgroup_read_usage(&run->plan.cgroup, &group) == 0 && group.has_cpu)
			u.cpu_us = group.cpu_user_us + group.cpu_system_us;
		if (u.rss_bytes > run->sampled_peak_bytes)
			run->sampled_peak_bytes = u.rss_bytes;
		if (run->plan.is_memory_sampled && u.rss_bytes > p->memory_bytes)
			run_end(run, REASON_OOM, true);
		else if (p->cpu_time_ms != 0 && u.cpu_us >= p->cpu_time_ms * 1000U)
			run_end(run, REASON_CPU_TIMEOUT, false);
	}
	(void)loop_arm(run->loop, &run->sample, RUN_SAMPLE_MS, &e);
}

static void run_on_drain(struct loop_timer *t)
{
	struct sandbox_run *run = t->ctx;
	struct err e = ERR_INIT;

	run_io_flush(run);
	if (run->state == RUN_DONE)
		return;
	if (run->state == RUN_EXITED) {
		run_kill(run);
		return;
	}
	/* a slow reader of ours gets all there is, unless the run was ended; a silent holder of the
	 * pipe gets no more time */
	if (run_io_is_pending(run) && !run->is_ending)
		(void)loop_arm(run->loop, &run->drain, LIMIT_DRAIN_MS, &e);
	else
		run_finish(run);
}

void run_on_output_end(struct sandbox_run *run)
{
	if (!run_io_is_ended(run))
		return;
	if (run->state == RUN_EXITED)
		run_kill(run); /* nobody is left to write: what still runs only hides */
	else if (run->state == RUN_ENDED)
		run_finish(run);
}

void run_on_output_data(struct sandbox_run *run)
{
	uint64_t total = 0;
	bool is_over = run->capture.is_over;

	if (run->rq.output == OUTPUT_STREAM) {
		total = run->out[0].pump.total_bytes + run->out[1].pump.total_bytes;
		is_over = total > run->rq.max_output_bytes;
	}
	if (is_over && run->rq.policy->kill_on_output && !run->is_ending)
		run_end(run, REASON_OUTPUT_LIMIT, true);
}

void run_reap_guard(struct sandbox_run *run)
{
	if (run->guard_pid > 0)
		(void)proc_wait(run->guard_pid, NULL);
	run->guard_pid = 0;
	loop_del(run->loop, &run->control);
	fd_close(&run->control.fd);
}

static void run_note_layers(struct sandbox_run *run, const struct guard_message *m)
{
	bool is_container = run->plan.backend->is_container;
	char why[128];

	run->result.applied = m->applied;
	if (is_container) /* which our init cannot see to be half there only */
		run->result.applied &= ~(run->plan.missing & LAYER_BIT(LAYER_PROC));
	for (int i = 0; i < LAYER_COUNT; i++) {
		if (m->layer_errno[i] == 0)
			continue;
		if (is_container && m->layer_errno[i] == EOPNOTSUPP)
			(void)snprintf(why, sizeof why, "refused by the engine");
		else
			plan_put_refusal(why, sizeof why, (enum layer)i, m->layer_errno[i]);
		plan_miss(&run->plan, (enum layer)i, "%s", why);
	}
}

static void run_started(struct sandbox_run *run, const struct guard_message *m, int pty_fd)
{
	const struct policy *p = run->rq.policy;
	struct err e = ERR_INIT;

	run->state = RUN_RUNNING;
	loop_disarm(run->loop, &run->give_up);
	run->result.backend = run->plan.backend->name;
	run_note_layers(run, m);
	run->command_pid = m->command_pid;
	log_write(LOG_LIFECYCLE, "started with backend %s", run->result.backend);
	/* values may be private */
	for (size_t i = 0; log_level >= LOG_TRACE && i < run->plan.env.env.n; i++)
		log_write(LOG_TRACE, "env: %.*s", (int)strcspn(run->plan.env.env.v[i], "="),
		    run->plan.env.env.v[i]);
	if (run->plan.backend->is_container && run_arm_wall(run, &e) != 0)
		run_end(run, REASON_LAUNCH_ERROR, true);
	if ((pty_fd >= 0 && run_io_use_pty(run, pty_fd, &e) != 0) || run_io_start(run, &e) != 0) {
		run->result.error = e;
		run_end(run, REASON_LAUNCH_ERROR, true);
		return;
	}
	/* a container's processes are not ours to see: its init watches them */
	if (!run->plan.backend->is_container &&
	    (p->cpu_time_ms != 0 || run->plan.is_memory_sampled) &&
	    loop_arm(run->loop, &run->sample, RUN_SAMPLE_MS, &e) != 0)
		run_end(run, REASON_LAUNCH_ERROR, true);
}

static void run_note_status(struct sandbox_run *run, const struct guard_message *m)
{
	if (m->has_status == 0 || run->has_status)
		return;
	run->has_status = true;
	run->wait_status = m->status;
	run->state = RUN_EXITED;
	loop_disarm(run->loop, &run->wall);
	loop_disarm(run->loop, &run->sample);
}

static void run_exited(struct sandbox_run *run, const struct guard_message *m)
{
	struct err e = ERR_INIT;

	run_note_status(run, m);
	run_io_flush(run);
	if (run->state != RUN_EXITED)
		return;
	if (run_io_is_ended(run))
		run_kill(run); /* descendants that closed our pipes */
	else
		(void)loop_arm(run->loop, &run->drain, LIMIT_DRAIN_MS, &e);
}

/* All that the guardian guarded is gone: what is in the pipes is left. */
static void run_ended(struct sandbox_run *run)
{
	struct err e = ERR_INIT;

	run->state = RUN_ENDED;
	loop_disarm(run->loop, &run->grace);
	loop_disarm(run->loop, &run->give_up);
	run_io_flush(run);
	if (run->state == RUN_DONE)
		return;
	if (run_io_is_ended(run))
		run_finish(run);
	else
		(void)loop_arm(run->loop, &run->drain, LIMIT_DRAIN_MS, &e);
}

static void run_note_no_status(struct sandbox_run *run)
{
	if (!run->has_status && run->result.error.kind == ERR_NONE && !run->is_ending)
		(void)err_set(&run->result.error, ERR_INTERNAL,
		    "the sandbox's first process was killed from outside");
}

/* DONE: nothing is left but the guardian itself, on its way out; it is waited for when the run is
 * freed. */
static void run_guard_done(struct sandbox_run *run, const struct guard_message *m)
{
	struct guard_message inner = run->last;

	run->has_usage = true;
	run->last = *m;
	if (run->has_inner_usage)
		run->last.usage = inner.usage;
	if (run->has_inner_usage && inner.has_group != 0) {
		run->last.has_group = 1;
		run->last.group = inner.group;
	}
	run_note_status(run, m);
	loop_del(run->loop, &run->control);
	fd_close(&run->control.fd);
	run_ended(run);
}

/* The socket ended without DONE: the guardian was killed. What it guarded is ended here as far as
 * it can be. */
static void run_guard_lost(struct sandbox_run *run)
{
	struct err e = ERR_INIT;
	int status;
	struct rusage usage;
	bool is_seen;

	inner_flush(run); /* what was said before the end comes before it */
	run_reap_guard(run);
	if (run->rq.is_only_run)
		(void)proc_kill_children(run->command_pid, 0, &status, &usage, &is_seen);
	if (run->plan.cgroup.version != 0)
		(void)cgroup_kill(&run->plan.cgroup);
	if (run->state == RUN_STARTING) {
		(void)err_set(&e, ERR_SETUP,
		    run->is_ending ? RUN_ENDED_EARLY :
				     "the sandbox's first process ended during set-up");
		run_start_failed(run, &e, true);
		return;
	}
	run_note_no_status(run);
	run_ended(run);
}

/* All that the tool left is gone, and with it our init: now it is known whether the command ever
 * ran. */
static void run_tool_done(struct sandbox_run *run, const struct guard_message *m)
{
	struct guard_message done = *m;
	struct err e = ERR_INIT;

	inner_flush(run);
	if (run->state == RUN_STARTING) {
		if (run->is_ending)
			(void)err_set(&e, ERR_SETUP, RUN_ENDED_EARLY);
		else if (run->is_late && !run->inner.has_failed)
			(void)err_set(&e, ERR_SETUP,
			    "%s did not start the command within %llu s: does it answer at all?",
			    run->plan.argv[0],
			    (unsigned long long)(run_setup_ms(run) / 1000U));
		else
			inner_why(run, &e);
		run_start_failed(
		    run, &e, run->is_ending || (run->inner.has_failed && run->inner.is_final));
		return;
	}
	run_note_no_status(run);
	done.has_status = 0; /* the tool's */
	run_guard_done(run, &done);
}

static void run_on_tool(struct sandbox_run *run, const struct guard_message *m)
{
	switch ((enum guard_event)m->event) {
	case GUARD_STARTED:
		log_write(LOG_LIFECYCLE, "started %s", run->plan.argv[0]);
		break;
	case GUARD_FAILED:
		run_start_failed(run, &m->error, m->is_final != 0);
		break;
	case GUARD_EXITED: /* without the tool nothing inside goes on, and what it left outside is
			      of no use */
		run_kill_by_guard(run);
		break;
	case GUARD_DONE:
		run_tool_done(run, m);
		break;
	case GUARD_CPU_TIME:
		break;
	}
}

void run_on_inner(struct sandbox_run *run, const struct guard_message *m, int fd)
{
	switch ((enum guard_event)m->event) {
	case GUARD_STARTED:
		if (run->state == RUN_STARTING) {
			run_started(run, m, fd);
			return;
		}
		break;
	case GUARD_FAILED:
		run->inner.has_failed = true;
		run->inner.is_final = m->is_final != 0;
		run->inner.failed = m->error;
		run_expect_inner_end(run);
		break;
	case GUARD_EXITED:
		if (run->state == RUN_RUNNING)
			run_exited(run, m);
		break;
	case GUARD_DONE:
		run->has_inner_usage = true;
		run->last = *m;
		if (run->state == RUN_RUNNING)
			run_note_status(run, m);
		break;
	case GUARD_CPU_TIME:
		run_end(run, REASON_CPU_TIMEOUT, false);
		break;
	}
	fd_close(&fd);
}

/* Its socket ended, so it did: the tool ends too, or is ended. */
void run_on_inner_lost(struct sandbox_run *run)
{
	if (!run->is_guard_told)
		run_expect_inner_end(run);
}

void run_on_control(struct loop_watch *w, short revents)
{
	struct sandbox_run *run = w->ctx;
	struct guard_message m;
	int fd;
	ssize_t n = fd_recv_record(run->control.fd, &m, sizeof m, &fd);

	(void)revents;
	if (n == -EAGAIN)
		return;
	if (n != (ssize_t)sizeof m) {
		fd_close(&fd);
		run_guard_lost(run);
		return;
	}
	err_sanitize(&m.error);
	if (run->plan.backend->has_inner_init) {
		fd_close(&fd);
		run_on_tool(run, &m);
		return;
	}
	switch ((enum guard_event)m.event) {
	case GUARD_STARTED:
		run_started(run, &m, fd);
		return;
	case GUARD_FAILED:
		if (m.is_final == 0)
			run_explain_tool(run, &m.error);
		run_start_failed(run, &m.error, m.is_final != 0);
		break;
	case GUARD_EXITED:
		run_exited(run, &m);
		break;
	case GUARD_DONE:
		if (run->state == RUN_STARTING) { /* told to end before the exec step was reached */
			(void)err_set(&m.error, ERR_SETUP, RUN_ENDED_EARLY);
			run_start_failed(run, &m.error, true);
		} else {
			run_guard_done(run, &m);
		}
		break;
	case GUARD_CPU_TIME:
		break;
	}
	fd_close(&fd);
}

void run_init(struct sandbox_run *run, struct loop *loop, const struct sandbox_request *rq)
{
	const struct {
		struct loop_timer *timer;
		void (*fn)(struct loop_timer *t);
	} timers[] = { { &run->wall, run_on_wall }, { &run->grace, run_on_grace },
		{ &run->drain, run_on_drain }, { &run->give_up, run_on_give_up },
		{ &run->sample, run_on_sample }, { &run->finish, run_on_finish } };

	run->loop = loop;
	run->rq = *rq;
	run->policy = *rq->policy;
	run->rq.policy = &run->policy;
	run->start_us = clock_now_us();
	run->stream_budget_bytes = rq->max_output_bytes;
	run->control.fd = run->out[0].fd = run->out[1].fd = -1;
	run->input.out.fd = run->input_file_fd = run->pty_fd = -1;
	run->plan.root_fd = run->plan.cwd_fd = run->plan.temp_parent_fd = -1;
	inner_init(&run->inner);
	cgroup_init(&run->plan.cgroup);
	for (size_t i = 0; i < MEM_COUNT(timers); i++) {
		timers[i].timer->fn = timers[i].fn;
		timers[i].timer->ctx = run;
	}
	sandbox_result_init(&run->result);
	capture_init(&run->capture, rq->max_output_bytes);
}

const struct sandbox_result *sandbox_run_result(const struct sandbox_run *run)
{
	return &run->result;
}

const char *sandbox_run_notice(const struct sandbox_run *run)
{
	return run->plan.notice;
}

bool sandbox_run_stdout_is_gone(const struct sandbox_run *run)
{
	return run->is_stdout_gone;
}

void sandbox_run_signal(struct sandbox_run *run, int signo)
{
	if (signo == SIGINT || signo == SIGTERM || signo == SIGHUP || signo == SIGQUIT)
		run->forwarded_signal = signo;
	if (run->state == RUN_RUNNING || run->state == RUN_EXITED)
		run_command(run, GUARD_SIGNAL, signo);
	else if (run->state == RUN_ENDED && run->forwarded_signal == signo)
		run_finish(run); /* only a reader that does not read is waited for */
	else if (run->state == RUN_STARTING && run->forwarded_signal == signo) {
		run->result.end_signal = signo;
		run_end(run, REASON_CANCELLED, true); /* there is nobody yet who could handle it */
	}
}

void sandbox_run_resize(struct sandbox_run *run)
{
	if (run->pty_fd >= 0)
		tty_copy_size(run->rq.stdin_fd, run->pty_fd); /* the kernel sends SIGWINCH inside */
}

void sandbox_run_cancel(struct sandbox_run *run, bool at_once)
{
	if (run->state == RUN_ENDED)
		run_finish(run);
	run_end(run, REASON_CANCELLED, at_once);
}

void sandbox_run_release(struct sandbox_run *run)
{
	if (run == NULL)
		return;
	if (run->state !=
	    RUN_DONE) { /* freed while it runs: the guardian ends it all when its socket ends */
		run_disarm(run);
		run_io_close(run);
	}
	loop_disarm(run->loop, &run->finish);
	/* a control group is given back last by us; else the guardian's own end is not worth
	 * waiting for first */
	if (run->plan.cgroup.version != 0)
		run_reap_guard(run);
	plan_release(&run->plan);
	run_reap_guard(run);
}

void sandbox_run_free(struct sandbox_run *run)
{
	if (run == NULL)
		return;
	sandbox_run_release(run);
	plan_fini(&run->plan);
	capture_fini(&run->capture);
	sandbox_result_fini(&run->result);
	free(run);
}
