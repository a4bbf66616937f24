/* See tool.h. */
#include "tool.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan.h"

#define OVERFLOW_UID 65534U /* how a user namespace shows the outer root (user_namespaces(7)) */

static bool tool_is_program(const char *path, struct stat *st)
{
	return stat(path, st) == 0 && S_ISREG(st->st_mode) && access(path, X_OK) == 0;
}

static bool tool_is_trusted(const struct stat *st)
{
	return (st->st_uid == 0 || st->st_uid == OVERFLOW_UID) &&
	       (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

int tool_find(const struct sandbox_request *rq, const struct tool_kind *kind, char *path,
    size_t size, bool *is_set_id, struct err *e)
{
	const char *named = plan_host_env(rq, kind->variable);
	const char *dir = named != NULL ? "" : PLAN_DEFAULT_PATH;
	struct stat st;
	bool is_found = named != NULL && named[0] == '/' &&
			(size_t)snprintf(path, size, "%s", named) < size &&
			tool_is_program(path, &st);

	for (; !is_found && *dir != '\0'; dir += *dir == ':') {
		size_t n = strcspn(dir, ":");

		is_found =
		    (size_t)snprintf(path, size, "%.*s/%s", (int)n, dir, kind->name) < size &&
		    tool_is_program(path, &st) && tool_is_trusted(&st);
		dir += n;
	}
	if (!is_found)
		return err_set(e, ERR_REFUSED, "%s: no %s %s%s %s (%s)", kind->missing, kind->name,
		    named != NULL ? "at " : "in", named != NULL ? kind->variable : "",
		    named != NULL ? named : PLAN_DEFAULT_PATH, kind->remedy);
	if (is_set_id != NULL)
		*is_set_id = (st.st_mode & S_ISUID) != 0 && st.st_uid != geteuid();
	return 0;
}
