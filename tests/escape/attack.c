/*
 * attack: the attack side of the escape tests, one static program for every view.
 *
 *	attack NUMBER[,NUMBER...] [KEY=VALUE...]	run attacks, one result line an attempt
 *	attack ROLE [KEY=VALUE...] [ARG...]		play a helper role (victim, listen, ...)
 *
 * A line is "VERDICT: NUMBER.ATTEMPT [LAYER+LAYER] detail"; VERDICT is blocked, succeeded, n/a or
 * error. LAYER names what the attempt is stopped by: a run whose result lists all of them as
 * missing did not promise to stop it. Exit status: 0 all blocked, 10 one succeeded, 77 nothing
 * applied, 1 a defect of the test itself. An attack must be harmless when it succeeds on the host
 * that runs the tests: it touches only what the script prepared, writes back what it read, or
 * passes arguments that fail after the privilege check.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define LINE_CAP 512
#define READ_CAP (256 * 1024)
#define CHECK_SECONDS 20
#define PATH_CAP 512

/* Numbers since Linux 5.1 are the same on every architecture; a libc may be older than the call. */
enum {
	NR_PIDFD_SEND_SIGNAL = 424,
	NR_IO_URING_SETUP,
	NR_IO_URING_ENTER,
	NR_IO_URING_REGISTER,
	NR_OPEN_TREE,
	NR_MOVE_MOUNT,
	NR_FSOPEN,
	NR_FSCONFIG,
	NR_FSMOUNT,
	NR_FSPICK,
	NR_PIDFD_OPEN,
	NR_CLONE3,
	NR_OPENAT2 = 437,
	NR_PIDFD_GETFD = 438,
	NR_MOUNT_SETATTR = 442,
	NR_QUOTACTL_FD = 443,
	NR_SET_MEMPOLICY_HOME_NODE = 450,
	NR_FCHMODAT2 = 452,
	NR_OPEN_TREE_ATTR = 467,
};

enum verdict { BLOCKED, SUCCEEDED, NOT_APPLICABLE, BROKEN };

static const char *const verdict_names[] = {"blocked", "succeeded", "n/a", "error"};

struct check {
	int number;
	void (*run)(void);
	bool is_in_process;	/* not in a child: the attack needs our own parent or ends us */
};

static char **params;		/* KEY=VALUE words of the command line */
static char **role_args;	/* what follows them */
static int worst_seen[COUNT(verdict_names)];

/* --- reporting ---------------------------------------------------------------------------- */

__attribute__((format(printf, 4, 5)))
static void report(enum verdict verdict, const char *attempt, const char *layers,
    const char *format, ...)
{
	char line[LINE_CAP];
	int used = snprintf(line, sizeof(line), "%s: %s [%s] ", verdict_names[verdict], attempt,
	    layers);
	va_list list;

	va_start(list, format);
	if (used > 0 && (size_t)used < sizeof(line) - 2)
		used += vsnprintf(line + used, sizeof(line) - (size_t)used - 1, format, list);
	va_end(list);
	if (used < 0)
		return;
	if ((size_t)used > sizeof(line) - 2)
		used = (int)sizeof(line) - 2;
	line[used++] = '\n';
	if (write(STDOUT_FILENO, line, (size_t)used) != used)
		_exit(1);
	worst_seen[verdict] = 1;
}

static bool is_one_of(int error, const int *set)
{
	for (; *set != 0; set++)
		if (*set == error)
			return true;
	return false;
}

/* What a sandbox may answer, by kind of attack. */
static const int refuse_call[] = {EPERM, ENOSYS, EACCES, ENOSPC, 0};
static const int refuse_process[] = {EPERM, ENOSYS, EACCES, ESRCH, 0};
static const int refuse_read[] = {EPERM, EACCES, ENOENT, ENOTDIR, ENXIO, ENODEV, ENOSYS, EIO, 0};
static const int refuse_write[] = {EPERM, EACCES, ENOENT, EROFS, EXDEV, EBUSY, ETXTBSY, ENOSYS,
	ENOTDIR, ENODEV, ENXIO, EIO, 0};
static const int refuse_net[] = {EPERM, EACCES, ENOSYS, EAFNOSUPPORT, EPROTONOSUPPORT, ENETUNREACH,
	EHOSTUNREACH, ECONNREFUSED, ENOENT, EADDRNOTAVAIL, ETIMEDOUT, ENETDOWN, ESOCKTNOSUPPORT, 0};

