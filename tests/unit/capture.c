/*
 * Head and tail capture: exactly at the cap, around it, both streams, and against a plain model
 * for random chunks: what is kept is a prefix and a suffix of what was written, never more than the
 * cap, and at least a quarter of it for either stream.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../lib/base/limits.h"
#include "../../lib/sandbox/capture.h"
#include "tap.h"

#define STREAM_MAX (256UL * 1024)

static unsigned char written[2][STREAM_MAX];
static size_t written_len[2];
static int pipes[2][2];

static void start(struct capture *c, uint64_t cap_bytes)
{
	capture_init(c, cap_bytes);
	for (int i = 0; i < 2; i++) {
		if (pipe2(pipes[i], O_CLOEXEC | O_NONBLOCK) != 0)
			BAIL("pipe");
		written_len[i] = 0;
	}
}

static void stop(struct capture *c)
{
	capture_fini(c);
	for (int i = 0; i < 2; i++) {
		(void)close(pipes[i][0]);
		(void)close(pipes[i][1]);
	}
}

/* Write len bytes to a stream and let all of them be read. */
static void feed(struct capture *c, int stream, const void *data, size_t len)
{
	if (written_len[stream] + len > STREAM_MAX)
		BAIL("the model is too small");
	if (write(pipes[stream][1], data, len) != (ssize_t)len)
		BAIL("write to a pipe");
	memcpy(written[stream] + written_len[stream], data, len);
	written_len[stream] += len;
	while (capture_read(c, stream, pipes[stream][0]) > 0)
		;
}

static void feed_text(struct capture *c, int stream, size_t len, char first)
{
	char text[4096];

	for (size_t i = 0; i < len; i++)
		text[i] = (char)(first + (char)(i % 20));
	feed(c, stream, text, len);
}

/* What was kept fits what was written: prefix, gap, suffix. */
static int is_consistent(const struct captured *k, int stream)
{
	size_t all = written_len[stream];
	size_t kept = k->head.len;
	size_t head = (size_t)k->omitted_at;
	const unsigned char *w = written[stream];

	if (k->total_bytes != all || k->omitted_bytes != all - kept)
		return 0;
	if (k->omitted_bytes == 0)
		return kept == 0 || memcmp(k->head.data, w, kept) == 0;
	if (head > kept)
		return 0;
	if (head > 0 && memcmp(k->head.data, w, head) != 0)
		return 0;
	return kept == head ||
	       memcmp(k->head.data + head, w + all - (kept - head), kept - head) == 0;
}

static void take(struct capture *c, struct captured k[2])
{
	struct err e = ERR_INIT;

	memset(k, 0, 2 * sizeof *k);
	ok(capture_take(c, 0, &k[0], &e) == 0 && capture_take(c, 1, &k[1], &e) == 0, "taken");
	ok(is_consistent(&k[0], 0), "stdout: a beginning and an end of what was written");
	ok(is_consistent(&k[1], 1), "stderr: the same");
	ok(k[0].head.len + k[1].head.len <= c->cap_bytes, "no more than the cap together");
}

static void give(struct captured k[2])
{
	buf_fini(&k[0].head);
	buf_fini(&k[1].head);
}

static void test_at_the_cap(void)
{
	static const size_t sizes[] = { 0, 1, 999, 1000, 1001, 1002, 2000, 4096 };

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct capture c;
		struct captured k[2];

		start(&c, 1000);
		feed_text(&c, 0, sizes[i], 'a');
		take(&c, k);
		is_int(c.is_over, sizes[i] > 1000, "%zu bytes: over the cap or not", sizes[i]);
		is_int(k[0].omitted_bytes != 0, sizes[i] > 1000, "%zu bytes: omitted", sizes[i]);
		if (sizes[i] > 1000)
			ok(k[0].head.len >= 700, "%zu bytes: most of the cap is used: %zu",
			   sizes[i], k[0].head.len);
		give(k);
		stop(&c);
	}
}

static void test_tiny_caps(void)
{
	for (uint64_t cap = 0; cap < 9; cap++) {
		struct capture c;
		struct captured k[2];

		start(&c, cap);
		feed_text(&c, 0, 50, 'a');
		feed_text(&c, 1, 50, 'A');
		feed_text(&c, 0, 50, 'a');
		take(&c, k);
		ok(c.is_over, "a cap of %d", (int)cap);
		give(k);
		stop(&c);
	}
}

