/*
 * Policy files: a JSON object whose members are rows of the option table, so that a file can say
 * what a command line can and is checked by the same code. Must not know any single option, and
 * must not give a key a meaning that its row does not have.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../json/json.h"
#include "../sys/fd.h"
#include "../sys/path.h"
#include "policy.h"
#include "policy_options.h"
#include "shown.h"

#define NUMBER_MAX 40 /* bytes of a number in a policy file; no limit needs more */

struct load {
	const struct opt_table *table;
	const struct json_doc *doc;
	const char *folder; /* where relative paths begin; NULL: the current one */
	void *target;
};

static bool is_repeatable(const struct opt *opt)
{
	return opt->type == OPT_LIST || (opt->flags & OPT_REPEATS);
}

static bool takes_text(const struct opt *opt)
{
	return opt->type != OPT_FLAG && opt->type != OPT_COUNT;
}

static bool takes_number(const struct opt *opt)
{
	return opt->type == OPT_SIZE || opt->type == OPT_DURATION || opt->type == OPT_U64 ||
	       (opt->flags & POLICY_OPT_NUMBER);
}

static int refuse_type(const struct load *l, const struct opt *opt, const struct json_node *node,
		       struct err *e)
{
	const char *want = "a string";

	if (!takes_text(opt))
		want = "true or false";
	else if (opt->type == OPT_SIZE)
		want = "a number of bytes or a string such as \"512m\"";
	else if (opt->type == OPT_DURATION)
		want = "a number of seconds or a string such as \"30s\"";
	else if (takes_number(opt))
		want = "a number or a string";
	else if (is_repeatable(opt))
		want = "a string or an array of strings";
	return json_error(l->doc, node, false, e, "%s has to be %s (%s), not of type %s", opt->name,
			  want, opt->arg ? opt->arg : "flag", json_type_name(json_type(node)));
}

/* text is NULL for a flag. A message of the row gets the position of the value in front. */
static int apply_text(const struct load *l, const struct opt *opt, const struct json_node *node,
		      const char *text, struct err *e)
{
	struct err inner = ERR_INIT;

	if (opt_apply(opt, l->target, text, &inner) == 0)
		return 0;
	if (inner.kind == ERR_USAGE)
		return json_error(l->doc, node, false, e, "%s", inner.msg);
	if (e)
		*e = inner;
	return -1;
}

static int apply_string(const struct load *l, const struct opt *opt, const struct json_node *node,
			struct err *e)
{
	const char *text = json_str(node);
	MEM_AUTOFREE char *path = NULL;

	if (l->folder && policy_option_is_relative(opt, text)) {
		text = path = mem_printf(e, "%s/%s", l->folder, text);
		if (!path)
			return -1;
	}
	return apply_text(l, opt, node, text, e);
}

/* The digits as they stand in the file: no detour over a double, which would round them. */
static int apply_number(const struct load *l, const struct opt *opt, const struct json_node *node,
			struct err *e)
{
	char text[NUMBER_MAX + 1];
	size_t len;
	const char *raw = json_raw(l->doc, node, &len);

	if (!raw || len > NUMBER_MAX)
		return json_error(l->doc, node, false, e, "the number is too long");
	memcpy(text, raw, len);
	text[len] = '\0';
	return apply_text(l, opt, node, text, e);
}

static int apply_value(const struct load *l, const struct opt *opt, const struct json_node *node,
		       struct err *e)
{
	enum json_type type = json_type(node);

	if (type == JSON_BOOL && !takes_text(opt))
		return json_bool(node) ? apply_text(l, opt, node, NULL, e) : 0;
	if (type == JSON_STRING && takes_text(opt))
		return apply_string(l, opt, node, e);
	if (type == JSON_NUMBER && takes_number(opt))
		return apply_number(l, opt, node, e);
	return refuse_type(l, opt, node, e);
}

/* Two keys for one field (an alias and the real name): which one counts is not ours to guess. */
static int check_alias(const struct load *l, const struct opt *opt, const struct json_node *member,
		       struct err *e)
{
	const struct json_node *m = json_first(json_root(l->doc));

	for (; m != member && !is_repeatable(opt); m = json_next(m)) {
		const struct opt *other = opt_find_key(l->table, json_key(m));
		if (other && other != opt && other->offset == opt->offset && !is_repeatable(other))
			return json_error(l->doc, member, true, e,
					  "\"%s\" means the same as \"%s\"; give one of them",
					  json_key(member), json_key(m));
	}
	return 0;
}

