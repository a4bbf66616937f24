/*
 * failnth: run a command whose N-th new process cannot be made, as on a machine that is full for a
 * moment; or which is killed just then.
 *
 *	failnth N -- COMMAND [ARG...]      the N-th call fails with EAGAIN
 *	failnth -k N -- COMMAND [ARG...]   COMMAND gets SIGKILL, then the N-th call goes on
 *
 * Counts fork, vfork, clone and clone3 of the command and of all that it starts
 *(seccomp_unotify(2)) and says on stderr "failnth: not reached" when there were fewer. Ends with
 *the last of them. Exit status: the command's, 128 + n after a signal, 2 for a wrong call. It must
 *not judge anything: calls that are let through are read by the kernel once more. It sets
 *no_new_privs when the caller lacks CAP_SYS_ADMIN. Not for production.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#define NR_CLONE3 435 /* the same on every architecture, syscalls(2) */

static struct sock_filter filter[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NR_CLONE3, 4, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 3, 0),
#ifdef SYS_fork
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fork, 2, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_vfork, 1, 0),
#else
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
#endif
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
};

/* The descriptor on which the filter asks. */
static int listen_to_self(void)
{
	struct sock_fprog prog = { .len = sizeof filter / sizeof filter[0], .filter = filter };
	long fd =
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog);

	if (fd < 0 && errno == EACCES && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		fd = syscall(
		    SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog);
	return (int)fd;
}

static int pass_fd(int sock, int fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { .iov_base = &(char){ 0 }, .iov_len = 1 };
	struct msghdr m = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof control.bytes };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	memset(&control, 0, sizeof control);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(c), &fd, sizeof fd);
	return sendmsg(sock, &m, 0) == 1 ? 0 : -1;
}

static int take_fd(int sock)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	char byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr m = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof control.bytes };
	struct cmsghdr *c;
	int fd = -1;

	if (recvmsg(sock, &m, MSG_CMSG_CLOEXEC) != 1)
		return -1;
	c = CMSG_FIRSTHDR(&m);
	if (c != NULL && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof fd);
	return fd;
}

static _Noreturn void run(int sock, char **argv)
{
	int fd = listen_to_self();

	if (fd < 0 || pass_fd(sock, fd) != 0) {
		fprintf(stderr, "failnth: filter: %s\n", strerror(errno));
		_exit(2);
	}
	close(fd);
	close(sock);
	execvp(argv[0], argv);
	fprintf(stderr, "failnth: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* ioctl(2) whose request has the kernel's type; C libraries differ. */
static long ask_kernel(int fd, unsigned long request, void *arg)
{
	return syscall(SYS_ioctl, fd, request, arg);
}

/* Answer until nobody is left who could ask. True: the N-th call came. kill_pid 0: it fails. */
static bool answer(int fd, unsigned long nth, pid_t kill_pid)
{
	unsigned long count = 0;

	for (;;) {
		struct seccomp_notif ask;
		struct seccomp_notif_resp say;
		struct pollfd p = { .fd = fd, .events = POLLIN };

		if (poll(&p, 1, -1) < 0 && errno == EINTR)
			continue;
		if ((p.revents & POLLIN) == 0)
			return count >= nth;
		memset(&ask, 0, sizeof ask);
		memset(&say, 0, sizeof say);
		if (ask_kernel(fd, SECCOMP_IOCTL_NOTIF_RECV, &ask) != 0)
			continue; /* whoever asked was killed */
		say.id = ask.id;
		if (++count == nth && kill_pid != 0)
			(void)kill(kill_pid, SIGKILL);
		if (count == nth && kill_pid == 0)
			say.error = -EAGAIN;
		else
			say.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		(void)ask_kernel(fd, SECCOMP_IOCTL_NOTIF_SEND, &say);
	}
}

int main(int argc, char **argv)
{
	bool want_kill = argc > 1 && strcmp(argv[1], "-k") == 0;
	char *end = NULL;
	unsigned long nth;
	int sock[2], status, fd;
	pid_t pid;

	argv += want_kill;
	argc -= want_kill;
	nth = argc > 3 ? strtoul(argv[1], &end, 10) : 0;
	if (nth == 0 || *end != '\0' || strcmp(argv[2], "--") != 0) {
		fprintf(stderr, "usage: failnth [-k] N -- COMMAND [ARG...]\n");
		return 2;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sock) != 0 || (pid = fork()) < 0) {
		fprintf(stderr, "failnth: %s\n", strerror(errno));
		return 2;
	}
	if (pid == 0) {
		close(sock[0]);
		run(sock[1], argv + 3);
	}
	close(sock[1]);
	fd = take_fd(sock[0]);
	if (fd >= 0 && !answer(fd, nth, want_kill ? pid : 0))
		fprintf(stderr, "failnth: not reached\n");
	if (waitpid(pid, &status, 0) != pid)
		return 2;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
