/* Diagnostics: levels, one write a line, printable, capped, and harmless without a stderr. */
#include "lib/base/log.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "lib/base/limits.h"
#include "lib/base/str.h"
#include "tap.h"

static int saved_stderr_fd;
static int reader_fd;

/*
 * Catch stderr in a socket that keeps the borders between writes, so that one recv is one write(2).
 */
static void catch_start(void)
{
	int fds[2];

	fflush(stderr);
	saved_stderr_fd = dup(STDERR_FILENO);
	if (saved_stderr_fd < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) < 0)
		BAIL("socketpair");
	reader_fd = fds[0];
	dup2(fds[1], STDERR_FILENO);
	close(fds[1]);
}

static void catch_stop(void)
{
	dup2(saved_stderr_fd, STDERR_FILENO);
	close(saved_stderr_fd);
	close(reader_fd);
}

/* The next write, "" if there is none. */
static const char *caught(void)
{
	static char text[3 * LIMIT_LOG_LINE];
	ssize_t n = recv(reader_fd, text, sizeof(text) - 1, MSG_DONTWAIT);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void test_levels(void)
{
	char line[64];
	size_t bad = 0;

	is_int(log_level, LOG_ERROR, "errors only at start");
	for (int set = LOG_QUIET; set <= LOG_TRACE; set++) {
		log_level = (enum log_level)set;
		for (int level = LOG_ERROR; level <= LOG_TRACE; level++) {
			catch_start();
			log_write((enum log_level)level, "level %d", level);
			snprintf(line, sizeof(line), "sbx: level %d\n", level);
			bad += strcmp(caught(), level <= set ? line : "") != 0;
			bad += strcmp(caught(), "") != 0;
			catch_stop();
		}
	}
	is_int(bad, 0, "a line is written when its level is switched on, and then in one write");
	log_level = LOG_QUIET;
	catch_start();
	log_warn("x");
	bad = strcmp(caught(), "") != 0;
	catch_stop();
	is_int(bad, 0, "a warning is silent in quiet mode");
	log_level = LOG_ERROR;
	catch_start();
	log_warn("x %s", "y");
	bad = strcmp(caught(), "sbx: warning: x y\n") != 0;
	catch_stop();
	is_int(bad, 0, "a warning is written otherwise");
	log_want_notices = false;
	catch_start();
	log_warn("x");
	log_write(LOG_ERROR, "y");
	bad = strcmp(caught(), "sbx: y\n") != 0;
	catch_stop();
	log_want_notices = true;
	is_int(bad, 0, "notices can be switched off without the errors");
}

static void test_text(void)
{
	char text[2 * LIMIT_LOG_LINE];
	const char *got;

	log_set_name("sbx-run");
	catch_start();
	log_write(LOG_ERROR, "a\nb\x1b[31m\x7f \xff é");
	got = caught();
	catch_stop();
	is_str(got, "sbx-run: a\\x0Ab\\x1B[31m\\x7F \\xFF é\n",
	       "control bytes and non-UTF-8 are made printable");

	for (size_t len = LIMIT_LOG_LINE - 20; len < LIMIT_LOG_LINE + 4; len++) {
		memset(text, 'x', len);
		text[len] = '\0';
		catch_start();
		log_write(LOG_ERROR, "%s", text);
		got = caught();
		catch_stop();
		size_t full = len + sizeof("sbx-run: \n") - 1;
		size_t got_len = strlen(got);
		int is_whole = full <= LIMIT_LOG_LINE;
		if (got_len > LIMIT_LOG_LINE || (is_whole && got_len != full) ||
		    got[got_len - 1] != '\n' || is_whole == str_ends_with(got, "…\n")) {
			ok(0, "a text of %zu bytes", len);
			return;
		}
	}
	ok(1, "a line is whole up to the limit and cut with a mark above");
	memset(text, 1, sizeof(text));
	text[sizeof(text) - 1] = '\0';
	catch_start();
	log_write(LOG_ERROR, "%s", text);
	got = caught();
	catch_stop();
	ok(strlen(got) <= LIMIT_LOG_LINE && str_ends_with(got, "\\x01…\n"),
	   "also when each byte becomes four");
	memset(text, 'n', sizeof(text) - 1);
	log_set_name(text);
	catch_start();
	log_write(LOG_ERROR, "message");
	got = caught();
	catch_stop();
	ok(str_ends_with(got, "nn: message\n"), "an endless name does not push the text out");
	log_set_name("sbx");
}

static void test_no_stderr(void)
{
	int kept_fd = dup(STDERR_FILENO);

	close(STDERR_FILENO);
	errno = 4711;
	log_write(LOG_ERROR, "nobody hears this");
	int errno_after = errno;
	dup2(kept_fd, STDERR_FILENO);
	close(kept_fd);
	is_int(errno_after, 4711, "a closed stderr is harmless and errno stays");
}

static void on_alarm(int sig)
{
	(void)sig;
	char drain[512];
	/* Makes room at last, so that the interrupted write can go through on its second try. */
	while (recv(reader_fd, drain, sizeof(drain), MSG_DONTWAIT) > 0)
		;
}

static void test_interrupted(void)
{
	struct sigaction sa = { .sa_handler = on_alarm }; /* no SA_RESTART: write gives EINTR */
	struct itimerval soon = { { 0, 0 }, { 0, 50000 } };
	int writes = 0;

	sigaction(SIGALRM, &sa, NULL);
	catch_start();
	while (send(STDERR_FILENO, "fill", 4, MSG_DONTWAIT) == 4)
		writes++;
	setitimer(ITIMER_REAL, &soon, NULL);
	log_write(LOG_ERROR, "late");
	const char *got = caught();
	catch_stop();
	ok(writes > 0, "the socket was full");
	is_str(got, "sbx: late\n", "an interrupted write is repeated");
}

int main(void)
{
	test_levels();
	test_text();
	test_no_stderr();
	test_interrupted();
	return done_testing();
}
