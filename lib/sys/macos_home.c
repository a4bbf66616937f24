/* macOS: Directory Services know (getpwuid(3)); /etc/passwd is for single-user mode. */
#include <limits.h>
#include <pwd.h>
#include <string.h>

#include "home_os.h"

bool home_os_of(uid_t uid, char *home)
{
	const struct passwd *pw = getpwuid(uid);

	return pw != NULL && pw->pw_dir != NULL && strlcpy(home, pw->pw_dir, PATH_MAX) < PATH_MAX;
}
