/* See self.h. */
#include "self.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "path.h"
#include "self_os.h"

int self_path(const char *named, char *path, struct err *e)
{
	if (named == NULL)
		named = self_os_name();
	if (named != NULL && path_resolve(named, path) && access(path, X_OK) == 0)
		return 0;
	return err_set(e, ERR_SETUP,
	    "cannot find our own program; mount /proc or start it by its path");
}
