/*
 * Policy files: every type of value, every kind of mistake with its place, and how a file and a
 * command line add up.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "applets/run_opts.h"

#include "lib/base/limits.h"
#include "tap.h"

static struct run_options opts;
static struct err err;
static char dir[] = "/tmp/sbx-policy-XXXXXX";

static int load(const char *json)
{
	run_options_fini(&opts);
	run_options_init(&opts);
	err_clear(&err);
	return policy_load_text(&run_opt_table, json, strlen(json), "p.json", &opts, &err);
}

static void test_every_type(void)
{
	const struct policy *p = &opts.policy;

	is_int(load("{}"), 0, "an empty object");
	is_int(load("{\"$schema\": 5, \"comment\": [\"a\", {}], \"backend\": \"native\"}"), 0,
	       "$schema and comment may be anything");
	is_str(p->backend, "native", "a string");
	is_int(load("{\"timeout\": 30, \"cpu_time\": 0.5, \"kill_grace\": \"500ms\"}"), 0,
	       "durations");
	ok(p->timeout_ms == 30000 && p->cpu_time_ms == 500 && p->kill_grace_ms == 500,
	   "numbers are seconds");
	is_int(load("{\"timeout\": 0.0000001}"), 0, "a tiny duration");
	is_int(p->timeout_ms, 1, "never becomes none");
	is_int(load("{\"memory\": 1048576, \"fsize\": \"2k\", \"max_output\": 9007199254740993}"),
	       0, "sizes");
	ok(p->memory_bytes == 1048576 && p->fsize_bytes == 2048 && p->is_fsize_set,
	   "numbers are bytes");
	ok(p->max_output_bytes == 9007199254740993 && p->is_max_output_set,
	   "and exact beyond 2^53");
	is_int(load("{\"pids\": 64, \"nofile\": \"128\"}"), 0, "counts");
	ok(p->pids == 64 && p->nofile == 128 && p->is_nofile_set, "as number or string");
	is_int(load("{\"strict\": true, \"kill_on_output\": false, \"tty\": false}"), 0, "flags");
	ok(p->is_strict && !p->kill_on_output && !p->want_tty, "true sets, false does not");
	is_int(load("{\"cpus\": 0.5, \"user\": 1000}"), 0, "special ones that are numbers");
	ok(p->cpus_milli == 500 && p->uid == 1000 && p->is_user_set, "are stored");
	is_int(load("{\"cpus\": \"1.5\", \"user\": \"1:2\", \"net\": \"host\"}"), 0,
	       "and as strings");
	ok(p->cpus_milli == 1500 && p->gid == 2 && p->net == NET_HOST, "are stored");
}

static void test_lists(void)
{
	const struct policy *p = &opts.policy;

	is_int(load("{\"ro\": [\"/a\", \"/b\"], \"hide\": \"/c\", \"tmpfs\": [], "
		    "\"bind\": [\"/x:/y:ro\"], \"env\": [\"A=1\", \"B\"], \"unset_env\": \"C\", "
		    "\"require\": [\"view\", \"proc,seccomp\"], \"env_file\": [\"f\"]}"),
	       0, "lists");
	is_int(p->mount_count, 4, "mounts of arrays and single strings");
	ok(p->mounts[3].kind == MOUNT_BIND || p->mounts[2].kind == MOUNT_BIND, "a bind too");
	ok(p->env_set.n == 2 && p->env_unset.n == 1 && p->env_files.n == 1, "variables");
	is_int(p->require, LAYER_BIT(LAYER_VIEW) | LAYER_BIT(LAYER_PROC) | LAYER_BIT(LAYER_SECCOMP),
	       "layers");
}

static void test_aliases(void)
{
	static const char *const names[] = { "auto", "native", "bubblewrap", "sandbox_exec" };
	const struct policy *p = &opts.policy;
	char json[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(json, sizeof(json), "{\"sandbox_backend\": \"%s\"}", names[i]);
		is_int(load(json), 0, "sandbox_backend %s", names[i]);
		is_str(p->backend, names[i], "is the backend");
	}
	is_int(load("{\"memory_limit_mb\": 512, \"max_output_bytes\": 1048576}"), 0, "limits");
	ok(p->memory_bytes == 512UL << 20, "memory_limit_mb is MiB");
	ok(p->max_output_bytes == 1048576 && p->is_max_output_set, "max_output_bytes is bytes");
	is_int(load("{\"memory_limit_mb\": 0}"), 0, "memory_limit_mb 0");
	is_int(p->memory_bytes, 0, "is none");
	is_int(load("{\"memory_limit_mb\": 17592186044415}"), 0, "the largest number of MiB");
	is_int(load("{\"memory_limit_mb\": 17592186044416}"), -1, "does not overflow");
}

/* JSON and the message that it has to give. */
static void test_mistakes(void)
{
	static const char *const bad[][2] = {
		{ "", "p.json:1:1:" },
		{ "[]", "p.json:1:1: a policy file has to be an object, not of type array" },
		{ "\"x\"", "not of type string" },
		{ "{\"timeout\": 1", "p.json:1:14" },
		{ "{\"timeout\": 1,}", "p.json:1:15" },
		{ "{} x", "p.json:1:4" },
		{ "{\n  \"tmieout\": 1\n}", "p.json:2:3: unknown key \"tmieout\"" },
		{ "{\"time-out\": 1}", "unknown key" },
		{ "{\"kill-grace\": 1}", "unknown key" },
		{ "{\"json\": true}", "unknown key \"json\"" },
		{ "{\"policy\": \"x\"}", "unknown key \"policy\"" },
		{ "{\"result\": \"x\"}", "unknown key" },
		{ "{\"help\": true}", "unknown key" },
		{ "{\"verbose\": 1}", "unknown key" },
		{ "{\"explain\": true}", "unknown key" },
		{ "{\"b\": \"native\"}", "unknown key" },
		{ "{\"\": 1}", "unknown key \"\"" },
		{ "{\"$schem\": 1}", "unknown key" },
		{ "{\"net\":\"none\",\n\"net\":\"host\"}", "p.json:2:1:" },
		{ "{\"net\":\"none\",\"n\\u0065t\":\"host\"}", "p.json:1:" },
		{ "{\"comment\":1,\"comment\":2}", "p.json:1:" },
		{ "{\"timeout\":\n true}", "p.json:2:2: timeout has to be a number of seconds" },
		{ "{\"timeout\": null}", "not of type null" },
		{ "{\"timeout\": [1]}", "not of type array" },
		{ "{\"timeout\": {}}", "not of type object" },
		{ "{\"timeout\": -1}", "p.json:1:13: --timeout: '-1' is no duration" },
		{ "{\"timeout\": 1e3}", "'1e3' is no duration" },
		{ "{\"timeout\": \"5x\"}", "'5x' is no duration" },
		{ "{\"timeout\": 1.00000000000000000000000000000000000000001}", "too long" },
		{ "{\"memory\": 1.5}", "fraction of a byte" },
		{ "{\"memory\": -0}", "'-0'" },
		{ "{\"pids\": 1.5}", "whole number" },
		{ "{\"pids\": true}", "a number or a string" },
		{ "{\"strict\": \"true\"}", "strict has to be true or false" },
		{ "{\"strict\": 1}", "true or false" },
		{ "{\"strict\": null}", "true or false" },
		{ "{\"backend\": 5}", "backend has to be a string (NAME), not of type number" },
		{ "{\"backend\": [\"native\"]}", "not of type array" },
		{ "{\"backend\": null}", "not of type null" },
		{ "{\"net\": 5}", "not of type number" },
		{ "{\"net\": \"all\"}", "none of none" },
		{ "{\"stdin\": false}", "not of type boolean" },
		{ "{\"ro\": 5}", "a string or an array of strings" },
		{ "{\"ro\": [\"/a\",\n5]}", "p.json:2:1: ro has to be" },
		{ "{\"ro\": [[\"/a\"]]}", "not of type array" },
		{ "{\"ro\": {}}", "not of type object" },
		{ "{\"ro\": [\"\"]}", "--ro: the path is empty" },
		{ "{\"env\": {\"A\": \"1\"}}", "not of type object" },
		{ "{\"env\": [1]}", "not of type number" },
		{ "{\"ro\": \"/a\\u0000b\"}", "p.json:1:" },
		{ "{\"require\": \"vew\"}", "unknown layer 'vew'" },
		{ "{\"cpus\": \"x\"}", "p.json:1:10: --cpus: 'x' is no number of processors" },
		{ "{\"user\": -1}", "whole number" },
		{ "{\"user\": true}", "not of type" },
		{ "{\"memory_limit_mb\": 1.5}", "memory_limit_mb" },
		{ "{\"memory_limit_mb\": \"5m\"}", "whole number" },
		{ "{\"backend\": \"native\",\n \"sandbox_backend\": \"native\"}",
		  "p.json:2:2: \"sandbox_backend\" means the same as \"backend\"" },
		{ "{\"memory_limit_mb\": 1, \"memory\": 1}", "the same as \"memory_limit_mb\"" },
		{ "{\"max_output_bytes\": 1, \"max_output\": 1}", "the same as" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		is_int(load(bad[i][0]), -1, "%s is refused", bad[i][0]);
		is_int(err.kind, ERR_USAGE, "as a usage error");
		ok(strstr(err.msg, bad[i][1]), "that says \"%s\": %s", bad[i][1], err.msg);
		ok(strncmp(err.msg, "p.json:", 7) == 0, "and where");
	}
}

/* -- files and command lines ---------------------------------------------------------------- */

static char path[128];

static void write_file(const char *name, const void *data, size_t len)
{
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len || close(fd) != 0)
		BAIL("cannot write %s", path);
}

