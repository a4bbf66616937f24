/*
 * The inner init; see init.h. Until the start frame is there it only waits; then it checks, and
 * becomes guard_run(). It must not print, must not be traced, and must not outlive its socket.
 */
#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../base/str.h"
#include "../sys/fd.h"
#include "../sys/proc.h"
#include "init_link.h"
#include "inner.h"

_Static_assert(INNER_NAMESPACES == MEM_COUNT(((struct init_start *)NULL)->outside_namespaces),
	       "one number a namespace");

/* ---- frames to the runner ---- */

static uint64_t time_us(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * 1000000U + (uint64_t)tv.tv_usec;
}

static void put_started(struct jw *w, const struct guard_message *m)
{
	inner_put_u64(w, "applied", m->applied);
	jw_key(w, "layer_errno");
	jw_array_begin(w);
	for (int i = 0; i < LAYER_COUNT; i++)
		jw_i64(w, m->layer_errno[i]);
	jw_array_end(w);
}

static void put_failed(struct jw *w, const struct guard_message *m)
{
	inner_put_u64(w, "kind", (uint64_t)m->error.kind);
	inner_put_u64(w, "errno", (uint64_t)m->error.errnum);
	jw_key(w, "message");
	jw_str(w, m->error.msg);
	jw_key(w, "final");
	jw_bool(w, m->is_final != 0);
}

static void put_status(struct jw *w, const struct guard_message *m)
{
	if (m->has_status != 0)
		inner_put_u64(w, "status", (uint64_t)m->status);
}

static void put_group(struct jw *w, const struct cgroup_usage *u)
{
	jw_key(w, "group");
	jw_object_begin(w);
	if (u->has_memory_peak)
		inner_put_u64(w, "memory_peak", u->memory_peak_bytes);
	if (u->has_pids_peak)
		inner_put_u64(w, "pids_peak", u->pids_peak);
	if (u->has_cpu) {
		inner_put_u64(w, "cpu_user_us", u->cpu_user_us);
		inner_put_u64(w, "cpu_system_us", u->cpu_system_us);
	}
	inner_put_u64(w, "oom_kills", u->oom_kills);
	inner_put_u64(w, "pids_max_hits", u->pids_max_hits);
	jw_object_end(w);
}

static void put_nothing(struct jw *w, const struct guard_message *m)
{
	(void)w;
	(void)m;
}

static void put_done(struct jw *w, const struct guard_message *m)
{
	put_status(w, m);
	inner_put_u64(w, "left", (uint64_t)m->left);
	inner_put_u64(w, "user_us", time_us(m->usage.ru_utime));
	inner_put_u64(w, "system_us", time_us(m->usage.ru_stime));
	inner_put_u64(w, "max_rss_kib", (uint64_t)m->usage.ru_maxrss);
	if (m->has_group != 0)
		put_group(w, &m->group);
}

int init_put_message(const struct guard_message *m, struct buf *out, struct err *e)
{
	static const struct {
		const char *type;
		void (*put)(struct jw *w, const struct guard_message *m);
	} types[] = {
		[GUARD_STARTED] = { "started", put_started },
		[GUARD_FAILED] = { "failed", put_failed },
		[GUARD_EXITED] = { "exit", put_status },
		[GUARD_DONE] = { "done", put_done },
		[GUARD_CPU_TIME] = { "cpu_time", put_nothing },
	};
	struct frame_writer f;

	frame_begin(&f, out);
	jw_key(&f.jw, "type");
	jw_str(&f.jw, types[m->event].type);
	types[m->event].put(&f.jw, m);
	return frame_end(&f, e);
}

static void init_tell(struct guard *g, int pass_fd)
{
	struct buf out;

	buf_init(&out, LIMIT_SMALL_FILE);
	/* a runner that is gone is noticed by its socket; there is nobody to tell */
	if (init_put_message(&g->report, &out, NULL) == 0)
		(void)fd_send_msg(g->control_fd, out.data, out.len, pass_fd);
	buf_fini(&out);
}

