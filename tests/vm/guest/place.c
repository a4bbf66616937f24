/*
 * What the guest's machine is given, step by step: it starts in the initramfs with nothing
 * mounted at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "guest.h"
#include "tap.h"

static void must(int rc, const char *what)
{
	if (rc != 0)
		BAIL("%s: %s", what, strerror(errno));
}

void file_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	ssize_t len = (ssize_t)strlen(text);

	if (fd < 0 || write(fd, text, (size_t)len) != len)
		diag("%s: %s", path, strerror(errno));
	if (fd >= 0)
		(void)close(fd);
}

const char *file_get(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		(void)close(fd);
	if (n > 0 && buf[n - 1] == '\n')
		n--;
	buf[n < 0 ? 0 : n] = '\0';
	return buf;
}

void place_make_files(void)
{
	(void)umask(022);
	must(mkdir("/project", 0755), "mkdir /project");
	must(mkdir("/home", 0755), "mkdir /home");
	must(mkdir("/home/user", 0755), "mkdir /home/user");
	must(mkdir("/home/user/project", 0755), "mkdir /home/user/project");
	must(chown("/home/user", user.uid, user.uid), "chown");
	must(chown(user.cwd, user.uid, user.uid), "chown");
	file_put(CANARY, "canary\n");
	must(chmod(CANARY, 0644), "chmod");
}

static void mount_at(const char *type, const char *dir, const char *options)
{
	(void)mkdir(dir, 0755);
	if (mount(type, dir, type, MS_NOSUID | MS_NOEXEC, options) != 0)
		BAIL("mount %s: %s", dir, strerror(errno));
}

void place_mount_proc(void)
{
	mount_at("proc", "/proc", NULL);
}

void place_mount_dev(void)
{
	mount_at("devtmpfs", "/dev", "mode=0755");
}

void place_mount_sys(void)
{
	mount_at("sysfs", "/sys", NULL);
}

void place_mount_groups(void)
{
	mount_at("cgroup2", GROUPS, NULL);
}

void place_loopback_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	ifr.ifr_flags = IFF_UP | IFF_RUNNING;
	must(fd < 0 ? -1 : ioctl(fd, SIOCSIFFLAGS, &ifr), "loopback");
	(void)close(fd);
}

void place_make_read_only(void)
{
	must(mount(NULL, "/", NULL, MS_REMOUNT | MS_RDONLY, NULL), "remount / read-only");
	ok(mkdir("/more", 0755) != 0 && errno == EROFS, "the root is read-only");
}

static void copy_file(const char *from, const char *to)
{
	static char chunk[65536];
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	ssize_t n;

	while ((n = read(in, chunk, sizeof chunk)) > 0)
		must(write(out, chunk, (size_t)n) == n ? 0 : -1, to);
	must(in < 0 || out < 0 || n < 0 ? -1 : 0, from);
	(void)close(in);
	(void)close(out);
}

/* What switch_root(8) does: the new root moves over "/" and becomes the root. */
void place_switch_root(void)
{
	static const char *const links[] = { "sbx-run", "sbx-probe", "sbx-bridge", "sbx-mcp" };
	static const char *const move[] = { "/proc", "/sys", "/dev" };
	char path[64];

	must(mount(NULL, "/", NULL, MS_REMOUNT, NULL), "remount / writable");
	must(mkdir("/new", 0755), "mkdir /new");
	must(mount("tmpfs", "/new", "tmpfs", MS_NOSUID, "mode=0755"), "mount /new");
	must(mkdir("/new/bin", 0755), "mkdir");
	copy_file("/bin/sbx", "/new/bin/sbx");
	copy_file(BIN_GUEST, "/new" BIN_GUEST);
	copy_file(BIN_HOG, "/new" BIN_HOG);
	for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
		(void)snprintf(path, sizeof path, "/new/bin/%s", links[i]);
		must(symlink("sbx", path), path);
	}
	for (size_t i = 0; i < sizeof move / sizeof *move; i++) {
		(void)snprintf(path, sizeof path, "/new%s", move[i]);
		must(mkdir(path, 0755), path);
		must(mount(move[i], path, NULL, MS_MOVE, NULL), path);
	}
	must(chdir("/new"), "chdir");
	must(mount(".", "/", NULL, MS_MOVE, NULL), "move the root");
	must(chroot("."), "chroot");
	must(chdir("/"), "chdir");
	place_make_files();
}

int kernel_minor(void)
{
	struct utsname u;
	char *end;
	long major, minor;

	must(uname(&u), "uname");
	major = strtol(u.release, &end, 10);
	minor = strtol(end + 1, NULL, 10);
	return (int)(major * 100 + minor);
}
