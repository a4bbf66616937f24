/*
 * The sandbox_exec backend without macOS: profiles and arguments for a policy (golden, on a host
 * that exists in this file only), what is refused, and that no path can say more than its name.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/base/limits.h"
#include "../../lib/base/mem.h"
#include "../../lib/sandbox/be_sandbox_exec.h"
#include "../../lib/sandbox/sbpl.h"
#include "tap.h"

/* ---- strings ---- */

static char *quoted(const char *text, struct err *e)
{
	struct buf out;
	char *s = NULL;

	err_clear(e);
	buf_init(&out, LIMIT_SMALL_FILE);
	if (sbpl_put_string(&out, text, e) == 0)
		s = buf_take_str(&out, e);
	else
		is_int((long)out.len, 0, "nothing is added for a string that is refused");
	buf_fini(&out);
	return s;
}

static void quotes(const char *text, const char *want)
{
	struct err e = ERR_INIT;
	char *s = quoted(text, &e);

	is_str(s != NULL ? s : e.msg, want, "quoted: %s", text);
	free(s);
}

static void refuses_string(const char *text, const char *why)
{
	struct err e = ERR_INIT;
	char *s = quoted(text, &e);

	ok(s == NULL && e.kind == ERR_REFUSED, "refused: %s", why);
	ok(strstr(e.msg, why) != NULL && strchr(e.msg, '\n') == NULL, "and says so in one line");
	free(s);
}

/* As a reader of the language takes a string apart; *end behind its closing quote, NULL: bad. */
static void unquote(const char *s, char *out, const char **end)
{
	*end = NULL;
	if (*s++ != '"')
		return;
	for (; *s != '"'; s++) {
		if (*s == '\0' || (*s == '\\' && *++s == '\0'))
			return;
		*out++ = *s;
	}
	*out = '\0';
	*end = s + 1;
}

static void strcat_word(char *text, const char *word)
{
	size_t len = strlen(text);

	memcpy(text + len, word, strlen(word) + 1);
}

static void test_strings(void)
{
	static const char *const words[] = { "\"", "\\", "(", ")", "'", ";", "#", "|", " ", "a",
		"\xc3\xa9", "\"))(allow default)(", "\n", "\x01", "\x7f", "\xff" };
	unsigned seed = 1;
	int taken = 0, refused = 0, wrong = 0;

	quotes("/a b", "\"/a b\"");
	quotes("/a\"b", "\"/a\\\"b\"");
	quotes("/a\\", "\"/a\\\\\"");
	quotes("/a\\\"))(allow default)(", "\"/a\\\\\\\"))(allow default)(\"");
	quotes("/caf\xc3\xa9", "\"/caf\xc3\xa9\"");
	refuses_string("/a\nb", "control characters");
	refuses_string("/a\tb", "control characters");
	refuses_string("/a\x7f", "control characters");
	refuses_string("/a\xff", "not UTF-8");
	refuses_string("/a\xc3", "not UTF-8");

	for (int i = 0; i < 20000; i++) {
		char text[256] = "", back[256];
		const char *end;
		struct err e = ERR_INIT;
		struct buf out;

		for (int n = 0; n < 6; n++) {
			seed = seed * 1103515245U + 12345U;
			strcat_word(text, words[(seed >> 16) % MEM_COUNT(words)]);
		}
		buf_init(&out, 1024);
		if (sbpl_put_string(&out, text, &e) != 0) {
			refused++;
			wrong += out.len != 0;
		} else {
			const char *s = buf_str(&out, &e);

			taken++;
			unquote(s, back, &end);
			wrong += end == NULL || *end != '\0' || strcmp(back, text) != 0;
		}
		buf_fini(&out);
	}
	ok(taken > 1000 && refused > 1000, "%d random strings were taken, %d refused", taken,
	    refused);
	is_int(wrong, 0, "each of them says itself and ends where it should");
}

/* ---- a host ---- */