/* ---- did the tool do what it was told? ---- */

static struct init_start start;

static int check_failed(const struct plan_check *c, const char *what, struct err *e)
{
	return err_set(e, ERR_SETUP,
		       "the sandbox was not made as it was asked for: %s %s; nothing was run",
		       c->path, what);
}

static int check_same(const struct plan_check *c, struct err *e)
{
	struct stat st;

	if (lstat(c->path, &st) != 0 || (uint64_t)st.st_dev != c->dev ||
	    (uint64_t)st.st_ino != c->ino)
		return check_failed(c, "is not the file that it should be (was it replaced?)", e);
	return 0;
}

static int check_mounted(const struct plan_check *c, struct err *e)
{
	MEM_AUTOFREE char *parent = mem_strdup(c->path, e);
	struct stat st, up;

	if (parent == NULL)
		return -1;
	*strrchr(parent, '/') = '\0';
	if (lstat(c->path, &st) != 0 || !S_ISDIR(st.st_mode) ||
	    stat(parent[0] == '\0' ? "/" : parent, &up) != 0 || st.st_dev == up.st_dev)
		return check_failed(c, "has no file system of its own", e);
	return 0;
}

static int check_read_only(const struct plan_check *c, struct err *e)
{
	struct statvfs fs;

	if (statvfs(c->path, &fs) != 0 || (fs.f_flag & ST_RDONLY) == 0)
		return check_failed(c, "is not read-only", e);
	return 0;
}

static int check_no_exec(const struct plan_check *c, struct err *e)
{
	struct statvfs fs;

	if (statvfs(c->path, &fs) != 0 || (fs.f_flag & ST_NOEXEC) == 0)
		return check_failed(c, "is not noexec", e);
	return 0;
}

