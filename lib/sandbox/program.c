/* Tools by name; see program.h. */
#include "program.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "plan.h"

#define OVERFLOW_UID 65534U /* how a user namespace shows the outer root (user_namespaces(7)) */

static bool is_trusted(const char *path, struct stat *st)
{
	return stat(path, st) == 0 && S_ISREG(st->st_mode) &&
	       (st->st_uid == 0 || st->st_uid == OVERFLOW_UID) &&
	       (st->st_mode & (S_IWGRP | S_IWOTH)) == 0 && access(path, X_OK) == 0;
}

int program_find(const char *name, char *path, size_t size, struct stat *st)
{
	for (const char *dir = PLAN_DEFAULT_PATH; *dir != '\0'; dir += *dir == ':') {
		size_t n = strcspn(dir, ":");

		if ((size_t)snprintf(path, size, "%.*s/%s", (int)n, dir, name) < size &&
		    is_trusted(path, st))
			return 0;
		dir += n;
	}
	return -1;
}

int program_check(const char *named, char *path, size_t size, struct stat *st)
{
	return named[0] == '/' && (size_t)snprintf(path, size, "%s", named) < size &&
		       stat(path, st) == 0 && S_ISREG(st->st_mode) && access(path, X_OK) == 0 ?
		   0 :
		   -1;
}
