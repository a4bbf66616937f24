/*
 * Attacks on the kernel's surface: namespaces, mounts, privileged calls, foreign entry points,
 * kernel files, devices. Part of attack.c. As root on the host they must do no harm: calls that
 * cannot be undone get arguments that fail after the privilege check (judge_reach).
 */

/* 11: one namespace flag by unshare, by clone and by clone3. */
static const struct {
	const char *name;
	unsigned flag;
} namespaces[] = {
	{"user", CLONE_NEWUSER}, {"mnt", CLONE_NEWNS}, {"pid", CLONE_NEWPID},
	{"net", CLONE_NEWNET}, {"ipc", CLONE_NEWIPC}, {"uts", CLONE_NEWUTS},
	{"cgroup", 0x02000000}, {"time", 0x00000080},
};

static int try_unshare(long flag)
{
	return errno_of(syscall(SYS_unshare, flag));
}

static int reap(long pid)
{
	if (pid < 0)
		return errno;
	if (pid == 0)
		_exit(0);
	waitpid((pid_t)pid, NULL, 0);
	return 0;
}

static int try_clone(long flag)
{
	return reap(syscall(SYS_clone, (unsigned long)flag | SIGCHLD, 0L, 0L, 0L, 0L));
}

struct clone3_arguments {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
	    set_tid_size, cgroup;
};

static int try_clone3(long flag)
{
	struct clone3_arguments arguments = {.flags = (uint64_t)flag, .exit_signal = SIGCHLD};

	return reap(syscall(NR_CLONE3, &arguments, sizeof(arguments)));
}

static void check_unshare(void)
{
	for (size_t i = 0; i < COUNT(namespaces); i++) {
		const char *name = namespaces[i].name;
		long flag = (long)namespaces[i].flag;

		judge(path_of("11.unshare-%s", name), "seccomp", child_errno(try_unshare, flag),
		    refuse_call);
		if (strcmp(name, "time") != 0)	/* clone(2) takes the low byte for the signal */
			judge(path_of("11.clone-%s", name), "seccomp", child_errno(try_clone, flag),
			    refuse_call);
		judge(path_of("11.clone3-%s", name), "seccomp", child_errno(try_clone3, flag),
		    refuse_call);
	}
	/* Plain clone3 has its flags in memory, where no filter can look: it must be absent. */
	judge("11.clone3-plain", "seccomp", child_errno(try_clone3, 0), (const int[]){ENOSYS, 0});
	/* clone(2) ignores the upper half of the register; a 64-bit compare would not. */
	judge("11.clone-high-bits", "seccomp",
	    child_errno(try_clone, (long)(0x100000000UL | CLONE_NEWUSER)), refuse_call);
}

/* 12: by file and by pidfd; EINVAL (own user namespace) still means that setns was reached. */
static int try_setns_pidfd(long pid)
{
	int pidfd = (int)syscall(NR_PIDFD_OPEN, pid, 0);

	if (pidfd < 0)
		return errno;
	return errno_of(setns(pidfd, CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET));
}

