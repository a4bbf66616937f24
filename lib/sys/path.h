/* Opening what lies below a folder without leaving it, whatever hostile code has made of the names
 * in it. */
#ifndef SBX_SYS_PATH_H
#define SBX_SYS_PATH_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Open rel below dir_fd with flags (O_CLOEXEC is added): no symbolic link is followed and ".." is
 * refused (openat2(2), RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS; before 5.6 component by component).
 * rel "" is dir_fd itself. Raw: the descriptor or -errno, -ELOOP for a link.
 */
int path_open_beneath(int dir_fd, const char *rel, int flags);
/*
 * Open a file that the user named. What lies in the project root (NULL: none is named) or the
 * current folder is opened without following links, which an earlier sandboxed command may have
 * made. As above: -errno.
 */
int path_open_from_here(const char *root, const char *path, int flags);
/*
 * path (absolute) into real[PATH_MAX], without "." and "..", and without the links that lie outside
 * of inner (a real path; NULL: there is none): where a sandboxed command may have made links they
 * stay, for path_open_beneath() to refuse. What is not there stays as it is named. 0 or -errno.
 */
int path_resolve_above(const char *path, const char *inner, char *real);
/*
 * In which folder that a sandboxed command may have written, the project root (NULL: none was
 * named) or the current folder, does path lie, whatever links lead there? The length of that
 * folder's path, with real as path_resolve_above() has it; 0: in none; -errno.
 */
ssize_t path_hostile_part(const char *root, const char *path, char *real);
/* path without links, "." and "..": in real[PATH_MAX]. False, with errno: it is not there. */
bool path_resolve(const char *path, char *real);
/* What is left of path below dir (both absolute and clean): "" for dir itself, NULL when it is not
 * below. */
const char *path_below(const char *path, const char *dir);

#endif
