/*
 * Option parser: the input is an argument vector, NUL between words. It must stop at a word of
 * the vector or fail with a message, and give the same result when it is run again.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/limits.h"
#include "lib/base/mem.h"
#include "lib/base/opt.h"
#include "lib/base/str.h"
#include "opt_row.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond)                                                                                 \
	do {                                                                                       \
		if (!(cond))                                                                       \
			abort();                                                                   \
	} while (0)

struct target {
	bool json;
	bool is_memory_set;
	int verbose;
	char *root;
	uint64_t memory;
	uint64_t timeout;
	uint64_t pids;
	struct strv ro;
	size_t calls;
};

static int parse_mode(void *target, const char *value, struct err *e)
{
	struct target *t = target;

	t->calls++;
	return value && *value == 'x' ? err_set(e, ERR_USAGE, "'%s' is no mode", value) : 0;
}

#define AT(member) offsetof(struct target, member)

static const struct opt opts[] = {
	OPT_ROW("json", 'j', OPT_FLAG, AT(json), NULL, "", NULL, NULL, 0, NULL, 0),
	OPT_ROWS_WITH_VALUES,
	OPT_ROW("pids", 'p', OPT_U64, AT(pids), "N", "", NULL, NULL, 0, NULL, 0),
	OPT_ROW("ro", 'o', OPT_LIST, AT(ro), "PATH", "", NULL, NULL, OPT_REPEATS, NULL, 0),
	OPT_ROW("color", 'c', OPT_FUNC, 0, "WHEN", "", NULL, NULL, OPT_OPTIONAL_ARG,
	    parse_mode, 0),
	OPT_ROW("mode", 'd', OPT_FUNC, 0, "MODE", "", NULL, NULL, OPT_HIDDEN, parse_mode, 0),
	OPT_ROW("help", 'h', OPT_FUNC, 0, NULL, "", NULL, NULL, OPT_CLI_ONLY, parse_mode, 0),
	OPT_ROW("memory-limit-mb", 0, OPT_U64, AT(memory), "MIB", "", NULL, NULL,
	    OPT_POLICY_ONLY, NULL,
	  0),
};

static const struct opt_table table = { "sbx-fuzz", "", "", NULL, opts, MEM_COUNT(opts) };

static int run(int argc, char *const *argv, struct err *e)
{
	struct target t = { 0 };
	int rc = opt_parse(&table, argc, argv, &t, e);

	MUST(t.is_memory_set || t.memory == 0);
	MUST(!t.ro.v || !t.ro.v[t.ro.n]);
	free(t.root);
	strv_fini(&t.ro);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strv argv = { 0 };
	struct err e = ERR_INIT, again = ERR_INIT;

	MUST(strv_add(&argv, "sbx-fuzz", NULL) == 0);
	for (size_t at = 0; at < size;) {
		const uint8_t *end = memchr(data + at, 0, size - at);
		size_t len = end ? (size_t)(end - data) - at : size - at;
		MUST(strv_add_take(&argv, mem_strndup((const char *)data + at, len, NULL), NULL) ==
		     0);
		at += len + 1;
	}
	int rc = run((int)argv.n, argv.v, &e);
	if (rc < 0)
		MUST(rc == -1 && e.kind == ERR_USAGE && e.msg[0]);
	else
		MUST(rc >= 1 && (size_t)rc <= argv.n && e.kind == ERR_NONE);
	MUST(run((int)argv.n, argv.v, &again) == rc && strcmp(e.msg, again.msg) == 0);
	strv_fini(&argv);
	return 0;
}
