/* The command's standard descriptors in frames; see carry.h. */
#include "carry.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../base/str.h"
#include "../frame/frame.h"
#include "../sys/fd.h"

#define CARRY_CHUNK (32UL * SBX_KIB)
/* What a drained source may send beyond its window: a pipe of the largest size that a command may
 * ask for (fs.pipe-max-size). */
#define CARRY_DRAIN_BYTES (1UL * SBX_MIB)

static const char *const names[CARRY_STREAMS] = { "stdin", "stdout", "stderr" };

void carry_init(struct carry *c)
{
	memset(c, 0, sizeof *c);
	for (int i = 0; i < CARRY_STREAMS; i++)
		c->streams[i].fd = -1;
}

int carry_add(struct carry *c, int stream, int fd, bool is_source, struct err *e)
{
	struct carry_stream *s = &c->streams[stream];

	s->carry = c;
	s->fd = fd;
	s->is_source = is_source;
	buf_init(&s->held, LIMIT_CARRY_WINDOW + CARRY_DRAIN_BYTES);
	return fd_set_nonblock(fd, e);
}

/* ---- frames out ---- */

static void put_type(struct frame_writer *f, struct carry *c, const char *type)
{
	frame_begin(f, c->out);
	jw_key(&f->jw, "type");
	jw_str(&f->jw, type);
}

/* Without memory the frame is lost; the stream is then cut, which its end tells. */
static void put_end(struct carry *c, struct frame_writer *f)
{
	(void)frame_end(f, NULL);
	c->on_out(c);
}

static int index_of(const struct carry_stream *s)
{
	return (int)(s - s->carry->streams);
}

static void send_data(struct carry_stream *s, const void *data, size_t len)
{
	struct frame_writer f;
	struct buf text;

	buf_init(&text, 2 * CARRY_CHUNK);
	put_type(&f, s->carry, names[index_of(s)]);
	jw_key(&f.jw, "data_b64");
	if (str_base64_encode(&text, data, len, &f.jw.err) == 0)
		jw_strn(&f.jw, text.data, text.len);
	buf_fini(&text);
	put_end(s->carry, &f);
	s->under_way += len;
}

static void send_end(struct carry_stream *s)
{
	struct frame_writer f;

	if (s->has_ended)
		return;
	s->has_ended = true;
	put_type(&f, s->carry, names[index_of(s)]);
	jw_key(&f.jw, "end");
	jw_bool(&f.jw, true);
	put_end(s->carry, &f);
}

static void send_taken(struct carry_stream *s)
{
	struct frame_writer f;

	put_type(&f, s->carry, "taken");
	jw_key(&f.jw, "stream");
	jw_str(&f.jw, names[index_of(s)]);
	jw_key(&f.jw, "bytes");
	jw_u64(&f.jw, s->taken);
	put_end(s->carry, &f);
	s->taken = 0;
}

static void send_gone(struct carry_stream *s)
{
	struct frame_writer f;

	put_type(&f, s->carry, "gone");
	jw_key(&f.jw, "stream");
	jw_str(&f.jw, names[index_of(s)]);
	put_end(s->carry, &f);
}

static void stream_close(struct carry_stream *s)
{
	if (s->carry->loop != NULL)
		loop_del(s->carry->loop, &s->watch);
	fd_close(&s->fd);
	s->watch.fd = -1;
}

/* ---- a source ---- */

/* One read; false: nothing more is there now. */
static bool source_read(struct carry_stream *s, size_t max)
{
	unsigned char bytes[CARRY_CHUNK];
	ssize_t n;

	do
		n = read(s->fd, bytes, max < sizeof bytes ? max : sizeof bytes);
	while (n < 0 && errno == EINTR);
	if (n > 0) {
		send_data(s, bytes, (size_t)n);
		return true;
	}
	if (n < 0 && errno == EAGAIN)
		return false;
	send_end(s);
	stream_close(s);
	return false;
}

static void on_source(struct loop_watch *w, short revents)
{
	struct carry_stream *s = w->ctx;

	(void)revents;
	(void)source_read(s, LIMIT_CARRY_WINDOW - s->under_way);
	if (s->under_way >= LIMIT_CARRY_WINDOW)
		w->events = 0;
}

void carry_drain(struct carry *c)
{
	for (int i = 0; i < CARRY_STREAMS; i++) {
		struct carry_stream *s = &c->streams[i];
		size_t bound = s->under_way + CARRY_DRAIN_BYTES;

		if (!s->is_source || s->fd < 0)
			continue;
		while (s->fd >= 0 && s->under_way < bound && source_read(s, bound - s->under_way)) {
		}
		send_end(s);
		stream_close(s);
	}
}

