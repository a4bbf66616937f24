/*
 * Frames: JSON objects (RFC 8259), one a line, UTF-8, ended by LF. The codec only: what a frame
 * means, and where its bytes come from and go to, is the caller's business; no descriptor is read
 * or written here. A reader never loses its place: a line that is too long or no object is told
 * once and skipped, and the next line is read as if it had not been there.
 */
#ifndef SBX_FRAME_FRAME_H
#define SBX_FRAME_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/buf.h"
#include "../base/err.h"
#include "../json/json.h"

struct frame_reader {
	struct buf bytes; /* what was fed and not yet returned, from `start` on */
	size_t start;
	size_t scanned;	  /* no LF before this offset */
	size_t max_bytes; /* of one line without its LF */
	bool is_skipping; /* inside a line that is too long: up to its LF nothing is kept */
	bool is_too_long; /* such a line began and was not told yet */
};

/* max_bytes: at most LIMIT_FRAME. */
void frame_reader_init(struct frame_reader *r, size_t max_bytes);
void frame_reader_fini(struct frame_reader *r); /* safe twice and on a zeroed struct */
/*
 * Take bytes as they arrive, at most max_bytes a call, then call frame_reader_next() until it
 * returns 0. -1 with ERR_NOMEM, or ERR_IO for a caller that does not keep to that: the stream has
 * lost bytes and is of no more use.
 */
int frame_reader_feed(struct frame_reader *r, const void *data, size_t len, struct err *e);
/*
 * 1: *doc is the next frame, an object, to be freed by json_free(). 0: no whole line is there.
 * -1: the next line was malformed or too long and is skipped (e: ERR_USAGE), or ERR_NOMEM; in all
 * cases the next call goes on behind it. Empty lines are passed over.
 */
int frame_reader_next(struct frame_reader *r, struct json_doc **doc, struct err *e);

struct frame_writer {
	struct jw jw; /* inside the frame's object: keys and values are added through it */
	size_t start;
};
/* Begin a frame at the end of out. */
void frame_begin(struct frame_writer *w, struct buf *out);
/* End it: the object's end and LF. -1: over LIMIT_FRAME, or out is full; out is then as before. */
int frame_end(struct frame_writer *w, struct err *e);

#endif
