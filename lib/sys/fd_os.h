/* What making and closing descriptors needs of the system at hand; one linux_fd.c, one portable
 * file elsewhere. */
#ifndef SBX_SYS_FD_OS_H
#define SBX_SYS_FD_OS_H

#ifdef MSG_CMSG_CLOEXEC
#define FD_OS_MSG_CLOEXEC MSG_CMSG_CLOEXEC
#else
#define FD_OS_MSG_CLOEXEC 0
#endif

int fd_os_pipe(int fds[2]);                 /* O_CLOEXEC; -1 with errno */
int fd_os_socketpair(int type, int fds[2]); /* O_CLOEXEC; -1 with errno */
void fd_os_close_range(unsigned first, unsigned last);

#endif
