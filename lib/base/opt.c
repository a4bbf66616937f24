/*
 * The option parser: walks argv once over a table and stores through offsets. Grammar as in
 * getopt_long(3) without permutation and without abbreviations: options end at "--", at "-" and at
 * the first word that is no option. Must not print, must not know any single option; help and
 * manual are in opt_print.c.
 */
#include "opt.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "str.h"

#define OPT_NAME_MAX 64 /* longer words are not compared with known names */

bool opt_takes_value(const struct opt *opt)
{
	if (opt->type == OPT_FUNC)
		return opt->arg != NULL;
	return opt->type != OPT_FLAG && opt->type != OPT_COUNT;
}

static bool opt_is_on_command_line(const struct opt *opt)
{
	return !(opt->flags & OPT_POLICY_ONLY);
}

const struct opt *opt_find(const struct opt_table *table, const char *name, size_t name_len)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct opt *opt = &table->opts[i];
		if (opt_is_on_command_line(opt) && strlen(opt->name) == name_len &&
		    memcmp(opt->name, name, name_len) == 0)
			return opt;
	}
	return NULL;
}

static const struct opt *opt_find_letter(const struct opt_table *table, char letter)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct opt *opt = &table->opts[i];
		if (opt->letter && opt->letter == letter && opt_is_on_command_line(opt))
			return opt;
	}
	return NULL;
}

static bool opt_key_is(const struct opt *opt, const char *json_key)
{
	const char *name = opt->name;

	for (; *name && *json_key; name++, json_key++)
		if ((*name == '-' ? '_' : *name) != *json_key)
			return false;
	return !*name && !*json_key;
}

const struct opt *opt_find_key(const struct opt_table *table, const char *json_key)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct opt *opt = &table->opts[i];
		if (!(opt->flags & OPT_CLI_ONLY) && opt_key_is(opt, json_key))
			return opt;
	}
	return NULL;
}

/* What a message calls the option: "--name", or the key of what is for policy files only. */
static void opt_label(const struct opt *opt, char label[OPT_NAME_MAX])
{
	const char *dashes = opt_is_on_command_line(opt) ? "--" : "";
	size_t n = strlen(dashes);

	memcpy(label, dashes, n);
	for (const char *s = opt->name; *s && n < OPT_NAME_MAX - 1; s++)
		label[n++] = *s == '-' && !*dashes ? '_' : *s;
	label[n] = '\0';
}

static int opt_store_string(char **slot, const char *value, struct err *e)
{
	char *copy = mem_strdup(value, e);
	if (!copy)
		return -1;
	free(*slot);
	*slot = copy;
	return 0;
}

int opt_apply(const struct opt *opt, void *target, const char *value, struct err *e)
{
	char label[OPT_NAME_MAX];
	void *slot = (char *)target + opt->offset;
	int rc = 0;

	opt_label(opt, label);
	if (!value && opt_takes_value(opt) && !(opt->flags & OPT_OPTIONAL_ARG))
		return err_set(e, ERR_USAGE, "%s: a value is missing (%s)", label,
			       opt->arg ? opt->arg : "VALUE");
	if (value && !opt_takes_value(opt))
		return err_set(e, ERR_USAGE, "%s: takes no value", label);
	switch ((enum opt_type)opt->type) {
	case OPT_FLAG:
		*(bool *)slot = true;
		break;
	case OPT_COUNT:
		if (*(int *)slot < INT_MAX)
			*(int *)slot += 1;
		break;
	case OPT_STRING:
		rc = opt_store_string(slot, value, e);
		break;
	case OPT_SIZE:
		rc = str_parse_size(value, label, slot, e);
		break;
	case OPT_DURATION:
		rc = str_parse_duration(value, label, slot, e);
		break;
	case OPT_U64:
		rc = str_parse_u64(value, UINT64_MAX, label, slot, e);
		break;
	case OPT_LIST:
		rc = strv_add(slot, value, e);
		break;
	case OPT_FUNC:
		rc = opt->parse(target, value, e);
		if (rc < 0)
			err_wrap(e, "%s", label);
		break;
	}
	if (rc < 0)
		return -1;
	if (opt->set_offset)
		*(bool *)((char *)target + opt->set_offset) = true;
	return 0;
}

