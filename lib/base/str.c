/*
 * Text: comparisons, UTF-8 (RFC 3629), base64 (RFC 4648 §4), the printable form and the vector of
 * strings. Numbers are in str_num.c. Must not depend on the locale: only bytes count.
 */
#include "str.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

bool str_eq(const char *a, const char *b)
{
	if (!a || !b)
		return a == b;
	return strcmp(a, b) == 0;
}

bool str_starts_with(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* musl's strstr(3) is made for texts without end, and so ten times as large. */
char *str_find(const char *s, const char *what)
{
	while (!str_starts_with(s, what))
		if (*s++ == '\0')
			return NULL;
	return (char *)s;
}

bool str_ends_with(const char *s, const char *suffix)
{
	size_t len = strlen(s);
	size_t suffix_len = strlen(suffix);

	return len >= suffix_len && memcmp(s + len - suffix_len, suffix, suffix_len) == 0;
}

/* Length that a lead byte announces; 0 for C0, C1 (overlong) and F5..FF (above U+10FFFF). */
static size_t utf8_lead_len(unsigned char c)
{
	if (c < 0x80)
		return 1;
	if (c < 0xc2)
		return 0;
	if (c < 0xe0)
		return 2;
	if (c < 0xf0)
		return 3;
	return c < 0xf5 ? 4 : 0;
}

static bool utf8_is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/*
 * The table of RFC 3629 §4: four lead bytes narrow their second byte, against overlong forms,
 * surrogates and what lies above U+10FFFF.
 */
static bool utf8_second_ok(unsigned char lead, unsigned char second)
{
	if (!utf8_is_tail(second))
		return false;
	if (lead == 0xe0)
		return second >= 0xa0;
	if (lead == 0xed)
		return second <= 0x9f;
	if (lead == 0xf0)
		return second >= 0x90;
	if (lead == 0xf4)
		return second <= 0x8f;
	return true;
}

size_t str_utf8_seq(const void *data, size_t len)
{
	const unsigned char *s = data;

	if (!len)
		return 0;
	size_t n = utf8_lead_len(s[0]);
	if (n < 2)
		return n;
	if (n > len || !utf8_second_ok(s[0], s[1]))
		return 0;
	for (size_t i = 2; i < n; i++)
		if (!utf8_is_tail(s[i]))
			return 0;
	return n;
}

bool str_is_utf8(const void *data, size_t len)
{
	const unsigned char *s = data;

	while (len) {
		size_t n = str_utf8_seq(s, len);
		if (!n)
			return false;
		s += n;
		len -= n;
	}
	return true;
}

size_t str_utf8_floor(const void *data, size_t len)
{
	const unsigned char *s = data;
	size_t back = 1;

	/* A cut sequence has its lead among the last three bytes, only continuations behind it. */
	while (back < 3 && back < len && utf8_is_tail(s[len - back]))
		back++;
	if (back > len)
		return len;
	const unsigned char *lead = s + len - back;
	if (utf8_lead_len(*lead) <= back)
		return len;
	if (back > 1 && !utf8_second_ok(lead[0], lead[1]))
		return len;
	return len - back;
}

size_t str_utf8_skip(const void *data, size_t len)
{
	const unsigned char *s = data;
	size_t n = 0;

	while (n < len && n < 3 && utf8_is_tail(s[n]))
		n++;
	return n;
}

static const char base64_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int str_base64_encode(struct buf *out, const void *data, size_t len, struct err *e)
{
	const unsigned char *s = data;

	if (len / 3 >= SIZE_MAX / 4)
		return err_set(e, ERR_NOMEM, "base64 of %zu bytes is too long", len);
	size_t text_len = (len + 2) / 3 * 4;
	unsigned char *d = buf_reserve(out, text_len, e);
	if (!d)
		return -1;
	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t bits = (uint32_t)s[i] << 16;
		if (left > 1)
			bits |= (uint32_t)s[i + 1] << 8;
		if (left > 2)
			bits |= s[i + 2];
		*d++ = (unsigned char)base64_digits[bits >> 18];
		*d++ = (unsigned char)base64_digits[bits >> 12 & 63];
		*d++ = left > 1 ? (unsigned char)base64_digits[bits >> 6 & 63] : '=';
		*d++ = left > 2 ? (unsigned char)base64_digits[bits & 63] : '=';
	}
	buf_commit(out, text_len);
	return 0;
}

/* 0..63, or -1. */
static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	return c == '/' ? 63 : -1;
}

/*
 * Strict as RFC 4648 §3.3 and §3.5 allow: no line breaks, padding required, unused bits zero, so
 * that one byte string has exactly one text. Nothing is added to out on failure.
 */
