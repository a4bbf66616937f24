/* The project root and the working folder: which folders can be one, and pinning them. */
#ifndef SBX_SANDBOX_ROOT_H
#define SBX_SANDBOX_ROOT_H

#include <stdbool.h>

#include "plan.h"

/* Fill root, root_fd, private_root, cwd, cwd_outside and notice of the plan. Uses policy, home and
 * backend. */
int root_resolve(struct plan *plan, struct err *e);
bool root_is_system_folder(const char *path); /* clean and absolute */

#endif
