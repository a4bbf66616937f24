/*
 * Attacks on other processes: tracing, memory, signals, /proc of others, inherited descriptors.
 * Part of attack.c. The target is always a process that the test started ("victim") or the one that
 * started us; nothing else on the machine may be touched.
 */

/* Landlock's rules for ptrace and signals stand in for a pid namespace. */
#define OTHERS "pid_ns+landlock"

/* Our parent by its number here: pid 1 or the guardian inside, the test's shell outside. */
static pid_t outer_parent(void)
{
	pid_t parent = getppid();

	return parent > 0 ? parent : 1;
}

/* 1: a parent is only seized, which does not stop it; the kernel lets go when we exit. */
static int try_seize(long pid)
{
	return errno_of(ptrace(PTRACE_SEIZE, (pid_t)pid, NULL, NULL));
}

static int try_attach(long pid)
{
	int status;

	if (ptrace(PTRACE_ATTACH, (pid_t)pid, NULL, NULL) < 0)
		return errno;
	if (waitpid((pid_t)pid, &status, __WALL) < 0)
		return errno;
	return errno_of(ptrace(PTRACE_DETACH, (pid_t)pid, NULL, NULL));
}

static int try_traceme(long unused)
{
	(void)unused;
	return errno_of(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static void check_ptrace(void)
{
	long victim = param_number("victim");
	long parent = outer_parent();

	judge("1.attach-victim", OTHERS, child_errno(try_attach, victim), refuse_process);
	judge("1.seize-victim", OTHERS, child_errno(try_seize, victim), refuse_process);
	judge("1.seize-parent", "seccomp", child_errno(try_seize, parent), refuse_process);
	judge("1.traceme", "seccomp", child_errno(try_traceme, 0), refuse_process);
}

/* 2: EFAULT means that access was granted and only the address was wrong. */
static int try_vm(pid_t pid, uintptr_t address, bool want_write)
{
	char buffer[8] = "";
	struct iovec local = {.iov_base = buffer, .iov_len = sizeof(buffer)};
	struct iovec remote = {.iov_base = (void *)address, .iov_len = sizeof(buffer)};

	if (want_write)
		return errno_of(process_vm_writev(pid, &local, 1, &remote, 1, 0));
	return errno_of(process_vm_readv(pid, &local, 1, &remote, 1, 0));
}

static void check_process_vm(void)
{
	pid_t victim = (pid_t)param_number("victim");
	uintptr_t scratch = (uintptr_t)strtoull(param_get("scratch"), NULL, 0);

	judge("2.read-victim", OTHERS, try_vm(victim, scratch, false), refuse_process);
	judge("2.write-victim", OTHERS, try_vm(victim, scratch, true), refuse_process);
	judge_reach("2.read-parent", "seccomp", try_vm(outer_parent(), 8, false), refuse_process);
}

/* Signal driven I/O sends from inside the kernel: no kill() is seen by a filter (fcntl(2)). */
static int signal_by_owner(pid_t victim)
{
	const char *mark = path_of("%s/victim.signalled", param_get("root"));
	struct f_owner_ex owner = {.type = F_OWNER_PID, .pid = victim};
	int ends[2];
	int error = 0;

	unlink(mark);
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return errno;
	if (fcntl(ends[0], F_SETOWN_EX, &owner) < 0 || fcntl(ends[0], F_SETSIG, SIGUSR1) < 0 ||
	    fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK) < 0 || write(ends[1], "x", 1) != 1)
		error = errno;
	for (int i = 0; error == 0 && i < 20 && access(mark, F_OK) < 0; i++)
		sleep_ms(10);
	if (error == 0 && access(mark, F_OK) < 0)
		error = EPERM;
	close(ends[0]);
	close(ends[1]);
	return error;
}

static int pidfd_signal(pid_t pid)
{
	int fd = (int)syscall(NR_PIDFD_OPEN, pid, 0);
	int error;

	if (fd < 0)
		return errno;
	error = errno_of(syscall(NR_PIDFD_SEND_SIGNAL, fd, SIGUSR2, NULL, 0));
	close(fd);
	return error;
}

static int queue_signal(pid_t pid)
{
	siginfo_t info = {.si_signo = SIGUSR2, .si_code = SI_QUEUE};

	info.si_pid = getpid();
	info.si_uid = getuid();
	return errno_of(syscall(SYS_rt_sigqueueinfo, pid, SIGUSR2, &info));
}

/*
 * 3 and 69: the victim ignores SIGUSR2 and notes SIGUSR1. The last four are no signals but reach a
 * same-uid process in the same way, and Landlock has no rule for them.
 */
static void check_signals(void)
{
	pid_t victim = (pid_t)param_number("victim");
	struct rlimit old;
	unsigned long mask[16];
	long mask_bytes;

	judge("3.kill", OTHERS, errno_of(kill(victim, SIGUSR2)), refuse_process);
	judge("3.kill-group", OTHERS, errno_of(kill(-getpgid(victim) < -1 ? -getpgid(victim) :
	    -victim, SIGUSR2)), refuse_process);
	judge("3.probe", OTHERS, errno_of(kill(victim, 0)), refuse_process);
	judge("3.tgkill", OTHERS, errno_of(syscall(SYS_tgkill, victim, victim, SIGUSR2)),
	    refuse_process);
	judge("3.sigqueue", OTHERS, queue_signal(victim), refuse_process);
	judge("3.pidfd", OTHERS, pidfd_signal(victim), refuse_process);
	judge("3.signal-io", OTHERS, signal_by_owner(victim), refuse_process);

	judge("3.prlimit", "pid_ns", prlimit(victim, RLIMIT_CORE, NULL, &old) < 0 ? errno :
	    errno_of(prlimit(victim, RLIMIT_CORE, &old, NULL)), refuse_process);
	judge("3.setpriority", "pid_ns", errno_of(setpriority(PRIO_PROCESS, (id_t)victim, 1)),
	    refuse_process);
	mask_bytes = syscall(SYS_sched_getaffinity, victim, sizeof(mask), mask);
	judge("3.affinity", "pid_ns", mask_bytes < 0 ? errno :
	    errno_of(syscall(SYS_sched_setaffinity, victim, mask_bytes, mask)), refuse_process);
	judge("3.timer-slack", OTHERS, open_errno(path_of("/proc/%d/timerslack_ns", (int)victim),
	    O_WRONLY), refuse_write);
}

/* The half of 3 that ends us too: only for a throwaway pid namespace. */
static void check_kill_all(void)
{
	report(BLOCKED, "99.before", "", "about to kill everything in sight");
	if (kill(-1, SIGKILL) < 0)
		report(BLOCKED, "99.kill-all", "", "%s", strerror(errno));
	else
		report(BLOCKED, "99.kill-all", "", "done; the script looks who is left");
}

typedef void proc_visit(const char *pid, void *closure);

static int proc_each(proc_visit *visit, void *closure)
{
	DIR *proc = opendir("/proc");
	int count = 0;

	if (proc == NULL)
		return -1;
	for (struct dirent *entry; (entry = readdir(proc)) != NULL;) {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		count++;
		visit(entry->d_name, closure);
	}
	closedir(proc);
	return count;
}

struct search {
	const char *file;
	const char *text;
	size_t text_length;
	char found[PATH_CAP];
};

static void search_visit(const char *pid, void *closure)
{
	struct search *search = closure;
	ssize_t length = read_path(path_of("/proc/%s/%s", pid, search->file));

	if (length > 0 && memmem(read_buffer, (size_t)length, search->text,
	    search->text_length) != NULL)
		snprintf(search->found, sizeof(search->found), "/proc/%s/%s", pid, search->file);
}

static void judge_search(const char *attempt, const char *layers, const char *file,
    const char *text, size_t text_length)
{
	struct search search = {.file = file, .text = text, .text_length = text_length};
	int count = proc_each(search_visit, &search);

	if (count < 0)
		judge(attempt, layers, errno, refuse_read);
	else if (search.found[0] != '\0')
		report(SUCCEEDED, attempt, layers, "in %s", search.found);
	else
		report(BLOCKED, attempt, layers, "in none of %d processes", count);
}

/* 4: the victim and the host's pid 1 carry names that nothing inside has. */
static void check_proc_list(void)
{
	char name[32] = "?";
	ssize_t length = read_path("/proc/1/comm");

	if (length > 0)
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(read_buffer, "\n"), read_buffer);
	judge_search("4.names", "proc", "comm", "sbx-victim", strlen("sbx-victim"));
	judge_search("4.arguments", "proc", "cmdline", "\0victim", sizeof("\0victim"));
	if (length < 0)
		judge("4.pid1", "proc", errno, refuse_read);
	else if (strcmp(name, param_get("pid1")) != 0)
		report(BLOCKED, "4.pid1", "proc", "pid 1 is %s", name);
	else
		report(SUCCEEDED, "4.pid1", "proc", "pid 1 is %s", name);
}

