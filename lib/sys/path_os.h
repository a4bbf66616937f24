/* What path.c needs of the system at hand. */
#ifndef SBX_SYS_PATH_OS_H
#define SBX_SYS_PATH_OS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef O_PATH
#define PATH_OS_SEARCH O_PATH
#else
#define PATH_OS_SEARCH O_RDONLY
#endif

int path_os_open_beneath(
    int dir_fd, const char *rel, int flags); /* fd or -errno; -ENOSYS: walk instead */
/* path is there, and no part of it is a link; false also where that cannot be told in one call. */
bool path_os_is_without_links(const char *path);
/* getcwd(2) as the kernel answers: libc may turn "(unreachable)/…" into ENOENT. 0 or -errno. */
int path_os_getcwd(char *path, size_t size);
/* The path, without links and as the file system itself spells it, into real[PATH_MAX]. 0 or
 * -errno. */
int path_os_real(const char *path, char *real);
/* access(2) with the effective ids (before Linux 5.8: the real ones, which here are the same). */
bool path_os_may(int dir_fd, const char *name, int mode);
/* Can files be made in this folder, as far as that can be told without making one that stays? */
bool path_os_can_write(int dir_fd);

#endif
