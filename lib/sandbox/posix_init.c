/* The first process inside a sandbox is one of Linux: a container engine gets that system's
 * binary. */
#include "init.h"

int init_run(bool over_stdio, struct err *e)
{
	(void)over_stdio;
	return err_set(e, ERR_USAGE, "init is the first process of a sandbox on Linux");
}
