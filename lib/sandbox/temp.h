/*
 * A private temporary folder on the host, for backends whose command sees the host's file system:
 * chosen with the plan, as its path is in the environment. The runner makes it while the guardian
 * is at other things (a folder can take a large file system half a millisecond); the guardian waits
 * for that (guard_wait_temp()) and removes it.
 */
#ifndef SBX_SANDBOX_TEMP_H
#define SBX_SANDBOX_TEMP_H

#include "plan.h"

/*
 * One folder for all that the host's own must not be used for: TMPDIR, HOME (unless it lies in the
 * project root) and, where there is no project root, the working folder. Fills want_temp,
 * temp_parent_fd, temp_name and temp_path (by the parent's real path); where nothing can be written
 * want_temp stays false, HOME is "/" and a notice says so.
 */
int temp_use(struct plan *p, struct err *e);

#endif