static int try_setns_path(long path)
{
	int fd = open((const char *)path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	return errno_of(setns(fd, 0));
}

static void check_setns(void)
{
	static const char *const owners[] = {"self", "1", "victim"};
	static const char *const files[] = {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup",
		"time"};
	long victim = param_number("victim");

	for (size_t o = 0; o < COUNT(owners); o++) {
		const char *owner = strcmp(owners[o], "victim") == 0 ? param_get("victim") :
		    owners[o];

		for (size_t f = 0; f < COUNT(files); f++) {
			const char *path = path_of("/proc/%s/ns/%s", owner, files[f]);
			int error = child_errno(try_setns_path, (long)(uintptr_t)path);

			judge_reach(path_of("12.%s-%s", owners[o], files[f]), "seccomp",
			    error == ENOENT || error == ESRCH ? EPERM : error, refuse_call);
		}
	}
	judge("12.pidfd-victim", "seccomp", child_errno(try_setns_pidfd, victim), refuse_process);
	judge("12.pidfd-1", "seccomp", child_errno(try_setns_pidfd, 1), refuse_process);
}

/* 13: the old mount API on the project's own "mnt" folder, and on the masks of /proc. */
static int try_mount_tmpfs(long at)
{
	return errno_of(mount("none", (const char *)at, "tmpfs", 0, NULL));
}

static int try_bind(long at)
{
	return errno_of(mount("/etc", (const char *)at, NULL, MS_BIND, NULL));
}

static int try_mount_proc(long at)
{
	return errno_of(mount("proc", (const char *)at, "proc", 0, NULL));
}

static int try_remount(long at)
{
	return errno_of(mount(NULL, (const char *)at, NULL, MS_REMOUNT | MS_BIND, NULL));
}

static int try_share(long at)
{
	return errno_of(mount(NULL, (const char *)at, NULL, MS_SHARED | MS_REC, NULL));
}

static int try_umount(long at)
{
	return errno_of(umount2((const char *)at, MNT_DETACH));
}

static int try_pivot(long at)
{
	return errno_of(syscall(SYS_pivot_root, (const char *)at, (const char *)at));
}

static int try_chroot(long at)
{
	return errno_of(chroot((const char *)at));
}

static int try_path(int (*attempt)(long), const char *path)
{
	return child_errno(attempt, (long)(uintptr_t)path);
}

static void check_mount(void)
{
	static const char *const masks[] = {"/proc/kcore", "/proc/keys", "/proc/timer_list",
		"/proc/sys", "/proc/sysrq-trigger", "/etc", "/usr", "/proc", "/dev"};
	const char *at = path_of("%s/mnt", param_get("root"));

	judge("13.tmpfs", "seccomp", try_path(try_mount_tmpfs, at), refuse_call);
	judge("13.bind", "seccomp", try_path(try_bind, at), refuse_call);
	judge("13.proc", "seccomp", try_path(try_mount_proc, at), refuse_call);
	judge_reach("13.share-root", "seccomp", try_path(try_share, "/nonexistent"), refuse_call);
	judge_reach("13.remount-writable", "seccomp", try_path(try_remount, param_get("ro")),
	    refuse_call);
	judge("13.chroot", "capabilities", try_path(try_chroot, at), refuse_call);
	for (size_t i = 0; i < COUNT(masks); i++)
		judge_reach(path_of("13.umount-%s", masks[i] + 1), "seccomp",
		    try_path(try_umount, masks[i]), refuse_call);
	judge_reach("13.pivot_root", "seccomp", try_path(try_pivot, at), refuse_call);
}

/* 14: the new mount API, each call by itself. */
static int try_fsopen(long unused)
{
	(void)unused;
	return errno_of(syscall(NR_FSOPEN, "tmpfs", 0));
}

static int try_open_tree(long flags)
{
	return errno_of(syscall(NR_OPEN_TREE, AT_FDCWD, "/etc", flags));
}

static int try_open_tree_attr(long flags)
{
	uint64_t attr[4] = {0};

	return errno_of(syscall(NR_OPEN_TREE_ATTR, AT_FDCWD, "/etc", flags, attr, sizeof(attr)));
}

static int try_mount_setattr(long unused)
{
	uint64_t attr[4] = {0};

	(void)unused;
	return errno_of(syscall(NR_MOUNT_SETATTR, AT_FDCWD, "/", 0, attr, sizeof(attr)));
}

static int try_move_mount(long unused)
{
	(void)unused;
	return errno_of(syscall(NR_MOVE_MOUNT, AT_FDCWD, "/nonexistent", AT_FDCWD, "/nonexistent",
	    0));
}

static int try_fsconfig(long unused)
{
	(void)unused;
	return errno_of(syscall(NR_FSCONFIG, -1, 6, NULL, NULL, 0));
}

static int try_fsmount(long unused)
{
	(void)unused;
	return errno_of(syscall(NR_FSMOUNT, -1, 0, 0));
}

static int try_fspick(long unused)
{
	(void)unused;
	return errno_of(syscall(NR_FSPICK, AT_FDCWD, "/", 0));
}

static void check_new_mount(void)
{
	judge("14.open_tree", "seccomp", child_errno(try_open_tree, 0), refuse_call);
	judge("14.open_tree-clone", "seccomp", child_errno(try_open_tree, 1), refuse_call);
	judge_reach("14.open_tree_attr", "seccomp", child_errno(try_open_tree_attr, 1),
	    refuse_call);
	judge("14.fsopen", "seccomp", child_errno(try_fsopen, 0), refuse_call);
	judge_reach("14.fsconfig", "seccomp", child_errno(try_fsconfig, 0), refuse_call);
	judge_reach("14.fsmount", "seccomp", child_errno(try_fsmount, 0), refuse_call);
	judge("14.fspick", "seccomp", child_errno(try_fspick, 0), refuse_call);
	judge_reach("14.move_mount", "seccomp", child_errno(try_move_mount, 0),
	    (const int[]){EPERM, ENOSYS, 0});
	judge("14.mount_setattr", "seccomp", child_errno(try_mount_setattr, 0), refuse_call);
}

/*
 * 15: arguments that fail behind the privilege check. A number that this architecture lacks is -1
 * and answers ENOSYS, which the control shows as not applicable.
 */
#ifndef SYS_kexec_file_load
#define SYS_kexec_file_load -1
#endif
#ifndef SYS_modify_ldt
#define SYS_modify_ldt -1
#endif
#ifndef SYS_ioperm
#define SYS_ioperm -1
#endif
#ifndef SYS_iopl
#define SYS_iopl -1
#endif
#ifndef SYS_lookup_dcookie
#define SYS_lookup_dcookie -1
#endif
#ifndef SYS_nfsservctl
#define SYS_nfsservctl -1
#endif
#ifndef SYS_uselib
#define SYS_uselib -1
#endif
#ifndef SYS__sysctl
#define SYS__sysctl -1
#endif

struct plain_call {
	const char *name;
	long number;
	long arguments[6];
};

#define BAD_PATH ((long)(uintptr_t)"/nonexistent/attack")
#define BAD_POINTER 8L

static const struct plain_call *plain;

static int try_plain(long unused)
{
	const long *a = plain->arguments;

	(void)unused;
	setsid();	/* vhangup must find no terminal */
	return errno_of(syscall(plain->number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

static void judge_plain(const char *group, const char *layers, const struct plain_call *list,
    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		plain = &list[i];
		judge_reach(path_of("%s.%s", group, plain->name), layers, child_errno(try_plain, 0),
		    refuse_call);
	}
}

static void check_privileged_calls(void)
{
	static uint8_t bpf_attr[128] = {2 /* array */, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 1};
	static uint8_t perf_attr[112] = {1 /* software */, 0, 0, 0, 112};
	const struct plain_call list[] = {
		{"bpf", SYS_bpf, {0, (long)(uintptr_t)bpf_attr, sizeof(bpf_attr)}},
		{"perf_event_open", SYS_perf_event_open, {(long)(uintptr_t)perf_attr, 0, -1, -1}},
		{"userfaultfd", SYS_userfaultfd, {1 /* user mode only */}},
		{"add_key", SYS_add_key, {(long)(uintptr_t)"user", (long)(uintptr_t)"attack",
		    (long)(uintptr_t)"x", 1, -1 /* thread keyring */}},
		{"request_key", SYS_request_key, {(long)(uintptr_t)"user",
		    (long)(uintptr_t)"attack", 0, 0}},
		{"keyctl", SYS_keyctl, {0, -3, 0}},
		{"keyctl-join", SYS_keyctl, {1, 0}},
		{"kexec_load", SYS_kexec_load, {0, 0, 0, -1}},
		{"kexec_file_load", SYS_kexec_file_load, {-1, -1, 0, 0, -1}},
		{"init_module", SYS_init_module, {BAD_POINTER, 1, BAD_POINTER}},
		{"finit_module", SYS_finit_module, {-1, BAD_POINTER, 0}},
		{"delete_module", SYS_delete_module, {BAD_PATH, O_NONBLOCK}},
		{"swapon", SYS_swapon, {BAD_PATH, 0}},
		{"swapoff", SYS_swapoff, {BAD_PATH}},
		{"reboot", SYS_reboot, {1, 2, 3}},
		{"acct", SYS_acct, {BAD_PATH}},
		{"quotactl", SYS_quotactl, {(long)0x80000800U, BAD_PATH, 0, BAD_POINTER}},
		{"quotactl_fd", NR_QUOTACTL_FD, {-1, (long)0x80000800U, 0, BAD_POINTER}},
		{"lookup_dcookie", SYS_lookup_dcookie, {0, 0, 0}},
		{"syslog-read", SYS_syslog, {3, 0, 0}},
		{"syslog-size", SYS_syslog, {10, 0, 0}},
		{"vhangup", SYS_vhangup, {0}},
		{"ioperm", SYS_ioperm, {0x70, 1, 1}},
		{"iopl", SYS_iopl, {3}},
		{"modify_ldt", SYS_modify_ldt, {0, 0, 0}},
		{"nfsservctl", SYS_nfsservctl, {0}},
		{"uselib", SYS_uselib, {BAD_PATH}},
		{"_sysctl", SYS__sysctl, {0}},
		{"kcmp", SYS_kcmp, {getpid(), getpid(), 0, 0, 1}},
		{"ptrace-peek", SYS_ptrace, {PTRACE_PEEKUSER, getppid(), 0, 0}},
		{"mbind", SYS_mbind, {0, 0, 0, 0, 0, 0}},
		{"set_mempolicy", SYS_set_mempolicy, {0, 0, 0}},
		{"set_mempolicy_home_node", NR_SET_MEMPOLICY_HOME_NODE, {0, 0, 0, 0}},
		{"migrate_pages", SYS_migrate_pages, {0, 0, 0, 0}},
		{"move_pages", SYS_move_pages, {0, 0, 0, 0, 0, 0}},
		{"fanotify_init", SYS_fanotify_init, {0, 0}},
	};

	judge_plain("15", "seccomp", list, COUNT(list));
	judge("15.dev-userfaultfd", "view", open_errno("/dev/userfaultfd", O_RDWR), refuse_read);
}

/* 16: each of the three calls; a ring would carry socket() and openat2() past the filter. */
static void check_io_uring(void)
{
	static uint8_t ring_params[120];
	const struct plain_call list[] = {
		{"setup", NR_IO_URING_SETUP, {4, (long)(uintptr_t)ring_params}},
		{"enter", NR_IO_URING_ENTER, {-1, 0, 0, 0, 0, 0}},
		{"register", NR_IO_URING_REGISTER, {-1, 0, 0, 0}},
	};

	judge_plain("16", "seccomp", list, COUNT(list));
}

/* 17 */
static int try_personality(long value)
{
	int old = personality(0xffffffff);

	if (old < 0)
		return errno;
	return errno_of(personality((unsigned long)(unsigned)old | (unsigned long)value));
}

static void check_personality(void)
{
	judge("17.no-randomize", "seccomp", child_errno(try_personality, 0x0040000), refuse_call);
	judge("17.read-implies-exec", "seccomp", child_errno(try_personality, 0x0400000),
	    refuse_call);
	judge("17.linux32", "seccomp", child_errno(try_personality, 0x0008), refuse_call);
	/* Asking must work: glibc and setarch(8) do it. The refusal would be the defect. */
	if (personality(0xffffffff) < 0)
		report(SUCCEEDED, "17.query-refused", "seccomp", "%s", strerror(errno));
	else
		report(BLOCKED, "17.query-refused", "seccomp", "the query works");
}

/* 18: "shocker": the root inode of ext4 is 2, its generation 0, so a handle can be guessed. */
struct handle {
	unsigned bytes;
	int type;
	uint32_t inode, generation;
	uint8_t room[120];
};

static int try_forged_handle(long path)
{
	struct handle handle = {.bytes = 8, .type = 1, .inode = 2, .generation = 0};
	struct stat status;
	int mount_fd = open((const char *)path, O_RDONLY | O_CLOEXEC);
	int fd;

	if (mount_fd < 0)
		return errno;
	fd = (int)syscall(SYS_open_by_handle_at, mount_fd, &handle, O_RDONLY);
	if (fd < 0)
		return errno;
	return fstat(fd, &status) == 0 && status.st_ino == 2 ? 0 : EDOM;
}

static int try_name_handle(long path)
{
	struct handle handle = {.bytes = sizeof(handle) - 8};
	int mount_id;

	return errno_of(syscall(SYS_name_to_handle_at, AT_FDCWD, (const char *)path, &handle,
	    &mount_id, 0));
}

static void check_handles(void)
{
	judge("18.open_by_handle_at", "seccomp", try_path(try_forged_handle, param_get("root")),
	    refuse_call);
	judge("18.name_to_handle_at", "seccomp", try_path(try_name_handle, param_get("root")),
	    refuse_call);
}

/* 22: a filter of one's own can only add refusals, however late it comes (seccomp(2)). */
static int install_filter(unsigned flags, uint32_t action)
{
	struct sock_filter insn[] = {BPF_STMT(BPF_RET | BPF_K, action)};
	struct sock_fprog prog = {.len = COUNT(insn), .filter = insn};

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);
}

static int try_allow_all(long unused)
{
	(void)unused;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || install_filter(0, SECCOMP_RET_ALLOW) < 0)
		return errno;
	return errno_of(syscall(SYS_unshare, CLONE_NEWUSER));
}

/* A notifier that answers "continue" to every unshare of its child. */
static int try_listener(long unused)
{
	static const uint32_t notify = SECCOMP_RET_USER_NOTIF;
	struct sock_filter insn[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, notify),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = COUNT(insn), .filter = insn};
	struct seccomp_notif request;
	struct seccomp_notif_resp answer;
	int listener;
	int status;
	pid_t pid;

	(void)unused;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return errno;
	listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	    SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog);
	if (listener < 0)
		return errno == EBUSY ? EPERM : errno;
	pid = fork();
	if (pid == 0)
		_exit(errno_of(syscall(SYS_unshare, CLONE_NEWUSER)) & 0xff);
	/* A stronger filter answers before us: then no request comes and the child just ends. */
	for (int i = 0; i < 200; i++) {
		struct pollfd ready = {.fd = listener, .events = POLLIN};

		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
		if (poll(&ready, 1, 5) != 1 || !(ready.revents & POLLIN))
			continue;
		memset(&request, 0, sizeof(request));
		memset(&answer, 0, sizeof(answer));
		if (syscall(SYS_ioctl, listener, SECCOMP_IOCTL_NOTIF_RECV, &request) < 0)
			continue;
		answer.id = request.id;
		answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		syscall(SYS_ioctl, listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
	return ECHILD;
}

static void check_own_filter(void)
{
	judge("22.allow-all", "seccomp", child_errno(try_allow_all, 0), refuse_call);
	judge("22.listener", "seccomp", child_errno(try_listener, 0), refuse_call);
}

/*
 * 23: other entries into the same kernel. A filter that knows only x86-64 numbers sees unshare as
 * number 310 of i386 or with bit 30 set (x32). SIGSYS or SIGSEGV ends the child: also refused.
 */
#if defined(__x86_64__)
static long int80(long number, long argument)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(argument)
	    : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static int try_int80_getpid(long unused)
{
	(void)unused;
	return int80(20, 0) == getpid() ? 0 : EPERM;
}

static int try_int80_unshare(long unused)
{
	long result = int80(310, CLONE_NEWUSER);

	(void)unused;
	return result < 0 ? (int)-result : 0;
}

static int try_x32_unshare(long unused)
{
	(void)unused;
	return errno_of(syscall(0x40000000L | SYS_unshare, CLONE_NEWUSER));
}
#endif

static void check_foreign_entry(void)
{
#if defined(__x86_64__)
	/* EFAULT is child_errno's word for a child that a signal ended. */
	static const int refused[] = {EPERM, ENOSYS, EACCES, EFAULT, 0};

	judge("23.int80-getpid", "seccomp", child_errno(try_int80_getpid, 0), refused);
	judge("23.int80-unshare", "seccomp", child_errno(try_int80_unshare, 0), refused);
	judge("23.x32-unshare", "seccomp", child_errno(try_x32_unshare, 0), refused);
#else
	report(NOT_APPLICABLE, "23.foreign-entry", "seccomp", "this architecture has one entry");
#endif
}

/* 30: sets the clock to what it shows. */
static int try_clock_settime(long unused)
{
	struct timespec now;

	(void)unused;
	clock_gettime(CLOCK_REALTIME, &now);
	return errno_of(syscall(SYS_clock_settime, CLOCK_REALTIME, &now));
}

static int try_settimeofday(long unused)
{
	struct timeval now;

	(void)unused;
	gettimeofday(&now, NULL);
	return errno_of(syscall(SYS_settimeofday, &now, NULL));
}

static int try_adjtimex(long is_clock_call)
{
	struct timex state = {.modes = 0};

	if (syscall(SYS_adjtimex, &state) < 0)
		return errno;
	state.modes = ADJ_FREQUENCY;	/* back to the value just read */
	if (is_clock_call)
		return errno_of(syscall(SYS_clock_adjtime, CLOCK_REALTIME, &state));
	return errno_of(syscall(SYS_adjtimex, &state));
}

static void check_clock(void)
{
	judge("30.clock_settime", "seccomp", child_errno(try_clock_settime, 0), refuse_call);
	judge("30.settimeofday", "seccomp", child_errno(try_settimeofday, 0), refuse_call);
	judge("30.adjtimex", "seccomp", child_errno(try_adjtimex, 0), refuse_call);
	judge("30.clock_adjtime", "seccomp", child_errno(try_adjtimex, 1), refuse_call);
}

/* 31: on every descriptor that is a terminal; one that answers ENOTTY has let the call through. */
static void judge_terminal(const char *attempt, unsigned long request, char argument)
{
	static const int refused[] = {EPERM, EACCES, EIO, ENOSYS, 0};
	int fds[] = {0, 1, 2, open("/dev/tty", O_RDWR | O_CLOEXEC | O_NONBLOCK)};
	bool has_terminal = false;
	int error = EPERM;

	for (size_t i = 0; i < COUNT(fds) && is_one_of(error, refused); i++) {
		char byte[2] = {argument, 0};

		if (fds[i] < 0 || !isatty(fds[i]))
			continue;
		has_terminal = true;
		error = errno_of(syscall(SYS_ioctl, fds[i], request, byte));
	}
	if (fds[3] >= 0)
		close(fds[3]);
	if (has_terminal)
		judge_reach(attempt, "seccomp", error, refused);
	else
		report(BLOCKED, attempt, "seccomp", "no terminal to attack");
}

static void check_tty_inject(void)
{
	judge_terminal("31.TIOCSTI", 0x5412, 'x');
	judge_terminal("31.TIOCSTI-high-bits", 0x100005412UL, 'x');
	judge_terminal("31.TIOCLINUX-2", 0x541c, '\002');
	judge_terminal("31.TIOCLINUX-3", 0x541c, '\003');
	judge_terminal("31.TIOCLINUX-high-bits", 0x10000541cUL, '\003');
}

/* 33 */
static int try_setscheduler(long policy)
{
	struct sched_param param = {.sched_priority = 1};

	return errno_of(syscall(SYS_sched_setscheduler, 0, policy, &param));
}

static int try_setattr(long policy)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attr = {.size = 48, .policy = (uint32_t)policy, .priority = policy == 6 ? 0 : 1};

	if (policy == 6) {
		attr.runtime = 1000000;
		attr.deadline = attr.period = 100000000;
	}
	return errno_of(syscall(SYS_sched_setattr, 0, &attr, 0));
}

