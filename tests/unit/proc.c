/*
 * Processes: fork with and without namespaces, a child that shares memory until exec, waiting,
 * measuring a tree and killing all of one, also when it forks meanwhile.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../lib/sys/clock.h"
#include "../../lib/sys/proc.h"
#include "tap.h"

static void nap(long ms)
{
	struct timespec ts = { ms / 1000, (ms % 1000) * 1000000 };

	(void)nanosleep(&ts, NULL);
}

static void test_fork(void)
{
	struct rusage usage;
	pid_t pid = proc_fork(0);
	int status;

	if (pid == 0)
		_exit(7);
	ok(pid > 0, "a plain fork");
	status = proc_wait(pid, &usage);
	is_int(proc_exit_status(status), 7, "its exit status");
	is_int(proc_wait(pid, NULL), -1, "it can be waited for once");
	pid = proc_fork(0);
	if (pid == 0) {
		(void)kill(getpid(), SIGKILL); /* raise(3) uses a thread id from before the fork */
		_exit(1);
	}
	is_int(proc_exit_status(proc_wait(pid, NULL)), 137, "128 and the signal");
	pid = proc_fork(CLONE_NEWUSER | CLONE_NEWPID);
	if (pid == 0)
		_exit(getpid() == 1 ? 8 : 9);
	if (pid == -EPERM || pid == -ENOSPC || pid == -EINVAL)
		skip("user namespaces are refused here");
	else
		is_int(proc_exit_status(proc_wait(pid, NULL)), 8, "pid 1 of a namespace");
	ok(proc_fork(CLONE_NEWUSER | CLONE_FS) < 0, "flags that contradict themselves are refused");
}

struct shared {
	int from_child;
	char *const *argv;
};

static int write_and_fail(void *arg)
{
	((struct shared *)arg)->from_child = 42;
	return 5;
}

static int write_and_exec(void *arg)
{
	struct shared *s = arg;
	char *const env[] = { NULL };

	s->from_child = 43;
	(void)execve(s->argv[0], s->argv, env);
	return 6;
}

static void test_vfork(void)
{
	char *const argv[] = { (char *)(uintptr_t)"/bin/sh", (char *)(uintptr_t)"-c",
			       (char *)(uintptr_t)"exit 3", NULL };
	struct shared plain = { 0, argv }, *s = &plain;
	pid_t pid;

	if (proc_may_copy()) {
		diag("clone3 is refused here: a child may have a copy of our memory");
		s = proc_share(&plain, sizeof plain);
	}
	pid = proc_vfork(write_and_fail, s);
	ok(pid > 0, "a child that shares memory");
	is_int(s->from_child, 42, "what it wrote is there when it has ended");
	is_int(proc_exit_status(proc_wait(pid, NULL)), 5, "its return value is the exit status");
	pid = proc_vfork(write_and_exec, s);
	is_int(s->from_child, 43, "and when it has called exec");
	is_int(proc_exit_status(proc_wait(pid, NULL)), 3, "the program's exit status");
	for (int i = 0; i < 200; i++) {
		pid = proc_vfork(write_and_fail, s);
		if (pid < 0 || proc_wait(pid, NULL) < 0) {
			ok(0, "round %d", i);
			return;
		}
	}
	ok(1, "two hundred, one after the other");
}

static void test_names(void)
{
	is_str(proc_signal_name(SIGTERM), "SIGTERM", "a name");
	is_str(proc_signal_name(SIGXFSZ), "SIGXFSZ", "another");
	ok(proc_signal_name(0) == NULL && proc_signal_name(99) == NULL &&
	   proc_signal_name(-1) == NULL, "no name");
}

/* ---- trees ---- */

/* Of processor time, which a busy machine gives later. */
static void spin(long ms)
{
	struct timespec used = { 0, 0 };
	volatile unsigned n = 0;

	while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < ms) {
		n = n + 1;
		(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	}
}

