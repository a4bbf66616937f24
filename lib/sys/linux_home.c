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

/* Field i of the line that ends at end, and its length; NULL: the line has less. */
static const char *passwd_field(const char *line, const char *end, int i, size_t *len)
{
	const char *colon;

	while ((colon = memchr(line, ':', (size_t)(end - line))) != NULL && i-- > 0)
		line = colon + 1;
	*len = (size_t)((colon == NULL ? end : colon) - line);
	return i > 0 ? NULL : line;
}

static bool passwd_is_uid(const char *field, size_t len, uid_t uid)
{
	const char *end = field;
	uint64_t n;

	return str_take_u64(&end, &n) == 0 && end == field + len && n == uid;
}

bool home_in_passwd(const char *text, size_t size, uid_t uid, char *home)
{
	const char *const end = text + size;
	size_t len;

	for (const char *eol, *line = text; line < end; line = eol + 1) {
		const char *field;

		eol = memchr(line, '\n', (size_t)(end - line));
		if (eol == NULL)
			eol = end;
		field = passwd_field(line, eol, PASSWD_UID, &len);
		if (field == NULL || !passwd_is_uid(field, len, uid))
			continue;
		field = passwd_field(line, eol, PASSWD_DIRECTORY, &len);
		/* a line that says nothing is not the last word */
		if (field == NULL || len == 0 || len >= PATH_MAX ||
		    memchr(field, '\0', len) != NULL)
			continue;
		memcpy(home, field, len);
		home[len] = '\0';
		return true;
	}
	return false;
}

bool home_os_of(uid_t uid, char *home)
{
	struct buf text;
	const char *s;
	bool found = false;

	buf_init(&text, LIMIT_PASSWD);
	if (fd_read_regular(NULL, "/etc/passwd", &text, NULL) == 0 &&
	    (s = buf_str(&text, NULL)) != NULL)
		found = home_in_passwd(s, text.len, uid, home);
	buf_fini(&text);
	return found;
}