static int try_nice(long value)
{
	return errno_of(setpriority(PRIO_PROCESS, 0, (int)value));
}

static int try_ioprio(long class)
{
	return errno_of(syscall(SYS_ioprio_set, 1, 0, class << 13 | 1));
}

static int try_mlock(long bytes)
{
	void *area = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return area == MAP_FAILED ? errno : errno_of(mlock(area, (size_t)bytes));
}

static void check_scheduler(void)
{
	static const int limited[] = {EPERM, ENOSYS, EACCES, ENOMEM, EAGAIN, 0};

	judge("33.setscheduler-fifo", "capabilities", child_errno(try_setscheduler, SCHED_FIFO),
	    refuse_call);
	judge("33.setscheduler-rr", "capabilities", child_errno(try_setscheduler, SCHED_RR),
	    refuse_call);
	judge("33.setattr-fifo", "capabilities", child_errno(try_setattr, SCHED_FIFO), refuse_call);
	judge("33.setattr-deadline", "capabilities", child_errno(try_setattr, 6), refuse_call);
	judge("33.nice", "capabilities", child_errno(try_nice, -20), refuse_call);
	judge("33.ioprio-realtime", "capabilities", child_errno(try_ioprio, 1), refuse_call);
	judge("33.mlock-64m", "capabilities", child_errno(try_mlock, 64L << 20), limited);
}