/* The attack has an effect of its own: only success is success, an odd errno is our own defect. */
static void judge(const char *attempt, const char *layers, int error, const int *refusals)
{
	if (error == 0)
		report(SUCCEEDED, attempt, layers, "done");
	else
		report(is_one_of(error, refusals) ? BLOCKED : BROKEN, attempt, layers, "%s",
		    strerror(error));
}

/*
 * The call gets arguments that cannot do harm: any answer of the handler behind the privilege check
 * (EINVAL, EFAULT, ...) means that the kernel's code was reached, which is what must not happen.
 */
static void judge_reach(const char *attempt, const char *layers, int error, const int *refusals)
{
	if (error == 0)
		report(SUCCEEDED, attempt, layers, "done");
	else
		report(is_one_of(error, refusals) ? BLOCKED : SUCCEEDED, attempt, layers, "%s",
		    strerror(error));
}

static int errno_of(long result)
{
	return result < 0 ? errno : 0;
}

/* --- parameters --------------------------------------------------------------------------- */

static const char *param_find(const char *key)
{
	size_t length = strlen(key);

	for (char **word = params; word != role_args; word++)
		if (strncmp(*word, key, length) == 0 && (*word)[length] == '=')
			return *word + length + 1;
	return NULL;
}

static const char *param_get(const char *key)
{
	const char *value = param_find(key);

	if (value == NULL) {
		report(BROKEN, key, "", "parameter %s= is not given", key);
		_exit(1);
	}
	return value;
}

static long param_number(const char *key)
{
	return strtol(param_get(key), NULL, 0);
}

/* The canary travels reversed, so that our own argv and environment never hold it. */
static const char *canary(void)
{
	static char text[128];
	const char *reversed = param_get("yranac");
	size_t length = strlen(reversed);

	if (length >= sizeof(text))
		_exit(1);
	for (size_t i = 0; i < length; i++)
		text[i] = reversed[length - 1 - i];
	text[length] = '\0';
	return text;
}

/* One of a few static buffers, so that several paths and names can be used in one call. */
__attribute__((format(printf, 1, 2)))
static const char *path_of(const char *format, ...)
{
	static char ring[64][PATH_CAP];
	static unsigned next;
	char *path = ring[next++ % COUNT(ring)];
	va_list list;

	va_start(list, format);
	if (vsnprintf(path, PATH_CAP, format, list) >= PATH_CAP)
		_exit(1);
	va_end(list);
	return path;
}

/* --- small tools -------------------------------------------------------------------------- */

/* Runs one attempt in a child of its own and returns 0 or the errno that it met. */
static int child_errno(int (*attempt)(long), long argument)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (pid == 0)
		_exit(attempt(argument) & 0xff);
	if (waitpid(pid, &status, 0) != pid)
		return ECHILD;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EFAULT;
}

static char read_buffer[READ_CAP];

/* Reads what fits; returns the length or -1 with errno. */
static ssize_t read_path(const char *path)
{
	ssize_t total = 0;
	ssize_t got = 0;
	int saved;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -1;
	while (total < READ_CAP) {
		got = read(fd, read_buffer + total, (size_t)(READ_CAP - total));
		if (got <= 0)
			break;
		total += got;
	}
	saved = errno;
	close(fd);
	errno = saved;
	return total > 0 || got == 0 ? total : -1;
}

static bool has_canary(ssize_t length)
{
	const char *secret = canary();

	return length > 0 && memmem(read_buffer, (size_t)length, secret, strlen(secret)) != NULL;
}

/* Reading the canary is success; a refused, missing, or canary-free file is not. */
static void judge_read(const char *attempt, const char *layers, const char *path)
{
	ssize_t length = read_path(path);

	if (length < 0)
		judge(attempt, layers, errno, refuse_read);
	else if (has_canary(length))
		report(SUCCEEDED, attempt, layers, "canary read from %s", path);
	else
		report(BLOCKED, attempt, layers, "no canary in %zd bytes", length);
}

