/*
 * Landlock: masks by table for every ABI, including those that this kernel is too old for; then
 * rules for real, in children that put them on themselves. Every refusal has its control: the same
 * act without rules succeeds. The tests run as root too, since nothing else than the rules must be
 * what refuses.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lib/sys/linux_landlock.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define ALL_WANTS \
	(LANDLOCK_DENY_TCP | LANDLOCK_SCOPE_ABSTRACT | LANDLOCK_SCOPE_SIGNALS | LANDLOCK_DENY_UNIX)

/* ---- masks, as numbers from the kernel's documentation ---- */

static void test_masks(void)
{
	static const struct {
		int abi;
		uint64_t fs, net, scoped;
	} want[] = {
		{ 1, 0x1fff, 0, 0 },
		{ 2, 0x3fff, 0, 0 },
		{ 3, 0x7fff, 0, 0 },
		{ 4, 0x7fff, 3, 0 },
		{ 5, 0xffff, 3, 0 },
		{ 6, 0xffff, 3, 3 },
		{ 7, 0xffff, 3, 3 },
		{ 8, 0xffff, 3, 3 },
		{ 9, 0x1ffff, 3, 3 },
		{ 10, 0x1ffff, 15, 3 },
		{ 99, 0x1ffff, 15, 3 },
	};

	for (size_t i = 0; i < COUNT(want); i++) {
		struct landlock_masks all = landlock_masks(want[i].abi, ALL_WANTS);
		struct landlock_masks fs = landlock_masks(want[i].abi, 0);

		ok(all.fs == want[i].fs && all.net == want[i].net && all.scoped == want[i].scoped,
		    "ABI %d with everything: %llx %llx %llx", want[i].abi,
		    (unsigned long long)all.fs, (unsigned long long)all.net,
		    (unsigned long long)all.scoped);
		ok(fs.fs == (want[i].fs & 0xffff) && fs.net == 0 && fs.scoped == 0,
		    "ABI %d, files only: no network, scope or socket bits", want[i].abi);
	}
}

static void test_supported(void)
{
	static const unsigned want[] = {
		[3] = 0,
		[4] = LANDLOCK_DENY_TCP,
		[5] = LANDLOCK_DENY_TCP,
		[6] = LANDLOCK_DENY_TCP | LANDLOCK_SCOPE_ABSTRACT | LANDLOCK_SCOPE_SIGNALS,
		[8] = LANDLOCK_DENY_TCP | LANDLOCK_SCOPE_ABSTRACT | LANDLOCK_SCOPE_SIGNALS,
		[9] = ALL_WANTS,
	};
	static const int abis[] = { 3, 4, 5, 6, 8, 9 };

	for (size_t i = 0; i < COUNT(abis); i++)
		is_int(landlock_supported(abis[i], ALL_WANTS), want[abis[i]], "ABI %d keeps",
		    abis[i]);
	is_int(landlock_supported(9, LANDLOCK_DENY_TCP), LANDLOCK_DENY_TCP,
	    "nothing that was not wanted");
}

static void test_rights(void)
{
	/* EXECUTE 1, WRITE_FILE 2, READ_FILE 4, READ_DIR 8, TRUNCATE 0x4000, IOCTL_DEV 0x8000 */
	is_int(landlock_rights(9, LANDLOCK_READ, true), 0xc, "read: files and folders");
	is_int(landlock_rights(9, LANDLOCK_READ_EXEC, true), 0xd, "read and execute");
	is_int(landlock_rights(9, LANDLOCK_READ_EXEC, false), 0x5, "a file has no folder rights");
	is_int(landlock_rights(9, LANDLOCK_READ_WRITE, true), 0x1f7bf,
	    "read-write: all but making device nodes");
	is_int(landlock_rights(9, LANDLOCK_READ_WRITE, false), 0x1c007, "read-write of a file");
	is_int(landlock_rights(1, LANDLOCK_READ_WRITE, true), 0x17bf, "read-write with ABI 1");
	is_int(landlock_rights(2, LANDLOCK_READ_WRITE, true), 0x37bf, "ABI 2 adds moving");
	is_int(landlock_rights(9, LANDLOCK_DEVICE, false), 0x8006, "a device: read, write, ioctl");
	is_int(landlock_rights(4, LANDLOCK_DEVICE, false), 0x6, "a device before ABI 5");
	is_int(landlock_rights(9, LANDLOCK_WRITE_FILES, true), 0xc00e, "write what exists");
}

