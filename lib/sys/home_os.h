/* Where the system says that a user's home folder is. */
#ifndef SBX_SYS_HOME_OS_H
#define SBX_SYS_HOME_OS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Into home[PATH_MAX]; false: the system does not say. Linux: from passwd(5) and nothing else, as
 * in other static programs: what NSS (LDAP, systemd-homed) knows besides is told by HOME.
 */
bool home_os_of(uid_t uid, char *home);

/* Linux, for its test: the same from the text of a passwd(5) file, with a NUL behind it. */
bool home_in_passwd(const char *text, size_t size, uid_t uid, char *home);

#endif
