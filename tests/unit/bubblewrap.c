/*
 * The bubblewrap backend without bubblewrap: what is asked of bwrap for a policy (golden, on a host
 * that exists in this file only), what is refused, what its messages mean, and the frames between
 * runner and inner init, there and back.
 */
#include <errno.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../../lib/base/limits.h"
#include "../../lib/base/mem.h"
#include "../../lib/sandbox/be_bubblewrap.h"
#include "../../lib/sandbox/init.h"
#include "../../lib/sandbox/inner.h"
#include "tap.h"

/* ---- a host ---- */

static struct thing fake_look(const char *path, bool is_followed)
{
	static const struct {
		const char *path;
		enum thing_type type;
	} host[] = {
		{ "/usr", THING_FOLDER },	  { "/etc", THING_FOLDER },
		{ "/bin", THING_LINK },		  { "/sbin", THING_LINK },
		{ "/dev/fuse", THING_FILE },	  { "/run/resolv.conf", THING_FILE },
		{ "/project", THING_FOLDER },	  { "/project/.git", THING_FOLDER },
		{ "/project/key", THING_FILE },	  { "/project/link", THING_LINK },
		{ "/data", THING_FOLDER },
		{ "/data/key", THING_FILE },
		{ "/etc/key", THING_FILE },
		{ "/etc/link", THING_LINK },	  { "/data/secret", THING_FOLDER },
		{ "/proc/sys", THING_FOLDER },	  { "/proc/kcore", THING_FILE },
		{ "/proc/slabinfo", THING_FILE }, { "/proc/cpuinfo", THING_FILE },
	};

	for (size_t i = 0; i < MEM_COUNT(host); i++)
		if (strcmp(host[i].path, path) == 0)
			return (struct thing){ host[i].type == THING_LINK && is_followed
						       ? THING_FOLDER
						       : host[i].type,
					       7, 100 + i };
	return (struct thing){ THING_NONE, 0, 0 };
}

struct fixture {
	struct policy policy;
	struct sandbox_request rq;
	struct view_facts facts;
	struct plan plan;
	struct bubblewrap_facts bwrap;
};

static void setup(struct fixture *f)
{
	memset(f, 0, sizeof *f);
	policy_init(&f->policy);
	f->rq.policy = &f->policy;
	f->plan.rq = &f->rq;
	f->plan.policy = &f->policy;
	f->plan.backend = &backend_bubblewrap;
	f->plan.root_fd = f->plan.cwd_fd = f->plan.temp_parent_fd = -1;
	f->plan.outside_uid = f->plan.uid = 1000;
	f->plan.is_filter_by_tool = true;
	cgroup_init(&f->plan.cgroup);
	f->facts.root = "/project";
	f->facts.home = "/home/me";
	f->facts.cwd = "/project";
	f->facts.system[0] = mem_strdup("/usr", NULL);
	f->facts.system[1] = mem_strdup("/bin\nusr/bin", NULL);
	f->facts.system[2] = mem_strdup("/etc", NULL);
	f->facts.system_count = 3;
	f->facts.resolv_conf = mem_strdup("/run/resolv.conf", NULL);
	f->bwrap.program = "/usr/bin/bwrap";
	f->bwrap.look = fake_look;
}

static void add_mount(struct fixture *f, enum mount_kind kind, const char *src, const char *dst)
{
	struct policy *p = &f->policy;
	struct policy_mount *m;

	p->mounts = mem_realloc_array(p->mounts, p->mount_count + 1, sizeof *p->mounts, NULL);
	if (p->mounts == NULL)
		BAIL("no memory");
	m = &p->mounts[p->mount_count++];
	memset(m, 0, sizeof *m);
	m->kind = kind;
	m->src = src == NULL ? NULL : mem_strdup(src, NULL);
	m->dst = dst == NULL ? NULL : mem_strdup(dst, NULL);
}

/* Plan; arguments joined by blanks, options on lines of their own; NULL: refused, *e says why. */
static char *plan_text(struct fixture *f, struct err *e)
{
	struct buf out;
	int rc;

	err_clear(e);
	if (view_plan(&f->plan.view, &f->policy, &f->facts, e) != 0)
		return NULL;
	rc = bubblewrap_plan_argv(&f->plan, &f->bwrap, e);
	buf_init(&out, LIMIT_SMALL_FILE);
	for (size_t i = 0; rc == 0 && i < f->plan.tool.n; i++) {
		const char *word = f->plan.tool.v[i];
		bool is_after_perms = i >= 2 && (strcmp(f->plan.tool.v[i - 2], "--perms") == 0 ||
						 strcmp(f->plan.tool.v[i - 2], "--size") == 0);

		rc = buf_printf(&out, e, "%s%s",
				i == 0			      ? ""
				: is_after_perms	      ? " "
				: strncmp(word, "--", 2) == 0 ? "\n"
							      : " ",
				word);
	}
	return rc == 0 ? buf_take_str(&out, e) : NULL;
}