int str_base64_decode(struct buf *out, const char *text, size_t len, struct err *e)
{
	size_t pad = 0;

	if (len % 4 != 0)
		return err_set(e, ERR_USAGE, "base64: length %zu is no multiple of 4", len);
	while (pad < 2 && pad < len && text[len - 1 - pad] == '=')
		pad++;
	unsigned char *d = buf_reserve(out, len / 4 * 3, e);
	if (!d)
		return -1;
	uint32_t bits = 0;
	for (size_t i = 0; i < len; i++) {
		int v = i < len - pad ? base64_value(text[i]) : 0;
		if (v < 0)
			return err_set(e, ERR_USAGE, "base64: bad character at offset %zu", i);
		bits = bits << 6 | (uint32_t)v;
		if (i % 4 != 3)
			continue;
		*d++ = (unsigned char)(bits >> 16 & 255);
		*d++ = (unsigned char)(bits >> 8 & 255);
		*d++ = (unsigned char)(bits & 255);
	}
	/* Padding was decoded as zero bits; what the digits before it put there must be zero too.
	 */
	for (size_t i = 1; i <= pad; i++)
		if (d[-(ptrdiff_t)i])
			return err_set(e, ERR_USAGE, "base64: unused bits at the end are not zero");
	buf_commit(out, len / 4 * 3 - pad);
	return 0;
}

/* Characters that are valid UTF-8 but move or hide text on a line. */
static bool utf8_is_unprintable(const unsigned char *s, size_t n)
{
	if (n == 1)
		return s[0] < 0x20 || s[0] == 0x7f;
	if (n == 2)
		return s[0] == 0xc2 && s[1] < 0xa0; /* C1 controls; U+009B is CSI to a terminal */
	if (n != 3 || s[0] != 0xe2)
		return false;
	if (s[1] == 0x80) /* U+200E..200F marks, U+2028..2029 line ends, U+202A..202E overrides */
		return s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae);
	return s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9; /* U+2066..2069 isolates */
}

size_t str_printable_unit(const void *data, size_t len, char unit[4], size_t *unit_len)
{
	static const char hex[] = "0123456789ABCDEF";
	const unsigned char *s = data;
	size_t n = str_utf8_seq(s, len);

	if (n && !utf8_is_unprintable(s, n)) {
		memcpy(unit, s, n);
		*unit_len = n;
		return n;
	}
	unit[0] = '\\';
	unit[1] = 'x';
	unit[2] = hex[s[0] >> 4];
	unit[3] = hex[s[0] & 15];
	*unit_len = 4;
	return 1; /* the rest is no sequence any more, so that its bytes follow as \xNN too */
}

size_t str_printable(char *out, size_t max, const void *data, size_t len)
{
	static const char mark[] = "…";
	const size_t mark_len = sizeof(mark) - 1;
	const unsigned char *s = data;
	size_t n = 0;
	size_t cut = 0; /* the longest prefix that leaves room for the mark */

	while (len) {
		char unit[4];
		size_t unit_len;
		size_t used = str_printable_unit(s, len, unit, &unit_len);
		if (unit_len > max - n) {
			if (max < mark_len)
				return cut;
			if (out)
				memcpy(out + cut, mark, mark_len);
			return cut + mark_len;
		}
		if (out)
			memcpy(out + n, unit, unit_len);
		n += unit_len;
		if (n + mark_len <= max)
			cut = n;
		s += used;
		len -= used;
	}
	return n;
}

int str_put_printable(struct buf *out, const char *s, size_t max, struct err *e)
{
	size_t len = strlen(s);
	size_t n = str_printable(NULL, max, s, len);
	unsigned char *room = buf_reserve(out, n, e);

	if (!room)
		return -1;
	buf_commit(out, str_printable((char *)room, max, s, len));
	return 0;
}

const char *str_shown(struct str_shown *shown, const char *s, size_t len)
{
	size_t n = str_printable(shown->text, STR_SHOWN_BYTES, s, strnlen(s, len));

	shown->text[n] = '\0';
	return shown->text;
}

int strv_add_take(struct strv *sv, char *s, struct err *e)
{
	if (sv->n + 1 >= sv->alloc) {
		size_t alloc = sv->alloc ? sv->alloc * 2 : 8;
		char **v = mem_realloc_array(sv->v, alloc, sizeof(*v), e);
		if (!v) {
			free(s);
			return -1;
		}
		sv->v = v;
		sv->alloc = alloc;
	}
	sv->v[sv->n++] = s;
	sv->v[sv->n] = NULL;
	return 0;
}

int strv_add(struct strv *sv, const char *s, struct err *e)
{
	char *copy = mem_strdup(s, e);
	if (!copy)
		return -1;
	return strv_add_take(sv, copy, e);
}

bool strv_has(const struct strv *sv, const char *s)
{
	for (size_t i = 0; i < sv->n; i++)
		if (strcmp(sv->v[i], s) == 0)
			return true;
	return false;
}

void strv_fini(struct strv *sv)
{
	for (size_t i = 0; i < sv->n; i++)
		free(sv->v[i]);
	free(sv->v);
	*sv = (struct strv){ 0 };
}
