/*
 * Where the calling process's own control groups are, one a hierarchy: /proc/self/cgroup names
 * them, mountinfo says which mount shows them (cgroups(7), cgroup_namespaces(7)). Read once a run;
 * nothing is created or changed here. Must not take a folder for a cgroup by its path alone:
 * something else may be mounted over it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

#include "../base/str.h"
#include "fd.h"
#include "linux_cgroup_priv.h"

/* As in /proc/self/cgroup and in the mount options of v1. */
static const char *const role_names[CGROUP_ROLES] = {
	[CGROUP_MEMORY] = "memory",
	[CGROUP_PIDS] = "pids",
	[CGROUP_CPU] = "cpu",
	[CGROUP_FREEZER] = "freezer",
	[CGROUP_CPUACCT] = "cpuacct",
};

static unsigned roles_of_list(const char *controllers)
{
	unsigned roles = 0;
	for (int role = 0; role < CGROUP_ROLES; role++)
		if (role_names[role] && mountinfo_has_word(controllers, role_names[role]))
			roles |= CGROUP_BIT(role);
	return roles;
}

/* "4:memory:/a/b", or "0::/a/b", which alone means v2. A path may hold colons. */
static void map_add_line(struct cgroup_map *map, char *line)
{
	char *controllers = strchr(line, ':');
	char *path = controllers ? strchr(controllers + 1, ':') : NULL;
	if (!path || map->count == CGROUP_ROLES)
		return;
	*controllers++ = '\0';
	*path++ = '\0';
	bool is_v2 = str_eq(line, "0") && *controllers == '\0';
	unsigned roles = is_v2 ? CGROUP_BIT(CGROUP_UNIFIED) : roles_of_list(controllers);
	if (roles)
		map->hierarchies[map->count++] =
		    (struct cgroup_hierarchy){ .roles = roles, .own_path = path };
}

/*
 * What is left of path below root, "" or "/a/b"; NULL: not below it. In a cgroup namespace both may
 * begin with "/..", once a level above the namespace's root; a "/.." that is left over leads out of
 * the mount.
 */
static const char *path_below(const char *root, const char *path)
{
	size_t len = str_eq(root, "/") ? 0 : strlen(root);
	if (strncmp(path, root, len) != 0 || (path[len] != '/' && path[len] != '\0'))
		return NULL;
	path += len;
	if (strncmp(path, "/..", 3) == 0 && (path[3] == '/' || path[3] == '\0'))
		return NULL;
	return str_eq(path, "/") ? "" : path;
}

/*
 * A later mount lies above an earlier one at the same place, so the last that fits wins; but a
 * writable one is better.
 */
static void map_add_mount(struct cgroup_map *map, const struct mountinfo_entry *m)
{
	unsigned roles = 0;
	if (str_eq(m->fs_type, "cgroup2"))
		roles = CGROUP_BIT(CGROUP_UNIFIED);
	else if (str_eq(m->fs_type, "cgroup"))
		roles = roles_of_list(m->super_options);
	for (size_t i = 0; i < map->count; i++) {
		struct cgroup_hierarchy *h = &map->hierarchies[i];
		const char *below = h->roles & roles ? path_below(m->root, h->own_path) : NULL;
		if (!below)
			continue;
		if (h->has_mount && mountinfo_has_word(m->options, "ro") &&
		    !mountinfo_has_word(h->mount.options, "ro"))
			continue;
		h->has_mount = true;
		h->mount = *m;
		h->below_mount = below;
	}
}

void cgroup_map_parse(struct cgroup_map *map)
{
	map->count = 0;
	char *line = map->self_text;
	for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		map_add_line(map, line);
	}
	struct mountinfo_entry m;
	size_t offset = 0;
	while (mountinfo_next(&map->mounts, &offset, &m))
		map_add_mount(map, &m);
}

int cgroup_map_load(struct cgroup_map *map, struct err *e)
{
	buf_init(&map->mounts, LIMIT_MOUNTINFO);
	ssize_t len =
	    fd_read_small(AT_FDCWD, "/proc/self/cgroup", map->self_text, sizeof map->self_text);
	if (len == -ENOENT)
		return err_set(e, ERR_IO,
		    "/proc/self/cgroup does not name our group: mount -t proc proc /proc");
	if (len < 0)
		return err_sys(e, ERR_IO, (int)-len, "read /proc/self/cgroup");
	if (mountinfo_load(&map->mounts, e) < 0)
		return -1;
	cgroup_map_parse(map);
	return 0;
}

void cgroup_map_fini(struct cgroup_map *map)
{
	buf_fini(&map->mounts);
}

const struct cgroup_hierarchy *cgroup_map_find(const struct cgroup_map *map, int role)
{
	for (size_t i = 0; i < map->count; i++)
		if (map->hierarchies[i].roles & CGROUP_BIT(role))
			return &map->hierarchies[i];
	return NULL;
}

int cgroup_open_checked(int dir_fd, const char *path)
{
	int fd = openat(dir_fd, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	struct statfs fs;
	if (fstatfs(fd, &fs) == 0 &&
	    (fs.f_type == CGROUP2_SUPER_MAGIC || fs.f_type == CGROUP_SUPER_MAGIC))
		return fd;
	fd_close(&fd);
	return -ENOENT;
}

int cgroup_open_own(const struct cgroup_hierarchy *h)
{
	if (!h->has_mount)
		return -ENOENT;
	char path[PATH_MAX];
	int len = snprintf(path, sizeof path, "%s%s", h->mount.mount_point, h->below_mount);
	if (len < 0 || (size_t)len >= sizeof path)
		return -ENAMETOOLONG;
	return cgroup_open_checked(AT_FDCWD, path);
}
