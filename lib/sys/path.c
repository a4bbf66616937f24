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

#define PATH_LINKS_MAX 40 /* as many as the kernel follows (path_resolution(7)) */

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

/* Append one part to real; false: too long. */
static bool path_append(char *real, size_t *len, const char *part, size_t n)
{
	if (*len + n + 2 > PATH_MAX)
		return false;
	real[(*len)++] = '/';
	memcpy(real + *len, part, n);
	*len += n;
	real[*len] = '\0';
	return true;
}

int path_resolve_above(const char *path, const char *inner, char *real)
{
	char rest[PATH_MAX], text[PATH_MAX];
	size_t len = 0, n;
	int links = 0;

	n = strlen(path);
	if (n >= sizeof rest)
		return -ENAMETOOLONG;
	memcpy(rest, path, n + 1);
	for (const char *w = rest;; w += n) {
		bool is_inside;
		ssize_t got;

		real[len] = '\0';
		w += strspn(w, "/");
		n = strcspn(w, "/");
		is_inside = inner != NULL && len > 0 && path_below(real, inner) != NULL;
		if (n == 0)
			break;
		if (n <= 2 && strspn(w, ".") >= n) {
			while (n == 2 && len > 0 && real[--len] != '/')
				;
			continue;
		}
		if (!path_append(real, &len, w, n))
			return -ENAMETOOLONG;
		got = is_inside ? -1 : readlink(real, text, sizeof text);
		if (got < 0)
			continue;
		if (++links > PATH_LINKS_MAX)
			return -ELOOP;
		if ((size_t)got + strlen(w + n) >= sizeof text)
			return -ENAMETOOLONG;
		memcpy(text + got, w + n, strlen(w + n) + 1);
		memcpy(rest, text, sizeof rest);
		len = text[0] == '/' ? 0 : len - n - 1;
		w = rest;
		n = 0;
	}
	if (len == 0)
		memcpy(real, "/", 2);
	return 0;
}

/* path from the root on; a folder that cannot be named ("(unreachable)/…") is none. */
static void path_whole(const char *path, char *here, char *whole, size_t size)
{
	if (getcwd(here, PATH_MAX) == NULL || here[0] != '/')
		memcpy(here, "/", 2);
	(void)snprintf(whole, size, "%s/%s", path[0] == '/' ? "" : here, path);
}

/* realpath(3) asks about each part of a path; most have no link, which one call can tell. */
bool path_resolve(const char *path, char *real)
{
	char here[PATH_MAX], whole[2 * PATH_MAX];
	size_t n = strlen(path);
	struct stat st;
	int rc;

	if (path_is_clean(path) && n < PATH_MAX && path_os_is_without_links(path))
		return memcpy(real, path, n + 1) != NULL;
	path_whole(path, here, whole, sizeof whole);
	rc = path_resolve_above(whole, NULL, real);
	errno = -rc;
	return rc == 0 && lstat(real, &st) == 0;
}

ssize_t path_hostile_part(const char *root, const char *path, char *real)
{
	char here[PATH_MAX], inner[PATH_MAX], whole[2 * PATH_MAX];
	const char *const inners[] = { root != NULL && path_resolve(root, inner) ? inner : "/",
		here };

	path_whole(path, here, whole, sizeof whole);
	for (size_t i = 0; i < 2; i++) {
		const char *rel;
		int rc;

		if (inners[i][1] == '\0') /* "/" is nobody's project */
			continue;
		rc = path_resolve_above(whole, inners[i], real);
		rel = rc != 0 ? NULL : path_below(real, inners[i]);
		if (rc != 0 || (rel != NULL && *rel != '\0'))
			return rc != 0 ? rc : (ssize_t)strlen(inners[i]);
	}
	return 0;
}

int path_open_from_here(const char *root, const char *path, int flags)
{
	char real[PATH_MAX];
	ssize_t n = path_hostile_part(root, path, real);
	int dir_fd, fd;

	if (n < 0)
		return (int)n;
	if (n == 0) {
		fd = openat(AT_FDCWD, path, flags | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	real[n] = '\0';
	dir_fd = openat(AT_FDCWD, real, PATH_OS_SEARCH | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return -errno;
	fd = path_open_beneath(dir_fd, real + n + 1, flags);
	(void)close(dir_fd);
	return fd;
}
