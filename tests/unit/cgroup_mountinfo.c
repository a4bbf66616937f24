/*
 * The parsers in front of control groups, on given text: mountinfo lines (proc_pid_mountinfo(5))
 * and the join of /proc/self/cgroup with the mounts (cgroups(7), cgroup_namespaces(7)). Needs no
 * privilege and no cgroup.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>

#include "lib/sys/linux_cgroup_priv.h"
#include "lib/sys/linux_mountinfo.h"
#include "tap.h"

static struct buf buf_of(const char *text)
{
	struct buf b;

	buf_init(&b, LIMIT_MOUNTINFO);
	if (buf_puts(&b, text, NULL) < 0)
		BAIL("no memory");
	return b;
}

static void test_fields(void)
{
	struct buf b = buf_of("36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 shared:7 - ext3 "
			      "/dev/root rw,errors=continue\n"
			      "37 36 0:5 / /a\\040b\\011c\\012d\\134e\\043 ro - tmpfs  rw\n"
			      "38 36 0:6 / /x rw - fuse.sshfs me@host:/d rw\n");
	struct mountinfo_entry m;
	size_t offset = 0;

	ok(mountinfo_next(&b, &offset, &m), "the first entry");
	is_int(m.mount_id, 36, "mount id");
	is_int(m.parent_id, 35, "parent id");
	is_str(m.root, "/mnt1", "root");
	is_str(m.mount_point, "/mnt2", "mount point");
	is_str(m.options, "rw,noatime", "options");
	is_str(m.fs_type, "ext3", "type behind two optional fields");
	is_str(m.source, "/dev/root", "source");
	is_str(m.super_options, "rw,errors=continue", "options of the file system");
	ok(mountinfo_next(&b, &offset, &m), "the second entry");
	is_str(m.mount_point, "/a b\tc\nd\\e#", "octal escapes are undone");
	is_str(m.fs_type, "tmpfs", "type without optional fields");
	is_str(m.source, "", "a source may be empty");
	ok(mountinfo_next(&b, &offset, &m), "the third entry");
	is_str(m.fs_type, "fuse.sshfs", "a type with a dot");
	ok(!mountinfo_next(&b, &offset, &m), "the end");
	ok(!mountinfo_next(&b, &offset, &m), "still the end");
	buf_fini(&b);
}

static void test_bad_lines(void)
{
	static const char *const bad[] = {
		"",
		"\n",
		"36\n",
		"36 35 98:0 / /mnt rw\n",
		"36 35 98:0 / /mnt rw -\n",
		"36 35 98:0 / /mnt rw - ext4\n",
		"36 35 98:0 / /mnt rw - ext4 src\n",
		"x 35 98:0 / /mnt rw - ext4 src rw\n",
		"-1 35 98:0 / /mnt rw - ext4 src rw\n",
		"99999999999 35 98:0 / /mnt rw - ext4 src rw\n",
		" 35 98:0 / /mnt rw - ext4 src rw\n",
		"36 35 98:0 / /mnt rw - ext4 src rw" /* cut: no newline */,
		"36 35 98:0 / /mnt rw shared:1 ext4 src rw\n",
	};
	struct mountinfo_entry m;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct buf b = buf_of(bad[i]);
		size_t offset = 0;
		ok(!mountinfo_next(&b, &offset, &m), "bad line %zu gives no entry", i);
		buf_fini(&b);
	}
	struct buf b = buf_of("rubbish\n36 35 98:0 / /mnt\\04 rw - ext4 src\\9 rw\n");
	size_t offset = 0;
	ok(mountinfo_next(&b, &offset, &m), "a bad line is passed over");
	is_str(m.mount_point, "/mnt\\04", "half an escape stays as it is");
	is_str(m.source, "src\\9", "and so does a wrong one");
	buf_fini(&b);
}

static void test_words(void)
{
	ok(mountinfo_has_word("rw,cpu,cpuacct", "cpu"), "cpu is in the list");
	ok(mountinfo_has_word("rw,cpu,cpuacct", "cpuacct"), "cpuacct is in the list");
	ok(!mountinfo_has_word("rw,cpuacct", "cpu"), "cpu is not cpuacct");
	ok(!mountinfo_has_word("rw,xcpu", "cpu"), "nor xcpu");
	ok(mountinfo_has_word("memory", "memory"), "a list of one");
	ok(!mountinfo_has_word("", "memory"), "an empty list");
}

static void test_load(void)
{
	struct buf b;
	struct err e = ERR_INIT;
	struct mountinfo_entry m;
	size_t offset = 0;
	bool has_root = false;

	buf_init(&b, LIMIT_MOUNTINFO);
	is_int(mountinfo_load(&b, &e), 0, "the table of this process: %s", e.msg);
	while (mountinfo_next(&b, &offset, &m))
		has_root = has_root || strcmp(m.mount_point, "/") == 0;
	ok(has_root, "it has a root");
	buf_fini(&b);
	buf_init(&b, 10);
	is_int(mountinfo_load(&b, &e), -1, "a table above the cap is an error");
	ok(strstr(e.msg, "mountinfo") != NULL, "which says what was read: %s", e.msg);
	buf_fini(&b);
}

