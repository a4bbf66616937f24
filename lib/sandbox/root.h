/* The project root and the working folder: which folders can be one, and pinning them. */
#ifndef SBX_SANDBOX_ROOT_H
#define SBX_SANDBOX_ROOT_H

#include <stdbool.h>

#include "plan.h"

/* Fill root, root_fd, private_root, cwd, cwd_outside and notice of the plan. Uses policy, home and
 * backend. */
int root_resolve(struct plan *plan, struct err *e);
/*
 * A file named by an option that the runner itself reads or writes (--stdin, --result). Below the
 * current folder or the project root no symbolic link is followed: an earlier command may have made
 * it. The descriptor, or -1 with ERR_USAGE.
 */
int root_open_named(const struct policy *p, const char *option, const char *path, int flags,
    mode_t mode, struct err *e);
/* Why path cannot be a project root; NULL: it can. And whether --rw names it all the same. */
const char *root_unsuitable(const struct plan *plan, const char *path);
bool root_is_named_writable(const struct policy *p, const char *path);
bool root_is_system_folder(const char *path); /* clean and absolute */

#endif
