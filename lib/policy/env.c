/*
 * The environment that the command gets: gather all sources, group them by name, decide once a
 * name. Values of what is dropped are neither kept nor shown. Must not read our own environ: the
 * caller hands the block over.
 */
#include "env.h"

#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "env_file.h"
#include "env_rules.h"
#include "shown.h"

#define MALFORMED_NAME "(malformed)" /* without '=' the entry may be a secret as a whole */

#define PROXY_SCHEME_MAX 8           /* http, https, socks5h; too short for a token */

enum source { FROM_HOST, FROM_US, FROM_UNSET };

struct item {
	const char *name;  /* NAME=VALUE, or NAME alone; borrowed */
	const char *value; /* behind the '='; NULL for NAME alone: "as the host has it" */
	size_t name_len;
	size_t order; /* in which they were gathered */
	enum source source;
};

struct items {
	struct item *v;
	size_t count;
	size_t alloc;
};

static int items_add(struct items *items, const char *entry, enum source source, struct err *e)
{
	const char *equals = strchr(entry, '=');

	if (items->count == items->alloc) {
		size_t alloc = items->alloc * 2 + 64; /* most blocks fit: moving costs */
		struct item *v = mem_realloc_array(items->v, alloc, sizeof(*v), e);
		if (!v)
			return -1;
		items->v = v;
		items->alloc = alloc;
	}
	items->v[items->count] = (struct item){
		.order = items->count,
		.name = entry,
		.value = equals ? equals + 1 : NULL,
		.name_len = equals ? (size_t)(equals - entry) : strlen(entry),
		.source = source,
	};
	items->count++;
	return 0;
}

/* rule: static. */
static int drop(struct env_block *out, const char *name, const char *rule, struct err *e)
{
	struct env_dropped *dropped = out->dropped;

	if ((out->dropped_count & (out->dropped_count + 1)) == 0) { /* 0, 1, 3, 7, …: full */
		size_t alloc = out->dropped_count * 2 + 1;
		dropped = mem_realloc_array(dropped, alloc, sizeof(*dropped), e);
		if (!dropped)
			return -1;
		out->dropped = dropped;
	}
	struct shown shown;
	char *copy = mem_strdup(shown_text(&shown, name, strlen(name)), e);
	if (!copy)
		return -1;
	dropped[out->dropped_count++] = (struct env_dropped){ .name = copy, .rule = rule };
	return 0;
}