static int parse_with_file(const char *json, const char *const *words)
{
	char *argv[16] = { (char *)(uintptr_t)"sbx-run" };
	int argc = 1;

	write_file("policy.json", json, strlen(json));
	while (*words)
		argv[argc++] = (char *)(uintptr_t)*words++;
	argv[argc++] = (char *)(uintptr_t)"--policy";
	argv[argc++] = path;
	argv[argc++] = (char *)(uintptr_t)"cmd";
	run_options_fini(&opts);
	err_clear(&err);
	return policy_parse_argv(&run_opt_table, argc, argv,
				 offsetof(struct run_options, policy_path), &opts, run_options_init,
				 run_options_fini, &err);
}

#define WITH_FILE(json, ...) parse_with_file(json, (const char *const[]){ __VA_ARGS__, NULL })

static void test_command_line_and_file(void)
{
	const struct policy *p = &opts.policy;

	is_int(WITH_FILE("{\"timeout\": 30, \"net\": \"host\", \"memory\": \"1g\", \"cwd\": \"a\"}",
			 "-t", "5", "--net=none"),
	       6, "scalars in both: %s", err.msg);
	is_int(p->timeout_ms, 5000, "the command line wins");
	ok(p->net == NET_NONE, "also with a weaker value in the file");
	is_int(p->memory_bytes, 1L << 30, "what it does not say stays");
	is_str(p->cwd, "a", "strings too");
	is_str(opts.policy_path, path, "the path of the file is known");

	is_int(WITH_FILE("{\"hide\": [\"/s\"], \"ro\": \"/a\", \"env\": [\"A=1\"], "
			 "\"require\": \"landlock\"}", "--hide", "/t", "--require", "view", "--env",
			 "A=2"), 9, "lists in both: %s", err.msg);
	is_int(p->mount_count, 3, "mounts add up");
	ok(p->mounts[0].kind == MOUNT_HIDE && strcmp(p->mounts[0].dst, "/s") == 0,
	   "the file's hide is still there");
	is_int(p->require, LAYER_BIT(LAYER_LANDLOCK) | LAYER_BIT(LAYER_VIEW), "so are its layers");
	is_str(p->env_set.v[1], "A=2", "variables of the command line come later");

	is_int(WITH_FILE("{\"verbose\": 1}", "-v"), -1, "a key that only a command line has");
	ok(strstr(err.msg, "policy.json:1:2: unknown key"), "is named with its place: %s", err.msg);
	ok(WITH_FILE("{}", "-v", "-v") > 0 && opts.verbose == 2,
	   "-v counts once though read twice");

	is_int(WITH_FILE("{}", "--ro", "/a", "--policy", "/no/such/file"), -1, "a second file");
	is_str(err.msg, "--policy: only one file can be given", "is refused");
	ok(WITH_FILE("{}", "--ro", "--policy", "-vt", "5", "--env=--policy") > 0,
	   "what only looks like one is not: %s", err.msg);

	ok(WITH_FILE("{\"strict\": true}", "--best-effort") > 0,
	   "a contradiction between both parses");
	is_int(policy_check(p, &err), -1, "and is refused");
	ok(WITH_FILE("{\"best_effort\": true}", "--strict") > 0, "also the other way round");
	is_int(policy_check(p, &err), -1, "and is refused");
}

