/*
 * Attacks on files: what is read-only, what is hidden, links, devices, set-id modes, the caller's
 * descriptors. Part of attack.c. The script builds the folders fresh for each run:
 *	root/	the project, writable		ro/	files of the caller, given by --ro
 *	outside/ never granted			secret	a file in outside/ that holds the canary
 */

/* 41: each change works on a name of its own, so that one success does not spoil the next. */
struct change {
	const char *name;
	const char *layers;
	int (*attempt)(const char *folder);
};

static int change_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int change_write(const char *folder)
{
	return change_open(path_of("%s/write", folder), O_WRONLY);
}

static int change_read_write(const char *folder)
{
	return change_open(path_of("%s/write", folder), O_RDWR);
}

static int change_append(const char *folder)
{
	return change_open(path_of("%s/write", folder), O_WRONLY | O_APPEND);
}

static int change_truncate_open(const char *folder)
{
	return change_open(path_of("%s/trunc-open", folder), O_RDONLY | O_TRUNC);
}

static int change_create(const char *folder)
{
	return change_open(path_of("%s/created", folder), O_WRONLY | O_CREAT | O_EXCL);
}

static int change_tmpfile(const char *folder)
{
	return change_open(folder, O_RDWR | O_TMPFILE);
}

static int change_truncate(const char *folder)
{
	return errno_of(truncate(path_of("%s/trunc", folder), 1));
}

static int change_rename(const char *folder)
{
	return errno_of(rename(path_of("%s/rename", folder), path_of("%s/renamed", folder)));
}

static int change_rename_out(const char *folder)
{
	return errno_of(rename(path_of("%s/rename-out", folder),
	    path_of("%s/moved-out", param_get("root"))));
}

static int change_rename_in(const char *folder)
{
	const char *source = path_of("%s/mover", param_get("root"));

	change_open(source, O_WRONLY | O_CREAT);
	return errno_of(rename(source, path_of("%s/rename-over", folder)));
}

static int change_exchange(const char *folder)
{
	const char *source = path_of("%s/exchange", param_get("root"));

	change_open(source, O_WRONLY | O_CREAT);
	return errno_of(syscall(SYS_renameat2, AT_FDCWD, source, AT_FDCWD,
	    path_of("%s/exchange", folder), 2 /* RENAME_EXCHANGE */));
}

static int change_unlink(const char *folder)
{
	return errno_of(unlink(path_of("%s/unlink", folder)));
}

static int change_rmdir(const char *folder)
{
	return errno_of(rmdir(path_of("%s/rmdir", folder)));
}

static int change_mkdir(const char *folder)
{
	return errno_of(mkdir(path_of("%s/mkdir", folder), 0700));
}

static int change_symlink(const char *folder)
{
	return errno_of(symlink("/etc/passwd", path_of("%s/symlink", folder)));
}

static int change_mkfifo(const char *folder)
{
	return errno_of(mkfifo(path_of("%s/fifo", folder), 0600));
}

static int change_bind(const char *folder)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return errno == EAFNOSUPPORT ? EACCES : errno; /* no socket at all */
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
	error = errno_of(bind(fd, (struct sockaddr *)&address, sizeof(address)));
	close(fd);
	return error;
}

static int change_link(const char *folder)
{
	return errno_of(link(path_of("%s/link", folder), path_of("%s/linked", folder)));
}

/* A second name in the writable tree would be a writable way to the same inode. */
static int change_link_out(const char *folder)
{
	return errno_of(link(path_of("%s/link", folder), path_of("%s/linked", param_get("root"))));
}

static int change_map(const char *folder)
{
	int fd = open(path_of("%s/write", folder), O_RDWR | O_CLOEXEC);
	void *area;

	if (fd < 0)
		return errno;
	area = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return area == MAP_FAILED ? errno : 0;
}

static int change_allocate(const char *folder)
{
	int fd = open(path_of("%s/write", folder), O_WRONLY | O_CLOEXEC);
	int error;

	if (fd < 0)
		return errno;
	error = errno_of(fallocate(fd, 0, 0, 8192));
	close(fd);
	return error;
}

static int change_chmod(const char *folder)
{
	return errno_of(chmod(path_of("%s/meta", folder), 0640));
}

static int change_chown(const char *folder)
{
	return errno_of(chown(path_of("%s/meta", folder), getuid(), getgid()));
}

