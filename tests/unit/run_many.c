/*
 * Fifty runs in one process on one loop: each gets its own output and status, none hears of
 * another's; runs that are cancelled, freed while they run, never started or timed out are among
 * them. Descriptors, children and timers of the process are what they were before.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lib/base/mem.h"
#include "../../lib/sandbox/sandbox.h"
#include "../../lib/sys/clock.h"
#include "tap.h"

#define RUNS 50

struct one {
	struct policy policy;
	struct sandbox_request rq;
	struct sandbox_run *run;
	char script[200];
	char *argv[4];
	int done;
};

static struct loop loop;
static struct err e;
static struct one ones[RUNS];
static int done_count;
static char top[PATH_MAX];
static char *env[] = { (char *)(uintptr_t) "PATH=/usr/bin:/bin",
		       (char *)(uintptr_t) "HOME=/home/nobody", NULL };

static void on_done(struct sandbox_run *run, void *ctx)
{
	struct one *o = ctx;

	(void)run;
	o->done++;
	done_count++;
}

static void prepare(struct one *o, const char *backend, const char *script)
{
	memset(o, 0, sizeof *o);
	policy_init(&o->policy);
	o->policy.backend = mem_strdup(backend, &e);
	snprintf(o->script, sizeof o->script, "%s", script);
	o->argv[0] = (char *)(uintptr_t) "/bin/sh";
	o->argv[1] = (char *)(uintptr_t) "-c";
	o->argv[2] = o->script;
	o->rq = (struct sandbox_request){ .policy = &o->policy, .argv = o->argv, .env = env,
		.output = OUTPUT_CAPTURE, .max_output_bytes = 1 << 20, .stdin_mode = STDIN_NULL,
		.stdin_fd = -1, .stdout_fd = -1, .stderr_fd = -1 };
}

static void start(struct one *o)
{
	o->run = sandbox_start(&loop, &o->rq, on_done, o, &e);
	if (o->run == NULL)
		BAIL("%s", e.msg);
}

static void finish(struct one *o)
{
	sandbox_run_free(o->run);
	policy_fini(&o->policy);
	o->run = NULL;
}

/* Rounds until so many are done; 0 after a minute. */
static int run_until(int count)
{
	uint64_t end_ms = clock_now_ms() + 60000;

	while (done_count < count && clock_now_ms() < end_ms)
		if (loop_step(&loop, &e) != 0)
			BAIL("%s", e.msg);
	return done_count >= count;
}

static int count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = -3; /* ., .. and the folder itself */

	while (d != NULL && readdir(d) != NULL)
		n++;
	if (d != NULL)
		closedir(d);
	return n;
}

static int is_childless(void)
{
	return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
}

static int is_output(const struct captured *c, const char *want)
{
	return c->head.len == strlen(want) && memcmp(c->head.data, want, c->head.len) == 0;
}

/* Does this backend work here? */
static int is_usable(const char *backend)
{
	struct one o;
	int is_good;

	done_count = 0;
	prepare(&o, backend, "exit 3");
	start(&o);
	is_good = run_until(1) && sandbox_run_result(o.run)->exit_code == 3;
	finish(&o);
	return is_good;
}

static void test_fifty(const char *backend)
{
	int bad = 0;

	done_count = 0;
	for (int i = 0; i < RUNS; i++) {
		char script[200];

		snprintf(script, sizeof script,
		    "i=0; while [ $i -lt %d ]; do echo out%d; echo err%d >&2; "
		    "i=$((i+1)); done; exit %d",
		    i % 7 + 1, i, i, i);
		prepare(&ones[i], backend, script);
		start(&ones[i]);
	}
	ok(run_until(RUNS), "%s: fifty at once are all done", backend);
	for (int i = 0; i < RUNS; i++) {
		const struct sandbox_result *r = sandbox_run_result(ones[i].run);
		char out[200] = "", err[200] = "", line[20];

		for (int k = 0; k < i % 7 + 1; k++) {
			size_t len = strlen(out);

			snprintf(line, sizeof line, "out%d\n", i);
			snprintf(out + len, sizeof out - len, "%s", line);
			snprintf(err + len, sizeof err - len, "err%d\n", i);
		}
		if (ones[i].done == 1 && r->exit_code == i && r->reason == REASON_EXIT &&
		    is_output(&r->out, out) && is_output(&r->err, err))
			continue;
		if (bad++ == 0)
			diag("run %d: done %d, status %d, %s, %s, out %.*s", i, ones[i].done,
			    r->exit_code, reason_name(r->reason), r->error.msg,
			    (int)r->out.head.len,
			    (const char *)r->out.head.data);
	}
	is_int(bad, 0, "%s: each has its own status and output, once", backend);
	for (int i = 0; i < RUNS; i++)
		finish(&ones[i]);
}

