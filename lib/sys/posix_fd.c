/*
 * Elsewhere than on Linux: descriptors get O_CLOEXEC after they are made (nothing forks between),
 * select(2) asks whether they are ready, as poll(2) of macOS knows no devices.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fd.h"
#include "fd_os.h"
#include "loop_os.h"

static int fd_close_both(int fds[2])
{
	int errnum = errno;

	(void)close(fds[0]);
	(void)close(fds[1]);
	errno = errnum;
	return -1;
}

static int fd_set_cloexec(int fds[2])
{
	if (fcntl(fds[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(fds[1], F_SETFD, FD_CLOEXEC) == 0)
		return 0;
	return fd_close_both(fds);
}

int fd_os_pipe(int fds[2])
{
	/* NOLINTNEXTLINE(android-cloexec-pipe): right after; pipe2(2) is not there */
	return pipe(fds) != 0 ? -1 : fd_set_cloexec(fds);
}

int fd_os_socketpair(int type, int fds[2])
{
	/* no SOCK_SEQPACKET for AF_UNIX on macOS; fd_recv_record() puts records together */
	if (type == SOCK_SEQPACKET)
		type = SOCK_STREAM;
	if (socketpair(AF_UNIX, type, 0, fds) != 0)
		return -1;
#ifdef SO_NOSIGPIPE
	for (int i = 0; i < 2; i++)
		if (setsockopt(fds[i], SOL_SOCKET, SO_NOSIGPIPE, &(int){ 1 }, sizeof(int)) != 0)
			return fd_close_both(fds);
#endif
	return fd_set_cloexec(fds);
}

/* Without a list of what is open: the limit bounds it, unless it was lowered afterwards. */
static void fd_close_by_number(unsigned first, unsigned last)
{
	struct rlimit rl;
	unsigned end = 65536;

	if (getrlimit(RLIMIT_NOFILE, &rl) == 0 && rl.rlim_max > end && rl.rlim_max < 1U << 20)
		end = (unsigned)rl.rlim_max;
	for (unsigned fd = first; fd <= last && fd < end; fd++)
		(void)close((int)fd);
}

void fd_os_close_range(unsigned first, unsigned last)
{
	DIR *d = first > last ? NULL : opendir("/dev/fd");
	struct dirent *de;

	if (first > last)
		return;
	if (d == NULL) {
		fd_close_by_number(first, last);
		return;
	}
	while ((de = readdir(d)) != NULL) {
		unsigned long fd = strtoul(de->d_name, NULL, 10);

		if (de->d_name[0] >= '0' && de->d_name[0] <= '9' && fd >= first && fd <= last &&
		    fd != (unsigned long)dirfd(d))
			(void)close((int)fd);
	}
	(void)closedir(d);
}

void fd_grow_pipe(int fd)
{
	(void)fd; /* the system does so by itself, as far as it does */
}

int fd_reopen_nonblock(int fd)
{
	const char *name = ttyname(fd);

	return name == NULL ? -1 : open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

bool fd_os_is_ready(int fd, bool for_output, bool is_patient)
{
	struct pollfd p = { .fd = fd, .events = for_output ? POLLOUT : POLLIN, .revents = 0 };

	return loop_os_wait(&p, 1, is_patient ? -1 : 0, NULL) > 0;
}
