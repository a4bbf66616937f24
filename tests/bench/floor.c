/*
 * What the kernel alone costs, as floors for the runner:
 *   floor ns CMD...                one clone3 with every namespace, a vfork and exec of CMD as
 *                                  its child, two waits
 *   floor landlock PATH... -- CMD  the forks of the landlock backend, a rule for each PATH, two
 *                                  filters of the same length class, exec of CMD
 *   floor true                     does nothing (the command of all measurements)
 *   floor write BYTES              writes so many bytes to stdout in pieces of 64 KiB
 * It restricts nothing that would be worth it; it only makes the same calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the filters of the landlock backend have: the usual one, and the one for what is outside. */
#define FILTER_LENGTH 150
#define OUTSIDE_LENGTH 58

static int wait_status(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static long fork_with(unsigned long long flags)
{
	struct clone_args a;

	memset(&a, 0, sizeof a);
	a.flags = flags;
	a.exit_signal = SIGCHLD;
	return syscall(SYS_clone3, &a, sizeof a);
}

static int floor_ns(char **command)
{
	long pid = fork_with(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
			     CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP);

	if (pid == 0) {
		pid_t child = vfork();

		if (child == 0) {
			execv(command[0], command);
			_exit(127);
		}
		_exit(wait_status(child));
	}
	return pid < 0 ? 1 : wait_status((pid_t)pid);
}

static int add_rules(int ruleset, char **paths)
{
	for (; *paths != NULL && strcmp(*paths, "--") != 0; paths++) {
		struct landlock_path_beneath_attr rule = {
			.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE
		};

		rule.parent_fd = open(*paths, O_PATH | O_CLOEXEC);
		if (rule.parent_fd < 0)
			continue;
		(void)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
		(void)close(rule.parent_fd);
	}
	return *paths == NULL ? -1 : 0;
}

static int install_filter(int length)
{
	static struct sock_filter f[FILTER_LENGTH];
	struct sock_fprog prog = { (unsigned short)length, f };

	f[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
	for (int i = 1; i < length - 1; i++) /* a list of numbers that nothing has */
		f[i] = (struct sock_filter)BPF_JUMP(
		    BPF_JMP | BPF_JEQ | BPF_K, 100000U + (unsigned)i, 0, 0);
	f[length - 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0);
}

/* In a function of its own: what the caller keeps in registers is not touched by the child of
 * vfork. */
static __attribute__((noinline)) pid_t spawn_restricted(int ruleset, char **command)
{
	pid_t child = vfork();

	if (child != 0)
		return child;
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_landlock_restrict_self, ruleset, 0) != 0 ||
	    install_filter(OUTSIDE_LENGTH) != 0 || install_filter(FILTER_LENGTH) != 0)
		_exit(1);
	execv(command[0], command);
	_exit(127);
}

static int floor_landlock(char **paths)
{
	struct landlock_ruleset_attr attr = { .handled_access_fs =
						  (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1 };
	long pid = fork_with(0);
	int ruleset;

	if (pid != 0)
		return pid < 0 ? 1 : wait_status((pid_t)pid);
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
	if (ruleset < 0 || add_rules(ruleset, paths) != 0)
		_exit(1);
	while (strcmp(*paths++, "--") != 0)
		;
	_exit(wait_status(spawn_restricted(ruleset, paths)));
}

static int write_bytes(unsigned long long left)
{
	static char chunk[65536];

	memset(chunk, 'x', sizeof chunk);
	while (left > 0) {
		ssize_t n = write(1, chunk, left < sizeof chunk ? (size_t)left : sizeof chunk);

		if (n < 0)
			return 1;
		left -= (unsigned long long)n;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "ns") == 0)
		return floor_ns(argv + 2);
	if (argc > 2 && strcmp(argv[1], "landlock") == 0)
		return floor_landlock(argv + 2);
	if (argc > 2 && strcmp(argv[1], "write") == 0)
		return write_bytes(strtoull(argv[2], NULL, 10));
	return argc > 1 && strcmp(argv[1], "true") == 0 ? 0 : 2;
}
