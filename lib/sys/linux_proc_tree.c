/*
 * Linux: the tree of processes below one, from /proc: measured (RSS, CPU time) or killed.
 * /proc/PID/task/TID/children (CONFIG_PROC_CHILDREN) where it is, else the parent field of every
 * /proc/PID/stat; where no /proc is mounted, waitid(2) is asked for every number whether it is a
 * child. No allocation: it also runs in a guardian that answers for a fork bomb.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "fd.h"
#include "proc.h"

#define PROC_TREE_MAX \
	65536U /* kernel.pid_max is 32768 by default; beyond it the next pass takes the rest */
#define PROC_KILL_SECONDS 10U

struct proc_stat {
	pid_t pid, ppid;
	uint64_t cpu_ticks, child_ticks, rss_pages, start_ticks;
	char state;
};

#define STAT_FIELDS 25 /* 0 and 1 unused, as proc_pid_stat(5) counts from 1 */

/* The numbers from field 4 on; how far it came. */
static size_t proc_read_fields(const char *text, uint64_t fields[STAT_FIELDS])
{
	size_t i = 4;
	char *end;

	for (; i < STAT_FIELDS; i++) {
		fields[i] =
		    *text == '-' ? (uint64_t)strtoll(text, &end, 10) : strtoull(text, &end, 10);
		if (end == text)
			break;
		text = end + (*end == ' ');
	}
	return i;
}

/* proc_pid_stat(5): the name in field 2 may hold anything, so count from the last ')'. */
static int proc_read_stat(const char *pid_name, struct proc_stat *st)
{
	char path[64], text[1024];
	uint64_t fields[STAT_FIELDS] = { 0 };
	const char *p;

	(void)snprintf(path, sizeof path, "/proc/%.20s/stat", pid_name);
	if (fd_read_small(AT_FDCWD, path, text, sizeof text) <= 0)
		return -1;
	p = strrchr(text, ')');
	if (p == NULL || strlen(p) < 5 || proc_read_fields(p + 4, fields) < STAT_FIELDS)
		return -1;
	st->state = p[2];
	st->pid = (pid_t)strtol(pid_name, NULL, 10);
	st->ppid = (pid_t)fields[4];
	st->cpu_ticks = fields[14] + fields[15];
	st->child_ticks = fields[16] + fields[17];
	st->start_ticks = fields[22];
	st->rss_pages = fields[24];
	return 0;
}

static struct proc_stat tree[PROC_TREE_MAX];

/* Every process there is, into tree[]; the count, 0: no /proc. */
static size_t proc_read_all(void)
{
	DIR *d = opendir("/proc");
	struct dirent *de;
	size_t n = 0;

	if (d == NULL)
		return 0;
	while (n < PROC_TREE_MAX && (de = readdir(d)) != NULL)
		if (de->d_name[0] >= '1' && de->d_name[0] <= '9' &&
		    proc_read_stat(de->d_name, &tree[n]) == 0)
			n++;
	(void)closedir(d);
	return n;
}

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

/* Move the descendants of root to the front of tree[0..n); how many. A parent may stand behind its
 * child: repeat. */
static size_t proc_select_descendants(pid_t root, size_t n)
{
	size_t found = 0, before;

	proc_mark_below(root, true);
	do {
		before = found;
		for (size_t i = found; i < n; i++) {
			struct proc_stat t = tree[i];

			if (!proc_is_below(t.ppid))
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
	uint64_t tick_us = 1000000U / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct proc_stat root;
	char name[24];
	size_t n = proc_read_all();

	memset(u, 0, sizeof *u);
	(void)snprintf(name, sizeof name, "%d", (int)root_pid);
	if (n == 0 || proc_read_stat(name, &root) != 0)
		return -1;
	n = proc_select_descendants(root_pid, n);
	u->cpu_us = root.child_ticks * tick_us;
	for (size_t i = 0; i < n; i++) {
		u->rss_bytes += tree[i].rss_pages * page;
		u->cpu_us += (tree[i].cpu_ticks + tree[i].child_ticks) * tick_us;
		if (tree[i].state != 'Z')
			u->count++;
	}
	return 0;
}

/* A grandchild may end, be reaped by its parent and its number be given to a stranger: hold it,
 * look again, then send. */
static void proc_signal_checked(const struct proc_stat *st, int signo)
{
	struct proc_stat now;
	char name[24];
	int fd = (int)syscall(SYS_pidfd_open, st->pid, 0);

	if (fd < 0) {
		if (errno == ENOSYS) /* before 5.3 */
			(void)kill(st->pid, signo);
		return;
	}
	(void)snprintf(name, sizeof name, "%d", (int)st->pid);
	/* an orphan has moved up to us: any parent but a changed start time would be a stranger */
	if (proc_read_stat(name, &now) == 0 && now.start_ticks == st->start_ticks)
		(void)syscall(SYS_pidfd_send_signal, fd, signo, NULL, 0);
	(void)close(fd);
}

/* One signal to every descendant; how many there were that are not zombies. */
static size_t proc_signal_tree(pid_t root, int signo)
{
	size_t n = proc_select_descendants(root, proc_read_all());
	size_t alive = 0;

	for (size_t i = 0; i < n; i++) {
		if (tree[i].state == 'Z')
			continue;
		alive++;
		proc_signal_checked(&tree[i], signo);
	}
	return alive;
}

/* Without /proc: is number p a child of ours? Kill it if so. */
static void proc_kill_by_number(void)
{
	char text[32];
	long max = 32768;

	if (fd_read_small(AT_FDCWD, "/proc/sys/kernel/pid_max", text, sizeof text) > 0)
		max = strtol(text, NULL, 10);
	for (long p = 1; p <= max; p++) {
		siginfo_t si;

		if (waitid(P_PID, (id_t)p, &si, WEXITED | WNOHANG | WNOWAIT) == 0)
			(void)kill((pid_t)p, SIGKILL);
	}
}

static bool proc_reap(pid_t keep, int *keep_status, struct rusage *keep_usage, bool *keep_seen)
{
	struct rusage ru;
	int status;
	pid_t pid;

	for (;;) {
		pid = wait4(-1, &status, WNOHANG | __WALL, &ru);
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

int proc_kill_children(pid_t keep, int *keep_status, struct rusage *keep_usage, bool *keep_seen)
{
	uint64_t end_ms = clock_now_ms() + (uint64_t)PROC_KILL_SECONDS * 1000U;
	struct timespec pause = { 0, 200000 };
	size_t left = 1, before;

	/* stopped processes cannot fork: stop until a pass finds no more than the one before it */
	for (before = 0;
	     (left = proc_signal_tree(getpid(), SIGSTOP)) > before && clock_now_ms() < end_ms;)
		before = left;
	while (clock_now_ms() < end_ms) {
		/* none is seen: all are dead and to be reaped, or there is no /proc to see them in
		 */
		if (proc_signal_tree(getpid(), SIGKILL) == 0 &&
		    access("/proc/self/stat", F_OK) != 0)
			proc_kill_by_number();
		if (proc_reap(keep, keep_status, keep_usage, keep_seen))
			return 0;
		(void)nanosleep(&pause, NULL);
		if (pause.tv_nsec < 10000000)
			pause.tv_nsec *= 2;
	}
	return (int)proc_signal_tree(getpid(), SIGKILL);
}