/* ---- for real ---- */

static char base[64];
static int abi;
static struct sockaddr_un abstract;
static socklen_t abstract_len;
static struct sockaddr_in tcp;

/* base/name, in a ring of buffers so that two can be used in one call. */
static const char *at(const char *name)
{
	static char paths[4][128];
	static unsigned next;
	char *p = paths[next++ % 4];

	(void)snprintf(p, sizeof paths[0], "%s/%s", base, name);
	return p;
}

static void make_file(const char *name, mode_t mode)
{
	int fd = open(at(name), O_CREAT | O_WRONLY | O_CLOEXEC, mode);

	if (fd < 0 || write(fd, "x", 1) != 1)
		BAIL("%s: %s", name, strerror(errno));
	close(fd);
}

static void make_tree(void)
{
	static const char *const folders[] = { "ro", "rx", "rw", "rw/a", "rw/b", "out", "some" };
	const char *tmp = getenv("TMPDIR");

	(void)snprintf(base, sizeof base, "%.40s/landlock.XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(base) == NULL)
		BAIL("mkdtemp: %s", strerror(errno));
	for (size_t i = 0; i < COUNT(folders); i++)
		if (mkdir(at(folders[i]), 0755) != 0)
			BAIL("mkdir %s: %s", folders[i], strerror(errno));
	make_file("ro/file", 0644);
	make_file("ro/prog", 0755);
	make_file("rx/prog", 0755);
	make_file("rw/a/file", 0644);
	make_file("out/secret", 0644);
	make_file("some/file", 0644);
	if (symlink("../out/secret", at("rw/link")) != 0)
		BAIL("symlink: %s", strerror(errno));
}

static void remove_tree(void)
{
	static const char *const names[] = { "ro/file", "ro/prog", "ro/new", "ro/sock", "rx/prog",
		"rw/a/file", "rw/a/new", "rw/b/file", "rw/b/link", "rw/node", "rw/link", "rw/fifo",
		"rw/sock", "out/secret", "out/file", "some/file", "ro", "rx", "rw/a", "rw/b", "rw",
		"out", "some", "" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (unlink(at(names[i])) != 0)
			(void)rmdir(at(names[i]));
}

static int open_and_close(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0644);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int result_of(int rc)
{
	return rc < 0 ? errno : 0;
}

/* Acts: 0 or the error number. Each runs in a child of its own and undoes what it made. */

static int read_ro(void)
{
	return open_and_close(at("ro/file"), O_RDONLY);
}

static int list_ro(void)
{
	return open_and_close(at("ro"), O_RDONLY | O_DIRECTORY);
}

static int write_ro(void)
{
	return open_and_close(at("ro/file"), O_WRONLY);
}

static int create_ro(void)
{
	int e = open_and_close(at("ro/new"), O_CREAT | O_WRONLY);

	(void)unlink(at("ro/new"));
	return e;
}

static int truncate_ro(void)
{
	return result_of(truncate(at("ro/file"), 1));
}

/* A file that holds no program: ENOEXEC when executing is allowed. */
static int exec_path(const char *path)
{
	char *argv[] = { (char *)(uintptr_t)path, NULL };
	char *envp[] = { NULL };

	(void)execve(path, argv, envp);
	return errno == ENOEXEC ? 0 : errno;
}

static int exec_ro(void)
{
	return exec_path(at("ro/prog"));
}

static int exec_rx(void)
{
	return exec_path(at("rx/prog"));
}

static int read_rx(void)
{
	return open_and_close(at("rx/prog"), O_RDONLY);
}

static int write_rw(void)
{
	return open_and_close(at("rw/a/file"), O_RDWR | O_TRUNC);
}

static int create_rw(void)
{
	int e = open_and_close(at("rw/a/new"), O_CREAT | O_EXCL | O_WRONLY);

	return e != 0 ? e : result_of(unlink(at("rw/a/new")));
}

static int mkdir_rw(void)
{
	int e = result_of(mkdir(at("rw/b/file"), 0700));

	return e != 0 ? e : result_of(rmdir(at("rw/b/file")));
}

static int special_rw(void)
{
	int e = result_of(mkfifo(at("rw/fifo"), 0600));

	(void)unlink(at("rw/fifo"));
	return e;
}

static int rename_in_rw(void)
{
	int e = result_of(rename(at("rw/a/file"), at("rw/b/file")));

	return e != 0 ? e : result_of(rename(at("rw/b/file"), at("rw/a/file")));
}

static int link_in_rw(void)
{
	int e = result_of(link(at("rw/a/file"), at("rw/b/link")));

	return e != 0 ? e : result_of(unlink(at("rw/b/link")));
}

static int rename_out_of_rw(void)
{
	int e = result_of(rename(at("rw/a/file"), at("out/file")));

	(void)rename(at("out/file"), at("rw/a/file"));
	return e;
}

static int link_into_rw(void)
{
	int e = result_of(link(at("out/secret"), at("rw/b/link")));

	(void)unlink(at("rw/b/link"));
	return e;
}

static int device_in_rw(void)
{
	int e = result_of(mknod(at("rw/node"), S_IFCHR | 0600, makedev(1, 3)));

	(void)unlink(at("rw/node"));
	return e;
}

static int read_outside(void)
{
	return open_and_close(at("out/secret"), O_RDONLY);
}

static int read_by_symlink(void)
{
	return open_and_close(at("rw/link"), O_RDONLY);
}

static int stat_outside(void)
{
	struct stat st;

	return result_of(stat(at("out/secret"), &st));
}

static int one_file(void)
{
	return open_and_close(at("some/file"), O_RDWR | O_TRUNC);
}

static int list_some(void)
{
	return open_and_close(at("some"), O_RDONLY | O_DIRECTORY);
}

static int null_device(void)
{
	return open_and_close("/dev/null", O_WRONLY | O_TRUNC | O_CREAT);
}

static int zero_device(void)
{
	return open_and_close("/dev/zero", O_RDONLY);
}

static int ioctl_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc, size = 0;

	if (fd < 0)
		return errno;
	rc = ioctl(fd, TIOCGWINSZ, &size) != 0 && errno == EACCES ? EACCES : 0; /* ENOTTY is fine */
	close(fd);
	return rc;
}

static int ioctl_null(void)
{
	return ioctl_of("/dev/null");
}

static int ioctl_full(void)
{
	return ioctl_of("/dev/full");
}

static int tcp_bind(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), e;

	e = result_of(bind(fd, (struct sockaddr *)&any, sizeof any));
	close(fd);
	return e;
}

