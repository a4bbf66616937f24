/*
 * Aliases by bind mounts, from /proc/self/mountinfo: the mount in which a path lies says where it
 * is in its file system; every other mount that shows that part of the file system gives it another
 * name. Each candidate is checked by device and inode number, so a covered mount counts for
 * nothing.
 */
#include "alias.h"

#include <string.h>
#include <sys/stat.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../sys/linux_mountinfo.h"
#include "../sys/path.h"

/* Where path is within its file system, by the last mount (the topmost) that holds it; owned. */
static char *alias_place(const char *path, struct err *e)
{
	struct mountinfo_entry m;
	struct buf table;
	size_t offset = 0, longest = 0;
	char *place = NULL;

	buf_init(&table, LIMIT_MOUNTINFO);
	if (mountinfo_load(&table, e) != 0) {
		buf_fini(&table);
		return NULL;
	}
	while (mountinfo_next(&table, &offset, &m)) {
		const char *rest = path_below(path, m.mount_point);

		if (rest == NULL || strlen(m.mount_point) < longest)
			continue;
		longest = strlen(m.mount_point);
		mem_cleanup_free(&place);
		place = mem_printf(e, "%s%s%s", strcmp(m.root, "/") == 0 ? "" : m.root,
		    *rest == '\0' ? "" : "/", rest);
		if (place == NULL)
			break;
	}
	buf_fini(&table);
	return place;
}

static int alias_try(const struct mountinfo_entry *m, const char *place, const struct stat *want,
    struct strv *out, struct err *e)
{
	const char *rest = path_below(*place == '\0' ? "/" : place, m->root);
	MEM_AUTOFREE char *path = NULL;
	struct stat st;

	if (rest == NULL)
		return 0;
	path = mem_printf(e, "%s%s%s", strcmp(m->mount_point, "/") == 0 ? "" : m->mount_point,
	    *rest == '\0' && strcmp(m->mount_point, "/") != 0 ? "" : "/", rest);
	if (path == NULL)
		return -1;
	if (stat(path, &st) != 0 || st.st_dev != want->st_dev || st.st_ino != want->st_ino)
		return 0;
	return strv_has(out, path) ? 0 : strv_add(out, path, e);
}

int alias_find(const char *real, struct strv *out, struct err *e)
{
	struct err ignored = ERR_INIT;
	MEM_AUTOFREE char *place = alias_place(real, &ignored);
	struct mountinfo_entry m;
	struct stat want;
	struct buf table;
	size_t offset = 0;
	int rc = 0;

	if (place == NULL || stat(real, &want) != 0)
		return ignored.kind == ERR_NOMEM ? err_set(e, ERR_NOMEM, "out of memory") : 0;
	buf_init(&table, LIMIT_MOUNTINFO);
	rc = mountinfo_load(&table, e);
	while (rc == 0 && mountinfo_next(&table, &offset, &m))
		rc = alias_try(&m, place, &want, out, e);
	buf_fini(&table);
	return rc;
}
