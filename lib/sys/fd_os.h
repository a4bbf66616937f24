/* What making and closing descriptors needs of the system at hand; one linux_fd.c, one portable
 * file elsewhere. */
#ifndef SBX_SYS_FD_OS_H
#define SBX_SYS_FD_OS_H

#include <stdbool.h>
#include <sys/socket.h>

#ifdef MSG_CMSG_CLOEXEC
#define FD_OS_MSG_CLOEXEC MSG_CMSG_CLOEXEC
#else
#define FD_OS_MSG_CLOEXEC 0
#endif
#ifdef MSG_NOSIGNAL
#define FD_OS_MSG_NOSIGNAL MSG_NOSIGNAL
#else
#define FD_OS_MSG_NOSIGNAL 0 /* SIGPIPE is ignored, or switched off at the socket */
#endif

int fd_os_pipe(int fds[2]);                 /* O_CLOEXEC; -1 with errno */
int fd_os_socketpair(int type, int fds[2]); /* O_CLOEXEC; -1 with errno */
void fd_os_close_range(unsigned first, unsigned last);
/* Can fd be read (or written: for_output) without waiting? An end or an error counts. Waits until
 * it can where is_patient. */
bool fd_os_is_ready(int fd, bool for_output, bool is_patient);

#endif
