/*
 * "Not found" that helps: the command is there on the host but not in the view, or its interpreter
 * is not (execve(2) says ENOENT for both). Looks at the host only; changes nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/mem.h"
#include "missing_os.h"
#include "run.h"

static bool missing_is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Where the host would find argv[0]. */
static bool missing_find_on_host(const struct plan *plan, char *path, size_t size)
{
	const char *name = plan->rq->argv[0];
	const char *dir = NULL;

	if (strchr(name, '/') != NULL) {
		const char *base = name[0] == '/' || plan->cwd == NULL ? "" : plan->cwd;

		return (size_t)snprintf(
			   path, size, "%s%s%s", base, *base == '\0' ? "" : "/", name) < size &&
		       access(path, F_OK) == 0;
	}
	for (char *const *v = plan->rq->env; v != NULL && *v != NULL; v++)
		if (strncmp(*v, "PATH=", 5) == 0)
			dir = *v + 5;
	for (; dir != NULL && *dir != '\0'; dir += *dir == ':') {
		size_t n = strcspn(dir, ":");

		if (n > 0 && (size_t)snprintf(path, size, "%.*s/%s", (int)n, dir, name) < size &&
		    missing_is_program(path))
			return true;
		dir += n;
	}
	return false;
}

static bool missing_is_visible(const struct plan *plan, const char *path)
{
	return plan->view.count == 0 ||
	       view_shows(&plan->view, path); /* a backend without a view shows all */
}

/* The program that the kernel starts for this one: a #! line's, or the system's; empty: none. */
static void missing_read_interpreter(const char *path, char *interp, size_t size)
{
	char head[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head - 1);

	interp[0] = '\0';
	if (fd >= 0)
		(void)close(fd);
	if (n < 4)
		return;
	head[n] = '\0';
	if (head[0] == '#' && head[1] == '!') {
		const char *p = head + 2 + strspn(head + 2, " \t");

		(void)snprintf(interp, size, "%.*s", (int)strcspn(p, " \t\r\n"), p);
		return;
	}
	missing_os_interpreter(head, (size_t)n, interp, size);
}

void run_explain_missing(const struct plan *plan, struct err *e)
{
	char path[PATH_MAX], interp[PATH_MAX];

	/* Landlock says EACCES to what a mount namespace does not have at all */
	bool is_denied = e->kind == ERR_NOT_EXECUTABLE && e->errnum == EACCES;

	/* what an image holds is nothing that the host could tell */
	if ((e->kind != ERR_NOT_FOUND && !is_denied) || plan->backend->is_container ||
	    plan->rq->argv == NULL ||
	    !missing_find_on_host(plan, path, sizeof path))
		return;
	if (!missing_is_visible(plan, path)) {
		(void)err_set(e, ERR_NOT_FOUND,
		    "%s: exists at %s, not visible in the sandbox: add --ro %s", plan->rq->argv[0],
		    path, path);
		return;
	}
	missing_read_interpreter(path, interp, sizeof interp);
	if (interp[0] == '\0' || (is_denied && missing_is_visible(plan, interp)))
		return;
	if (access(interp, X_OK) != 0)
		(void)err_set(
		    e, ERR_NOT_FOUND, "%s: its interpreter %s does not exist", path, interp);
	else if (!missing_is_visible(plan, interp))
		(void)err_set(e, ERR_NOT_FOUND,
		    "%s: its interpreter exists at %s, not visible in the sandbox: add --ro %s",
		    path, interp, interp);
}
