/*
 * Allocation that reports through struct err. Sizes are multiplied with an overflow check
 * (CWE-190), a size of zero still yields a pointer that can be told from failure. Must not end the
 * process or log.
 */
#include "mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *mem_calloc(size_t count, size_t size_bytes, struct err *e)
{
	/* calloc checks the product itself, but calloc(0) may be NULL, which reads as a failure. */
	void *p = count && size_bytes ? calloc(count, size_bytes) : calloc(1, 1);
	if (!p)
		err_set(e, ERR_NOMEM, "out of memory (%zu x %zu bytes)", count, size_bytes);
	return p;
}

void *mem_realloc_array(void *p, size_t count, size_t size_bytes, struct err *e)
{
	size_t total;
	void *q = NULL;

	/* realloc(p, 0) may free p; with one byte instead p's state is never in doubt. */
	if (!__builtin_mul_overflow(count, size_bytes, &total))
		q = realloc(p, total ? total : 1);
	if (!q)
		err_set(e, ERR_NOMEM, "out of memory (%zu x %zu bytes)", count, size_bytes);
	return q;
}

char *mem_strdup(const char *s, struct err *e)
{
	return mem_strndup(s, strlen(s), e);
}

char *mem_strndup(const char *s, size_t len, struct err *e)
{
	size_t n = strnlen(s, len);
	char *copy = n < SIZE_MAX ? malloc(n + 1) : NULL;
	if (!copy) {
		err_set(e, ERR_NOMEM, "out of memory (%zu bytes)", n);
		return NULL;
	}
	memcpy(copy, s, n);
	copy[n] = '\0';
	return copy;
}

char *mem_printf(struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	char *text = n < 0 ? NULL : malloc((size_t)n + 1);
	if (!text) {
		err_set(e, ERR_NOMEM, "out of memory (formatting a text)");
		return NULL;
	}
	va_start(ap, fmt);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return text;
}

void mem_wipe(void *p, size_t len)
{
	memset(p, 0, len);
	/* The compiler may not assume that nobody reads the bytes after this (CWE-14). */
	__asm__ __volatile__("" : : "r"(p) : "memory");
}

void mem_cleanup_free(void *pp)
{
	void *p;

	/* pp is a "T **" of any T: copy the pointer out instead of aliasing it as void **. */
	memcpy(&p, pp, sizeof(p));
	free(p);
}
