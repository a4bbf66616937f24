/*
 * What the runner's start frame says, as a guardian needs it; see init.h. Every field is checked:
 * a frame that is not what inner.c writes starts nothing.
 */
#include "init.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../base/str.h"
#include "../policy/env_rules.h"
#include "../sys/fd.h"
#include "inner.h"

static int bad_field(const char *key, struct err *e)
{
	return err_set(e, ERR_INTERNAL, "inner frame: no usable \"%s\"", key);
}

static int read_u32(const struct json_node *o, const char *key, uint32_t *v, struct err *e)
{
	uint64_t n = 0;

	if (inner_get_u64(o, key, UINT32_MAX, &n, e) != 0)
		return -1;
	*v = (uint32_t)n;
	return 0;
}

static bool read_flag(const struct json_node *o, const char *key)
{
	const struct json_node *n = json_get(o, key);

	return n != NULL && json_bool(n);
}

static int read_id(const struct json_node *o, const char *key, uint64_t *v, struct err *e)
{
	const char *text = json_str(json_get(o, key));

	return text != NULL && str_parse_u64(text, UINT64_MAX, key, v, e) == 0 ? 0
									       : bad_field(key, e);
}

/* The bytes behind a NUL that is not counted; the caller frees them. NULL with e. */
static char *read_b64(const struct json_node *o, const char *key, size_t *len, struct err *e)
{
	const char *text = json_str(json_get(o, key));
	struct buf bytes;

	buf_init(&bytes, LIMIT_FRAME);
	if (text == NULL || str_base64_decode(&bytes, text, strlen(text), e) != 0) {
		buf_fini(&bytes);
		(void)bad_field(key, e);
		return NULL;
	}
	*len = bytes.len;
	return buf_take_str(&bytes, e);
}

/* Words that each end with a NUL, as a NULL-terminated vector into one block. */
static int read_words(const struct json_node *o, const char *key, struct strv *out, struct err *e)
{
	size_t len, n = 0;
	char *all = read_b64(o, key, &len, e);

	if (all == NULL)
		return -1;
	for (size_t i = 0; i < len; i++)
		n += all[i] == '\0';
	out->v = mem_calloc(n + 1, sizeof *out->v, e);
	if (out->v == NULL)
		return -1;
	for (size_t at = 0; at < len && out->n < n; at += strlen(all + at) + 1)
		out->v[out->n++] = all + at;
	return 0;
}

static int read_limits(const struct json_node *o, struct init_start *s, struct err *e)
{
	struct policy *q = &s->policy;

	q->is_fsize_set = json_get(o, "fsize_bytes") != NULL;
	q->is_nofile_set = json_get(o, "nofile") != NULL;
	if ((q->is_fsize_set && read_id(o, "fsize_bytes", &q->fsize_bytes, e) != 0) ||
	    (q->is_nofile_set && read_id(o, "nofile", &q->nofile, e) != 0))
		return -1;
	if (read_id(o, "cpu_time_ms", &q->cpu_time_ms, e) != 0 ||
	    read_id(o, "as_bytes", &s->plan.rlimit_as_bytes, e) != 0 ||
	    read_id(o, "data_bytes", &s->plan.rlimit_data_bytes, e) != 0)
		return -1;
	return read_id(o, "nproc", &s->plan.rlimit_nproc, e);
}

static int read_landlock(const struct json_node *o, struct plan *p, struct err *e)
{
	const struct json_node *n = inner_first(o, "landlock_rules");
	uint32_t flags = 0;

	if (read_u32(o, "landlock_flags", &flags, e) != 0)
		return -1;
	p->landlock_flags = flags;
	for (; n != NULL; n = json_next(n)) {
		uint64_t access = 0;
		size_t len;
		MEM_AUTOFREE char *path = read_b64(n, "path_b64", &len, e);

		if (path == NULL ||
		    inner_get_u64(n, "access", LANDLOCK_WRITE_FILES, &access, e) != 0 ||
		    plan_add_rule(p, path, (enum landlock_access)access, e) != 0)
			return -1;
	}
	return 0;
}

static int read_checks(const struct json_node *o, struct init_start *s, struct err *e)
{
	const struct json_node *n = inner_first(o, "checks");
	size_t count = 0;

	for (; n != NULL; n = json_next(n)) {
		uint64_t kind = 0, dev = 0, ino = 0;
		size_t len;
		MEM_AUTOFREE char *path = read_b64(n, "path_b64", &len, e);

		if (path == NULL || inner_get_u64(n, "kind", CHECK_HIDDEN, &kind, e) != 0 ||
		    read_id(n, "dev", &dev, e) != 0 || read_id(n, "ino", &ino, e) != 0 ||
		    plan_add_check(&s->plan, (enum plan_check_kind)kind, path, dev, ino, e) != 0)
			return -1;
	}
	n = inner_first(o, "outside_namespaces");
	for (; n != NULL && count < INNER_NAMESPACES; n = json_next(n))
		if (json_u64(n, &s->outside_namespaces[count++]) != 0)
			return bad_field("outside_namespaces", e);
	return count == INNER_NAMESPACES ? 0 : bad_field("outside_namespaces", e);
}

/* The built-in filter, made here for the processor that is here. */
static int make_filter(const struct json_node *o, struct plan *p, struct err *e)
{
	struct seccomp_rules rules;
	uint32_t flags = 0;
	int rc = read_u32(o, "filter_flags", &flags, e);

	seccomp_rules_init(&rules);
	if (rc == 0)
		rc = seccomp_rules_builtin(&rules, flags, e);
	if (rc == 0)
		rc = seccomp_compile(&rules, &p->filter, e);
	seccomp_rules_fini(&rules);
	return rc;
}

