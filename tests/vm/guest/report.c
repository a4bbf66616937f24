/* Reading what sbx-run --json and sbx-probe --json said; see guest.h. */
#include <stdio.h>
#include <string.h>

#include "guest.h"

static const struct json_node *top(const struct run *r, const char *key)
{
	return r->json == NULL ? NULL : json_get(json_root(r->json), key);
}

static const char *text(const struct json_node *n)
{
	return n != NULL && json_type(n) == JSON_STRING ? json_str(n) : "";
}

const char *report_str(const struct run *r, const char *key)
{
	return text(top(r, key));
}

double report_num(const struct run *r, const char *key)
{
	const struct json_node *n = top(r, key);

	return n != NULL && json_type(n) == JSON_NUMBER ? json_num(n) : -1;
}

static void add_word(char *buf, size_t size, const char *word)
{
	size_t len = strlen(buf);

	(void)snprintf(buf + len, size - len, "%s%s", len == 0 ? "" : " ", word);
}

/* The words of an array: strings, or the string called name of objects. */
static const char *words(const struct json_node *array, const char *name, char *buf, size_t size)
{
	(void)snprintf(buf, size, "%s", array == NULL ? "?" : "");
	for (const struct json_node *n = array == NULL ? NULL : json_first(array); n != NULL;
	     n = json_next(n))
		add_word(buf, size, text(name == NULL ? n : json_get(n, name)));
	return buf;
}

static const struct json_node *layers(const struct run *r, const char *key)
{
	const struct json_node *n = top(r, "layers");

	return n == NULL ? NULL : json_get(n, key);
}

const char *report_applied(const struct run *r, char *buf, size_t size)
{
	return words(layers(r, "applied"), NULL, buf, size);
}

const char *report_missing(const struct run *r, char *buf, size_t size)
{
	return words(layers(r, "missing"), "layer", buf, size);
}

bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = strstr(list, word); at != NULL; at = strstr(at + 1, word))
		if ((at == list || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
			return true;
	return false;
}

bool report_is_applied(const struct run *r, const char *layer)
{
	char buf[512];

	return has_word(report_applied(r, buf, sizeof buf), layer);
}

static const struct json_node *named(
    const struct json_node *array, const char *key, const char *name)
{
	for (const struct json_node *n = array == NULL ? NULL : json_first(array); n != NULL;
	     n = json_next(n))
		if (strcmp(text(json_get(n, key)), name) == 0)
			return n;
	return NULL;
}

const char *report_why(const struct run *r, const char *layer)
{
	const struct json_node *n = named(layers(r, "missing"), "layer", layer);

	return n == NULL ? "" : text(json_get(n, "why"));
}

const char *report_not_working(const struct run *r, const char *table, char *buf, size_t size)
{
	const struct json_node *array = top(r, table);

	(void)snprintf(buf, size, "%s", array == NULL ? "?" : "");
	for (const struct json_node *n = array == NULL ? NULL : json_first(array); n != NULL;
	     n = json_next(n)) {
		const struct json_node *works = json_get(n, "works");

		if (works == NULL || !json_bool(works))
			add_word(buf, size, text(json_get(n, "name")));
	}
	return buf;
}

const char *report_row(const struct run *r, const char *table, const char *name, const char *field)
{
	const struct json_node *n = named(top(r, table), "name", name);

	return n == NULL ? "" : text(json_get(n, field));
}

const char *report_auto(const struct run *r, const char *key)
{
	const struct json_node *n = top(r, "auto");

	return n == NULL ? "" : text(json_get(n, key));
}

const char *report_auto_applied(const struct run *r, char *buf, size_t size)
{
	const struct json_node *n = top(r, "auto");

	return words(n == NULL ? NULL : json_get(n, "applied"), NULL, buf, size);
}

const char *line_of(const struct run *r, const char *name, char *buf, size_t size)
{
	size_t len = strlen(name);
	const char *line = r->json == NULL ? r->out : report_str(r, "stdout");

	buf[0] = '\0';
	for (; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, len) == 0 && strncmp(line + len, ": ", 2) == 0) {
			line += len + 2;
			(void)snprintf(buf, size, "%.*s", (int)strcspn(line, "\n"), line);
			break;
		}
	}
	return buf;
}
