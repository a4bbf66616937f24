/*
 * The environment that a command gets: modes, what asked-for variables override, broken blocks,
 * files, PATH, the runner's own block. The single rules are in env_rules.c.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/policy/env.h"
#include "tap.h"

static struct policy policy;
static struct env_block block;
static struct err err;

static void fresh(enum env_mode mode)
{
	policy_fini(&policy);
	policy_init(&policy);
	policy.env_mode = mode;
	env_block_fini(&block);
	err_clear(&err);
}

static void want(struct strv *list, const char *text)
{
	if (strv_add(list, text, &err) < 0)
		BAIL("no memory");
}

static int build(const char *const *host)
{
	env_block_fini(&block);
	return env_build(&policy, (char *const *)(uintptr_t)host, &block, &err);
}

#define BUILD(...) build((const char *const[]){ __VA_ARGS__, NULL })

/* How many dropped entries there are of this name and rule. */
static int count_dropped(const char *name, const char *rule)
{
	int n = 0;

	for (size_t i = 0; i < block.dropped_count; i++)
		if (!strcmp(block.dropped[i].name, name) && !strcmp(block.dropped[i].rule, rule))
			n++;
	return n;
}

static void test_canaries(void)
{
	static const struct {
		const char *entry;
		const char *rule;
	} canaries[] = {
		{ "LD_PRELOAD=/tmp/CANARY.so", "code injection" },
		{ "LD_AUDIT=/tmp/CANARY.so", "code injection" },
		{ "BASH_ENV=/tmp/CANARY", "code injection" },
		{ "ENV=/tmp/CANARY", "code injection" },
		{ "PYTHONSTARTUP=/tmp/CANARY", "code injection" },
		{ "NODE_OPTIONS=--require CANARY", "code injection" },
		{ "PERL5OPT=-MCANARY", "code injection" },
		{ "GIT_SSH_COMMAND=CANARY", "code injection" },
		{ "BASH_FUNC_x%%=() { CANARY; }", "code injection" },
		{ "AWS_SECRET_ACCESS_KEY=CANARY", "secret name" },
		{ "FOO_TOKEN=CANARY", "secret name" },
		{ "DATABASE_URL=postgres://CANARY:p@h", "secret name" },
		{ "INNOCENT_URL=postgres://CANARY:p@h", "secret value" },
		{ "INNOCENT=-----BEGIN RSA PRIVATE KEY-----\nCANARY\n-----END RSA PRIVATE KEY-----",
		  "secret value" },
		{ "SSH_AUTH_SOCK=/tmp/CANARY", "outside handle" },
	};
	enum { COUNT = sizeof(canaries) / sizeof(canaries[0]) };
	const char *host[COUNT + 3] = { "PATH=/usr/bin:/bin", "FOO=bar" };
	char name[64];

	for (size_t i = 0; i < COUNT; i++)
		host[i + 2] = canaries[i].entry;
	fresh(ENV_INHERIT);
	is_int(build(host), 0, "control: inherit");
	is_int(block.env.n, COUNT + 2, "lets all %d entries pass", COUNT + 2);
	fresh(ENV_SCRUB);
	is_int(build(host), 0, "scrub");
	is_int(block.env.n, 2, "lets two pass");
	is_str(env_get(&block.env, "FOO"), "bar", "FOO is one");
	is_str(env_get(&block.env, "PATH"), "/usr/bin:/bin", "PATH is the other");
	for (size_t i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(canaries[i].entry, "="),
			 canaries[i].entry);
		is_str(env_get(&block.env, name), NULL, "%s is gone", name);
		is_int(count_dropped(name, canaries[i].rule), 1, "and listed: %s",
		       canaries[i].rule);
	}
	for (size_t i = 0; i < block.dropped_count; i++)
		ok(!strstr(block.dropped[i].name, "CANARY"), "no value is kept");
	is_int(block.dropped_count, COUNT, "nothing else is listed");
}

