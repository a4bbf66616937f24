/*
 * The command in the sandbox, and the same outside of it as the control: it says what it can see
 * and do, one "name: value" line a fact, and judges nothing.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

static void say(const char *name, const char *value)
{
	printf("%s: %s\n", name, value);
}

/* "yes", or "no" and why not. */
static void say_rc(const char *name, int rc)
{
	if (rc >= 0)
		say(name, "yes");
	else
		printf("%s: no %s\n", name, errno == 0 ? "" : strerror(errno));
}

#define FACT(name, try) (errno = 0, say_rc(name, try))

static int can_read(const char *path)
{
	char c;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int rc = fd < 0 ? -1 : read(fd, &c, 1) == 1 ? 0 : -1;

	if (fd >= 0)
		(void)close(fd);
	return rc;
}

static int can_make(const char *dir, bool is_kept)
{
	char path[512];
	int fd;

	(void)snprintf(path, sizeof path, "%s/made", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return -1;
	(void)close(fd);
	return is_kept ? 0 : unlink(path);
}

static int can_read_below(const char *dir, const char *path)
{
	char full[512];

	(void)snprintf(full, sizeof full, "%s%s", dir, path);
	return can_read(full);
}

/* Up from a folder, more often than there are folders, to the canary of the outermost root. */
static int can_climb(void)
{
	static const char up[] = "../../../../../../../../../../../../../../../../../../../..";

	return can_read_below(up, CANARY);
}

/* What is in /proc/PID/root of another process is what that one sees. */
static int can_enter_others(void)
{
	DIR *d = opendir("/proc");
	char dir[64];
	int rc = -1;

	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
		long pid = strtol(e->d_name, NULL, 10);

		if (pid <= 0 || pid == getpid())
			continue;
		(void)snprintf(dir, sizeof dir, "/proc/%ld/root", pid);
		if (can_read_below(dir, CANARY) == 0)
			rc = 0;
	}
	if (d != NULL)
		(void)closedir(d);
	return rc;
}

/* More than the two that a sandbox has: its first process and the command. */
static int sees_others(void)
{
	DIR *d = opendir("/proc");
	int count = 0;

	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
		count += strtol(e->d_name, NULL, 10) > 0;
	if (d != NULL)
		(void)closedir(d);
	return count > 2 ? 0 : -1;
}

/* A listener on 127.0.0.1 and a connection to it. */
static int can_loop_back(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof a;
	int l = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), c;

	if (l < 0 || bind(l, (struct sockaddr *)&a, sizeof a) != 0 || listen(l, 1) != 0 ||
	    getsockname(l, (struct sockaddr *)&a, &len) != 0)
		return -1;
	c = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return c < 0 ? -1 : connect(c, (struct sockaddr *)&a, sizeof a);
}

static int holds_capabilities(void)
{
	for (unsigned long cap = 0; cap < 64; cap++)
		if (prctl(PR_CAPBSET_READ, cap, 0UL, 0UL, 0UL) == 1)
			return 0;
	errno = 0;
	return -1;
}

static void say_of_proc(void)
{
	FACT("proc", access("/proc/self/status", F_OK));
	FACT("processes", sees_others());
	FACT("environ", can_read("/proc/1/environ"));
	FACT("others", can_enter_others());
	FACT("kcore", can_read("/proc/kcore"));
	FACT("kmsg", can_read("/proc/kmsg"));
	FACT("sysctl", open("/proc/sys/kernel/panic", O_WRONLY | O_CLOEXEC));
}

/* Last, since what succeeds changes us: in a mount namespace of its own, where one can be had. */
static void say_of_privileges(void)
{
	(void)unshare(CLONE_NEWNS);
	FACT("mount", mount("tmpfs", ".", "tmpfs", 0, NULL));
	FACT("chroot", chroot("."));
	FACT("userns", unshare(CLONE_NEWUSER));
}

static int role_look(void)
{
	char host[65];

	printf("uid: %u\n", getuid());
	FACT("canary", can_read(CANARY));
	FACT("climb", can_climb());
	FACT("project", can_make(".", true));
	FACT("bin", can_make("/bin", false));
	FACT("root", can_make("/", false));
	FACT("tmp", can_make("/tmp", false));
	FACT("shm", can_make("/dev/shm", false));
	FACT("null", open("/dev/null", O_WRONLY | O_CLOEXEC));
	FACT("sys", access("/sys/kernel", F_OK));
	FACT("loopback", can_loop_back());
	say("host", gethostname(host, sizeof host) == 0 ? host : "?");
	FACT("nnp", prctl(PR_GET_NO_NEW_PRIVS, 0UL, 0UL, 0UL, 0UL) == 1 ? 0 : -1);
	FACT("bounding", holds_capabilities());
	say_of_proc();
	say_of_privileges();
	return 0;
}

/*
 * N children, each in a session of its own, deaf to what can be ignored, with a child of its own;
 * the parent says when they are there and ends with its standard input, or after a while.
 */
static int role_tree(long count)
{
	(void)signal(SIGTERM, SIG_IGN);
	for (long i = 0; i < count; i++) {
		if (fork() != 0)
			continue;
		(void)setsid();
		(void)signal(SIGHUP, SIG_IGN);
		(void)fork();
		for (;;)
			(void)pause();
	}
	say("tree", "up");
	(void)fflush(stdout);
	(void)sleep(60);
	return 0;
}

/* Into a tmpfs, in a mount namespace of our own. */
static int role_pivot(void)
{
	if (unshare(CLONE_NEWNS) != 0 || mount("tmpfs", "/project", "tmpfs", 0, NULL) != 0 ||
	    chdir("/project") != 0) {
		perror("guest: pivot");
		return 2;
	}
	if (syscall(SYS_pivot_root, ".", ".") == 0)
		return 0;
	perror("guest: pivot_root");
	return 1;
}

static int role_print(const char *path)
{
	char buf[16384];

	printf("%s\n", file_get(path, buf, sizeof buf));
	return buf[0] == '\0';
}

int role_main(int argc, char **argv)
{
	const char *role = argc > 1 ? argv[1] : "";

	if (strcmp(role, "true") == 0)
		return 0;
	if (strcmp(role, "look") == 0)
		return role_look();
	if (strcmp(role, "pivot") == 0)
		return role_pivot();
	if (strcmp(role, "read") == 0 && argc > 2)
		return can_read(argv[2]) == 0 ? 0 : 1;
	if (strcmp(role, "print") == 0 && argc > 2)
		return role_print(argv[2]);
	if (strcmp(role, "sleep") == 0 && argc > 2)
		return (int)sleep((unsigned)strtoul(argv[2], NULL, 10));
	if (strcmp(role, "tree") == 0 && argc > 2)
		return role_tree(strtol(argv[2], NULL, 10));
	(void)fputs("usage: guest true|look|pivot|read PATH|print PATH|sleep N|tree N\n", stderr);
	return 2;
}
