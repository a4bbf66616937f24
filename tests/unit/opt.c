/* The option parser: grammar, storing, errors. The printed forms are in opt_print.c. */
#include "lib/base/opt.h"

#include <stddef.h>

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "opt_row.h"
#include "tap.h"

struct target {
	bool unused; /* an offset of 0 must not be mistaken for "no set_offset" */
	bool json;
	bool quiet;
	int verbose;
	char *root;
	uint64_t memory;
	bool is_memory_set;
	uint64_t timeout;
	uint64_t pids;
	struct strv ro;
	char color[32];
	int seen;
};

static int parse_color(void *target, const char *value, struct err *e)
{
	struct target *t = target;

	if (value && strcmp(value, "bad") == 0)
		return err_set(e, ERR_USAGE, "'%s' is no colour", value);
	snprintf(t->color, sizeof(t->color), "<%s>", value ? value : "NULL");
	return 0;
}

static int parse_seen(void *target, const char *value, struct err *e)
{
	struct target *t = target;

	(void)e;
	t->seen += value ? 100 : 1;
	return 0;
}

#define AT(member) offsetof(struct target, member)

static const struct opt opts[] = {
	OPT_ROW("json", 0, OPT_FLAG, AT(json), NULL, "", NULL, NULL, 0, NULL, 0),
	OPT_ROW("quiet", 'q', OPT_FLAG, AT(quiet), NULL, "", NULL, NULL, 0, NULL, 0),
	OPT_ROWS_WITH_VALUES,
	OPT_ROW("pids", 0, OPT_U64, AT(pids), "N", "", NULL, NULL, 0, NULL, 0),
	OPT_ROW("ro", 0, OPT_LIST, AT(ro), "PATH", "", NULL, NULL, OPT_REPEATS, NULL, 0),
	OPT_ROW("color", 'c', OPT_FUNC, 0, "WHEN", "", NULL, NULL, OPT_OPTIONAL_ARG,
	    parse_color, 0),
	OPT_ROW("paint", 'p', OPT_FUNC, 0, "WHEN", "", NULL, NULL, 0, parse_color, 0),
	OPT_ROW("seen", 's', OPT_FUNC, 0, NULL, "", NULL, NULL, OPT_CLI_ONLY, parse_seen, 0),
	OPT_ROW("kill-on-output", 0, OPT_FLAG, AT(unused), NULL, "", NULL, NULL, OPT_HIDDEN,
	    NULL, 0),
	OPT_ROW("memory-limit-mb", 0, OPT_U64, AT(memory), "MIB", "", NULL, NULL,
	    OPT_POLICY_ONLY, NULL,
	  0),
};

static const struct opt_table table = { "sbx-test", "[options]", "tests",
					NULL,	    opts,	 MEM_COUNT(opts) };

static void target_fini(struct target *t)
{
	free(t->root);
	strv_fini(&t->ro);
	*t = (struct target){ 0 };
}

/* Parse the words behind the program name; the vector ends at NULL. */
static int parse(struct target *t, struct err *e, char *const *argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	err_clear(e);
	return opt_parse(&table, argc, argv, t, e);
}
#define PARSE(...)                                                                                 \
	parse(&t, &e, (char *const[]){ (char *)(uintptr_t) "sbx-test", __VA_ARGS__, NULL })
#define S(text) (char *)(uintptr_t)(text)

static void test_forms(void)
{
	struct err e = ERR_INIT;
	struct target t = { 0 };

	is_int(parse(&t, &e, (char *const[]){ S("sbx-test"), NULL }), 1, "no word: argc");
	is_int(opt_parse(&table, 0, (char *const[]){ NULL }, &t, &e), 0,
	       "not even a program name: argc");
	is_int(PARSE(S("--json"), S("-q"), S("ls"), S("--json")), 3,
	       "the first operand ends the options");
	ok(t.json && t.quiet, "flags are set");
	target_fini(&t);
	is_int(PARSE(S("ls"), S("-q")), 1, "what follows the first operand is not read");
	ok(!t.quiet, "so the flag is not set");
	is_int(PARSE(S("--"), S("-q")), 2, "-- ends the options and is skipped");
	ok(!t.quiet, "so the flag is not set");
	is_int(PARSE(S("-q"), S("--")), 3, "-- may be the last word");
	is_int(PARSE(S("--"), S("--"), S("x")), 2, "a second -- is an operand");
	is_int(PARSE(S("-"), S("-q")), 1, "- is an operand");
	is_int(PARSE(S(""), S("-q")), 1, "an empty word is an operand");
	target_fini(&t);

	is_int(PARSE(S("--root"), S("/a"), S("x")), 3, "--name VALUE");
	is_str(t.root, "/a", "its value");
	is_int(PARSE(S("--root=/b=c"), S("x")), 2, "--name=VALUE");
	is_str(t.root, "/b=c", "its value keeps a later '=', and replaces the former");
	is_int(PARSE(S("-r"), S("/c"), S("x")), 3, "-x VALUE");
	is_str(t.root, "/c", "its value");
	is_int(PARSE(S("-r/d"), S("x")), 2, "-xVALUE");
	is_str(t.root, "/d", "its value");
	is_int(PARSE(S("-qvvr"), S("/e"), S("x")), 3, "a cluster whose last takes a value");
	is_str(t.root, "/e", "its value");
	ok(t.quiet && t.verbose == 2, "the flags before it");
	is_int(PARSE(S("-qr/f")), 2, "a cluster with the value in the word");
	is_str(t.root, "/f", "its value");
	is_int(PARSE(S("--root="), S("x")), 2, "--name= gives an empty value");
	is_str(t.root, "", "which a string accepts");
	is_int(PARSE(S("--root"), S("")), 3, "so does an empty word");
	is_int(PARSE(S("--root"), S("--json")), 3, "a value may look like an option");
	is_str(t.root, "--json", "and is one then");
	is_int(PARSE(S("--root"), S("--")), 3, "also --");
	is_str(t.root, "--", "as a value");
	target_fini(&t);
}

