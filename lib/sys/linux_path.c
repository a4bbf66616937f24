/* Linux: openat2(2). */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "path_os.h"

int path_os_open_beneath(int dir_fd, const char *rel, int flags)
{
	struct open_how how;
	long fd;

	memset(&how, 0, sizeof how);
	how.flags = (unsigned)flags;
	how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
	fd = syscall(SYS_openat2, dir_fd, rel, &how, sizeof how);
	return fd < 0 ? -errno : (int)fd;
}

bool path_os_is_link(int dir_fd, const char *name)
{
	struct stat st;

	return fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

bool path_os_is_link_fd(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISLNK(st.st_mode);
}

int path_os_getcwd(char *path, size_t size)
{
	return syscall(SYS_getcwd, path, size) < 0 ? -errno : 0;
}

int path_os_real(const char *path, char *real)
{
	return realpath(path, real) != NULL ? 0 : -errno;
}
