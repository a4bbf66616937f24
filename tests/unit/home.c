/* Home folders of passwd(5): the parser of Linux, and the real file. */
#include <limits.h>
#include <pwd.h>
#include <unistd.h>

#include "../../lib/sys/home_os.h"
#include "tap.h"

static const char passwd[] =
    "root:x:0:0:root:/root:/bin/sh\n"
    "daemon:x:1:1::/usr/sbin:/usr/sbin/nologin\n"
    "\n"
    "# a comment: of 5:5\n"
    "short:x:7\n"
    "nohome:x:8:8:::/bin/sh\n"
    "letters:x:9x:9::/letters:\n"
    "minus:x:-2:9::/minus:\n"
    "huge:x:18446744073709551617:1::/huge:\n"
    "wide:x:4294967297:1::/wide:\n"
    "empty:x::1::/empty:\n"
    "+::::::\n"
    "once:x:1003\n"
    "once:x:1003:1:\n"
    "once:x:1003:1::/no\0/home:\n"
    "once:x:1003:1::/home/once:\n"
    "n\0l:x:1004:1:\0:/home/nul:\n"
    "\0:\0:\n\0\n"
    "first:x:1000:1000:A, B:/home/first:/bin/sh\n"
    "second:x:1000:1000::/home/second:/bin/sh\n"
    "crlf:x:1001:1001::/home/crlf:/bin/sh\r\n"
    "last:x:1002:1002::/home/last"; /* no shell, no end of line */

static const struct {
	uid_t uid;
	const char *home; /* NULL: none */
} cases[] = {
	{ 0, "/root" },
	{ 1, "/usr/sbin" }, /* wide is no second user 1, nor is huge */
	{ 2, NULL },
	{ 5, NULL },
	{ 7, NULL },
	{ 8, NULL },
	{ 9, NULL },
	{ 1000, "/home/first" },
	{ 1001, "/home/crlf" },
	{ 1002, "/home/last" },
	{ 1003, "/home/once" }, /* what its other lines say is no folder */
	{ 1004, "/home/nul" },
	{ (uid_t)-2, NULL },
	{ (uid_t)-1, NULL },
};

static void test_long(void)
{
	char text[PATH_MAX + 64], home[PATH_MAX];

	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	memcpy(text, "u:x:3:3::/", 10);
	ok(!home_in_passwd(text, sizeof text - 1, 3, home),
	    "a folder longer than any path is none");
	text[9 + PATH_MAX - 1] = '\0';
	ok(home_in_passwd(text, strlen(text), 3, home) && strlen(home) == PATH_MAX - 1,
	    "the longest path is one");
}

int main(void)
{
	char home[PATH_MAX];
	const struct passwd *pw;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		bool found = home_in_passwd(passwd, sizeof passwd - 1, cases[i].uid, home);

		is_str(found ? home : NULL, cases[i].home, "user %ld", (long)cases[i].uid);
	}
	ok(!home_in_passwd("", 0, 0, home), "an empty file");
	test_long();
	for (uid_t uid = 0; uid < 70000; uid += uid < 100 ? 1 : 65434) {
		char what[32];

		pw = getpwuid(uid);
		(void)snprintf(what, sizeof what, "getpwuid(%ld)", (long)uid);
		is_str(home_os_of(uid, home) ? home : NULL, pw == NULL ? NULL : pw->pw_dir,
		    "what libc reads: %s", what);
	}
	return done_testing();
}