static int check_hidden(const struct plan_check *c, struct err *e)
{
	struct stat st;
	int fd = open(c->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int errnum = errno;

	if (fd >= 0)
		(void)close(fd);
	if (fd >= 0 || errnum != EACCES || lstat(c->path, &st) != 0 || S_ISLNK(st.st_mode))
		return check_failed(c, "is not hidden", e);
	return 0;
}

static int check_view(const struct plan *p, struct err *e)
{
	static int (*const checks[])(const struct plan_check *c, struct err *e) = {
		[CHECK_SAME] = check_same,
		[CHECK_MOUNTED] = check_mounted,
		[CHECK_READ_ONLY] = check_read_only,
		[CHECK_NO_EXEC] = check_no_exec,
		[CHECK_HIDDEN] = check_hidden,
	};

	for (size_t i = 0; i < p->check_count; i++)
		/* another kernel numbers its files itself */
		if ((p->checks[i].kind != CHECK_SAME || start.is_same_kernel) &&
		    checks[p->checks[i].kind](&p->checks[i], e) != 0)
			return -1;
	return 0;
}

static int check_namespaces(struct guard *g, const struct init_start *s, struct err *e)
{
	for (size_t i = 0; i < INNER_NAMESPACES; i++) {
		const struct inner_namespace *n = &inner_namespaces[i];
		uint64_t id = inner_namespace_id(n->name);

		if (n->layer == LAYER_NET_NS && !s->want_net_ns)
			continue;
		if (id != 0 &&
		    (!s->is_same_kernel || (s->outside_namespaces[i] != 0 &&
					       id != s->outside_namespaces[i])))
			guard_note(g, n->layer, 0);
		else if (n->layer == LAYER_CGROUP_NS) /* the tool tries; an old kernel has none */
			guard_note(g, n->layer, ENOSYS);
		else if (n->layer == LAYER_USER_NS && s->is_container)
			continue; /* an engine run by root makes none, which the plan says */
		else
			return err_set(e, ERR_SETUP,
				       "the tool made no %s namespace; nothing was run", n->name);
	}
	return 0;
}

static int check_proc(struct guard *g, struct err *e)
{
	char self[16];
	ssize_t n = readlink("/proc/self", self, sizeof self);

	if (n != 1 || self[0] != '1')
		return err_set(e, ERR_SETUP, "/proc shows other processes than the sandbox's");
	guard_note(g, LAYER_PROC, 0);
	return 0;
}

/* An engine may take a limit and not keep it (rootless on cgroup v1: a warning, and exit 0). */
static int check_limits(struct guard *g, const struct init_start *s, struct err *e)
{
	const struct {
		enum cgroup_controller controller;
		enum layer layer;
		const char *option;
		uint64_t asked;
	} all[] = { { CGROUP_MEMORY, LAYER_MEMORY, "--memory", s->limits.memory_bytes },
		{ CGROUP_PIDS, LAYER_PIDS, "--pids", s->limits.pids },
		{ CGROUP_CPU, LAYER_CPU, "--cpus", s->limits.cpus_milli } };
	struct cgroup own;
	bool has_own_group = false;
	int rc = 0;

	cgroup_open_self(&own);
	cgroup_check_limits(&own, &s->limits);
	for (size_t i = 0; i < MEM_COUNT(all) && rc == 0; i++) {
		if (all[i].asked == 0)
			continue;
		guard_note(g, all[i].layer, own.is_kept[all[i].controller] ? 0 : EOPNOTSUPP);
		has_own_group = has_own_group || own.is_kept[all[i].controller];
		if (!own.is_kept[all[i].controller] && !s->policy.is_best_effort)
			rc = err_set(e, ERR_REFUSED,
			    "%s is not in force inside: the engine does not keep it (without root "
			    "it needs cgroup v2 with that controller delegated); nothing was run; "
			    "--best-effort runs without that limit",
			    all[i].option);
	}
	cgroup_close(&own);
	init_link_count_group(has_own_group);
	return rc;
}

#define INIT_SAMPLE_MS 25U

/* RLIMIT_CPU is of one process; the whole sandbox's time is ours to watch, where the runner does
 * not see its processes. */
static void on_sample(struct loop_timer *t)
{
	struct guard *g = t->ctx;
	struct proc_tree_usage u;

	if (proc_tree_measure(getpid(), &u) != 0 || u.cpu_us < start.policy.cpu_time_ms * 1000U) {
		(void)loop_arm(g->loop, t, INIT_SAMPLE_MS, NULL);
		return;
	}
	g->report.event = GUARD_CPU_TIME;
	g->tell(g, -1);
}

static int watch_cpu_time(struct guard *g, struct err *e)
{
	static struct loop_timer sample;

	if (!start.is_container || start.policy.cpu_time_ms == 0)
		return 0;
	sample.fn = on_sample;
	sample.ctx = g;
	return loop_arm(g->loop, &sample, INIT_SAMPLE_MS, e);
}

static int init_setup(struct guard *g, struct err *e)
{
	const struct plan *p = g->plan;

	if (start.is_container &&
	    (check_limits(g, &start, e) != 0 || init_check_mounts(p, e) != 0 ||
		init_link_carry(g, start.has_stdin, e) != 0 || watch_cpu_time(g, e) != 0))
		return -1;
	if (check_namespaces(g, &start, e) != 0 || check_proc(g, e) != 0 || check_view(p, e) != 0)
		return -1;
	if (p->is_filter_by_tool) {
		if (prctl(PR_GET_SECCOMP, 0UL, 0UL, 0UL, 0UL) != SECCOMP_MODE_FILTER)
			return err_set(e, ERR_SETUP,
				       "the tool did not install the system call filter");
		guard_note(g, LAYER_SECCOMP, 0);
	}
	guard_note(g, LAYER_VIEW, 0);
	guard_note(g, LAYER_METADATA, 0);
	return 0;
}

static const struct sandbox_backend init_backend = {
	.name = "init",
	.aliases = "",
	.layers = LAYER_ALL,
	.setup = init_setup,
};

/* ---- life ---- */

static struct frame_reader reader;

static void init_obey(struct guard *g, const struct json_node *frame)
{
	const char *type = json_str(json_get(frame, "type"));
	uint64_t signo = 0;

	if (str_eq(type, "kill") || (start.is_container && init_link_take(frame, NULL) < 0))
		guard_finish(g);
	if (str_eq(type, "signal") && inner_get_u64(frame, "signo", NSIG - 1, &signo, NULL) == 0)
		guard_signal(g, (int)signo);
}

/* One read; false at the end of the socket. */
static bool init_feed(struct guard *g)
{
	static char bytes[65536];
	ssize_t n;

	do
		n = read(g->control_fd, bytes, sizeof bytes);
	while (n < 0 && errno == EINTR);
	return n > 0 && frame_reader_feed(&reader, bytes, (size_t)n, NULL) == 0;
}

static void init_on_control(struct loop_watch *w, short revents)
{
	struct guard *g = w->ctx;
	struct json_doc *doc;
	int rc;

	(void)revents;
	if (!init_feed(g)) /* the runner is gone */
		guard_finish(g);
	while ((rc = frame_reader_next(&reader, &doc, NULL)) != 0)
		if (rc > 0) {
			init_obey(g, json_root(doc));
			json_free(doc);
		}
}

static _Noreturn void init_fail(struct guard *g, const struct err *e)
{
	g->report.event = GUARD_FAILED;
	g->report.error = *e;
	init_tell(g, -1);
	_exit(125);
}

static void init_wait_for_start(struct guard *g, struct init_start *s)
{
	struct json_doc *doc = NULL;
	struct err e = ERR_INIT;
	int rc;

	while ((rc = frame_reader_next(&reader, &doc, &e)) == 0)
		if (!init_feed(g))
			_exit(125);
	if (rc < 0)
		init_fail(g, &e);
	if (!str_eq(json_str(json_get(json_root(doc), "type")), "start"))
		_exit(125); /* told to end before anything began */
	if (init_read_start(json_root(doc), s, &e) != 0)
		init_fail(g, &e);
	json_free(doc);
}

static bool is_socket(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* The tool passed them on by number; nothing of them may reach the command. */
static void close_on_exec(void)
{
	for (int fd = INNER_FD_CONTROL; fd < INNER_FD_END; fd++)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* From whom the start frame comes: the socket that the tool passed on, or its own stdin. */
static int open_control(struct guard *g, bool over_stdio, struct err *e)
{
	g->report_fd = -1;
	if (getpid() != 1 || (!over_stdio && !is_socket(INNER_FD_CONTROL)))
		return err_set(e, ERR_USAGE,
			       "init is started by sbx itself, as the first process of a sandbox");
	if (over_stdio)
		return init_link_open(g, e);
	close_on_exec();
	g->tell = init_tell;
	g->control_fd = INNER_FD_CONTROL;
	return 0;
}

int init_run(bool over_stdio, struct err *e)
{
	static struct guard g; /* start and g are as long-lived as the process */
	bool want_tty;

	if (open_control(&g, over_stdio, e) != 0)
		return -1;
	proc_set_dumpable(false);
	frame_reader_init(&reader, LIMIT_FRAME);
	g.on_control = init_on_control;
	init_wait_for_start(&g, &start);
	if (start.is_container != over_stdio)
		_exit(125);
	start.plan.backend = &init_backend;
	g.plan = &start.plan;
	g.stdin_fd = g.stdout_fd = g.stderr_fd = -1;
	want_tty = start.policy.want_tty;
	if (!over_stdio) {
		g.stdin_fd = start.has_stdin ? INNER_FD_STDIN : -1;
		g.stdout_fd = want_tty ? -1 : INNER_FD_STDOUT;
		g.stderr_fd = want_tty ? -1 : INNER_FD_STDERR;
	}
	g.pty_master_fd = g.pty_slave_fd = g.landlock_fd = -1;
	g.has_user_ns = g.has_pid_ns = true;
	guard_run(&g);
}