static int change_times(const char *folder)
{
	return errno_of(utimensat(AT_FDCWD, path_of("%s/meta", folder), NULL, 0));
}

static int change_setxattr(const char *folder)
{
	return errno_of(setxattr(path_of("%s/meta", folder), "user.attack", "x", 1, 0));
}

static int change_removexattr(const char *folder)
{
	return errno_of(removexattr(path_of("%s/meta", folder), "user.kept"));
}

/* A descriptor opened for reading is enough for these on a writable mount. */
static int with_reader(const char *folder, int (*change)(int fd))
{
	int fd = open(path_of("%s/meta", folder), O_RDONLY | O_CLOEXEC);
	int error;

	if (fd < 0)
		return errno;
	error = errno_of(change(fd));
	close(fd);
	return error;
}

static int reader_chmod(int fd)
{
	return fchmod(fd, 0600);
}

static int reader_times(int fd)
{
	return futimens(fd, NULL);
}

static int reader_setxattr(int fd)
{
	return fsetxattr(fd, "user.attack", "y", 1, 0);
}

static int reader_flags(int fd)
{
	long flags = 0;

	if (syscall(SYS_ioctl, fd, 0x80086601UL /* FS_IOC_GETFLAGS */, &flags) < 0)
		return -1;
	flags |= 0x40;	/* FS_NODUMP_FL needs no privilege */
	return ioctl(fd, 0x40086602 /* FS_IOC_SETFLAGS */, &flags);
}

static int change_fchmod(const char *folder)
{
	return with_reader(folder, reader_chmod);
}

static int change_futimens(const char *folder)
{
	return with_reader(folder, reader_times);
}

static int change_fsetxattr(const char *folder)
{
	return with_reader(folder, reader_setxattr);
}

static int change_flags(const char *folder)
{
	return with_reader(folder, reader_flags);
}

static const struct change changes[] = {
	{"write", "view", change_write},
	{"read-write", "view", change_read_write},
	{"append", "view", change_append},
	{"truncate-on-open", "view", change_truncate_open},
	{"create", "view", change_create},
	{"tmpfile", "view", change_tmpfile},
	{"truncate", "view", change_truncate},
	{"rename", "view", change_rename},
	{"rename-out", "view", change_rename_out},
	{"rename-in", "view", change_rename_in},
	{"exchange", "view", change_exchange},
	{"unlink", "view", change_unlink},
	{"rmdir", "view", change_rmdir},
	{"mkdir", "view", change_mkdir},
	{"symlink", "view", change_symlink},
	{"mkfifo", "view", change_mkfifo},
	{"bind-socket", "view", change_bind},
	{"link", "view", change_link},
	{"link-out", "view", change_link_out},
	{"map-shared", "view", change_map},
	{"fallocate", "view", change_allocate},
	{"chmod", "metadata", change_chmod},
	{"fchmod", "metadata", change_fchmod},
	{"chown", "metadata", change_chown},
	{"utimens", "metadata", change_times},
	{"futimens", "metadata", change_futimens},
	{"setxattr", "metadata", change_setxattr},
	{"removexattr", "metadata", change_removexattr},
	{"fsetxattr", "metadata", change_fsetxattr},
	{"setflags", "metadata", change_flags},
};

static void check_read_only(void)
{
	const char *ro = param_get("ro");
	const char *aliases[5];

	for (size_t i = 0; i < COUNT(changes); i++)
		judge(path_of("41.%s", changes[i].name), changes[i].layers, changes[i].attempt(ro),
		    refuse_write);
	if (chdir(param_get("root")) < 0) {
		report(BROKEN, "41.alias", "view", "chdir: %s", strerror(errno));
		return;
	}
	/* The same file by other spellings; cwd is root/, and ro/ its neighbour. */
	aliases[0] = path_of("/proc/self/root%s/write", ro);
	aliases[1] = "/proc/self/cwd/../ro/write";
	aliases[2] = path_of("//.//%s/./../ro//write", ro);
	aliases[3] = "to-ro/write";
	aliases[4] = path_of("/proc/thread-self/root%s/write", ro);
	for (size_t i = 0; i < COUNT(aliases); i++)
		judge(path_of("41.alias-%zu", i), "view", change_open(aliases[i], O_WRONLY),
		    refuse_write);
}

