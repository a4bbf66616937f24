/*
 * Where else could something be written? An image may declare volumes, an engine's configuration
 * may add mounts, and neither asks the one who starts the container. Landlock denies them; where
 * the kernel has none, this refuses to start.
 */
#include <string.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../sys/linux_landlock.h"
#include "../sys/linux_mountinfo.h"
#include "init.h"

/* Of the kernel's own making, which container engines mount themselves: nothing in them is a file
 * of the command's. */
static bool is_kernels(const struct mountinfo_entry *m)
{
	static const char *const types[] = { "proc", "sysfs", "devpts", "mqueue", "cgroup",
		"cgroup2", "devtmpfs" };

	for (size_t i = 0; i < MEM_COUNT(types); i++)
		if (strcmp(m->fs_type, types[i]) == 0)
			return true;
	return view_path_is_below(m->mount_point, "/dev") ||
	       view_path_is_below(m->mount_point, "/proc") ||
	       view_path_is_below(m->mount_point, "/sys");
}

static bool is_asked_for(const struct plan *p, const char *path)
{
	for (size_t i = 0; i < p->rule_count; i++)
		if (p->rules[i].access == LANDLOCK_READ_WRITE &&
		    view_path_is_below(path, p->rules[i].path))
			return true;
	return false;
}

int init_check_mounts(const struct plan *p, struct err *e)
{
	struct mountinfo_entry m;
	struct buf table;
	size_t at = 0;
	int errnum, rc;

	if (landlock_abi(&errnum) != 0)
		return 0;
	buf_init(&table, LIMIT_MOUNTINFO);
	rc = mountinfo_load(&table, e);
	while (rc == 0 && mountinfo_next(&table, &at, &m))
		if (mountinfo_has_word(m.options, "rw") && !is_kernels(&m) &&
		    !is_asked_for(p, m.mount_point))
			rc = err_set(e, ERR_REFUSED,
			    "%s can be written, by the image or the engine's configuration (a "
			    "volume), and this kernel has no Landlock to deny it; nothing was run",
			    m.mount_point);
	buf_fini(&table);
	return rc;
}
