/*
 * The runner's side of an inner init; see inner.h. Nothing here waits: frames are sent and taken as
 * the socket allows. What arrives was written by our own program, but inside the sandbox: every
 * field is checked as if it had not been.
 */
#include "inner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../base/log.h"
#include "../base/mem.h"
#include "../sys/fd.h"
#include "../sys/fd_os.h"
#include "run.h"

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
	put_flag(w, "stdin", g->stdin_fd >= 0);
	inner_put_u64(w, "applied", plan->applied);
	inner_put_u64(w, "required", plan->required);
	put_flag(w, "net_ns", plan->policy->net != NET_HOST);
	inner_put_u64(w, "cgroup_dirs", plan->cgroup.dir_count);
	put_limits(w, plan);
	put_landlock(w, plan);
	put_checks(w, plan);
	put_flag(w, "filter_by_tool", plan->is_filter_by_tool);
	if (!plan->is_filter_by_tool)
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

/* ---- the socket ---- */

void inner_init(struct inner *in)
{
	memset(in, 0, sizeof *in);
	in->fd = in->tool_fd = in->received_fd = -1;
}

static int pass_stdio(struct guard *g, struct err *e)
{
	struct {
		int *fd;
		int as;
	} const all[] = { { &g->stdin_fd, INNER_FD_STDIN },
			  { &g->stdout_fd, INNER_FD_STDOUT },
			  { &g->stderr_fd, INNER_FD_STDERR } };

	for (size_t i = 0; i < MEM_COUNT(all); i++) {
		int fd = *all[i].fd;

		*all[i].fd = -1;
		if (fd >= 0 && guard_pass_fd(g, fd, all[i].as, e) != 0)
			return -1;
	}
	return 0;
}

static int pass_cgroup(struct guard *g, struct err *e)
{
	const struct cgroup *c = &g->plan->cgroup;

	for (size_t i = 0; i < c->dir_count; i++) {
		int fd = fcntl(c->procs_fd[i], F_DUPFD_CLOEXEC, 3);

		if (fd < 0)
			return err_sys(e, ERR_SETUP, errno, "control group");
		if (guard_pass_fd(g, fd, INNER_FD_CGROUP + (int)i, e) != 0)
			return -1;
	}
	return 0;
}

int inner_open(struct inner *in, struct guard *g, struct err *e)
{
	int theirs = -1;

	buf_init(&in->out, 2 * LIMIT_FRAME);
	frame_reader_init(&in->reader, LIMIT_FRAME);
	if (inner_put_start(g->plan, g, &in->out, e) != 0 ||
	    fd_socketpair(SOCK_STREAM, &in->fd, &theirs, e) != 0 ||
	    guard_pass_fd(g, theirs, INNER_FD_CONTROL, e) != 0 || pass_stdio(g, e) != 0 ||
	    pass_cgroup(g, e) != 0 || fd_set_nonblock(in->fd, e) != 0)
		return -1;
	/* stdin and stdout of the tool are /dev/null */
	return fd_pipe(&in->tool_fd, &g->stderr_fd, e) != 0 ? -1 : fd_set_nonblock(in->tool_fd, e);
}

static void inner_lost(struct sandbox_run *run)
{
	loop_del(run->loop, &run->inner.watch);
	fd_close(&run->inner.fd);
	run_on_inner_lost(run);
}

