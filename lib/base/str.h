/*
 * Text: numbers, sizes and durations as users write them, UTF-8, base64, printable forms, and a
 * vector of strings.
 * Every parser takes the whole string or fails; no locale, no errno games.
 */
#ifndef SBX_BASE_STR_H
#define SBX_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

bool str_eq(const char *a, const char *b); /* NULL equals only NULL */
bool str_starts_with(const char *s, const char *prefix);
bool str_ends_with(const char *s, const char *suffix);
char *str_find(const char *s, const char *what); /* as strstr(3), for short texts */

/* The digits at *s into *out; moves *s behind them. Raw: -1: no digit, or too large. */
int str_take_u64(const char **s, uint64_t *out);
/* Decimal digits only: no sign, no space, no prefix. Errors: ERR_USAGE naming what. */
int str_parse_u64(const char *s, uint64_t max, const char *what, uint64_t *out, struct err *e);
/*
 * "4096", "512k", "64m", "1g", "2t" (powers of 1024), optional "b" or "ib" behind the letter, any
 * case, fractions as in "1.5g"; bytes, rounded up. Errors: ERR_USAGE naming what; *out untouched.
 */
int str_parse_size(const char *s, const char *what, uint64_t *out_bytes, struct err *e);
/* "500ms", "30s", "2m", "1h", "0.5", a plain number is seconds; milliseconds, rounded up. */
int str_parse_duration(const char *s, const char *what, uint64_t *out_ms, struct err *e);

/* Length (1..4) of the well-formed UTF-8 sequence (RFC 3629 §4) at the front; 0: there is none. */
size_t str_utf8_seq(const void *data, size_t len);
/* Strict: no surrogates, no overlong forms, at most U+10FFFF. */
bool str_is_utf8(const void *data, size_t len);
/* The largest n <= len such that no UTF-8 sequence is cut at n (elsewhere data may be invalid). */
size_t str_utf8_floor(const void *data, size_t len);
/* How many bytes at the front are continuation bytes of a sequence that was cut (0..3). */
size_t str_utf8_skip(const void *data, size_t len);

int str_base64_encode(struct buf *out, const void *data, size_t len, struct err *e);
/* Strict RFC 4648 §4: padding required, no line breaks; nothing is added on failure. */
int str_base64_decode(struct buf *out, const char *text, size_t len, struct err *e);

/*
 * The printable one-line form for messages and logs: at most max bytes, cut with "…" (it counts).
 * Control bytes (C0, DEL, C1), bytes that are no UTF-8 and characters that reorder or break a
 * terminal line (CVE-2021-42574) become \xNN. Returns the length; out gets no NUL and may be NULL
 * to measure.
 */
size_t str_printable(char *out, size_t max, const void *data, size_t len);
int str_put_printable(struct buf *out, const char *s, size_t max, struct err *e);

/* Its next step: fills unit and *unit_len (1..4), returns the bytes of data it used; len > 0. */
size_t str_printable_unit(const void *data, size_t len, char unit[4], size_t *unit_len);

/* That form of something the user gave, small enough for an error message; needs no cleanup. */
#define STR_SHOWN_BYTES 80
struct str_shown {
	char text[STR_SHOWN_BYTES + 1];
};
/* At most len bytes of s, up to its NUL. Returns shown->text. */
const char *str_shown(struct str_shown *shown, const char *s, size_t len);

/* A growing NULL-terminated vector of owned strings. */
struct strv {
	char **v; /* v[n] == NULL; v itself is NULL while empty */
	size_t n;
	size_t alloc;
};
int strv_add(struct strv *sv, const char *s, struct err *e);    /* copies */
int strv_add_take(struct strv *sv, char *s, struct err *e);     /* takes s, frees it on failure */
bool strv_has(const struct strv *sv, const char *s);
void strv_fini(struct strv *sv); /* frees strings and vector; safe on a zeroed struct */

#endif