/* What sandbox_start() cannot start is told from the loop, like everything else. */
static void test_mixed(const char *backend)
{
	const struct sandbox_result *r;

	done_count = 0;
	prepare(&ones[0], backend, "exit 5");
	prepare(&ones[1], backend, "while :; do sleep 0.05; done");
	prepare(&ones[2], backend, "trap '' TERM; while :; do sleep 0.05; done");
	prepare(&ones[3], backend, "while :; do sleep 0.05; done");
	prepare(&ones[4], "nonsense", "exit 5");
	prepare(&ones[5], backend, "exit 5");
	prepare(&ones[6], backend, "sleep 90 & echo hi");
	prepare(&ones[7], backend, "while :; do sleep 0.05; done");
	ones[1].policy.timeout_ms = 300;
	ones[5].argv[0] = (char *)(uintptr_t) "/no/such/command";
	for (int i = 0; i < 8; i++)
		start(&ones[i]);
	is_int(done_count, 0, "%s: nothing is told before the loop runs", backend);
	ok(run_until(4), "%s: those that end by themselves", backend);
	ok(ones[2].done == 0 && ones[3].done == 0 && ones[7].done == 0,
	    "%s: the others go on", backend);
	sandbox_run_cancel(ones[2].run, true);
	sandbox_run_cancel(ones[3].run, false);
	sandbox_run_cancel(ones[3].run, false);
	sandbox_run_signal(ones[7].run, SIGINT);
	ok(run_until(8), "%s: cancelled ones end", backend);
	r = sandbox_run_result(ones[0].run);
	is_int(r->exit_code, 5, "%s: a quiet one", backend);
	r = sandbox_run_result(ones[1].run);
	ok(r->timed_out && r->reason == REASON_WALL_TIMEOUT, "%s: one that timed out", backend);
	r = sandbox_run_result(ones[2].run);
	ok(r->reason == REASON_CANCELLED && r->signal == SIGKILL, "%s: cancelled at once: %s %d",
	    backend, reason_name(r->reason), r->signal);
	r = sandbox_run_result(ones[3].run);
	ok(r->reason == REASON_CANCELLED && r->signal == SIGTERM, "%s: cancelled: %s %d", backend,
	    reason_name(r->reason), r->signal);
	r = sandbox_run_result(ones[4].run);
	ok(r->error.kind == ERR_USAGE && r->reason == REASON_LAUNCH_ERROR && r->exit_code == 1,
	    "%s: an unknown backend", backend);
	r = sandbox_run_result(ones[5].run);
	ok(r->error.kind == ERR_NOT_FOUND, "%s: no such command: %s", backend, r->error.msg);
	r = sandbox_run_result(ones[6].run);
	ok(is_output(&r->out, "hi\n") && r->duration_ms < 20000,
	    "%s: a background holder", backend);
	r = sandbox_run_result(ones[7].run);
	ok(r->signal == SIGINT, "%s: a signal reaches the one it was for: %s %d", backend,
	    reason_name(r->reason), r->signal);
	sandbox_run_cancel(ones[7].run, true);
	sandbox_run_signal(ones[7].run, SIGTERM);
	for (int i = 0; i < 8; i++) {
		is_int(ones[i].done, 1, "%s: run %d is told once", backend, i);
		finish(&ones[i]);
	}
}

static void on_tick(struct loop_timer *t)
{
	(void)t;
}

/* Freed in every state: before the loop runs, while starting, running, ending and draining. */
static void test_freed(const char *backend)
{
	static const int rounds[] = { 0, 1, 2, 3, 5, 8, 12, 20 };

	for (size_t i = 0; i < MEM_COUNT(rounds); i++) {
		struct loop_timer tick = { .fn = on_tick };

		done_count = 0;
		prepare(&ones[0], backend, "setsid sleep 91 & sleep 91");
		prepare(&ones[1], backend, "echo neighbour; exit 6");
		start(&ones[0]);
		start(&ones[1]);
		for (int k = 0; k < rounds[i]; k++)
			if (loop_arm(&loop, &tick, 30, &e) != 0 || loop_step(&loop, &e) != 0)
				BAIL("%s", e.msg);
		loop_disarm(&loop, &tick);
		finish(&ones[0]);
		done_count = ones[1].done;
		ok(run_until(1) && sandbox_run_result(ones[1].run)->exit_code == 6 &&
		   is_output(&sandbox_run_result(ones[1].run)->out, "neighbour\n"),
		    "%s: freed after %d rounds: the other one is not hit", backend, rounds[i]);
		finish(&ones[1]);
	}
}