/* 5: the runner was started with the canary in its environment. */
static void check_environ(void)
{
	int parent = (int)outer_parent();

	judge_read("5.self", "env", "/proc/self/environ");
	judge_read("5.thread-self", "env", "/proc/thread-self/environ");
	judge_read("5.task", "env", path_of("/proc/self/task/%d/environ", (int)getpid()));
	judge_read("5.parent-task", "env", path_of("/proc/%d/task/%d/environ", parent, parent));
	judge_read("5.parent", "env", path_of("/proc/%d/environ", parent));
	judge_read("5.pid1", OTHERS, "/proc/1/environ");
	judge_search("5.any", OTHERS, "environ", canary(), strlen(canary()));
}

/* 6: the runner was started with --env NAME=CANARY; argv is readable by everybody (proc(5)). */
static void check_cmdline(void)
{
	judge_read("6.parent", "pid_ns", path_of("/proc/%d/cmdline", (int)outer_parent()));
	judge_read("6.pid1", "pid_ns", "/proc/1/cmdline");
	judge_search("6.any", "pid_ns", "cmdline", canary(), strlen(canary()));
}

static bool is_own_stdio(int fd)
{
	struct stat other;
	struct stat own;

	if (fstat(fd, &other) < 0 || major(other.st_rdev) == 1)
		return true;
	for (int i = 0; i < 3; i++)
		if (fstat(i, &own) == 0 && own.st_dev == other.st_dev && own.st_ino == other.st_ino)
			return true;
	return false;
}

