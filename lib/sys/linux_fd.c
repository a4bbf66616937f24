/* Linux: descriptors are born O_CLOEXEC, by calls that libc wraps in what kernels before 2.6.27
 * would need; close_range(2) from 5.9, else number by number. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fd.h"
#include "fd_os.h"

int fd_os_pipe(int fds[2])
{
	return (int)syscall(SYS_pipe2, fds, O_CLOEXEC);
}

int fd_os_socketpair(int type, int fds[2])
{
	return (int)syscall(SYS_socketpair, AF_UNIX, type | SOCK_CLOEXEC, 0, fds);
}

void fd_os_close_range(unsigned first, unsigned last)
{
	struct rlimit rl;
	unsigned end = 65536;

	if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
		return;
	/* the hard limit bounds what can be open, unless it was lowered afterwards: take at least a
	 * usual one */
	if (getrlimit(RLIMIT_NOFILE, &rl) == 0 && rl.rlim_max > end && rl.rlim_max < 1U << 20)
		end = (unsigned)rl.rlim_max;
	for (unsigned fd = first; fd <= last && fd < end; fd++)
		(void)close((int)fd);
}

void fd_grow_pipe(int fd)
{
	(void)fcntl(fd, F_SETPIPE_SZ,
	    256 * 1024); /* /proc/sys/fs/pipe-max-size, pipe-user-pages-soft (pipe(7)) */
}

int fd_reopen_nonblock(int fd)
{
	char path[32];

	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

bool fd_os_is_ready(int fd, bool for_output, bool is_patient)
{
	struct pollfd p = { .fd = fd, .events = for_output ? POLLOUT : POLLIN, .revents = 0 };

	return poll(&p, 1, is_patient ? -1 : 0) > 0;
}
