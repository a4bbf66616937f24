/*
 * The frames between a runner and an inner init, as the runner writes and reads them; see inner.h.
 * What arrives was written by our own program, but inside the sandbox: every field is checked as if
 * it had not been.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../base/str.h"
#include "../sys/fd.h"
#include "../sys/tty.h"
#include "inner.h"

const struct inner_namespace inner_namespaces[INNER_NAMESPACES] = {
	{ "user", LAYER_USER_NS },     { "mnt", LAYER_MOUNT_NS }, { "pid", LAYER_PID_NS },
	{ "net", LAYER_NET_NS },       { "ipc", LAYER_IPC_NS },	  { "uts", LAYER_UTS_NS },
	{ "cgroup", LAYER_CGROUP_NS },
};

uint64_t inner_namespace_id(const char *name)
{
	char path[32];
	struct stat st;

	(void)snprintf(path, sizeof path, "/proc/self/ns/%s", name);
	return stat(path, &st) == 0 ? (uint64_t)st.st_ino : 0;
}

/* ---- the start frame ---- */

static void put_b64(struct jw *w, const char *key, const void *data, size_t len)
{
	struct buf text;

	buf_init(&text, LIMIT_FRAME);
	jw_key(w, key);
	if (w->err.kind == ERR_NONE && str_base64_encode(&text, data, len, &w->err) == 0)
		jw_strn(w, text.data != NULL ? text.data : (const unsigned char *)"", text.len);
	buf_fini(&text);
}

/* Arguments and environment may hold any bytes but NUL, which ends each. */
static void put_words(struct jw *w, const char *key, char *const *words)
{
	struct buf all;

	buf_init(&all, LIMIT_FRAME);
	for (; words != NULL && *words != NULL && w->err.kind == ERR_NONE; words++)
		(void)buf_put(&all, *words, strlen(*words) + 1, &w->err);
	put_b64(w, key, all.data, all.len);
	buf_fini(&all);
}

void inner_put_u64(struct jw *w, const char *key, uint64_t v)
{
	jw_key(w, key);
	jw_u64(w, v);
}

static void put_flag(struct jw *w, const char *key, bool v)
{
	jw_key(w, key);
	jw_bool(w, v);
}

/* Numbers of 64 bits: JSON has 53. */
static void put_id(struct jw *w, const char *key, uint64_t v)
{
	char text[24];

	(void)snprintf(text, sizeof text, "%llu", (unsigned long long)v);
	jw_key(w, key);
	jw_str(w, text);
}

static void put_limits(struct jw *w, const struct plan *p)
{
	const struct policy *q = p->policy;

	put_id(w, "cpu_time_ms", q->cpu_time_ms);
	if (q->is_fsize_set)
		put_id(w, "fsize_bytes", q->fsize_bytes);
	if (q->is_nofile_set)
		put_id(w, "nofile", q->nofile);
	put_id(w, "as_bytes", p->rlimit_as_bytes);
	put_id(w, "data_bytes", p->rlimit_data_bytes);
	put_id(w, "nproc", p->rlimit_nproc);
}

static void put_landlock(struct jw *w, const struct plan *p)
{
	inner_put_u64(w, "landlock_flags", p->landlock_flags);
	jw_key(w, "landlock_rules");
	jw_array_begin(w);
	for (size_t i = 0; i < p->rule_count; i++) {
		jw_object_begin(w);
		inner_put_u64(w, "access", p->rules[i].access);
		put_b64(w, "path_b64", p->rules[i].path, strlen(p->rules[i].path));
		jw_object_end(w);
	}
	jw_array_end(w);
}

static void put_checks(struct jw *w, const struct plan *p)
{
	jw_key(w, "checks");
	jw_array_begin(w);
	for (size_t i = 0; i < p->check_count; i++) {
		const struct plan_check *c = &p->checks[i];

		jw_object_begin(w);
		inner_put_u64(w, "kind", c->kind);
		put_b64(w, "path_b64", c->path, strlen(c->path));
		put_id(w, "dev", c->dev);
		put_id(w, "ino", c->ino);
		jw_object_end(w);
	}
	jw_array_end(w);
	jw_key(w, "outside_namespaces");
	jw_array_begin(w);
	for (size_t i = 0; i < INNER_NAMESPACES; i++)
		jw_u64(w, inner_namespace_id(inner_namespaces[i].name));
	jw_array_end(w);
}

