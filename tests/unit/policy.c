/*
 * The policy from the command line: every shared row, the special values, contradictions, and the
 * health of the option table itself. Policy files are in policy_file.c.
 */
#include "applets/run_opts.h"

#include "lib/base/limits.h"
#include "lib/policy/policy_options.h"
#include "tap.h"

#define ARGV_MAX 16

static struct run_options opts;
static struct err err;

/* Parse the words (NULL-terminated) into the fresh opts; the index of the first operand or -1. */
static int parse(const char *const *words)
{
	char *argv[ARGV_MAX] = { (char *)(uintptr_t)"sbx-run" };
	int argc = 1;

	for (; *words && argc < ARGV_MAX - 1; words++)
		argv[argc++] = (char *)(uintptr_t)*words;
	run_options_fini(&opts);
	err_clear(&err);
	return policy_parse_argv(&run_opt_table, argc, argv,
				 offsetof(struct run_options, policy_path), &opts, run_options_init,
				 run_options_fini, &err);
}

#define PARSE(...) parse((const char *const[]){ __VA_ARGS__, NULL })

static void test_defaults(void)
{
	const struct policy *p = &opts.policy;

	is_int(PARSE("cmd"), 1, "a command alone");
	is_int(p->kill_grace_ms, 2000, "the grace is 2 s");
	ok(!p->timeout_ms && !p->cpu_time_ms && !p->memory_bytes && !p->pids && !p->cpus_milli,
	   "no limit unless asked for");
	ok(!p->is_fsize_set && !p->is_nofile_set && !p->is_max_output_set && !p->is_net_set,
	   "nothing counts as asked for");
	ok(p->net == NET_NONE && p->env_mode == ENV_SCRUB && p->stdin_mode == STDIN_UNSET,
	   "no network, scrubbed environment, stdin not said");
	ok(!p->backend && !p->root && !p->cwd && !p->seccomp, "no names");
	is_int(policy_check(p, &err), 0, "and it is a good policy");
}

static void test_scalars(void)
{
	const struct policy *p = &opts.policy;

	is_int(PARSE("-b", "ns", "--root", "/r", "-C", "/r/d", "-t", "1.5", "--kill-grace=500ms",
		     "--cpu-time", "2m", "--", "cmd"), 13, "names and durations");
	is_str(p->backend, "ns", "-b");
	is_str(p->root, "/r", "--root");
	ok(p->is_root_explicit, "--root was given");
	is_str(p->cwd, "/r/d", "-C");
	is_int(p->timeout_ms, 1500, "-t");
	is_int(p->kill_grace_ms, 500, "--kill-grace");
	is_int(p->cpu_time_ms, 120000, "--cpu-time");

	is_int(PARSE("-m512m", "--pids=7", "--fsize", "0", "--nofile", "16", "-o", "10k",
		     "--kill-on-output", "--rlimit-as", "x"), 11, "limits");
	is_int(p->memory_bytes, 512L << 20, "-m");
	is_int(p->pids, 7, "--pids");
	ok(p->is_fsize_set && p->fsize_bytes == 0, "--fsize 0 is a limit");
	ok(p->is_nofile_set && p->nofile == 16, "--nofile");
	ok(p->is_max_output_set && p->max_output_bytes == 10240, "-o");
	ok(p->kill_on_output && p->want_rlimit_as, "flags of limits");

	is_int(PARSE("--net", "loopback", "--env-mode", "allow", "--seccomp", "none", "--strict",
		     "--tty", "--user", "1000", "x"), 11, "the rest");
	ok(p->net == NET_LOOPBACK && p->is_net_set, "--net");
	ok(p->env_mode == ENV_ALLOW, "--env-mode");
	is_str(p->seccomp, "none", "--seccomp");
	ok(p->is_strict && p->want_tty, "--strict and --tty");
	ok(p->is_user_set && p->uid == 1000 && p->gid == 1000, "--user UID takes the GID along");

	is_int(PARSE("-qv", "-vv", "--json", "--result", "fd:3", "--explain", "--print-seccomp",
		     "--env-report", "-h", "--version", "x"), 11, "rows of the applet");
	ok(opts.quiet == 1 && opts.verbose == 3 && opts.json && opts.want_explain, "are stored");
	ok(opts.want_print_seccomp && opts.want_env_report && opts.want_help && opts.want_version,
	   "all of them");
	is_str(opts.result, "fd:3", "--result");
}