/* 34: the script looks at the host's name afterwards. */
static int try_hostname(long unused)
{
	(void)unused;
	return errno_of(sethostname("attacked", 8));
}

static int try_domainname(long unused)
{
	(void)unused;
	return errno_of(setdomainname("attacked", 8));
}

static void check_host_name(void)
{
	judge("34.sethostname", "seccomp", child_errno(try_hostname, 0), refuse_call);
	judge("34.setdomainname", "seccomp", child_errno(try_domainname, 0), refuse_call);
	judge("34.proc-hostname", "proc+landlock",
	    open_errno("/proc/sys/kernel/hostname", O_WRONLY), refuse_write);
}

/* 35: objects that the victim made, found by their well-known keys. */
static void check_ipc(void)
{
	static const int refused[] = {ENOENT, EACCES, EPERM, ENOSYS, EINVAL, 0};
	key_t key = (key_t)param_number("ipc_key");
	struct mq_attr attr;
	int id = shmget(key, 0, 0);
	const char *area = id < 0 ? (void *)-1 : shmat(id, NULL, 0);
	mqd_t queue;

	if (area == (void *)-1)
		judge("35.shm", "ipc_ns", errno, refused);
	else if (strstr(area, canary()) != NULL)
		report(SUCCEEDED, "35.shm", "ipc_ns", "canary read");
	else
		report(BROKEN, "35.shm", "ipc_ns", "no canary in the segment");
	judge("35.sem", "ipc_ns", errno_of(semget(key, 0, 0)), refused);
	judge("35.msg", "ipc_ns", errno_of(msgget(key, 0)), refused);
	judge("35.shm-by-stat", "ipc_ns",
	    errno_of(shmctl(0, 13 /* SHM_STAT */, &(struct shmid_ds){.shm_nattch = 0})), refused);
	queue = mq_open(param_get("mq"), O_RDONLY | O_NONBLOCK);
	judge("35.mq", "ipc_ns", queue == (mqd_t)-1 ? errno : errno_of(mq_getattr(queue, &attr)),
	    refused);
	judge_read("35.dev-shm", "view", path_of("/dev/shm%s", param_get("mq")));
}

