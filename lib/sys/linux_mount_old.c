/*
 * Bind mounts the old way. A folder is bound from the current folder (fchdir), so that no path is
 * walked again; a file through /proc/self/fd, which is there by then: the view mounts /proc first.
 * MS_REC does not reach into a remount, so each mount below the copy is remounted by itself, from
 * /proc/self/mountinfo.
 */
#include "linux_mount_old.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SBX_MS_REMOUNT 32UL
#define SBX_MS_NOATIME 1024UL
#define SBX_MS_NODIRATIME 2048UL
#define SBX_MS_BIND 4096UL
#define SBX_MS_REC 16384UL
#define SBX_MS_PRIVATE (1UL << 18)
#define SBX_MS_RELATIME (1UL << 21)

static int old_mount(const char *src, const char *dst, unsigned long flags)
{
	return syscall(SYS_mount, src, dst, NULL, flags, NULL) == 0 ? 0 : -errno;
}

int mount_old_remount(const char *dst, unsigned long flags)
{
	static const struct {
		unsigned long st, ms;
	} keep[] = {
		{ ST_RDONLY, 1UL },
		{ ST_NOSUID, 2UL },
		{ ST_NODEV, 4UL },
		{ ST_NOEXEC, 8UL },
		{ ST_NOATIME, SBX_MS_NOATIME },
		{ ST_NODIRATIME, SBX_MS_NODIRATIME },
		{ ST_RELATIME, SBX_MS_RELATIME },
	};
	struct statvfs st;

	if (statvfs(dst, &st) != 0)
		return -errno;
	for (size_t i = 0; i < sizeof keep / sizeof keep[0]; i++)
		if ((st.f_flag & keep[i].st) != 0)
			flags |= keep[i].ms;
	return old_mount(NULL, dst, flags | SBX_MS_BIND | SBX_MS_REMOUNT);
}

/* proc_pid_mountinfo(5): space, tab, newline and backslash are \ooo */
static void old_unescape(char *s)
{
	char *out = s;

	while (*s != '\0') {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
		    s[3] >= '0' && s[3] <= '7') {
			*out++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 4;
		} else {
			*out++ = *s++;
		}
	}
	*out = '\0';
}

/* The mount point (field 5) of a mountinfo line, unescaped in place; NULL: malformed. */
static char *old_mount_point(char *line)
{
	char *save = NULL, *field = NULL;

	for (int i = 0; i < 5; i++) {
		field = strtok_r(i == 0 ? line : NULL, " ", &save);
		if (field == NULL)
			return NULL;
	}
	old_unescape(field);
	return field;
}

static bool old_has_flags(const char *point, unsigned long flags)
{
	struct statvfs st;

	if (statvfs(point, &st) != 0)
		return errno == ENOENT;
	return (flags & 1UL) == 0 || (st.f_flag & ST_RDONLY) != 0;
}

static int old_remount_below(const char *dst, unsigned long flags)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	size_t len = strlen(dst), size = 0;
	char *line = NULL, *point;
	int rc = 0;

	if (f == NULL)
		return -errno;
	while (rc == 0 && getline(&line, &size, f) > 0) {
		point = old_mount_point(line);
		if (point == NULL || strncmp(point, dst, len) != 0 || point[len] != '/')
			continue;
		rc = mount_old_remount(point, flags);
		/* covered by another mount or gone: nobody inside reaches it; what can be reached
		 * must have the flags */
		if (rc != 0 && old_has_flags(point, flags))
			rc = 0;
	}
	free(line);
	(void)fclose(f);
	return rc;
}

int mount_old_bind(int fd, bool is_dir, const char *dst, unsigned long flags)
{
	char src[48] = ".";
	int cwd_fd, rc;

	if (is_dir) {
		cwd_fd = open(".", O_PATH | O_CLOEXEC);
		if (cwd_fd < 0)
			return -errno;
		rc = fchdir(fd) != 0 ? -errno : old_mount(src, dst, SBX_MS_BIND | SBX_MS_REC);
		if (fchdir(cwd_fd) != 0 && rc == 0)
			rc = -errno;
		(void)close(cwd_fd);
	} else {
		(void)snprintf(src, sizeof src, "/proc/self/fd/%d", fd);
		rc = old_mount(src, dst, SBX_MS_BIND | SBX_MS_REC);
	}
	if (rc == 0)
		rc = old_mount(NULL, dst, SBX_MS_REC | SBX_MS_PRIVATE);
	if (rc == 0)
		rc = mount_old_remount(dst, flags);
	if (rc == 0 && is_dir)
		rc = old_remount_below(dst, flags);
	return rc;
}
