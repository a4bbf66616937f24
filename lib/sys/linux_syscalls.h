/*
 * The system calls of this architecture: names, numbers and the class that the built-in filter puts
 * each into. One table, linux_syscalls.def; nothing here knows what a class means (linux_seccomp.c
 * does). The public look-ups by name and number are in linux_seccomp.h.
 */
#ifndef SBX_SYS_LINUX_SYSCALLS_H
#define SBX_SYS_LINUX_SYSCALLS_H

enum syscall_class {
	SYSCALL_ALLOW,
	SYSCALL_DENY,   /* EPERM */
	SYSCALL_NOSYS,  /* ENOSYS: programs then take the older call, whose arguments a filter can
			   see */
	SYSCALL_MODE1,  /* a file mode in argument 1 (counted from 0) */
	SYSCALL_MODE2,  /* ... in argument 2 */
	SYSCALL_OPEN,   /* open flags in 1, mode in 2 */
	SYSCALL_OPENAT, /* open flags in 2, mode in 3 */
	SYSCALL_CLONE,  /* clone flags in 0 */
	SYSCALL_SOCKET, /* family, type, protocol */
	SYSCALL_IOCTL,  /* request in 1 */
	SYSCALL_PERSONALITY, /* persona in 0 */
};

/* The next number of the table above nr (start with -1); -1 at the end. */
int syscalls_next(int nr);
/* nr must be in the table. */
enum syscall_class syscalls_class(int nr);

#endif
