/*
 * The event loop: watches that come and go inside handlers, timers in order, signals that are
 * handled, ignored before, or restored for a child.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lib/sys/clock.h"
#include "../../lib/sys/fd.h"
#include "../../lib/sys/loop.h"
#include "tap.h"

static struct loop loop;
static struct err e = ERR_INIT;

static void step(void)
{
	if (loop_step(&loop, &e) != 0)
		BAIL("%s", e.msg);
}

/* ---- watches ---- */

#define WATCHES 40

static struct loop_watch watches[WATCHES];
static int peers[WATCHES];
static int calls[WATCHES];
static int victim = -1;

static void on_event(struct loop_watch *w, short revents)
{
	size_t i = (size_t)(w - watches);
	char c;

	(void)revents;
	calls[i]++;
	if (read(w->fd, &c, 1) < 0)
		loop_del(&loop, w);
	if (victim >= 0)
		loop_del(&loop, &watches[victim]);
}

static void open_watches(void)
{
	for (int i = 0; i < WATCHES; i++) {
		int fd = -1;

		peers[i] = -1;
		if (fd_pipe(&fd, &peers[i], &e) != 0)
			BAIL("%s", e.msg);
		watches[i] = (struct loop_watch){ .fd = fd, .events = POLLIN, .fn = on_event };
		if (loop_add(&loop, &watches[i], &e) != 0)
			BAIL("%s", e.msg);
		calls[i] = 0;
	}
}

static void close_watches(void)
{
	for (int i = 0; i < WATCHES; i++) {
		loop_del(&loop, &watches[i]);
		loop_del(&loop, &watches[i]);
		fd_close(&watches[i].fd);
		fd_close(&peers[i]);
	}
	victim = -1;
}

static void touch(int i)
{
	if (write(peers[i], "x", 1) != 1)
		BAIL("write");
}

static void test_watches(void)
{
	int sum = 0;

	open_watches();
	for (int i = 0; i < WATCHES; i++)
		touch(i);
	step();
	for (int i = 0; i < WATCHES; i++)
		sum += calls[i] == 1;
	is_int(sum, WATCHES, "each of forty is called once");
	watches[3].events = 0;
	touch(3);
	touch(4);
	step();
	is_int(calls[3], 1, "a paused one is not called");
	is_int(calls[4], 2, "the next one is");
	fd_close(&peers[3]);
	touch(5);
	step();
	is_int(calls[3], 1, "not even for its end");
	watches[3].events = POLLIN;
	step();
	is_int(calls[3], 2, "when it goes on it is");
	close_watches();

	open_watches();
	victim = 9;
	touch(8);
	touch(9);
	step();
	is_int(calls[8] + calls[9], 1, "one that was removed in the same round is not called");
	touch(10);
	step();
	is_int(calls[10], 1, "the others stay");
	close_watches();
}

/* A handler that adds so many watches that the arrays move. */
static struct loop_watch extra[100];

static void on_grow(struct loop_watch *w, short revents)
{
	(void)revents;
	for (size_t i = 0; i < 100; i++) {
		extra[i] = (struct loop_watch){ .fd = w->fd, .events = 0, .fn = on_event };
		if (loop_add(&loop, &extra[i], &e) != 0)
			BAIL("%s", e.msg);
	}
	loop_del(&loop, w);
}

static void test_growing(void)
{
	open_watches();
	watches[0].fn = on_grow;
	touch(0);
	touch(39);
	step();
	is_int(calls[39], 1, "a round goes on while the arrays grow");
	for (size_t i = 0; i < 100; i++)
		loop_del(&loop, &extra[i]);
	close_watches();
	loop_fini(&loop);
	loop_init(&loop);
}

/* ---- timers ---- */

static struct loop_timer timers[5];
static char order[32];

static void on_timer(struct loop_timer *t)
{
	size_t len = strlen(order);

	order[len] = (char)('0' + (t - timers));
	order[len + 1] = '\0';
	if (t == &timers[4] && len < 8 && loop_arm(&loop, t, 0, &e) != 0)
		BAIL("%s", e.msg);
}

static void arm(size_t i, uint64_t ms)
{
	timers[i].fn = on_timer;
	if (loop_arm(&loop, &timers[i], ms, &e) != 0)
		BAIL("%s", e.msg);
}

static void test_timers(void)
{
	uint64_t start_ms = clock_now_ms();

	order[0] = '\0';
	arm(0, 120);
	arm(1, 40);
	arm(2, 80);
	arm(3, 60);
	loop_disarm(&loop, &timers[3]);
	loop_disarm(&loop, &timers[3]);
	while (strlen(order) < 3)
		step();
	is_str(order, "120", "in the order of their time");
	ok(clock_now_ms() - start_ms >= 120, "not before it");
	order[0] = '\0';
	arm(0, 30);
	arm(1, 10);
	arm(2, 20);
	while (clock_now_ms() - start_ms < 200)
		continue; /* so busy that all of them are late */
	while (strlen(order) < 3)
		step();
	is_str(order, "120", "also when all of them are late");
	order[0] = '\0';
	arm(0, 5000);
	arm(1, 5000);
	arm(0, 10);
	start_ms = clock_now_ms();
	while (order[0] == '\0')
		step();
	ok(clock_now_ms() - start_ms < 4000, "arming again moves it forward");
	arm(1, UINT64_MAX);
	order[0] = '\0';
	arm(2, 5);
	while (order[0] == '\0')
		step();
	is_str(order, "2", "a time without end does not wrap");
	loop_disarm(&loop, &timers[1]);
	order[0] = '\0';
	arm(4, 0);
	for (int i = 0; i < 20 && strlen(order) < 9; i++)
		step();
	is_str(order, "444444444", "one that arms itself again");
	loop_disarm(&loop, &timers[4]);
}