static void test_measure(void)
{
	struct proc_tree_usage u;
	int fds[2];
	char c;
	pid_t pid;

	if (pipe(fds) != 0)
		BAIL("pipe");
	pid = fork();
	if (pid == 0) {
		if (fork() == 0) { /* a grandchild: memory and time */
			size_t size = 24UL << 20;
			char *p = malloc(size);

			if (p == NULL)
				_exit(1);
			memset(p, 1, size);
			spin(150);
			(void)!write(fds[1], p, 1);
			(void)pause();
			_exit((int)p[size / 2]);
		}
		if (fork() == 0)
			_exit(0); /* a zombie */
		(void)pause();
		_exit(0);
	}
	(void)!read(fds[0], &c, 1);
	is_int(proc_tree_measure(getpid(), &u), 0, "a tree is measured");
	is_int(u.count, 2, "a child and a grandchild; a zombie does not count");
	/* the kernel's counters lag a little */
	ok(u.rss_bytes >= 20UL << 20, "memory of the whole tree: %lld", (long long)u.rss_bytes);
	ok(u.cpu_us >= 20000, "and its processor time: %lld us", (long long)u.cpu_us);
	is_int(proc_tree_measure(pid, &u), 0, "from the child on");
	is_int(u.count, 1, "the grandchild alone");
	ok(proc_tree_measure(999999999, &u) != 0, "no such process");
	(void)close(fds[0]);
	(void)close(fds[1]);
}

static int count_children(void)
{
	struct proc_tree_usage u;

	return proc_tree_measure(getpid(), &u) == 0 ? (int)u.count : -1;
}

/* Bounded: 2^6 processes, each in a session of its own, some stopped, some without signals. */
static void multiply(void)
{
	sigset_t all;

	for (int depth = 0; depth < 6; depth++) {
		if (fork() == 0)
			(void)setsid();
		nap(5);
	}
	sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, NULL);
	if (getpid() % 5 == 0)
		(void)kill(getpid(), SIGSTOP);
	for (;;)
		(void)pause();
}

static void test_kill(void)
{
	struct rusage usage;
	int status = -1;
	bool is_seen = false;
	pid_t keep;

	proc_set_subreaper();
	keep = fork();
	if (keep == 0) {
		nap(1);
		_exit(9);
	}
	nap(100);
	for (int i = 0; i < 2; i++)
		if (fork() == 0)
			multiply();
	nap(20);
	is_int(proc_kill_children(0, keep, &status, &usage, &is_seen), 0,
	    "a small storm is killed");
	ok(is_seen && proc_exit_status(status) == 9, "the exit of the one to keep is kept");
	is_int(count_children(), 0, "nobody is left");
	ok(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "no zombies either");
	is_seen = true;
	is_int(proc_kill_children(0, 0, &status, &usage, &is_seen), 0, "nothing to kill");
}

/* The tree of a runner that is killed dies with it; and only a dumpable one can be read. */
static void test_attributes(void)
{
	int fds[2], is_subreaper = 0;
	pid_t parent, child = 0;

	is_int(prctl(PR_GET_DUMPABLE), 1, "control: dumpable at first");
	proc_set_dumpable(false);
	is_int(prctl(PR_GET_DUMPABLE), 0, "not dumpable");
	proc_set_dumpable(true);
	is_int(prctl(PR_GET_DUMPABLE), 1, "dumpable again");
	if (pipe(fds) != 0)
		BAIL("pipe");
	parent = fork();
	if (parent == 0) {
		pid_t me = getpid();

		child = fork();
		if (child == 0) {
			proc_die_with_parent(me);
			child = getpid();
			(void)!write(fds[1], &child, sizeof child);
			(void)pause();
			_exit(0);
		}
		(void)pause();
		_exit(0);
	}
	if (read(fds[0], &child, sizeof child) != (ssize_t)sizeof child)
		BAIL("read");
	(void)kill(parent, SIGKILL);
	(void)waitpid(parent, NULL, 0);
	/* the orphan is ours: this process is a subreaper by now */
	if (prctl(PR_GET_CHILD_SUBREAPER, (unsigned long)(uintptr_t)&is_subreaper, 0, 0, 0) != 0)
		skip("orphans do not become ours here");
	else
		is_int(proc_exit_status(proc_wait(child, NULL)), 137,
		    "a child dies with its parent");
	child = fork();
	if (child == 0) {
		proc_die_with_parent(1234567);
		_exit(0);
	}
	ok(proc_exit_status(proc_wait(child, NULL)) != 0, "or at once when that is gone already");
	(void)close(fds[0]);
	(void)close(fds[1]);
}

int main(void)
{
	test_fork();
	test_vfork();
	test_names();
	test_measure();
	test_kill();
	if (proc_has_subreaper()) /* what the portable build goes without */
		test_attributes();
	return done_testing();
}
