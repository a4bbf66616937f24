/*
 * The strict scanner: recursive descent over bytes, depth and every other count capped, so that
 * cJSON only ever sees what it reads the same way. First fault wins; its line and column are
 * counted only then. Must not allocate and must not be more lenient than RFC 8259.
 */
#include "scan.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../base/limits.h"
#include "../base/str.h"

/* Of a file name: its end, so that the fault behind it is not cut off. */
#define WHERE_SHOWN_BYTES 300

struct scan {
	const unsigned char *text;
	size_t len;
	size_t at;
	size_t value_count;
	unsigned depth;
	const char *fault; /* static; NULL while all is well */
	size_t fault_at;
	size_t want_index; /* value to locate; SIZE_MAX: none */
	struct json_span *span;
};

static int scan_fail(struct scan *s, size_t at, const char *fault)
{
	s->fault = fault;
	s->fault_at = at;
	return -1;
}

/* The byte at the front, or -1 at the end. */
static int scan_peek(const struct scan *s)
{
	return s->at < s->len ? s->text[s->at] : -1;
}

static void scan_skip_space(struct scan *s)
{
	for (;;) {
		int c = scan_peek(s);
		if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
			return;
		s->at++;
	}
}

static int scan_expected(struct scan *s, const char *fault)
{
	return scan_fail(s, s->at, s->at < s->len ? fault : "the text ends too early");
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static void scan_skip_digits(struct scan *s)
{
	while (is_digit(scan_peek(s)))
		s->at++;
}

/* [ "-" ] int [ frac ] [ exp ]; no more than a finite double, since the tree holds doubles. */
static int scan_number(struct scan *s)
{
	char copy[LIMIT_JSON_NUMBER + 1];
	size_t start = s->at;

	s->at += scan_peek(s) == '-';
	if (!is_digit(scan_peek(s)))
		return scan_expected(s, "a digit is missing");
	if (scan_peek(s) == '0' && s->at + 1 < s->len && is_digit(s->text[s->at + 1]))
		return scan_fail(s, s->at, "a number has a leading zero");
	scan_skip_digits(s);
	if (scan_peek(s) == '.') {
		s->at++;
		if (!is_digit(scan_peek(s)))
			return scan_expected(s, "a digit is missing");
		scan_skip_digits(s);
	}
	if (scan_peek(s) == 'e' || scan_peek(s) == 'E') {
		s->at++;
		s->at += scan_peek(s) == '+' || scan_peek(s) == '-';
		if (!is_digit(scan_peek(s)))
			return scan_expected(s, "a digit is missing");
		scan_skip_digits(s);
	}
	size_t len = s->at - start;
	if (len > LIMIT_JSON_NUMBER)
		return scan_fail(s, start, "a number is too long");
	memcpy(copy, s->text + start, len);
	copy[len] = '\0';
	return isfinite(strtod(copy, NULL)) ? 0 : scan_fail(s, start, "a number is too large");
}

/* Four hexadecimal digits at the front, or -1. */
static int scan_hex4(struct scan *s)
{
	int value = 0;

	if (s->len - s->at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int c = s->text[s->at + (size_t)i];
		int digit = is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
		if (digit < 0 || digit > 15 || (!is_digit(c) && digit < 10))
			return -1;
		value = value << 4 | digit;
	}
	s->at += 4;
	return value;
}

/* Behind "\u"; start is the offset of the backslash. */
static int scan_unicode_escape(struct scan *s, size_t start)
{
	int unit = scan_hex4(s);

	if (unit < 0)
		return scan_fail(s, start, "\\u needs four hexadecimal digits");
	if (unit == 0)
		return scan_fail(s, start, "\\u0000 is not accepted in a string");
	if (unit < 0xd800 || unit > 0xdfff)
		return 0;
	if (unit > 0xdbff || s->len - s->at < 2 || memcmp(s->text + s->at, "\\u", 2) != 0)
		return scan_fail(s, start, "a surrogate stands alone");
	s->at += 2;
	int low = scan_hex4(s);
	if (low < 0xdc00 || low > 0xdfff)
		return scan_fail(s, start, "a surrogate stands alone");
	return 0;
}

static int scan_escape(struct scan *s)
{
	size_t start = s->at++;
	int c = scan_peek(s);

	if (c == 'u') {
		s->at++;
		return scan_unicode_escape(s, start);
	}
	if (c <= 0 || !strchr("\"\\/bfnrt", c))
		return scan_fail(s, start, "unknown escape");
	s->at++;
	return 0;
}

size_t json_plain_run(const unsigned char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] >= 0x20 && s[n] < 0x80 && s[n] != '"' && s[n] != '\\')
		n++;
	return n;
}

