/*
 * Descriptors: everything made here is O_CLOEXEC. close(2) is never retried (on Linux the
 * descriptor is gone also after EINTR). No function here blocks on a descriptor that it made
 * non-blocking.
 */
#ifndef SBX_SYS_FD_H
#define SBX_SYS_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "../base/buf.h"
#include "../base/err.h"

void fd_close(int *fd); /* closes *fd unless it is -1, and leaves -1 */
int fd_pipe(int *read_fd, int *write_fd, struct err *e);
/* AF_UNIX; type SOCK_STREAM, or SOCK_SEQPACKET for records (a stream where the system has none). */
int fd_socketpair(int type, int *a, int *b, struct err *e);
/*
 * The file behind fd (a terminal) opened once more for writing, with O_NONBLOCK that its other
 * users do not get: -1 where it cannot be (Linux without /proc).
 */
int fd_reopen_nonblock(int fd);
void fd_grow_pipe(int fd); /* to some hundred KiB where the system allows; a wish, not a need */
int fd_set_nonblock(int fd, struct err *e);
/* Make sure that 0, 1 and 2 are open (on /dev/null), so that no other file ever becomes one of
 * them. */
int fd_sanitize_std(struct err *e);
/* Close every descriptor from 3 on that is not in keep[]. Raw: no allocation, no error; keep is
 * sorted in place. */
void fd_close_others(int *keep, size_t count);
/* poll(2) without waiting; an end or an error counts, as the next call then tells it. */
bool fd_is_readable(int fd);
bool fd_is_writable(int fd);
/* Write all of it, waiting where the descriptor is non-blocking. -1 with errno. */
int fd_write_all(int fd, const void *data, size_t len);
/*
 * A file that the user named, where hostile code may have made a link or a FIFO of that name: name
 * below dir_fd must be no link (but for those of /dev and /proc), and opening never waits. option
 * and path are for messages. Errors: ERR_USAGE.
 */
int fd_open_named(int dir_fd, const char *name, const char *option, const char *path, int flags,
    mode_t mode, struct err *e);
/* The whole content of a file (root: see path_open_from_here()), at most the cap of out: ERR_USAGE
 * for folders, FIFOs, devices and too large files. */
int fd_read_regular(const char *root, const char *path, struct buf *out, struct err *e);
/* A small /proc or /sys file below dir_fd (AT_FDCWD) into text[size], NUL-terminated; length or
 * -errno. Raw. */
ssize_t fd_read_small(int dir_fd, const char *path, char *text, size_t size);
/* Open for writing, write text in one write(2), close. 0 or -errno. Raw. */
int fd_write_small(int dir_fd, const char *path, const char *text);
/* One descriptor beside a message of a SOCK_SEQPACKET or stream socket (unix(7), SCM_RIGHTS); fd
 * -1: none. Raw: -errno. */
int fd_send_msg(int sock_fd, const void *data, size_t len, int fd);
ssize_t fd_recv_msg(int sock_fd, void *data, size_t len, int *fd); /* 0: end; *fd -1 or O_CLOEXEC */
/* The same for a record of len bytes, of which a part may be on its way; short: it ended. */
ssize_t fd_recv_record(int sock_fd, void *data, size_t len, int *fd);
int fd_send_record(int sock_fd, const void *data, size_t len); /* does not wait. Raw: -errno */

#endif