static void test_modes(void)
{
	static const char *const host[] = {
		"PATH=/bin", "HOME=/h", "LC_ALL=C", "FOO=1", "X_TOKEN=t", "http_proxy=http://u:p@h",
		NULL,
	};

	fresh(ENV_SCRUB);
	is_int(build(host), 0, "scrub");
	is_int(block.env.n, 5, "drops the token alone");
	is_str(env_get(&block.env, "http_proxy"), "http://h", "and takes the userinfo off a proxy");
	fresh(ENV_ALLOW);
	is_int(build(host), 0, "allow");
	is_int(block.env.n, 3, "passes the kept names alone");
	is_str(env_get(&block.env, "LC_ALL"), "C", "LC_* is one");
	is_int(count_dropped("FOO", "not in allow list"), 1, "the others are listed");
	is_int(count_dropped("X_TOKEN", "not in allow list"), 1, "whatever they are");
	is_int(BUILD("HOME=ghp_0123456789abcdefABCD"), 0, "a kept name with a secret in it");
	is_int(count_dropped("HOME", "secret value"), 1, "is dropped for it");
	fresh(ENV_CLEAR);
	is_int(build(host), 0, "clear");
	ok(block.env.n == 0 && block.dropped_count == 6, "passes nothing");
	is_int(count_dropped("PATH", "cleared"), 1, "and lists all");
	fresh(ENV_INHERIT);
	is_int(build(host), 0, "inherit");
	ok(block.env.n == 6 && block.dropped_count == 0, "passes everything");
	is_str(env_get(&block.env, "http_proxy"), "http://u:p@h", "as it is");
	is_int(build(NULL), 0, "no block at all");
	is_int(block.env.n, 0, "is an empty one");
}

static void test_proxies(void)
{
	fresh(ENV_SCRUB);
	BUILD("HTTP_PROXY=http://u:p/w@h:3128/", "https_proxy=u:p@h:1", "ALL_PROXY=socks5://h",
	      "no_proxy=localhost,.example", "ftp_proxy=@h", "X_PROXY=",
	      "Y_PROXY=Bearer abcdefgh://x@h");
	is_str(env_get(&block.env, "HTTP_PROXY"), "http://h:3128/", "a password with a slash");
	is_str(env_get(&block.env, "https_proxy"), "h:1", "no scheme");
	is_str(env_get(&block.env, "ALL_PROXY"), "socks5://h", "no userinfo");
	is_str(env_get(&block.env, "no_proxy"), "localhost,.example", "a list of hosts");
	is_str(env_get(&block.env, "ftp_proxy"), "h", "an empty userinfo");
	is_str(env_get(&block.env, "X_PROXY"), "", "an empty value");
	is_str(env_get(&block.env, "Y_PROXY"), "h", "what is no scheme goes with the userinfo");
}

