/*
 * /proc/self/mountinfo, as proc_pid_mountinfo(5) describes it: read once into a capped buffer, then
 * walked in place. The mount table is as long as the machine's owner likes (5,000 mounts are 1 MiB
 * and milliseconds of kernel time), so a caller reads it once and asks everything of that one copy.
 */
#ifndef SBX_SYS_LINUX_MOUNTINFO_H
#define SBX_SYS_LINUX_MOUNTINFO_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/buf.h"
#include "../base/err.h"

struct mountinfo_entry { /* strings point into the buffer, octal escapes are undone */
	int mount_id;
	int parent_id;
	const char *root;          /* within its file system; as the cgroup namespace sees it */
	const char *mount_point;   /* below this process's root */
	const char *options;       /* of this mount: "rw,nosuid" */
	const char *fs_type;
	const char *source;
	const char *super_options; /* of the file system; cgroup v1: names its controllers */
};

/* Read the table of this process into b, whose cap is LIMIT_MOUNTINFO. -1: ERR_IO, ERR_NOMEM. */
int mountinfo_load(struct buf *b, struct err *e);
/*
 * The entry at *offset (start with 0), which moves on. Writes into b: one walk a load. Lines that
 * are not of the documented form are passed over. False at the end. The entry is valid until b
 * changes.
 */
bool mountinfo_next(struct buf *b, size_t *offset, struct mountinfo_entry *m);
/* Is name one of the comma-separated words of list? */
bool mountinfo_has_word(const char *list, const char *name);

#endif
