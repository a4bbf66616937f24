/*
 * JSON parser: whatever it accepts must be walked, found again in the source, and survive being
 * written and read once more; whatever it refuses must carry a message and be refused by no crash.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/limits.h"
#include "lib/json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond)                                                                                 \
	do {                                                                                       \
		if (!(cond))                                                                       \
			abort();                                                                   \
	} while (0)

/* Write a tree; numbers keep their source text. */
static void write_tree(struct jw *w, const struct json_doc *doc, const struct json_node *n)
{
	enum json_type type = json_type(n);
	size_t len;
	const char *raw = json_raw(doc, n, &len);

	MUST(len > 0);
	switch (type) {
	case JSON_NULL:
		jw_null(w);
		return;
	case JSON_BOOL:
		jw_bool(w, json_bool(n));
		return;
	case JSON_NUMBER:
		jw_raw(w, raw, len);
		return;
	case JSON_STRING:
		MUST(raw[0] == '"' && raw[len - 1] == '"');
		jw_str(w, json_str(n));
		return;
	case JSON_ARRAY:
		MUST(raw[0] == '[' && raw[len - 1] == ']');
		jw_array_begin(w);
		break;
	case JSON_OBJECT:
		MUST(raw[0] == '{' && raw[len - 1] == '}');
		jw_object_begin(w);
		break;
	}
	for (const struct json_node *m = json_first(n); m; m = json_next(m)) {
		if (type == JSON_OBJECT) {
			jw_key(w, json_key(m));
			MUST(json_get(n, json_key(m)) == m);
		}
		write_tree(w, doc, m);
	}
	if (type == JSON_OBJECT)
		jw_object_end(w);
	else
		jw_array_end(w);
}

static void write_doc(struct buf *out, const struct json_doc *doc, bool is_pretty)
{
	struct jw w;

	jw_init(&w, out, is_pretty);
	write_tree(&w, doc, json_root(doc));
	MUST(jw_finish(&w, NULL) == 0);
}

/* Written compactly, read, and written again, the text is the same. */
static void check_round_trip(const struct json_doc *doc, bool is_pretty)
{
	struct buf first, second;
	struct err e = ERR_INIT;

	buf_init(&first, 64 * SBX_MIB);
	buf_init(&second, 64 * SBX_MIB);
	write_doc(&first, doc, is_pretty);
	struct json_doc *again = json_parse((char *)first.data, first.len, "again", &e);
	MUST(again);
	write_doc(&second, again, is_pretty);
	MUST(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
	json_free(again);
	buf_fini(&first);
	buf_fini(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = ERR_INIT;
	struct json_doc *doc;

	if (size > 4096) /* json_raw() on each node is quadratic */
		return 0;
	doc = json_parse((const char *)data, size, "fuzz", &e);
	if (!doc) {
		MUST(e.kind == ERR_USAGE && strncmp(e.msg, "fuzz:", 5) == 0);
		return 0;
	}
	MUST(e.kind == ERR_NONE);
	check_round_trip(doc, false);
	check_round_trip(doc, true);
	json_free(doc);
	return 0;
}
