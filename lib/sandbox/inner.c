/*
 * The runner's side of an inner init; see inner.h. Nothing here waits: frames are sent and taken as
 * the socket allows. What they say is inner_frame.c.
 */
#include "inner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../base/log.h"
#include "../base/mem.h"
#include "../sys/fd.h"
#include "../sys/fd_os.h"
#include "run.h"

void inner_init(struct inner *in)
{
	memset(in, 0, sizeof *in);
	in->fd = in->tool_fd = in->received_fd = -1;
	carry_init(&in->carry);
}

static int pass_stdio(struct guard *g, struct err *e)
{
	struct {
		int *fd;
		int as;
	} const all[] = { { &g->stdin_fd, INNER_FD_STDIN },
			  { &g->stdout_fd, INNER_FD_STDOUT },
			  { &g->stderr_fd, INNER_FD_STDERR } };

	for (size_t i = 0; i < MEM_COUNT(all); i++) {
		int fd = *all[i].fd;

		*all[i].fd = -1;
		if (fd >= 0 && guard_pass_fd(g, fd, all[i].as, e) != 0)
			return -1;
	}
	return 0;
}

static int pass_cgroup(struct guard *g, struct err *e)
{
	const struct cgroup *c = &g->plan->cgroup;

	for (size_t i = 0; i < c->dir_count; i++) {
		int fd = fcntl(c->procs_fd[i], F_DUPFD_CLOEXEC, 3);

		if (fd < 0)
			return err_errno(e, ERR_SETUP, "control group");
		if (guard_pass_fd(g, fd, INNER_FD_CGROUP + (int)i, e) != 0)
			return -1;
	}
	return 0;
}

/* The command's ends of the pipes stay here; the tool's own stdin and stdout are our socket. */
static int carry_stdio(struct inner *in, struct guard *g, int theirs, struct err *e)
{
	int *const all[CARRY_STREAMS] = { &g->stdin_fd, &g->stdout_fd, &g->stderr_fd };

	for (int i = 0; i < CARRY_STREAMS; i++) {
		int fd = *all[i];

		*all[i] = -1;
		if (fd >= 0 && carry_add(&in->carry, i, fd, i == STDIN_FILENO, e) != 0) {
			fd_close(&theirs);
			return -1;
		}
	}
	g->stdin_fd = theirs;
	g->stdout_fd = fcntl(theirs, F_DUPFD_CLOEXEC, 3);
	return g->stdout_fd >= 0 ? 0 : err_errno(e, ERR_SETUP, "the engine's stdout");
}

static int pass_all(struct guard *g, int theirs, struct err *e)
{
	/* stdin and stdout of the tool are /dev/null */
	if (guard_pass_fd(g, theirs, INNER_FD_CONTROL, e) != 0 || pass_stdio(g, e) != 0)
		return -1;
	return pass_cgroup(g, e);
}

int inner_open(struct inner *in, struct guard *g, struct err *e)
{
	int theirs = -1;

	buf_init(&in->out, 2 * LIMIT_FRAME);
	frame_reader_init(&in->reader, LIMIT_FRAME);
	if (inner_put_start(g->plan, g, &in->out, e) != 0 ||
	    fd_socketpair(SOCK_STREAM, &in->fd, &theirs, e) != 0)
		return -1;
	if ((g->plan->backend->is_container ? carry_stdio(in, g, theirs, e) :
					      pass_all(g, theirs, e)) != 0 ||
	    fd_set_nonblock(in->fd, e) != 0)
		return -1;
	return fd_pipe(&in->tool_fd, &g->stderr_fd, e) != 0 ? -1 : fd_set_nonblock(in->tool_fd, e);
}

static void inner_lost(struct sandbox_run *run)
{
	loop_del(run->loop, &run->inner.watch);
	fd_close(&run->inner.fd);
	run_on_inner_lost(run);
}