/* At the opening quote; ends behind the closing one. */
static int scan_string(struct scan *s)
{
	s->at++;
	for (;;) {
		s->at += json_plain_run(s->text + s->at, s->len - s->at);
		int c = scan_peek(s);
		if (c < 0)
			return scan_fail(s, s->at, "a string does not end");
		if (c == '"') {
			s->at++;
			return 0;
		}
		if (c < 0x20)
			return scan_fail(s, s->at, "a control byte in a string");
		if (c == '\\') {
			if (scan_escape(s) < 0)
				return -1;
			continue;
		}
		size_t n = str_utf8_seq(s->text + s->at, s->len - s->at);
		if (!n)
			return scan_fail(s, s->at, "invalid UTF-8");
		s->at += n;
	}
}

static int scan_word(struct scan *s, const char *word)
{
	size_t len = strlen(word);

	if (s->len - s->at < len || memcmp(s->text + s->at, word, len) != 0)
		return scan_fail(s, s->at, "no JSON value");
	s->at += len;
	return 0;
}

static int scan_value(struct scan *s, size_t key_start);

/* One "name": value. */
static int scan_member(struct scan *s)
{
	size_t key_start = s->at;

	if (scan_peek(s) != '"')
		return scan_expected(s, "a member name in double quotes is missing");
	if (scan_string(s) < 0)
		return -1;
	scan_skip_space(s);
	if (scan_peek(s) != ':')
		return scan_expected(s, "':' is missing");
	s->at++;
	scan_skip_space(s);
	return scan_value(s, key_start);
}

/* Array or object, at the opening bracket; ends behind the closing one. */
static int scan_container(struct scan *s, bool is_object)
{
	int close = is_object ? '}' : ']';

	if (++s->depth > LIMIT_JSON_DEPTH)
		return scan_fail(s, s->at, "too many levels of nesting");
	s->at++;
	scan_skip_space(s);
	bool is_first = true;
	while (!is_first || scan_peek(s) != close) {
		if ((is_object ? scan_member(s) : scan_value(s, s->at)) < 0)
			return -1;
		is_first = false;
		scan_skip_space(s);
		if (scan_peek(s) == close)
			break;
		if (scan_peek(s) != ',')
			return scan_expected(s, is_object ? "',' or '}' is missing"
							  : "',' or ']' is missing");
		s->at++;
		scan_skip_space(s);
	}
	s->at++;
	s->depth--;
	return 0;
}

static int scan_any(struct scan *s)
{
	int c = scan_peek(s);

	switch (c) {
	case '{':
		return scan_container(s, true);
	case '[':
		return scan_container(s, false);
	case '"':
		return scan_string(s);
	case 't':
		return scan_word(s, "true");
	case 'f':
		return scan_word(s, "false");
	case 'n':
		return scan_word(s, "null");
	default:
		if (c == '-' || is_digit(c))
			return scan_number(s);
		return scan_expected(s, "no JSON value");
	}
}

static int scan_value(struct scan *s, size_t key_start)
{
	size_t index = s->value_count++;
	size_t start = s->at;

	if (index >= LIMIT_JSON_VALUES)
		return scan_fail(s, start, "too many values");
	if (scan_any(s) < 0)
		return -1;
	if (index == s->want_index)
		*s->span = (struct json_span){ key_start, start, s->at };
	return 0;
}

static int scan_text(struct scan *s)
{
	if (s->len >= 3 && memcmp(s->text, "\xef\xbb\xbf", 3) == 0)
		return scan_fail(s, 0, "a byte order mark is not accepted");
	scan_skip_space(s);
	if (s->at == s->len)
		return scan_fail(s, s->at, "the text is empty");
	if (scan_value(s, s->at) < 0)
		return -1;
	scan_skip_space(s);
	return s->at < s->len ? scan_fail(s, s->at, "more text behind the value") : 0;
}

static void text_position(const char *text, size_t offset, size_t *line, size_t *column)
{
	*line = 1;
	*column = 1;
	for (size_t i = 0; i < offset; i++) {
		(*column)++;
		if (text[i] == '\n') {
			(*line)++;
			*column = 1;
		}
	}
}

int json_scan_refuse(const char *text, size_t offset, const char *where, const char *fault,
		     struct err *e)
{
	size_t where_len = strlen(where);
	bool is_cut = where_len > WHERE_SHOWN_BYTES;
	size_t line, column;

	if (is_cut)
		where += where_len - WHERE_SHOWN_BYTES;
	text_position(text, offset, &line, &column);
	return err_set(e, ERR_USAGE, "%s%s:%zu:%zu: %s", is_cut ? "..." : "", where, line, column,
		       fault);
}

int json_scan(const char *text, size_t len, const char *where, struct err *e)
{
	struct scan s = { .text = (const unsigned char *)text, .len = len, .want_index = SIZE_MAX };

	if (scan_text(&s) == 0)
		return 0;
	return json_scan_refuse(text, s.fault_at, where, s.fault, e);
}

void json_scan_find(const char *text, size_t len, size_t index, struct json_span *span)
{
	struct scan s = {
		.text = (const unsigned char *)text,
		.len = len,
		.want_index = index,
		.span = span,
	};

	*span = (struct json_span){ 0, 0, 0 };
	scan_text(&s);
}