static void test_asked_for(void)
{
	fresh(ENV_SCRUB);
	want(&policy.env_set, "FOO_TOKEN");
	want(&policy.env_set, "A=1");
	want(&policy.env_set, "A=2");
	want(&policy.env_set, "B=given");
	want(&policy.env_set, "B");
	want(&policy.env_set, "C=given");
	want(&policy.env_set, "C");
	want(&policy.env_set, "NOT_THERE");
	want(&policy.env_set, "LD_PRELOAD=/x.so");
	want(&policy.env_set, "EMPTY=");
	want(&policy.env_set, "PW=a=b");
	is_int(BUILD("FOO_TOKEN=t=1", "A=host", "B=host"), 0, "asked-for variables: %s", err.msg);
	is_str(env_get(&block.env, "FOO_TOKEN"), "t=1",
	       "NAME takes the host's value past the rules");
	is_str(env_get(&block.env, "A"), "2", "the last one wins");
	is_str(env_get(&block.env, "B"), "host", "NAME after NAME=VALUE is the host's again");
	is_str(env_get(&block.env, "C"), "given", "unless the host has none");
	is_str(env_get(&block.env, "NOT_THERE"), NULL, "an absent one is no error and no variable");
	is_str(env_get(&block.env, "LD_PRELOAD"), "/x.so", "NAME=VALUE passes the rules");
	is_str(env_get(&block.env, "EMPTY"), "", "an empty value is a value");
	is_str(env_get(&block.env, "PW"), "a=b", "only the first '=' counts");
	is_int(block.env.n, 7, "no name twice");
	is_int(block.dropped_count, 0, "what was asked for instead is not listed as dropped");

	fresh(ENV_CLEAR);
	want(&policy.env_set, "FOO");
	want(&policy.env_set, "BAR=1");
	want(&policy.env_unset, "BAR");
	is_int(BUILD("FOO=1", "BAZ=2"), 0, "clear with exceptions");
	is_int(block.env.n, 1, "passes the exception alone");
	is_int(count_dropped("BAR", "unset"), 1, "--unset-env wins over --env");

	fresh(ENV_INHERIT);
	want(&policy.env_unset, "FOO");
	want(&policy.env_unset, "NOT_THERE");
	is_int(BUILD("FOO=1", "FOOD=2"), 0, "unset");
	is_int(block.env.n, 1, "takes the one variable");
	is_str(env_get(&block.env, "FOOD"), "2", "not what begins like it");
	is_int(count_dropped("NOT_THERE", "unset"), 0, "an absent one is not listed");
}

static void test_broken_blocks(void)
{
	fresh(ENV_SCRUB);
	is_int(BUILD("A=1", "nothing", "=x", "", "A=2", "B_TOKEN=1", "B_TOKEN=2", "C D=3"), 0,
	       "a broken block");
	is_str(env_get(&block.env, "A"), "1", "the first of two counts");
	is_int(count_dropped("A", "duplicate"), 1, "the other is listed");
	is_int(count_dropped("B_TOKEN", "duplicate"), 1, "a dropped name");
	is_int(count_dropped("B_TOKEN", "secret name"), 1, "does not come back with its duplicate");
	is_int(count_dropped("(malformed)", "malformed"), 3, "no '=' or no name: not shown");
	is_str(env_get(&block.env, "C D"), "3", "odd names are the host's business");
	fresh(ENV_INHERIT);
	is_int(BUILD("A=1", "A=2", "broken"), 0, "inherit mends a block too");
	is_int(block.env.n, 1, "to one A");
	is_int(block.dropped_count, 2, "and lists what it left out");
	fresh(ENV_CLEAR);
	BUILD("\x1b[2J\xff=1");
	is_str(block.dropped[0].name, "\\x1B[2J\\xFF", "names are listed in printable form");
}

static void test_bad_names(void)
{
	static const char *const bad[] = { "", "=x", "A B=x", "A B", "A\tB", "\x01", "A\x7f=hush" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		fresh(ENV_SCRUB);
		want(&policy.env_set, bad[i]);
		is_int(BUILD("A=1"), -1, "--env with bad name %zu", i);
		is_int(err.kind, ERR_USAGE, "is a usage error");
		ok(!strncmp(err.msg, "--env: ", 7), "of --env: %s", err.msg);
		ok(!strstr(err.msg, "hush"), "that shows no value");
		ok(block.env.n == 0 && block.dropped_count == 0, "and gives nothing");
	}
	fresh(ENV_SCRUB);
	want(&policy.env_unset, "A=hush");
	is_int(BUILD("A=1"), -1, "--unset-env with a value");
	ok(strstr(err.msg, "--unset-env") && !strstr(err.msg, "hush"), "is refused: %s", err.msg);
}

