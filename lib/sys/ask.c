/* A helper program run to its end; see ask.h. */
#include "ask.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fd.h"
#include "loop.h"
#include "proc.h"

#define ASK_TICK_MS 10U /* how soon an end is noticed that no pipe tells */

struct ask_stream {
	struct loop_watch watch;
	struct buf *to;
};

struct ask {
	char *const *argv;
	char *const *env;
	int fds[3]; /* the child's ends */
	int *errnum; /* written by the child: exec failed */
	int own_errnum;
	struct loop loop;
	struct ask_stream streams[2];
	struct loop_timer tick, bound;
	enum ask_until until;
	bool is_late, is_interrupted;
	pid_t pid, parent;
};

static int ask_child(void *arg)
{
	struct ask *a = arg;

	proc_die_with_parent(a->parent); /* nobody is left to keep the bound */
	(void)setsid(); /* one group to kill, and no terminal to ask on */
	for (int i = 0; i < 3; i++)
		if (dup2(a->fds[i], i) != i) {
			*a->errnum = errno;
			return 125;
		}
	fd_close_others(NULL, 0); /* what our own caller left open is not its business */
	loop_restore_signals();
	(void)execve(a->argv[0], a->argv, a->env);
	*a->errnum = errno;
	return 125;
}

/* False: the stream has ended. */
static bool ask_read(struct ask_stream *s)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(s->watch.fd, bytes, sizeof bytes)) > 0) {
		size_t room = s->to->cap_bytes - s->to->len;

		(void)buf_put(s->to, bytes, (size_t)n < room ? (size_t)n : room, NULL);
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static void ask_on_data(struct loop_watch *w, short revents)
{
	struct ask *a = w->ctx;
	struct ask_stream *s = w == &a->streams[0].watch ? &a->streams[0] : &a->streams[1];

	(void)revents;
	if (ask_read(s))
		return;
	loop_del(&a->loop, w);
	fd_close(&w->fd);
	if (a->streams[0].watch.fd < 0 && a->streams[1].watch.fd < 0)
		loop_stop(&a->loop);
}

static void ask_on_tick(struct loop_timer *t)
{
	struct ask *a = t->ctx;
	siginfo_t info;

	a->is_interrupted = a->until == ASK_UNTIL_SIGNAL && loop_ending_signal() != 0;
	memset(&info, 0, sizeof info);
	if (a->is_interrupted ||
	    waitid(P_PID, (id_t)a->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	    info.si_pid == a->pid)
		loop_stop(&a->loop);
	else
		(void)loop_arm(&a->loop, t, ASK_TICK_MS, NULL);
}

static void ask_on_bound(struct loop_timer *t)
{
	struct ask *a = t->ctx;

	a->is_late = true;
	loop_stop(&a->loop);
}

static int ask_open(struct ask *a, struct err *e)
{
	a->fds[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (a->fds[0] < 0)
		return err_errno(e, ERR_SETUP, "/dev/null");
	for (int i = 0; i < 2; i++)
		if (fd_pipe(&a->streams[i].watch.fd, &a->fds[i + 1], e) != 0 ||
		    fd_set_nonblock(a->streams[i].watch.fd, e) != 0)
			return -1;
	return 0;
}

static int ask_start(struct ask *a, struct err *e)
{
	a->parent = getpid();
	a->pid = proc_vfork(ask_child, a);
	for (int i = 0; i < 3; i++)
		fd_close(&a->fds[i]);
	if (a->pid < 0)
		return err_sys(e, ERR_SETUP, (int)-a->pid, "start %s", a->argv[0]);
	if (*a->errnum == 0)
		return 0;
	(void)proc_wait(a->pid, NULL);
	return err_sys(e, ERR_SETUP, *a->errnum, "start %s", a->argv[0]);
}

static int ask_wait(struct ask *a, uint64_t timeout_ms, struct err *e)
{
	int rc = 0;

	for (int i = 0; i < 2 && rc == 0; i++) {
		a->streams[i].watch.events = POLLIN;
		a->streams[i].watch.fn = ask_on_data;
		a->streams[i].watch.ctx = a;
		rc = loop_add(&a->loop, &a->streams[i].watch, e);
	}
	a->tick = (struct loop_timer){ .fn = ask_on_tick, .ctx = a };
	a->bound = (struct loop_timer){ .fn = ask_on_bound, .ctx = a };
	if (rc == 0 && loop_arm(&a->loop, &a->tick, ASK_TICK_MS, e) == 0 &&
	    loop_arm(&a->loop, &a->bound, timeout_ms, e) == 0)
		return loop_run(&a->loop, e);
	return -1;
}

/* Both pipes have ended but the program goes on: it has the rest of its time. */
static bool ask_outlives(struct ask *a)
{
	siginfo_t info;

	memset(&info, 0, sizeof info);
	return !a->is_late && !a->is_interrupted &&
	       waitid(P_PID, (id_t)a->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == 0;
}

static int ask_conclude(struct ask *a, int rc, uint64_t timeout_ms, struct err *e)
{
	int status;

	while (rc == 0 && ask_outlives(a))
		rc = loop_run(&a->loop, e);
	if (rc != 0 || a->is_late || a->is_interrupted)
		(void)kill(-a->pid, SIGKILL);
	status = proc_wait(a->pid, NULL);
	for (int i = 0; i < 2; i++)
		if (a->streams[i].watch.fd >= 0)
			(void)ask_read(&a->streams[i]);
	if (rc != 0)
		return -1;
	/* a child with a copy of our memory has closed what would have told it earlier */
	if (*a->errnum != 0)
		return err_sys(e, ERR_SETUP, *a->errnum, "start %s", a->argv[0]);
	if (a->is_interrupted)
		return err_sys(e, ERR_SETUP, EINTR, "told to end before %s answered", a->argv[0]);
	if (!a->is_late)
		return proc_exit_status(status);
	return err_sys(e, ERR_SETUP, ETIMEDOUT, "%s did not answer within %llu ms", a->argv[0],
	    (unsigned long long)timeout_ms);
}

int ask_program(char *const *argv, char *const *env, uint64_t timeout_ms, enum ask_until until,
    struct buf *out, struct buf *said, struct err *e)
{
	struct ask a = { .argv = argv, .env = env, .fds = { -1, -1, -1 }, .until = until };
	bool is_shared = proc_may_copy();
	int rc;

	a.errnum = is_shared ? proc_share(&a.own_errnum, sizeof a.own_errnum) : &a.own_errnum;
	if (a.errnum == NULL)
		return err_set(e, ERR_NOMEM, "out of memory");
	a.streams[0].to = out;
	a.streams[1].to = said;
	a.streams[0].watch.fd = a.streams[1].watch.fd = -1;
	loop_init(&a.loop);
	rc = ask_open(&a, e);
	if (rc == 0)
		rc = ask_start(&a, e);
	if (rc == 0)
		rc = ask_conclude(&a, ask_wait(&a, timeout_ms, e), timeout_ms, e);
	loop_fini(&a.loop);
	for (int i = 0; i < 3; i++)
		fd_close(&a.fds[i]);
	for (int i = 0; i < 2; i++)
		fd_close(&a.streams[i].watch.fd);
	if (is_shared)
		(void)munmap(a.errnum, sizeof *a.errnum);
	return rc;
}