/* Join the two texts; below: where the mount shows the hierarchy of role, NULL if none does. */
static struct cgroup_map *map_of(const char *self, const char *mounts)
{
	struct cgroup_map *map = calloc(1, sizeof *map);

	if (!map || strlen(self) >= sizeof map->self_text)
		BAIL("no memory");
	memcpy(map->self_text, self, strlen(self) + 1);
	map->mounts = buf_of(mounts);
	cgroup_map_parse(map);
	return map;
}

static void map_free(struct cgroup_map *map)
{
	cgroup_map_fini(map);
	free(map);
}

static void test_map_v1(void)
{
	struct cgroup_map *map = map_of("12:cpu,cpuacct:/user.slice\n9:name=memory:/odd\n7:memory:/"
					"a/b:c\n5:pids:/docker/1\n3:blkio:/\n0::/\n",
	    "20 1 0:1 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
	    "21 1 0:2 /a /cg/mem ro - cgroup cgroup rw,memory\n"
	    "22 1 0:3 /docker/2 /cg/pids rw - cgroup cgroup rw,pids\n"
	    "23 1 0:4 / /cg/unified rw - cgroup2 cgroup2 rw\n");
	const struct cgroup_hierarchy *h = cgroup_map_find(map, CGROUP_CPU);

	ok(h && h == cgroup_map_find(map, CGROUP_CPUACCT), "two controllers of one hierarchy");
	is_str(h->below_mount, "/user.slice", "the whole hierarchy is mounted");
	h = cgroup_map_find(map, CGROUP_MEMORY);
	is_str(h->own_path, "/a/b:c", "name=memory is no controller, and a path may hold a colon");
	is_str(h->below_mount, "/b:c", "a part of the hierarchy is mounted");
	is_str(h->mount.mount_point, "/cg/mem", "there");
	h = cgroup_map_find(map, CGROUP_PIDS);
	ok(h && !h->has_mount, "our group is not below the mount of another one");
	h = cgroup_map_find(map, CGROUP_UNIFIED);
	is_str(h->below_mount, "", "v2: our group is the root of the mount");
	ok(!cgroup_map_find(map, CGROUP_FREEZER), "no freezer on this machine");
	map_free(map);
}

static void test_map_namespaces(void)
{
	static const struct {
		const char *own, *root, *below;
	} cases[] = {
		{ "/", "/", "" },
		{ "/a", "/", "/a" },
		{ "/a/b", "/a/b", "" },
		{ "/ab", "/a", NULL },
		{ "/a", "/a/b", NULL },
		{ "/", "/..", NULL }, /* the mount is of a group above the namespace: our name in it
					 is hidden */
		{ "/../x", "/..", "/x" },
		{ "/../x", "/", NULL }, /* our group is outside what the mount shows */
		{ "/..", "/", NULL },
		{ "/../../x", "/..", NULL }, /* a cousin */
		{ "/..x", "/", "/..x" },     /* a name that only looks so */
		{ "/a (deleted)", "/", "/a (deleted)" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char self[100], mount[200];
		snprintf(self, sizeof self, "0::%s\n", cases[i].own);
		snprintf(
		    mount, sizeof mount, "20 1 0:1 %s /cg rw - cgroup2 none rw\n", cases[i].root);
		struct cgroup_map *map = map_of(self, mount);
		const struct cgroup_hierarchy *h = cgroup_map_find(map, CGROUP_UNIFIED);
		is_str(h && h->has_mount ? h->below_mount : NULL, cases[i].below,
		    "group %s in a mount of %s", cases[i].own, cases[i].root);
		map_free(map);
	}
}

static void test_map_choice(void)
{
	struct cgroup_map *map = map_of("0::/a\n",
	    "20 1 0:1 / /one rw - cgroup2 none rw\n"
	    "21 1 0:1 / /two rw - cgroup2 none rw\n"
	    "22 1 0:1 / /three ro - cgroup2 none rw\n");

	is_str(cgroup_map_find(map, CGROUP_UNIFIED)->mount.mount_point, "/two",
	    "the last writable mount is taken: it is the one on top");
	map_free(map);
	map = map_of("0::/a\n", "20 1 0:1 / /one ro - cgroup2 none rw\n");
	ok(cgroup_map_find(map, CGROUP_UNIFIED)->has_mount,
	    "a read-only one is better than none: mkdir says why");
	map_free(map);
	map = map_of("garbage\n:\n::\n0:\n0::/x\n0::/y", "\n");
	is_int(map->count, 1, "broken lines of /proc/self/cgroup are passed over");
	map_free(map);
}

static void test_open_checked(void)
{
	is_int(cgroup_open_checked(AT_FDCWD, "/tmp"), -ENOENT,
	    "a folder of another file system is no cgroup");
	is_int(
	    cgroup_open_checked(AT_FDCWD, "/nonexistent"), -ENOENT, "nor is one that is not there");
	is_int(cgroup_open_checked(AT_FDCWD, "/proc/self/cgroup"), -ENOTDIR, "nor is a file");
}

int main(void)
{
	test_fields();
	test_bad_lines();
	test_words();
	test_load();
	test_map_v1();
	test_map_namespaces();
	test_map_choice();
	test_open_checked();
	return done_testing();
}
