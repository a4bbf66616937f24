/*
 * The options of sbx-run: the shared rows that fill struct policy and the rows that only a command
 * line runner has. This table is the parser, --help, the manual, the completion and the README.
 */
#ifndef SBX_APPLETS_RUN_OPTS_H
#define SBX_APPLETS_RUN_OPTS_H

#include <stdbool.h>

#include "../lib/base/err.h"
#include "../lib/base/opt.h"
#include "../lib/policy/policy.h"

struct run_options {
	struct policy policy; /* first: the shared rows store through offsets into it */
	bool json;
	char *result;      /* a path or "fd:N"; NULL: none */
	char *policy_path; /* NULL: none */
	bool want_explain;
	bool want_print_seccomp;
	bool want_env_report;
	int quiet;   /* how often -q */
	int verbose; /* how often -v */
	bool want_help;
	bool want_version;
};

extern const struct opt_table run_opt_table;

/* target is a struct run_options; void * because policy_parse_argv() calls them. */
void run_options_init(void *target);
void run_options_fini(void *target);

/* policy_check() and what contradicts itself among the rows of this table. ERR_USAGE. */
int run_options_check(const struct run_options *o, struct err *e);

#endif