static int apply_member(const struct load *l, const struct json_node *member, struct err *e)
{
	const char *key = json_key(member);
	const struct opt *opt = opt_find_key(l->table, key);
	struct shown shown;

	if (strcmp(key, "$schema") == 0 || strcmp(key, "comment") == 0)
		return 0;
	if (!opt)
		return json_error(l->doc, member, true, e, "unknown key \"%s\"",
				  shown_text(&shown, key, strlen(key)));
	if (check_alias(l, opt, member, e) < 0)
		return -1;
	if (!is_repeatable(opt) || json_type(member) != JSON_ARRAY)
		return apply_value(l, opt, member, e);
	for (const struct json_node *n = json_first(member); n; n = json_next(n))
		if (apply_value(l, opt, n, e) < 0)
			return -1;
	return 0;
}

static int load_text(struct load *l, const char *text, size_t len, const char *where, struct err *e)
{
	struct json_doc *doc = json_parse(text, len, where, e);
	int rc = 0;

	if (!doc)
		return -1;
	l->doc = doc;
	if (json_type(json_root(doc)) != JSON_OBJECT)
		rc = json_error(doc, json_root(doc), false, e,
				"a policy file has to be an object, not of type %s",
				json_type_name(json_type(json_root(doc))));
	for (const struct json_node *m = json_first(json_root(doc)); m && rc == 0; m = json_next(m))
		rc = apply_member(l, m, e);
	json_free(doc);
	return rc;
}

int policy_load_text(const struct opt_table *table, const char *text, size_t len, const char *where,
		     void *target, struct err *e)
{
	struct load l = { .table = table, .target = target };

	return load_text(&l, text, len, where, e);
}

/*
 * The folder that path names a file in, without links, as ".." in a value of the file is to lead
 * where it seems to. The current one, and that of a descriptor, need no words: NULL in l.
 */
static int find_folder(struct load *l, const char *path, char folder[PATH_MAX], struct err *e)
{
	const char *slash = strrchr(path, '/');
	char named[PATH_MAX];

	if (!slash)
		return 0;
	(void)snprintf(named, sizeof(named), "%.*s", (int)(slash + 1 - path), path);
	if (!path_resolve(named, folder))
		return err_errno(e, ERR_USAGE, "policy file: %s", named);
	if (!str_eq(folder, "/dev") && !str_starts_with(folder, "/proc/"))
		l->folder = folder;
	return 0;
}

int policy_load_file(const struct opt_table *table, const char *path, void *target, struct err *e)
{
	struct load l = { .table = table, .target = target };
	char folder[PATH_MAX];
	struct buf text;
	int rc;

	buf_init(&text, LIMIT_POLICY_FILE);
	rc = fd_read_regular(NULL, path, &text, e);
	if (rc < 0)
		err_wrap(e, "policy file");
	else if ((rc = find_folder(&l, path, folder, e)) == 0)
		rc = load_text(&l, (const char *)text.data, text.len, path, e);
	buf_fini(&text);
	return rc;
}

/*
 * A second --policy would take the first file's hide and require away. The line has been parsed, so
 * each option of it can be parsed alone: one that then lacks its value has it in the next word.
 */
static int check_one_file(const struct opt_table *table, int end, char *const *argv, void *target,
			  void (*init)(void *target), void (*fini)(void *target), struct err *e)
{
	int n = 0;

	for (int i = 1; i < end; i++) {
		char *const word[] = { argv[0], argv[i], NULL };
		n += str_eq(argv[i], "--policy") || str_starts_with(argv[i], "--policy=");
		fini(target);
		init(target);
		i += opt_parse(table, 2, word, target, NULL) < 0;
	}
	return n < 2 ? 0 : err_set(e, ERR_USAGE, "--policy: only one file can be given");
}

/*
 * Twice over argv, because --policy may stand anywhere and yet everything else stands above it.
 * A later option replaces a scalar and adds to a list, so parsing argv over the loaded file is
 * all the merging there is: nothing on a command line can take a hide or require away.
 */
int policy_parse_argv(const struct opt_table *table, int argc, char *const *argv,
		      size_t policy_path_offset, void *target, void (*init)(void *target),
		      void (*fini)(void *target), struct err *e)
{
	int first;
	int rc;

	init(target);
	first = opt_parse(table, argc, argv, target, e);
	char **slot = (char **)(void *)((char *)target + policy_path_offset);
	if (first < 0 || !*slot)
		return first;
	char *path = MEM_TAKE(*slot);
	rc = check_one_file(table, first, argv, target, init, fini, e);
	fini(target);
	init(target);
	if (rc == 0)
		rc = policy_load_file(table, path, target, e);
	free(path);
	return rc < 0 ? -1 : opt_parse(table, argc, argv, target, e);
}
