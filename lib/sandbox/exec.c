/* See exec.h. */
#include "exec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/str.h"
#include "../sys/fd.h"
#include "plan.h"

static int exec_error(int errnum, const char *path, struct err *e)
{
	switch (errnum) {
	case E2BIG:
		return err_sys(e, ERR_SETUP, errnum,
		    "%s: the kernel refuses arguments and environment of this size; pass less "
		    "(--env-mode allow)",
		    path);
	case ENOENT:
	case ENOTDIR:
	case ENAMETOOLONG:
		return err_sys(e, ERR_NOT_FOUND, errnum, "%s", path);
	case ENOMEM:
	case EAGAIN:
		return err_sys(e, ERR_SETUP, errnum, "%s", path);
	default:
		return err_sys(e, ERR_NOT_EXECUTABLE, errnum, "%s", path);
	}
}

/* A folder can be searched but not run: EACCES from execve means both, so say which. */
static int exec_path(const char *path, char *const *argv, char *const *env, struct err *e)
{
	struct stat st;
	int errnum;

	(void)execve(path, argv, env);
	errnum = errno;
	if (errnum == EACCES && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return err_set(e, ERR_NOT_EXECUTABLE, "%s: is a folder", path);
	return exec_error(errnum, path, e);
}

/* Not execvp(3), which would use our own environment. */
int exec_command(const char *dir, char *const *argv, char *const *env, struct err *e)
{
	char path[PATH_MAX];
	struct err denied = ERR_INIT,
		   now; /* *e is read by the guardian after a successful exec too */

	if (strchr(argv[0], '/') != NULL)
		return exec_path(argv[0], argv, env, e);
	if (dir == NULL)
		dir = PLAN_DEFAULT_PATH;
	for (; *dir != '\0'; dir += *dir == ':') {
		size_t n = strcspn(dir, ":");

		if (n > 0 && (size_t)snprintf(path, sizeof path, "%.*s/%s", (int)n, dir, argv[0]) <
				 sizeof path) {
			err_clear(&now);
			(void)exec_path(path, argv, env, &now);
			if (now.kind == ERR_SETUP) {
				*e = now;
				return -1;
			}
			if (now.kind == ERR_NOT_EXECUTABLE && denied.kind == ERR_NONE)
				denied = now;
		}
		dir += n;
	}
	if (denied.kind != ERR_NONE) {
		*e = denied;
		return -1;
	}
	return err_set(e, ERR_NOT_FOUND, "%s: command not found in PATH of the sandbox", argv[0]);
}

static const char *exec_step_path(char *const *env)
{
	for (; env != NULL && *env != NULL; env++)
		if (str_starts_with(*env, "PATH="))
			return *env + 5;
	return NULL;
}

int exec_step_run(char *const *argv, char *const *env, struct err *e)
{
	struct exec_report report = { ERR_INIT };
	struct stat st;

	if (argv[0] == NULL || fstat(EXEC_STEP_FD, &st) != 0 || !S_ISFIFO(st.st_mode) ||
	    fcntl(EXEC_STEP_FD, F_SETFD, FD_CLOEXEC) != 0)
		return err_set(e, ERR_USAGE,
		    EXEC_STEP_OPTION " is for sbx itself, as the last step into a sandbox");
	if (fd_write_all(EXEC_STEP_FD, &report, sizeof report) != 0)
		_exit(125);
	(void)exec_command(exec_step_path(env), argv, env, &report.error);
	(void)fd_write_all(EXEC_STEP_FD, &report, sizeof report);
	_exit(125);
}