/* Opens what the other has open: control pipes and host files come in this way. */
static void judge_fds(const char *attempt, const char *layers, const char *folder)
{
	DIR *dir = opendir(folder);
	char found[PATH_CAP] = "";

	if (dir == NULL) {
		judge(attempt, layers, errno, refuse_read);
		return;
	}
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		int fd;

		if (entry->d_name[0] == '.')
			continue;
		fd = openat(dirfd(dir), entry->d_name,
		    O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
		if (fd < 0)
			continue;
		if (!is_own_stdio(fd))
			snprintf(found, sizeof(found), "%s", entry->d_name);
		close(fd);
	}
	closedir(dir);
	if (found[0] != '\0')
		report(SUCCEEDED, attempt, layers, "opened %s/%s", folder, found);
	else
		report(BLOCKED, attempt, layers, "nothing there could be opened");
}

/* On a read-only /proc nothing can be written there, yet it might be read. */
static int open_mem(long pid)
{
	int error = open_errno(path_of("/proc/%ld/mem", pid), O_RDWR);

	return error == EROFS ? open_errno(path_of("/proc/%ld/mem", pid), O_RDONLY) : error;
}

/* 7: pid 1 and the guardian may stand inside the sandbox: then their root shows no canary. */
static void judge_links(const char *who, const char *layers, long pid)
{
	const char *secret = param_get("secret");	/* a file of the host, absolute */

	judge_read(path_of("7.%s-root", who), layers, path_of("/proc/%ld/root%s", pid, secret));
	judge_read(path_of("7.%s-cwd", who), layers,
	    path_of("/proc/%ld/cwd/../../../../../../../..%s", pid, secret));
	judge(path_of("7.%s-mem", who), layers, open_mem(pid), refuse_read);
	judge(path_of("7.%s-exe", who), layers, open_errno(path_of("/proc/%ld/exe", pid), O_RDONLY),
	    refuse_read);
	judge_fds(path_of("7.%s-fd", who), layers, path_of("/proc/%ld/fd", pid));
	judge_read(path_of("7.%s-task", who), layers,
	    path_of("/proc/%ld/task/%ld/root%s", pid, pid, secret));
	judge(path_of("7.%s-maps", who), layers,
	    open_errno(path_of("/proc/%ld/maps", pid), O_RDONLY), refuse_read);
}

static void check_proc_links(void)
{
	judge_links("victim", OTHERS, param_number("victim"));
	judge_links("parent", OTHERS, outer_parent());
}

/* CVE-2019-5736: an O_PATH descriptor outlives ETXTBSY and is reopened later for writing. */
static int reopen_for_write(const char *path)
{
	int error;
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return errno;
	error = open_errno(path_of("/proc/self/fd/%d", fd), O_WRONLY);
	close(fd);
	return error;
}

/* 8: "exe" of pid 1 and of the parent is the host's sbx binary; "target" a copy as the control. */
static void check_exe_write(void)
{
	pid_t parent = outer_parent();

	judge("8.pid1-write", OTHERS, open_errno("/proc/1/exe", O_WRONLY), refuse_write);
	judge("8.pid1-reopen", OTHERS, reopen_for_write("/proc/1/exe"), refuse_write);
	judge("8.parent-write", OTHERS, open_errno(path_of("/proc/%d/exe", (int)parent), O_WRONLY),
	    refuse_write);
	judge("8.parent-reopen", OTHERS, reopen_for_write(path_of("/proc/%d/exe", (int)parent)),
	    refuse_write);
	judge("8.victim-exe", OTHERS, open_errno(path_of("/proc/%ld/exe", param_number("victim")),
	    O_RDONLY), refuse_read);
	judge("8.by-path", "view", reopen_for_write(param_get("binary")), refuse_write);
}

