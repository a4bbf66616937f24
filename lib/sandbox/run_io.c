/*
 * The standard descriptors of a run. The command gets pipes (or a pty), never a descriptor of the
 * caller: through /proc/self/fd it could reopen that for writing. Output is captured or relayed;
 * input is relayed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/log.h"
#include "../sys/fd.h"
#include "../sys/tty.h"
#include "root.h"
#include "run.h"

static int run_open_input(struct sandbox_run *run, struct guard *g, struct err *e)
{
	int write_fd = -1;

	if (run->rq.stdin_mode == STDIN_NULL)
		return 0; /* the stage opens /dev/null as it is inside */
	if (run->rq.stdin_mode == STDIN_FILE) {
		run->input_file_fd =
		    root_open_named(run->rq.policy, "--stdin",
		    run->rq.policy->stdin_path, O_RDONLY, 0, e);
		if (run->input_file_fd < 0)
			return -1;
	}
	if (fd_pipe(&g->stdin_fd, &write_fd, e) != 0)
		return -1;
	run->input.out.fd = write_fd;
	return fd_set_nonblock(write_fd, e);
}

int run_io_open(struct sandbox_run *run, struct guard *g, struct err *e)
{
	if (run->rq.policy->want_tty)
		return 0;
	if (fd_pipe(&run->out[0].fd, &g->stdout_fd, e) != 0 ||
	    fd_pipe(&run->out[1].fd, &g->stderr_fd, e) != 0 ||
	    fd_set_nonblock(run->out[0].fd, e) != 0 || fd_set_nonblock(run->out[1].fd, e) != 0)
		return -1;
	return run_open_input(run, g, e);
}

static void run_trace_line(struct run_output *o, const char *name)
{
	o->line[o->line_len] = '\0';
	log_write(LOG_TRACE, "%s: %s", name, env_is_secret_value(o->line) ? "[redacted]" : o->line);
	o->line_len = 0;
}

static void run_output_ended(struct sandbox_run *run, struct run_output *o)
{
	loop_del(run->loop, &o->watch);
	fd_close(&o->fd);
	if (o->line_len > 0)
		run_trace_line(o, o == &run->out[0] ? "stdout" : "stderr");
	o->is_ended = true;
	run_on_output_end(run);
}

/* L4: captured output line by line, until the cap is passed; streamed output is on the caller's
 * terminal anyway. */
static void run_trace(struct sandbox_run *run, struct run_output *o, size_t n)
{
	int i = o == &run->out[1];
	const struct capture_stream *s = &run->capture.streams[i];

	if (log_level < LOG_TRACE || run->capture.is_over)
		return;
	for (size_t at = s->head_len - n; at < s->head_len; at++) {
		if (s->head[at] == '\n' || o->line_len == sizeof o->line - 1)
			run_trace_line(o, i == 0 ? "stdout" : "stderr");
		if (s->head[at] != '\n')
			o->line[o->line_len++] = (char)s->head[at];
	}
}

static void run_on_capture(struct loop_watch *w, short revents)
{
	struct sandbox_run *run = w->ctx;
	struct run_output *o = w == &run->out[0].watch ? &run->out[0] : &run->out[1];
	bool was_over = run->capture.is_over;
	ssize_t n;

	(void)revents;
	for (int i = 0; i < 16; i++) {
		n = capture_read(&run->capture, o == &run->out[1], o->fd);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n <= 0) {
			run_output_ended(run, o);
			return;
		}
		run_trace(run, o, (size_t)n);
		if (!o->is_large && (size_t)n >= 32768) {
			o->is_large = true; /* a chatty command: fewer, larger reads */
			(void)fd_grow_pipe(o->fd);
		}
	}
	if (run->capture.is_over != was_over)
		run_on_output_data(run);
}

static void run_on_pump_end(struct pump *p)
{
	struct sandbox_run *run = p->ctx;

	run_output_ended(run, p == &run->out[0].pump ? &run->out[0] : &run->out[1]);
}

/* Our stdout takes no more: a reader that is gone ends the run as it would end the command;
 * anything else is told. */