/* 42: links in the writable tree that point out of it, made before and made now. */
static void check_symlink(void)
{
	const char *root = param_get("root");
	const char *outside = param_get("outside");
	const char *now = path_of("%s/link-now", root);

	judge("42.write-through", "view", change_open(path_of("%s/to-canary", root), O_WRONLY),
	    refuse_write);
	judge("42.truncate-through", "view", errno_of(truncate(path_of("%s/to-canary", root), 7)),
	    refuse_write);
	judge("42.create-through", "view", change_open(path_of("%s/to-outside/new-42", root),
	    O_WRONLY | O_CREAT), refuse_write);
	judge("42.dangling-create", "view", change_open(path_of("%s/to-missing", root),
	    O_WRONLY | O_CREAT), refuse_write);
	judge_read("42.read-through", "view", path_of("%s/to-secret", root));
	unlink(now);
	if (symlink(outside, now) < 0) {
		report(BROKEN, "42.made-now", "view", "symlink: %s", strerror(errno));
		return;
	}
	judge("42.made-now", "view", change_open(path_of("%s/new-42b", now), O_WRONLY | O_CREAT),
	    refuse_write);
	judge("42.made-now-mkdir", "view", errno_of(mkdir(path_of("%s/dir-42", now), 0700)),
	    refuse_write);
	judge("42.made-now-by-proc", "view", change_open(
	    path_of("/proc/self/root%s/new-42c", now), O_WRONLY | O_CREAT), refuse_write);
}

static int deny_stat(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return errno;
	/* A mask may stand in the place: then it is another inode than the host's. */
	return status.st_ino == (ino_t)param_number("secret_inode") ? 0 : ENOENT;
}

static int deny_watch(const char *path)
{
	int fd = inotify_init1(IN_CLOEXEC);
	int error;

	if (fd < 0)
		return errno;
	error = errno_of(inotify_add_watch(fd, path, IN_ALL_EVENTS));
	close(fd);
	return error;
}

static int deny_list(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (dir == NULL)
		return errno;
	while ((entry = readdir(dir)) != NULL && entry->d_name[0] == '.')
		;
	closedir(dir);
	return entry == NULL ? ENOENT : 0;
}

/* Runs a copy of this program that lies in the hidden place. */
static int deny_exec(const char *path, bool want_execveat)
{
	char *argv[] = {(char *)(uintptr_t)"attack", (char *)(uintptr_t)"privilege",
		(char *)(uintptr_t)"uid=0", NULL};
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (want_execveat) {
			int fd = open(path, O_PATH | O_CLOEXEC);

			if (fd < 0)
				_exit(100);
			syscall(SYS_execveat, fd, "", argv, environ, AT_EMPTY_PATH);
		} else {
			execv(path, argv);
		}
		_exit(100);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return ECHILD;
	return WIFEXITED(status) && WEXITSTATUS(status) == 100 ? EACCES : 0;
}

static void judge_by_path_fd(const char *attempt, const char *layers, const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0) {
		judge(attempt, layers, errno, refuse_read);
		return;
	}
	judge_read(attempt, layers, path_of("/proc/self/fd/%d", fd));
	close(fd);
}

/* 53: "hidden" is a folder with secret, tool (a copy of this program) and a link to secret. */
static void deny_read_at(const char *tag, const char *hidden)
{
	const char *secret = path_of("%s/secret", hidden);
	const char *tool = path_of("%s/tool", hidden);
	char target[16];

	judge_read(path_of("53%s.read", tag), "view", secret);
	judge_read(path_of("53%s.by-root", tag), "view", path_of("/proc/self/root%s", secret));
	judge_by_path_fd(path_of("53%s.path-fd", tag), "view", secret);
	judge(path_of("53%s.list", tag), "view", deny_list(hidden), refuse_read);
	judge(path_of("53%s.exec", tag), "view", deny_exec(tool, false), refuse_read);
	judge(path_of("53%s.execveat", tag), "view", deny_exec(tool, true), refuse_read);
	judge(path_of("53%s.stat", tag), "mount_ns", deny_stat(secret), refuse_read);
	judge(path_of("53%s.readlink", tag), "mount_ns",
	    errno_of(readlink(path_of("%s/link", hidden), target, sizeof(target))), refuse_read);
	judge(path_of("53%s.watch", tag), "mount_ns", deny_watch(secret), refuse_read);
	judge(path_of("53%s.handle", tag), "seccomp", try_path(try_name_handle, secret),
	    refuse_read);
	judge(path_of("53%s.link", tag), "view",
	    errno_of(link(secret, path_of("%s/stolen%s", param_get("root"), tag))), refuse_write);
	judge(path_of("53%s.rename", tag), "view",
	    errno_of(rename(secret, path_of("%s/taken%s", param_get("root"), tag))), refuse_write);
}