static void teardown(struct fixture *f)
{
	plan_fini(&f->plan);
	view_facts_fini(&f->facts);
	policy_fini(&f->policy);
}

#define BASE                                                                            \
	"/usr/bin/bwrap\n--unshare-user\n--unshare-pid\n--unshare-ipc\n--unshare-uts\n" \
	"--unshare-cgroup-try\n"
#define ISOLATION "--hostname sandbox\n--cap-drop ALL\n--die-with-parent\n--as-pid-1\n"
#define PROC "--proc /proc\n--ro-bind /proc/sys /proc/sys\n--ro-bind /dev/null /proc/kcore\n"
#define SYSTEM "--ro-bind /usr /usr\n--symlink usr/bin /bin\n--ro-bind /etc /etc\n"
#define DEV "--dev /dev\n--size 67108864 --perms 1777 --tmpfs /dev/shm\n"
#define PRIVATE                                                                  \
	"--size 268435456 --perms 1777 --tmpfs /tmp\n"                           \
	"--perms 0755 --dir /run\n--ro-bind /run/resolv.conf /run/resolv.conf\n" \
	"--perms 0755 --dir /home\n--size 268435456 --perms 0700 --tmpfs /home/me\n"
#define END                                                                        \
	"--perms 0755 --dir /.sbx\n--perms 0555 --ro-bind-data 7 /.sbx/sbx-init\n" \
	"--remount-ro /dev\n--remount-ro /\n--chdir /\n-- /.sbx/sbx-init"

static void gives(struct fixture *f, const char *want, const char *what)
{
	struct err e = ERR_INIT;
	char *text = plan_text(f, &e);

	is_str(text != NULL ? text : e.msg, want, "%s", what);
	free(text);
	teardown(f);
}

static void test_golden(void)
{
	struct fixture f;

	setup(&f);
	gives(&f,
	      BASE "--unshare-net\n" ISOLATION "--seccomp 8\n" PROC SYSTEM DEV PRIVATE
		   "--bind /project /project\n" END,
	      "the default policy");

	setup(&f);
	f.policy.net = NET_HOST;
	f.policy.is_user_set = true;
	f.plan.uid = 0;
	f.plan.gid = 5;
	f.plan.is_filter_by_tool = false;
	gives(&f,
	      BASE "--uid 0\n--gid 5\n" ISOLATION PROC SYSTEM DEV PRIVATE
		   "--bind /project /project\n" END,
	      "the host's network, another user, a filter that our init installs");

	setup(&f);
	f.plan.outside_uid = 0;
	f.bwrap.is_set_id = true;
	f.facts.root = NULL;
	f.facts.private_root = "/workspace";
	f.facts.home = "/tmp";
	gives(&f,
	      BASE "--unshare-net\n" ISOLATION "--seccomp 8\n" PROC
		   "--ro-bind /dev/null /proc/slabinfo\n" SYSTEM
		   "--dev /dev\n--perms 1777 --tmpfs /dev/shm\n--perms 1777 --tmpfs /tmp\n"
		   "--perms 0755 --dir /run\n--ro-bind /run/resolv.conf /run/resolv.conf\n"
		   "--perms 0700 --tmpfs /workspace\n" END,
	      "root, no project, a set-user-id bwrap");

	setup(&f);
	add_mount(&f, MOUNT_RO, ".git", NULL);
	add_mount(&f, MOUNT_BIND, "/data", "/mnt/a/b");
	add_mount(&f, MOUNT_BIND, "/dev/fuse", "/dev/fuse");
	add_mount(&f, MOUNT_TMPFS, NULL, "/mnt/a/c");
	f.policy.mounts[1].is_read_only = true;
	add_mount(&f, MOUNT_HIDE, NULL, "/mnt/a/b/key");
	add_mount(&f, MOUNT_HIDE, NULL, "/mnt/a/b/secret");
	add_mount(&f, MOUNT_HIDE, NULL, "/mnt/nothing");
	add_mount(&f, MOUNT_HIDE, NULL, "/proc/cpuinfo");
	gives(&f,
	      BASE "--unshare-net\n" ISOLATION "--seccomp 8\n" PROC SYSTEM DEV PRIVATE
		   "--bind /project /project\n"
		   "--ro-bind /project/.git /project/.git\n"
		   "--dev-bind /dev/fuse /dev/fuse\n"
		   "--perms 0755 --dir /mnt\n--perms 0755 --dir /mnt/a\n--ro-bind /data /mnt/a/b\n"
		   "--size 268435456 --perms 0700 --tmpfs /mnt/a/c\n"
		   "--ro-bind /dev/null /mnt/a/b/key\n"
		   "--size 4096 --perms 0000 --tmpfs /mnt/a/b/secret\n"
		   "--remount-ro /mnt/a/b/secret\n"
		   "--ro-bind /dev/null /proc/cpuinfo\n" END,
	      "mounts in mounts, devices, hidden files and folders");
}

