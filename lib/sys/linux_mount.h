/*
 * Building a file system view in a new mount namespace. The order is fixed: open every source as it
 * is outside (mount_source), make an empty root (mount_new_root), enter it (mount_pivot) and only
 * then attach the sources at their places: from there on no path, and no symbolic link in a folder
 * that a sandboxed program wrote, can lead outside (CVE-2021-30465 and its kind). The old root goes
 * away last (mount_drop_old_root), as a fresh /proc may only be mounted while another one is
 * visible (mount_namespaces(7)). New mount API (open_tree, move_mount, mount_setattr: 5.12) where
 * the kernel has it, else bind mounts through descriptors. Raw system calls; 0 or -errno.
 */
#ifndef SBX_SYS_LINUX_MOUNT_H
#define SBX_SYS_LINUX_MOUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	MOUNT_READ_ONLY = 1 << 0,
	MOUNT_NO_DEVICES = 1 << 1,
	MOUNT_NO_EXEC = 1 << 2,
	MOUNT_IS_DEVICE = 1 << 3, /* the source is a device file: nothing to set, nothing below */
	/* always: no set-id, private propagation */
};

struct mount_source {
	int fd; /* a detached tree (new API) or an O_PATH descriptor of the original (old API) */
	unsigned flags; /* MOUNT_… still to be set when it is attached (old API) */
	bool is_tree;
	bool is_dir;
};

/* Is the new API there (asked once)? */
bool mount_has_new_api(void);
/*
 * Take hold of path below dir_fd (AT_FDCWD; or path "" for dir_fd itself) with everything mounted
 * below it. userns_fd >= 0: with ids mapped by that user namespace (MOUNT_ATTR_IDMAP,
 * mount_setattr(2)); fails where a file system in the tree cannot.
 */
int mount_source_open(
    struct mount_source *s, int dir_fd, const char *path, unsigned flags, int userns_fd);
void mount_source_close(struct mount_source *s);

/* An empty tmpfs, attached somewhere and made the current folder. */
int mount_new_root(void);
/* Make the current folder the root; *is_detachable false: it had to be MS_MOVE + chroot (initramfs
 * root). */
int mount_pivot(bool *is_detachable);
int mount_drop_old_root(void);

int mount_attach(struct mount_source *s, const char *dst);
int mount_tmpfs(
    const char *dst, uint64_t size_bytes, unsigned inodes, unsigned mode, unsigned flags);
int mount_proc(const char *dst);
int mount_devpts(const char *dst);
/*
 * Bind src over dst, both inside the new root; read-only or as it is. One or two calls of the old
 * API, which for a single mount is the shorter way (what it cannot do is recursion).
 */
int mount_bind_inside(const char *src, const char *dst, bool is_read_only);
/* Make one mount (not what is below it) read-only. */
int mount_set_read_only(const char *dst);
/* Make every mount private where there is no user namespace that does so by itself. */
int mount_make_private(void);

#endif
