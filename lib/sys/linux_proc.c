/*
 * Linux: clone3(2) with namespaces, vfork-style children, descendants by /proc. What runs in a
 * child here makes raw system calls only.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fd_os.h"
#include "proc.h"

pid_t proc_fork(uint64_t namespaces)
{
	struct clone_args args;
	long pid;

	memset(&args, 0, sizeof args);
	args.flags = namespaces;
	args.exit_signal = SIGCHLD;
	pid = syscall(SYS_clone3, &args, sizeof args);
	/* seccomp of containers answers ENOSYS (or EPERM) to clone3, whose arguments it cannot see
	 */
	if (pid < 0 && (errno == ENOSYS || errno == EPERM))
		pid = syscall(SYS_clone, (unsigned long)(namespaces | SIGCHLD), 0UL, 0UL, 0UL, 0UL);
	return pid < 0 ? (pid_t)-errno : (pid_t)pid;
}

#define PROC_VFORK_STACK (128UL * 1024UL)

bool proc_may_copy(void)
{
	/* a size of 0 is EINVAL wherever the call is there (clone3(2)) */
	return syscall(SYS_clone3, NULL, 0UL) < 0 && errno != EINVAL;
}

struct vfork_call {
	int (*fn)(void *arg);
	void *arg;
	int exec_fds[2]; /* the write end closes on exec; -1: the kernel waits for us */
};

static int vfork_main(void *arg)
{
	struct vfork_call *call = arg;

	return call->fn(call->arg);
}

/* Until no process holds the write end any more: the child has called exec or ended. */
static void vfork_wait(struct vfork_call *call)
{
	char byte;

	if (call->exec_fds[0] < 0)
		return;
	(void)close(call->exec_fds[1]);
	while (read(call->exec_fds[0], &byte, 1) < 0 && errno == EINTR)
		;
	(void)close(call->exec_fds[0]);
}

pid_t proc_vfork(int (*fn)(void *arg), void *arg)
{
	/* not on the caller's stack, which the child must not write over; one child at a time uses
	 * it */
	static _Alignas(64) unsigned char stack[PROC_VFORK_STACK];
	struct vfork_call call = { fn, arg, { -1, -1 } };
	int pid;

	if (proc_may_copy() && fd_os_pipe(call.exec_fds) != 0)
		return (pid_t)-errno;
	pid = clone(vfork_main, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &call);
	if (pid < 0)
		pid = -errno;
	vfork_wait(&call);
	return (pid_t)pid;
}

pid_t proc_vfork_into(int cgroup_fd, int (*fn)(void *arg), void *arg)
{
	struct clone_args args;
	long pid;

	memset(&args, 0, sizeof args);
	args.flags = CLONE_VFORK | CLONE_INTO_CGROUP;
	args.exit_signal = SIGCHLD;
	args.cgroup = (__u64)cgroup_fd;
	pid = syscall(SYS_clone3, &args, sizeof args);
	if (pid == 0)
		_exit(fn(arg));
	/* older kernels, filters; EACCES: a folder above the group is another user's, which only
	 * counts for us here, and not for a descriptor that the runner has opened (cgroup v2, since
	 * 5.16) */
	if (pid < 0 && (errno == E2BIG || errno == EINVAL || errno == EPERM || errno == EACCES))
		return -ENOSYS;
	return pid < 0 ? (pid_t)-errno : (pid_t)pid;
}

void *proc_share(const void *p, size_t size)
{
	void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return shared == MAP_FAILED ? NULL : memcpy(shared, p, size);
}

void proc_set_dumpable(bool is_dumpable)
{
	(void)prctl(PR_SET_DUMPABLE, is_dumpable ? 1UL : 0UL, 0UL, 0UL, 0UL);
}

int proc_set_subreaper(void)
{
	return prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL) == 0 ? 0 : -errno;
}

void proc_die_with_parent(pid_t parent)
{
	(void)prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0UL, 0UL, 0UL);
	if (getppid() != parent) /* it ended before the line above */
		_exit(125);
}

bool proc_has_subreaper(void)
{
	return true;
}
