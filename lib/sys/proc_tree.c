/*
 * The tree of processes below one: measured (RSS, processor time) or killed. Where the system gives
 * orphans to somebody else (no subreaper), what is still in the session of the command counts too.
 * No allocation: it also runs in a guardian that answers for a fork bomb.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "proc.h"
#include "proc_os.h"

#define PROC_TREE_MAX \
	65536U /* kernel.pid_max is 32768 by default; beyond it the next pass takes the rest */
#define PROC_KILL_SECONDS 10U

static struct proc_entry tree[PROC_TREE_MAX];

#define PROC_PID_LIMIT 4194304U                 /* PID_MAX_LIMIT of 64-bit kernels */
static unsigned char below[PROC_PID_LIMIT / 8]; /* a bit a pid: root or a descendant of it */

static bool proc_is_below(pid_t pid)
{
	return (unsigned)pid < PROC_PID_LIMIT &&
	       (below[(unsigned)pid / 8] >> ((unsigned)pid % 8) & 1) != 0;
}

static void proc_mark_below(pid_t pid, bool is_below)
{
	unsigned char bit = (unsigned char)(1U << ((unsigned)pid % 8));

	if ((unsigned)pid >= PROC_PID_LIMIT)
		return;
	if (is_below)
		below[(unsigned)pid / 8] |= bit;
	else
		below[(unsigned)pid / 8] &= (unsigned char)~bit;
}

/* Move the descendants of root, and all of session (0: none) with theirs, to the front of
 * tree[0..n); how many. A parent may stand behind its child: repeat. */
static size_t proc_select_descendants(pid_t root, pid_t session, size_t n)
{
	size_t found = 0, before;

	proc_mark_below(root, true);
	do {
		before = found;
		for (size_t i = found; i < n; i++) {
			struct proc_entry t = tree[i];

			if (!proc_is_below(t.ppid) && (session == 0 || t.session != session))
				continue;
			proc_mark_below(t.pid, true);
			tree[i] = tree[found];
			tree[found++] = t;
		}
	} while (found != before);
	proc_mark_below(root, false);
	for (size_t i = 0; i < found; i++)
		proc_mark_below(tree[i].pid, false);
	return found;
}

int proc_tree_measure(pid_t root_pid, struct proc_tree_usage *u)
{
	struct proc_entry root;
	size_t n = proc_os_list(tree, PROC_TREE_MAX);

	memset(u, 0, sizeof *u);
	if (n == 0 || proc_os_look(root_pid, &root) != 0)
		return -1;
	n = proc_select_descendants(root_pid, 0, n);
	u->cpu_us = root.child_cpu_us;
	for (size_t i = 0; i < n; i++) {
		u->rss_bytes += tree[i].rss_bytes;
		u->cpu_us += tree[i].cpu_us + tree[i].child_cpu_us;
		u->count += !tree[i].is_zombie;
	}
	return 0;
}

/* One signal to each of them (0: none is sent); how many there were that are not zombies. */
static size_t proc_signal_tree(pid_t root, pid_t session, int signo)
{
	size_t n =
	    proc_select_descendants(root, session, proc_os_list(tree, PROC_TREE_MAX));
	size_t alive = 0;

	for (size_t i = 0; i < n; i++) {
		if (tree[i].is_zombie || tree[i].pid == root)
			continue;
		alive++;
		if (signo != 0)
			proc_os_signal(&tree[i], signo);
	}
	return alive;
}

bool proc_session_is_empty(pid_t session)
{
	return proc_has_subreaper() || session == 0 ||
	       proc_signal_tree(getpid(), session, 0) == 0;
}

static bool proc_reap(pid_t keep, int *keep_status, struct rusage *keep_usage, bool *keep_seen)
{
	struct rusage ru;
	int status;
	pid_t pid;

	for (;;) {
		pid = wait4(-1, &status, WNOHANG | PROC_OS_WAIT_ALL, &ru);
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid <= 0)
			return pid < 0; /* ECHILD: none left */
		if (pid == keep && keep != 0) {
			*keep_status = status;
			*keep_usage = ru;
			*keep_seen = true;
		}
	}
}

int proc_kill_children(pid_t session, pid_t keep, int *keep_status, struct rusage *keep_usage,
    bool *keep_seen)
{
	uint64_t end_ms = clock_now_ms() + (uint64_t)PROC_KILL_SECONDS * 1000U;
	struct timespec pause = { 0, 200000 };
	size_t left = 1, before;

	if (proc_has_subreaper())
		session = 0; /* all of them are our descendants, whatever session they are in */
	/* stopped processes cannot fork: stop until a pass finds no more than the one before it */
	for (before = 0; (left = proc_signal_tree(getpid(), session, SIGSTOP)) > before &&
			 clock_now_ms() < end_ms;)
		before = left;
	while (clock_now_ms() < end_ms) {
		/* none is seen: all are dead and to be reaped, or nobody can tell */
		left = proc_signal_tree(getpid(), session, SIGKILL);
		if (left == 0)
			proc_os_kill_by_number();
		if (proc_reap(keep, keep_status, keep_usage, keep_seen) &&
		    (left == 0 || proc_has_subreaper()))
			return 0;
		(void)nanosleep(&pause, NULL);
		if (pause.tv_nsec < 10000000)
			pause.tv_nsec *= 2;
	}
	return (int)proc_signal_tree(getpid(), session, SIGKILL);
}