/* ---- a sink ---- */

static bool sink_lost(struct carry_stream *s)
{
	buf_reset(&s->held);
	send_gone(s);
	stream_close(s);
	return true;
}

static bool sink_push(struct carry_stream *s)
{
	bool has_moved = false;

	while (s->fd >= 0 && s->held.len > 0) {
		ssize_t n = write(s->fd, s->held.data, s->held.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0)
			return sink_lost(s);
		buf_consume(&s->held, (size_t)n);
		s->taken += (size_t)n;
		has_moved = true;
	}
	if (s->taken >= LIMIT_CARRY_WINDOW / 4)
		send_taken(s);
	if (s->fd >= 0 && s->held.len == 0 && s->has_ended) {
		stream_close(s);
		has_moved = true;
	}
	s->watch.events = s->held.len > 0 ? POLLOUT : 0;
	return has_moved;
}

static void on_sink(struct loop_watch *w, short revents)
{
	(void)revents;
	(void)sink_push(w->ctx);
}

bool carry_push(struct carry *c)
{
	bool has_moved = false;

	for (int i = 0; i < CARRY_STREAMS; i++)
		if (c->streams[i].fd >= 0 && !c->streams[i].is_source && sink_push(&c->streams[i]))
			has_moved = true;
	return has_moved;
}

bool carry_is_holding(const struct carry *c)
{
	for (int i = 0; i < CARRY_STREAMS; i++)
		if (c->streams[i].fd >= 0 && c->streams[i].held.len > 0)
			return true;
	return false;
}

/* ---- frames in ---- */

static int broken(const char *what, struct err *e)
{
	return err_set(e, ERR_INTERNAL, "inner frame: %s", what);
}

static struct carry_stream *stream_of(struct carry *c, const char *name)
{
	for (int i = 0; i < CARRY_STREAMS; i++)
		if (c->streams[i].carry != NULL && str_eq(name, names[i]))
			return &c->streams[i];
	return NULL;
}

static int take_data(struct carry_stream *s, const struct json_node *frame, struct err *e)
{
	const char *text = json_str(json_get(frame, "data_b64"));
	const struct json_node *end = json_get(frame, "end");

	if (s->is_source || s->has_ended)
		return broken("data against the direction or behind the end", e);
	if (text != NULL && s->fd >= 0 &&
	    str_base64_decode(&s->held, text, strlen(text), e) != 0)
		return -1;
	s->has_ended = end != NULL && json_bool(end);
	if (s->fd >= 0)
		(void)sink_push(s);
	return 1;
}

static int take_taken(struct carry_stream *s, const struct json_node *frame, struct err *e)
{
	uint64_t n = 0;
	const struct json_node *bytes = json_get(frame, "bytes");

	if (!s->is_source || bytes == NULL || json_u64(bytes, &n) != 0 || n > s->under_way)
		return broken("more was taken than sent", e);
	s->under_way -= (size_t)n;
	if (s->fd >= 0)
		s->watch.events = POLLIN;
	return 1;
}

static int take_gone(struct carry_stream *s, struct err *e)
{
	if (!s->is_source)
		return broken("the end that writes is gone", e);
	s->has_ended = true;
	stream_close(s); /* whoever writes to us is told by EPIPE */
	return 1;
}

int carry_take(struct carry *c, const struct json_node *frame, struct err *e)
{
	const char *type = json_str(json_get(frame, "type"));
	struct carry_stream *s = stream_of(c, type);

	if (s != NULL)
		return take_data(s, frame, e);
	if (!str_eq(type, "taken") && !str_eq(type, "gone"))
		return 0;
	s = stream_of(c, json_str(json_get(frame, "stream")));
	if (s == NULL)
		return broken("no such stream", e);
	return str_eq(type, "taken") ? take_taken(s, frame, e) : take_gone(s, e);
}

/* ---- life ---- */

int carry_start(struct carry *c, struct err *e)
{
	for (int i = 0; i < CARRY_STREAMS; i++) {
		struct carry_stream *s = &c->streams[i];

		if (s->fd < 0)
			continue;
		s->watch = (struct loop_watch){
			.fd = s->fd,
			.events = s->is_source ? POLLIN : 0,
			.fn = s->is_source ? on_source : on_sink,
			.ctx = s,
		};
		if (loop_add(c->loop, &s->watch, e) != 0)
			return -1;
	}
	return 0;
}

void carry_stop(struct carry *c)
{
	for (int i = 0; i < CARRY_STREAMS; i++) {
		if (c->streams[i].carry != NULL)
			stream_close(&c->streams[i]);
		buf_fini(&c->streams[i].held);
	}
}
