/*
 * Relaying one descriptor to another: pipes, files, sockets; a slow or vanished reader, a budget,
 * a full device; the caller's status flags are never touched.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../lib/sandbox/pump.h"
#include "../../lib/sys/fd.h"
#include "tap.h"

#define AMOUNT (700UL * 1024)

static unsigned char data[AMOUNT], got[AMOUNT + 1];
static size_t got_len;

struct test {
	struct loop loop;
	struct pump pump;
	int ends;
	uint64_t told_bytes;
	/* the other side: writes data[] into source, reads got[] from sink */
	struct loop_watch source, sink;
	size_t source_pos, source_len;
	size_t sink_step; /* at most so much a round; 0: does not read */
};

static void on_end(struct pump *p)
{
	struct test *t = p->ctx;

	t->ends++;
}

static void on_data(struct pump *p, uint64_t bytes)
{
	struct test *t = p->ctx;

	t->told_bytes += bytes;
}

static void on_source(struct loop_watch *w, short revents)
{
	struct test *t = w->ctx;
	ssize_t n = write(w->fd, data + t->source_pos, t->source_len - t->source_pos);

	(void)revents;
	if (n > 0)
		t->source_pos += (size_t)n;
	if (t->source_pos == t->source_len || (n < 0 && errno != EAGAIN)) {
		loop_del(&t->loop, w);
		fd_close(&w->fd);
	}
}

static void on_sink(struct loop_watch *w, short revents)
{
	struct test *t = w->ctx;
	size_t room = sizeof got - got_len;
	ssize_t n = read(w->fd, got + got_len, t->sink_step < room ? t->sink_step : room);

	(void)revents;
	if (n > 0)
		got_len += (size_t)n;
	if (n == 0) {
		loop_del(&t->loop, w);
		fd_close(&w->fd);
	}
}

static void begin(struct test *t, size_t len)
{
	memset(t, 0, sizeof *t);
	loop_init(&t->loop);
	t->pump.on_end = on_end;
	t->pump.on_data = on_data;
	t->pump.ctx = t;
	t->source.fd = t->sink.fd = -1;
	t->source_len = len;
	t->sink_step = 65536;
	got_len = 0;
}

static void set_flags(int fd)
{
	struct err e = ERR_INIT;

	if (fd_set_nonblock(fd, &e) != 0)
		BAIL("%s", e.msg);
}

/* A pipe whose writing end the test feeds; the reading end. */
static int make_source(struct test *t)
{
	int fds[2];
	struct err e = ERR_INIT;

	if (pipe2(fds, O_CLOEXEC) != 0)
		BAIL("pipe");
	set_flags(fds[1]);
	t->source = (struct loop_watch){
		.fd = fds[1], .events = POLLOUT, .fn = on_source, .ctx = t
	};
	if (loop_add(&t->loop, &t->source, &e) != 0)
		BAIL("%s", e.msg);
	return fds[0];
}

/* A pipe or socket whose reading end the test drains; the writing end. */
static int make_sink(struct test *t, int is_socket)
{
	int fds[2];
	struct err e = ERR_INIT;

	if ((is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, fds) : pipe2(fds, O_CLOEXEC)) != 0)
		BAIL("pipe");
	set_flags(fds[0]);
	t->sink = (struct loop_watch){ .fd = fds[0], .events = POLLIN, .fn = on_sink, .ctx = t };
	if (loop_add(&t->loop, &t->sink, &e) != 0)
		BAIL("%s", e.msg);
	return fds[1];
}

/* Rounds of the loop until the pump has ended; 0 when it does not. */
static int run_to_end(struct test *t)
{
	struct err e = ERR_INIT;

	for (int i = 0; i < 100000 && t->ends == 0; i++)
		if (loop_step(&t->loop, &e) != 0)
			BAIL("%s", e.msg);
	return t->ends;
}

static void drain(struct test *t, int *out_fd)
{
	struct err e = ERR_INIT;

	fd_close(out_fd);
	for (int i = 0; i < 100000 && t->sink.fd >= 0; i++)
		(void)loop_step(&t->loop, &e);
}

