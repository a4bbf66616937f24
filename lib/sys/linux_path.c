/* Linux: openat2(2). */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "path.h"
#include "path_os.h"

static int path_open_how(int dir_fd, const char *path, int flags, uint64_t resolve)
{
	struct open_how how;
	long fd;

	memset(&how, 0, sizeof how);
	how.flags = (unsigned)flags;
	how.resolve = resolve;
	fd = syscall(SYS_openat2, dir_fd, path, &how, sizeof how);
	return fd < 0 ? -errno : (int)fd;
}

int path_os_open_beneath(int dir_fd, const char *rel, int flags)
{
	return path_open_how(dir_fd, rel, flags, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
}

bool path_os_is_without_links(const char *path)
{
	int fd = path_open_how(AT_FDCWD, path, O_PATH | O_CLOEXEC, RESOLVE_NO_SYMLINKS);

	if (fd < 0)
		return false;
	(void)close(fd);
	return true;
}

int path_os_getcwd(char *path, size_t size)
{
	return syscall(SYS_getcwd, path, size) < 0 ? -errno : 0;
}

int path_os_real(const char *path, char *real)
{
	return path_resolve(path, real) ? 0 : -errno;
}

/* Not by faccessat(3): before Linux 5.8 that one needs a child process to ask for other ids. */
bool path_os_may(int dir_fd, const char *name, int mode)
{
	long rc = syscall(SYS_faccessat2, dir_fd, name, mode, AT_EACCESS);

	if (rc != 0 && errno == ENOSYS)
		rc = syscall(SYS_faccessat, dir_fd, name, mode);
	return rc == 0;
}

/*
 * Modes are not all: around us there may be another sandbox whose rules know no modes. Then (the
 * usual way into Landlock rules is no_new_privs) a nameless file asks for nearly the same rights
 * and leaves nothing.
 */
bool path_os_can_write(int dir_fd)
{
	int fd;

	if (!path_os_may(dir_fd, ".", W_OK | X_OK))
		return false;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0UL, 0UL, 0UL, 0UL) == 0)
		return true;
	fd = openat(dir_fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0) /* not every file system can do it */
		return errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL;
	(void)close(fd);
	return true;
}
