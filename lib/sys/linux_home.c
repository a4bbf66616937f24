/*
 * Linux: passwd(5), NAME:PASSWORD:UID:GID:GECOS:DIRECTORY:SHELL. Not by getpwuid(3): a socket of
 * nscd would be asked too, by code that is four times as long as this.
 */
#include "home_os.h"

#include <limits.h>
#include <string.h>

#include "../base/limits.h"
#include "../base/str.h"
#include "fd.h"

enum { PASSWD_UID = 2, PASSWD_DIRECTORY = 5 };

/* Field i of a line, and its length; NULL: the line has less. */
static const char *passwd_field(const char *line, int i, size_t *len)
{
	for (; i > 0; i--) {
		line += strcspn(line, ":\n");
		if (*line++ != ':')
			return NULL;
	}
	*len = strcspn(line, ":\n");
	return line;
}

static bool passwd_is_uid(const char *field, size_t len, uid_t uid)
{
	const char *end = field;
	uint64_t n;

	return str_take_u64(&end, &n) == 0 && end == field + len && n == uid;
}

bool home_in_passwd(const char *text, uid_t uid, char *home)
{
	size_t len;

	for (const char *line = text; *line != '\0'; line += *line != '\0') {
		const char *field = passwd_field(line, PASSWD_UID, &len);

		if (field != NULL && passwd_is_uid(field, len, uid)) {
			field = passwd_field(line, PASSWD_DIRECTORY, &len);
			if (field == NULL || len == 0 || len >= PATH_MAX)
				return false;
			memcpy(home, field, len);
			home[len] = '\0';
			return true;
		}
		line += strcspn(line, "\n");
	}
	return false;
}

bool home_os_of(uid_t uid, char *home)
{
	struct buf text;
	const char *s;
	bool found = false;

	buf_init(&text, LIMIT_PASSWD);
	if (fd_read_regular("/etc/passwd", &text, NULL) == 0 && (s = buf_str(&text, NULL)) != NULL)
		found = home_in_passwd(s, uid, home);
	buf_fini(&text);
	return found;
}