static int fake_real(const char *path, char *real)
{
	static const struct {
		const char *path, *real;
	} host[] = {
		{ "/opt/tools", "/opt/tools" },
		{ "/project/keys", "/project/keys" },
		{ "/project/a/b/key", "/project/a/b/key" },
		{ "/project/link", "/Users/me/.ssh" },
		{ "/tmp/shared", "/private/tmp/shared" },
		{ "/Users/me/.cargo", "/Users/me/.cargo" },
		{ "/project", "/project" },
		{ "/", "/" },
	};

	for (size_t i = 0; i < MEM_COUNT(host); i++)
		if (strcmp(host[i].path, path) == 0) {
			(void)snprintf(real, PATH_MAX, "%s", host[i].real);
			return 0;
		}
	return -ENOENT;
}

struct fixture {
	struct policy policy;
	struct sandbox_request rq;
	struct plan plan;
	struct sandbox_exec_facts facts;
};

static char *const command[] = { (char *)(uintptr_t)"make", (char *)(uintptr_t)"-k", NULL };

static void setup(struct fixture *f)
{
	memset(f, 0, sizeof *f);
	policy_init(&f->policy);
	f->rq.policy = &f->policy;
	f->rq.argv = command;
	f->plan.rq = &f->rq;
	f->plan.policy = &f->policy;
	f->plan.root_fd = f->plan.cwd_fd = f->plan.temp_parent_fd = -1;
	cgroup_init(&f->plan.cgroup);
	f->plan.root = mem_strdup("/project", NULL);
	f->plan.cwd_outside = mem_strdup("/project", NULL);
	f->plan.home_outside = mem_strdup("/Users/me", NULL);
	f->plan.temp_path = mem_strdup("/private/tmp/sbx-1", NULL);
	f->facts = (struct sandbox_exec_facts){ "/usr/bin/sandbox-exec", "/Users/me/bin/sbx",
		fake_real };
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
	m->dst = mem_strdup(dst, NULL);
}

static void teardown(struct fixture *f)
{
	plan_fini(&f->plan);
	policy_fini(&f->policy);
}

static bool plans(struct fixture *f, struct err *e)
{
	err_clear(e);
	return sandbox_exec_plan_argv(&f->plan, &f->facts, e) == 0;
}

/* ---- golden ---- */

/* A profile in one piece is longer than what every C99 compiler must take. */
#pragma GCC diagnostic ignored "-Woverlength-strings"

static void is_argv(const struct fixture *f)
{
	const char *const want[] = { "/usr/bin/sandbox-exec", "-p", f->plan.profile,
		"/Users/me/bin/sbx", "--sbx-exec", "make", "-k" };

	is_int((long)f->plan.tool.n, (long)MEM_COUNT(want), "the tool's arguments");
	for (size_t i = 0; i < MEM_COUNT(want) && i < f->plan.tool.n; i++)
		is_str(f->plan.tool.v[i], want[i], "argument %zu", i);
	ok(f->plan.argv == f->plan.tool.v, "and they are what is started");
}

static void test_compatible(void)
{
	struct fixture f;
	struct err e;

	setup(&f);
	ok(plans(&f, &e), "a policy without places: %s", e.msg);
	is_str(f.plan.profile, "(version 1)(deny network*)(allow default)",
	    "gives the compatible profile");
	is_argv(&f);
	teardown(&f);
	setup(&f);
	f.policy.net = NET_HOST;
	ok(plans(&f, &e), "and with --net host: %s", e.msg);
	is_str(f.plan.profile, "(version 1)(allow default)", "nothing is denied");
	teardown(&f);
}

#define NEWER(rule, op, rest) "(when (defined? '" op ") (" rule " " op " " rest "))\n"
#define NEWER_ALL(rule, op) "(when (defined? '" op ") (" rule " " op "))\n"
#define BEGIN "(version 1)\n(allow default)\n"
#define NET_NONE_RULES "(deny network*)\n(deny system-socket)\n"
#define NET_HOST_RULES \
	"(deny network-outbound (remote unix-socket))\n" \
	"(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))\n"