/* Relative paths begin at the file's folder, which is not ours. */
static void test_folder(void)
{
	const struct policy *p = &opts.policy;
	char real[PATH_MAX], want[PATH_MAX + 8];

	if (!realpath(dir, real))
		BAIL("realpath");
	is_int(WITH_FILE("{\"hide\": [\"s\", \"/t\"], \"bind\": [\"../b:/c:ro\"], "
			 "\"root\": \"r\", \"cwd\": \"d\", \"stdin\": \"f\", "
			 "\"seccomp\": \"g\", \"env_file\": \"e\", \"image\": \"i\"}",
			 "--hide", "u"), 5, "relative paths: %s", err.msg);
#define IS_IN_FOLDER(value, name)                                                                  \
	((void)snprintf(want, sizeof(want), "%s/%s", real, name), is_str(value, want, "%s", name))
	IS_IN_FOLDER(p->mounts[0].dst, "s");
	is_str(p->mounts[1].dst, "/t", "an absolute one stays");
	IS_IN_FOLDER(p->mounts[2].src, "../b");
	is_str(p->mounts[2].dst, "/c", "DST of a bind stays");
	is_str(p->mounts[3].dst, "u", "as does one of the command line");
	IS_IN_FOLDER(p->root, "r");
	is_str(p->cwd, "d", "cwd begins at the root");
	IS_IN_FOLDER(p->stdin_path, "f");
	IS_IN_FOLDER(p->seccomp, "g");
	IS_IN_FOLDER(p->env_files.v[0], "e");
	is_str(p->image, "i", "what is no path stays");
	ok(WITH_FILE("{\"stdin\": \"null\", \"seccomp\": \"none\", \"root\": \"none\"}",
		     "-q") > 0 && p->stdin_mode == STDIN_NULL, "null is no file: %s", err.msg);
	is_str(p->seccomp, "none", "nor is none");
	IS_IN_FOLDER(p->root, "none");
	is_int(WITH_FILE("{\"bind\": [\":/c\"]}", "-q"), -1, "a bind of nothing stays a mistake");
	is_int(WITH_FILE("{\"ro\": [\"\"]}", "-q"), -1, "and so does an empty path");
}

