/* Descriptor helpers; see fd.h. The raw ones make system calls only, so that they may run after
 * fork or vfork. */
#include "fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fd_os.h"
#include "path.h"

void fd_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

int fd_pipe(int *read_fd, int *write_fd, struct err *e)
{
	int fds[2];

	if (fd_os_pipe(fds) != 0)
		return err_errno(e, ERR_SETUP, "pipe");
	*read_fd = fds[0];
	*write_fd = fds[1];
	return 0;
}

int fd_socketpair(int type, int *a, int *b, struct err *e)
{
	int fds[2];

	if (fd_os_socketpair(type, fds) != 0)
		return err_errno(e, ERR_SETUP, "socketpair");
	*a = fds[0];
	*b = fds[1];
	return 0;
}

int fd_set_nonblock(int fd, struct err *e)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
		return err_errno(e, ERR_SETUP, "fcntl O_NONBLOCK");
	return 0;
}

int fd_sanitize_std(struct err *e)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		/* the lowest free number is fd itself, as all below are open */
		if (open("/dev/null", (fd == 0 ? O_RDONLY : O_WRONLY) | O_CLOEXEC) != fd &&
		    open("/", O_RDONLY | O_CLOEXEC) != fd)
			return err_set(e, ERR_SETUP,
			    "descriptor %d is closed and /dev/null cannot be opened", fd);
	}
	return 0;
}

void fd_close_others(int *keep, size_t count)
{
	unsigned first = 3;

	for (size_t i = 1; i < count; i++) /* insertion sort: a handful of numbers */
		for (size_t j = i; j > 0 && keep[j] < keep[j - 1]; j--) {
			int t = keep[j];
			keep[j] = keep[j - 1];
			keep[j - 1] = t;
		}
	for (size_t i = 0; i < count; i++) {
		if (keep[i] < (int)first)
			continue;
		if (keep[i] > (int)first)
			fd_os_close_range(first, (unsigned)keep[i] - 1);
		first = (unsigned)keep[i] + 1;
	}
	fd_os_close_range(first, ~0U);
}

bool fd_is_readable(int fd)
{
	return fd_os_is_ready(fd, false, false);
}

bool fd_is_writable(int fd)
{
	return fd_os_is_ready(fd, true, false);
}