#define LOOKUP \
	"(deny mach-lookup)\n(allow mach-lookup" \
	" (global-name \"com.apple.system.opendirectoryd.libinfo\")" \
	" (global-name \"com.apple.system.opendirectoryd.membership\")" \
	" (global-name \"com.apple.system.notification_center\")" \
	" (global-name \"com.apple.logd\"))\n"
#define LOOKUP_HOST \
	"(allow mach-lookup" \
	" (global-name \"com.apple.SystemConfiguration.configd\")" \
	" (global-name \"com.apple.SystemConfiguration.DNSConfiguration\")" \
	" (global-name \"com.apple.trustd\")" \
	" (global-name \"com.apple.trustd.agent\"))\n"
#define SERVICES \
	NEWER_ALL("deny", "mach-register") NEWER_ALL("deny", "mach-priv*") \
	NEWER_ALL("deny", "appleevent-send") NEWER_ALL("deny", "lsopen") \
	NEWER_ALL("deny", "job-creation") NEWER_ALL("deny", "authorization-right-obtain") \
	NEWER_ALL("deny", "distributed-notification-post") \
	NEWER_ALL("deny", "user-preference-write") NEWER_ALL("deny", "iokit-open") \
	NEWER_ALL("deny", "nvram*") \
	"(deny process-info*)\n(allow process-info* (target same-sandbox))\n" \
	"(deny signal)\n(allow signal (target same-sandbox))\n"
#define WRITES \
	"(deny file-write*)\n" NEWER_ALL("deny", "file-link") \
	"(allow file-write-data (literal \"/dev/null\") (literal \"/dev/zero\")" \
	" (subpath \"/dev/fd\"))\n"
#define CLOSED(path) \
	"(deny file-read* file-write* (subpath \"" path "\"))\n" \
	NEWER("deny", "file-map-executable", "(subpath \"" path "\")") \
	NEWER("deny", "file-link", "(subpath \"" path "\")") \
	NEWER("deny", "file-clone", "(subpath \"" path "\")") \
	"(deny network-bind network-outbound (subpath \"" path "\"))\n"
#define PRIVATE \
	CLOSED("/Users") CLOSED("/private/tmp") CLOSED("/private/var/tmp") CLOSED("/Volumes") \
	CLOSED("/Users/me")
#define READABLE(filter, path) \
	"(allow file-read* (" filter " \"" path "\"))\n" \
	NEWER("allow", "file-map-executable", "(" filter " \"" path "\")")
#define READ(filter, path) \
	READABLE(filter, path) NEWER("deny", "file-link", "(" filter " \"" path "\")") \
	"(deny file-write* network-bind network-outbound (" filter " \"" path "\"))\n"
#define WRITE(path) \
	READABLE("subpath", path) "(allow file-write* (subpath \"" path "\"))\n" \
	NEWER("allow", "file-link", "(subpath \"" path "\")") \
	NEWER("allow", "file-clone", "(subpath \"" path "\")") \
	"(allow network* (subpath \"" path "\"))\n"
#define WAY(path) "(allow file-read-metadata (literal \"" path "\"))\n"
#define PIN(path) "(deny file-write-unlink (literal \"" path "\"))\n"
#define END \
	"(deny file-write-setugid)\n" NEWER_ALL("deny", "file-mount") \
	NEWER_ALL("deny", "file-unmount")

static void gives(struct fixture *f, const char *want, const char *what)
{
	struct err e;

	ok(plans(f, &e), "%s: %s", what, e.msg);
	is_str(f->plan.profile != NULL ? f->plan.profile : "", want, "%s: the profile", what);
	teardown(f);
}

