/*
 * rm -r for hostile trees. Depth: a folder that lies deeper than TREE_DEPTH is first moved up to
 * the top, so neither stack nor descriptors grow with the tree. Folders without permission bits are
 * opened after a chmod through their own descriptor's parent; everything goes by *at() calls with
 * O_NOFOLLOW.
 */
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TREE_DEPTH 32

static int tree_open(int parent_fd, const char *name)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(parent_fd, name, flags);

	/* mode 000: we own it, so make it ours to read; fchmodat follows no link here, as name is
	 * no link by now */
	if (fd < 0 && errno == EACCES && fchmodat(parent_fd, name, 0700, 0) == 0)
		fd = openat(parent_fd, name, flags);
	return fd;
}

static int tree_empty(int fd, int top_fd, dev_t dev, unsigned depth, unsigned long *moved);

static int tree_remove_entry(
    int fd, const char *name, int top_fd, dev_t dev, unsigned depth, unsigned long *moved)
{
	struct stat st;
	char up[32];
	int sub, rc;

	if (unlinkat(fd, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM) /* POSIX says EPERM for folders, Linux EISDIR */
		return -errno;
	if (unlinkat(fd, name, AT_REMOVEDIR) == 0)
		return 0;
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode) ||
	    st.st_dev != dev)
		return -EXDEV; /* a mount point: not ours to empty */
	if (depth >= TREE_DEPTH) {
		(void)snprintf(up, sizeof up, ".sbx-up-%lu", (*moved)++);
		/* moving a folder rewrites its "..": that needs write permission on the folder
		 * itself (rename(2)) */
		(void)fchmodat(fd, name, 0700, 0);
		return renameat(fd, name, top_fd, up) == 0 ? 0 : -errno;
	}
	sub = tree_open(fd, name);
	if (sub < 0)
		return -errno;
	(void)fchmod(sub, 0700);
	rc = tree_empty(sub, top_fd, dev, depth + 1, moved); /* closes sub */
	if (rc != 0)
		return rc;
	return unlinkat(fd, name, AT_REMOVEDIR) == 0 ? 0 : -errno;
}

/* Takes fd. Read again until a pass finds nothing: entries are removed, and moved up, while they
 * are listed. */
static int tree_empty(int fd, int top_fd, dev_t dev, unsigned depth, unsigned long *moved)
{
	DIR *d = fdopendir(fd);
	int rc = 0, rc_entry;
	bool is_changed = true;

	if (d == NULL) {
		(void)close(fd);
		return -ENOMEM;
	}
	while (is_changed) {
		struct dirent *de;

		is_changed = false;
		rc = 0;
		rewinddir(d);
		while ((de = readdir(d)) != NULL) {
			if (strcmp(de->d_name, ".") == 0 || strcmp(de->d_name, "..") == 0)
				continue;
			rc_entry = tree_remove_entry(fd, de->d_name, top_fd, dev, depth, moved);
			if (rc_entry != 0)
				rc = rc_entry;
			else
				is_changed = true;
		}
	}
	(void)closedir(d);
	return rc;
}

int tree_remove(int parent_fd, const char *name)
{
	struct stat st;
	unsigned long moved = 0;
	int fd, top, rc;

	if (unlinkat(parent_fd, name, AT_REMOVEDIR) == 0) /* empty, as most are */
		return 0;
	fd = tree_open(parent_fd, name);
	if (fd < 0)
		return -errno;
	(void)fchmod(fd, 0700);
	top = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (top < 0 || fstat(fd, &st) != 0) {
		(void)close(fd);
		return -errno;
	}
	rc = tree_empty(fd, top, st.st_dev, 0, &moved);
	(void)close(top);
	if (rc == 0 && unlinkat(parent_fd, name, AT_REMOVEDIR) != 0)
		rc = -errno;
	return rc;
}