/* A promise that bwrap was only told about must be among what init looks at. */
static void has_check(const struct plan *p, enum plan_check_kind kind, const char *path,
		      uint64_t ino, bool is_wanted)
{
	bool is_there = false;

	for (size_t i = 0; i < p->check_count; i++)
		is_there = is_there || (p->checks[i].kind == kind && p->checks[i].ino == ino &&
					strcmp(p->checks[i].path, path) == 0);
	ok(is_there == is_wanted, "check %d of %s is %s", (int)kind, path,
	   is_wanted ? "made" : "not needed");
}

static void test_checks(void)
{
	struct fixture f;
	struct err e = ERR_INIT;
	char *text;

	setup(&f);
	add_mount(&f, MOUNT_RO, ".git", NULL);
	add_mount(&f, MOUNT_TMPFS, NULL, "/project/.git");
	add_mount(&f, MOUNT_RO, "/project/key", NULL);
	add_mount(&f, MOUNT_BIND, "/project/key", "/mnt/key");
	add_mount(&f, MOUNT_HIDE, NULL, "/etc/key");
	text = plan_text(&f, &e);
	ok(text != NULL, "planned: %s", e.msg);
	free(text);
	has_check(&f.plan, CHECK_SAME, "/project", 106, true);
	has_check(&f.plan, CHECK_SAME, "/project/.git", 107, false); /* mounted over */
	has_check(&f.plan, CHECK_READ_ONLY, "/project/.git", 0, false);
	has_check(&f.plan, CHECK_SAME, "/project/key", 108, true);
	has_check(&f.plan, CHECK_READ_ONLY, "/project/key", 0, true);
	has_check(&f.plan, CHECK_MOUNTED, "/project/.git", 0, true);
	has_check(&f.plan, CHECK_SAME, "/mnt/key", 108, true);
	has_check(&f.plan, CHECK_HIDDEN, "/etc/key", 0, true);
	has_check(&f.plan, CHECK_READ_ONLY, "/usr", 0, true);
	has_check(&f.plan, CHECK_READ_ONLY, "/proc/sys", 0, true);
	has_check(&f.plan, CHECK_HIDDEN, "/proc/kcore", 0, true);
	has_check(&f.plan, CHECK_READ_ONLY, "/", 0, true);
	has_check(&f.plan, CHECK_READ_ONLY, "/dev", 0, true);
	has_check(&f.plan, CHECK_READ_ONLY, "/project", 0, false);
	has_check(&f.plan, CHECK_HIDDEN, "/proc/slabinfo", 0, false);
	teardown(&f);
}

static void refuses(enum mount_kind kind, const char *src, const char *dst, const char *why)
{
	struct fixture f;
	struct err e = ERR_INIT;
	char *text;

	setup(&f);
	add_mount(&f, kind, src, dst);
	text = plan_text(&f, &e);
	ok(text == NULL && e.kind == ERR_USAGE && strstr(e.msg, why) != NULL, "refused: %s (%s)",
	   why, e.msg);
	free(text);
	teardown(&f);
}

