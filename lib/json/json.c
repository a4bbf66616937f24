/*
 * Documents: the scanner accepts the text, cJSON builds the tree, duplicate keys are refused on
 * the tree (where escapes are already resolved). Positions are not stored: a node's number in
 * text order is counted on the tree and looked up by a second scan, which only errors pay for.
 * The only file that calls cJSON; a struct json_node is a cJSON seen from outside.
 */
#include "json.h"

#include <cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "scan.h"

#define JSON_MAX_SAFE 9007199254740991.0 /* 2^53 - 1 */

struct json_doc {
	char *text;
	size_t len;
	char *where;
	cJSON *root;
};

/* Members of one object, sorted to bring equal keys together; reused from object to object. */
struct key_entry {
	const char *key;
	size_t order;
	const cJSON *member;
};
struct key_list {
	struct key_entry *entries;
	size_t alloc;
};

static const cJSON *node_of(const struct json_node *n)
{
	return (const cJSON *)(const void *)n;
}

static const struct json_node *node_from(const cJSON *c)
{
	return (const struct json_node *)(const void *)c;
}

static int key_compare(const void *a, const void *b)
{
	const struct key_entry *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	if (order)
		return order;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int key_list_fill(struct key_list *list, const cJSON *object, size_t *count, struct err *e)
{
	size_t n = 0;

	for (const cJSON *m = object->child; m; m = m->next, n++) {
		if (n == list->alloc) {
			size_t alloc = list->alloc ? list->alloc * 2 : 32;
			struct key_entry *grown =
				mem_realloc_array(list->entries, alloc, sizeof(*grown), e);
			if (!grown)
				return -1;
			list->entries = grown;
			list->alloc = alloc;
		}
		list->entries[n] = (struct key_entry){ m->string, n, m };
	}
	*count = n;
	return 0;
}

/* Sorted, a hostile object of 100,000 keys costs n log n. The later of two equals is the fault. */
static int object_check_keys(const struct json_doc *doc, const cJSON *object, struct key_list *list,
			     struct err *e)
{
	size_t count;

	if (key_list_fill(list, object, &count, e) < 0)
		return -1;
	qsort(list->entries, count, sizeof(*list->entries), key_compare);
	for (size_t i = 1; i < count; i++)
		if (strcmp(list->entries[i - 1].key, list->entries[i].key) == 0)
			return json_error(doc, node_from(list->entries[i].member), true, e,
					  "duplicate key \"%s\"", list->entries[i].key);
	return 0;
}

/* Recursion is bounded by LIMIT_JSON_DEPTH, which the scanner has checked. */
static int tree_check_keys(const struct json_doc *doc, const cJSON *c, struct key_list *list,
			   struct err *e)
{
	if (cJSON_IsObject(c) && c->child && c->child->next &&
	    object_check_keys(doc, c, list, e) < 0)
		return -1;
	for (const cJSON *m = c->child; m; m = m->next)
		if (m->child && tree_check_keys(doc, m, list, e) < 0)
			return -1;
	return 0;
}

static int doc_check_keys(const struct json_doc *doc, struct err *e)
{
	struct key_list list = { NULL, 0 };
	int rc = tree_check_keys(doc, doc->root, &list, e);

	free(list.entries);
	return rc;
}

struct json_doc *json_parse(const char *text, size_t len, const char *where, struct err *e)
{
	struct json_doc *doc;

	if (json_scan(text, len, where, e) < 0)
		return NULL;
	doc = mem_calloc(1, sizeof(*doc), e);
	if (!doc)
		return NULL;
	doc->text = mem_calloc(len + 1, 1, e);
	doc->where = mem_strdup(where, e);
	if (!doc->text || !doc->where)
		goto fail;
	memcpy(doc->text, text, len);
	doc->len = len;
	doc->root = cJSON_ParseWithLength(doc->text, len);
	if (!doc->root) {
		err_set(e, ERR_NOMEM, "%s: out of memory (JSON text of %zu bytes)", where, len);
		goto fail;
	}
	if (doc_check_keys(doc, e) < 0)
		goto fail;
	return doc;
fail:
	json_free(doc);
	return NULL;
}

void json_free(struct json_doc *doc)
{
	if (!doc)
		return;
	cJSON_Delete(doc->root);
	free(doc->where);
	free(doc->text);
	free(doc);
}

const struct json_node *json_root(const struct json_doc *doc)
{
	return node_from(doc->root);
}

enum json_type json_type(const struct json_node *n)
{
	const cJSON *c = node_of(n);

	if (cJSON_IsObject(c))
		return JSON_OBJECT;
	if (cJSON_IsArray(c))
		return JSON_ARRAY;
	if (cJSON_IsString(c))
		return JSON_STRING;
	if (cJSON_IsNumber(c))
		return JSON_NUMBER;
	return cJSON_IsBool(c) ? JSON_BOOL : JSON_NULL;
}

const char *json_type_name(enum json_type t)
{
	static const char *const names[] = {
		[JSON_NULL] = "null",	  [JSON_BOOL] = "boolean", [JSON_NUMBER] = "number",
		[JSON_STRING] = "string", [JSON_ARRAY] = "array",  [JSON_OBJECT] = "object",
	};

	return names[t];
}

const struct json_node *json_get(const struct json_node *object, const char *key)
{
	const cJSON *c = node_of(object);

	return cJSON_IsObject(c) ? node_from(cJSON_GetObjectItemCaseSensitive(c, key)) : NULL;
}

const struct json_node *json_first(const struct json_node *container)
{
	return node_from(node_of(container)->child);
}

const struct json_node *json_next(const struct json_node *n)
{
	return node_from(node_of(n)->next);
}

const char *json_key(const struct json_node *member)
{
	return node_of(member)->string;
}

const char *json_str(const struct json_node *n)
{
	return cJSON_GetStringValue(node_of(n));
}

bool json_bool(const struct json_node *n)
{
	return cJSON_IsTrue(node_of(n));
}

double json_num(const struct json_node *n)
{
	return cJSON_IsNumber(node_of(n)) ? node_of(n)->valuedouble : 0;
}

int json_u64(const struct json_node *n, uint64_t *out)
{
	double d = node_of(n)->valuedouble;

	if (!cJSON_IsNumber(node_of(n)) || !(d >= 0 && d <= JSON_MAX_SAFE) ||
	    (double)(uint64_t)d != d)
		return -1;
	*out = (uint64_t)d;
	return 0;
}

/* Count nodes in text order up to want; true when it was met. */
static bool tree_count_to(const cJSON *c, const cJSON *want, size_t *index)
{
	if (c == want)
		return true;
	(*index)++;
	for (const cJSON *m = c->child; m; m = m->next)
		if (tree_count_to(m, want, index))
			return true;
	return false;
}

static struct json_span node_span(const struct json_doc *doc, const struct json_node *n)
{
	struct json_span span;
	size_t index = 0;

	tree_count_to(doc->root, node_of(n), &index);
	json_scan_find(doc->text, doc->len, index, &span);
	return span;
}

int json_error(const struct json_doc *doc, const struct json_node *n, bool is_key, struct err *e,
	       const char *fmt, ...)
{
	struct json_span span = node_span(doc, n);
	char text[ERR_MSG_MAX];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	return json_scan_refuse(doc->text, is_key ? span.key_start : span.value_start, doc->where,
				text, e);
}

const char *json_raw(const struct json_doc *doc, const struct json_node *n, size_t *len)
{
	struct json_span span = node_span(doc, n);

	*len = span.value_end - span.value_start;
	return doc->text + span.value_start;
}
