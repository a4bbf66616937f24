/*
 * Limits that a control group v2 keeps: each is hit by a command that has its way without the
 * limit, the result names the reason, and what the kernel counted is told.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"
#include "tap.h"

#define LIMIT_MEMORY "16m"
#define LIMIT_MEMORY_BYTES (16.0 * MIB)
#define HOG_MEMORY "48m"
#define HOG_MEMORY_BYTES (48.0 * MIB)

static struct run r;

static void check_ended_for(const struct who *who, const char *what, const char *reason)
{
	if (!is_str(report_str(&r, "reason"), reason, "%s: %s: reason", who->name, what))
		run_show(&r);
}

static void check_oom(const struct who *who, const char *what)
{
	check_ended_for(who, what, "oom");
	ok(report_is_applied(&r, "memory"), "%s: %s: the layer is told", who->name, what);
	ok(report_num(&r, "oom_kills") >= 1, "%s: %s: oom_kills", who->name, what);
	ok(report_num(&r, "peak_memory_bytes") <= LIMIT_MEMORY_BYTES &&
		report_num(&r, "peak_memory_bytes") > LIMIT_MEMORY_BYTES / 2,
	    "%s: %s: peak_memory_bytes is near the limit (%.0f)", who->name, what,
	    report_num(&r, "peak_memory_bytes"));
}

static void check_memory(const struct who *who)
{
	RUN(&r, who, BIN_RUN, "--json", "--", BIN_HOG, "mem", HOG_MEMORY);
	is_int(r.status, 0, "%s: control: memory without a limit", who->name);
	RUN(&r, who, BIN_RUN, "--json", "-m", LIMIT_MEMORY, "--", BIN_HOG, "mem", HOG_MEMORY);
	is_int(r.status, 137, "%s: memory: killed", who->name);
	check_oom(who, "memory");
	RUN(&r, who, BIN_RUN, "--json", "-m", LIMIT_MEMORY, "--", BIN_HOG, "memfd", HOG_MEMORY);
	check_oom(who, "memfd");
	RUN(&r, who, BIN_RUN, "--json", "--", BIN_HOG, "tmpfs", "/tmp", HOG_MEMORY);
	is_int(r.status, 0, "%s: control: /tmp without a limit", who->name);
	RUN(&r, who, BIN_RUN, "--json", "-m", LIMIT_MEMORY, "--", BIN_HOG, "tmpfs", "/tmp",
	    HOG_MEMORY);
	check_oom(who, "/tmp");
	RUN(&r, who, BIN_RUN, "--json", "-m", "96m", "--", BIN_HOG, "mem", HOG_MEMORY);
	is_int(r.status, 0, "%s: memory within the limit", who->name);
	check_ended_for(who, "memory within the limit", "exit");
	ok(report_num(&r, "peak_memory_bytes") >= HOG_MEMORY_BYTES,
	    "%s: peak_memory_bytes of what was used", who->name);
}

static void check_pids(const struct who *who)
{
	RUN(&r, who, BIN_RUN, "--json", "--", BIN_HOG, "procs", "40");
	is_int(r.status, 0, "%s: control: processes without a limit", who->name);
	RUN(&r, who, BIN_RUN, "--json", "--pids", "10", "--", BIN_HOG, "procs", "40");
	is_int(r.status, 10, "%s: processes: refused", who->name);
	check_ended_for(who, "processes", "pids_limit");
	ok(report_is_applied(&r, "pids"), "%s: processes: the layer is told", who->name);
	ok(report_num(&r, "pids_refused") >= 1, "%s: pids_refused", who->name);
	ok(strncmp(report_str(&r, "stdout"), "procs 9\n", 8) == 0,
	    "%s: processes: the limit is exact", who->name);
	is_int(report_num(&r, "peak_pids"), 10, "%s: peak_pids", who->name);
}

static long cpu_ms(void)
{
	char value[32];

	/* "cpu_ms 123" */
	(void)snprintf(value, sizeof value, "%.31s", report_str(&r, "stdout"));
	return strncmp(value, "cpu_ms ", 7) == 0 ? strtol(value + 7, NULL, 10) : -1;
}

static void check_cpu(const struct who *who)
{
	long free_ms, limited_ms;

	RUN(&r, who, BIN_RUN, "--json", "--", BIN_HOG, "cpu", "1");
	free_ms = cpu_ms();
	RUN(&r, who, BIN_RUN, "--json", "--cpus", "0.2", "--", BIN_HOG, "cpu", "1");
	limited_ms = cpu_ms();
	ok(report_is_applied(&r, "cpu"), "%s: processor time: the layer is told", who->name);
	ok(free_ms > 0 && limited_ms > 0 && limited_ms * 2 < free_ms,
	    "%s: --cpus 0.2 takes processor time away (%ld of %ld ms)", who->name, limited_ms,
	    free_ms);
}

void check_limits(const struct who *who)
{
	check_memory(who);
	check_pids(who);
	check_cpu(who);
}

/* --- ends --- */

static void wait_for_tree(void)
{
	char c;
	ssize_t n = read(r.out_fd, &c, 1); /* "tree: up" */

	if (n != 1)
		diag("the tree did not come up");
}

/* The control: the same tree without sbx outlives its first process. */
static void check_tree_outlives(const struct who *who)
{
	RUN_START(&r, who, BIN_GUEST, "tree", "4");
	wait_for_tree();
	(void)kill(r.pid, SIGKILL);
	(void)waitpid(r.pid, NULL, 0);
	(void)sleep(1);
	ok(waitpid(-1, NULL, WNOHANG) == 0, "%s: control: a tree outlives its first process",
	    who->name);
	(void)kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		continue;
	(void)close(r.out_fd);
	(void)close(r.err_fd);
}

/* Signals that come at once are one: again until it has ended. */
static void term_until_ended(pid_t pid)
{
	const struct timespec pause = { 0, 100000000 };
	siginfo_t info = { 0 };

	for (int i = 0; i < 300 && info.si_pid == 0; i++) {
		(void)kill(pid, SIGTERM);
		(void)nanosleep(&pause, NULL);
		(void)waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
	}
}

/* A second SIGTERM kills, whatever the tree ignores. */
static void check_tree_killed(const struct who *who, const char *backend)
{
	RUN_START(&r, who, BIN_RUN, "-b", backend, "--pids", "60", "--", BIN_GUEST, "tree", "8");
	wait_for_tree();
	term_until_ended(r.pid);
	run_finish(&r);
	is_int(r.status, 128 + SIGKILL, "%s, %s: a tree of sessions is killed", who->name, backend);
	ok(!r.has_left, "%s, %s: nothing is left of it", who->name, backend);
}

/* The runner is killed in the middle: its guardian takes the tree down by the group. */
static void check_runner_killed(const struct who *who, const char *backend)
{
	RUN_START(&r, who, BIN_RUN, "-b", backend, "--pids", "60", "--", BIN_GUEST, "tree", "8");
	wait_for_tree();
	(void)kill(r.pid, SIGKILL);
	run_finish(&r);
	ok(!r.has_left, "%s, %s: nothing is left of a tree whose runner was killed", who->name,
	    backend);
}

void check_kill(const struct who *who)
{
	static const char *const backends[] = { "native", "landlock", "namespace" };

	check_tree_outlives(who);
	for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
		check_tree_killed(who, backends[i]);
		check_runner_killed(who, backends[i]);
	}
}
