/*
 * The hidden applet that runs inside: the first process of a sandbox that a tool made. Only sbx
 * itself starts it; everything it needs arrives over a descriptor, nothing in its arguments or
 * environment but which descriptor that is: "stdio", or the tool's socket.
 */
#include <string.h>

#include "../lib/sandbox/init.h"
#include "applets.h"

int init_main(int argc, char **argv, char **envp, struct err *e)
{
	(void)envp;
	return init_run(argc == 2 && strcmp(argv[1], "stdio") == 0, e);
}