static void test_types(void)
{
	struct err e = ERR_INIT;
	struct target t = { 0 };

	is_int(PARSE(S("-m512m"), S("-t"), S("1.5s"), S("--pids=7"), S("--ro=/a"), S("--ro"),
		     S("/b"), S("-vv"), S("-v")),
	       10, "one of each type");
	ok(t.memory == 512U << 20 && t.is_memory_set, "a size, and that it was set");
	ok(t.timeout == 1500, "a duration");
	ok(t.pids == 7, "a number");
	ok(t.ro.n == 2 && str_eq(t.ro.v[0], "/a") && str_eq(t.ro.v[1], "/b"), "a list");
	is_int(t.verbose, 3, "a count");
	target_fini(&t);

	is_int(PARSE(S("--color"), S("x")), 2, "an optional value is never a second word");
	is_str(t.color, "<NULL>", "the bare form gives none");
	is_int(PARSE(S("--color=auto"), S("x")), 2, "--name=VALUE of it");
	is_str(t.color, "<auto>", "gives it");
	is_int(PARSE(S("--color=")), 2, "--name= of it");
	is_str(t.color, "<>", "gives an empty one");
	is_int(PARSE(S("-c"), S("x")), 2, "-x of it");
	is_str(t.color, "<NULL>", "gives none");
	is_int(PARSE(S("-qcred"), S("x")), 2, "-xVALUE of it");
	is_str(t.color, "<red>", "gives it");
	is_int(PARSE(S("-p"), S("x")), 3, "a function with a value");
	is_str(t.color, "<x>", "gets it");
	is_int(PARSE(S("-ss"), S("--seen")), 3, "a function without a value");
	is_int(t.seen, 3, "is called each time with none");
	target_fini(&t);
}

static void test_refused(void)
{
	struct err e = ERR_INIT;
	struct target t = { 0 };
	static const struct {
		const char *words[3];
		const char *message;
	} cases[] = {
		{ { "--jsn" }, "unknown option '--jsn' (did you mean --json?)" },
		{ { "--jsno" }, "unknown option '--jsno'" },
		{ { "--memroy" }, "unknown option '--memroy' (did you mean --memory?)" },
		{ { "--time" }, "unknown option '--time' (did you mean --timeout?)" },
		{ { "--time=5" }, "unknown option '--time=5' (did you mean --timeout?)" },
		{ { "--timeouts" }, "unknown option '--timeouts' (did you mean --timeout?)" },
		{ { "--verb" }, "unknown option '--verb' (did you mean --verbose?)" },
		{ { "--xyzzy" }, "unknown option '--xyzzy'" },
		{ { "--kill-on-outpu" }, "unknown option '--kill-on-outpu'" },
		{ { "--memory-limit-mb=1" }, "unknown option '--memory-limit-mb=1'" },
		{ { "--memory_limit_mb=1" }, "unknown option '--memory_limit_mb=1'" },
		{ { "--=x" }, "unknown option '--=x'" },
		{ { "--j" }, "unknown option '--j'" },
		{ { "---json" }, "unknown option '---json' (did you mean --json?)" },
		{ { "--\x1b[31m" }, "unknown option '--\\x1B[31m'" },
		{ { "-json" }, "unknown option '-json' (did you mean --json?)" },
		{ { "-z" }, "unknown option '-z'" },
		{ { "-qz" }, "unknown option '-qz'" },
		{ { "-q=1" }, "unknown option '-q=1'" },
		{ { "-q-" }, "unknown option '-q-'" },
		{ { "--json=1" }, "--json: takes no value" },
		{ { "--json=" }, "--json: takes no value" },
		{ { "--verbose=3" }, "--verbose: takes no value" },
		{ { "--seen=3" }, "--seen: takes no value" },
		{ { "--root" }, "--root: a value is missing (DIR)" },
		{ { "-r" }, "--root: a value is missing (DIR)" },
		{ { "-qr" }, "--root: a value is missing (DIR)" },
		{ { "-p" }, "--paint: a value is missing (WHEN)" },
		{ { "--memory=" }, "--memory: '' is no size (such as 4096, 512k, 64m, 1.5g)" },
		{ { "-m", "12x" }, "--memory: '12x' is no size (such as 4096, 512k, 64m, 1.5g)" },
		{ { "--timeout=" }, "--timeout: '' is no duration (such as 500ms, 30s, 2m, 1.5h)" },
		{ { "-tfoo" }, "--timeout: 'foo' is no duration (such as 500ms, 30s, 2m, 1.5h)" },
		{ { "-t", "-5" }, "--timeout: '-5' is no duration (such as 500ms, 30s, 2m, 1.5h)" },
		{ { "--pids=" }, "--pids: '' is no whole number" },
		{ { "--pids=1.5" }, "--pids: '1.5' is no whole number" },
		{ { "--pids=18446744073709551616" },
		  "--pids: '18446744073709551616' is too large" },
		{ { "--color=bad" }, "--color: 'bad' is no colour" },
	};

	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		is_int(PARSE(S(cases[i].words[0]), S(cases[i].words[1])), -1, "refused: %s",
		       cases[i].words[0]);
		is_str(e.msg, cases[i].message, "message for %s", cases[i].words[0]);
		is_int(e.kind, ERR_USAGE, "kind");
		ok(!t.is_memory_set && t.memory == 0 && t.timeout == 0 && t.pids == 0,
		   "nothing was stored");
		target_fini(&t);
	}
}