static void finish(struct test *t)
{
	pump_stop(&t->pump);
	loop_del(&t->loop, &t->source);
	loop_del(&t->loop, &t->sink);
	fd_close(&t->source.fd);
	fd_close(&t->sink.fd);
	loop_fini(&t->loop);
}

static void test_all_bytes(int is_socket, size_t step, const char *what)
{
	struct test t;
	struct err e = ERR_INIT;
	int in, out;

	begin(&t, AMOUNT);
	in = make_source(&t);
	out = make_sink(&t, is_socket);
	t.sink_step = step;
	is_int(pump_start(&t.pump, &t.loop, in, out, &e), 0, "%s: started", what);
	ok(pump_is_running(&t.pump), "%s: it runs", what);
	is_int(run_to_end(&t), 1, "%s: it ends once", what);
	ok(!pump_is_running(&t.pump), "%s: and runs no more", what);
	ok((fcntl(out, F_GETFL) & O_NONBLOCK) == 0 && (fcntl(in, F_GETFL) & O_NONBLOCK) == 0,
	    "%s: flags of both sides are what they were", what);
	drain(&t, &out);
	is_int(got_len, AMOUNT, "%s: all of it", what);
	is_mem(got, data, AMOUNT, "%s: in order", what);
	is_int(t.told_bytes, AMOUNT, "%s: counted", what);
	is_int(t.pump.total_bytes, AMOUNT, "%s: counted in the pump", what);
	fd_close(&in);
	finish(&t);
}

static void test_files(void)
{
	char path[] = "/tmp/sbx-unit-pump.XXXXXX";
	struct test t;
	struct err e = ERR_INIT;
	struct stat st;
	int file = mkstemp(path), in, out;

	if (file < 0)
		BAIL("mkstemp");
	begin(&t, AMOUNT);
	in = make_source(&t);
	ok(pump_start(&t.pump, &t.loop, in, file, &e) == 0 && run_to_end(&t) == 1,
	   "a pipe into a file");
	ok(fstat(file, &st) == 0 && st.st_size == (off_t)AMOUNT, "all of it");
	fd_close(&in);
	finish(&t);

	begin(&t, 0);
	out = make_sink(&t, 0);
	(void)lseek(file, 0, SEEK_SET);
	ok(pump_start(&t.pump, &t.loop, file, out, &e) == 0 && run_to_end(&t) == 1,
	   "a file into a pipe");
	drain(&t, &out);
	is_int(got_len, AMOUNT, "all of it");
	is_mem(got, data, AMOUNT, "in order");
	finish(&t);

	/* splice(2) refuses O_APPEND: the way by read and write */
	begin(&t, AMOUNT);
	in = make_source(&t);
	out = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	ok(pump_start(&t.pump, &t.loop, in, out, &e) == 0 && run_to_end(&t) == 1,
	   "a pipe into a file opened for appending");
	ok(fstat(file, &st) == 0 && st.st_size == (off_t)(2 * AMOUNT), "appended");
	fd_close(&in);
	fd_close(&out);
	finish(&t);
	(void)close(file);
	(void)unlink(path);
}

static void test_budget(void)
{
	struct test t;
	struct err e = ERR_INIT;
	uint64_t budget = 100001;
	int in, out;

	begin(&t, AMOUNT);
	in = make_source(&t);
	out = make_sink(&t, 0);
	t.pump.budget_bytes = &budget;
	ok(pump_start(&t.pump, &t.loop, in, out, &e) == 0 && run_to_end(&t) == 1, "with a budget");
	drain(&t, &out);
	is_int(got_len, 100001, "no more than that is passed on");
	is_mem(got, data, 100001, "in order");
	is_int(t.pump.total_bytes, AMOUNT, "the rest is read and counted");
	is_int((long long)budget, 0, "nothing is left of the budget");
	fd_close(&in);
	finish(&t);
}

