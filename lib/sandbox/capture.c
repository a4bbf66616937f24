/* Head and tail capture; see capture.h. */
#include "capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../base/str.h"

#define CAPTURE_CHUNK (64UL * SBX_KIB)

void capture_init(struct capture *c, uint64_t cap_bytes)
{
	memset(c, 0, sizeof *c);
	c->cap_bytes = cap_bytes > LIMIT_OUTPUT_MAX ? LIMIT_OUTPUT_MAX : cap_bytes;
}

void capture_fini(struct capture *c)
{
	for (int i = 0; i < 2; i++) {
		free(c->streams[i].head);
		free(c->streams[i].ring);
	}
	memset(c, 0, sizeof *c);
}

static int capture_grow(struct capture_stream *s, size_t want)
{
	size_t n = s->head_alloc == 0 ? 4096 : s->head_alloc;
	void *p;

	if (want <= s->head_alloc)
		return 0;
	while (n < want)
		n *= 2;
	p = realloc(s->head, n);
	if (p == NULL) {
		errno = ENOMEM;
		return -1;
	}
	s->head = p;
	s->head_alloc = n;
	return 0;
}

/* Give a stream its share: the first half of it stays as head, the rest goes round in a ring. */
static int capture_split(struct capture_stream *s, size_t budget)
{
	size_t head = budget / 2;
	size_t ring = budget - head > 0 ? budget - head :
					  1; /* a cap of 0 or 1 still needs somewhere to read to */
	size_t over;

	s->ring = malloc(ring);
	if (s->ring == NULL) {
		errno = ENOMEM;
		return -1;
	}
	s->ring_size = budget - head;
	s->head_cap = head;
	if (s->head_len <= head)
		return 0; /* it goes on to grow up to there */
	over = s->head_len - head;
	if (over > s->ring_size)
		over = s->ring_size;
	memcpy(s->ring, s->head + s->head_len - over, over);
	s->ring_len = over;
	s->ring_pos = s->ring_size == 0 ? 0 : over % s->ring_size;
	s->head_len = head;
	return 0;
}

/* The cap was passed: stdout keeps what it has, but each stream gets at least a quarter. */
static int capture_pass_cap(struct capture *c)
{
	uint64_t quarter = c->cap_bytes / 4;
	uint64_t out = c->streams[0].head_len;

	if (out < quarter)
		out = quarter;
	if (out > c->cap_bytes - quarter)
		out = c->cap_bytes - quarter;
	c->is_over = true;
	if (capture_split(&c->streams[0], (size_t)out) != 0)
		return -1;
	return capture_split(&c->streams[1], (size_t)(c->cap_bytes - out));
}

static void capture_ring_put(struct capture_stream *s, const unsigned char *p, size_t n)
{
	while (n > 0 && s->ring_size > 0) {
		size_t room = s->ring_size - s->ring_pos;

		if (room > n)
			room = n;
		memcpy(s->ring + s->ring_pos, p, room);
		s->ring_pos = (s->ring_pos + room) % s->ring_size;
		s->ring_len = s->ring_len + room > s->ring_size ? s->ring_size : s->ring_len + room;
		p += room;
		n -= room;
	}
}

/* Past the cap: read into the ring itself, where it is large enough to be worth it; one copy by the
 * kernel. */
static ssize_t capture_read_ring(struct capture_stream *s, int fd)
{
	unsigned char small[4096];
	struct iovec v[2];
	ssize_t n;

	if (s->ring_size < sizeof small) {
		n = read(fd, small, sizeof small);
		if (n > 0)
			capture_ring_put(s, small, (size_t)n);
		return n;
	}
	v[0].iov_base = s->ring + s->ring_pos;
	v[0].iov_len = s->ring_size - s->ring_pos;
	v[1].iov_base = s->ring;
	v[1].iov_len = s->ring_pos;
	n = readv(fd, v, v[1].iov_len == 0 ? 1 : 2);
	if (n > 0) {
		s->ring_pos = (s->ring_pos + (size_t)n) % s->ring_size;
		s->ring_len =
		    s->ring_len + (size_t)n > s->ring_size ? s->ring_size : s->ring_len + (size_t)n;
	}
	return n;
}

/* Read up to want bytes to the end of the head. */
static ssize_t capture_append(struct capture_stream *s, size_t want, int fd)
{
	ssize_t n;

	if (s->head_alloc - s->head_len < want && capture_grow(s, s->head_len + want) != 0)
		return -1;
	n = read(fd, s->head + s->head_len, want);
	if (n > 0)
		s->head_len += (size_t)n;
	return n;
}

static ssize_t capture_read_head(struct capture *c, struct capture_stream *s, int fd)
{
	unsigned char one;
	uint64_t used = c->streams[0].head_len + c->streams[1].head_len;
	size_t want =
	    c->cap_bytes - used < CAPTURE_CHUNK ? (size_t)(c->cap_bytes - used) : CAPTURE_CHUNK;
	ssize_t n;

	if (want == 0) { /* full to the last byte: only one more byte makes it too much */
		n = read(fd, &one, 1);
		if (n != 1)
			return n;
		if (capture_pass_cap(c) != 0)
			return -1;
		if (s->head_len >= s->head_cap) {
			capture_ring_put(s, &one, 1);
			return n;
		}
		if (capture_grow(s, s->head_len + 1) != 0)
			return -1;
		s->head[s->head_len++] = one;
		return n;
	}
	return capture_append(s, want, fd);
}

ssize_t capture_read(struct capture *c, int stream, int fd)
{
	struct capture_stream *s = &c->streams[stream];
	ssize_t n;

	if (!c->is_over)
		n = capture_read_head(c, s, fd);
	else if (s->head_len < s->head_cap)
		n = capture_append(s, s->head_cap - s->head_len, fd);
	else
		n = capture_read_ring(s, fd);

	if (n > 0)
		s->total_bytes += (uint64_t)n;
	return n;
}

int capture_take(struct capture *c, int stream, struct captured *out, struct err *e)
{
	struct capture_stream *s = &c->streams[stream];
	size_t head = s->head_len, tail = s->ring_size == 0 ? 0 : s->ring_len, skip = 0;
	size_t start =
	    s->ring_size == 0 ? 0 : (s->ring_pos + s->ring_size - s->ring_len) % s->ring_size;
	unsigned char first[4];

	out->total_bytes = s->total_bytes;
	out->omitted_bytes = s->total_bytes - head - tail;
	if (out->omitted_bytes > 0) {
		head = str_utf8_floor(s->head, head);
		for (size_t i = 0; i < 4 && i < tail && s->ring_size > 0; i++)
			first[i] = s->ring[(start + i) % s->ring_size];
		skip = tail == 0 ? 0 : str_utf8_skip(first, tail < 4 ? tail : 4);
	}
	out->omitted_bytes += (s->head_len - head) + skip;
	out->omitted_at = head;
	buf_init(&out->head, LIMIT_OUTPUT_MAX);
	if (head > 0 && buf_put(&out->head, s->head, head, e) != 0)
		return -1;
	for (size_t i = skip; i < tail && s->ring_size > 0;) { /* the ring in at most two pieces */
		size_t at = (start + i) % s->ring_size;
		size_t n = s->ring_size - at < tail - i ? s->ring_size - at : tail - i;

		if (buf_put(&out->head, s->ring + at, n, e) != 0)
			return -1;
		i += n;
	}
	return 0;
}
