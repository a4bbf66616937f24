/*
 * The built-in filter, promise by promise: first by interpreting its program, so that every family,
 * flag and mode can be tried on any kernel; then for real, in children that install it. Each real
 * refusal has its positive control: the same call without the filter must give another answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lib/base/limits.h"
#include "../../lib/sys/linux_seccomp.h"
#include "bpf_vm.h"
#include "tap.h"

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#elif defined(__arm__)
#define NATIVE AUDIT_ARCH_ARM
#else
#define NATIVE AUDIT_ARCH_RISCV64
#endif

#define HIGH (UINT64_C(0xdeadbeef) << 32) /* what an int argument may carry in its upper half */
#define MY_TIOCLINUX 0x541c
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct sock_fprog full, local; /* the two built-in programs */

static void make_program(unsigned flags, struct sock_fprog *p)
{
	struct seccomp_rules r;
	struct err e = ERR_INIT;

	seccomp_rules_init(&r);
	if (seccomp_rules_builtin(&r, flags, &e) != 0 || seccomp_compile(&r, p, &e) != 0)
		BAIL("%s", e.msg);
	seccomp_rules_fini(&r);
	if (!vm_check(p))
		BAIL("the program is not valid");
}

/* 0: allowed, an error number: refused with it, -1: killed. */
static int verdict(const struct sock_fprog *p, int nr, uint64_t a, uint64_t b, uint64_t c,
    uint64_t d)
{
	struct seccomp_data data = { .nr = nr, .arch = NATIVE, .args = { a, b, c, d, HIGH, HIGH } };
	struct bpf_vm vm;
	uint32_t action = vm_run(p, &data, &vm);

	if (action == SECCOMP_RET_ALLOW)
		return 0;
	if ((action & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO)
		return (int)(action & SECCOMP_RET_DATA);
	return -1;
}

/* ---- whole calls ---- */

static void check_names(const char *const *names, int want, const char *what)
{
	unsigned here = 0, wrong = 0;

	for (; *names != NULL; names++) {
		int nr = seccomp_syscall_number(*names);

		if (nr < 0) /* not on this architecture, or older headers */
			continue;
		here++;
		if (verdict(&full, nr, 0, 0, 0, 0) != want ||
		    verdict(&full, nr, HIGH | 7, HIGH, HIGH, HIGH) != want) {
			wrong++;
			diag("%s: %d", *names, verdict(&full, nr, 0, 0, 0, 0));
		}
	}
	ok(here > 0 && wrong == 0, "%s (%u calls)", what, here);
}

static void test_whole_calls(void)
{
	static const char *const mounts[] = { "mount", "umount2", "pivot_root", "chroot", "fsopen",
		"fsconfig", "fsmount", "fspick", "open_tree", "open_tree_attr", "move_mount",
		"mount_setattr", NULL };
	static const char *const namespaces[] = { "unshare", "setns", NULL };
	static const char *const spying[] = { "ptrace", "process_vm_readv", "process_vm_writev",
		"pidfd_getfd", "kcmp", "bpf", "perf_event_open", "userfaultfd", NULL };
	static const char *const keys[] = { "keyctl", "add_key", "request_key", NULL };
	static const char *const handles[] = { "open_by_handle_at", "name_to_handle_at", NULL };
	static const char *const machine[] = { "kexec_load", "kexec_file_load", "init_module",
		"finit_module", "delete_module", "create_module", "query_module", "swapon",
		"swapoff", "reboot", "acct", "quotactl", "quotactl_fd", "syslog", "settimeofday",
		"clock_settime", "clock_settime64", "adjtimex", "clock_adjtime", "clock_adjtime64",
		"ioperm", "iopl", "modify_ldt", "lookup_dcookie", "nfsservctl", "vhangup",
		"sethostname", "setdomainname", NULL };
	static const char *const memory[] = { "mbind", "set_mempolicy", "set_mempolicy_home_node",
		"migrate_pages", "move_pages", NULL };
	static const char *const absent[] = { "clone3", "openat2", "io_uring_setup",
		"io_uring_enter", "io_uring_register", NULL };
	static const char *const usual[] = { "read", "write", "mmap", "mmap2", "execve", "execveat",
		"exit_group", "prctl", "seccomp", "landlock_create_ruleset", "fork", "vfork",
		"wait4", "futex", "getrandom", "memfd_create", "statx", "renameat2", "linkat",
		"unlinkat", "sendmsg", "connect", "bind", "accept4", "epoll_pwait", "pidfd_open",
		"close_range", "rt_sigreturn", "clock_gettime", "clock_nanosleep",
		"set_tid_address", "rseq", "sched_setaffinity", "inotify_init1", "get_mempolicy",
		"arch_prctl", "set_tls", NULL };

	check_names(mounts, EPERM, "mount API, old and new: EPERM");
	check_names(namespaces, EPERM, "unshare and setns: EPERM");
	check_names(spying, EPERM, "looking into other processes and the kernel: EPERM");
	check_names(keys, EPERM, "keyrings: EPERM");
	check_names(handles, EPERM, "file handles: EPERM");
	check_names(machine, EPERM,
	    "clock, modules, swap, names and other things of the machine: EPERM");
	check_names(memory, EPERM, "placing of memory: EPERM");
	check_names(absent, ENOSYS, "calls whose flags are in memory, and io_uring: ENOSYS");
	check_names(usual, 0, "what programs live by: allowed");
}

static void test_table(void)
{
	unsigned known = 0, wrong = 0;

	for (int nr = 0; nr <= seccomp_syscall_max(); nr++) { /* on 32-bit ARM a million */
		const char *name = seccomp_syscall_name(nr);

		if (name == NULL)
			continue;
		known++;
		if (seccomp_syscall_number(name) != nr) {
			wrong++;
			diag("%s is not found by its name: is linux_syscalls.def sorted?", name);
		}
	}
	ok(known > 300 && wrong == 0, "%u numbers have a name that leads back to them", known);
	is_int(seccomp_syscall_number("no_such_call"), -1, "an unknown name has no number");
	is_int(seccomp_syscall_number(""), -1, "an empty name has no number");
	ok(seccomp_syscall_name(-1) == NULL &&
		seccomp_syscall_name(seccomp_syscall_max() + 1) == NULL,
	    "numbers outside the table have no name");
	is_int(seccomp_syscall_number("openat"), SYS_openat, "openat has the libc's number");
	is_int(seccomp_syscall_number("exit_group"), SYS_exit_group,
	    "exit_group has the libc's number");
	is_int(verdict(&full, seccomp_syscall_max() + 1, 0, 0, 0, 0), ENOSYS,
	    "a number newer than the table: ENOSYS");
#ifdef __x86_64__
	is_int(verdict(&full, 400, 0, 0, 0, 0), ENOSYS, "a hole of the table: ENOSYS");
	is_int(verdict(&full, 0x40000000 | SYS_read, 0, 0, 0, 0), ENOSYS, "an x32 number: ENOSYS");
	is_int(verdict(&full, 0x40000000 | 516, 0, 0, 0, 0), ENOSYS, "x32's own numbers: ENOSYS");
	is_int(verdict(&full, 516, 0, 0, 0, 0), ENOSYS, "the same without the bit: ENOSYS");
#endif
}

/*
 * linux/audit.h makes the word of an architecture from its number in ELF headers and two flags: so
 * our own header must give the word that the program compares with.
 */
static void test_own_header(void)
{
	extern const ElfW(Ehdr) __ehdr_start; /* the linker's */
	uint32_t word = __ehdr_start.e_machine;

	word |= __ehdr_start.e_ident[EI_CLASS] == ELFCLASS64 ? __AUDIT_ARCH_64BIT : 0U;
	word |= __ehdr_start.e_ident[EI_DATA] == ELFDATA2LSB ? __AUDIT_ARCH_LE : 0U;
	ok(full.filter[0].k == offsetof(struct seccomp_data, arch) && full.filter[1].k == word,
	    "the architecture is the one of our own header: 0x%x 0x%x", full.filter[1].k, word);
}

static void test_architectures(void)
{
	static const uint32_t foreign[] = { AUDIT_ARCH_I386, AUDIT_ARCH_X86_64, AUDIT_ARCH_ARM,
		AUDIT_ARCH_AARCH64, AUDIT_ARCH_RISCV64, 0 };

	for (size_t i = 0; i < COUNT(foreign); i++) {
		struct seccomp_data data = { .nr = 0, .arch = foreign[i] };
		struct bpf_vm vm;
		unsigned allowed = 0;

		if (foreign[i] == NATIVE)
			continue;
		for (data.nr = 0; data.nr < 600; data.nr++)
			allowed += vm_run(&full, &data, &vm) == SECCOMP_RET_KILL_PROCESS ? 0 : 1;
		is_int(allowed, 0, "architecture 0x%08x: every call kills the process", foreign[i]);
	}
}

/* ---- clone ---- */

static void test_clone(void)
{
	static const struct {
		uint64_t flag;
		const char *name;
	} flags[] = { { 0x00020000, "CLONE_NEWNS" }, { 0x02000000, "CLONE_NEWCGROUP" },
		{ 0x04000000, "CLONE_NEWUTS" }, { 0x08000000, "CLONE_NEWIPC" },
		{ 0x10000000, "CLONE_NEWUSER" }, { 0x20000000, "CLONE_NEWPID" },
		{ 0x40000000, "CLONE_NEWNET" } };
	const uint64_t thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
				CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
				CLONE_CHILD_CLEARTID;

	for (size_t i = 0; i < COUNT(flags); i++) {
		uint64_t f = flags[i].flag;

		ok(verdict(&full, SYS_clone, f, 0, 0, 0) == EPERM &&
			verdict(&full, SYS_clone, f | SIGCHLD, 0, 0, 0) == EPERM &&
			verdict(&full, SYS_clone, f | thread, 0, 0, 0) == EPERM &&
			verdict(&full, SYS_clone, f | HIGH, 0, 0, 0) == EPERM,
		    "clone with %s: EPERM", flags[i].name);
	}
	ok(verdict(&full, SYS_clone, SIGCHLD, 0, 0, 0) == 0 &&
		verdict(&full, SYS_clone, thread, 0, 0, 0) == 0 &&
		verdict(&full, SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0) == 0 &&
		verdict(&full, SYS_clone, CLONE_PIDFD | SIGCHLD, 0, 0, 0) == 0,
	    "fork, threads, vfork and pidfds by clone: allowed");
}

/* ---- sockets ---- */

static bool is_family(int family)
{
	return family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
}

static void check_families(int nr, const char *call)
{
	unsigned wrong = 0;

	for (int family = 0; family <= 45 + 20; family++) {
		int want = is_family(family) ? 0 : EAFNOSUPPORT;
		uint64_t f = (uint64_t)family;

		if (verdict(&full, nr, f, SOCK_DGRAM | SOCK_CLOEXEC, 0, 0) != want ||
		    verdict(&full, nr, f, SOCK_STREAM | SOCK_NONBLOCK, 0, 0) != want) {
			wrong++;
			diag("%s: family %d", call, family);
		}
		/* a value that the kernel would cut to an int is never let through as another one
		 */
		if (verdict(&full, nr, f | HIGH, SOCK_DGRAM, 0, 0) != EAFNOSUPPORT)
			wrong++;
		if (verdict(&local, nr, f, SOCK_STREAM, 0, 0) !=
		    (family == AF_UNIX ? 0 : EAFNOSUPPORT))
			wrong++;
	}
	ok(wrong == 0, "%s: of 66 families only unix, inet, inet6, netlink; local only unix", call);
}

static void check_types(int nr, const char *call)
{
	static const uint64_t flags[] = { 0, SOCK_CLOEXEC, SOCK_NONBLOCK,
		SOCK_CLOEXEC | SOCK_NONBLOCK, HIGH };
	static const struct {
		uint64_t family, type;
		int want;
	} types[] = {
		{ AF_INET, SOCK_STREAM, 0 },
		{ AF_INET, SOCK_DGRAM, 0 },
		{ AF_INET, SOCK_RAW, EPERM },
		{ AF_INET, 6, EPROTONOSUPPORT },
		{ AF_INET, 10, EPERM },
		{ AF_INET6, SOCK_STREAM, 0 },
		{ AF_INET6, SOCK_RAW, EPERM },
		{ AF_INET6, 6, EPROTONOSUPPORT },
		{ AF_INET6, 10, EPERM },
		{ AF_UNIX, SOCK_STREAM, 0 },
		{ AF_UNIX, SOCK_DGRAM, 0 },
		{ AF_UNIX, SOCK_SEQPACKET, 0 },
		{ AF_UNIX, SOCK_RAW, EPERM },
		{ AF_NETLINK, SOCK_RAW, 0 },
		{ AF_NETLINK, SOCK_DGRAM, 0 },
		{ AF_NETLINK, 10, EPERM },
	};
	unsigned wrong = 0;

	for (size_t i = 0; i < COUNT(types); i++)
		for (size_t n = 0; n < COUNT(flags); n++)
			if (verdict(&full, nr, types[i].family, types[i].type | flags[n], 0, 0) !=
			    types[i].want) {
				wrong++;
				diag("%s: family %d type %d", call, (int)types[i].family,
				    (int)types[i].type);
			}
	ok(wrong == 0, "%s: no raw, packet and dccp sockets, whatever flags the type carries",
	    call);
}

static void check_protocols(int nr, const char *call)
{
	unsigned wrong = 0;

	for (uint64_t p = 0; p <= 300; p++) {
		bool is_known = p == 0 || p == 1 || p == 6 || p == 17 || p == 58;
		int inet = is_known ? 0 : EPROTONOSUPPORT, netlink = p == 0 ? 0 : EPROTONOSUPPORT;

		if (verdict(&full, nr, AF_INET, SOCK_STREAM, p, 0) != inet ||
		    verdict(&full, nr, AF_INET6, SOCK_DGRAM, p, 0) != inet ||
		    verdict(&full, nr, AF_NETLINK, SOCK_RAW, p, 0) != netlink ||
		    verdict(&full, nr, AF_INET, SOCK_STREAM, p | HIGH, 0) != EPROTONOSUPPORT) {
			wrong++;
			diag("%s: protocol %d", call, (int)p);
		}
	}
	ok(wrong == 0, "%s: protocols 0, 1, 6, 17, 58; netlink: routing only", call);
}

static void test_sockets(void)
{
	static const struct {
		int nr;
		const char *name;
	} calls[] = { { SYS_socket, "socket" }, { SYS_socketpair, "socketpair" } };

	for (size_t i = 0; i < COUNT(calls); i++) {
		check_families(calls[i].nr, calls[i].name);
		check_types(calls[i].nr, calls[i].name);
		check_protocols(calls[i].nr, calls[i].name);
	}
}

/* ---- ioctl, personality ---- */

static void test_ioctl(void)
{
	ok(verdict(&full, SYS_ioctl, 0, TIOCSTI, 0, 0) == EPERM &&
		verdict(&full, SYS_ioctl, 0, TIOCSTI | UINT64_C(1) << 32, 0, 0) == EPERM &&
		verdict(&full, SYS_ioctl, 0, TIOCSTI | HIGH, 0, 0) == EPERM,
	    "TIOCSTI: EPERM, also with the high half set");
	ok(verdict(&full, SYS_ioctl, 0, MY_TIOCLINUX, 0, 0) == EPERM &&
		verdict(&full, SYS_ioctl, 0, MY_TIOCLINUX | HIGH, 0, 0) == EPERM,
	    "TIOCLINUX: EPERM, also with the high half set");
	ok(verdict(&full, SYS_ioctl, 0, TIOCSETD, 0, 0) == EPERM &&
		verdict(&full, SYS_ioctl, 0, TIOCSETD | HIGH, 0, 0) == EPERM,
	    "TIOCSETD: EPERM, also with the high half set");
	ok(verdict(&full, SYS_ioctl, TIOCSTI, TIOCGWINSZ, TIOCSTI, 0) == 0 &&
		verdict(&full, SYS_ioctl, 0, FIONREAD, 0, 0) == 0 &&
		verdict(&full, SYS_ioctl, 0, TIOCSTI + 1, 0, 0) == 0 &&
		verdict(&full, SYS_ioctl, 0, TIOCSTI - 1, 0, 0) == 0 &&
		verdict(&full, SYS_ioctl, 0, TIOCSCTTY, 0, 0) == 0,
	    "window size, FIONREAD and the neighbours of TIOCSTI: allowed");
}

static void test_personality(void)
{
	static const uint64_t personas[] = { 0, 8, 0x0040000, 0x20000, 0xfffffffe, HIGH,
		0x1ffffffff, UINT64_MAX };
	unsigned wrong = 0;

	is_int(verdict(&full, SYS_personality, 0xffffffff, 0, 0, 0), 0,
	    "personality: a query is allowed");
	for (size_t i = 0; i < COUNT(personas); i++)
		wrong += verdict(&full, SYS_personality, personas[i], 0, 0, 0) == EPERM ? 0 : 1;
	is_int(wrong, 0, "personality: everything else is EPERM");
}

/* ---- modes ---- */

struct mode_call {
	const char *name;
	int mode_arg;
	int flags_arg; /* -1: the mode always counts */
};

static int mode_verdict(const struct mode_call *c, uint64_t flags, uint64_t mode)
{
	uint64_t args[4] = { 3, 3, 3, 3 };

	if (c->flags_arg >= 0)
		args[c->flags_arg] = flags;
	args[c->mode_arg] = mode;
	return verdict(&full, seccomp_syscall_number(c->name), args[0], args[1], args[2], args[3]);
}

static void test_modes(void)
{
	static const struct mode_call calls[] = { { "chmod", 1, -1 }, { "fchmod", 1, -1 },
		{ "fchmodat", 2, -1 }, { "fchmodat2", 2, -1 }, { "mknod", 1, -1 },
		{ "mknodat", 2, -1 }, { "creat", 1, -1 }, { "mkdir", 1, -1 }, { "mkdirat", 2, -1 },
		{ "open", 2, 1 }, { "openat", 3, 2 } };
	static const uint64_t bad[] = { 04755, 02755, 06755, 04000, 02000, S_IFREG | 04755, 07777,
		HIGH | 04111, UINT64_MAX };
	static const uint64_t good[] = { 0755, 0, 01777, S_IFREG | 0644, S_IFIFO | 0600,
		S_IFCHR | 0666, HIGH | 0644 };
	unsigned here = 0, wrong = 0;

	for (size_t i = 0; i < COUNT(calls); i++) {
		if (seccomp_syscall_number(calls[i].name) < 0)
			continue;
		here++;
		for (size_t n = 0; n < COUNT(bad); n++)
			if (mode_verdict(&calls[i], O_CREAT | O_WRONLY, bad[n]) != EPERM) {
				wrong++;
				diag("%s: mode %llo", calls[i].name, (unsigned long long)bad[n]);
			}
		for (size_t n = 0; n < COUNT(good); n++)
			if (mode_verdict(&calls[i], O_CREAT | O_WRONLY, good[n]) != 0) {
				wrong++;
				diag("%s: mode %llo", calls[i].name, (unsigned long long)good[n]);
			}
	}
	ok(here >= 6 && wrong == 0, "%u calls with a mode: set-id bits are EPERM, others allowed",
	    here);
}

static void test_open_modes(void)
{
	static const struct mode_call opens[] = { { "open", 2, 1 }, { "openat", 3, 2 } };

	for (size_t i = 0; i < COUNT(opens); i++) {
		const struct mode_call *c = &opens[i];

		if (seccomp_syscall_number(c->name) < 0)
			continue;
		ok(mode_verdict(c, O_RDONLY, UINT64_MAX) == 0 &&
			mode_verdict(c, O_RDWR | O_TRUNC | O_CLOEXEC, 06777) == 0 &&
			mode_verdict(c, O_RDONLY | O_DIRECTORY, 04755) == 0 &&
			mode_verdict(c, O_PATH | O_NOFOLLOW, HIGH | 06000) == 0,
		    "%s that makes nothing: whatever is in the mode's register is allowed",
		    c->name);
		ok(mode_verdict(c, O_TMPFILE | O_RDWR, 04755) == EPERM &&
			mode_verdict(c, O_TMPFILE | O_RDWR, 02755) == EPERM &&
			mode_verdict(c, O_TMPFILE | O_RDWR, 0600) == 0,
		    "%s with O_TMPFILE: the mode counts", c->name);
		ok(mode_verdict(c, O_CREAT | O_EXCL | O_RDWR | HIGH, 04700) == EPERM,
		    "%s with O_CREAT among other flags: the mode counts", c->name);
	}
}

/* ---- for real ---- */

struct real_call {
	const char *name;
	long args[5];
	int want;     /* errno with the filter; 0: must succeed */
	bool is_sane; /* allowed on purpose: no control needed */
};

static char scratch[64], scratch_file[80], scratch_dir[80], scratch_node[80];

/* errno of the call, 0 for success; descriptors and files that it makes are removed. */
static int call_errno(const struct real_call *c)
{
	const long *a = c->args;
	long rc = syscall(seccomp_syscall_number(c->name), a[0], a[1], a[2], a[3], a[4]);
	int errnum = rc < 0 ? errno : 0;

	(void)unlink(scratch_node);
	(void)rmdir(scratch_dir);
	return errnum;
}

static bool is_in_child(const struct real_call *c)
{
	return strcmp(c->name, "clone") == 0;
}

/* Run in a child with or without the filter; the error number comes back as the exit status. */
static int real_errno(const struct real_call *c, bool has_filter)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		BAIL("fork: %s", strerror(errno));
	if (pid == 0) {
		if (has_filter && (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0 ||
				      seccomp_install(&full) != 0))
			_exit(200);
		if (is_in_child(c)) {
			long rc = syscall(SYS_clone, c->args[0], 0L, 0L, 0L, 0L);

			_exit(rc < 0 ? errno : 0); /* a grandchild's status is nobody's */
		}
		_exit(call_errno(c));
	}
	if (waitpid(pid, &status, 0) != pid)
		BAIL("waitpid: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void check_real(const struct real_call *c, size_t number)
{
	int got, control;

	if (seccomp_syscall_number(c->name) < 0)
		return;
	got = real_errno(c, true);
	control = real_errno(c, false);
	if (c->is_sane)
		is_int(got, control, "real %s (row %zu) answers as without the filter", c->name,
		    number);
	else if (control == c->want) /* an outer sandbox, or no such family in this kernel */
		is_int(got, c->want, "real %s (row %zu): refused here anyway", c->name, number);
	else
		is_int(got, c->want, "real %s (row %zu) is refused; without the filter: %d",
		    c->name, number, control);
}

static void test_real_calls(void)
{
	const long at = AT_FDCWD, file = (long)(intptr_t)scratch_file,
		   dir = (long)(intptr_t)scratch_dir, node = (long)(intptr_t)scratch_node;
	const struct real_call calls[] = {
		{ "unshare", { 0 }, EPERM, false },
		{ "setns", { -1, 0 }, EPERM, false },
		{ "mount", { 0, 0, 0, 0, 0 }, EPERM, false },
		{ "fsopen", { 0, 0 }, EPERM, false },
		{ "clone", { CLONE_NEWUSER | SIGCHLD }, EPERM, false },
		{ "clone", { SIGCHLD }, 0, true },
		{ "clone3", { 0, 0 }, ENOSYS, false },
		{ "openat2", { at, 0, 0, 0 }, ENOSYS, false },
		{ "io_uring_setup", { 0, 0 }, ENOSYS, false },
		{ "ptrace", { 0 /* PTRACE_TRACEME */ }, EPERM, false },
		{ "process_vm_readv", { 0, 0, 0, 0, 1 }, EPERM, false },
		{ "keyctl", { 0, -3 }, EPERM, false },
		{ "name_to_handle_at", { at, 0, 0, 0, 0 }, EPERM, false },
		{ "personality", { 0x0040000 }, EPERM, false },
		{ "personality", { (long)0xffffffffUL }, 0, true },
		{ "ioctl", { 1, TIOCSTI, 0 }, EPERM, false },
#if __SIZEOF_LONG__ == 8
		{ "ioctl", { 1, TIOCSTI | 0x100000000, 0 }, EPERM, false },
#endif
		{ "ioctl", { 1, TIOCGWINSZ, 0 }, 0, true },
		{ "chmod", { file, 04755 }, EPERM, false },
		{ "fchmodat", { at, file, 04755 }, EPERM, false },
		{ "fchmodat", { at, file, 02755 }, EPERM, false },
		{ "fchmodat", { at, file, 0700 }, 0, true },
		{ "mkdirat", { at, dir, 02755 }, EPERM, false },
		{ "mkdirat", { at, dir, 01755 }, 0, true },
		{ "mknodat", { at, node, S_IFREG | 04755, 0 }, EPERM, false },
		{ "mknodat", { at, node, S_IFREG | 0755, 0 }, 0, true },
		{ "openat", { at, node, O_CREAT | O_WRONLY, 04755 }, EPERM, false },
		{ "openat", { at, node, O_CREAT | O_WRONLY, 0755 }, 0, true },
		{ "openat", { at, file, O_RDONLY, 06777 }, 0, true },
		{ "openat", { at, (long)(intptr_t)scratch, O_TMPFILE | O_RDWR, 04755 }, EPERM,
		    false },
		{ "socket", { AF_PACKET, SOCK_DGRAM, 0 }, EAFNOSUPPORT, false },
		{ "socket", { AF_ALG, SOCK_SEQPACKET, 0 }, EAFNOSUPPORT, false },
		{ "socket", { AF_VSOCK, SOCK_STREAM, 0 }, EAFNOSUPPORT, false },
		{ "socket", { AF_NETLINK, SOCK_RAW, 9 /* NETLINK_AUDIT */ }, EPROTONOSUPPORT,
		    false },
		{ "socket", { AF_NETLINK, SOCK_RAW, 0 }, 0, true },
		{ "socket", { AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0 }, 0, true },
		{ "socket", { AF_INET6, SOCK_DGRAM, 17 }, 0, true },
		{ "socket", { AF_INET, SOCK_STREAM, 262 /* MPTCP */ }, EPROTONOSUPPORT, false },
		{ "socket", { AF_INET, SOCK_RAW, 1 }, EPERM, false },
		{ "socketpair", { AF_TIPC, SOCK_STREAM, 0, 0 }, EAFNOSUPPORT, false },
		{ "socketpair", { AF_INET, SOCK_STREAM, 132, 0 }, EPROTONOSUPPORT, false },
	};

	for (size_t i = 0; i < COUNT(calls); i++)
		check_real(&calls[i], i);
}

static void make_scratch(void)
{
	const char *tmp = getenv("TMPDIR");
	int fd;

	(void)snprintf(scratch, sizeof scratch, "%.40s/seccomp.XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(scratch) == NULL)
		BAIL("mkdtemp %s: %s", scratch, strerror(errno));
	(void)snprintf(scratch_file, sizeof scratch_file, "%s/file", scratch);
	(void)snprintf(scratch_dir, sizeof scratch_dir, "%s/dir", scratch);
	(void)snprintf(scratch_node, sizeof scratch_node, "%s/node", scratch);
	fd = open(scratch_file, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	if (fd < 0)
		BAIL("%s: %s", scratch_file, strerror(errno));
	close(fd);
}

static void remove_scratch(void)
{
	(void)unlink(scratch_file);
	(void)rmdir(scratch);
}

#ifdef __x86_64__
/* A 32-bit entry from 64-bit code; its numbers mean other calls there (20 is getpid). */
static long int80_getpid(void)
{
	long rc;

	__asm__ volatile("int $0x80" : "=a"(rc) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
	return rc;
}

static int int80_signal(bool has_filter)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		BAIL("fork: %s", strerror(errno));
	if (pid == 0) {
		(void)prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
		if (has_filter && (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0 ||
				      seccomp_install(&full) != 0))
			_exit(200);
		_exit(int80_getpid() == (long)getpid() ? 0 : 1);
	}
	if (waitpid(pid, &status, 0) != pid)
		BAIL("waitpid: %s", strerror(errno));
	return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static void test_int80(void)
{
	if (int80_signal(false) != 0)
		skip("this kernel has no 32-bit entry");
	else
		is_int(int80_signal(true), SIGSYS,
		    "real int 0x80: SIGSYS, and it works without the filter");
}
#endif

/* A filter of an outer container may refuse prctl: seccomp_available() must say so. */
static void test_available(void)
{
	struct seccomp_rules r;
	struct seccomp_rule rule = { .action = SECCOMP_RET_ERRNO | EACCES };
	struct sock_fprog p = { 0 };
	struct err e = ERR_INIT;
	pid_t pid;
	int status;

	is_int(seccomp_available(), 0, "this kernel has filters");
	is_int(seccomp_install(&(struct sock_fprog){ 0, NULL }), -EINVAL,
	    "an empty program is refused");
	seccomp_rules_init(&r);
	rule.nr = seccomp_syscall_number("prctl");
	if (seccomp_rules_add(&r, &rule, &e) != 0 || seccomp_compile(&r, &p, &e) != 0)
		BAIL("%s", e.msg);
	pid = fork();
	if (pid < 0)
		BAIL("fork: %s", strerror(errno));
	if (pid == 0) {
		(void)prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
		_exit(seccomp_install(&p) != 0 ? 200 : -seccomp_available());
	}
	if (waitpid(pid, &status, 0) != pid)
		BAIL("waitpid: %s", strerror(errno));
	is_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, EACCES,
	    "where prctl is refused the reason comes back");
	free(p.filter);
	seccomp_rules_fini(&r);
}

/* ---- printed forms ---- */

static void test_text(void)
{
	struct seccomp_rules r;
	struct err e = ERR_INIT;
	struct buf b;
	const char *s;

	seccomp_rules_init(&r);
	buf_init(&b, LIMIT_SMALL_FILE);
	if (seccomp_rules_builtin(&r, 0, &e) != 0)
		BAIL("%s", e.msg);
	is_int(seccomp_put_text(&r, &b, &e), 0, "the rules are printed");
	s = buf_str(&b, &e);
	ok(s != NULL && strstr(s, "ptrace                   EPERM\n") != NULL &&
		strstr(s, "clone3                   ENOSYS\n") != NULL &&
		strstr(s,
		    "socket                   EAFNOSUPPORT if arg0 not one of 1, 2, 10, 16\n") !=
		    NULL &&
		strstr(s, "arg2 has any of 0x400040 and arg3 has any of 0xc00\n") != NULL &&
		strstr(s, "(unknown calls)          ENOSYS\n") != NULL,
	    "with names, conditions and the answer to unknown calls");
	buf_reset(&b);
	is_int(seccomp_put_bpf_text(&full, &b, &e), 0, "the program is printed");
	s = buf_str(&b, &e);
	ok(s != NULL && strstr(s, "   0: ld   arch\n   1: jeq  0x") != NULL &&
		strstr(s, "ld   arg1.low\n") != NULL && strstr(s, "ret  EAFNOSUPPORT\n") != NULL &&
		strstr(s, "ret  kill the process\n") != NULL && strstr(s, "0x0000") == NULL,
	    "with every instruction known");
	buf_fini(&b);
	buf_init(&b, 100);
	ok(seccomp_put_text(&r, &b, &e) == -1 && e.kind != ERR_NONE, "a full buffer is an error");
	buf_fini(&b);
	seccomp_rules_fini(&r);
}

/* The short way, which every start takes, gives the program that was tested. */
static void test_short_way(unsigned flags, const struct sock_fprog *want, const char *name)
{
	struct sock_fprog got = { 0, NULL };
	struct err e = ERR_INIT;

	is_int(seccomp_compile_builtin(flags, &got, &e), 0, "the built-in program, %s", name);
	ok(got.len == want->len &&
		memcmp(got.filter, want->filter, want->len * sizeof *want->filter) == 0,
	    "is that of its rules, %s", name);
	free(got.filter);
}

int main(void)
{
	make_program(0, &full);
	make_program(SECCOMP_BUILTIN_DENY_INET, &local);
	test_short_way(0, &full, "all");
	test_short_way(SECCOMP_BUILTIN_DENY_INET, &local, "without networks");
	test_table();
	test_whole_calls();
	test_own_header();
	test_architectures();
	test_clone();
	test_sockets();
	test_ioctl();
	test_personality();
	test_modes();
	test_open_modes();
	test_text();
	if (seccomp_available() != 0) {
		skip("this kernel has no system call filters");
	} else {
		make_scratch();
		test_real_calls();
		remove_scratch();
		test_available();
#ifdef __x86_64__
		test_int80();
#endif
	}
	free(full.filter);
	free(local.filter);
	return done_testing();
}
