/*
 * Linux: clone3(2) with namespaces, vfork-style children, descendants by /proc. What runs in a child here makes raw
 * system calls only.
 */
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc.h"

pid_t proc_fork(uint64_t namespaces)
{
	struct clone_args args;
	long pid;

	memset(&args, 0, sizeof args);
	args.flags = namespaces;
	args.exit_signal = SIGCHLD;
	pid = syscall(SYS_clone3, &args, sizeof args);
	/* seccomp of containers answers ENOSYS (or EPERM) to clone3, whose arguments it cannot see */
	if (pid < 0 && (errno == ENOSYS || errno == EPERM))
		pid = syscall(SYS_clone, (unsigned long)(namespaces | SIGCHLD), 0UL, 0UL, 0UL, 0UL);
	return pid < 0 ? (pid_t)-errno : (pid_t)pid;
}

#define PROC_VFORK_STACK (128UL * 1024UL)

pid_t proc_vfork(int (*fn)(void *arg), void *arg)
{
	/* not on the caller's stack, which the child must not write over; one child at a time uses it */
	static _Alignas(64) unsigned char stack[PROC_VFORK_STACK];
	int pid = clone(fn, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, arg);

	return pid < 0 ? (pid_t)-errno : (pid_t)pid;
}

void proc_set_dumpable(bool is_dumpable)
{
	(void)prctl(PR_SET_DUMPABLE, is_dumpable ? 1UL : 0UL, 0UL, 0UL, 0UL);
}

void proc_set_subreaper(void)
{
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL);
}

void proc_die_with_parent(pid_t parent)
{
	(void)prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0UL, 0UL, 0UL);
	if (getppid() != parent) /* it ended before the line above */
		_exit(125);
}