static void is_mount(size_t i, enum mount_kind kind, const char *src, const char *dst, bool is_ro)
{
	const struct policy *p = &opts.policy;

	if (!ok(i < p->mount_count, "mount %zu is there", i))
		return;
	const struct policy_mount *m = &p->mounts[i];
	ok(m->kind == kind && m->is_read_only == is_ro, "mount %zu: kind and mode", i);
	is_str(m->src, src, "mount %zu: source", i);
	is_str(m->dst, dst, "mount %zu: destination", i);
}

static void test_mounts(void)
{
	PARSE("--ro", "/a", "--rw", "b", "--bind", "c:/d", "--bind", "/e:/f:ro", "--tmpfs", "/g",
	      "--hide", ".env", "x");
	is_int(opts.policy.mount_count, 6, "six entries in order");
	is_mount(0, MOUNT_RO, "/a", "/a", true);
	is_mount(1, MOUNT_RW, "b", "b", false);
	is_mount(2, MOUNT_BIND, "c", "/d", false);
	is_mount(3, MOUNT_BIND, "/e", "/f", true);
	is_mount(4, MOUNT_TMPFS, NULL, "/g", false);
	is_mount(5, MOUNT_HIDE, NULL, ".env", false);
	is_int(policy_check(&opts.policy, &err), 0, "all of them pass the check: %s", err.msg);

	PARSE("--tmpfs", "/a:64m", "--tmpfs", "/b:c:1k", "--bind", "a:b:/c", "--bind",
	      "/a:/b:c/d:ro", "x");
	ok(opts.policy.mounts[0].size_bytes == 64UL << 20, "a tmpfs with a size");
	is_str(opts.policy.mounts[0].dst, "/a", "and its path");
	ok(opts.policy.mounts[1].size_bytes == 1024, "a size behind a ':' in the path");
	is_str(opts.policy.mounts[1].dst, "/b:c", "which stays in the path");
	is_mount(2, MOUNT_BIND, "a:b", "/c", false);
	is_mount(3, MOUNT_BIND, "/a", "/b:c/d", true);
}

static void test_stdin_and_user(void)
{
	const struct policy *p = &opts.policy;

	PARSE("--stdin", "file", "--stdin", "null", "x");
	ok(p->stdin_mode == STDIN_NULL && !p->stdin_path, "a later --stdin replaces a file");
	PARSE("--stdin", "inherit", "--stdin", "./null", "x");
	ok(p->stdin_mode == STDIN_FILE, "./null is a file");
	is_str(p->stdin_path, "./null", "of that name");
	PARSE("--user", "0:5", "x");
	ok(p->uid == 0 && p->gid == 5, "--user UID:GID");
	PARSE("--user", "4294967294", "x");
	ok(p->uid == 4294967294U, "the largest UID");
}

static void test_cpus(void)
{
	static const struct {
		const char *text;
		uint64_t milli;
	} good[] = {
		{ "0", 0 }, { "1", 1000 }, { "0.5", 500 }, { "1.25", 1250 }, { "0.001", 1 },
		{ "2.000", 2000 }, { "8192", 8192000 }, { "0007", 7000 },
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		is_int(PARSE("--cpus", good[i].text, "x"), 3, "--cpus %s", good[i].text);
		is_int(opts.policy.cpus_milli, (long long)good[i].milli, "is %s", good[i].text);
	}
}

static void test_lists_and_require(void)
{
	const struct policy *p = &opts.policy;

	PARSE("--env", "A=1", "--env", "B", "--env-file", "f", "--unset-env", "C", "--require",
	      "view", "--require", "proc,view", "x");
	ok(p->env_set.n == 2 && p->env_files.n == 1 && p->env_unset.n == 1, "lists add up");
	is_str(p->env_set.v[1], "B", "in order");
	is_int(p->require, LAYER_BIT(LAYER_VIEW) | LAYER_BIT(LAYER_PROC), "--require adds up");
}

