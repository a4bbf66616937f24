/*
 * The hidden applet that a tool starts in the sandbox it made, to become the command. Only sbx
 * itself gives it to a tool.
 */
#include "../lib/sandbox/exec.h"
#include "applets.h"

int exec_main(int argc, char **argv, char **envp, struct err *e)
{
	(void)argc;
	return exec_step_run(argv + 1, envp, e);
}