/* stdout was first and took all: stderr still has a quarter, the oldest and the newest of it. */
static void test_quarter(void)
{
	struct capture c;
	struct captured k[2];

	start(&c, 1000);
	feed_text(&c, 0, 3000, 'a');
	feed_text(&c, 1, 250, 'A');
	take(&c, k);
	is_int(k[1].head.len, 250, "a quarter for a stderr that comes late");
	is_int(k[1].omitted_bytes, 0, "of which nothing is omitted");
	give(k);
	stop(&c);

	start(&c, 1000);
	feed_text(&c, 1, 3000, 'A');
	feed_text(&c, 0, 250, 'a');
	take(&c, k);
	is_int(k[0].head.len, 250, "a quarter for a stdout that comes late");
	give(k);
	stop(&c);
}

static void test_characters(void)
{
	for (uint64_t cap = 20; cap < 44; cap++) {
		struct capture c;
		struct captured k[2];
		char text[200];
		size_t bad = 0;

		start(&c, cap);
		for (size_t i = 0; i + 3 <= sizeof text; i += 3)
			memcpy(text + i, "\xe2\x82\xac", 3);
		feed(&c, 0, text, 198);
		take(&c, k);
		for (size_t i = 0; i < k[0].head.len; i++)
			bad += k[0].head.data[i] != (unsigned char)"\xe2\x82\xac"[i % 3];
		is_int(bad + k[0].head.len % 3, 0, "a cap of %d cuts no character", (int)cap);
		give(k);
		stop(&c);
	}
}

static unsigned seed = 20261130;

static unsigned next_random(void)
{
	seed = seed * 1103515245U + 12345U;
	return seed >> 8;
}

static void test_random(void)
{
	for (int round = 0; round < 200; round++) {
		struct capture c;
		struct captured k[2];
		struct err e = ERR_INIT;
		uint64_t cap = next_random() % 20000;
		unsigned chunks = next_random() % 30;
		int is_good;

		start(&c, cap);
		for (unsigned i = 0; i < chunks; i++)
			feed_text(&c, (int)(next_random() % 2), next_random() % 4096, '!');
		memset(k, 0, sizeof k);
		is_good = capture_take(&c, 0, &k[0], &e) == 0;
		is_good = is_good && capture_take(&c, 1, &k[1], &e) == 0;
		is_good = is_good && is_consistent(&k[0], 0) && is_consistent(&k[1], 1);
		is_good = is_good && k[0].head.len + k[1].head.len <= cap;
		is_good = is_good && c.is_over == (written_len[0] + written_len[1] > cap);
		for (int s = 0; s < 2 && is_good; s++) {
			size_t quarter = (size_t)cap / 4;
			size_t want = written_len[s] < quarter ? written_len[s] : quarter;

			is_good = k[s].head.len >= want;
		}
		if (!is_good || round == 199)
			ok(is_good, "random round %d: cap %d, %zu and %zu bytes, kept %zu and %zu",
			   round, (int)cap, written_len[0], written_len[1], k[0].head.len,
			   k[1].head.len);
		give(k);
		stop(&c);
		if (!is_good)
			return;
	}
}

static void test_returns(void)
{
	struct capture c;

	start(&c, 100);
	errno = 0;
	ok(capture_read(&c, 0, pipes[0][0]) < 0 && errno == EAGAIN, "an empty pipe: EAGAIN");
	(void)close(pipes[0][1]);
	is_int(capture_read(&c, 0, pipes[0][0]), 0, "the end of a pipe: 0");
	ok(capture_read(&c, 0, -1) < 0, "no descriptor: -1");
	pipes[0][1] = -1;
	stop(&c);
	capture_init(&c, UINT64_MAX);
	is_int((long long)c.cap_bytes, (long long)LIMIT_OUTPUT_MAX, "the largest cap there is");
	capture_fini(&c);
}

int main(void)
{
	test_at_the_cap();
	test_tiny_caps();
	test_quarter();
	test_characters();
	test_random();
	test_returns();
	return done_testing();
}