static int load_path(void)
{
	run_options_fini(&opts);
	run_options_init(&opts);
	err_clear(&err);
	return policy_load_file(&run_opt_table, path, &opts, &err);
}

static void test_strange_files(void)
{
	static char big[LIMIT_POLICY_FILE + 1];

	write_file("empty", "", 0);
	is_int(load_path(), -1, "an empty file: %s", err.msg);
	memset(big, ' ', sizeof(big));
	memcpy(big, "{}", 2);
	write_file("largest", big, sizeof(big) - 2);
	is_int(load_path(), 0, "a file just below the limit: %s", err.msg);
	write_file("big", big, sizeof(big));
	is_int(load_path(), -1, "a file above it: %s", err.msg);
	snprintf(path, sizeof(path), "%s/fifo", dir);
	if (mkfifo(path, 0600) != 0)
		BAIL("mkfifo");
	is_int(load_path(), -1, "a FIFO, without waiting: %s", err.msg);
	is_int(err.kind, ERR_USAGE, "is a usage error");
	snprintf(path, sizeof(path), "%s", dir);
	is_int(load_path(), -1, "a folder: %s", err.msg);
	snprintf(path, sizeof(path), "%s/none", dir);
	is_int(load_path(), -1, "nothing: %s", err.msg);
	ok(strstr(err.msg, "No such file") && strstr(err.msg, dir), "is named");
	snprintf(path, sizeof(path), "/dev/zero");
	is_int(load_path(), -1, "a device: %s", err.msg);
}

static void remove_files(void)
{
	static const char *const names[] = { "policy.json", "empty", "largest", "big", "fifo" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

int main(void)
{
	if (!mkdtemp(dir))
		BAIL("mkdtemp");
	run_options_init(&opts);
	test_every_type();
	test_lists();
	test_aliases();
	test_mistakes();
	test_command_line_and_file();
	test_folder();
	test_strange_files();
	run_options_fini(&opts);
	remove_files();
	return done_testing();
}
