/* The file system view; see linux_mount.h. Nothing here allocates or prints. */
#include "linux_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux_mount_old.h"

/* not in every libc's header */
#define SBX_MS_RDONLY 1UL
#define SBX_MS_NOSUID 2UL
#define SBX_MS_NODEV 4UL
#define SBX_MS_NOEXEC 8UL
#define SBX_MS_BIND 4096UL
#define SBX_MS_MOVE 8192UL
#define SBX_MS_REC 16384UL
#define SBX_MS_PRIVATE (1UL << 18)
#define SBX_MNT_DETACH 2

static int sys_mount(
    const char *src, const char *dst, const char *type, unsigned long flags, const char *data)
{
	return syscall(SYS_mount, src, dst, type, flags, data) == 0 ? 0 : -errno;
}

bool mount_has_new_api(void)
{
	static int answer; /* 0: not asked, 1: yes, -1: no */

	if (answer == 0) {
		/* EBADF: it looked at the descriptor; ENOSYS: it is not there, or a filter says so
		 */
		(void)syscall(SYS_mount_setattr, -1, "", AT_EMPTY_PATH, NULL, 0);
		answer = errno == ENOSYS || errno == EPERM ? -1 : 1;
		if (answer == 1) {
			(void)syscall(SYS_open_tree, -1, "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW);
			answer = errno == ENOSYS ? -1 : 1;
		}
		if (answer == 1) {
			(void)syscall(SYS_move_mount, -1, "", -1, "", 0);
			answer = errno == ENOSYS ? -1 : 1;
		}
	}
	return answer == 1;
}

static uint64_t mount_attr_flags(unsigned flags)
{
	return MOUNT_ATTR_NOSUID | ((flags & MOUNT_READ_ONLY) != 0 ? MOUNT_ATTR_RDONLY : 0U) |
	       ((flags & MOUNT_NO_DEVICES) != 0 ? MOUNT_ATTR_NODEV : 0U) |
	       ((flags & MOUNT_NO_EXEC) != 0 ? MOUNT_ATTR_NOEXEC : 0U);
}

static unsigned long mount_old_flags(unsigned flags)
{
	return SBX_MS_NOSUID | ((flags & MOUNT_READ_ONLY) != 0 ? SBX_MS_RDONLY : 0U) |
	       ((flags & MOUNT_NO_DEVICES) != 0 ? SBX_MS_NODEV : 0U) |
	       ((flags & MOUNT_NO_EXEC) != 0 ? SBX_MS_NOEXEC : 0U);
}

static int mount_source_is_dir(struct mount_source *s)
{
	struct stat st;

	if (fstat(s->fd, &st) != 0)
		return -errno;
	s->is_dir = S_ISDIR(st.st_mode);
	return 0;
}

static int mount_tree_clone(
    struct mount_source *s, int dir_fd, const char *path, unsigned flags, int userns_fd)
{
	struct mount_attr attr;
	/* recursive attributes: a writable mount below a read-only one would stay writable
	   otherwise. AT_NO_AUTOMOUNT: naming a folder must not wake an automounter */
	unsigned at = AT_EMPTY_PATH | AT_RECURSIVE | AT_NO_AUTOMOUNT;

	s->fd = (int)syscall(SYS_open_tree, dir_fd, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | at);
	if (s->fd < 0)
		return -errno;
	s->is_tree = true;
	if ((flags & MOUNT_IS_DEVICE) != 0)
		return 0;
	memset(&attr, 0, sizeof attr);
	attr.attr_set = mount_attr_flags(flags);
	attr.propagation = SBX_MS_PRIVATE;
	if (userns_fd >= 0) {
		attr.attr_set |= MOUNT_ATTR_IDMAP;
		attr.userns_fd = (__u64)userns_fd;
	}
	if (syscall(SYS_mount_setattr, s->fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr,
		sizeof attr) != 0)
		return -errno;
	return mount_source_is_dir(s);
}

int mount_source_open(
    struct mount_source *s, int dir_fd, const char *path, unsigned flags, int userns_fd)
{
	int rc;

	s->flags = flags;
	s->is_tree = s->is_dir = false;
	if (mount_has_new_api()) {
		rc = mount_tree_clone(s, dir_fd, path, flags, userns_fd);
	} else if (userns_fd >= 0) {
		s->fd = -1;
		rc = -ENOSYS;
	} else if (*path == '\0') {
		s->fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 3);
		rc = s->fd < 0 ? -errno : mount_source_is_dir(s);
	} else {
		s->fd = openat(dir_fd, path, O_PATH | O_CLOEXEC);
		rc = s->fd < 0 ? -errno : mount_source_is_dir(s);
	}
	if (rc != 0)
		mount_source_close(s);
	return rc;
}

void mount_source_close(struct mount_source *s)
{
	if (s->fd >= 0)
		(void)close(s->fd);
	s->fd = -1;
}