static void test_files(void)
{
	char path[] = "/tmp/sbx-env-XXXXXX";
	static const char text[] = "A=file\nB_TOKEN=file\nC=1\nC=2\n";
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, text, sizeof(text) - 1) != sizeof(text) - 1)
		BAIL("cannot write %s", path);
	close(fd);
	fresh(ENV_SCRUB);
	want(&policy.env_files, path);
	want(&policy.env_set, "A=set");
	is_int(BUILD("B_TOKEN=host", "D=1"), 0, "a file: %s", err.msg);
	is_str(env_get(&block.env, "A"), "set", "--env wins over a file");
	is_str(env_get(&block.env, "B_TOKEN"), "file", "a file wins over the host and the rules");
	is_str(env_get(&block.env, "C"), "2", "the last line wins");
	is_str(env_get(&block.env, "D"), "1", "the rest of the host passes");
	is_int(truncate(path, 3), 0, "a broken file");
	is_int(BUILD("D=1"), 0, "of one empty variable"); /* "A=f" */
	is_int(truncate(path, 1), 0, "a more broken file");
	is_int(BUILD("D=1"), -1, "is refused");
	ok(err.kind == ERR_USAGE && strstr(err.msg, path) && strstr(err.msg, ":1: "),
	   "with its place: %s", err.msg);
	unlink(path);
	is_int(BUILD("D=1"), -1, "so is a file that is not there");
	ok(err.kind == ERR_USAGE && strstr(err.msg, path), "by name: %s", err.msg);
	if (mkfifo(path, 0600) != 0)
		BAIL("mkfifo");
	is_int(BUILD("D=1"), -1, "so is a FIFO, at once: %s", err.msg);
	unlink(path);
}

static void test_put_and_get(void)
{
	struct strv env = { 0 };

	is_str(env_get(&env, "A"), NULL, "nothing in an empty block");
	is_int(env_put(&env, "AB", "1", &err), 0, "put");
	is_int(env_put(&env, "A", "2", &err), 0, "put a name that begins like another");
	is_int(env_put(&env, "AB", "", &err), 0, "replace");
	ok(env.n == 2 && env.v[2] == NULL, "two entries");
	is_str(env_get(&env, "AB"), "", "the value was replaced");
	is_str(env_get(&env, "A"), "2", "the other stands");
	is_str(env_get(&env, "A="), NULL, "a '=' is no part of a name");
	strv_fini(&env);
}

static bool is_bin(const char *dir, void *ctx)
{
	++*(int *)ctx;
	return strcmp(dir, "/bin") == 0;
}

static void test_path(void)
{
	static const char *const cases[][2] = {
		{ "/usr/bin:/bin", "/usr/bin:/bin" }, { "", "" }, { ":", "" }, { "::", "" },
		{ "bin:/a:./b:/c:", "/a:/c" }, { ":/a", "/a" }, { "/a:", "/a" }, { ".", "" },
		{ "~/bin:/a", "/a" }, { "a/b:c", "" }, { "/", "/" }, { "x:/a:/a", "/a:/a" },
	};
	int calls = 0;
	char text[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "%s", cases[i][0]);
		env_filter_path(text, NULL, NULL);
		is_str(text, cases[i][1], "PATH '%s'", cases[i][0]);
	}
	snprintf(text, sizeof(text), "/usr/bin:bin:/bin:/opt");
	env_filter_path(text, is_bin, &calls);
	is_str(text, "/bin", "only what exists stays");
	is_int(calls, 3, "relative entries are not asked for");
}

/* 200,000 entries of which half are duplicates: nothing may be quadratic. */
static void test_large_block(void)
{
	enum { COUNT = 200000 };
	char **host = calloc(COUNT + 1, sizeof(*host));
	char *text = malloc((size_t)COUNT * 32);

	if (!host || !text)
		BAIL("no memory");
	for (int i = 0; i < COUNT; i++) {
		host[i] = text + (size_t)i * 32;
		snprintf(host[i], 32, "V%d=%d", (i * 7919) % (COUNT / 2), i);
	}
	fresh(ENV_SCRUB);
	is_int(build((const char *const *)host), 0, "a block of %d entries", COUNT);
	is_int(block.env.n, COUNT / 2, "half of them are duplicates");
	is_int(block.dropped_count, COUNT / 2, "and listed");
	free(host);
	free(text);
}

