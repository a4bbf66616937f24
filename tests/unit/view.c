/*
 * The view as a list of operations, from made-up facts: order, nesting, what may be created, and
 * refusals. And the cleaning of paths, on which all of it rests.
 */
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../lib/base/limits.h"
#include "../../lib/base/mem.h"
#include "../../lib/policy/policy_options.h"
#include "../../lib/sandbox/view.h"
#include "tap.h"

static void test_clean(void)
{
	static const char *const cases[][3] = {
		{ "/", "/", "/" },
		{ "/", "a", "/a" },
		{ "/b", "a", "/b/a" },
		{ "/b", "/a", "/a" },
		{ "/b", ".", "/b" },
		{ "/b/c", "..", "/b" },
		{ "/b/c", "../d", "/b/d" },
		{ "/b", "a//c/./d/", "/b/a/c/d" },
		{ "/b", "/a/../../..", "/" },
		{ "/b", "../../../x", "/x" },
		{ "/b", "...", "/b/..." },
		{ "/b", "..a", "/b/..a" },
		{ "/", "//", "/" },
		{ "/b", "", "/b" },
	};

	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct err e = ERR_INIT;
		char *got = view_clean_path(cases[i][0], cases[i][1], &e);

		is_str(got, cases[i][2], "%s from %s", cases[i][1], cases[i][0]);
		free(got);
	}
}

static void test_below(void)
{
	ok(view_path_is_below("/a", "/a"), "a path is below itself");
	ok(view_path_is_below("/a/b", "/a"), "and below its folder");
	ok(!view_path_is_below("/ab", "/a"), "a longer name is not");
	ok(!view_path_is_below("/a", "/a/b"), "nor the other way round");
	ok(view_path_is_below("/a", "/") && view_path_is_below("/", "/"), "all is below /");
}

static struct policy policy;
static struct view_facts facts;
static struct view view;
static struct err e;

static void begin(void)
{
	policy_init(&policy);
	memset(&facts, 0, sizeof facts);
	memset(&view, 0, sizeof view);
	err_clear(&e);
	facts.root = "/projects/one";
	facts.home = "/home/me";
	facts.cwd = "/projects/one/sub";
	facts.system[facts.system_count++] = mem_strdup("/usr", &e);
	facts.system[facts.system_count++] = mem_strdup("/bin\nusr/bin", &e);
	facts.system[facts.system_count++] = mem_strdup("/etc", &e);
}

static void add(int (*option)(void *target, const char *value, struct err *e), const char *value)
{
	if (option(&policy, value, &e) != 0)
		BAIL("%s", e.msg);
}

static void finish(void)
{
	view_fini(&view);
	view_facts_fini(&facts);
	policy_fini(&policy);
}

static void is_text(const char *want, const char *what)
{
	struct buf out;
	int rc = view_plan(&view, &policy, &facts, &e);

	buf_init(&out, LIMIT_FRAME);
	if (rc == 0)
		rc = view_put_text(&view, &out, &e);
	is_str(rc == 0 ? buf_str(&out, &e) : e.msg, want, "%s", what);
	buf_fini(&out);
}

static void is_refused(const char *part, const char *what)
{
	is_int(view_plan(&view, &policy, &facts, &e), -1, "%s is refused", what);
	is_int(e.kind, ERR_USAGE, "%s: as a mistake of the user's", what);
	ok(strstr(e.msg, part) != NULL, "%s: \"%s\" names %s", what, e.msg, part);
}

static const struct view_op *find(const char *dst)
{
	for (size_t i = view.count; i-- > 0;)
		if (strcmp(view.ops[i].dst, dst) == 0)
			return &view.ops[i];
	return NULL;
}

static size_t place(const char *dst)
{
	const struct view_op *op = find(dst);

	return op == NULL ? 9999 : (size_t)(op - view.ops);
}

static void test_default(void)
{
	begin();
	is_text("  proc /proc\n"
		"  bind ro /usr\n"
		"  symlink /bin -> usr/bin\n"
		"  bind ro /etc\n"
		"  dev /dev\n"
		"  tmpfs /tmp 268435456 bytes\n"
		"  tmpfs /home/me 268435456 bytes\n"
		"  bind rw /projects/one\n",
		"the view that nobody changed");
	ok(find("/usr")->is_system && !find("/projects/one")->is_system,
	   "system folders are known");
	ok(find("/projects/one")->is_root, "so is the root");
	ok(!find("/tmp")->is_asked, "what is a default was not asked for");
	finish();

	begin();
	facts.root = NULL;
	facts.private_root = "/workspace";
	is_text("  proc /proc\n"
		"  bind ro /usr\n"
		"  symlink /bin -> usr/bin\n"
		"  bind ro /etc\n"
		"  dev /dev\n"
		"  tmpfs /tmp 268435456 bytes\n"
		"  tmpfs /home/me 268435456 bytes\n"
		"  tmpfs /workspace 268435456 bytes\n",
		"a private root");
	finish();

	begin();
	facts.home = "/projects/one/home";
	is_int(view_plan(&view, &policy, &facts, &e), 0, "HOME in the root");
	ok(find("/projects/one/home") == NULL, "is the root's business");
	finish();

	begin();
	facts.resolv_conf = mem_strdup("/run/systemd/resolve/stub", &e);
	is_int(view_plan(&view, &policy, &facts, &e), 0, "a resolv.conf elsewhere");
	ok(find("/run/systemd/resolve/stub") != NULL &&
	   find("/run/systemd/resolve/stub")->is_read_only, "is shown read-only");
	finish();
}