static int read_filter(const struct json_node *o, struct plan *p, struct err *e)
{
	size_t len;
	char *bytes;

	p->is_filter_by_tool = read_flag(o, "filter_by_tool");
	if (p->is_filter_by_tool)
		return 0;
	if (json_get(o, "filter_flags") != NULL)
		return make_filter(o, p, e);
	bytes = read_b64(o, "filter_b64", &len, e);
	if (bytes == NULL)
		return -1;
	if (len % sizeof(struct sock_filter) != 0 ||
	    len / sizeof(struct sock_filter) > LIMIT_BPF_INSTRUCTIONS) {
		free(bytes);
		return bad_field("filter_b64", e);
	}
	p->filter.len = (unsigned short)(len / sizeof(struct sock_filter));
	p->filter.filter = (struct sock_filter *)(void *)bytes; /* malloc's alignment */
	return 0;
}

static int read_command(const struct json_node *o, struct init_start *s, struct err *e)
{
	struct strv argv = { 0 };
	size_t len;

	if (read_words(o, "argv_b64", &argv, e) != 0)
		return -1;
	s->rq.policy = &s->policy;
	s->rq.argv = s->plan.argv = argv.v;
	if (argv.n == 0)
		return bad_field("argv_b64", e);
	if (read_words(o, "env_b64", &s->plan.env.env, e) != 0)
		return -1;
	s->plan.cwd = read_b64(o, "cwd_b64", &len, e);
	return s->plan.cwd == NULL ? -1 : 0;
}

static int read_cgroup(const struct json_node *o, struct cgroup *c, struct err *e)
{
	uint64_t n = 0;

	if (inner_get_u64(o, "cgroup_dirs", CGROUP_DIRS_MAX, &n, e) != 0)
		return -1;
	/* only to join: version 0 leaves killing, counting and removing to the guardian outside */
	cgroup_init(c);
	c->dir_count = (size_t)n;
	for (size_t i = 0; i < c->dir_count; i++)
		c->procs_fd[i] = INNER_FD_CGROUP + (int)i;
	return 0;
}

extern char **environ;

/* What the image (and the engine) set and the runner did not: PATH above all. Not a proxy, which
 * an engine's own configuration may put there with its password. */
static int add_image_env(struct strv *env, struct err *e)
{
	struct strv all = { 0 };

	for (size_t i = 0; i < env->n; i++)
		if (strv_add(&all, env->v[i], e) != 0)
			return -1;
	for (char *const *v = environ; v != NULL && *v != NULL; v++) {
		MEM_AUTOFREE char *name = mem_strndup(*v, strcspn(*v, "="), e);

		if (name == NULL)
			return -1;
		if ((*v)[strlen(name)] != '=' || env_name_is_proxy(name) ||
		    env_get(&all, name) != NULL)
			continue;
		if (strv_add(&all, *v, e) != 0)
			return -1;
	}
	*env = all; /* what it was lives as long as the process */
	return 0;
}

static int read_container(const struct json_node *o, struct init_start *s, struct err *e)
{
	const struct json_node *c = json_get(o, "container");
	char boot_id[64];
	ssize_t n;

	s->is_container = c != NULL;
	s->is_same_kernel = true;
	if (c == NULL)
		return 0;
	/* random(4): one number a boot, the same in every container of this kernel */
	n = fd_read_small(AT_FDCWD, INNER_BOOT_ID, boot_id, sizeof boot_id);
	s->is_same_kernel = n <= 0 || str_eq(boot_id, json_str(json_get(c, "boot_id")));
	s->policy.is_best_effort = read_flag(c, "best_effort");
	if (read_id(c, "memory_bytes", &s->limits.memory_bytes, e) != 0 ||
	    read_id(c, "pids", &s->limits.pids, e) != 0 ||
	    read_id(c, "cpus_milli", &s->limits.cpus_milli, e) != 0)
		return -1;
	return read_flag(c, "image_env") ? add_image_env(&s->plan.env.env, e) : 0;
}

int init_read_start(const struct json_node *frame, struct init_start *s, struct err *e)
{
	struct plan *p = &s->plan;

	memset(s, 0, sizeof *s);
	p->rq = &s->rq;
	p->policy = &s->policy;
	p->root_fd = p->cwd_fd = p->temp_parent_fd = -1;
	p->want_capability_drop = p->want_no_new_privs = p->want_landlock = true;
	s->policy.want_tty = read_flag(frame, "tty");
	if (json_get(frame, "tty_size") != NULL &&
	    read_u32(frame, "tty_size", &p->tty_size, e) != 0)
		return -1;
	s->has_stdin = read_flag(frame, "stdin");
	s->want_net_ns = read_flag(frame, "net_ns");
	if (read_command(frame, s, e) != 0 || read_u32(frame, "applied", &p->applied, e) != 0 ||
	    read_u32(frame, "required", &p->required, e) != 0 ||
	    read_cgroup(frame, &p->cgroup, e) != 0 || read_limits(frame, s, e) != 0 ||
	    read_landlock(frame, p, e) != 0 || read_checks(frame, s, e) != 0 ||
	    read_container(frame, s, e) != 0)
		return -1;
	return read_filter(frame, p, e);
}
