/*
 * Descriptors: born close-on-exec, kept or closed as told, standard ones made sure of, whole
 * writes, small files, and one descriptor beside a message.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lib/sys/fd.h"
#include "tap.h"

static int is_cloexec(int fd)
{
	return (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
}

static int is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void test_made(void)
{
	struct err e = ERR_INIT;
	int a = -1, b = -1;

	is_int(fd_pipe(&a, &b, &e), 0, "a pipe");
	ok(is_cloexec(a) && is_cloexec(b), "closes on exec");
	is_int(fd_set_nonblock(a, &e), 0, "non-blocking");
	ok((fcntl(a, F_GETFL) & O_NONBLOCK) != 0 && (fcntl(b, F_GETFL) & O_NONBLOCK) == 0,
	   "that end alone");
	ok(!fd_is_readable(a) && fd_is_writable(b), "an empty pipe is writable, not readable");
	ok(write(b, "x", 1) == 1 && fd_is_readable(a), "then it is readable");
	fd_grow_pipe(b);
	fd_close(&b);
	is_int(b, -1, "closed leaves -1");
	fd_close(&b);
	ok(fd_is_readable(a), "an end is something to read");
	fd_close(&a);
	is_int(fd_set_nonblock(-1, &e), -1, "no descriptor");
	ok(e.kind != ERR_NONE && e.errnum == EBADF, "says so");
	is_int(fd_socketpair(SOCK_SEQPACKET, &a, &b, &e), 0, "a socket pair");
	ok(is_cloexec(a) && is_cloexec(b), "closes on exec");
	fd_close(&a);
	fd_close(&b);
}

/* In a child, so that the descriptors of this program survive. */
static int in_child(int (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(fn());
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int close_others(void)
{
	int keep[] = { 40, -1, 7, 12, 7, 2, 41 };
	int wanted[] = { 7, 12, 40, 41 };

	for (int fd = 3; fd < 60; fd++)
		if (dup2(0, fd) != fd)
			return 90;
	fd_close_others(keep, sizeof keep / sizeof keep[0]);
	for (int fd = 3; fd < 60; fd++) {
		int is_wanted = 0;

		for (size_t i = 0; i < 4; i++)
			is_wanted |= wanted[i] == fd;
		if (is_open(fd) != is_wanted)
			return fd;
	}
	return is_open(0) && is_open(1) && is_open(2) ? 0 : 91;
}

static int close_all_others(void)
{
	if (dup2(0, 5) != 5 || dup2(0, 200) != 200)
		return 90;
	fd_close_others(NULL, 0);
	return is_open(5) || is_open(200);
}

static int sanitize(void)
{
	struct err e = ERR_INIT;
	struct stat st, null;

	(void)close(0);
	(void)close(1);
	(void)close(2);
	if (fd_sanitize_std(&e) != 0 || stat("/dev/null", &null) != 0)
		return 1;
	for (int fd = 0; fd < 3; fd++)
		if (fstat(fd, &st) != 0 || st.st_rdev != null.st_rdev)
			return 2;
	return write(1, "x", 1) == 1 && read(0, &e, 1) == 0 ? 0 : 3;
}

static int sanitize_open(void)
{
	struct err e = ERR_INIT;
	struct stat before, after;

	if (fstat(1, &before) != 0 || fd_sanitize_std(&e) != 0 || fstat(1, &after) != 0)
		return 1;
	return before.st_ino != after.st_ino;
}

static int sanitize_middle(void)
{
	struct err e = ERR_INIT;

	(void)close(1);
	if (fd_sanitize_std(&e) != 0)
		return 1;
	return is_open(0) && is_open(1) && is_open(2) ? 0 : 2;
}

static void test_many(void)
{
	is_int(in_child(close_others), 0, "fd_close_others keeps what it is told to");
	is_int(in_child(close_all_others), 0, "fd_close_others without a list");
	is_int(in_child(sanitize), 0, "fd_sanitize_std: three closed ones become /dev/null");
	is_int(in_child(sanitize_open), 0, "fd_sanitize_std leaves open ones");
	is_int(in_child(sanitize_middle), 0, "fd_sanitize_std: one in the middle");
}

static void test_write_all(void)
{
	static char big[300000], back[300000];
	struct err e = ERR_INIT;
	int r, w, status;
	pid_t pid;

	memset(big, 'x', sizeof big);
	if (fd_pipe(&r, &w, &e) != 0 || fd_set_nonblock(w, &e) != 0)
		BAIL("%s", e.msg);
	pid = fork();
	if (pid == 0) {
		(void)close(r);
		_exit(fd_write_all(w, big, sizeof big) == 0 ? 0 : 1);
	}
	fd_close(&w);
	size_t n = 0;
	for (ssize_t k; (k = read(r, back + n, sizeof back - n)) > 0; n += (size_t)k)
		(void)usleep(100);
	(void)waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "all is written where it would block");
	ok(n == sizeof big && memcmp(big, back, n) == 0, "and arrives");
	fd_close(&r);
	if (fd_pipe(&r, &w, &e) != 0)
		BAIL("%s", e.msg);
	fd_close(&r);
	errno = 0;
	ok(fd_write_all(w, "x", 1) == -1 && errno == EPIPE, "nobody reads: EPIPE");
	fd_close(&w);
}

static void test_read_regular(const char *dir)
{
	char path[200];
	struct err e = ERR_INIT;
	struct buf b;
	FILE *f;

	snprintf(path, sizeof path, "%s/file", dir);
	f = fopen(path, "w");
	if (f == NULL)
		BAIL("fopen");
	for (int i = 0; i < 10000; i++)
		fputs("0123456789", f);
	fclose(f);
	buf_init(&b, 1000000);
	is_int(fd_read_regular(NULL, path, &b, &e), 0, "a file");
	is_int(b.len, 100000, "whole");
	buf_fini(&b);
	buf_init(&b, 100000);
	is_int(fd_read_regular(NULL, path, &b, &e), 0, "a file of exactly the cap");
	is_int(b.len, 100000, "whole");
	buf_fini(&b);
	buf_init(&b, 99999);
	is_int(fd_read_regular(NULL, path, &b, &e), -1, "a file that is one byte larger");
	is_int(e.kind, ERR_USAGE, "is refused");
	buf_fini(&b);
	buf_init(&b, 1000);
	err_clear(&e);
	is_int(fd_read_regular(NULL, dir, &b, &e), -1, "a folder");
	err_clear(&e);
	is_int(fd_read_regular(NULL, "/dev/zero", &b, &e), -1, "a device");
	ok(strstr(e.msg, "/dev/zero") != NULL, "is named: %s", e.msg);
	snprintf(path, sizeof path, "%s/fifo", dir);
	if (mkfifo(path, 0600) != 0)
		BAIL("mkfifo");
	(void)alarm(20);
	is_int(fd_read_regular(NULL, path, &b, &e), -1, "a FIFO does not block");
	(void)alarm(0);
	snprintf(path, sizeof path, "%s/none", dir);
	err_clear(&e);
	is_int(fd_read_regular(NULL, path, &b, &e), -1, "no file");
	is_int(e.errnum, ENOENT, "says so");
	buf_fini(&b);
	snprintf(path, sizeof path, "%s/file", dir);
	(void)unlink(path);
	snprintf(path, sizeof path, "%s/fifo", dir);
	(void)unlink(path);
}

static void test_small(const char *dir)
{
	char text[8];
	int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	FILE *f;
	char path[200];

	snprintf(path, sizeof path, "%s/small", dir);
	f = fopen(path, "w");
	if (f == NULL)
		BAIL("fopen");
	fclose(f);
	is_int(fd_write_small(fd, "small", "12345"), 0, "a small file written");
	is_int(fd_read_small(fd, "small", text, sizeof text), 5, "and read");
	is_str(text, "12345", "the same text");
	is_int(fd_read_small(fd, "small", text, 4), 3, "no more than fits");
	is_str(text, "123", "with its NUL");
	is_int(fd_read_small(fd, "none", text, sizeof text), -ENOENT, "no file to read");
	is_int(fd_write_small(fd, "none", "x"), -ENOENT, "no file to write");
	(void)unlink(path);
	(void)close(fd);
}

static void test_messages(void)
{
	struct err e = ERR_INIT;
	char text[16];
	int a, b, passed, r, w;

	if (fd_socketpair(SOCK_SEQPACKET, &a, &b, &e) != 0 || fd_pipe(&r, &w, &e) != 0)
		BAIL("%s", e.msg);
	is_int(fd_send_msg(a, "one!", 4, -1), 0, "a record without a descriptor");
	is_int(fd_send_msg(a, "two!", 4, w), 0, "a record with one");
	is_int(fd_recv_record(b, text, 4, &passed), 4, "arrive one by one");
	is_int(passed, -1, "without");
	ok(memcmp(text, "one!", 4) == 0, "the first one first");
	is_int(fd_recv_record(b, text, 4, &passed), 4, "and");
	ok(passed >= 0 && is_cloexec(passed), "with a descriptor that closes on exec");
	ok(write(passed, "x", 1) == 1 && read(r, text, 1) == 1, "it is the one that was sent");
	fd_close(&passed);
	fd_close(&r);
	fd_close(&w);
	if (fd_set_nonblock(b, &e) != 0)
		BAIL("%s", e.msg);
	is_int(fd_recv_record(b, text, 4, &passed), -EAGAIN, "nothing there");
	/*
	 * A peer that sends, and closes with messages of ours unread: the kernel reports ECONNRESET
	 * before what it sent (unix(7)); that must not be lost.
	 */
	is_int(fd_send_msg(b, "unread", 6, -1), 0, "a message that the peer never reads");
	is_int(fd_send_msg(a, "last", 4, -1), 0, "its own last words");
	fd_close(&a);
	is_int(fd_recv_record(b, text, 4, &passed), 4, "they arrive");
	is_int(fd_recv_record(b, text, 4, &passed), 0, "then the end");
	ok(fd_send_msg(b, "x", 1, -1) < 0, "nobody is left to send to");
	fd_close(&b);
}

/* A record that comes in two pieces, as a stream may cut it. */
static void test_torn_record(void)
{
	struct err e = ERR_INIT;
	char text[8];
	int a, b, passed;
	pid_t pid;

	if (fd_socketpair(SOCK_STREAM, &a, &b, &e) != 0)
		BAIL("%s", e.msg);
	pid = fork();
	if (pid == 0) {
		(void)!write(a, "fir", 3);
		(void)usleep(20000);
		(void)!write(a, "st!!!next", 9);
		_exit(0);
	}
	is_int(fd_recv_record(b, text, 8, &passed), 8, "a torn record is put together");
	ok(memcmp(text, "first!!!", 8) == 0, "and ends where the next one begins");
	is_int(fd_send_record(b, "x", 1), 0, "a record is sent");
	fd_close(&a);
	is_int(waitpid(pid, NULL, 0), pid, "by a child");
	is_int(fd_recv_record(b, text, 8, &passed), 4, "one that is cut by the end is short");
	fd_close(&b);
}

int main(void)
{
	char dir[] = "/tmp/sbx-unit-fd.XXXXXX";

	(void)signal(SIGPIPE, SIG_IGN);
	if (mkdtemp(dir) == NULL)
		BAIL("mkdtemp");
	test_made();
	test_many();
	test_write_all();
	test_read_regular(dir);
	test_small(dir);
	test_messages();
	(void)rmdir(dir);
	test_torn_record();
	return done_testing();
}
