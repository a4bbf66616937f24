/*
 * --env-file: one NAME=VALUE a line, the common part of what docker and systemd take. '#' comments
 * and blank lines are skipped, "export " before a name and one pair of quotes around a value are
 * taken off; there are no escapes, no continuation lines and no expansion. Must not show any part
 * of a line in a message: this is where secrets are kept.
 */
#include "env_file.h"

#include <stdlib.h>
#include <string.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../sys/fd.h"
#include "env_rules.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void skip_blanks(const char **s, size_t *len)
{
	while (*len && is_blank(**s)) {
		(*s)++;
		(*len)--;
	}
}

static void skip_prefix(const char **s, size_t *len, const char *prefix)
{
	size_t n = strlen(prefix);

	if (*len >= n && memcmp(*s, prefix, n) == 0) {
		*s += n;
		*len -= n;
	}
}

/* "…" or '…' as a whole; a quote inside stays as it is. */
static void strip_quotes(const char **s, size_t *len)
{
	if (*len >= 2 && (**s == '"' || **s == '\'') && (*s)[*len - 1] == **s) {
		(*s)++;
		*len -= 2;
	}
}

struct position {
	const char *file;
	unsigned long line; /* from 1 */
};

static int refuse_line(const struct position *at, const char *why, struct err *e)
{
	return err_set(e, ERR_USAGE, "%s:%lu: %s", at->file, at->line, why);
}

static int add_entry(const char *name, size_t name_len, const char *value, size_t value_len,
		     struct strv *out, struct err *e)
{
	char *entry = mem_calloc(name_len + 1 + value_len + 1, 1, e);

	if (!entry)
		return -1;
	memcpy(entry, name, name_len);
	entry[name_len] = '=';
	memcpy(entry + name_len + 1, value, value_len);
	return strv_add_take(out, entry, e);
}

/* One line without its end. */
static int parse_line(const struct position *at, const char *line, size_t len, struct strv *out,
		      struct err *e)
{
	const char *equals;
	size_t name_len;

	if (memchr(line, '\0', len))
		return refuse_line(at, "a NUL byte", e);
	skip_blanks(&line, &len);
	if (len == 0 || *line == '#')
		return 0;
	skip_prefix(&line, &len, "export ");
	skip_blanks(&line, &len);
	equals = memchr(line, '=', len);
	if (!equals)
		return refuse_line(at, "no '=' (a line is NAME=VALUE)", e);
	name_len = (size_t)(equals - line);
	if (!env_name_is_valid(line, name_len))
		return refuse_line(at, "the name is empty or has a blank or control byte in it", e);
	const char *value = equals + 1;
	size_t value_len = len - name_len - 1;
	strip_quotes(&value, &value_len);
	return add_entry(line, name_len, value, value_len, out, e);
}

int env_file_parse(const char *text, size_t len, const char *where, struct strv *out,
		   struct err *e)
{
	struct position at = { .file = where };

	skip_prefix(&text, &len, "\xEF\xBB\xBF"); /* the byte order mark of some editors */
	while (len) {
		const char *newline = memchr(text, '\n', len);
		size_t used = newline ? (size_t)(newline - text) + 1 : len;
		size_t line_len = newline ? used - 1 : used;
		if (line_len && text[line_len - 1] == '\r')
			line_len--;
		at.line++;
		if (parse_line(&at, text, line_len, out, e) < 0)
			return -1;
		text += used;
		len -= used;
	}
	return 0;
}

int env_file_load(const char *root, const char *path, struct strv *out, struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, LIMIT_ENV_FILE);
	rc = fd_read_regular(root, path, &text, e);
	if (rc < 0)
		err_wrap(e, "environment file");
	else
		rc = env_file_parse((const char *)text.data, text.len, path, out, e);
	if (text.data)
		mem_wipe(text.data, text.len);
	buf_fini(&text);
	return rc;
}
