/* Elsewhere than on Linux: no splice(2). */
#include <errno.h>
#include <stdlib.h>

#include "pump_os.h"

bool pump_os_can_splice(void)
{
	return false;
}

bool pump_os_is_pty_master(int fd, dev_t rdev)
{
	(void)rdev;
	return ptsname(fd) != NULL;
}

ssize_t pump_os_splice(int in_fd, int out_fd, size_t len)
{
	(void)in_fd, (void)out_fd, (void)len;
	errno = ENOSYS;
	return -1;
}
