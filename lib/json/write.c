/*
 * The JSON writer: escapes, commas, indentation. Output is always valid UTF-8 on whatever input,
 * and without line breaks inside a string, so that a compact document is one line.
 * The first failed append is kept; everything after it is a no-op until jw_finish() tells.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/str.h"
#include "json.h"
#include "scan.h"

void jw_init(struct jw *w, struct buf *out, bool is_pretty)
{
	*w = (struct jw){ .out = out, .err = ERR_INIT, .is_pretty = is_pretty };
}

static void jw_put(struct jw *w, const void *data, size_t len)
{
	if (w->err.kind == ERR_NONE)
		buf_put(w->out, data, len, &w->err);
}

static void jw_puts(struct jw *w, const char *s)
{
	jw_put(w, s, strlen(s));
}

static void jw_newline(struct jw *w)
{
	if (!w->is_pretty)
		return;
	jw_puts(w, "\n");
	for (unsigned i = 0; i < w->depth; i++)
		jw_puts(w, "  ");
}

/* What stands before a key or a value: a comma, a line break, or nothing behind a key. */
static void jw_separate(struct jw *w)
{
	if (w->is_after_key) {
		w->is_after_key = false;
		return;
	}
	if (w->need_comma)
		jw_puts(w, ",");
	if (w->depth)
		jw_newline(w);
}

static void jw_begin(struct jw *w, const char *bracket)
{
	jw_separate(w);
	jw_puts(w, bracket);
	w->depth++;
	w->need_comma = false;
}

static void jw_end(struct jw *w, const char *bracket)
{
	w->depth--;
	if (w->need_comma)
		jw_newline(w);
	jw_puts(w, bracket);
	w->need_comma = true;
}

static void jw_scalar(struct jw *w, const char *text, size_t len)
{
	jw_separate(w);
	jw_put(w, text, len);
	w->need_comma = true;
}

void jw_object_begin(struct jw *w)
{
	jw_begin(w, "{");
}

void jw_object_end(struct jw *w)
{
	jw_end(w, "}");
}

void jw_array_begin(struct jw *w)
{
	jw_begin(w, "[");
}

void jw_array_end(struct jw *w)
{
	jw_end(w, "]");
}

static void jw_escape(struct jw *w, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	static const char plain[] = "\"\\\b\f\n\r\t";
	static const char letters[] = "\"\\bfnrt";
	const char *at = c ? strchr(plain, c) : NULL;

	if (at) {
		char text[] = { '\\', letters[at - plain] };
		jw_put(w, text, sizeof(text));
	} else {
		char text[] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };
		jw_put(w, text, sizeof(text));
	}
}

/* Length of the run at the front that can be copied as it is. */
static size_t clean_run(const unsigned char *s, size_t len)
{
	size_t n = 0;

	for (;;) {
		n += json_plain_run(s + n, len - n);
		size_t step = n < len && s[n] >= 0x80 ? str_utf8_seq(s + n, len - n) : 0;
		if (!step)
			return n;
		n += step;
	}
}

static void jw_quoted(struct jw *w, const void *data, size_t len)
{
	const unsigned char *s = data;

	jw_puts(w, "\"");
	while (len) {
		size_t n = clean_run(s, len);
		jw_put(w, s, n);
		s += n;
		len -= n;
		if (!len)
			break;
		if (*s < 0x80)
			jw_escape(w, *s);
		else
			jw_puts(w, "\xef\xbf\xbd"); /* U+FFFD */
		s++;
		len--;
	}
	jw_puts(w, "\"");
}

void jw_key(struct jw *w, const char *key)
{
	jw_separate(w);
	jw_quoted(w, key, strlen(key));
	jw_puts(w, w->is_pretty ? ": " : ":");
	w->is_after_key = true;
}

void jw_str(struct jw *w, const char *s)
{
	if (s)
		jw_strn(w, s, strlen(s));
	else
		jw_null(w);
}

void jw_strn(struct jw *w, const void *data, size_t len)
{
	jw_separate(w);
	jw_quoted(w, data, len);
	w->need_comma = true;
}

void jw_bool(struct jw *w, bool v)
{
	jw_raw(w, v ? "true" : "false", v ? 4 : 5);
}

void jw_u64(struct jw *w, uint64_t v)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%" PRIu64, v);

	jw_scalar(w, text, (size_t)n);
}

void jw_i64(struct jw *w, int64_t v)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%" PRId64, v);

	jw_scalar(w, text, (size_t)n);
}

void jw_null(struct jw *w)
{
	jw_scalar(w, "null", 4);
}

void jw_raw(struct jw *w, const char *json, size_t len)
{
	jw_scalar(w, json, len);
}

int jw_finish(struct jw *w, struct err *e)
{
	if (w->err.kind == ERR_NONE)
		return 0;
	if (e)
		*e = w->err;
	return -1;
}
