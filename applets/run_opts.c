/*
 * The option table of sbx-run and the struct behind it. Only data and what contradicts itself in
 * it; nothing here runs anything.
 */
#include "run_opts.h"

#include <stdlib.h>

#include "../lib/base/mem.h"
#include "../lib/policy/policy_options.h"

#define AT(member) .offset = offsetof(struct run_options, member)

_Static_assert(offsetof(struct run_options, policy) == 0, "the shared rows need the policy first");

static const struct opt run_opts[] = {
	POLICY_OPTIONS,
	{ .name = "policy", .type = OPT_STRING, AT(policy_path), .arg = "FILE",
	  .flags = OPT_CLI_ONLY, .group = "Policy file",
	  .help = "JSON object with the long names above as keys ('_' for '-'); a number, word or "
		  "path on the command line wins over the file's, lists and --require add up" },
	{ .name = "json", .type = OPT_FLAG, AT(json), .flags = OPT_CLI_ONLY, .group = "Result",
	  .help = "capture stdout and stderr; print one JSON object, the SandboxResult, instead" },
	{ .name = "result", .type = OPT_STRING, AT(result), .arg = "FILE|fd:N",
	  .flags = OPT_CLI_ONLY,
	  .help = "write the SandboxResult to a file or descriptor, also without --json" },
	{ .name = "tty", .type = OPT_FLAG, AT(policy.want_tty),
	  .help = "run on a terminal of its own that is relayed to ours; not with --json "
		  "or --stdin" },
	{ .name = "explain", .type = OPT_FLAG, AT(want_explain), .flags = OPT_CLI_ONLY,
	  .group = "Looking without running",
	  .help = "print what would be done (with --json as JSON) and run nothing" },
	{ .name = "print-seccomp", .type = OPT_FLAG, AT(want_print_seccomp), .flags = OPT_CLI_ONLY,
	  .help = "print the system call filter and run nothing" },
	{ .name = "env-report", .type = OPT_FLAG, AT(want_env_report), .flags = OPT_CLI_ONLY,
	  .help = "list on stderr each variable that was dropped, with its rule, never its value" },
	{ .name = "quiet", .letter = 'q', .type = OPT_COUNT, AT(quiet), .flags = OPT_CLI_ONLY,
	  .group = "Other", .help = "errors only, no notices" },
	{ .name = "verbose", .letter = 'v', .type = OPT_COUNT, AT(verbose),
	  .flags = OPT_CLI_ONLY | OPT_REPEATS,
	  .help = "tell more on stderr: -v start and end of the command, -vv its argv without "
		  "secrets, -vvv lines of output and names of variables" },
	{ .name = "help", .letter = 'h', .type = OPT_FLAG, AT(want_help), .flags = OPT_CLI_ONLY,
	  .help = "print this text" },
	{ .name = "version", .type = OPT_FLAG, AT(want_version), .flags = OPT_CLI_ONLY,
	  .help = "print the version" },
};

static const char run_details[] =
	"Options end at the first word that is none, or at \"--\". COMMAND is run as it stands, "
	"with its arguments, never by a shell; it is looked up in the PATH of the sandbox.\n"
	"\n"
	"Exit status:\n"
	"\n"
	"  the command's own, or\n"
	"  124  the wall-clock or processor time limit was reached\n"
	"  125  sbx could not set the sandbox up, or refused to\n"
	"  126  the command cannot be executed\n"
	"  127  the command was not found\n"
	"  128+N  ended by signal N: the command, or sbx-run before it began\n"
	"  141  nobody reads our own stdout any more\n"
	"\n"
	"With --json it is the same.\n"
	"\n"
	"Examples:\n"
	"\n"
	"  sbx-run -t 30s -m 512m -- python3 solution.py\n"
	"  sbx-run --json --root /srv/project --ro /srv/data -- make test\n"
	"  sbx-run --net host --env API_TOKEN --require seccomp,landlock -- ./fetch\n"
	"  sbx-run --policy judge.json --explain -- ./a.out\n";

const struct opt_table run_opt_table = {
	.applet = "sbx-run",
	.synopsis = "[options] [--] COMMAND [ARG...]",
	.summary = "run one command in a sandbox with the best isolation that this machine gives",
	.details = run_details,
	.opts = run_opts,
	.count = MEM_COUNT(run_opts),
};

void run_options_init(void *target)
{
	struct run_options *o = target;

	*o = (struct run_options){ 0 };
	policy_init(&o->policy);
}

void run_options_fini(void *target)
{
	struct run_options *o = target;

	policy_fini(&o->policy);
	free(o->result);
	free(o->policy_path);
	*o = (struct run_options){ 0 };
}

int run_options_check(const struct run_options *o, struct err *e)
{
	if (o->policy.want_tty && (o->json || o->policy.stdin_mode > STDIN_INHERIT))
		return err_set(e, ERR_USAGE, "--tty and --%s exclude each other",
		    o->json ? "json" : "stdin");
	if (o->want_explain && o->want_print_seccomp)
		return err_set(e, ERR_USAGE, "--explain and --print-seccomp exclude each other");
	if (o->result && !*o->result)
		return err_set(e, ERR_USAGE, "--result: the value is empty");
	return policy_check(&o->policy, e);
}
