/*
 * The capped byte buffer. A failed call leaves the content as it was and names the cap in its
 * error. One byte behind the content is always allocated for the terminator of buf_str(), outside
 * the cap. Arguments must not point into the buffer itself: growing moves it.
 */
#include "buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

#define BUF_ALLOC_MIN 64

void buf_init(struct buf *b, size_t cap_bytes)
{
	*b = (struct buf){ .cap_bytes = cap_bytes };
}

void buf_fini(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ .cap_bytes = b->cap_bytes };
}

void buf_reset(struct buf *b)
{
	b->len = 0;
}

/* Doubling keeps appends linear; a buffer never holds more than its cap and one byte. */
static int buf_grow(struct buf *b, size_t len, struct err *e)
{
	if (b->len > b->cap_bytes || len > b->cap_bytes - b->len)
		return err_set(e, ERR_IO, "more than %zu bytes (limit of a buffer)", b->cap_bytes);
	size_t need = b->len + len;
	if (b->data && need < b->alloc)
		return 0;
	size_t want = need < BUF_ALLOC_MIN ? BUF_ALLOC_MIN : need;
	if (b->alloc <= SIZE_MAX / 2 && want < b->alloc * 2)
		want = b->alloc * 2;
	if (want > b->cap_bytes)
		want = b->cap_bytes;
	if (want == SIZE_MAX)
		return err_set(e, ERR_NOMEM, "out of memory (%zu bytes)", want);
	unsigned char *data = mem_realloc_array(b->data, want + 1, 1, e);
	if (!data)
		return -1;
	b->data = data;
	b->alloc = want + 1;
	return 0;
}

unsigned char *buf_reserve(struct buf *b, size_t len, struct err *e)
{
	if (buf_grow(b, len, e) < 0)
		return NULL;
	return b->data + b->len;
}

void buf_commit(struct buf *b, size_t len)
{
	b->len += len;
}

int buf_put(struct buf *b, const void *data, size_t len, struct err *e)
{
	if (!len)
		return 0;
	unsigned char *room = buf_reserve(b, len, e);
	if (!room)
		return -1;
	memcpy(room, data, len);
	b->len += len;
	return 0;
}

int buf_puts(struct buf *b, const char *s, struct err *e)
{
	return buf_put(b, s, strlen(s), e);
}

int buf_putc(struct buf *b, char c, struct err *e)
{
	return buf_put(b, &c, 1, e);
}

int buf_printf(struct buf *b, struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return err_set(e, ERR_INTERNAL, "a text could not be formatted");
	unsigned char *room = buf_reserve(b, (size_t)n, e);
	if (!room)
		return -1;
	va_start(ap, fmt);
	/* The byte for the terminator is always there. */
	vsnprintf((char *)room, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
	return 0;
}

void buf_consume(struct buf *b, size_t len)
{
	if (len >= b->len) {
		b->len = 0;
		return;
	}
	memmove(b->data, b->data + len, b->len - len);
	b->len -= len;
}

const char *buf_str(struct buf *b, struct err *e)
{
	if (buf_grow(b, 0, e) < 0)
		return NULL;
	b->data[b->len] = '\0';
	return (const char *)b->data;
}

char *buf_take_str(struct buf *b, struct err *e)
{
	if (!buf_str(b, e))
		return NULL;
	char *s = (char *)MEM_TAKE(b->data);
	b->len = 0;
	b->alloc = 0;
	return s;
}