static void check_deny_read(void)
{
	const char *alias = param_find("alias");
	const char *hidden_file = param_find("hidden_file");

	deny_read_at("", param_get("hidden"));
	if (alias != NULL)
		deny_read_at("-alias", alias);
	if (hidden_file != NULL)
		judge_read("53-file.read", "view", hidden_file);
}

/* 56: "small" is a tmpfs that was asked for with 8 MiB; /tmp and /dev/shm have their defaults. */
static void judge_tmpfs_size(const char *path, uint64_t cap_mib)
{
	struct statfs status;
	const char *size = path_of("56.size-of-%s", path + 1);
	const char *inodes = path_of("56.inodes-of-%s", path + 1);
	uint64_t mib;

	if (statfs(path, &status) < 0) {
		report(BLOCKED, size, "view", "%s", strerror(errno));
		return;
	}
	if (status.f_flags & 1 /* ST_RDONLY */) {
		report(BLOCKED, size, "view", "read-only");
		return;
	}
	mib = (uint64_t)status.f_blocks * (uint64_t)status.f_bsize >> 20;
	report(mib > cap_mib || mib == 0 ? SUCCEEDED : BLOCKED, size, "view", "%llu MiB",
	    (unsigned long long)mib);
	report(status.f_files == 0 || status.f_files > 1000000 ? SUCCEEDED : BLOCKED, inodes,
	    "view", "%llu inodes", (unsigned long long)status.f_files);
}