static void run_stdout_failed(struct sandbox_run *run, int errnum)
{
	run->is_stdout_gone = true;
	if (errnum != EPIPE && errnum != ECONNRESET && run->result.error.kind == ERR_NONE)
		(void)err_sys(
		    &run->result.error, ERR_IO, errnum, "write the command's output to stdout");
	run_end(run, REASON_CANCELLED, false);
}

static void run_on_pump_data(struct pump *p, uint64_t bytes)
{
	struct sandbox_run *run = p->ctx;
	bool is_stdout = p == &run->out[0].pump;

	if (!p->is_splice && p->write_errno == 0) /* read, and less of it is to be written */
		(is_stdout ? &run->result.out : &run->result.err)->omitted_bytes += bytes - p->len;
	if (p->write_errno != 0 && is_stdout && !run->is_stdout_gone)
		run_stdout_failed(run, p->write_errno);
	run_on_output_data(run);
}

static int run_start_output(struct sandbox_run *run, int i, struct err *e)
{
	struct run_output *o = &run->out[i];

	if (run->rq.output == OUTPUT_CAPTURE) {
		o->watch = (struct loop_watch){
			.fd = o->fd, .events = POLLIN, .fn = run_on_capture, .ctx = run
		};
		return loop_add(run->loop, &o->watch, e);
	}
	o->pump.ctx = run;
	o->pump.on_end = run_on_pump_end;
	o->pump.on_data = run_on_pump_data;
	o->pump.drains = true;
	o->pump.budget_bytes =
	    run->rq.max_output_bytes == UINT64_MAX ? NULL : &run->stream_budget_bytes;
	return pump_start(
	    &o->pump, run->loop, o->fd, i == 0 ? run->rq.stdout_fd : run->rq.stderr_fd, e);
}

static int run_start_input(struct sandbox_run *run, struct err *e)
{
	int from = run->rq.stdin_mode == STDIN_FILE ? run->input_file_fd : run->rq.stdin_fd;
	int to = run->input.out.fd;

	if (to < 0)
		return 0;
	run->input.ctx = run;
	run->input.closes_out = true;
	return pump_start(&run->input, run->loop, from, to, e);
}

int run_io_start(struct sandbox_run *run, struct err *e)
{
	/* a pty's output began with run_io_use_pty() */
	if (!run->rq.policy->want_tty &&
	    (run_start_output(run, 0, e) != 0 || run_start_output(run, 1, e) != 0))
		return -1;
	return run_start_input(run, e);
}

int run_io_use_pty(struct sandbox_run *run, int master_fd, struct err *e)
{
	run->pty_fd = master_fd;
	run->out[0].fd = fcntl(master_fd, F_DUPFD_CLOEXEC, 3);
	run->input.out.fd = fcntl(master_fd, F_DUPFD_CLOEXEC, 3);
	run->out[1].is_ended = true;
	tty_copy_size(run->rq.stdin_fd, master_fd);
	if (run->out[0].fd < 0 || run->input.out.fd < 0)
		return err_errno(e, ERR_SETUP, "pseudo-terminal");
	return fd_set_nonblock(master_fd, e) != 0 ? -1 : run_start_output(run, 0, e);
}

void run_io_flush(struct sandbox_run *run)
{
	for (int i = 0; i < 2; i++) {
		struct run_output *o = &run->out[i];

		if (o->watch.index != 0)
			run_on_capture(&o->watch, POLLIN);
		else if (pump_is_running(&o->pump))
			pump_flush(&o->pump);
	}
}

bool run_io_is_ended(const struct sandbox_run *run)
{
	return run->out[0].is_ended && run->out[1].is_ended;
}

bool run_io_is_pending(const struct sandbox_run *run)
{
	for (int i = 0; i < 2; i++)
		if (!run->out[i].is_ended &&
		    (run->out[i].pump.pos < run->out[i].pump.len || fd_is_readable(run->out[i].fd)))
			return true;
	return false;
}

void run_io_close(struct sandbox_run *run)
{
	for (int i = 0; i < 2; i++) {
		loop_del(run->loop, &run->out[i].watch);
		pump_stop(&run->out[i].pump);
		fd_close(&run->out[i].fd);
	}
	pump_stop(&run->input);
	fd_close(&run->input.out.fd);
	fd_close(&run->input_file_fd);
	fd_close(&run->pty_fd);
}