static void test_order(void)
{
	begin();
	add(policy_option_ro, "/projects/one/a/b");
	add(policy_option_tmpfs, "/projects/one/a:1m");
	add(policy_option_bind, "/data:/projects/one/a/b/c:ro");
	add(policy_option_rw, "/srv");
	add(policy_option_hide, "/elsewhere/secret");
	is_int(view_plan(&view, &policy, &facts, &e), 0, "nested mounts");
	ok(place("/projects/one") < place("/projects/one/a"), "the root before what is in it");
	ok(place("/projects/one/a") < place("/projects/one/a/b"), "outer before inner");
	ok(place("/projects/one/a/b") < place("/projects/one/a/b/c"), "and inner before innermost");
	is_int(place("/elsewhere/secret"), view.count - 1, "what is hidden comes last");
	ok(find("/projects/one/a/b")->may_create, "a mount point on a tmpfs of ours may be made");
	ok(!find("/projects/one/a")->may_create, "not in the root");
	ok(!find("/projects/one/a/b/c")->may_create, "nor in a bind");
	ok(find("/srv")->may_create, "on the bare root it may");
	is_int(find("/projects/one/a")->size_bytes, 1048576, "a size");
	ok(find("/projects/one/a/b/c")->is_read_only && !find("/srv")->is_read_only, "ro and rw");
	is_str(find("/projects/one/a/b/c")->src, "/data", "a source elsewhere");
	is_str(view_covering(&view, "/projects/one/a/x", view.count)->dst, "/projects/one/a",
	    "the nearest folder above covers");
	ok(view_covering(&view, "/elsewhere", view.count) == NULL, "nothing covers what is bare");
	finish();

	begin();
	add(policy_option_rw, "/data");
	add(policy_option_ro, "/data");
	is_int(view_plan(&view, &policy, &facts, &e), 0, "the same path twice");
	ok(find("/data")->is_read_only, "the later one wins");
	finish();

	begin();
	add(policy_option_ro, "../other");
	is_int(view_plan(&view, &policy, &facts, &e), 0, "a relative source");
	ok(find("/projects/one/other") != NULL, "starts at the caller's folder");
	finish();
}

static void test_refused(void)
{
	begin();
	add(policy_option_rw, "/");
	is_refused("/", "--rw /");
	finish();
	begin();
	add(policy_option_bind, "/data:/proc");
	is_refused("/proc", "a mount over /proc");
	finish();
	begin();
	add(policy_option_tmpfs, "/proc/sys");
	is_refused("/proc", "a mount in /proc");
	finish();
	begin();
	add(policy_option_rw, "/dev");
	is_refused("/dev", "a mount over /dev");
	finish();
	begin();
	add(policy_option_tmpfs, "/dev/shm");
	is_refused("/dev", "a tmpfs in /dev");
	finish();
}

/* A folder between the root and a place in it could be renamed away: a mount of itself pins it. */
static void test_pins(void)
{
	begin();
	add(policy_option_ro, "/projects/one/a/b/c");
	is_int(view_plan(&view, &policy, &facts, &e), 0, "a place deep in the root");
	ok(find("/projects/one/a") != NULL && find("/projects/one/a/b") != NULL &&
	   !find("/projects/one/a")->is_read_only, "folders above it are pinned, writable");
	ok(place("/projects/one/a") < place("/projects/one/a/b") &&
	   place("/projects/one/a/b") < place("/projects/one/a/b/c"), "outer ones first");
	ok(find("/projects/one/a/b/c")->is_beneath && !find("/usr")->is_beneath &&
	   !find("/projects/one")->is_beneath, "sources below the root are known as such");
	finish();
	begin();
	add(policy_option_hide, "/projects/one/not-there");
	is_refused("not-there", "hiding what the command could make");
	finish();
}

/* A hidden link must not leave its target open by the target's own name. */
static void test_hidden_link(void)
{
	char dir[] = "/tmp/sbx-unit-view.XXXXXX";
	char link[64], target[64];

	if (mkdtemp(dir) == NULL)
		BAIL("mkdtemp");
	snprintf(link, sizeof link, "%s/link", dir);
	snprintf(target, sizeof target, "%s/target", dir);
	if (mkdir(target, 0700) != 0 || symlink("target", link) != 0)
		BAIL("symlink");
	begin();
	add(policy_option_hide, link);
	is_int(view_plan(&view, &policy, &facts, &e), 0, "a link is hidden");
	ok(find(target) != NULL && find(target)->kind == VIEW_HIDE, "what it leads to is");
	finish();
	(void)unlink(link);
	(void)rmdir(target);
	(void)rmdir(dir);
}

static void test_look(void)
{
	begin();
	view_facts_fini(&facts);
	is_int(view_look(&facts, false, &e), 0, "a look at this machine");
	ok(facts.system_count > 0 && facts.system_count < 64, "finds system folders: %zu",
	   facts.system_count);
	for (size_t i = 0; i < facts.system_count; i++)
		ok(facts.system[i][0] == '/', "absolute: %.*s",
		   (int)strcspn(facts.system[i], "\n"), facts.system[i]);
	finish();
	begin();
	view_facts_fini(&facts);
	is_int(view_look(&facts, true, &e), 0, "the short list");
	for (size_t i = 0; i < facts.system_count; i++)
		ok(strstr(facts.system[i], "shadow") == NULL &&
		   strcmp(facts.system[i], "/etc") != 0 && strcmp(facts.system[i], "/opt") != 0,
		   "no secrets: %.*s",
		   (int)strcspn(facts.system[i], "\n"), facts.system[i]);
	finish();
}

int main(void)
{
	test_clean();
	test_below();
	test_default();
	test_order();
	test_refused();
	test_pins();
	test_hidden_link();
	test_look();
	return done_testing();
}
