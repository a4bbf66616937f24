/* Elsewhere than on Linux: no call that opens below a folder only, so path.c walks. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "path_os.h"

int path_os_open_beneath(int dir_fd, const char *rel, int flags)
{
	(void)dir_fd, (void)rel, (void)flags;
	return -ENOSYS;
}

bool path_os_is_without_links(const char *path)
{
	(void)path;
	return false;
}

int path_os_getcwd(char *path, size_t size)
{
	return getcwd(path, size) == NULL ? -errno : 0;
}

int path_os_real(const char *path, char *real)
{
	if (realpath(path, real) == NULL)
		return -errno;
#ifdef F_GETPATH
	/*
	 * On a file system that takes "Secret" for "secret" the sandbox compares with the name as
	 * it is stored: fcntl(2), F_GETPATH. What cannot be opened keeps what realpath(3) says.
	 */
	int fd = open(real, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char stored[PATH_MAX];

	if (fd < 0)
		return 0;
	if (fcntl(fd, F_GETPATH, stored) == 0)
		(void)strlcpy(real, stored, PATH_MAX);
	(void)close(fd);
#endif
	return 0;
}

bool path_os_may(int dir_fd, const char *name, int mode)
{
	return faccessat(dir_fd, name, mode, AT_EACCESS) == 0;
}

bool path_os_can_write(int dir_fd)
{
	return path_os_may(dir_fd, ".", W_OK | X_OK);
}
