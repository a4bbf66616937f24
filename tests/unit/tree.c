/*
 * Removing a folder that hostile code filled: depth without end, no permission bits, names of every
 * kind, links that lead out, sockets and FIFOs. What lies behind a link must survive.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../lib/sys/tree.h"
#include "tap.h"

static char top[] = "/tmp/sbx-unit-tree.XXXXXX";
static int top_fd;

static void make_file(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		BAIL("make %s", name);
	(void)close(fd);
}

static int make_folder(int dir_fd, const char *name)
{
	int fd;

	if (mkdirat(dir_fd, name, 0700) != 0)
		BAIL("mkdir %s", name);
	fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		BAIL("open %s", name);
	return fd;
}

static int is_there(const char *name)
{
	struct stat st;

	return fstatat(top_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static void is_removed(const char *name, const char *what)
{
	is_int(tree_remove(top_fd, name), 0, "%s", what);
	ok(!is_there(name), "%s: it is gone", what);
}

static void test_simple(void)
{
	int fd = make_folder(top_fd, "simple");

	for (int i = 0; i < 300; i++) {
		char name[16];

		snprintf(name, sizeof name, "f%d", i);
		make_file(fd, name);
	}
	make_file(fd, "new\nline");
	make_file(fd, " ");
	make_file(fd, "-rf");
	make_file(fd, "...");
	make_file(fd, "\xff\xfe");
	(void)mkfifoat(fd, "fifo", 0);
	(void)close(make_folder(fd, "empty"));
	(void)close(fd);
	is_removed("simple", "three hundred files and odd names");
	is_int(tree_remove(top_fd, "simple"), -ENOENT, "what is not there");
}

static void test_links(void)
{
	int outside = make_folder(top_fd, "outside");
	int fd = make_folder(top_fd, "links");
	struct stat st;

	make_file(outside, "keep");
	(void)fchmod(outside, 0711);
	if (symlinkat("../outside", fd, "to-folder") != 0 ||
	    symlinkat("../outside/keep", fd, "to-file") != 0 ||
	    symlinkat("/", fd, "to-root") != 0 ||
	    symlinkat("nowhere", fd, "dangling") != 0 || symlinkat("..", fd, "up") != 0 ||
	    linkat(outside, "keep", fd, "hard", 0) != 0)
		BAIL("links");
	(void)close(fd);
	is_removed("links", "links");
	ok(fstatat(outside, "keep", &st, 0) == 0, "what they led to is still there");
	ok(fstat(outside, &st) == 0 && (st.st_mode & 07777) == 0711, "with its mode");
	if (symlinkat("outside", top_fd, "link") != 0)
		BAIL("link");
	ok(tree_remove(top_fd, "link") != 0, "a link itself is no folder to remove");
	ok(fstatat(outside, "keep", &st, 0) == 0, "what it leads to is still there");
	(void)unlinkat(top_fd, "link", 0);
	(void)close(outside);
	is_removed("outside", "a folder with a file");
}

static void test_modes(void)
{
	int fd = make_folder(top_fd, "modes");
	int sub = make_folder(fd, "none");

	make_file(sub, "file");
	(void)close(make_folder(sub, "inner"));
	(void)fchmodat(sub, "inner", 0, 0);
	(void)fchmodat(sub, "file", 0, 0);
	(void)fchmod(sub, 0);
	(void)close(sub);
	(void)fchmod(fd, 0500);
	(void)close(fd);
	is_removed("modes", "folders without permission bits");
}

static void test_depth(void)
{
	struct rlimit old, few;
	int fd = make_folder(top_fd, "deep");

	for (int i = 0; i < 1500; i++) {
		int next = make_folder(fd, "d");

		make_file(fd, "f");
		if (i % 100 == 0)
			make_file(fd, ".sbx-up-0"); /* the name that deep ones are moved up to */
		(void)close(fd);
		fd = next;
	}
	(void)close(fd);
	if (getrlimit(RLIMIT_NOFILE, &old) != 0)
		BAIL("getrlimit");
	few = old;
	few.rlim_cur = 100;
	(void)setrlimit(RLIMIT_NOFILE, &few);
	is_removed("deep", "1,500 folders deep, with a hundred descriptors");
	(void)setrlimit(RLIMIT_NOFILE, &old);
}

static void test_wide(void)
{
	int fd = make_folder(top_fd, "wide");

	for (int i = 0; i < 60; i++) {
		char name[16];
		int sub;

		snprintf(name, sizeof name, "d%d", i);
		sub = make_folder(fd, name);
		for (int j = 0; j < 40; j++) {
			snprintf(name, sizeof name, "f%d", j);
			make_file(sub, name);
		}
		(void)close(sub);
	}
	(void)close(fd);
	is_removed("wide", "60 folders of 40 files");
}

static void test_not_a_folder(void)
{
	make_file(top_fd, "file");
	ok(tree_remove(top_fd, "file") != 0, "a file is no folder");
	ok(is_there("file"), "and stays");
	(void)unlinkat(top_fd, "file", 0);
}

/* Somebody's file system on top of a folder inside: not ours to empty. */
static void test_mounted(void)
{
	char path[64];
	int fd, sub;

	if (geteuid() != 0) {
		skip("only root can mount here");
		return;
	}
	fd = make_folder(top_fd, "mounted");
	(void)close(make_folder(fd, "m"));
	snprintf(path, sizeof path, "%s/mounted/m", top);
	if (mount("none", path, "tmpfs", 0, "size=64k") != 0) {
		skip("tmpfs cannot be mounted here");
	} else {
		sub = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		make_file(sub, "keep");
		ok(tree_remove(top_fd, "mounted") != 0, "a mount point inside is told");
		ok(faccessat(sub, "keep", F_OK, 0) == 0, "what is mounted is not emptied");
		(void)close(sub);
		(void)umount2(path, MNT_DETACH);
	}
	(void)close(fd);
	is_removed("mounted", "without it the folder goes");
}

int main(void)
{
	if (mkdtemp(top) == NULL)
		BAIL("mkdtemp");
	top_fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	test_simple();
	test_links();
	test_modes();
	test_depth();
	test_wide();
	test_not_a_folder();
	test_mounted();
	(void)close(top_fd);
	is_int(rmdir(top), 0, "nothing is left");
	return done_testing();
}