/* Each row: option, value, a piece of the message. */
static void test_bad_values(void)
{
	static const char *const bad[][3] = {
		{ "--net", "all", "none of none, loopback, host" }, { "--net", "", "''" },
		{ "--env-mode", "scrap", "scrub, allow, clear, inherit" },
		{ "--timeout", "5x", "duration" }, { "--timeout", "-1", "duration" },
		{ "--timeout", "", "duration" }, { "--memory", "12q", "size" },
		{ "--pids", "1.5", "whole number" }, { "--pids", "-1", "whole number" },
		{ "--nofile", "x", "whole number" }, { "--fsize", "1e3", "size" },
		{ "--cpus", "", "processors" }, { "--cpus", ".5", "processors" },
		{ "--cpus", "1.", "processors" }, { "--cpus", "0.0001", "three decimals" },
		{ "--cpus", "8193", "8192" }, { "--cpus", "99999", "8192" },
		{ "--cpus", "-1", "processors" }, { "--cpus", "1,5", "processors" },
		{ "--cpus", "1.5x", "processors" }, { "--cpus", "2x", "processors" },
		{ "--user", "root", "whole number" }, { "--user", "1:", "whole number" },
		{ "--user", ":1", "whole number" }, { "--user", "4294967295", "too large" },
		{ "--user", "1:2:3", "whole number" }, { "--user", "", "whole number" },
		{ "--bind", "/a", "SRC:DST" }, { "--bind", "/a:b", "SRC:DST" },
		{ "--bind", ":/b", "SRC:DST" }, { "--bind", "/a:ro", "SRC:DST" },
		{ "--bind", "", "SRC:DST" }, { "--bind", "a:/b:/c", "more than one" },
		{ "--bind", "/a:/b:rw", "SRC:DST" }, { "--bind", "/a:/b:", "SRC:DST" },
		{ "--bind", "/a:/b:ro:ro", "SRC:DST" }, { "--bind", "/a:/b:RO", "SRC:DST" },
		{ "--tmpfs", "", "empty" }, { "--tmpfs", ":1m", "empty" },
		{ "--tmpfs", "/a:", "size" }, { "--tmpfs", "/a:b", "size" },
		{ "--tmpfs", "/a:0", "size is 0" }, { "--ro", "", "empty" },
		{ "--rw", "", "empty" }, { "--hide", "", "empty" }, { "--stdin", "", "empty" },
		{ "--require", "viev", "unknown layer 'viev'" },
		{ "--require", "", "unknown layer" }, { "--no-such-option", "", "unknown option" },
		{ "--sandbox-backend", "auto", "unknown option" },
		{ "--memory-limit-mb", "1", "unknown option" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		is_int(PARSE(bad[i][0], bad[i][1], "x"), -1, "%s '%s' is refused", bad[i][0],
		       bad[i][1]);
		is_int(err.kind, ERR_USAGE, "as a usage error");
		ok(strstr(err.msg, bad[i][0]) && strstr(err.msg, bad[i][2]), "that says why: %s",
		   err.msg);
	}
}

/* Each row: words that parse, but contradict each other; a piece of the message comes first. */
static void test_contradictions(void)
{
	static const char *const bad[][6] = {
		{ "exclude each other", "--strict", "--best-effort" },
		{ "exclude each other", "--tty", "--json" },
		{ "exclude each other", "--explain", "--print-seccomp" },
		{ "needs --memory", "--rlimit-as" },
		{ "not absolute", "--tmpfs", "tmp" },
		{ "'..'", "--tmpfs", "/a/../b" },
		{ "'..'", "--bind", "/a:/b/.." },
		{ "whole tree", "--tmpfs", "/" },
		{ "whole tree", "--tmpfs", "//./" },
		{ "whole tree", "--hide", "/" },
		{ "whole tree", "--bind", "/a:/." },
		{ "too large", "--tmpfs", "/a:9223372036854775808" },
		{ "3650 days", "--timeout", "100000h" },
		{ "3650 days", "--cpu-time", "100000h" },
		{ "3650 days", "--kill-grace", "100000h" },
		{ "2^63", "--memory", "9223372036854775808" },
		{ "2^63", "--fsize", "9223372036854775808" },
		{ "2^31", "--nofile", "2147483648" },
		{ "4194304", "--pids", "4194305" },
		{ "at most 1g", "--max-output", "1073741825" },
		{ "at least 0.01", "--cpus", "0.009" },
		{ "--memory: at least 1m", "-m", "1" },
		{ "--memory: at least 1m", "-m", "1023k" },
		{ "--backend: the value is empty", "--backend=" },
		{ "--root: the value is empty", "--root=" },
		{ "--cwd: the value is empty", "-C", "" },
		{ "--seccomp: the value is empty", "--seccomp", "" },
		{ "--env-file: the path is empty", "--env-file", "" },
		{ "--result: the value is empty", "--result", "" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ok(parse(bad[i] + 1) > 0, "%s %s parses", bad[i][1], bad[i][2] ? bad[i][2] : "");
		is_int(run_options_check(&opts, &err), -1, "but is refused");
		is_int(err.kind, ERR_USAGE, "as a usage error");
		ok(strstr(err.msg, bad[i][0]), "that says why: %s", err.msg);
	}
}

static void test_good_limits_at_the_edge(void)
{
	PARSE("--tmpfs", "/a:9223372036854775807", "--timeout", "87600h", "--pids", "4194304",
	      "-o", "1g", "--cpus", "0.01", "-m", "1m", "x");
	is_int(run_options_check(&opts, &err), 0, "limits at the edge are fine: %s", err.msg);
	PARSE("--rw", "/", "--ro", "/", "--hide", "../x", "x");
	is_int(run_options_check(&opts, &err), 0, "the whole tree may be shown: %s", err.msg);
}

static void test_too_many_mounts(void)
{
	struct policy p;
	int rc = 0;

	policy_init(&p);
	for (int i = 0; i < LIMIT_MOUNTS && rc == 0; i++)
		rc = policy_option_ro(&p, "/a", &err);
	is_int(rc, 0, "%d mounts", LIMIT_MOUNTS);
	is_int(policy_option_hide(&p, "/a", &err), -1, "one more is refused");
	is_int(p.mount_count, LIMIT_MOUNTS, "and not stored");
	policy_fini(&p);
}

/* Rules that policy files lean on, and what a copy and paste would break. */
static void test_table(void)
{
	const struct opt *o = run_opt_table.opts;
	size_t n = run_opt_table.count;

	for (size_t i = 0; i < n; i++) {
		ok(o[i].name && o[i].help && strlen(o[i].help) > 0, "%s has a help text",
		   o[i].name);
		ok((o[i].type == OPT_FUNC) == (o[i].parse != NULL), "%s: function", o[i].name);
		ok((o[i].type == OPT_FLAG || o[i].type == OPT_COUNT) == !o[i].arg, "%s: value",
		   o[i].name);
		ok(o[i].help[strlen(o[i].help) - 1] != '.', "%s: no full stop", o[i].name);
		for (size_t j = 0; j < i; j++) {
			bool is_same = strcmp(o[i].name, o[j].name) == 0 ||
				       (o[i].letter && o[i].letter == o[j].letter);
			bool is_list = (o[i].flags & OPT_REPEATS) && (o[j].flags & OPT_REPEATS);
			bool is_alias = (o[i].flags | o[j].flags) & OPT_POLICY_ONLY;
			if (is_same)
				ok(0, "%s and %s have one name", o[i].name, o[j].name);
			if (o[i].offset == o[j].offset && !is_list && !is_alias)
				ok(0, "%s and %s store to one field", o[i].name, o[j].name);
		}
	}
	ok(o[0].group != NULL, "the first row opens a group");
}

int main(void)
{
	run_options_init(&opts);
	test_defaults();
	test_scalars();
	test_mounts();
	test_stdin_and_user();
	test_cpus();
	test_lists_and_require();
	test_bad_values();
	test_contradictions();
	test_good_limits_at_the_edge();
	test_too_many_mounts();
	test_table();
	run_options_fini(&opts);
	return done_testing();
}