/* ---- signals ---- */

static int seen[LOOP_SIGNALS];

static void on_signal(struct loop *l, int signo, void *ctx)
{
	(void)ctx;
	seen[signo]++;
	if (signo == SIGUSR2)
		loop_stop(l);
}

static int in_child(int (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(fn());
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int is_handler(int signo, void (*want)(int))
{
	struct sigaction sa;

	return sigaction(signo, NULL, &sa) == 0 && sa.sa_handler == want;
}

static int handle_signals(void)
{
	struct loop l;

	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGCHLD, SIG_IGN);
	loop_init(&l);
	if (loop_on_signal(&l, SIGUSR1, on_signal, NULL, &e) != 0 ||
	    loop_on_signal(&l, SIGUSR2, on_signal, NULL, &e) != 0 ||
	    loop_on_signal(&l, SIGHUP, on_signal, NULL, &e) != 0 ||
	    loop_on_signal(&l, SIGCHLD, on_signal, NULL, &e) != 0)
		return 1;
	(void)raise(SIGHUP);
	(void)raise(SIGUSR1);
	if (seen[SIGUSR1] != 0)
		return 2; /* only inside the loop */
	(void)raise(SIGUSR2);
	if (loop_run(&l, &e) != 0)
		return 3;
	if (seen[SIGUSR1] != 1 || seen[SIGUSR2] != 1 || seen[SIGHUP] != 0)
		return 4;
	if (!is_handler(SIGHUP, SIG_IGN) || is_handler(SIGCHLD, SIG_IGN))
		return 5;
	loop_fini(&l);
	return 0;
}

static int restore_signals(void)
{
	struct loop l;
	sigset_t mask;

	(void)signal(SIGUSR2, SIG_IGN);
	(void)signal(SIGCHLD, SIG_IGN);
	sigemptyset(&mask);
	sigaddset(&mask, SIGALRM);
	(void)sigprocmask(SIG_SETMASK, &mask, NULL);
	loop_init(&l);
	loop_ignore_signal(SIGPIPE);
	if (loop_on_signal(&l, SIGTERM, on_signal, NULL, &e) != 0 ||
	    loop_on_signal(&l, SIGCHLD, on_signal, NULL, &e) != 0 || !is_handler(SIGPIPE, SIG_IGN))
		return 1;
	loop_restore_signals();
	if (!is_handler(SIGPIPE, SIG_DFL) || !is_handler(SIGTERM, SIG_DFL))
		return 2;
	if (!is_handler(SIGUSR2, SIG_IGN) || !is_handler(SIGCHLD, SIG_IGN))
		return 3;
	(void)sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int s = 1; s < 32; s++)
		if (sigismember(&mask, s) != (s == SIGALRM))
			return 4;
	return 0;
}

/* A guardian: what the parent handles means nothing to it, also while it waits. */
static int forget_signals(void)
{
	struct loop l;
	sigset_t all;
	struct loop_timer t = { .fn = on_timer };

	loop_init(&l);
	if (loop_on_signal(&l, SIGUSR1, on_signal, NULL, &e) != 0)
		return 1;
	(void)raise(SIGUSR1);
	sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	loop_forget_signals();
	loop_fini(&l);
	loop_init(&l);
	(void)raise(SIGTERM);
	t.fn = NULL;
	if (loop_on_signal(&l, SIGUSR2, on_signal, NULL, &e) != 0)
		return 2;
	(void)raise(SIGUSR2);
	if (loop_run(&l, &e) != 0)
		return 3;
	(void)t;
	return seen[SIGUSR1] == 0 && seen[SIGUSR2] == 1 ? 0 : 4;
}

static int seen_before_data;

static void on_data(struct loop_watch *w, short revents)
{
	(void)w, (void)revents; /* never read: always ready */
	seen_before_data = seen[SIGUSR1];
}

/* A flood of data keeps no signal out, and a new window size comes before the next line typed. */
static int signals_come_first(void)
{
	struct loop l;
	struct loop_watch w = { .events = POLLIN, .fn = on_data };
	int peer;

	loop_init(&l);
	if (fd_pipe(&w.fd, &peer, &e) != 0 || loop_add(&l, &w, &e) != 0 ||
	    loop_on_signal(&l, SIGUSR1, on_signal, NULL, &e) != 0 || write(peer, "x", 1) != 1)
		return 1;
	(void)raise(SIGUSR1);
	if (loop_step(&l, &e) != 0)
		return 2;
	return seen_before_data == 1 ? 0 : 3;
}

static void test_signals(void)
{
	is_int(in_child(signals_come_first), 0, "a signal comes before data that is there");
	is_int(in_child(handle_signals), 0, "signals come inside the loop, ignored ones stay so");
	is_int(in_child(restore_signals), 0,
	    "a child gets dispositions and mask of the start back");
	is_int(in_child(forget_signals), 0, "a guardian forgets what its parent handles");
}

int main(void)
{
	test_signals(); /* first: the state at the start is remembered once */
	loop_init(&loop);
	test_watches();
	test_growing();
	test_timers();
	loop_fini(&loop);
	return done_testing();
}
