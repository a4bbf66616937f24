/* Other names of a file: a folder that is mounted at two places has its content under both. */
#ifndef SBX_SANDBOX_ALIAS_H
#define SBX_SANDBOX_ALIAS_H

#include "../base/err.h"
#include "../base/str.h"

/*
 * Add to out every other path under which what real (a real path that exists) names can be reached
 * through the mount table of this process. Without a readable table (no /proc): none.
 * -1: no memory.
 */
int alias_find(const char *real, struct strv *out, struct err *e);

#endif