static int tcp_connect(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), e;

	e = result_of(connect(fd, (struct sockaddr *)&tcp, sizeof tcp));
	close(fd);
	return e;
}

static int udp_bind(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), e;

	e = result_of(bind(fd, (struct sockaddr *)&any, sizeof any));
	close(fd);
	return e;
}

static int udp_send(void)
{
	struct sockaddr_in to = tcp; /* nobody has to listen */
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), e;

	e = result_of((int)sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof to));
	close(fd);
	return e;
}

static int path_connect(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), e;

	(void)snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
	e = result_of(connect(fd, (struct sockaddr *)&a, sizeof a));
	close(fd);
	return e;
}

static int connect_ro(void)
{
	return path_connect(at("ro/sock"));
}

static int connect_rw(void)
{
	return path_connect(at("rw/sock"));
}

static int abstract_connect(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), e;

	e = result_of(connect(fd, (struct sockaddr *)&abstract, abstract_len));
	close(fd);
	return e;
}

static int signal_parent(void)
{
	return result_of(kill(getppid(), 0));
}

static int signal_self(void)
{
	return result_of(kill(getpid(), 0));
}

/* Rules of the test, for an ABI that may be lower than the kernel's. */
static int put_rules(int for_abi, unsigned want)
{
	static const struct {
		const char *name;
		enum landlock_access access;
	} rules[] = { { "ro", LANDLOCK_READ }, { "rx", LANDLOCK_READ_EXEC },
		{ "rw", LANDLOCK_READ_WRITE }, { "some/file", LANDLOCK_READ_WRITE } };
	int fd, rc = 0;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0)
		return -errno;
	fd = landlock_create(for_abi, want);
	if (fd < 0)
		return fd;
	for (size_t i = 0; rc == 0 && i < COUNT(rules); i++)
		rc = landlock_allow_path(fd, for_abi, at(rules[i].name), rules[i].access, false);
	if (rc == 0)
		rc = landlock_allow_path(fd, for_abi, "/dev/null", LANDLOCK_DEVICE, false);
	if (rc == 0)
		rc = landlock_allow_path(fd, for_abi, "/dev/full", LANDLOCK_READ, false);
	if (rc == 0)
		rc = landlock_allow_path(fd, for_abi, "/no/such/path", LANDLOCK_READ, true);
	if (rc == 0)
		rc = landlock_restrict(fd);
	close(fd);
	return rc;
}

