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
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/limits.h"
#include "linux_mountinfo.h"

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

static bool old_has_flags(const char *point, unsigned long flags)
{
	struct statvfs st;

	if (statvfs(point, &st) != 0)
		return errno == ENOENT;
	return (flags & 1UL) == 0 || (st.f_flag & ST_RDONLY) != 0;
}

static int old_remount_below(const char *dst, unsigned long flags)
{
	struct mountinfo_entry m;
	struct buf table;
	size_t len = strlen(dst), at = 0;
	struct err e = ERR_INIT;
	int rc = 0;

	buf_init(&table, LIMIT_MOUNTINFO);
	if (mountinfo_load(&table, &e) != 0)
		rc = e.errnum != 0 ? -e.errnum : -E2BIG;
	while (rc == 0 && mountinfo_next(&table, &at, &m)) {
		if (strncmp(m.mount_point, dst, len) != 0 || m.mount_point[len] != '/')
			continue;
		rc = mount_old_remount(m.mount_point, flags);
		/* covered by another mount or gone: nobody inside reaches it; what can be reached
		 * must have the flags */
		if (rc != 0 && old_has_flags(m.mount_point, flags))
			rc = 0;
	}
	buf_fini(&table);
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
