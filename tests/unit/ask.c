/*
 * Asking a helper program: what it says, its status, nothing on its stdin, its own environment, and
 * an end in time whatever it does.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lib/base/limits.h"
#include "../../lib/sys/ask.h"
#include "../../lib/sys/loop.h"
#include "../../lib/sys/proc.h"
#include "tap.h"

static struct buf out, said;
static struct err e;

static int ask(const char *script, uint64_t timeout_ms)
{
	char *argv[] = { (char *)(uintptr_t) "/bin/sh", (char *)(uintptr_t) "-c",
		(char *)(uintptr_t)script, NULL };
	char *env[] = { (char *)(uintptr_t) "PATH=/usr/bin:/bin", (char *)(uintptr_t) "MINE=1",
		NULL };

	buf_fini(&out);
	buf_fini(&said);
	buf_init(&out, 1000);
	buf_init(&said, LIMIT_SMALL_FILE);
	err_clear(&e);
	return ask_program(argv, env, timeout_ms, ASK_UNTIL_ANSWERED, &out, &said, &e);
}

static const char *text(struct buf *b)
{
	const char *s = buf_str(b, NULL);

	return s == NULL ? "" : s;
}

static void test_answers(void)
{
	is_int(ask("echo answer; echo warning >&2; exit 3", 60000), 3, "the status");
	is_str(text(&out), "answer\n", "stdout");
	is_str(text(&said), "warning\n", "stderr");
	is_int(ask("kill -9 $$", 60000), 137, "a signal");
	is_int(ask("cat; echo end", 60000), 0, "nothing is read");
	is_str(text(&out), "end\n", "and the program goes on");
	is_int(ask("echo ${HOME-none} $MINE", 60000), 0, "an environment of its own");
	is_str(text(&out), "none 1\n", "and nothing else in it");
	is_int(ask("ps -o tty= -p $$; ls /proc/$$/fd", 60000), 0, "no terminal and no descriptor:");
	ok(strstr(text(&out), "9") == NULL, "none of ours");
}

static void test_much(void)
{
	is_int(ask("yes | head -c 5000000; exit 4", 60000), 4, "more than is kept");
	is_int((long long)out.len, 1000, "is read and dropped");
	is_int(ask("exec >&- 2>&-; sleep 0.3; exit 5", 60000), 5,
	    "one that closes its pipes early");
}

static void test_late(void)
{
	is_int(ask("sleep 1000 & exec sleep 1000", 200), -1, "one that does not answer");
	is_int(e.errnum, ETIMEDOUT, "is told as such");
	ok(strstr(e.msg, "did not answer within 200 ms") != NULL, "with its bound");
	is_int(ask("trap '' TERM; while :; do :; done", 200), -1, "one that will not go");
	/* what it leaves in the background keeps the pipe open */
	is_int(ask("sleep 3 & echo here", 60000), 0, "one that leaves a child behind");
	is_str(text(&out), "here\n", "is not waited for longer than itself");
}

static void test_missing(void)
{
	char *argv[] = { (char *)(uintptr_t) "/nonexistent/program", NULL };
	char *env[] = { NULL };

	err_clear(&e);
	is_int(ask_program(argv, env, 1000, ASK_UNTIL_ANSWERED, &out, &said, &e), -1,
	    "a program that is not there");
	is_int(e.errnum, ENOENT, "says so");
}

static int got;

static void on_signal(struct loop *l, int signo, void *ctx)
{
	(void)l;
	(void)ctx;
	got = signo;
}

/* A question is asked from inside a handler: what came meanwhile is told afterwards. */
static void test_signals(void)
{
	struct loop loop;
	struct err err = ERR_INIT;
	char script[64];

	loop_init(&loop);
	is_int(loop_on_signal(&loop, SIGUSR1, on_signal, NULL, &err), 0, "a loop with a handler");
	(void)snprintf(script, sizeof script, "kill -USR1 %ld; sleep 0.1", (long)getpid());
	is_int(ask(script, 60000), 0, "a signal during a question");
	is_int(got, 0, "is not lost in it");
	is_int(loop_step(&loop, &err), 0, "the next round does not wait");
	is_int(got, SIGUSR1, "and tells it");
	loop_fini(&loop);
}

/* A signal that ends us ends the question too, where it was asked so, and is told afterwards. */
static void test_ended(void)
{
	struct loop loop;
	struct err err = ERR_INIT;
	char script[64];
	char *argv[] = { (char *)(uintptr_t) "/bin/sh", (char *)(uintptr_t) "-c", script, NULL };
	char *env[] = { (char *)(uintptr_t) "PATH=/usr/bin:/bin", NULL };

	loop_init(&loop);
	is_int(loop_on_signal(&loop, SIGTERM, on_signal, NULL, &err), 0, "a loop that may end");
	(void)snprintf(script, sizeof script, "kill -TERM %ld; sleep 0.2; echo x", (long)getpid());
	buf_reset(&out);
	is_int(ask_program(argv, env, 60000, ASK_UNTIL_ANSWERED, &out, &said, &err), 0,
	    "one that must be answered has its time");
	is_str(text(&out), "x\n", "and answers");
	is_int(loop_ending_signal(), SIGTERM, "the signal waits");
	(void)loop_step(&loop, &err);
	is_int(loop_ending_signal(), 0, "until it was told");
	(void)snprintf(script, sizeof script, "kill -TERM %ld; exec sleep 1000", (long)getpid());
	is_int(ask_program(argv, env, 60000, ASK_UNTIL_SIGNAL, &out, &said, &err), -1,
	    "another is given up");
	is_int(err.errnum, EINTR, "and says why: %s", err.msg);
	is_int(loop_ending_signal(), SIGTERM, "the signal waits again");
	got = 0;
	(void)loop_step(&loop, &err);
	is_int(got, SIGTERM, "and is told");
	loop_fini(&loop);
}

/* Who asks may be killed meanwhile: what was asked ends too, where the system can see to it. */
static void test_killed(void)
{
	char dir[] = "/tmp/sbx-ask.XXXXXX", fifo[64], script[128], c;
	struct pollfd p = { .events = POLLIN };
	pid_t pid;

	if (!proc_has_subreaper()) /* macOS tells nobody of a parent's end */
		return;
	ok(mkdtemp(dir) != NULL, "a folder");
	(void)snprintf(fifo, sizeof fifo, "%s/fifo", dir);
	(void)snprintf(script, sizeof script, "exec 5>%s; echo >&5; exec sleep 1000", fifo);
	ok(mkfifo(fifo, 0600) == 0 && (p.fd = open(fifo, O_RDONLY | O_NONBLOCK)) >= 0, "a FIFO");
	pid = fork();
	if (pid == 0)
		_exit(ask(script, 600000));
	is_int(poll(&p, 1, 60000), 1, "what was asked runs");
	ok(read(p.fd, &c, 1) == 1, "and says so");
	is_int(poll(&p, 1, 100), 0, "control: it holds the FIFO");
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	is_int(poll(&p, 1, 60000), 1, "it ends with who asked");
	is_int(p.revents & (POLLIN | POLLHUP), POLLHUP, "without another word");
	(void)close(p.fd);
	(void)unlink(fifo);
	(void)rmdir(dir);
}

int main(void)
{
	(void)dup2(2, 9);
	test_answers();
	test_much();
	test_late();
	test_missing();
	test_signals();
	test_ended();
	test_killed();
	buf_fini(&out);
	buf_fini(&said);
	return done_testing();
}
