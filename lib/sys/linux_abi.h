/*
 * Numbers that a program on Linux hands to the kernel: from the kernel's own headers, as the libc
 * of another system gives its own. Not to be included beside <errno.h>, <fcntl.h> or <sched.h>.
 */
#ifndef SBX_SYS_LINUX_ABI_H
#define SBX_SYS_LINUX_ABI_H

#include <asm/errno.h>
#include <asm/fcntl.h>
#include <asm/ioctls.h>
#include <asm/unistd.h>
#include <linux/sched.h>
#include <linux/seccomp.h>

/* These the kernel's headers keep to themselves, or from some libraries (include/linux/socket.h,
 * include/linux/net.h, include/uapi/linux/stat.h, include/uapi/linux/resource.h). */
enum {
	LINUX_AF_UNIX = 1,
	LINUX_AF_INET = 2,
	LINUX_AF_INET6 = 10,
	LINUX_AF_NETLINK = 16,
	LINUX_SOCK_DGRAM = 2,
	LINUX_SOCK_RAW = 3,
	LINUX_SOCK_DCCP = 6,
	LINUX_SOCK_PACKET = 10,
	LINUX_PRIO_USER = 2,
	LINUX_S_ISUID = 04000,
	LINUX_S_ISGID = 02000,
};

#endif
