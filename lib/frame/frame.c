/*
 * The frame codec; see frame.h. Bytes are scanned for their LF once, also when a frame comes in
 * many pieces, and an unfinished line is moved to the front once: a stream of small frames costs a
 * copy each and no more. Must not know what a frame means.
 */
#include "frame.h"

#include <string.h>

#include "../base/limits.h"

#define FRAME_KEEP_BYTES (64UL * SBX_KIB) /* a buffer that grew for one large frame is given back \
					   */

void frame_reader_init(struct frame_reader *r, size_t max_bytes)
{
	*r = (struct frame_reader){ .max_bytes = max_bytes };
	buf_init(&r->bytes, 2 * (max_bytes + 1));
}

void frame_reader_fini(struct frame_reader *r)
{
	buf_fini(&r->bytes);
	r->start = r->scanned = 0;
}

/* Forget what was returned. An unfinished line is moved once; a large empty buffer is freed. */
static void reader_compact(struct frame_reader *r)
{
	if (r->start == 0)
		return;
	buf_consume(&r->bytes, r->start);
	r->scanned -= r->start;
	r->start = 0;
	if (r->bytes.len == 0 && r->bytes.alloc > FRAME_KEEP_BYTES)
		buf_fini(&r->bytes);
}

/* Of data, how much belongs to the line that is being skipped; its LF ends the skipping. */
static size_t reader_skip(struct frame_reader *r, const char *data, size_t len)
{
	const char *lf = memchr(data, '\n', len);

	if (lf == NULL)
		return len;
	r->is_skipping = false;
	return (size_t)(lf - data) + 1;
}

/* The unfinished line at the end is longer than a frame may be: drop what is there of it. */
static void reader_drop_long(struct frame_reader *r)
{
	r->bytes.len = r->scanned = r->start;
	r->is_skipping = true;
	r->is_too_long = true;
}

int frame_reader_feed(struct frame_reader *r, const void *data, size_t len, struct err *e)
{
	const char *p = data;

	if (r->is_skipping) {
		size_t n = reader_skip(r, p, len);

		p += n;
		len -= n;
	}
	reader_compact(r);
	return buf_put(&r->bytes, p, len, e);
}

static bool is_blank(const char *line, size_t len)
{
	size_t n = 0;

	while (n < len && (line[n] == ' ' || line[n] == '\t' || line[n] == '\r'))
		n++;
	return n == len;
}

static int reader_parse(const char *line, size_t len, struct json_doc **doc, struct err *e)
{
	struct json_doc *d = json_parse(line, len, "frame", e);

	if (d == NULL)
		return -1;
	if (json_type(json_root(d)) != JSON_OBJECT) {
		json_free(d);
		return err_set(e, ERR_USAGE, "frame: not an object");
	}
	*doc = d;
	return 1;
}

static int reader_too_long(const struct frame_reader *r, struct err *e)
{
	return err_set(e, ERR_USAGE, "frame: longer than %zu bytes", r->max_bytes);
}

int frame_reader_next(struct frame_reader *r, struct json_doc **doc, struct err *e)
{
	*doc = NULL;
	for (;;) {
		const char *text = (const char *)r->bytes.data; /* NULL while nothing was kept */
		const char *lf = r->scanned == r->bytes.len ? NULL
							    : memchr(text + r->scanned, '\n',
								     r->bytes.len - r->scanned);
		size_t start = r->start, len;

		if (lf == NULL)
			break;
		len = (size_t)(lf - text) - start;
		r->start = r->scanned = start + len + 1;
		if (len > r->max_bytes)
			return reader_too_long(r, e);
		if (!is_blank(text + start, len))
			return reader_parse(text + start, len, doc, e);
	}
	r->scanned = r->bytes.len;
	if (r->bytes.len - r->start > r->max_bytes)
		reader_drop_long(r);
	if (!r->is_too_long)
		return 0;
	r->is_too_long = false;
	return reader_too_long(r, e);
}

void frame_begin(struct frame_writer *w, struct buf *out)
{
	w->start = out->len;
	jw_init(&w->jw, out, false);
	jw_object_begin(&w->jw);
}

int frame_end(struct frame_writer *w, struct err *e)
{
	struct buf *out = w->jw.out;
	int rc;

	jw_object_end(&w->jw);
	rc = jw_finish(&w->jw, e);
	if (rc == 0 && out->len - w->start > LIMIT_FRAME)
		rc = err_set(e, ERR_IO, "frame: longer than %zu bytes", (size_t)LIMIT_FRAME);
	if (rc == 0)
		rc = buf_putc(out, '\n', e);
	if (rc != 0)
		out->len = w->start; /* half a frame would make the next one unreadable */
	return rc;
}