/* 36: opens for writing and writes back what it read; triggers are only opened. */
static int write_back(const char *path)
{
	ssize_t length = read_path(path);
	int error = 0;
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	if (length > 0 && write(fd, read_buffer, (size_t)length) < 0)
		error = errno;
	close(fd);
	return error;
}

static int try_text(const char *path, const char *text)
{
	int error = 0;
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		error = errno;
	close(fd);
	return error;
}

static void check_proc_write(void)
{
	static const char *const values[] = {"kernel/core_pattern", "kernel/modprobe",
		"vm/overcommit_memory", "vm/swappiness", "kernel/panic", "kernel/printk",
		"kernel/randomize_va_space", "fs/suid_dumpable", "kernel/pid_max",
		"net/ipv4/ip_local_port_range", "fs/binfmt_misc/register"};
	static const char *const triggers[] = {"/proc/sysrq-trigger",
		"/proc/irq/default_smp_affinity", "/proc/sys/vm/drop_caches",
		"/proc/sys/vm/compact_memory", "/proc/acpi/wakeup",
		"/proc/mtrr", "/proc/bus/pci/devices", "/proc/scsi/scsi"};

	for (size_t i = 0; i < COUNT(values); i++)
		judge(path_of("36.%s", values[i]), "proc+landlock",
		    write_back(path_of("/proc/sys/%s", values[i])), refuse_write);
	for (size_t i = 0; i < COUNT(triggers); i++)
		judge(path_of("36%s", triggers[i]), "proc+landlock",
		    open_errno(triggers[i], O_WRONLY), refuse_write);
	judge("36.uid_map", "proc+landlock", try_text("/proc/self/uid_map", "0 0 4294967295"),
	    refuse_write);
	judge("36.setgroups", "proc+landlock", try_text("/proc/self/setgroups", "allow"),
	    refuse_write);
	judge("36.attr-exec", "proc+landlock", try_text("/proc/self/attr/exec", "x"),
	    (const int[]){EPERM, EACCES, ENOENT, EROFS, EINVAL, 0});
	judge("36.oom_score_adj", "proc+landlock", try_text("/proc/self/oom_score_adj", "-1000"),
	    refuse_write);
}