static int open_errno(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static void sleep_ms(long ms)
{
	struct timespec span = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&span, NULL);
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#include "attack/process.inc.c"
#include "attack/kernel.inc.c"
#include "attack/filesystem.inc.c"
#include "attack/network.inc.c"
#include "attack/resource.inc.c"
#include "attack/roles.inc.c"

/* --- tables and main ---------------------------------------------------------------------- */

static const struct check checks[] = {
	{1, check_ptrace, true},
	{2, check_process_vm, true},
	{3, check_signals, true},
	{4, check_proc_list, true},
	{5, check_environ, true},
	{6, check_cmdline, true},
	{7, check_proc_links, true},
	{8, check_exe_write, true},
	{9, check_descriptors, true},
	{11, check_unshare, false},
	{12, check_setns, false},
	{13, check_mount, false},
	{14, check_new_mount, false},
	{15, check_privileged_calls, false},
	{16, check_io_uring, false},
	{17, check_personality, false},
	{18, check_handles, false},
	{19, check_pidfd, true},
	{21, check_no_new_privs, false},
	{22, check_own_filter, false},
	{23, check_foreign_entry, false},
	{30, check_clock, false},
	{31, check_tty_inject, true},
	{33, check_scheduler, false},
	{34, check_host_name, false},
	{35, check_ipc, false},
	{36, check_proc_write, false},
	{37, check_proc_read, false},
	{38, check_cgroup_write, false},
	{39, check_devices, false},
	{40, check_dev_list, false},
	{41, check_read_only, false},
	{42, check_symlink, false},
	{53, check_deny_read, false},
	{56, check_tmpfs_limit, false},
	{57, check_file_size, true},
	{60, check_upward, false},
	{62, check_system_files, false},
	{63, check_memfd_exec, false},
	{64, check_helpers, false},
	{65, check_socket_families, false},
	{66, check_network, false},
	{67, check_abstract_socket, false},
	{68, check_path_socket, false},
	{70, check_name_lookup, false},
	{85, check_set_id_modes, false},
	{86, check_root_files, false},
	{87, check_stdio_reopen, true},
	{25, check_fork_bomb, true},
	{26, check_memory, true},
	{99, check_kill_all, true},	/* the kill(-1) half of 3, which ends this very program */
};

static const struct role {
	const char *name;
	int (*play)(void);
} roles[] = {
	{"victim", play_victim},
	{"listen", play_listen},
	{"pty", play_pty},
	{"race", play_race},
	{"escape-daemon", play_escape_daemon},
	{"stubborn", play_stubborn},
	{"burn", play_burn},
	{"spew", play_spew},
	{"half-char", play_half_char},
	{"close-stdout", play_close_stdout},
	{"hold", play_hold},
	{"crash", play_crash},
	{"flags", play_flags},
	{"fds", play_fds},
	{"where", play_where},
	{"grant", play_grant},
	{"mark-xattr", play_mark_xattr},
	{"privilege", play_privilege},
};

/* A crash or a hang of one attack must not take the others with it. */
static void check_run(const struct check *check)
{
	int status;
	pid_t pid;

	if (check->is_in_process) {
		check->run();
		return;
	}
	pid = fork();
	if (pid == 0) {
		alarm(CHECK_SECONDS);
		memset(worst_seen, 0, sizeof(worst_seen));
		check->run();
		_exit(worst_seen[BROKEN] ? 1 : worst_seen[SUCCEEDED] ? 10 :
		    worst_seen[BLOCKED] ? 0 : 77);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) {
		char attempt[16];

		snprintf(attempt, sizeof(attempt), "%d.run", check->number);
		report(BROKEN, attempt, "", "the attack did not end by itself");
		return;
	}
	if (WEXITSTATUS(status) == 0)
		worst_seen[BLOCKED] = 1;
	else if (WEXITSTATUS(status) == 10)
		worst_seen[SUCCEEDED] = 1;
	else if (WEXITSTATUS(status) != 77)
		worst_seen[BROKEN] = 1;
}

static int checks_run(const char *list)
{
	while (*list != '\0') {
		char *end;
		long number = strtol(list, &end, 10);
		size_t i;

		for (i = 0; i < COUNT(checks) && checks[i].number != number; i++)
			;
		if (end == list || (*end != ',' && *end != '\0') || i == COUNT(checks)) {
			fprintf(stderr, "attack: no such attack or role: %s\n", list);
			return 1;
		}
		check_run(&checks[i]);
		list = *end == ',' ? end + 1 : end;
	}
	if (worst_seen[BROKEN])
		return 1;
	if (worst_seen[SUCCEEDED])
		return 10;
	return worst_seen[BLOCKED] ? 0 : 77;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: attack NUMBER[,NUMBER...]|ROLE [KEY=VALUE...] [ARG...]\n");
		return 1;
	}
	params = argv + 2;
	for (role_args = params; *role_args != NULL && strchr(*role_args, '=') != NULL; role_args++)
		;
	for (size_t i = 0; i < COUNT(roles); i++)
		if (strcmp(argv[1], roles[i].name) == 0)
			return roles[i].play();
	return checks_run(argv[1]);
}
