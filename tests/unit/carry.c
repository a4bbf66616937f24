/*
 * The command's descriptors in frames: two ends, joined by their buffers, in one loop. Nothing is
 * lost, nothing more than a window is under way however slow the reader is, an end is an end on
 * both sides, and an end that breaks the rules is told from one that keeps to them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../lib/base/limits.h"
#include "../../lib/frame/frame.h"
#include "../../lib/sandbox/carry.h"
#include "../../lib/sys/fd.h"
#include "tap.h"

struct end {
	struct carry carry;
	struct buf out;
	struct frame_reader reader;
};

struct fixture {
	struct loop loop;
	struct end from, to; /* source and sink of stream 1 */
	int write_fd, read_fd;
};

static void on_out(struct carry *c)
{
	(void)c;
}

static void end_init(struct end *x, struct loop *loop)
{
	carry_init(&x->carry);
	buf_init(&x->out, 2 * LIMIT_FRAME);
	frame_reader_init(&x->reader, LIMIT_FRAME);
	x->carry.loop = loop;
	x->carry.out = &x->out;
	x->carry.on_out = on_out;
}

static void setup(struct fixture *f)
{
	struct err e = ERR_INIT;
	int source, sink;

	loop_init(&f->loop);
	end_init(&f->from, &f->loop);
	end_init(&f->to, &f->loop);
	if (fd_pipe(&source, &f->write_fd, &e) != 0 || fd_pipe(&f->read_fd, &sink, &e) != 0 ||
	    fd_set_nonblock(f->write_fd, &e) != 0 || fd_set_nonblock(f->read_fd, &e) != 0 ||
	    carry_add(&f->from.carry, 1, source, true, &e) != 0 ||
	    carry_add(&f->to.carry, 1, sink, false, &e) != 0 ||
	    carry_start(&f->from.carry, &e) != 0 || carry_start(&f->to.carry, &e) != 0)
		BAIL("%s", e.msg);
}

static void end_fini(struct end *x)
{
	carry_stop(&x->carry);
	frame_reader_fini(&x->reader);
	buf_fini(&x->out);
}

static void teardown(struct fixture *f)
{
	end_fini(&f->from);
	end_fini(&f->to);
	loop_fini(&f->loop);
	fd_close(&f->write_fd);
	fd_close(&f->read_fd);
}

/* All frames of x's to the other end; how many. -1: one was refused. */
static int pass(struct end *x, struct end *other)
{
	struct json_doc *doc;
	int n = 0, rc;

	for (size_t at = 0; at < x->out.len; at += 65536) {
		size_t len = x->out.len - at < 65536 ? x->out.len - at : 65536;

		if (frame_reader_feed(&other->reader, x->out.data + at, len, NULL) != 0)
			return -1;
		while ((rc = frame_reader_next(&other->reader, &doc, NULL)) != 0) {
			if (rc > 0)
				rc = carry_take(&other->carry, json_root(doc), NULL);
			json_free(doc);
			if (rc != 1)
				return -1;
			n++;
		}
	}
	buf_reset(&x->out);
	return n;
}

static void on_late(struct loop_timer *t)
{
	(void)t;
}

/* One round of the loop, that does not wait for long. */
static void turn(struct fixture *f)
{
	struct loop_timer t = { .fn = on_late };

	(void)loop_arm(&f->loop, &t, 0, NULL);
	(void)loop_step(&f->loop, NULL);
	loop_disarm(&f->loop, &t);
}

static unsigned char pattern(size_t i)
{
	return (unsigned char)(i * 31 + i / 257);
}

/* Write and read as much as goes, for some rounds. */
struct flow {
	size_t written, read, most_under_way;
	bool is_wrong;
};

static void write_some(struct fixture *f, struct flow *w, size_t total)
{
	unsigned char bytes[8192];
	size_t want = total - w->written < sizeof bytes ? total - w->written : sizeof bytes;
	ssize_t n;

	for (size_t i = 0; i < want; i++)
		bytes[i] = pattern(w->written + i);
	n = want == 0 ? 0 : write(f->write_fd, bytes, want);
	w->written += n > 0 ? (size_t)n : 0;
}

static bool read_some(struct fixture *f, struct flow *w)
{
	unsigned char bytes[65536];
	ssize_t n = read(f->read_fd, bytes, sizeof bytes);

	for (ssize_t i = 0; i < n; i++)
		w->is_wrong = w->is_wrong || bytes[i] != pattern(w->read + (size_t)i);
	w->read += n > 0 ? (size_t)n : 0;
	return n == 0;
}

static void flow(struct fixture *f, struct flow *w, size_t total, int rounds, bool want_read)
{
	for (int i = 0; i < rounds; i++) {
		write_some(f, w, total);
		turn(f);
		if (pass(&f->from, &f->to) < 0 || pass(&f->to, &f->from) < 0)
			w->is_wrong = true;
		if (f->from.carry.streams[1].under_way > w->most_under_way)
			w->most_under_way = f->from.carry.streams[1].under_way;
		if (want_read)
			(void)read_some(f, w);
	}
}

