/*
 * Becoming the command: by absolute path, found in the sandbox's own PATH and view. And the exec
 * step of backends whose tool runs a command and nothing else (sandbox-exec): the tool is given our
 * own program, which says over a pipe that it was reached, and becomes the command. So a tool that
 * failed is told from a command that failed, and "not found" is what it is everywhere.
 */
#ifndef SBX_SANDBOX_EXEC_H
#define SBX_SANDBOX_EXEC_H

#include "../base/err.h"

/* Descriptor of the pipe, and the first argument of our program as the exec step. */
#define EXEC_STEP_FD 3
#define EXEC_STEP_OPTION "--sbx-exec"

struct exec_report { /* all that the pipe carries: nothing but its end means that the tool failed */
	struct err error; /* kind ERR_NONE: reached, and the end of the pipe means: running */
};

/*
 * argv[0] is looked up in dirs (a PATH; NULL: PLAN_DEFAULT_PATH) unless it has a slash. Returns
 * only on failure: -1, ERR_NOT_FOUND, ERR_NOT_EXECUTABLE or ERR_SETUP. Raw: it runs in a child that
 * shares memory.
 */
int exec_command(const char *dirs, char *const *argv, char *const *env, struct err *e);
/* The exec step's life: argv and env are the command's. Returns only where it was not started by
 * sbx itself (ERR_USAGE). */
int exec_step_run(char *const *argv, char *const *env, struct err *e);

#endif