static void test_refusals(void)
{
	refuses(MOUNT_RO, "/nowhere", NULL, "/nowhere: No such file");
	refuses(MOUNT_BIND, "/data", "/project/new",
		"a mount point is not made in a folder of the host");
	refuses(MOUNT_TMPFS, NULL, "/project/new",
		"a mount point is not made in a folder of the host");
	refuses(MOUNT_BIND, "/data", "/project/link", "is a symbolic link");
	refuses(MOUNT_BIND, "/data", "/bin", "is a symbolic link");
	refuses(MOUNT_BIND, "/data", "/project/key", "a folder cannot be mounted over a file");
	refuses(MOUNT_BIND, "/project/key", "/project/.git",
		"a file cannot be mounted over a folder");
	refuses(MOUNT_HIDE, NULL, "/etc/link", "hide what it leads to");
	refuses(MOUNT_BIND, "/data", "/.sbx", "the sandbox's own");
	refuses(MOUNT_TMPFS, NULL, "/.sbx/sbx-init", "the sandbox's own");
}

static void explains(const char *said, const char *remedy)
{
	struct err e = ERR_INIT;

	bubblewrap_explain(said, &e);
	ok(e.kind == ERR_SETUP && strncmp(e.msg, said, strlen(said)) == 0, "\"%s\" is passed on",
	   said);
	ok(strstr(e.msg, remedy) != NULL, "with \"%s\" (%s)", remedy, e.msg);
}

