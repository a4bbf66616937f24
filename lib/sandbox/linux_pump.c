/* Linux: splice(2); SPLICE_F_NONBLOCK does not depend on O_NONBLOCK of the descriptors. */
#include <fcntl.h>
#include <sys/sysmacros.h>

#include "pump_os.h"

bool pump_os_can_splice(void)
{
	return true;
}

bool pump_os_is_pty_master(int fd, dev_t rdev)
{
	(void)fd;
	return rdev == makedev(5, 2); /* /dev/ptmx: Documentation/admin-guide/devices.txt */
}

ssize_t pump_os_splice(int in_fd, int out_fd, size_t len)
{
	return splice(in_fd, NULL, out_fd, NULL, len, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
}