/* 37: gone, refused, empty or zeroed. */
static bool is_worthless(ssize_t length)
{
	for (ssize_t i = 0; i < length; i++)
		if (read_buffer[i] != '\0')
			return false;
	return true;
}

/* kallsyms and iomem show their lines to everybody but their numbers only to the privileged. */
static bool has_address(ssize_t length)
{
	ssize_t i = 0;

	while (i < length) {
		if (strchr("123456789abcdef", read_buffer[i]) != NULL && read_buffer[i] != '\0')
			return true;
		while (i < length && strchr("0123456789abcdef-", read_buffer[i]) != NULL)
			if (read_buffer[i++] > '0')
				return true;
		while (i < length && read_buffer[i++] != '\n')
			;
		while (i < length && read_buffer[i] == ' ')
			i++;
	}
	return false;
}

static void judge_kernel_file(const char *path, bool is_address_table)
{
	const char *name = path_of("37%s", path);
	ssize_t length = read_path(path);

	if (length < 0)
		judge(name, "proc", errno, (const int[]){EPERM, EACCES, ENOENT, EIO, ENXIO, EAGAIN,
		    EINVAL, ENODEV, 0});
	else if (is_worthless(length) || (is_address_table && !has_address(length)))
		report(BLOCKED, name, "proc", "%zd bytes, nothing in them", length);
	else
		report(SUCCEEDED, name, "proc", "%zd bytes read", length);
}

