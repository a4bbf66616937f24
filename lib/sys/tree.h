/* Removing a folder that hostile code has filled: no symbolic link is followed, depth and count
 * have no limit. */
#ifndef SBX_SYS_TREE_H
#define SBX_SYS_TREE_H

/* Remove name below parent_fd and everything in it, staying on its file system. 0 or -errno of what
 * could not go. */
int tree_remove(int parent_fd, const char *name);

#endif