static void test_all_arrives(void)
{
	const size_t total = 3 * LIMIT_CARRY_WINDOW + 12345;
	struct fixture f;
	struct flow w = { 0 };
	int rounds = 0;
	bool has_ended = false;

	setup(&f);
	while (w.read < total && rounds++ < 20000)
		flow(&f, &w, total, 1, true);
	is_int((long long)w.read, (long long)total, "three windows of bytes arrive");
	ok(!w.is_wrong, "the same ones, in their order");
	ok(w.most_under_way <= LIMIT_CARRY_WINDOW, "never more than a window under way");
	fd_close(&f.write_fd);
	for (int i = 0; i < 50 && !has_ended; i++) {
		turn(&f);
		(void)pass(&f.from, &f.to);
		has_ended = read_some(&f, &w);
	}
	ok(has_ended, "the end arrives");
	teardown(&f);
}

static void test_nobody_reads(void)
{
	const size_t total = 4 * LIMIT_CARRY_WINDOW;
	struct fixture f;
	struct flow w = { 0 };

	setup(&f);
	flow(&f, &w, total, 2000, false);
	ok(w.most_under_way <= LIMIT_CARRY_WINDOW && w.most_under_way > LIMIT_CARRY_WINDOW / 2,
	    "a window fills and no more");
	ok(w.written < total, "whoever writes has to wait");
	ok(carry_is_holding(&f.to.carry), "the sink holds what it cannot write");
	is_int((long long)f.from.out.len, 0, "and nothing is queued between");
	flow(&f, &w, total, 4000, true);
	is_int((long long)w.read, (long long)total, "it goes on when somebody reads");
	ok(!w.is_wrong, "with nothing lost");
	teardown(&f);
}

static void test_drain(void)
{
	struct fixture f;
	struct flow w = { 0 };

	setup(&f);
	(void)fcntl(f.write_fd, F_SETPIPE_SZ, 1 << 20);
	flow(&f, &w, 8 * LIMIT_CARRY_WINDOW, 3000, false); /* the window is full, and the pipe */
	fd_close(&f.write_fd);
	carry_drain(&f.from.carry);
	ok(pass(&f.from, &f.to) > 0, "what is in the pipe is sent beyond the window, and taken");
	while (!read_some(&f, &w) && !w.is_wrong)
		(void)carry_push(&f.to.carry);
	is_int((long long)w.read, (long long)w.written, "all that was written arrives");
	ok(!w.is_wrong && !carry_is_holding(&f.to.carry), "and then nothing is held");
	teardown(&f);
}

static void test_gone(void)
{
	struct fixture f;
	struct flow w = { 0 };

	setup(&f);
	fd_close(&f.read_fd);
	flow(&f, &w, 100, 3, false);
	is_int(write(f.write_fd, "x", 1), -1, "nobody reads any more:");
	is_int(errno, EPIPE, "the writer is told");
	teardown(&f);
}

/* One frame to one end. */
static int take(struct end *x, const char *text)
{
	struct json_doc *doc = json_parse(text, strlen(text), "test", NULL);
	int rc = doc == NULL ? -2 : carry_take(&x->carry, json_root(doc), NULL);

	json_free(doc);
	return rc;
}

static void test_rules(void)
{
	struct fixture f;

	setup(&f);
	is_int(take(&f.to, "{\"type\":\"exit\",\"status\":0}"), 0, "other types are not ours");
	is_int(take(&f.to, "{\"type\":\"stderr\",\"data_b64\":\"eA==\"}"), 0,
	    "nor a stream that is not there");
	is_int(take(&f.to, "{\"type\":\"stdout\",\"data_b64\":\"eA==\"}"), 1, "a byte");
	is_int(take(&f.to, "{\"type\":\"stdout\",\"data_b64\":\"e\"}"), -1, "no base64");
	is_int(take(&f.from, "{\"type\":\"stdout\",\"data_b64\":\"eA==\"}"), -1,
	    "data against the direction");
	is_int(take(&f.from, "{\"type\":\"taken\",\"stream\":\"stdout\",\"bytes\":1}"), -1,
	    "more taken than sent");
	is_int(take(&f.from, "{\"type\":\"taken\",\"stream\":\"stdout\",\"bytes\":-1}"), -1,
	    "less than nothing");
	is_int(take(&f.from, "{\"type\":\"taken\",\"stream\":\"stdin\",\"bytes\":0}"), -1,
	    "of no stream");
	is_int(take(&f.to, "{\"type\":\"gone\",\"stream\":\"stdout\"}"), -1,
	    "the writer is no reader");
	is_int(take(&f.to, "{\"type\":\"stdout\",\"end\":true}"), 1, "the end");
	is_int(take(&f.to, "{\"type\":\"stdout\",\"data_b64\":\"eA==\"}"), -1,
	    "and more behind it");
	teardown(&f);
}

/* An end that keeps sending without being taken from is stopped by the cap of what is held. */
static void test_flood(void)
{
	struct fixture f;
	static char text[90000];
	size_t sent = 0;
	int rc = 1;

	setup(&f);
	(void)snprintf(text, sizeof text, "{\"type\":\"stdout\",\"data_b64\":\"");
	for (size_t n = strlen(text), i = 0; i < 80000; i++)
		text[n + i] = 'A';
	memcpy(text + strlen(text), "\"}", 3);
	while (rc == 1 && sent < 64 * LIMIT_CARRY_WINDOW) {
		rc = take(&f.to, text);
		sent += 60000;
	}
	is_int(rc, -1, "a flood is refused");
	ok(sent < 4 * LIMIT_CARRY_WINDOW, "before it costs much memory");
	teardown(&f);
}

int main(void)
{
	loop_ignore_signal(SIGPIPE);
	test_all_arrives();
	test_nobody_reads();
	test_drain();
	test_gone();
	test_rules();
	test_flood();
	return done_testing();
}