/* Only opened: reading would take the messages away from the host's logger. */
static int open_unmasked(const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_masked;

	if (fd < 0)
		return errno;
	is_masked = fstat(fd, &status) == 0 && S_ISCHR(status.st_mode);
	close(fd);
	return is_masked ? ENOENT : 0;	/* masked: /dev/null stands in its place */
}

static void check_proc_read(void)
{
	static const char *const files[] = {"/proc/kcore", "/dev/kmsg", "/proc/keys",
		"/proc/timer_list", "/proc/sched_debug", "/proc/slabinfo", "/proc/vmallocinfo",
		"/proc/pagetypeinfo", "/proc/kpageflags", "/proc/kpagecount", "/proc/kpagecgroup",
		"/sys/kernel/debug/sched/debug", "/sys/firmware/acpi/tables/DSDT"};

	for (size_t i = 0; i < COUNT(files); i++)
		judge_kernel_file(files[i], false);
	judge("37/proc/kmsg", "proc", open_unmasked("/proc/kmsg"), refuse_read);
	judge_kernel_file("/proc/kallsyms", true);
	judge_kernel_file("/proc/iomem", true);
	judge_kernel_file("/proc/modules", true);
}

/* 38: in every hierarchy: join the root group, make a group, set a release agent. */
static void check_cgroup_write(void)
{
	static const char *const groups[] = {"", "memory/", "pids/", "cpu/", "devices/", "freezer/",
		"unified/", "systemd/"};

	for (size_t i = 0; i < COUNT(groups); i++) {
		const char *base = path_of("/sys/fs/cgroup/%s", groups[i]);
		const char *made = path_of("%sattack", base);

		judge(path_of("38.%sprocs", groups[i]), "view+landlock",
		    open_errno(path_of("%scgroup.procs", base), O_WRONLY), refuse_write);
		judge(path_of("38.%smkdir", groups[i]), "view+landlock",
		    errno_of(mkdir(made, 0700)), refuse_write);
		rmdir(made);
	}
	judge("38.release_agent", "view+landlock",
	    open_errno("/sys/fs/cgroup/memory/release_agent", O_WRONLY), refuse_write);
	judge("38.memory-limit", "view+landlock",
	    open_errno("/sys/fs/cgroup/memory/memory.limit_in_bytes", O_WRONLY), refuse_write);
}