static void put_container(struct jw *w, const struct plan *p)
{
	const struct policy *q = p->policy;
	char boot_id[64];

	jw_key(w, "container");
	jw_object_begin(w);
	if (fd_read_small(AT_FDCWD, INNER_BOOT_ID, boot_id, sizeof boot_id) > 0) {
		jw_key(w, "boot_id");
		jw_str(w, boot_id);
	}
	put_flag(w, "best_effort", q->is_best_effort);
	put_flag(w, "image_env", q->env_mode != ENV_CLEAR);
	put_id(w, "memory_bytes", q->memory_bytes);
	put_id(w, "pids", q->pids);
	put_id(w, "cpus_milli", q->cpus_milli);
	jw_object_end(w);
}

int inner_put_start(const struct plan *plan, const struct guard *g, struct buf *out, struct err *e)
{
	struct frame_writer f;
	struct jw *w = &f.jw;

	frame_begin(&f, out);
	jw_key(w, "type");
	jw_str(w, "start");
	put_words(w, "argv_b64", plan->rq->argv);
	put_words(w, "env_b64", plan->env.env.v);
	put_b64(w, "cwd_b64", plan->cwd, strlen(plan->cwd));
	put_flag(w, "tty", plan->policy->want_tty);
	if (plan->policy->want_tty)
		inner_put_u64(w, "tty_size", tty_size(plan->rq->stdin_fd));
	put_flag(w, "stdin", g->stdin_fd >= 0);
	inner_put_u64(w, "applied", plan->applied);
	inner_put_u64(w, "required", plan->required);
	put_flag(w, "net_ns", plan->policy->net != NET_HOST);
	inner_put_u64(w, "cgroup_dirs", plan->cgroup.dir_count);
	put_limits(w, plan);
	put_landlock(w, plan);
	put_checks(w, plan);
	put_flag(w, "filter_by_tool", plan->is_filter_by_tool);
	if (plan->backend->is_container)
		put_container(w, plan);
	if (plan->is_filter_made_inside)
		inner_put_u64(w, "filter_flags", plan->builtin_flags);
	else if (!plan->is_filter_by_tool)
		put_b64(w, "filter_b64", plan->filter.filter,
			plan->filter.len * sizeof *plan->filter.filter);
	if (frame_end(&f, e) == 0)
		return 0;
	/* far beyond what execve(2) takes */
	return e->kind != ERR_IO ? -1 : err_sys(e, ERR_SETUP, E2BIG, "arguments and environment");
}

int inner_put_command(enum guard_op op, int signo, struct buf *out, struct err *e)
{
	struct frame_writer f;

	frame_begin(&f, out);
	jw_key(&f.jw, "type");
	jw_str(&f.jw, op == GUARD_KILL ? "kill" : "signal");
	if (op == GUARD_SIGNAL) {
		jw_key(&f.jw, "signo");
		jw_i64(&f.jw, signo);
	}
	return frame_end(&f, e);
}

/* ---- frames of the init ---- */

int inner_get_u64(const struct json_node *o, const char *key, uint64_t max, uint64_t *v,
		  struct err *e)
{
	const struct json_node *n = json_get(o, key);

	if (n != NULL && json_u64(n, v) == 0 && *v <= max)
		return 0;
	return err_set(e, ERR_INTERNAL, "inner frame: no usable \"%s\"", key);
}

const struct json_node *inner_first(const struct json_node *o, const char *key)
{
	const struct json_node *n = json_get(o, key);

	return n != NULL && json_type(n) == JSON_ARRAY ? json_first(n) : NULL;
}

static int read_i32(const struct json_node *o, const char *key, int32_t *v, struct err *e)
{
	uint64_t n = 0;

	if (inner_get_u64(o, key, INT32_MAX, &n, e) != 0)
		return -1;
	*v = (int32_t)n;
	return 0;
}

static int read_started(const struct json_node *o, struct guard_message *m, struct err *e)
{
	const struct json_node *n = inner_first(o, "layer_errno");
	uint64_t applied = 0;

	if (inner_get_u64(o, "applied", LAYER_ALL, &applied, e) != 0)
		return -1;
	m->applied = (uint32_t)applied;
	for (int i = 0; i < LAYER_COUNT && n != NULL; i++, n = json_next(n)) {
		uint64_t v = 0;

		if (json_u64(n, &v) == 0 && v < 4096) /* MAX_ERRNO */
			m->layer_errno[i] = (int32_t)v;
	}
	return 0;
}