/* Levenshtein distance between a[0..a_len) and b; both at most OPT_NAME_MAX bytes. */
static size_t edit_distance(const char *a, size_t a_len, const char *b)
{
	size_t b_len = strlen(b);
	size_t row[OPT_NAME_MAX + 1];

	for (size_t j = 0; j <= b_len; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);
			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[b_len];
}

/* The known name that was most likely meant: one typing error in three letters, or a cut name. */
static const struct opt *opt_find_nearest(const struct opt_table *table, const char *name,
					  size_t len)
{
	const struct opt *nearest = NULL;
	size_t best = (len + 1) / 3 + 1;

	if (len < 2 || len > OPT_NAME_MAX)
		return NULL;
	for (size_t i = 0; i < table->count; i++) {
		const struct opt *opt = &table->opts[i];
		if (!opt_is_on_command_line(opt) || opt->flags & OPT_HIDDEN ||
		    strlen(opt->name) > OPT_NAME_MAX)
			continue;
		size_t distance = edit_distance(name, len, opt->name);
		if (distance > 1 && strncmp(opt->name, name, len) == 0)
			distance = 1;
		if (distance < best) {
			best = distance;
			nearest = opt;
		}
	}
	return nearest;
}

/* word: as typed, with its dashes; name: the part of it that was looked for. */
static int opt_refuse_unknown(const struct opt_table *table, const char *word, const char *name,
			      size_t name_len, struct err *e)
{
	const struct opt *nearest = opt_find_nearest(table, name, name_len);
	struct str_shown shown;

	return err_set(e, ERR_USAGE, "unknown option '%s'%s%s%s", str_shown(&shown, word, SIZE_MAX),
		       nearest ? " (did you mean --" : "", nearest ? nearest->name : "",
		       nearest ? "?)" : "");
}

/* One "--name", "--name=VALUE" or "--name VALUE" at argv[i]; returns the index behind it or -1. */
static int opt_parse_long(const struct opt_table *table, int i, char *const *argv, void *target,
			  struct err *e)
{
	const char *name = argv[i] + 2;
	size_t name_len = strcspn(name, "=");
	const char *value = name[name_len] ? name + name_len + 1 : NULL;
	const struct opt *opt = opt_find(table, name, name_len);

	if (!opt)
		return opt_refuse_unknown(table, argv[i], name, name_len, e);
	i++;
	if (!value && opt_takes_value(opt) && !(opt->flags & OPT_OPTIONAL_ARG) && argv[i])
		value = argv[i++];
	return opt_apply(opt, target, value, e) < 0 ? -1 : i;
}

/* One "-abc" at argv[i]: the last may take a value, the rest of the word or the next one. */
static int opt_parse_cluster(const struct opt_table *table, int i, char *const *argv, void *target,
			     struct err *e)
{
	const char *word = argv[i++];

	for (const char *s = word + 1; *s; s++) {
		const struct opt *opt = opt_find_letter(table, *s);
		if (!opt)
			return opt_refuse_unknown(table, word, word + 1, strcspn(word + 1, "="), e);
		if (!opt_takes_value(opt)) {
			if (opt_apply(opt, target, NULL, e) < 0)
				return -1;
			continue;
		}
		const char *value = s[1] ? s + 1 : NULL;
		if (!value && !(opt->flags & OPT_OPTIONAL_ARG) && argv[i])
			value = argv[i++];
		return opt_apply(opt, target, value, e) < 0 ? -1 : i;
	}
	return i;
}

int opt_parse(const struct opt_table *table, int argc, char *const *argv, void *target,
	      struct err *e)
{
	int i = 1;

	while (i < argc) {
		const char *word = argv[i];
		if (word[0] != '-' || !word[1])
			return i;
		if (str_eq(word, "--"))
			return i + 1;
		i = word[1] == '-' ? opt_parse_long(table, i, argv, target, e)
				   : opt_parse_cluster(table, i, argv, target, e);
		if (i < 0)
			return -1;
	}
	return argc;
}