int fd_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			(void)fd_os_is_ready(fd, true, true);
			continue;
		}
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int fd_open_named(int dir_fd, const char *name, const char *option, const char *path, int flags,
    mode_t mode, struct err *e)
{
	bool is_own_link = strncmp(name, "/dev/", 5) == 0 || strncmp(name, "/proc/", 6) == 0;
	int how = flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (is_own_link ? 0 : O_NOFOLLOW);
	int fd = openat(dir_fd, name, how, mode);
	struct stat st;

	if (fd < 0 && errno == ELOOP)
		return err_set(
		    e, ERR_USAGE, "%s %s: is a symbolic link; name what it leads to", option, path);
	if (fd < 0 && errno == ENXIO)
		return err_set(e, ERR_USAGE, "%s %s: nobody reads this FIFO", option, path);
	if (fd < 0)
		return err_errno(e, ERR_USAGE, "%s %s", option, path);
	if (fstat(fd, &st) == 0 &&
	    (S_ISDIR(st.st_mode) || (S_ISFIFO(st.st_mode) && (flags & O_ACCMODE) == O_RDONLY))) {
		(void)close(fd);
		return err_set(e, ERR_USAGE, "%s %s: is a %s", option, path,
		    S_ISDIR(st.st_mode) ? "folder" : "FIFO");
	}
	/* O_NONBLOCK was for open(2) only */
	(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

static int fd_read_open(int fd, const char *path, struct buf *out, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return err_errno(e, ERR_USAGE, "%s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_USAGE, "%s: not a regular file", path);
	for (;;) {
		size_t want = 16384;
		size_t room = out->cap_bytes - out->len;
		unsigned char *p;
		ssize_t n;

		if (room == 0) { /* full: right only if this is the end */
			char more;

			return read(fd, &more, 1) == 0 ?
				   0 :
				   err_set(e, ERR_USAGE, "%s: larger than %zu bytes", path,
				       out->cap_bytes);
		}
		if (want > room)
			want = room;
		p = buf_reserve(out, want, e);
		if (p == NULL)
			return -1;
		n = read(fd, p, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(e, ERR_USAGE, "%s", path);
		if (n == 0)
			return 0;
		buf_commit(out, (size_t)n);
	}
}

int fd_read_regular(const char *root, const char *path, struct buf *out, struct err *e)
{
	/* O_NONBLOCK: opening a FIFO must not wait for a writer */
	int fd = path_open_from_here(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	int rc;

	if (fd == -ELOOP)
		return err_set(e, ERR_USAGE,
		    "%s: leads through a symbolic link of the project; name what it leads to",
		    path);
	if (fd < 0)
		return err_sys(e, ERR_USAGE, -fd, "%s", path);
	rc = fd_read_open(fd, path, out, e);
	(void)close(fd);
	return rc;
}

ssize_t fd_read_small(int dir_fd, const char *path, char *text, size_t size)
{
	/* a FIFO in its place must not hold us */
	int fd = openat(dir_fd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while (len < size - 1) {
		n = read(fd, text + len, size - 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			n = -errno;
			(void)close(fd);
			return n;
		}
		if (n == 0)
			break;
		len += (size_t)n;
	}
	(void)close(fd);
	text[len] = '\0';
	return (ssize_t)len;
}

int fd_write_small(int dir_fd, const char *path, const char *text)
{
	int fd = openat(dir_fd, path, O_WRONLY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		rc = -errno;
	(void)close(fd);
	return rc;
}

union fd_control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int fd_send_msg(int sock_fd, const void *data, size_t len, int fd)
{
	union fd_control control;
	struct iovec iov = { (void *)(uintptr_t)data, len };
	struct msghdr m;
	struct cmsghdr *c;

	memset(&m, 0, sizeof m);
	m.msg_iov = &iov;
	m.msg_iovlen = 1;
	if (fd >= 0) {
		memset(&control, 0, sizeof control);
		m.msg_control = control.bytes;
		m.msg_controllen = sizeof control.bytes;
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof fd);
		memcpy(CMSG_DATA(c), &fd, sizeof fd);
	}
	for (;;) {
		if (sendmsg(sock_fd, &m, FD_OS_MSG_NOSIGNAL) >= 0)
			return 0;
		if (errno != EINTR)
			return -errno;
	}
}

ssize_t fd_recv_msg(int sock_fd, void *data, size_t len, int *fd)
{
	union fd_control control;
	struct iovec iov = { data, len };
	struct msghdr m;
	struct cmsghdr *c;
	ssize_t n;

	*fd = -1;
	memset(&m, 0, sizeof m);
	m.msg_iov = &iov;
	m.msg_iovlen = 1;
	m.msg_control = control.bytes;
	m.msg_controllen = sizeof control.bytes;
	/* ECONNRESET: the other side ended with something of ours unread; what it had sent before
	 * comes after that */
	do
		n = recvmsg(sock_fd, &m, FD_OS_MSG_CLOEXEC);
	while (n < 0 && (errno == EINTR || errno == ECONNRESET));
	if (n < 0)
		return -errno;
	c = CMSG_FIRSTHDR(&m);
	if (c != NULL && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(c), sizeof(int));
	return n;
}

ssize_t fd_recv_record(int sock_fd, void *data, size_t len, int *fd)
{
	ssize_t n = fd_recv_msg(sock_fd, data, len, fd);
	size_t got = n > 0 ? (size_t)n : 0;

	while (n > 0 && got < len) { /* a stream: the rest was sent in the same call */
		(void)fd_os_is_ready(sock_fd, false, true);
		n = recv(sock_fd, (char *)data + got, len - got, 0);
		got += n > 0 ? (size_t)n : 0;
	}
	return got > 0 ? (ssize_t)got : n;
}

int fd_send_record(int sock_fd, const void *data, size_t len)
{
	return send(sock_fd, data, len, FD_OS_MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}