/* Where to put the new root without the new API: any folder does, the namespace is ours alone. */
static int mount_new_root_old(void)
{
	static const char *const places[] = { "/tmp", "/run", "/mnt", "/usr", "/etc", "/dev",
		"/proc" };
	int rc = -ENOENT;

	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		rc = sys_mount("tmpfs", places[i], "tmpfs", SBX_MS_NOSUID | SBX_MS_NODEV,
		    "mode=0755,size=1m,nr_inodes=4096");
		if (rc == 0)
			return chdir(places[i]) == 0 ? 0 : -errno;
	}
	return rc;
}

static int mount_tmpfs_fd(const char *size, const char *inodes, const char *mode)
{
	int fs = (int)syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC);
	int fd;

	if (fs < 0)
		return -errno;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "size", size, 0) != 0 ||
	    syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "nr_inodes", inodes, 0) != 0 ||
	    syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "mode", mode, 0) != 0 ||
	    syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0)
		fd = -errno;
	else
		fd = (int)syscall(
		    SYS_fsmount, fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	if (fd == -1)
		fd = -errno;
	(void)close(fs);
	return fd;
}

int mount_new_root(void)
{
	int fd, rc = 0;

	if (!mount_has_new_api())
		return mount_new_root_old();
	fd = mount_tmpfs_fd("1m", "4096", "0755");
	if (fd == -ENOSYS)
		return mount_new_root_old();
	if (fd < 0)
		return fd;
	if (syscall(SYS_move_mount, fd, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) != 0 ||
	    fchdir(fd) != 0)
		rc = -errno;
	(void)close(fd);
	return rc;
}

int mount_pivot(bool *is_detachable)
{
	*is_detachable = true;
	if (syscall(SYS_pivot_root, ".", ".") == 0)
		return 0;
	if (errno != EINVAL && errno != EPERM && errno != ENOSYS)
		return -errno;
	/* EINVAL: the root is the initramfs, which has no parent to hang the old root on; the
	 * others: a container's filter lets everything through but this call (Docker's with
	 * CAP_SYS_ADMIN). switch_root(8) does the same */
	*is_detachable = false;
	(void)sys_mount(".", "/", NULL, SBX_MS_MOVE, NULL); /* it may lie on "/" already */
	if (chroot(".") != 0 || chdir("/") != 0)
		return -errno;
	return 0;
}

int mount_drop_old_root(void)
{
	/* "." is the new root, on which pivot_root(".", ".") has put the old one */
	if (syscall(SYS_umount2, ".", SBX_MNT_DETACH) != 0)
		return -errno;
	return chdir("/") == 0 ? 0 : -errno;
}

int mount_attach(struct mount_source *s, const char *dst)
{
	int rc = 0;

	if (!s->is_tree)
		rc = mount_old_bind(s->fd, s->is_dir, dst, mount_old_flags(s->flags));
	else if (syscall(SYS_move_mount, s->fd, "", AT_FDCWD, dst, MOVE_MOUNT_F_EMPTY_PATH) != 0)
		rc = -errno;
	mount_source_close(s);
	return rc;
}

int mount_tmpfs(
    const char *dst, uint64_t size_bytes, unsigned inodes, unsigned mode, unsigned flags)
{
	char data[96];

	(void)snprintf(data, sizeof data, "size=%llu,nr_inodes=%u,mode=%04o",
	    (unsigned long long)size_bytes, inodes, mode);
	return sys_mount("tmpfs", dst, "tmpfs", mount_old_flags(flags | MOUNT_NO_DEVICES), data);
}

#define PROC_SUPER_MAGIC_ 0x9fa0L

int mount_proc(const char *dst)
{
	struct statfs fs;
	int rc =
	    sys_mount("proc", dst, "proc", mount_old_flags(MOUNT_NO_DEVICES | MOUNT_NO_EXEC), NULL);

	if (rc != 0)
		return rc;
	/* masks and ptrace rules rely on this being procfs (CVE-2019-16884, CVE-2019-19921) */
	return statfs(dst, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC_ ? 0 : -ENOTSUP;
}

int mount_devpts(const char *dst)
{
	return sys_mount("devpts", dst, "devpts", SBX_MS_NOSUID | SBX_MS_NOEXEC,
	    "newinstance,ptmxmode=0666,mode=620");
}

int mount_bind_inside(const char *src, const char *dst, bool is_read_only)
{
	int rc = sys_mount(src, dst, NULL, SBX_MS_BIND, NULL);

	if (rc != 0 || !is_read_only)
		return rc;
	return mount_old_remount(dst, SBX_MS_RDONLY | SBX_MS_NOSUID);
}

int mount_set_read_only(const char *dst)
{
	struct mount_attr attr;

	if (!mount_has_new_api())
		return mount_old_remount(dst, SBX_MS_RDONLY | SBX_MS_NOSUID);
	memset(&attr, 0, sizeof attr);
	attr.attr_set = MOUNT_ATTR_RDONLY;
	return syscall(SYS_mount_setattr, AT_FDCWD, dst, 0, &attr, sizeof attr) == 0 ? 0 : -errno;
}

int mount_make_private(void)
{
	return sys_mount(NULL, "/", NULL, SBX_MS_REC | SBX_MS_PRIVATE, NULL);
}