static int gather_host(struct items *items, char *const *host_env, struct env_block *out,
		       struct err *e)
{
	for (; host_env && *host_env; host_env++) {
		const char *equals = strchr(*host_env, '=');
		int rc;
		if (!equals || equals == *host_env)
			rc = drop(out, MALFORMED_NAME, "malformed", e);
		else
			rc = items_add(items, *host_env, FROM_HOST, e);
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* Entries of ours in the order in which they win. option names them in messages. */
static int gather_ours(struct items *items, const struct strv *entries, const char *option,
		       enum source source, struct err *e)
{
	struct shown shown;

	for (size_t i = 0; i < entries->n; i++) {
		if (items_add(items, entries->v[i], source, e) < 0)
			return -1;
		const struct item *item = &items->v[items->count - 1];
		shown_text(&shown, item->name, item->name_len);
		if (!env_name_is_valid(item->name, item->name_len))
			return err_set(e, ERR_USAGE, "%s: '%s' is no name of a variable", option,
				       shown.text);
		if (source == FROM_UNSET && item->value)
			return err_set(e, ERR_USAGE, "%s: '%s' has a value; it takes a name only",
				       option, shown.text);
	}
	return 0;
}

/* By name, then as gathered, so that a group is host entries, ours, unsets. */
static int compare_items(const void *a, const void *b)
{
	const struct item *x = a;
	const struct item *y = b;
	size_t len = x->name_len < y->name_len ? x->name_len : y->name_len;
	int order = memcmp(x->name, y->name, len);

	if (order)
		return order;
	if (x->name_len != y->name_len)
		return x->name_len < y->name_len ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* The rule of the mode for an entry of the host; NULL if it passes. */
static const char *mode_rule(enum env_mode mode, const char *name, const char *value)
{
	switch (mode) {
	case ENV_INHERIT:
		return NULL;
	case ENV_CLEAR:
		return "cleared";
	case ENV_ALLOW:
		if (!env_name_is_kept(name))
			return "not in allow list";
		return env_drop_rule(name, value);
	case ENV_SCRUB:
		return env_drop_rule(name, value);
	}
	return "cleared";
}

/* Length of "scheme://" at the front; 0 if there is none, or none that a proxy has. */
static size_t scheme_len(const char *value)
{
	size_t len = strspn(value,
			    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

	return len <= PROXY_SCHEME_MAX && strncmp(value + len, "://", 3) == 0 ? len + 3 : 0;
}

/* The scheme and what stands behind the userinfo; what stands between them may be a secret. */
static char *make_proxy_entry(const char *name, const char *value, struct err *e)
{
	const char *host = env_proxy_host(value);
	size_t kept = host > value ? scheme_len(value) : 0;

	return mem_printf(e, "%s=%.*s%s", name, (int)kept, value, host);
}

static int pass_host(const struct policy *p, const char *name, const struct item *host,
		     struct env_block *out, struct err *e)
{
	const char *rule = mode_rule(p->env_mode, name, host->value);
	char *entry;

	if (rule)
		return drop(out, name, rule, e);
	if (p->env_mode == ENV_SCRUB && env_name_is_proxy(name))
		entry = make_proxy_entry(name, host->value, e);
	else
		entry = mem_strdup(host->name, e);
	return entry ? strv_add_take(&out->env, entry, e) : -1;
}

/* group[count] are all entries of one name. */
static int decide(const struct policy *p, const char *name, const struct item *group, size_t count,
		  struct env_block *out, struct err *e)
{
	const struct item *host = NULL; /* the first one, as for getenv(3) */
	const struct item *ours = NULL; /* the last one that has a value */
	bool is_unset = false;

	for (const struct item *item = group; item < group + count; item++) {
		if (item->source == FROM_UNSET)
			is_unset = true;
		else if (item->source == FROM_US)
			ours = item->value ? item : host ? host : ours;
		else if (!host)
			host = item;
		else if (drop(out, name, "duplicate", e) < 0)
			return -1;
	}
	if (is_unset)
		return host || ours ? drop(out, name, "unset", e) : 0;
	if (ours)
		return strv_add(&out->env, ours->name, e);
	return host ? pass_host(p, name, host, out, e) : 0;
}

static bool is_same_name(const struct item *a, const struct item *b)
{
	return a->name_len == b->name_len && memcmp(a->name, b->name, a->name_len) == 0;
}

/* items are sorted; name has room for the longest. */
static int decide_groups(const struct policy *p, const struct items *items, char *name,
			 struct env_block *out, struct err *e)
{
	size_t end;

	for (size_t start = 0; start < items->count; start = end) {
		const struct item *first = &items->v[start];
		for (end = start + 1; end < items->count; end++)
			if (!is_same_name(first, &items->v[end]))
				break;
		memcpy(name, first->name, first->name_len);
		name[first->name_len] = '\0';
		if (decide(p, name, first, end - start, out, e) < 0)
			return -1;
	}
	return 0;
}

static int decide_all(const struct policy *p, struct items *items, struct env_block *out,
		      struct err *e)
{
	size_t longest = 0;

	for (size_t i = 0; i < items->count; i++)
		if (items->v[i].name_len > longest)
			longest = items->v[i].name_len;
	MEM_AUTOFREE char *name = mem_calloc(longest + 1, 1, e);
	if (!name)
		return -1;
	if (items->count)
		qsort(items->v, items->count, sizeof(items->v[0]), compare_items);
	return decide_groups(p, items, name, out, e);
}

int env_build(const struct policy *p, char *const *host_env, struct env_block *out, struct err *e)
{
	struct strv file_entries = { 0 };
	struct items items = { 0 };
	int rc;

	*out = (struct env_block){ 0 };
	rc = gather_host(&items, host_env, out, e);
	for (size_t i = 0; i < p->env_files.n && rc == 0; i++)
		rc = env_file_load(p->root, p->env_files.v[i], &file_entries, e);
	if (rc == 0)
		rc = gather_ours(&items, &file_entries, "--env-file", FROM_US, e);
	if (rc == 0)
		rc = gather_ours(&items, &p->env_set, "--env", FROM_US, e);
	if (rc == 0)
		rc = gather_ours(&items, &p->env_unset, "--unset-env", FROM_UNSET, e);
	if (rc == 0)
		rc = decide_all(p, &items, out, e);
	if (rc < 0)
		env_block_fini(out);
	free(items.v);
	strv_fini(&file_entries);
	return rc;
}

void env_block_fini(struct env_block *b)
{
	for (size_t i = 0; i < b->dropped_count; i++)
		free(b->dropped[i].name);
	free(b->dropped);
	strv_fini(&b->env);
	*b = (struct env_block){ 0 };
}

const char *env_drop_rule(const char *name, const char *value)
{
	const char *rule;

	if (value && env_name_is_proxy(name))
		value = env_proxy_host(value);
	/* Shell functions exported by old shells and what CVE-2014-6271 made of them */
	if (value && str_starts_with(value, "() {"))
		return ENV_RULE_INJECTION;
	rule = env_name_rule(name);
	if (rule || !value)
		return rule;
	return env_is_secret_value(value) ? ENV_RULE_SECRET_VALUE : NULL;
}

/* Index of name in env; env->n if it is not there. */
static size_t find(const struct strv *env, const char *name)
{
	size_t len = strlen(name);
	size_t i = 0;

	while (i < env->n && (strncmp(env->v[i], name, len) != 0 || env->v[i][len] != '='))
		i++;
	return i;
}

int env_put(struct strv *env, const char *name, const char *value, struct err *e)
{
	size_t i = find(env, name);
	char *entry = mem_printf(e, "%s=%s", name, value);

	if (!entry)
		return -1;
	if (i == env->n)
		return strv_add_take(env, entry, e);
	free(env->v[i]);
	env->v[i] = entry;
	return 0;
}

const char *env_get(const struct strv *env, const char *name)
{
	size_t i = find(env, name);

	return i == env->n ? NULL : env->v[i] + strlen(name) + 1;
}

void env_filter_path(char *path_value, bool (*exists)(const char *dir, void *ctx), void *ctx)
{
	char *out = path_value;
	char *dir = path_value;
	bool is_last;

	do {
		size_t len = strcspn(dir, ":");
		char *next = dir + len + 1;
		is_last = dir[len] == '\0';
		dir[len] = '\0';
		/* An empty entry means the current folder (environ(7)) and is not absolute. */
		if (dir[0] == '/' && (!exists || exists(dir, ctx))) {
			if (out != path_value)
				*out++ = ':';
			memmove(out, dir, len);
			out += len;
		}
		dir = next;
	} while (!is_last);
	*out = '\0';
}

void env_wipe_own(char **envp)
{
	for (char **entry = envp; entry && *entry; entry++)
		mem_wipe(*entry, strlen(*entry));
	if (envp)
		envp[0] = NULL;
}
