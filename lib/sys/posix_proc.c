/*
 * Elsewhere than on Linux: no namespaces, no subreaper, nothing that ends a process with its
 * parent. A child has a copy of our memory, so what it is to tell must be shared (proc_share).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fd.h"
#include "proc.h"

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

pid_t proc_fork(uint64_t namespaces)
{
	pid_t pid = namespaces != 0 ? -1 : fork();

	return namespaces != 0 ? -EINVAL : pid < 0 ? (pid_t)-errno : pid;
}

#define PROC_VFORK_FD 64

/* The end of a pipe that closes on exec says that the child has done so, or ended. */
pid_t proc_vfork(int (*fn)(void *arg), void *arg)
{
	int read_fd = -1, low_fd = -1, write_fd;
	pid_t pid;
	char none;

	if (fd_pipe(&read_fd, &low_fd, NULL) != 0)
		return (pid_t)-EMFILE;
	/* out of the way of the numbers that the child is to give to others */
	write_fd = fcntl(low_fd, F_DUPFD_CLOEXEC, PROC_VFORK_FD);
	fd_close(&low_fd);
	pid = write_fd < 0 ? -1 : fork();
	if (pid == 0)
		_exit(fn(arg));
	if (pid < 0)
		pid = (pid_t)-errno;
	fd_close(&write_fd);
	while (pid > 0 && read(read_fd, &none, 1) < 0 && errno == EINTR)
		;
	fd_close(&read_fd);
	return pid;
}

pid_t proc_vfork_into(int cgroup_fd, int (*fn)(void *arg), void *arg)
{
	(void)cgroup_fd, (void)fn, (void)arg;
	return -ENOSYS;
}

void *proc_share(const void *p, size_t size)
{
	void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return shared == MAP_FAILED ? NULL : memcpy(shared, p, size);
}

/* Not told apart here: the system itself keeps unprivileged programs from each other's memory, and
 * the command's limit on core files is set with its other limits. */
void proc_set_dumpable(bool is_dumpable)
{
	(void)is_dumpable;
}

int proc_set_subreaper(void)
{
	return -ENOSYS;
}

bool proc_may_copy(void)
{
	return true;
}

void proc_die_with_parent(pid_t parent)
{
	if (getppid() != parent)
		_exit(125);
}

bool proc_has_subreaper(void)
{
	return false;
}