static int fill_bytes(const char *folder, long mib)
{
	static char block[1 << 20];
	int error = 0;
	int fd = open(path_of("%s/fill", folder), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno;
	while (error == 0 && mib-- > 0)
		if (write(fd, block, sizeof(block)) < 0)
			error = errno;
	close(fd);
	unlink(path_of("%s/fill", folder));
	return error;
}

/* As many as the file system promises to have, and a few more. */
static int fill_inodes(const char *folder)
{
	struct statfs status;
	long count = 20000;
	long made = 0;
	int error = 0;

	if (statfs(folder, &status) == 0 && status.f_files < 200000)
		count = (long)status.f_files + 16;
	for (; made < count && error == 0; made++)
		error = errno_of(mknod(path_of("%s/i%ld", folder, made), S_IFREG | 0600, 0));
	while (made > 0)
		unlink(path_of("%s/i%ld", folder, --made));
	return error;
}

static void check_tmpfs_limit(void)
{
	static const int full[] = {ENOSPC, EDQUOT, ENOMEM, EACCES, EROFS, ENOENT, EFBIG, 0};
	const char *small = param_get("small");

	judge("56.bytes", "view", fill_bytes(small, 12), full);
	judge("56.inodes", "view", fill_inodes(small), full);
	judge_tmpfs_size("/tmp", 256);
	judge_tmpfs_size("/dev/shm", 64);
	judge_tmpfs_size("/dev", 64);
	judge_tmpfs_size("/", 64);
}

/* 57: --fsize 1m; the script also runs it with the signal at its default. */
static void check_file_size(void)
{
	static char block[1 << 16];
	int error = 0;
	int fd;

	if (param_find("die") == NULL)
		signal(SIGXFSZ, SIG_IGN);
	fd = open(path_of("%s/big", param_get("root")), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
	    0600);
	if (fd < 0) {
		report(BROKEN, "57.write", "rlimits", "%s", strerror(errno));
		return;
	}
	for (int i = 0; i < 64 && error == 0; i++)
		if (write(fd, block, sizeof(block)) < 0)
			error = errno;
	close(fd);
	judge("57.write", "rlimits", error, (const int[]){EFBIG, 0});
}

/* 60: from the project upward to the host's root. */
static int upward_chroot(long path)
{
	if (chroot((const char *)path) < 0)
		return errno;
	for (int i = 0; i < 64; i++)
		if (chdir("..") < 0)
			return errno;
	return errno_of(chroot("."));
}

static void check_upward(void)
{
	const char *secret = param_get("secret");
	const char *root = param_get("root");
	char here[PATH_CAP];

	if (chdir(root) < 0) {
		report(BROKEN, "60.chdir", "view", "%s", strerror(errno));
		return;
	}
	judge_read("60.dots", "view", path_of("../../../../../../../../../../../../..%s", secret));
	judge_read("60.proc-cwd", "view", path_of("/proc/self/cwd/../../../../../../../../..%s",
	    secret));
	judge("60.chroot", "capabilities", try_path(upward_chroot, path_of("%s/mnt", root)),
	    refuse_call);
	while (chdir("..") == 0 && getcwd(here, sizeof(here)) != NULL && strcmp(here, "/") != 0)
		;
	judge_read("60.walked", "view", secret + 1);
	if (getcwd(here, sizeof(here)) == NULL || here[0] != '/')
		report(SUCCEEDED, "60.getcwd", "view", "unreachable");
	else
		report(BLOCKED, "60.getcwd", "view", "%s", here);
}

/* 62: opened for writing only, nothing is written. */
static void check_system_files(void)
{
	static const char *const files[] = {"/etc/passwd", "/etc/group", "/etc/hosts",
		"/etc/ld.so.cache", "/etc/profile", "/etc/resolv.conf", "/usr/bin/env",
		"/etc/security/limits.conf", "/lib64/ld-linux-x86-64.so.2"};
	static const char *const folders[] = {"/etc", "/usr/bin", "/usr/lib", "/usr/local/bin",
		"/opt", "/", "/var"};
	int error;

	for (size_t i = 0; i < COUNT(files); i++) {
		error = change_open(files[i], O_WRONLY | O_APPEND);
		judge(path_of("62%s", files[i]), "view", error, refuse_write);
	}
	for (size_t i = 0; i < COUNT(folders); i++) {
		const char *made = path_of("%s/.attack-62", folders[i]);

		error = change_open(made, O_WRONLY | O_CREAT | O_EXCL);
		unlink(made);
		judge(path_of("62.create-in-%s", folders[i]), "view", error, refuse_write);
	}
	error = change_open("/etc/ld.so.preload", O_WRONLY | O_CREAT | O_EXCL);
	if (error == 0)
		unlink("/etc/ld.so.preload");
	judge("62.preload", "view", error, refuse_write);
}

/* 63: stated in the README: running code from memory is allowed, there is no W^X mode. */
static void check_memfd_exec(void)
{
	static char buffer[1 << 16];
	ssize_t got;
	int status;
	pid_t pid;
	int source = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int fd = (int)syscall(SYS_memfd_create, "attack", 1 /* MFD_CLOEXEC */);

	if (source < 0 || fd < 0) {
		judge("63.memfd-exec", "", errno, refuse_call);
		return;
	}
	while ((got = read(source, buffer, sizeof(buffer))) > 0)
		if (write(fd, buffer, (size_t)got) != got)
			break;
	close(source);
	pid = fork();
	if (pid == 0) {
		char *argv[] = {(char *)(uintptr_t)"attack", (char *)(uintptr_t)"where", NULL};

		dup2(open("/dev/null", O_WRONLY), 1);
		fexecve(fd, argv, environ);
		_exit(100);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		report(BROKEN, "63.memfd-exec", "", "no status");
	else if (WEXITSTATUS(status) == 0)
		report(SUCCEEDED, "63.memfd-exec", "", "allowed");
	else
		report(BLOCKED, "63.memfd-exec", "", "status %d", WEXITSTATUS(status));
}

/* 64: privileged helpers that may lie in the view; each would do its work on the host. */
static int run_helper(const char *program, const char *const *argv)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null_fd = open("/dev/null", O_RDWR);

		for (int i = 0; i < 3; i++)
			dup2(null_fd, i);
		execv(program, (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return ECHILD;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return ENOENT;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EPERM;
}

static void check_helpers(void)
{
	static const char *const bwrap[] = {"bwrap", "--ro-bind", "/", "/", "--dev", "/dev",
		"/usr/bin/env", "true", NULL};
	static const char *const nested[] = {"unshare", "-Ur", "/usr/bin/env", "true", NULL};
	static const char *const mounter[] = {"mount", "-t", "tmpfs", "none", NULL, NULL};
	const char *mount_argv[COUNT(mounter)];

	memcpy(mount_argv, mounter, sizeof(mounter));
	mount_argv[4] = path_of("%s/mnt", param_get("root"));
	judge("64.dev-fuse", "view", open_errno("/dev/fuse", O_RDWR), refuse_read);
	judge("64.bwrap", "seccomp", run_helper("/usr/bin/bwrap", bwrap), refuse_read);
	judge("64.unshare", "seccomp", run_helper("/usr/bin/unshare", nested), refuse_read);
	judge("64.mount", "seccomp", run_helper("/usr/bin/mount", mount_argv), refuse_read);
}

/* 85: every call that can put a set-id bit on a file; openat2 hides its mode in memory. */
static int mode_of(const char *path)
{
	struct stat status;

	return lstat(path, &status) < 0 ? 0 : (int)(status.st_mode & 06000);
}

/* The call may succeed without the bit (the kernel or umask drops it): then nothing was gained. */
static void judge_mode(const char *name, const char *path, int error)
{
	const char *attempt = path_of("85.%s", name);

	if (error == 0 && mode_of(path) == 0)
		report(BLOCKED, attempt, "seccomp", "the bit was dropped");
	else
		judge(attempt, "seccomp", error, refuse_call);
	if (mode_of(path) == 0)
		unlink(path);	/* what carries the bit stays for the script to find */
}

static const char *fresh_file(const char *name)
{
	const char *path = path_of("%s/%s", param_get("root"), name);

	unlink(path);
	change_open(path, O_WRONLY | O_CREAT);
	return path;
}

static int mode_by_fd(const char *path, long number, long mode, bool has_empty_path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error;

	if (fd < 0)
		return errno;
	error = errno_of(has_empty_path ?
	    syscall(number, fd, "", mode, 0x1000 /* AT_EMPTY_PATH */) : syscall(number, fd, mode));
	close(fd);
	return error;
}

static int mode_created(long fd)
{
	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}

static const char *absent(const char *name)
{
	const char *path = path_of("%s/%s", param_get("root"), name);

	unlink(path);
	rmdir(path);
	return path;
}

static void check_set_id_modes(void)
{
	struct {
		uint64_t flags, mode, resolve;
	} how = {.flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, .mode = 04755};
	const char *path;
	const long high = 0x100000000L;

	umask(0);
#ifdef SYS_chmod
	path = fresh_file("s-chmod");
	judge_mode("chmod", path, errno_of(syscall(SYS_chmod, path, 04755)));
	path = fresh_file("s-chmod-high");
	judge_mode("chmod-high-bits", path, errno_of(syscall(SYS_chmod, path, high | 04755)));
#endif
	path = fresh_file("s-chmod-gid");
	judge_mode("fchmodat-gid", path, errno_of(syscall(SYS_fchmodat, AT_FDCWD, path, 02755)));
	path = fresh_file("s-fchmodat");
	judge_mode("fchmodat", path, errno_of(syscall(SYS_fchmodat, AT_FDCWD, path, 04755)));
	path = fresh_file("s-fchmod");
	judge_mode("fchmod", path, mode_by_fd(path, SYS_fchmod, 06755, false));
	path = fresh_file("s-fchmodat2");
	judge_mode("fchmodat2", path, errno_of(syscall(NR_FCHMODAT2, AT_FDCWD, path, 04755, 0)));
	path = fresh_file("s-fchmodat2-fd");
	judge_mode("fchmodat2-fd", path, mode_by_fd(path, NR_FCHMODAT2, 04755, true));
#ifdef SYS_open
	path = absent("s-open");
	judge_mode("open", path, mode_created(syscall(SYS_open, path, O_WRONLY | O_CREAT, 04755)));
	path = absent("s-creat");
	judge_mode("creat", path, mode_created(syscall(SYS_creat, path, 04755)));
	path = absent("s-mknod");
	judge_mode("mknod", path, errno_of(syscall(SYS_mknod, path, S_IFREG | 04755, 0)));
	path = absent("s-mkdir");
	judge_mode("mkdir", path, errno_of(syscall(SYS_mkdir, path, 02755)));
#endif
	path = absent("s-openat");
	judge_mode("openat", path, mode_created(syscall(SYS_openat, AT_FDCWD, path,
	    O_WRONLY | O_CREAT, 06755)));
	path = absent("s-openat-gid");
	judge_mode("openat-gid", path, mode_created(syscall(SYS_openat, AT_FDCWD, path,
	    O_RDONLY | O_CREAT | O_TRUNC, 02755)));
	path = absent("s-openat2");
	judge_mode("openat2", path, mode_created(syscall(NR_OPENAT2, AT_FDCWD, path, &how,
	    sizeof(how))));
	path = absent("s-mknodat");
	judge_mode("mknodat", path, errno_of(syscall(SYS_mknodat, AT_FDCWD, path, S_IFREG | 04755,
	    0)));
	path = absent("s-mkdirat");
	judge_mode("mkdirat", path, errno_of(syscall(SYS_mkdirat, AT_FDCWD, path, 02755)));
	/* A file that is born nameless and linked afterwards. */
	path = absent("s-tmpfile");
	{
		int fd = (int)syscall(SYS_openat, AT_FDCWD, param_get("root"), O_TMPFILE | O_RDWR,
		    04755);
		int error = errno_of(fd);

		if (fd >= 0) {
			error = errno_of(linkat(AT_FDCWD, path_of("/proc/self/fd/%d", fd), AT_FDCWD,
			    path, AT_SYMLINK_FOLLOW));
			close(fd);
		}
		judge_mode("tmpfile", path, error);
	}
}

/* 86: for a caller with uid 0; the canary files are 0600 root. */
static void judge_private(const char *path, bool is_canary)
{
	const char *attempt = path_of("86%s", path);
	ssize_t length = read_path(path);

	if (length < 0 && errno == ENOENT && !is_canary)
		report(BLOCKED, attempt, "view", "absent");
	else if (length < 0)
		judge(attempt, "view", errno, refuse_read);
	else
		report(length > 0 ? SUCCEEDED : BLOCKED, attempt, "view", "%zd bytes read", length);
}

static void check_root_files(void)
{
	static const char *const files[] = {"/etc/shadow", "/etc/gshadow", "/etc/shadow-",
		"/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ed25519_key",
		"/etc/ssh/ssh_host_ecdsa_key", "/etc/sudoers", "/etc/security/opasswd"};
	const char *canaries[] = {param_find("etc_canary"), param_find("opt_canary"),
		param_find("usr_canary")};
	gid_t groups[64];
	int count = getgroups((int)COUNT(groups), groups);
	int extra = 0;

	for (size_t i = 0; i < COUNT(files); i++)
		judge_private(files[i], false);
	for (size_t i = 0; i < COUNT(canaries); i++)
		if (canaries[i] != NULL)
			judge_private(canaries[i], true);
	for (int i = 0; i < count; i++)
		if (groups[i] != getgid())
			extra++;
	report(extra > 0 ? SUCCEEDED : BLOCKED, "86.groups", getuid() == 0 ? "view" : "user_ns",
	    "%d supplementary groups", extra);
	if (read_path("/etc/passwd") <= 0)
		report(SUCCEEDED, "86.readable-refused", "view", "/etc/passwd: %s",
		    strerror(errno));
	else
		report(BLOCKED, "86.readable-refused", "view", "/etc/passwd can be read");
}

/*
 * 87: through our own three descriptors to the caller's files. The calls may well succeed on pipes
 * of ours: the script compares the files, the control shows that they change without a relay.
 */
static void check_stdio_reopen(void)
{
	static const char *const names[] = {"/proc/self/fd/0", "/proc/self/fd/1", "/proc/self/fd/2",
		"/dev/stdin", "/dev/stdout", "/dev/stderr"};
	char touched[128] = "";

	for (size_t i = 0; i < COUNT(names); i++) {
		struct stat status;
		int fd = open(names[i], O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

		if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
			ssize_t unused = write(fd, "overwritten", 11);

			(void)unused;
			snprintf(touched, sizeof(touched), "%s", names[i]);
		}
		if (fd >= 0)
			close(fd);
	}
	for (int i = 0; i < 3; i++) {
		struct stat status;

		if (fstat(i, &status) == 0 && S_ISREG(status.st_mode)) {
			snprintf(touched, sizeof(touched), "descriptor %d", i);
			if (ftruncate(i, 1) == 0 && lseek(i, 0, SEEK_SET) == 0)
				snprintf(touched, sizeof(touched), "ftruncate and lseek on %d", i);
		}
		fcntl(i, F_SETFL, fcntl(i, F_GETFL) | O_NONBLOCK);
	}
	if (touched[0] != '\0')
		report(SUCCEEDED, "87.stdio", "", "%s", touched);
	else
		report(BLOCKED, "87.stdio", "", "no file behind 0, 1 and 2");
}