static int read_failed(const struct json_node *o, struct guard_message *m, struct err *e)
{
	const char *text = json_str(json_get(o, "message"));

	if (text == NULL || read_i32(o, "kind", &m->error.kind, e) != 0 ||
	    read_i32(o, "errno", &m->error.errnum, e) != 0)
		return e->kind != ERR_NONE
			       ? -1
			       : err_set(e, ERR_INTERNAL, "a failure without a message");
	(void)snprintf(m->error.msg, sizeof m->error.msg, "%s", text);
	m->is_final = json_get(o, "final") != NULL && json_bool(json_get(o, "final"));
	err_sanitize(&m->error);
	if (m->error.kind == ERR_NONE)
		m->error.kind = ERR_INTERNAL;
	return 0;
}

static int read_status(const struct json_node *o, struct guard_message *m, struct err *e)
{
	if (json_get(o, "status") == NULL)
		return 0;
	m->has_status = 1;
	return read_i32(o, "status", &m->status, e);
}

static void set_time(struct timeval *tv, uint64_t us)
{
	tv->tv_sec = (time_t)(us / 1000000U);
	tv->tv_usec = (suseconds_t)(us % 1000000U);
}

/* A number that this kernel may not have. */
static bool read_optional(const struct json_node *o, const char *key, uint64_t *v)
{
	const struct json_node *n = json_get(o, key);

	return n != NULL && json_u64(n, v) == 0;
}

static void read_group(const struct json_node *o, struct guard_message *m)
{
	const struct json_node *group = json_get(o, "group");
	struct cgroup_usage *u = &m->group;

	if (group == NULL)
		return;
	m->has_group = 1;
	u->has_memory_peak = read_optional(group, "memory_peak", &u->memory_peak_bytes);
	u->has_pids_peak = read_optional(group, "pids_peak", &u->pids_peak);
	u->has_cpu = read_optional(group, "cpu_user_us", &u->cpu_user_us) &&
		     read_optional(group, "cpu_system_us", &u->cpu_system_us);
	(void)read_optional(group, "oom_kills", &u->oom_kills);
	(void)read_optional(group, "pids_max_hits", &u->pids_max_hits);
}

static int read_nothing(const struct json_node *o, struct guard_message *m, struct err *e)
{
	(void)o;
	(void)m;
	(void)e;
	return 0;
}

static int read_done(const struct json_node *o, struct guard_message *m, struct err *e)
{
	const uint64_t max = INT32_MAX * UINT64_C(1000000);
	uint64_t user = 0, system = 0, rss = 0;

	if (read_status(o, m, e) != 0 || read_i32(o, "left", &m->left, e) != 0 ||
	    inner_get_u64(o, "user_us", max, &user, e) != 0 ||
	    inner_get_u64(o, "system_us", max, &system, e) != 0 ||
	    inner_get_u64(o, "max_rss_kib", INT32_MAX, &rss, e) != 0)
		return -1;
	set_time(&m->usage.ru_utime, user);
	set_time(&m->usage.ru_stime, system);
	m->usage.ru_maxrss = (long)rss;
	read_group(o, m);
	return 0;
}

int inner_read_message(const struct json_node *frame, struct guard_message *m, struct err *e)
{
	static const struct {
		const char *type;
		enum guard_event event;
		int (*read)(const struct json_node *o, struct guard_message *m, struct err *e);
	} types[] = {
		{ "started", GUARD_STARTED, read_started },
		{ "failed", GUARD_FAILED, read_failed },
		{ "exit", GUARD_EXITED, read_status },
		{ "done", GUARD_DONE, read_done },
		{ "cpu_time", GUARD_CPU_TIME, read_nothing },
	};
	const char *type = json_str(json_get(frame, "type"));

	memset(m, 0, sizeof *m);
	for (size_t i = 0; i < MEM_COUNT(types); i++) {
		if (!str_eq(type, types[i].type))
			continue;
		m->event = (int32_t)types[i].event;
		return types[i].read(frame, m, e) == 0 ? 1 : -1;
	}
	return 0;
}
