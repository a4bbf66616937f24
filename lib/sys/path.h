/* Opening what lies below a folder without leaving it, whatever hostile code has made of the names
 * in it. */
#ifndef SBX_SYS_PATH_H
#define SBX_SYS_PATH_H

#include <stdbool.h>

/*
 * Open rel below dir_fd with flags (O_CLOEXEC is added): no symbolic link is followed and ".." is
 * refused (openat2(2), RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS; before 5.6 component by component).
 * rel "" is dir_fd itself. Raw: the descriptor or -errno, -ELOOP for a link.
 */
int path_open_beneath(int dir_fd, const char *rel, int flags);
/*
 * Open a file that the user named. What lies in the current folder, a project's perhaps, is opened
 * without following links, which an earlier sandboxed command may have made. As above: -errno.
 */
int path_open_from_here(const char *path, int flags);
/* path (absolute) without links, "." and "..": in real[PATH_MAX]. False: it is not there. */
bool path_resolve(const char *path, char *real);
/* What is left of path below dir (both absolute and clean): "" for dir itself, NULL when it is not
 * below. */
const char *path_below(const char *path, const char *dir);

#endif