static void test_long_unknown(void)
{
	struct err e = ERR_INIT;
	struct target t = { 0 };
	char word[100000];

	memset(word, 'a', sizeof(word));
	memcpy(word, "--", 2);
	word[sizeof(word) - 1] = '\0';
	is_int(PARSE(word), -1, "an endless unknown option is refused");
	ok(strlen(e.msg) < 200, "and cut in the message: %s", e.msg);
	word[1] = 'z';
	is_int(PARSE(word), -1, "an endless cluster too");
	memset(word + 1, 'v', sizeof(word) - 2);
	is_int(PARSE(word), 2, "but one of known flags is read");
	is_int(t.verbose, sizeof(word) - 2, "each of them");
	target_fini(&t);
}

static void test_find(void)
{
	is_str(opt_find(&table, "root", 4)->name, "root", "opt_find");
	is_str(opt_find(&table, "rootless", 4)->name, "root", "opt_find takes a length");
	ok(!opt_find(&table, "roo", 3) && !opt_find(&table, "root", 3) && !opt_find(&table, "", 0),
	   "prefixes are not accepted");
	ok(!opt_find(&table, "memory-limit-mb", 15), "nor what is for policy files only");
	is_str(opt_find_key(&table, "kill_on_output")->name, "kill-on-output",
	       "opt_find_key knows '_' for '-'");
	is_str(opt_find_key(&table, "memory_limit_mb")->name, "memory-limit-mb",
	       "and what is for policy files only");
	ok(!opt_find_key(&table, "kill-on-output"), "but not '-'");
	ok(!opt_find_key(&table, "seen"), "nor what is for the command line only");
	ok(!opt_find_key(&table, "roo") && !opt_find_key(&table, "roots") &&
		   !opt_find_key(&table, ""),
	   "nor prefixes");
}

static void test_apply(void)
{
	struct err e = ERR_INIT;
	struct target t = { 0 };

	is_int(opt_apply(opt_find(&table, "json", 4), &t, NULL, &e), 0, "a flag");
	ok(t.json, "is set");
	is_int(opt_apply(opt_find(&table, "memory", 6), &t, "1k", &e), 0, "a size");
	ok(t.memory == 1024 && t.is_memory_set, "is set");
	is_int(opt_apply(opt_find(&table, "memory", 6), &t, NULL, &e), -1,
	       "a size without a value");
	is_int(opt_apply(opt_find(&table, "json", 4), &t, "x", &e), -1, "a flag with a value");
	is_int(opt_apply(opt_find_key(&table, "memory_limit_mb"), &t, "x", &e), -1,
	       "a bad policy value");
	is_str(e.msg, "memory_limit_mb: 'x' is no whole number", "is named as its key");
	t.verbose = 2147483647;
	is_int(opt_apply(opt_find(&table, "verbose", 7), &t, NULL, &e), 0, "a full counter");
	is_int(t.verbose, 2147483647, "stays full");
	is_int(opt_takes_value(opt_find(&table, "seen", 4)), 0,
	       "a function without argument takes no value");
	is_int(opt_takes_value(opt_find(&table, "color", 5)), 1,
	       "one with an optional argument does");
	target_fini(&t);
}

int main(void)
{
	test_forms();
	test_types();
	test_refused();
	test_long_unknown();
	test_find();
	test_apply();
	return done_testing();
}