static void test_strict(void)
{
	struct fixture f;

	setup(&f);
	f.policy.root = mem_strdup("/project", NULL);
	gives(&f,
	    BEGIN NET_NONE_RULES LOOKUP SERVICES WRITES PRIVATE
	    WRITE("/project")
	    WAY("/private/tmp") WRITE("/private/tmp/sbx-1")
	    WAY("/Users") WAY("/Users/me") WAY("/Users/me/bin") READ("literal", "/Users/me/bin/sbx")
	    PIN("/project") PIN("/private/tmp/sbx-1") PIN("/Users/me/bin/sbx") END,
	    "a project root");

	setup(&f);
	f.policy.net = NET_HOST;
	f.policy.want_tty = true;
	add_mount(&f, MOUNT_HIDE, NULL, "a/b/key");
	add_mount(&f, MOUNT_RO, "keys", "keys");
	add_mount(&f, MOUNT_RW, "/tmp/shared", "/tmp/shared");
	add_mount(&f, MOUNT_HIDE, NULL, "/etc/no-such-thing");
	gives(&f,
	    BEGIN NET_HOST_RULES LOOKUP LOOKUP_HOST SERVICES WRITES
	    "(allow file-write-data (literal \"/dev/tty\"))\n" PRIVATE
	    WRITE("/project")
	    READ("subpath", "/project/keys")
	    WAY("/private/tmp") WRITE("/private/tmp/sbx-1")
	    WAY("/private/tmp") WRITE("/private/tmp/shared")
	    WAY("/Users") WAY("/Users/me") WAY("/Users/me/bin") READ("literal", "/Users/me/bin/sbx")
	    CLOSED("/project/a/b/key") CLOSED("/etc/no-such-thing")
	    PIN("/project") PIN("/project/keys") PIN("/private/tmp/sbx-1")
	    PIN("/private/tmp/shared")
	    PIN("/Users/me/bin/sbx") PIN("/project/a") PIN("/project/a/b") END,
	    "places of every kind, the network, a terminal");
}

/* ---- refusals ---- */

static void refused(struct fixture *f, const char *word, const char *what)
{
	struct err e;

	ok(!plans(f, &e), "%s: refused", what);
	ok(strstr(e.msg, word) != NULL, "%s: says %s: %s", what, word, e.msg);
	is_int((long)f->plan.tool.n, 0, "%s: nothing to start", what);
	teardown(f);
}

static void test_refusals(void)
{
	struct fixture f;

	setup(&f);
	add_mount(&f, MOUNT_TMPFS, NULL, "/scratch");
	refused(&f, "--tmpfs /scratch", "an empty folder");
	setup(&f);
	add_mount(&f, MOUNT_BIND, "/opt/tools", "/mnt");
	refused(&f, "--bind /mnt", "another path");
	setup(&f);
	add_mount(&f, MOUNT_RO, "/no/such", "/no/such");
	refused(&f, "/no/such: No such file", "a place that is not there");
	setup(&f);
	add_mount(&f, MOUNT_RW, "link", "link");
	refused(&f, "/project/link: leads through a symbolic link", "a link of the project");
	setup(&f);
	add_mount(&f, MOUNT_RO, "/", "/");
	refused(&f, "whole root", "everything");
	setup(&f);
	add_mount(&f, MOUNT_HIDE, NULL, "/");
	refused(&f, "--hide /", "nothing");
	setup(&f);
	add_mount(&f, MOUNT_HIDE, NULL, "new");
	refused(&f, "does not exist in a folder where", "hiding what the command could make");
	setup(&f);
	add_mount(&f, MOUNT_HIDE, NULL, "/etc/\xff");
	refused(&f, "not UTF-8", "a path that no profile can hold");
}

static void test_size(void)
{
	struct fixture f;
	char path[64];

	setup(&f);
	for (int i = 0; i < 400; i++) {
		(void)snprintf(path, sizeof path, "/etc/%055d", i);
		add_mount(&f, MOUNT_HIDE, NULL, path);
	}
	refused(&f, "too many places", "a profile that is no argument any more");
}

static void test_explain(void)
{
	struct err e = ERR_INIT;

	sandbox_exec_explain("sandbox-exec: sandbox_apply: Operation not permitted", &e);
	ok(strstr(e.msg, "do not nest") != NULL, "a sandbox around us is named");
	is_int(e.kind, ERR_SETUP, "as something that this machine does not give");
	sandbox_exec_explain("sandbox-exec: something else", &e);
	is_str(e.msg, "sandbox-exec: something else", "other lines are told as they are");
}

int main(void)
{
	test_strings();
	test_compatible();
	test_strict();
	test_refusals();
	test_size();
	test_explain();
	return done_testing();
}
