/* Our own executable, as a path that can be given to others. */
#ifndef SBX_SYS_SELF_H
#define SBX_SYS_SELF_H

#include "../base/err.h"

/*
 * Its real path into path[PATH_MAX]; named (may be NULL) is what a caller knows better. -1 with
 * ERR_SETUP: nobody can tell (no /proc on Linux, and it was not started by its path), or it was
 * deleted.
 */
int self_path(const char *named, char *path, struct err *e);

#endif