static void inner_write(struct sandbox_run *run)
{
	struct inner *in = &run->inner;

	while (in->out.len > 0) {
		ssize_t n = send(in->fd, in->out.data, in->out.len,
				 FD_OS_MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break; /* full, or gone: then reading tells */
		buf_consume(&in->out, (size_t)n);
	}
	in->watch.events = in->out.len > 0 ? POLLIN | POLLOUT : POLLIN;
}

void inner_send(struct sandbox_run *run, enum guard_op op, int signo)
{
	struct inner *in = &run->inner;
	struct err e = ERR_INIT;

	if (in->fd < 0)
		return;
	if (inner_put_command(op, signo, &in->out, &e) != 0)
		log_write(LOG_ERROR, "%s", e.msg);
	inner_write(run);
}

static void inner_take(struct sandbox_run *run)
{
	struct inner *in = &run->inner;
	struct json_doc *doc;
	struct err e = ERR_INIT;
	int rc;

	while ((rc = frame_reader_next(&in->reader, &doc, &e)) != 0) {
		struct guard_message m;

		if (rc > 0)
			rc = inner_read_message(json_root(doc), &m, &e);
		json_free(doc);
		if (rc < 0) {
			log_write(LOG_LIFECYCLE, "%s", e.msg);
			err_clear(&e);
		} else if (rc > 0) {
			int fd = in->received_fd;

			in->received_fd = -1;
			run_on_inner(run, &m, fd);
		}
	}
}

void inner_flush(struct sandbox_run *run)
{
	struct inner *in = &run->inner;
	char bytes[4096];
	struct err e = ERR_INIT;

	while (in->fd >= 0) {
		int fd;
		ssize_t n = fd_recv_msg(in->fd, bytes, sizeof bytes, &fd);

		if (n == -EAGAIN)
			return;
		if (fd >= 0) {
			fd_close(&in->received_fd);
			in->received_fd = fd;
		}
		if (n <= 0 || frame_reader_feed(&in->reader, bytes, (size_t)n, &e) != 0) {
			inner_lost(run);
			return;
		}
		inner_take(run);
	}
}

static void on_socket(struct loop_watch *w, short revents)
{
	if ((revents & POLLOUT) != 0)
		inner_write(w->ctx);
	if ((revents & ~POLLOUT) != 0)
		inner_flush(w->ctx);
}

/* The beginning is kept for an error message; the rest is read so that the tool never blocks. */
static void inner_read_tool(struct inner *in, struct loop *loop)
{
	char bytes[512];
	ssize_t n;

	while ((n = read(in->tool_fd, bytes, sizeof bytes)) > 0) {
		size_t room = sizeof in->tool_text - 1 - in->tool_len;
		size_t len = (size_t)n < room ? (size_t)n : room;

		memcpy(in->tool_text + in->tool_len, bytes, len);
		in->tool_len += len;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	loop_del(loop, &in->tool_watch);
	fd_close(&in->tool_fd);
}

static void on_tool(struct loop_watch *w, short revents)
{
	struct sandbox_run *run = w->ctx;

	(void)revents;
	inner_read_tool(&run->inner, run->loop);
}

int inner_start(struct sandbox_run *run, struct err *e)
{
	struct inner *in = &run->inner;

	in->watch =
		(struct loop_watch){ .fd = in->fd, .events = POLLIN, .fn = on_socket, .ctx = run };
	in->tool_watch = (struct loop_watch){
		.fd = in->tool_fd, .events = POLLIN, .fn = on_tool, .ctx = run
	};
	inner_write(run);
	return loop_add(run->loop, &in->watch, e) != 0 ? -1
						       : loop_add(run->loop, &in->tool_watch, e);
}

void inner_why(struct sandbox_run *run, struct err *e)
{
	struct inner *in = &run->inner;
	const char *name = run->plan.backend->name;
	char line[300];
	size_t n;

	if (in->has_failed) {
		*e = in->failed;
		return;
	}
	if (in->tool_fd >= 0)
		inner_read_tool(in, run->loop);
	n = strcspn(in->tool_text, "\n");
	line[str_printable(line, sizeof line - 1, in->tool_text, n)] = '\0';
	if (n > 0 && run->plan.backend->explain != NULL)
		run->plan.backend->explain(line, e);
	else if (n > 0)
		(void)err_set(e, ERR_SETUP, "%s", line);
	else
		(void)err_set(e, ERR_SETUP,
			      "%s ended without starting anything, and without a word", name);
}

void inner_close(struct sandbox_run *run)
{
	struct inner *in = &run->inner;

	loop_del(run->loop, &in->watch);
	loop_del(run->loop, &in->tool_watch);
	fd_close(&in->fd);
	fd_close(&in->tool_fd);
	fd_close(&in->received_fd);
	frame_reader_fini(&in->reader);
	buf_fini(&in->out);
	inner_init(in);
}