#define NO_RULES 0

/* The act in a child, under the rules of for_abi unless that is NO_RULES. */
static int act_in_child(int (*act)(void), int for_abi, unsigned want)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		BAIL("fork: %s", strerror(errno));
	if (pid == 0) {
		if (for_abi != NO_RULES && put_rules(for_abi, want) != 0)
			_exit(250);
		_exit(act());
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		BAIL("the child of an act died");
	return WEXITSTATUS(status);
}

struct act {
	const char *name;
	int (*run)(void);
	int want;    /* error number under the rules */
	int min_abi; /* what can keep it */
};

static const struct act acts[] = {
	{ "read below a read rule", read_ro, 0, 1 },
	{ "list below a read rule", list_ro, 0, 1 },
	{ "write below a read rule", write_ro, EACCES, 1 },
	{ "create below a read rule", create_ro, EACCES, 1 },
	{ "truncate below a read rule", truncate_ro, EACCES, 3 },
	{ "execute below a read rule", exec_ro, EACCES, 1 },
	{ "execute below an execute rule", exec_rx, 0, 1 },
	{ "read below an execute rule", read_rx, 0, 1 },
	{ "write and truncate below a write rule", write_rw, 0, 1 },
	{ "create and remove below a write rule", create_rw, 0, 1 },
	{ "make and remove a folder below a write rule", mkdir_rw, 0, 1 },
	{ "make a FIFO below a write rule", special_rw, 0, 1 },
	{ "rename between folders of one tree", rename_in_rw, 0, 2 },
	{ "link between folders of one tree", link_in_rw, 0, 2 },
	{ "rename to the outside", rename_out_of_rw, EACCES, 2 },
	{ "link a file of the outside", link_into_rw, EXDEV, 2 },
	{ "make a device node below a write rule", device_in_rw, EACCES, 1 },
	{ "read the outside", read_outside, EACCES, 1 },
	{ "read the outside through a symlink", read_by_symlink, EACCES, 1 },
	{ "stat the outside: names and metadata stay visible", stat_outside, 0, 1 },
	{ "write a single file that has a rule", one_file, 0, 1 },
	{ "list the folder of that file", list_some, EACCES, 1 },
	{ "open a device that has a rule, as a shell does", null_device, 0, 1 },
	{ "open a device that has none", zero_device, EACCES, 1 },
	{ "ioctl on a device that has a rule", ioctl_null, 0, 1 },
	{ "ioctl on a device that may only be read", ioctl_full, EACCES, 5 },
	{ "bind a TCP port", tcp_bind, EACCES, 4 },
	{ "connect to a TCP port", tcp_connect, EACCES, 4 },
	{ "connect to an abstract socket of the outside", abstract_connect, EPERM, 6 },
	{ "connect to a socket below a read rule", connect_ro, EACCES, 9 },
	{ "connect to a socket below a write rule", connect_rw, 0, 1 },
	{ "bind a UDP port", udp_bind, EACCES, 10 },
	{ "send to a UDP port", udp_send, EACCES, 10 },
	{ "signal a process of the outside", signal_parent, EPERM, 6 },
	{ "signal itself", signal_self, 0, 1 },
};

static void test_acts(void)
{
	for (size_t i = 0; i < COUNT(acts); i++) {
		int control = act_in_child(acts[i].run, NO_RULES, 0);
		int got = act_in_child(acts[i].run, abi, ALL_WANTS);

		if (control != 0 && geteuid() != 0 && acts[i].run == device_in_rw) {
			is_int(got, acts[i].want, "%s (an ordinary user cannot anyway)",
			    acts[i].name);
			continue;
		}
		is_int(control, 0, "control: %s", acts[i].name);
		if (abi >= acts[i].min_abi)
			is_int(got, acts[i].want, "%s: %d", acts[i].name, acts[i].want);
		else /* the first ABI refuses every move between folders, else it stays open */
			is_int(got, acts[i].min_abi == 2 ? EXDEV : 0, "%s: not kept by ABI %d",
			    acts[i].name, abi);
	}
}

