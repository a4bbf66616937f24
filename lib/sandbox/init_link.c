/* The inner init's side of an engine's stdio; see init_link.h. */
#include "init_link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../sys/fd.h"
#include "../sys/linux_cgroup.h"
#include "carry.h"
#include "init.h"

#define LINK_FLUSH_MS 5000U /* the last report may wait so long for an engine that takes nothing */

static struct link_state {
	int fd;
	struct buf out;
	struct loop_watch watch;
	struct carry carry;
	bool has_own_group;
} state;

static void link_write(void)
{
	while (state.out.len > 0) {
		ssize_t n = write(state.fd, state.out.data, state.out.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			buf_reset(&state.out); /* nobody is there: the end of stdin tells, too */
		if (n <= 0)
			break;
		buf_consume(&state.out, (size_t)n);
	}
	state.watch.events = state.out.len > 0 ? POLLOUT : 0;
}

static void on_writable(struct loop_watch *w, short revents)
{
	(void)w;
	(void)revents;
	link_write();
}

static void on_carry(struct carry *c)
{
	(void)c;
	link_write();
}

/* ---- the end: nothing else goes on any more, so this may wait ---- */

struct last_wait {
	struct loop loop;
	struct loop_watch out, in;
	struct loop_timer bound;
};

static void last_on_out(struct loop_watch *w, short revents)
{
	struct last_wait *l = w->ctx;

	(void)revents;
	link_write();
	if (state.out.len == 0)
		loop_stop(&l->loop);
}

/* Orders are of no use any more; the end is: nobody will take what is left. */
static void last_on_in(struct loop_watch *w, short revents)
{
	struct last_wait *l = w->ctx;
	char bytes[4096];
	ssize_t n = read(w->fd, bytes, sizeof bytes);

	(void)revents;
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		loop_stop(&l->loop);
}

static void last_on_bound(struct loop_timer *t)
{
	struct last_wait *l = t->ctx;

	loop_stop(&l->loop);
}

static void link_flush(int control_fd)
{
	struct last_wait l = {
		.out = { .fd = state.fd, .events = POLLOUT, .fn = last_on_out, .ctx = &l },
		.in = { .fd = control_fd, .events = POLLIN, .fn = last_on_in, .ctx = &l },
		.bound = { .fn = last_on_bound, .ctx = &l },
	};

	link_write();
	if (state.out.len == 0)
		return;
	loop_init(&l.loop);
	if (loop_add(&l.loop, &l.out, NULL) == 0 && loop_add(&l.loop, &l.in, NULL) == 0 &&
	    loop_arm(&l.loop, &l.bound, LINK_FLUSH_MS, NULL) == 0)
		(void)loop_run(&l.loop, NULL);
	loop_fini(&l.loop);
}

void init_link_count_group(bool is_own)
{
	state.has_own_group = is_own;
}

static void link_note_usage(struct guard *g)
{
	struct cgroup own;

	if (!state.has_own_group)
		return;
	cgroup_open_self(&own);
	g->report.has_group = cgroup_read_usage(&own, &g->report.group) == 0;
	cgroup_close(&own);
}

/*
 * Where memory is full the kernel looks for the largest process, which need not be the one that
 * filled it (a tmpfs belongs to nobody): let it find the command's before us, who tell of it.
 */
static void link_offer_victim(pid_t command)
{
	char path[48];

	(void)snprintf(path, sizeof path, "/proc/%ld/oom_score_adj", (long)command);
	(void)fd_write_small(AT_FDCWD, path, "1000");
}

static void link_tell(struct guard *g, int pass_fd)
{
	bool is_last = g->report.event == GUARD_DONE || g->report.event == GUARD_FAILED;

	(void)pass_fd;
	if (g->report.event == GUARD_STARTED)
		link_offer_victim(g->command_pid);
	if (g->report.event == GUARD_DONE) {
		link_note_usage(g);
		carry_drain(&state.carry);
	}
	(void)init_put_message(&g->report, &state.out, NULL);
	if (is_last)
		link_flush(g->control_fd);
	else
		link_write();
}

/* ---- the beginning ---- */

int init_link_open(struct guard *g, struct err *e)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	g->control_fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	g->report_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (null_fd < 0 || g->control_fd < 0 || g->report_fd < 0 ||
	    dup2(null_fd, STDIN_FILENO) < 0 || dup2(null_fd, STDOUT_FILENO) < 0 ||
	    dup2(null_fd, STDERR_FILENO) < 0)
		return err_errno(e, ERR_SETUP, "take the engine's descriptors");
	fd_close(&null_fd);
	carry_init(&state.carry);
	buf_init(&state.out, 2 * LIMIT_FRAME);
	state.fd = g->report_fd;
	g->tell = link_tell;
	return fd_set_nonblock(g->report_fd, e);
}

static int link_pipe(struct guard *g, int stream, struct err *e)
{
	int *const theirs[CARRY_STREAMS] = { &g->stdin_fd, &g->stdout_fd, &g->stderr_fd };
	bool is_input = stream == STDIN_FILENO;
	int ends[2];

	if (fd_pipe(&ends[0], &ends[1], e) != 0)
		return -1;
	*theirs[stream] = ends[is_input ? 0 : 1];
	return carry_add(&state.carry, stream, ends[is_input ? 1 : 0], !is_input, e);
}

int init_link_carry(struct guard *g, bool has_stdin, struct err *e)
{
	state.watch = (struct loop_watch){ .fd = state.fd, .fn = on_writable };
	state.carry.loop = g->loop;
	state.carry.out = &state.out;
	state.carry.on_out = on_carry;
	if (loop_add(g->loop, &state.watch, e) != 0)
		return -1;
	for (int i = has_stdin ? 0 : 1; i < CARRY_STREAMS; i++)
		if (link_pipe(g, i, e) != 0)
			return -1;
	return carry_start(&state.carry, e);
}

int init_link_take(const struct json_node *frame, struct err *e)
{
	return carry_take(&state.carry, frame, e);
}