static void inner_write(struct sandbox_run *run)
{
	struct inner *in = &run->inner;

	while (in->out.len > 0) {
		ssize_t n = send(in->fd, in->out.data, in->out.len,
				 FD_OS_MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break; /* full, or gone: then reading tells */
		buf_consume(&in->out, (size_t)n);
	}
	in->watch.events = in->out.len > 0 ? POLLIN | POLLOUT : POLLIN;
}

void inner_send(struct sandbox_run *run, enum guard_op op, int signo)
{
	struct inner *in = &run->inner;
	struct err e = ERR_INIT;

	if (in->fd < 0)
		return;
	if (inner_put_command(op, signo, &in->out, &e) != 0)
		log_write(LOG_ERROR, "%s", e.msg);
	inner_write(run);
}

static void inner_take(struct sandbox_run *run)
{
	struct inner *in = &run->inner;
	struct json_doc *doc;
	struct err e = ERR_INIT;
	int rc;

	while ((rc = frame_reader_next(&in->reader, &doc, &e)) != 0) {
		struct guard_message m;
		bool is_carried = false;

		if (rc > 0 && run->plan.backend->is_container) {
			rc = carry_take(&in->carry, json_root(doc), &e);
			is_carried = rc != 0;
			if (rc < 0) { /* nothing that it says is to be believed any more */
				log_write(LOG_LIFECYCLE, "%s", e.msg);
				json_free(doc);
				inner_lost(run);
				return;
			}
		}
		if (doc != NULL && !is_carried)
			rc = inner_read_message(json_root(doc), &m, &e);
		json_free(doc);
		if (is_carried)
			continue;
		if (rc < 0) {
			log_write(LOG_LIFECYCLE, "%s", e.msg);
			err_clear(&e);
		} else if (rc > 0) {
			int fd = in->received_fd;

			in->received_fd = -1;
			run_on_inner(run, &m, fd);
		}
	}
}

void inner_flush(struct sandbox_run *run)
{
	struct inner *in = &run->inner;
	char bytes[65536];
	struct err e = ERR_INIT;

	while (in->fd >= 0) {
		int fd;
		ssize_t n = fd_recv_msg(in->fd, bytes, sizeof bytes, &fd);

		if (n == -EAGAIN)
			return;
		if (fd >= 0) {
			fd_close(&in->received_fd);
			in->received_fd = fd;
		}
		if (n <= 0 || frame_reader_feed(&in->reader, bytes, (size_t)n, &e) != 0) {
			inner_lost(run);
			return;
		}
		inner_take(run);
	}
}

void inner_hang_up(struct sandbox_run *run)
{
	if (run->inner.fd >= 0)
		(void)shutdown(run->inner.fd, SHUT_WR);
}

static void on_carry(struct carry *c)
{
	inner_write(c->ctx);
}

static void on_socket(struct loop_watch *w, short revents)
{
	if ((revents & POLLOUT) != 0)
		inner_write(w->ctx);
	if ((revents & ~POLLOUT) != 0)
		inner_flush(w->ctx);
}

/* The beginning is kept for an error message; the rest is read so that the tool never blocks. */
static void inner_read_tool(struct inner *in, struct loop *loop)
{
	char bytes[512];
	ssize_t n;

	while ((n = read(in->tool_fd, bytes, sizeof bytes)) > 0) {
		size_t room = sizeof in->tool_text - 1 - in->tool_len;
		size_t len = (size_t)n < room ? (size_t)n : room;

		memcpy(in->tool_text + in->tool_len, bytes, len);
		in->tool_len += len;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	loop_del(loop, &in->tool_watch);
	fd_close(&in->tool_fd);
}

static void on_tool(struct loop_watch *w, short revents)
{
	struct sandbox_run *run = w->ctx;

	(void)revents;
	inner_read_tool(&run->inner, run->loop);
}

int inner_start(struct sandbox_run *run, struct err *e)
{
	struct inner *in = &run->inner;

	in->watch =
		(struct loop_watch){ .fd = in->fd, .events = POLLIN, .fn = on_socket, .ctx = run };
	in->tool_watch = (struct loop_watch){
		.fd = in->tool_fd, .events = POLLIN, .fn = on_tool, .ctx = run
	};
	inner_write(run);
	in->carry.loop = run->loop;
	in->carry.out = &in->out;
	in->carry.on_out = on_carry;
	in->carry.ctx = run;
	if (loop_add(run->loop, &in->watch, e) != 0 || loop_add(run->loop, &in->tool_watch, e) != 0)
		return -1;
	return carry_start(&in->carry, e);
}

/* The line that says what is wrong: engines put warnings before it. */
static const char *tool_line(const char *text)
{
	static const char *const warnings[] = { "WARN", "time=", "Resource limits",
						"Unable to find" };

	for (const char *line = text; *line != '\0'; line += strspn(line, "\n")) {
		bool is_warning = false;

		for (size_t i = 0; i < MEM_COUNT(warnings); i++)
			is_warning = is_warning || str_starts_with(line, warnings[i]);
		if (!is_warning)
			return line;
		line += strcspn(line, "\n");
	}
	return text;
}

void inner_why(struct sandbox_run *run, struct err *e)
{
	struct inner *in = &run->inner;
	const char *name = run->plan.backend->name;
	char line[300];
	const char *text;
	size_t n;

	if (in->has_failed) {
		*e = in->failed;
		return;
	}
	if (in->tool_fd >= 0)
		inner_read_tool(in, run->loop);
	text = tool_line(in->tool_text);
	n = strcspn(text, "\n");
	line[str_printable(line, sizeof line - 1, text, n)] = '\0';
	if (n > 0 && run->plan.backend->explain != NULL)
		run->plan.backend->explain(line, e);
	else if (n > 0)
		(void)err_set(e, ERR_SETUP, "%s", line);
	else
		(void)err_set(e, ERR_SETUP,
			      "%s ended without starting anything, and without a word", name);
}

void inner_close(struct sandbox_run *run)
{
	struct inner *in = &run->inner;

	loop_del(run->loop, &in->watch);
	loop_del(run->loop, &in->tool_watch);
	fd_close(&in->fd);
	fd_close(&in->tool_fd);
	fd_close(&in->received_fd);
	carry_stop(&in->carry);
	frame_reader_fini(&in->reader);
	buf_fini(&in->out);
	inner_init(in);
}