/* A lower ABI handles less: what it cannot keep stays possible, and nothing else breaks. */
static void test_lower_abis(void)
{
	for (int low = 1; low < abi; low++) {
		unsigned wrong = 0, open_gates = 0;

		for (size_t i = 0; i < COUNT(acts); i++) {
			int got = act_in_child(acts[i].run, low, ALL_WANTS);
			bool is_kept = low >= acts[i].min_abi;

			if (is_kept && got != acts[i].want) {
				wrong++;
				diag("ABI %d: %s: %d", low, acts[i].name, got);
			}
			/* moving between folders is the one thing that the first ABI refuses */
			if (!is_kept && acts[i].want != 0 && acts[i].min_abi > 2)
				open_gates += got == 0 ? 1 : 0;
		}
		ok(wrong == 0 && (low >= 10 || open_gates > 0),
		    "rules for ABI %d on this kernel: kept as far as it goes (%u left open)", low,
		    open_gates);
	}
	is_int(act_in_child(rename_in_rw, 1, 0), EXDEV, "ABI 1: no rename between folders at all");
	is_int(act_in_child(tcp_connect, abi, 0), 0,
	    "TCP stays open where its denial is not wanted");
	is_int(act_in_child(signal_parent, abi, LANDLOCK_SCOPE_ABSTRACT), 0,
	    "signals stay open where only sockets are scoped");
}

static void test_errors(void)
{
	int fd = landlock_create(abi, 0), dir = open(base, O_PATH | O_CLOEXEC), rc;

	ok(fd >= 0 && (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0,
	    "a rule set is a close-on-exec descriptor");
	is_int(landlock_allow_path(fd, abi, "/no/such", LANDLOCK_READ, false), -ENOENT,
	    "a missing path");
	is_int(landlock_allow_path(fd, abi, "/no/such", LANDLOCK_READ, true), 0,
	    "a missing path that is optional");
	is_int(landlock_allow_path(fd, abi, "/dev/null/x", LANDLOCK_READ, true), 0,
	    "a path through a file that is optional");
	is_int(landlock_allow_fd(fd, abi, -1, LANDLOCK_READ), -EBADF, "no descriptor");
	is_int(landlock_allow_fd(-1, abi, dir, LANDLOCK_READ), -EBADF, "no rule set");
	rc = landlock_restrict(-1);
	ok(rc == -EBADF || (geteuid() != 0 && rc == -EPERM), "nothing to restrict with: %d", rc);
	if (abi >= 5) /* before that there are more rights of ABI 9 that the set does not handle */
		is_int(landlock_allow_fd(fd, abi < 9 ? 9 : abi, dir, LANDLOCK_READ_WRITE), 0,
		    "a rule for a set that does not handle pathname sockets");
	close(fd);
	close(dir);
}

static void listen_at(struct sockaddr_un *a, socklen_t len)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(fd, (struct sockaddr *)a, len) != 0 || listen(fd, 64) != 0)
		BAIL("unix listener: %s", strerror(errno));
}

/* Listeners stay open until the end. */
static void make_sockets(void)
{
	static const char *const names[] = { "ro/sock", "rw/sock" };
	socklen_t len = sizeof tcp;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	tcp = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	if (bind(fd, (struct sockaddr *)&tcp, sizeof tcp) != 0 || listen(fd, 64) != 0 ||
	    getsockname(fd, (struct sockaddr *)&tcp, &len) != 0)
		BAIL("TCP listener: %s", strerror(errno));
	for (size_t i = 0; i < COUNT(names); i++) {
		struct sockaddr_un a = { .sun_family = AF_UNIX };

		(void)snprintf(a.sun_path, sizeof a.sun_path, "%s", at(names[i]));
		listen_at(&a, sizeof a);
	}
	abstract.sun_family = AF_UNIX;
	(void)snprintf(abstract.sun_path + 1, sizeof abstract.sun_path - 1, "landlock-test-%d",
	    (int)getpid());
	abstract_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1);
	abstract_len += (socklen_t)strlen(abstract.sun_path + 1);
	listen_at(&abstract, abstract_len);
}

int main(void)
{
	int errnum;

	test_masks();
	test_supported();
	test_rights();
	abi = landlock_abi(&errnum);
	if (abi == 0) {
		ok(errnum == ENOSYS || errnum == EOPNOTSUPP || errnum == EPERM, "why not: %s",
		    strerror(errnum));
		skip("no Landlock here");
		return done_testing();
	}
	diag("Landlock ABI %d", abi);
	is_int(errnum, 0, "Landlock is there, so there is no reason why not");
	make_tree();
	make_sockets();
	test_acts();
	test_lower_abis();
	test_errors();
	remove_tree();
	ok(access(base, F_OK) != 0, "nothing is left behind");
	return done_testing();
}