static void test_explain(void)
{
	struct err e = ERR_INIT;

	explains("bwrap: setting up uid map: Permission denied",
		 "apparmor_restrict_unprivileged_userns=0");
	explains("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "AppArmor");
	explains("bwrap: Failed to make / slave: Permission denied", "-b landlock");
	explains("bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
		 "masked parts");
	explains("bwrap: Can't set hostname to sandbox: Operation not permitted", "sethostname");
	explains("bwrap: Unknown option --size", "0.8.0");
	bubblewrap_explain("bwrap: Can't chdir to /x: No such file or directory", &e);
	is_str(e.msg, "bwrap: Can't chdir to /x: No such file or directory",
	       "what is not known is passed on as it is");
}

/* ---- frames ---- */

static struct json_doc *read_frame(struct buf *out)
{
	struct frame_reader r;
	struct json_doc *doc = NULL;
	struct err e = ERR_INIT;

	frame_reader_init(&r, LIMIT_FRAME);
	if (frame_reader_feed(&r, out->data, out->len, &e) != 0 ||
	    frame_reader_next(&r, &doc, &e) != 1)
		BAIL("frame: %s", e.msg);
	frame_reader_fini(&r);
	buf_reset(out);
	return doc;
}

static void fill_start(struct fixture *f, struct guard *g)
{
	static char *argv[] = { (char *)"a b", (char *)"", (char *)"\xff\xfe\n\"", NULL };
	static struct sock_filter filter[2] = { { 6, 0, 0, 1 }, { 6, 1, 2, 0x7fff0000 } };
	struct plan *p = &f->plan;
	struct err e = ERR_INIT;

	f->rq.argv = argv;
	f->policy.want_tty = true;
	f->policy.cpu_time_ms = 1500;
	f->policy.is_fsize_set = true;
	f->policy.fsize_bytes = UINT64_MAX - 1;
	f->policy.net = NET_HOST;
	p->cwd = mem_strdup("/w\xff", NULL);
	p->rlimit_nproc = 9;
	p->applied = LAYER_BIT(LAYER_ENV);
	p->required = LAYER_BIT(LAYER_LANDLOCK) | LAYER_BIT(LAYER_VIEW);
	p->landlock_flags = 6;
	p->is_filter_by_tool = false;
	p->filter.len = 2;
	p->filter.filter = mem_calloc(2, sizeof filter[0], NULL);
	if (p->cwd == NULL || p->filter.filter == NULL)
		BAIL("no memory");
	memcpy(p->filter.filter, filter, sizeof filter);
	p->cgroup.dir_count = 2;
	if (strv_add(&p->env.env, "A=1", &e) != 0 || strv_add(&p->env.env, "B=\xfe", &e) != 0 ||
	    plan_add_rule(p, "/r\xff", LANDLOCK_DEVICE, &e) != 0 ||
	    plan_add_check(p, CHECK_SAME, "/c", 5, UINT64_MAX, &e) != 0)
		BAIL("%s", e.msg);
	memset(g, 0, sizeof *g);
	g->stdin_fd = 4;
}

static void test_start_frame(void)
{
	static struct init_start s;
	struct fixture f;
	struct guard g;
	struct buf out;
	struct err e = ERR_INIT;
	struct json_doc *doc;
	const struct plan *p = &s.plan;
	struct winsize size = { 33, 111, 0, 0 };
	int master;

	setup(&f);
	fill_start(&f, &g);
	if (openpty(&master, &f.rq.stdin_fd, NULL, NULL, &size) != 0)
		BAIL("openpty");
	buf_init(&out, LIMIT_FRAME);
	is_int(inner_put_start(&f.plan, &g, &out, &e), 0, "a start frame is written");
	doc = read_frame(&out);
	is_int(init_read_start(json_root(doc), &s, &e), 0, "and read: %s", e.msg);
	json_free(doc);
	is_int(p->tty_size, 33 << 16 | 111, "the size of the caller's terminal");
	(void)close(f.rq.stdin_fd);
	(void)close(master);
	ok(s.rq.argv[3] == NULL && strcmp(s.rq.argv[0], "a b") == 0 && s.rq.argv[1][0] == '\0' &&
		   strcmp(s.rq.argv[2], "\xff\xfe\n\"") == 0,
	   "arguments of any bytes, empty ones too");
	ok(p->argv == s.rq.argv && p->env.env.n == 2 && p->env.env.v[2] == NULL, "an environment");
	is_str(p->env.env.v[1], "B=\xfe", "of any bytes");
	is_str(p->cwd, "/w\xff", "a working folder of any bytes");
	ok(s.policy.want_tty && s.has_stdin && !s.want_net_ns, "flags");
	ok(s.policy.cpu_time_ms == 1500 && p->rlimit_nproc == 9 && p->rlimit_as_bytes == 0,
	   "limits");
	ok(s.policy.is_fsize_set && s.policy.fsize_bytes == UINT64_MAX - 1, "of 64 bits");
	ok(!s.policy.is_nofile_set, "a limit that is not set stays unset");
	ok(p->applied == f.plan.applied && p->required == f.plan.required, "layers");
	ok(p->rule_count == 1 && p->rules[0].access == LANDLOCK_DEVICE && p->landlock_flags == 6,
	   "Landlock rules");
	is_str(p->rules[0].path, "/r\xff", "with their path");
	ok(p->check_count == 1 && p->checks[0].kind == CHECK_SAME && p->checks[0].dev == 5 &&
		   p->checks[0].ino == UINT64_MAX,
	   "checks");
	ok(p->filter.len == 2 && memcmp(p->filter.filter, f.plan.filter.filter, 16) == 0,
	   "the filter");
	ok(p->cgroup.dir_count == 2 && p->cgroup.version == 0 &&
		   p->cgroup.procs_fd[1] == INNER_FD_CGROUP + 1,
	   "a control group, to be joined only");
	is_int((long long)s.outside_namespaces[0], (long long)inner_namespace_id("user"),
	       "the namespaces outside");
	buf_fini(&out);
	f.plan.cgroup.dir_count = 0; /* it has no descriptors */
	teardown(&f);
}

/* A start frame that is not whole must not start anything. */
static void test_bad_start_frame(void)
{
	static struct init_start s[10]; /* never freed */
	static const char *const needed[] = { "argv_b64",	"env_b64",     "cwd_b64",
					      "applied",	"required",    "cgroup_dirs",
					      "landlock_flags", "cpu_time_ms", "outside_namespaces",
					      "filter_b64" };
	struct fixture f;
	struct guard g;
	struct buf out;
	struct err e = ERR_INIT;
	const char *text;

	_Static_assert(MEM_COUNT(needed) == MEM_COUNT(s), "one a field");
	setup(&f);
	fill_start(&f, &g);
	buf_init(&out, LIMIT_FRAME);
	if (inner_put_start(&f.plan, &g, &out, &e) != 0)
		BAIL("%s", e.msg);
	for (size_t i = 0; i < MEM_COUNT(needed); i++) {
		struct json_doc *doc;
		char *copy, *at;

		text = buf_str(&out, &e);
		copy = mem_strdup(text, &e);
		at = strstr(copy, needed[i]);
		at[0] = '-'; /* the member is there under another name */
		doc = json_parse(copy, strlen(copy), "t", &e);
		if (doc == NULL)
			BAIL("%s", e.msg);
		ok(init_read_start(json_root(doc), &s[i], &e) == -1 && e.kind != ERR_NONE,
		   "refused without %s: %s", needed[i], e.msg);
		json_free(doc);
		free(copy);
	}
	buf_fini(&out);
	f.plan.cgroup.dir_count = 0;
	teardown(&f);
}

static void there_and_back(const struct guard_message *m, struct guard_message *got)
{
	struct buf out;
	struct err e = ERR_INIT;
	struct json_doc *doc;

	buf_init(&out, LIMIT_SMALL_FILE);
	if (init_put_message(m, &out, &e) != 0)
		BAIL("%s", e.msg);
	doc = read_frame(&out);
	is_int(inner_read_message(json_root(doc), got, &e), 1, "message %d arrives: %s", m->event,
	       e.msg);
	is_int(got->event, m->event, "as what it is");
	json_free(doc);
	buf_fini(&out);
}

static void test_messages(void)
{
	struct guard_message m, got;

	memset(&m, 0, sizeof m);
	m.event = GUARD_STARTED;
	m.applied = LAYER_BIT(LAYER_VIEW) | LAYER_BIT(LAYER_DIE_WITH_RUNNER);
	m.layer_errno[LAYER_CGROUP_NS] = ENOSYS;
	there_and_back(&m, &got);
	ok(got.applied == m.applied && got.layer_errno[LAYER_CGROUP_NS] == ENOSYS,
	   "with its layers");

	memset(&m, 0, sizeof m);
	m.event = GUARD_FAILED;
	m.is_final = 1;
	(void)err_sys(&m.error, ERR_NOT_FOUND, ENOENT, "/x\xffy");
	there_and_back(&m, &got);
	ok(got.error.kind == ERR_NOT_FOUND && got.error.errnum == ENOENT && got.is_final == 1,
	   "kind, errno");
	ok(strstr(got.error.msg, "No such file") != NULL, "and text: %s", got.error.msg);

	memset(&m, 0, sizeof m);
	m.event = GUARD_EXITED;
	m.has_status = 1;
	m.status = 0x8b;
	there_and_back(&m, &got);
	ok(got.has_status == 1 && got.status == 0x8b, "with its status");

	m.event = GUARD_DONE;
	m.has_status = 0;
	m.left = 2;
	m.usage.ru_utime = (struct timeval){ 3, 250000 };
	m.usage.ru_maxrss = 4096;
	there_and_back(&m, &got);
	ok(got.has_status == 0 && got.left == 2 && got.usage.ru_maxrss == 4096, "without one");
	ok(got.usage.ru_utime.tv_sec == 3 && got.usage.ru_utime.tv_usec == 250000,
	   "with its times");
}

static void test_bad_messages(void)
{
	static const struct {
		const char *text;
		int want;
	} bad[] = {
		{ "{\"type\":\"hello\"}", 0 },
		{ "{}", 0 },
		{ "{\"type\":7}", 0 },
		{ "{\"type\":\"started\"}", -1 },
		{ "{\"type\":\"started\",\"applied\":4294967295}", -1 },
		{ "{\"type\":\"started\",\"applied\":-1}", -1 },
		{ "{\"type\":\"exit\",\"status\":\"0\"}", -1 },
		{ "{\"type\":\"exit\",\"status\":4294967296}", -1 },
		{ "{\"type\":\"failed\",\"kind\":1,\"errno\":0}", -1 },
		{ "{\"type\":\"done\",\"left\":0}", -1 },
	};

	for (size_t i = 0; i < MEM_COUNT(bad); i++) {
		struct guard_message m;
		struct err e = ERR_INIT;
		struct json_doc *doc = json_parse(bad[i].text, strlen(bad[i].text), "t", &e);

		if (doc == NULL)
			BAIL("%s", e.msg);
		is_int(inner_read_message(json_root(doc), &m, &e), bad[i].want, "%s", bad[i].text);
		json_free(doc);
	}
}

/* kind 0 would say "no error", any other number is read as an index. */
static void test_failure_kinds(void)
{
	static const int kinds[] = { 0, 99, 2147483647 };

	for (size_t i = 0; i < MEM_COUNT(kinds); i++) {
		struct guard_message m;
		struct err e = ERR_INIT;
		char text[128];
		struct json_doc *doc;

		snprintf(text, sizeof text,
			 "{\"type\":\"failed\",\"kind\":%d,\"errno\":0,\"message\":\"m\"}",
			 kinds[i]);
		doc = json_parse(text, strlen(text), "t", &e);
		if (doc == NULL)
			BAIL("%s", e.msg);
		is_int(inner_read_message(json_root(doc), &m, &e), 1, "a failure of kind %d",
		       kinds[i]);
		ok(m.error.kind > ERR_NONE && m.error.kind < ERR_KIND_COUNT,
		   "is an error all the same");
		json_free(doc);
	}
}

int main(void)
{
	test_golden();
	test_checks();
	test_refusals();
	test_explain();
	test_start_frame();
	test_bad_start_frame();
	test_messages();
	test_bad_messages();
	test_failure_kinds();
	return done_testing();
}
