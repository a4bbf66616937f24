/* Bind mounts for kernels (or filters) without the new mount API. Raw; 0 or -errno. */
#ifndef SBX_SYS_LINUX_MOUNT_OLD_H
#define SBX_SYS_LINUX_MOUNT_OLD_H

#include <stdbool.h>

/* Bind what fd (O_PATH) refers to, with everything below it, at dst; then set MS_… flags on each
 * mount of the copy. */
int mount_old_bind(int fd, bool is_dir, const char *dst, unsigned long flags);
/* Add flags to one mount, keeping those it has (a user namespace may not drop them:
 * mount_namespaces(7)). */
int mount_old_remount(const char *dst, unsigned long flags);

#endif
