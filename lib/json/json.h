/*
 * JSON (RFC 8259), strict: a scanner of our own over the raw bytes refuses what cJSON lets pass
 * (bad UTF-8, trailing text, lone surrogates, leading zeros, comments, control bytes, depth) and
 * knows line and column; cJSON then holds the tree, on which duplicate keys are refused. No other
 * folder sees cJSON. The writer appends to a struct buf.
 */
#ifndef SBX_JSON_JSON_H
#define SBX_JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"
#include "../base/err.h"

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_doc;  /* owns the tree and a copy of the text */
struct json_node; /* a value of a document; valid as long as the document */

/*
 * Errors: ERR_USAGE "WHERE:LINE:COLUMN: what" (1-based, column in bytes), ERR_NOMEM. Refused beyond
 * RFC 8259: a byte order mark, duplicate keys, \u0000, lone surrogates, numbers that are no finite
 * double or longer than LIMIT_JSON_NUMBER, more than LIMIT_JSON_DEPTH levels or LIMIT_JSON_VALUES
 * values. text and where are copied.
 */
struct json_doc *json_parse(const char *text, size_t len, const char *where, struct err *e);
void json_free(struct json_doc *doc);
const struct json_node *json_root(const struct json_doc *doc);

enum json_type json_type(const struct json_node *n);
const char *json_type_name(enum json_type t); /* "object", … */
/* NULL: absent or not an object. */
const struct json_node *json_get(const struct json_node *object, const char *key);
const struct json_node *json_first(const struct json_node *container); /* member or element */
const struct json_node *json_next(const struct json_node *n);
const char *json_key(const struct json_node *member); /* name of an object member */
const char *json_str(const struct json_node *n);      /* NULL: no string. Never holds a NUL. */
bool json_bool(const struct json_node *n);
double json_num(const struct json_node *n);
/*
 * 0, or -1 if it is no whole number in 0..2^53-1 (RFC 7493 §2.2: 2^53 and 2^53+1 are the same
 * double); *out is then untouched.
 */
int json_u64(const struct json_node *n, uint64_t *out);
/*
 * ERR_USAGE "WHERE:LINE:COLUMN: text" with the position of n: of its key if is_key and it has one,
 * else of its value. Returns -1. Scans the text again, as does json_raw(): not for a loop.
 */
int json_error(const struct json_doc *doc, const struct json_node *n, bool is_key, struct err *e,
	       const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The exact source bytes of a value, e.g. to forward a number beyond 2^53 unchanged. */
const char *json_raw(const struct json_doc *doc, const struct json_node *n, size_t *len);

/*
 * Writer: commas and escapes are its business, balance is the caller's. A failed append (cap,
 * memory) is kept and told by jw_finish(), so that callers need not check each line; what out then
 * holds is a part and of no use.
 */
struct jw {
	struct buf *out;
	struct err err;
	unsigned depth;
	bool need_comma;
	bool is_after_key;
	bool is_pretty; /* two-space indent */
};
void jw_init(struct jw *w, struct buf *out, bool is_pretty);
void jw_object_begin(struct jw *w);
void jw_object_end(struct jw *w);
void jw_array_begin(struct jw *w);
void jw_array_end(struct jw *w);
void jw_key(struct jw *w, const char *key);
void jw_str(struct jw *w, const char *s); /* NULL writes null; invalid UTF-8 bytes become U+FFFD */
void jw_strn(struct jw *w, const void *data, size_t len);
void jw_bool(struct jw *w, bool v);
void jw_u64(struct jw *w, uint64_t v);
void jw_i64(struct jw *w, int64_t v);
void jw_null(struct jw *w);
void jw_raw(struct jw *w, const char *json, size_t len); /* already valid JSON */
int jw_finish(struct jw *w, struct err *e);

#endif
