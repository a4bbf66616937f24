/*
 * Running a command as somebody, with what it prints, and the proof that nothing of it is left: we
 * are pid 1, so whatever outlives its parent becomes our child.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"
#include "tap.h"

#define RUN_MS_MAX 60000LL  /* emulated machines are slow; one that hangs is ended */
#define LEFT_MS_MAX 10000LL /* a guardian may still be on its way out */

const struct who root = { "root", 0, "/project", NULL };
const struct who user = { "user", 1000, "/home/user/project", NULL };

static long long now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void enter_group(const char *group)
{
	char path[256];

	(void)snprintf(path, sizeof path, "%s/cgroup.procs", group);
	file_put(path, "0");
}

static _Noreturn void child(
    const struct who *who, const char *const *argv, int in_fd, int out_fd, int err_fd)
{
	char home[64], *env[] = { home, (char[]){ "PATH=/bin" }, NULL };

	(void)snprintf(home, sizeof home, "HOME=%s", who->uid == 0 ? "/root" : "/home/user");
	if (who->group != NULL)
		enter_group(who->group);
	if (chdir(who->cwd) != 0 || dup2(in_fd, 0) != 0 || dup2(out_fd, 1) != 1 ||
	    dup2(err_fd, 2) != 2 || setgroups(0, NULL) != 0 || setgid(who->uid) != 0 ||
	    setuid(who->uid) != 0) {
		perror("guest: child");
		_exit(125);
	}
	(void)execve(argv[0], (char *const *)(uintptr_t)argv, env);
	perror(argv[0]);
	_exit(127);
}

void run_start(struct run *r, const struct who *who, const char *const *argv)
{
	int in[2], out[2], err[2];

	run_free(r);
	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
		BAIL("no pipe");
	(void)close(in[1]);
	r->pid = fork();
	if (r->pid < 0)
		BAIL("no fork");
	if (r->pid == 0)
		child(who, argv, in[0], out[1], err[1]);
	(void)close(in[0]);
	(void)close(out[1]);
	(void)close(err[1]);
	r->out_fd = out[0];
	r->err_fd = err[0];
}

/* True at the end of the stream; what does not fit is dropped. */
static bool take(int fd, char *buf, size_t size, size_t *len)
{
	char drop[4096];
	ssize_t n = *len + 1 < size ? read(fd, buf + *len, size - 1 - *len) :
				      read(fd, drop, sizeof drop);

	if (n <= 0)
		return true;
	if (*len + 1 < size)
		*len += (size_t)n;
	buf[*len] = '\0';
	return false;
}

static void drain(struct run *r)
{
	struct pollfd p[2] = { { r->out_fd, POLLIN, 0 }, { r->err_fd, POLLIN, 0 } };
	size_t out_len = 0, err_len = 0;
	long long end_ms = now_ms() + RUN_MS_MAX;

	while ((p[0].fd >= 0 || p[1].fd >= 0) && now_ms() < end_ms) {
		if (poll(p, 2, 1000) <= 0)
			continue;
		if (p[0].revents != 0 && take(r->out_fd, r->out, sizeof r->out, &out_len))
			p[0].fd = -1;
		if (p[1].revents != 0 && take(r->err_fd, r->err, sizeof r->err, &err_len))
			p[1].fd = -1;
	}
	if (p[0].fd >= 0 || p[1].fd >= 0) {
		diag("killed: it ran for %lld s", RUN_MS_MAX / 1000);
		(void)kill(-1, SIGKILL);
	}
	(void)close(r->out_fd);
	(void)close(r->err_fd);
}

/*
 * A child without an exit signal is none that waitpid(2) sees (__WCLONE), as long as it does not
 * exec; but whatever a dead parent leaves to us is one.
 */
pid_t start_neighbour(const char *group)
{
	pid_t pid = (pid_t)syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);

	if (pid < 0)
		BAIL("no neighbour");
	if (pid > 0)
		return pid;
	enter_group(group);
	for (;;)
		(void)pause();
}

void end_neighbour(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, (int)__WCLONE);
}

/* Every process but us and neighbours is gone, without our help. */
static bool is_nothing_left(void)
{
	long long end_ms = now_ms() + LEFT_MS_MAX;
	const struct timespec pause = { 0, 5000000 };

	do {
		pid_t pid = waitpid(-1, NULL, WNOHANG);

		if (pid < 0 && errno == ECHILD)
			return true;
		if (pid == 0)
			(void)nanosleep(&pause, NULL);
	} while (now_ms() < end_ms);
	(void)kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		continue;
	return false;
}

void run_finish(struct run *r)
{
	struct err e = ERR_INIT;
	int status;

	drain(r);
	r->status = -1;
	if (waitpid(r->pid, &status, 0) == r->pid)
		r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (r->out[0] == '{')
		r->json = json_parse(r->out, strlen(r->out), "out", &e);
	r->has_left = !is_nothing_left();
	if (r->has_left)
		ok(false, "nothing is left running");
}

void run_argv(struct run *r, const struct who *who, const char *const *argv)
{
	run_start(r, who, argv);
	run_finish(r);
}

void run_free(struct run *r)
{
	json_free(r->json);
	r->json = NULL;
	r->out[0] = r->err[0] = '\0';
}

static void show(const char *what, const char *text)
{
	while (*text != '\0') {
		int len = (int)strcspn(text, "\n");

		diag("%s %.*s", what, len, text);
		text += len;
		text += *text == '\n';
	}
}

void run_show(const struct run *r)
{
	diag("status: %d", r->status);
	if (r->json == NULL)
		show("stdout:", r->out);
	else
		show("error_message:", report_str(r, "error_message"));
	show("stderr:", r->err);
}
