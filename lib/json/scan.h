/*
 * The strict scanner over raw bytes (RFC 8259), private to this folder. It accepts or refuses a
 * whole text and finds where the n-th value of an accepted one stands; it builds no tree and
 * allocates nothing. Duplicate keys are not its business: they are found on the tree.
 */
#ifndef SBX_JSON_SCAN_H
#define SBX_JSON_SCAN_H

#include <stddef.h>

#include "../base/err.h"

/* Byte offsets into the text. */
struct json_span {
	size_t key_start; /* the '"' of the member name; value_start where there is none */
	size_t value_start;
	size_t value_end;
};

/* How many bytes at the front are ASCII that stands in a string as it is: most of any text. */
size_t json_plain_run(const unsigned char *s, size_t len);

/* -1: ERR_USAGE "WHERE:LINE:COLUMN: what". */
int json_scan(const char *text, size_t len, const char *where, struct err *e);

/* Where value number index of an accepted text stands, in the order of the text; 0: the root. */
void json_scan_find(const char *text, size_t len, size_t index, struct json_span *span);

/* Fill e with ERR_USAGE "WHERE:LINE:COLUMN: fault", 1-based, column in bytes; returns -1. */
int json_scan_refuse(const char *text, size_t offset, const char *where, const char *fault,
		     struct err *e);

#endif
