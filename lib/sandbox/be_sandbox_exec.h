/*
 * The sandbox_exec backend's plan, for its test: a policy as a profile and the tool's arguments.
 * Pure but for facts->look_real, which a test replaces.
 */
#ifndef SBX_SANDBOX_BE_SANDBOX_EXEC_H
#define SBX_SANDBOX_BE_SANDBOX_EXEC_H

#include "plan.h"

struct sandbox_exec_facts {
	const char *program; /* absolute path of sandbox-exec */
	const char *self;    /* of our own program, for the exec step */
	/* The real path of what a name leads to, in real[PATH_MAX]; 0 or -errno. */
	int (*look_real)(const char *path, char *real);
};

/* Fill plan->profile and plan->tool. ERR_USAGE and ERR_REFUSED for what cannot be kept. */
int sandbox_exec_plan_argv(struct plan *plan, const struct sandbox_exec_facts *facts,
    struct err *e);
/* One line of sandbox-exec's stderr as an error, with the remedy where that is known. */
void sandbox_exec_explain(const char *line, struct err *e);

#endif
