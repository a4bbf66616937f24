/* The first process inside a sandbox is one of Linux: a container engine gets that system's
 * binary. */
#include "init.h"

int init_run(struct err *e)
{
	return err_set(e, ERR_USAGE, "init is the first process of a sandbox on Linux");
}