/* Streaming to descriptors of ours; the budget is each run's own. */
static void test_streams(const char *backend)
{
	int files[2][2], bad = 0;

	done_count = 0;
	for (int i = 0; i < 2; i++) {
		char script[100], path[PATH_MAX + 40];

		for (int k = 0; k < 2; k++) {
			snprintf(path, sizeof path, "%s/stream%d%d", top, i, k);
			files[i][k] = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
			(void)unlink(path);
		}
		snprintf(script, sizeof script,
		    "head -c 200000 /dev/zero | tr '\\0' %c; echo e%d >&2",
		    'a' + i, i);
		prepare(&ones[i], backend, script);
		ones[i].rq.output = OUTPUT_STREAM;
		ones[i].rq.max_output_bytes = i == 0 ? UINT64_MAX : 1000;
		ones[i].rq.stdout_fd = files[i][0];
		ones[i].rq.stderr_fd = files[i][1];
		start(&ones[i]);
	}
	ok(run_until(2), "%s: two that stream", backend);
	for (int i = 0; i < 2; i++) {
		char c[4096];
		ssize_t n;

		(void)lseek(files[i][0], 0, SEEK_SET);
		while ((n = read(files[i][0], c, sizeof c)) > 0)
			for (ssize_t k = 0; k < n; k++)
				bad += c[k] != 'a' + i;
		is_int(lseek(files[i][0], 0, SEEK_END) + lseek(files[i][1], 0, SEEK_END),
		    i == 0 ? 200003 : 1000, "%s: stream %d has its own budget", backend, i);
		is_int(sandbox_run_result(ones[i].run)->out.total_bytes, 200000,
		    "%s: stream %d is counted", backend, i);
		is_int(sandbox_run_result(ones[i].run)->output_truncated, i,
		    "%s: stream %d: truncated or not", backend, i);
		(void)close(files[i][0]);
		(void)close(files[i][1]);
		finish(&ones[i]);
	}
	is_int(bad, 0, "%s: no byte of the other one", backend);
}

/* A run must not leave its descriptors to the command of another one: that would see no end. */
static void test_descriptors(const char *backend)
{
	done_count = 0;
	prepare(&ones[0], backend, "sleep 92");
	prepare(&ones[1], backend, "ls /proc/self/fd; echo $$ >/dev/null");
	start(&ones[0]);
	start(&ones[1]);
	ok(run_until(1), "%s: one beside another", backend);
	ok(is_output(&sandbox_run_result(ones[1].run)->out, "0\n1\n2\n3\n"),
	    "%s: has only its own descriptors: %.*s", backend,
	    (int)sandbox_run_result(ones[1].run)->out.head.len,
	    (const char *)sandbox_run_result(ones[1].run)->out.head.data);
	sandbox_run_cancel(ones[0].run, true);
	ok(run_until(2), "%s: the other ends when it is told to", backend);
	finish(&ones[0]);
	finish(&ones[1]);
}

int main(void)
{
	static const char *const backends[] = { "native", "landlock", "namespace" };
	char made[] = "/var/tmp/sbx-unit-runs.XXXXXX";
	int before;

	if (mkdtemp(made) == NULL || realpath(made, top) == NULL || chdir(top) != 0)
		BAIL("mkdtemp");
	(void)signal(SIGPIPE, SIG_IGN);
	loop_init(&loop);
	before = count_fds();
	for (size_t i = 0; i < MEM_COUNT(backends); i++) {
		if (!is_usable(backends[i])) {
			skip(backends[i]);
			continue;
		}
		test_fifty(backends[i]);
		test_mixed(backends[i]);
		test_freed(backends[i]);
		test_streams(backends[i]);
		test_descriptors(backends[i]);
		ok(is_childless(), "%s: no child is left", backends[i]);
		is_int(count_fds(), before, "%s: no descriptor is left", backends[i]);
		is_int(loop.timer_count, 0, "%s: no timer is left", backends[i]);
	}
	loop_fini(&loop);
	is_int(rmdir(top), 0, "nothing is left in the root");
	return done_testing();
}