/* 9: everything but 0, 1 and 2, and nothing that leads up from those three. */
static void check_descriptors(void)
{
	char kept[128] = "";
	char upward[128] = "";

	for (int fd = 0; fd < 1024; fd++) {
		int above;

		if (fcntl(fd, F_GETFD) < 0)
			continue;
		if (fd > 2)
			snprintf(kept, sizeof(kept), "descriptor %d", fd);
		above = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (above < 0)
			continue;
		snprintf(upward, sizeof(upward), "descriptor %d", fd);
		close(above);
	}
	if (kept[0] != '\0')
		report(SUCCEEDED, "9.inherited", "", "%s is open", kept);
	else
		report(BLOCKED, "9.inherited", "", "only 0, 1 and 2");
	if (upward[0] != '\0')
		report(SUCCEEDED, "9.upward", "", "openat(.., %s)", upward);
	else
		report(BLOCKED, "9.upward", "", "no descriptor is a folder");
}

static int pidfd_take(long pid)
{
	int pidfd = (int)syscall(NR_PIDFD_OPEN, pid, 0);

	if (pidfd < 0)
		return errno;
	return errno_of(syscall(NR_PIDFD_GETFD, pidfd, 1, 0));
}

/* 19: pidfd_open of pid 1 inside is harmless by itself; taking its descriptors is not. */
static void check_pidfd(void)
{
	long victim = param_number("victim");

	judge("19.take-victim", OTHERS, child_errno(pidfd_take, victim), refuse_process);
	judge("19.take-parent", "seccomp", child_errno(pidfd_take, outer_parent()), refuse_process);
	judge("19.signal-victim", OTHERS, pidfd_signal((pid_t)victim), refuse_process);
}

/* Looks for a set that is not empty: the bounding one, or any of the four others. */
static bool has_capability_set(bool is_bounding, char *text, size_t size)
{
	ssize_t length = read_path("/proc/self/status");
	char *line;

	snprintf(text, size, "CapEff unknown");
	if (length <= 0 || length >= READ_CAP)
		return true;
	read_buffer[length] = '\0';
	text[0] = '\0';
	for (line = strstr(read_buffer, "CapInh:"); line != NULL && strncmp(line, "Cap", 3) == 0;) {
		char *end = strchr(line, '\n');

		if (end == NULL)
			break;
		*end = '\0';
		if ((strncmp(line, "CapBnd", 6) == 0) == is_bounding &&
		    strcmp(line + 8, "0000000000000000") != 0)
			snprintf(text, size, "%s", line);
		line = end + 1;
	}
	return text[0] != '\0';
}

/* Runs "PROGRAM privilege" and returns what it says: 0 nothing gained, 10 gained. */
static int exec_privilege(const char *program)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		execl(program, program, "privilege", path_of("uid=%d", (int)getuid()),
		    (char *)NULL);
		_exit(126);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static void judge_exec(const char *attempt, const char *program)
{
	int status = exec_privilege(program);

	if (status == 10)
		report(SUCCEEDED, attempt, "no_new_privs", "gained by %s", program);
	else if (status == 0 || status == 126)
		report(BLOCKED, attempt, "no_new_privs", "status %d", status);
	else
		report(BROKEN, attempt, "no_new_privs", "status %d", status);
}

/* 21: set-id and file-capability copies of this program, prepared by root in the project. */
static void check_no_new_privs(void)
{
	const char *root = param_get("root");
	char sets[64];

	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		report(BLOCKED, "21.flag", "no_new_privs", "set");
	else
		report(SUCCEEDED, "21.flag", "no_new_privs", "not set");
	judge_exec("21.set-uid", path_of("%s/set-uid", root));
	judge_exec("21.set-gid", path_of("%s/set-gid", root));
	judge_exec("21.file-capability", path_of("%s/file-cap", root));
	if (has_capability_set(false, sets, sizeof(sets)))
		report(SUCCEEDED, "21.capabilities", "capabilities", "%s", sets);
	else
		report(BLOCKED, "21.capabilities", "capabilities", "all sets are empty");
	/* Without a user namespace an ordinary user may not drop it (capabilities(7)). */
	if (has_capability_set(true, sets, sizeof(sets)))
		report(SUCCEEDED, "21.bounding-set", getuid() == 0 ? "capabilities" : "user_ns",
		    "%s", sets);
	else
		report(BLOCKED, "21.bounding-set", "capabilities", "empty");
}
