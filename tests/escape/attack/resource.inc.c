/*
 * Attacks on the machine's resources. Part of attack.c. Each is bounded by its parameters, since
 * the control runs it on the host: 25 by max=, 26 by mib=.
 */

/* 25: processes that stay, until the limit or max= is met. */
static void check_fork_bomb(void)
{
	long max = param_number("max");
	long made = 0;

	while (made < max) {
		pid_t pid = fork();

		if (pid == 0) {
			sleep(30);
			_exit(0);
		}
		if (pid < 0)
			break;
		made++;
	}
	report(made < max ? BLOCKED : SUCCEEDED, "25.fork", "pids", "%ld processes", made);
}

/* 26 and 88: the ways to own memory; how= picks one, mib= the amount. */
static char fill_block[1 << 20];

static int own_mapping(int flags, long mib)
{
	for (; mib > 0; mib--) {
		char *area = mmap(NULL, sizeof(fill_block), PROT_READ | PROT_WRITE,
		    flags | MAP_ANONYMOUS, -1, 0);

		if (area == MAP_FAILED)
			return errno;
		memset(area, 1, sizeof(fill_block));
	}
	return 0;
}

static int own_anonymous(void)
{
	return own_mapping(MAP_PRIVATE, param_number("mib"));
}

static int own_shared(void)
{
	return own_mapping(MAP_SHARED, param_number("mib"));
}

/* Sixteen processes share the amount: a limit a process does not add them up. */
static int own_children(void)
{
	long share = param_number("mib") / 16;
	int ends[2];
	int ready = 0;
	char byte;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return errno;
	for (int i = 0; i < 16; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return errno;
		if (pid == 0) {
			if (own_mapping(MAP_PRIVATE, share) != 0)
				_exit(ENOMEM);
			if (write(ends[1], "r", 1) != 1)
				_exit(EIO);
			sleep(3);
			_exit(0);
		}
	}
	close(ends[1]);
	while (ready < 16 && read(ends[0], &byte, 1) == 1)
		ready++;
	/* Those killed to make room for others do not count: all must have it at once. */
	return ready == 16 && waitpid(-1, NULL, WNOHANG) == 0 ? 0 : ENOMEM;
}

static int own_file(int fd)
{
	if (fd < 0)
		return errno;
	for (long mib = param_number("mib"); mib > 0; mib--)
		if (write(fd, fill_block, sizeof(fill_block)) != (ssize_t)sizeof(fill_block))
			return errno != 0 ? errno : ENOSPC;
	return 0;
}

static bool is_tmpfs(const char *path)
{
	struct statfs status;

	return statfs(path, &status) == 0 && status.f_type == 0x01021994;	/* statfs(2) */
}

static int own_tmpfs(void)
{
	return own_file(open("/tmp/attack-fill", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
}

static int own_dev_shm(void)
{
	return own_file(open("/dev/shm/attack-fill", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
	    0600));
}

static int own_memfd(void)
{
	return own_file((int)syscall(SYS_memfd_create, "attack", 1 /* MFD_CLOEXEC */));
}

static int own_sysv(void)
{
	int id = shmget(IPC_PRIVATE, (size_t)param_number("mib") << 20, IPC_CREAT | 0600);
	char *area = id < 0 ? (void *)-1 : shmat(id, NULL, 0);

	if (area == (void *)-1)
		return errno;
	shmctl(id, IPC_RMID, NULL);
	memset(area, 1, (size_t)param_number("mib") << 20);
	return 0;
}

/* Full pipes and sockets hold kernel memory that no address space shows. */
static int own_queues(bool is_socket)
{
	long left = param_number("mib") << 20;

	while (left > 0) {
		int ends[2];
		ssize_t put;
		long before = left;

		if ((is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends)) < 0)
			return errno;
		if (is_socket) {
			int size = 1 << 20;

			setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
		} else {
			fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);
		}
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
		fcntl(ends[1], F_SETFL, O_NONBLOCK);
		while ((put = write(ends[is_socket ? 0 : 1], fill_block, 32768)) > 0)
			left -= put;
		if (left == before)
			return errno;
	}
	return 0;
}

static int own_pipes(void)
{
	return own_queues(false);
}

static int own_sockets(void)
{
	return own_queues(true);
}

static void check_memory(void)
{
	static const struct {
		const char *name;
		int (*own)(void);
	} ways[] = {
		{"anonymous", own_anonymous}, {"shared", own_shared}, {"children", own_children},
		{"tmpfs", own_tmpfs}, {"dev-shm", own_dev_shm}, {"memfd", own_memfd},
		{"sysv", own_sysv}, {"pipes", own_pipes}, {"sockets", own_sockets},
	};
	const char *how = param_get("how");

	if (strcmp(how, "tmpfs") == 0 && !is_tmpfs("/tmp")) {
		report(NOT_APPLICABLE, "26.tmpfs", "memory", "/tmp is no tmpfs here");
		return;
	}
	memset(fill_block, 1, sizeof(fill_block));
	for (size_t i = 0; i < COUNT(ways); i++) {
		if (strcmp(how, ways[i].name) != 0)
			continue;
		errno = 0;
		judge(path_of("26.%s", how), "memory", ways[i].own(), (const int[]){ENOMEM, ENOSPC,
		    EAGAIN, ENOBUFS, EPERM, EMFILE, EINVAL, EACCES, ENOENT, 0});
		sleep_ms(param_find("stay") != NULL ? param_number("stay") : 0);
		return;
	}
	report(BROKEN, "26.how", "memory", "no way %s", how);
}