/* Of 20 rounds, so that what else the machine does hardly counts. */
static int64_t best_of_rounds(const char *const *host)
{
	int64_t best_ns = INT64_MAX;
	struct timespec a, b;

	for (int i = 0; i < 20; i++) {
		clock_gettime(CLOCK_MONOTONIC, &a);
		build(host);
		clock_gettime(CLOCK_MONOTONIC, &b);
		int64_t ns = (int64_t)(b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec;
		if (ns < best_ns)
			best_ns = ns;
	}
	return best_ns;
}

static void test_speed(void)
{
	enum { COUNT = 2000 };
	char *host[COUNT + 1] = { 0 };
	int64_t all_ns, few_ns;

	for (int i = 0; i < COUNT; i++) {
		host[i] = mem_printf(&err, "%s_%d=/usr/share/some/path/of/usual/length/%d:x@y",
				     i % 2 ? "XDG_DATA" : "GTK_THEME", i, i);
		if (!host[i])
			BAIL("no memory");
	}
	fresh(ENV_SCRUB);
	all_ns = best_of_rounds((const char *const *)host);
	few_ns = best_of_rounds((const char *const *)host + COUNT - COUNT / 10);
	diag("%d variables: %lld us, %d: %lld us", COUNT, (long long)all_ns / 1000, COUNT / 10,
	    (long long)few_ns / 1000);
	ok(all_ns < 40 * few_ns, "ten times the variables take about ten times as long");
	for (int i = 0; i < COUNT; i++)
		free(host[i]);
}

/* -- our own block -------------------------------------------------------------------------- */

static size_t read_own_environ(char *text, size_t size)
{
	int fd = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return 0;
	while ((n = read(fd, text + len, size - len)) > 0)
		len += (size_t)n;
	close(fd);
	return len;
}

static bool has_canary(const char *text, size_t len)
{
	static const char canary[] = "CANARY";

	for (size_t i = 0; i + sizeof(canary) - 1 <= len; i++)
		if (memcmp(text + i, canary, sizeof(canary) - 1) == 0)
			return true;
	return false;
}

/* In a second image of this program, whose block the kernel filled. */
static int wipe_and_look(char **envp)
{
	static char text[65536];

	if (!has_canary(text, read_own_environ(text, sizeof(text))))
		return 2; /* the control: before, it is there */
	env_wipe_own(envp);
	if (getenv("SBX_TEST_TOKEN") || envp[0])
		return 3;
	size_t len = read_own_environ(text, sizeof(text));
	for (size_t i = 0; i < len; i++)
		if (text[i])
			return 4;
	return 0;
}

static void test_wipe(void)
{
	char *argv[] = { (char *)(uintptr_t)"env", (char *)(uintptr_t)"--wipe", NULL };
	char *envp[] = { (char *)(uintptr_t)"A=1", (char *)(uintptr_t)"SBX_TEST_TOKEN=CANARY",
			 NULL };
	int status = -1;

	if (access("/proc/self/environ", R_OK) != 0) {
		skip("no /proc");
		return;
	}
	pid_t pid = fork();
	if (pid == 0) {
		execve("/proc/self/exe", argv, envp);
		_exit(9);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		BAIL("cannot start ourselves");
	is_int(status, 0, "our own block shows nothing after the wipe (512: nor did it before)");
}

int main(int argc, char **argv, char **envp)
{
	if (argc > 1 && strcmp(argv[1], "--wipe") == 0)
		return wipe_and_look(envp);
	policy_init(&policy);
	test_canaries();
	test_modes();
	test_proxies();
	test_asked_for();
	test_broken_blocks();
	test_bad_names();
	test_files();
	test_put_and_get();
	test_path();
	test_large_block();
	test_speed();
	test_wipe();
	env_block_fini(&block);
	policy_fini(&policy);
	return done_testing();
}