/* 39: making nodes, and opening the ones that root left in the project. */
static int try_node(const char *folder, mode_t mode, dev_t device)
{
	const char *node = path_of("%s/attack-node", folder);
	int error = errno_of(mknod(node, mode | 0666, device));

	unlink(node);
	return error;
}

static void check_devices(void)
{
	const char *root = param_get("root");
	static const char *const folders[] = {"/tmp", "/dev/shm", "/dev"};

	judge("39.mknod-mem", "capabilities", try_node(root, S_IFCHR, makedev(1, 1)),
	    refuse_write);
	judge("39.mknod-disk", "capabilities", try_node(root, S_IFBLK, makedev(8, 0)),
	    refuse_write);
	judge("39.mknod-tty", "capabilities", try_node(root, S_IFCHR, makedev(5, 0)),
	    refuse_write);
	for (size_t i = 0; i < COUNT(folders); i++)
		judge(path_of("39.mknod-in-%s", folders[i] + 1), "capabilities",
		    try_node(folders[i], S_IFCHR, makedev(1, 1)), refuse_write);
	judge("39.open-char-node", "mount_ns", open_errno(path_of("%s/node-zero", root), O_RDWR),
	    refuse_write);
	judge("39.open-block-node", "mount_ns", open_errno(path_of("%s/node-disk", root), O_RDONLY),
	    refuse_write);
}

/* 40: what /dev lists, and whether any other node can be opened by its usual name. */
static void check_dev_list(void)
{
	/* "core" is bwrap's link to /proc/kcore, which 37 reads. */
	static const char *const expected[] = {".", "..", "null", "zero", "full", "random",
		"urandom", "tty", "ptmx", "pts", "shm", "fd", "stdin", "stdout", "stderr",
		"core"};
	static const char *const nodes[] = {"fuse", "kvm", "loop0", "loop-control", "net/tun",
		"vsock", "vhost-net", "kmsg", "mem", "port", "vda", "ttyS0", "tty0", "console",
		"userfaultfd", "hwrng", "autofs", "zram0", "vga_arbiter", "cpu_dma_latency",
		"cpu/0/msr", "rtc0"};
	char extra[64] = "";
	DIR *dir = opendir("/dev");

	if (dir == NULL) {
		judge("40.list", "mount_ns", errno, refuse_read);
	} else {
		for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
			size_t i = 0;

			while (i < COUNT(expected) && strcmp(expected[i], entry->d_name) != 0)
				i++;
			if (i == COUNT(expected))
				snprintf(extra, sizeof(extra), "%.60s", entry->d_name);
		}
		closedir(dir);
		report(extra[0] == '\0' ? BLOCKED : SUCCEEDED, "40.list", "mount_ns", "extra: %s",
		    extra[0] == '\0' ? "none" : extra);
	}
	for (size_t i = 0; i < COUNT(nodes); i++) {
		const char *path = path_of("/dev/%s", nodes[i]);
		int error = open_errno(path, O_RDONLY);

		/* EIO, EBUSY, ENXIO: the driver itself answered (a console without a terminal). */
		judge(path_of("40.%s", nodes[i]), "view", error == ENODEV ? ENOENT : error,
		    refuse_read);
	}
}
