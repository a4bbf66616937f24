/*
 * A byte buffer that grows up to a cap given at birth (one of limits.h). Going over the cap is an
 * error (ERR_IO) and leaves the content as it was. Not a string: may hold NUL; buf_str() adds a
 * terminator outside len. Arguments must not point into the buffer: growing moves it.
 */
#ifndef SBX_BASE_BUF_H
#define SBX_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

#include "err.h"

struct buf {
	unsigned char *data; /* owned; NULL while empty */
	size_t len;
	size_t alloc;
	size_t cap_bytes;
};

void buf_init(struct buf *b, size_t cap_bytes);
void buf_fini(struct buf *b); /* frees; safe twice and on a zeroed struct */
void buf_reset(struct buf *b); /* len = 0, memory kept */
int buf_put(struct buf *b, const void *data, size_t len, struct err *e);
int buf_puts(struct buf *b, const char *s, struct err *e);
int buf_putc(struct buf *b, char c, struct err *e);
int buf_printf(struct buf *b, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Room for len more bytes at the end; write there, then buf_commit(). NULL on failure. */
unsigned char *buf_reserve(struct buf *b, size_t len, struct err *e);
void buf_commit(struct buf *b, size_t len);
void buf_consume(struct buf *b, size_t len); /* drop from the front */
/* NUL-terminated view, valid until the next change; NULL on failure. */
const char *buf_str(struct buf *b, struct err *e);
char *buf_take_str(struct buf *b, struct err *e); /* the caller frees it; b is empty afterwards */

#endif
