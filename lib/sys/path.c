/* See path.h. The walk is the same on every system; openat2(2) is tried first where there is one.
 */
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "path_os.h"

const char *path_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (n == 1)
		return path[0] == '/' ? path + 1 : NULL;
	if (strncmp(path, dir, n) != 0 || (path[n] != '\0' && path[n] != '/'))
		return NULL;
	return path[n] == '\0' ? path + n : path + n + 1;
}

static bool path_is_link(int dir_fd, const char *name)
{
	struct stat st;

	return fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

static bool path_is_link_fd(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISLNK(st.st_mode);
}

/* One component at a time; O_NOFOLLOW makes a link in the middle ENOTDIR or ELOOP. */
static int path_walk(int dir_fd, const char *rel, int flags)
{
	char name[NAME_MAX + 1];
	int fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 3), next;

	while (fd >= 0 && *rel != '\0') {
		size_t n = strcspn(rel, "/");
		const char *rest = rel + n + strspn(rel + n, "/");

		if (n > NAME_MAX || (n == 2 && memcmp(rel, "..", 2) == 0)) {
			(void)close(fd);
			return n > NAME_MAX ? -ENAMETOOLONG : -EXDEV;
		}
		(void)snprintf(name, sizeof name, "%.*s", (int)n, rel);
		next = openat(fd, name,
		    (*rest == '\0' ? flags : PATH_OS_SEARCH | O_DIRECTORY) | O_NOFOLLOW |
			O_CLOEXEC);
		if (next < 0 && errno == ENOTDIR && path_is_link(fd, name))
			errno = ELOOP;
		if (next >= 0 && path_is_link_fd(next)) { /* O_PATH opens the link itself */
			(void)close(next);
			next = -1;
			errno = ELOOP;
		}
		next = next < 0 ? -errno : next;
		(void)close(fd);
		fd = next;
		rel = rest;
	}
	return fd == -1 ? -errno : fd;
}

int path_open_beneath(int dir_fd, const char *rel, int flags)
{
	int fd = *rel == '\0' ? -ENOSYS : path_os_open_beneath(dir_fd, rel, flags | O_CLOEXEC);

	return fd == -ENOSYS || fd == -EPERM ? path_walk(dir_fd, rel, flags) : fd;
}

static bool path_has_parent(const char *rel)
{
	for (const char *w = rel; *w != '\0'; w += strspn(w, "/")) {
		size_t n = strcspn(w, "/");

		if (n == 2 && memcmp(w, "..", 2) == 0)
			return true;
		w += n;
	}
	return false;
}

/* Absolute, and as realpath(3) would print it, but for links. */
static bool path_is_clean(const char *path)
{
	if (path[0] != '/')
		return false;
	for (const char *w = path + 1; w[-1] != '\0'; w += strcspn(w, "/") + 1) {
		size_t n = strcspn(w, "/");

		if (n == 0 || (n <= 2 && strspn(w, ".") >= n))
			return false; /* "//", a slash at the end, "." and "..": rare enough */
	}
	return true;
}

/* realpath(3) asks about each part of a path; most have no link, which one call can tell. */
bool path_resolve(const char *path, char *real)
{
	size_t n = strlen(path);

	if (path_is_clean(path) && n < PATH_MAX && path_os_is_without_links(path))
		return memcpy(real, path, n + 1) != NULL;
	return realpath(path, real) != NULL;
}

int path_open_from_here(const char *path, int flags)
{
	char here[PATH_MAX];
	const char *rel = path;
	int here_fd, fd;

	if (getcwd(here, sizeof here) == NULL || here[1] == '\0') /* "/" is nobody's project */
		rel = NULL;
	else if (path[0] == '/')
		rel = path_below(path, here);
	if (rel == NULL || *rel == '\0' || path_has_parent(rel)) {
		fd = openat(AT_FDCWD, path, flags | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	here_fd = openat(AT_FDCWD, ".", PATH_OS_SEARCH | O_DIRECTORY | O_CLOEXEC);
	if (here_fd < 0)
		return -errno;
	fd = path_open_beneath(here_fd, rel, flags);
	(void)close(here_fd);
	return fd;
}