static void test_gone(int drains)
{
	struct test t;
	struct err e = ERR_INIT;
	int in, out;

	begin(&t, AMOUNT);
	in = make_source(&t);
	out = make_sink(&t, 0);
	loop_del(&t.loop, &t.sink);
	fd_close(&t.sink.fd);
	t.pump.drains = drains != 0;
	is_int(pump_start(&t.pump, &t.loop, in, out, &e), 0, "started without a reader");
	is_int(run_to_end(&t), 1, "%s", drains ? "it drains to the end" : "it ends");
	is_int(t.pump.write_errno, EPIPE, "and knows why");
	if (drains)
		is_int(t.pump.total_bytes, AMOUNT, "all of the input was taken");
	else
		ok(t.pump.total_bytes < AMOUNT, "the input was not taken");
	fd_close(&in);
	fd_close(&out);
	finish(&t);
}

static void test_full(void)
{
	struct test t;
	struct err e = ERR_INIT;
	int in, out = open("/dev/full", O_WRONLY | O_CLOEXEC);

	begin(&t, AMOUNT);
	in = make_source(&t);
	t.pump.drains = true;
	ok(pump_start(&t.pump, &t.loop, in, out, &e) == 0 && run_to_end(&t) == 1,
	   "a full device does not block");
	is_int(t.pump.write_errno, ENOSPC, "and it is known why");
	fd_close(&in);
	fd_close(&out);
	finish(&t);
}

/* A reader that does not read: no spinning, no blocking, nothing lost when it reads again. */
static void test_stalled(void)
{
	struct test t;
	struct err e = ERR_INIT;
	struct loop_timer timer = { .fn = NULL };
	int in, out;

	begin(&t, AMOUNT);
	in = make_source(&t);
	out = make_sink(&t, 0);
	loop_del(&t.loop, &t.sink);
	is_int(pump_start(&t.pump, &t.loop, in, out, &e), 0, "a reader that stalls");
	for (int i = 0; i < 200 && fd_is_writable(out); i++)
		(void)loop_step(&t.loop, &e);
	ok(!fd_is_writable(out), "its pipe is full");
	pump_flush(&t.pump);
	is_int(t.ends, 0, "a flush does not wait for it");
	(void)timer;
	ok(t.pump.in.events == 0 || !fd_is_readable(in),
	   "a readable input is not polled meanwhile");
	if (loop_add(&t.loop, &t.sink, &e) != 0)
		BAIL("%s", e.msg);
	is_int(run_to_end(&t), 1, "it reads again: to the end");
	drain(&t, &out);
	ok(got_len == AMOUNT && memcmp(got, data, AMOUNT) == 0, "nothing is lost");
	fd_close(&in);
	finish(&t);
}

static void test_stop(void)
{
	struct test t;
	struct err e = ERR_INIT;
	int fds[2], in, out;

	begin(&t, 0);
	pump_stop(&t.pump);
	pump_stop(&t.pump);
	ok(!pump_is_running(&t.pump), "stopping what never ran");
	if (pipe2(fds, O_CLOEXEC) != 0)
		BAIL("pipe");
	in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	out = fds[1];
	t.pump.closes_out = true;
	ok(pump_start(&t.pump, &t.loop, in, out, &e) == 0 && run_to_end(&t) == 1, "an empty input");
	ok(fcntl(out, F_GETFD) < 0, "closes_out closes the output");
	ok(read(fds[0], got, 1) == 0, "whose reader sees the end");
	fd_close(&in);
	fd_close(&fds[0]);
	finish(&t);
}

int main(void)
{
	(void)signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < AMOUNT; i++)
		data[i] = (unsigned char)(i * 2654435761UL >> 13);
	test_all_bytes(0, 65536, "pipe to pipe");
	test_all_bytes(0, 1000, "a slow reader");
	test_all_bytes(1, 65536, "pipe to socket");
	test_files();
	test_budget();
	test_gone(1);
	test_gone(0);
	test_full();
	test_stalled();
	test_stop();
	return done_testing();
}
