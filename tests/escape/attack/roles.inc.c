/*
 * Helper roles of the attack program: what the attacks aim at on the host (victim, listen), what
 * drives them (pty, race), and misbehaving commands for the runner. Part of attack.c.
 */

static void write_text(const char *path, const char *text)
{
	const char *draft = path_of("%s.new", path);
	int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		_exit(1);
	close(fd);
	if (rename(draft, path) < 0)
		_exit(1);
}

static const char *victim_mark;

static void victim_note(int number)
{
	int fd = open(victim_mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	(void)number;
	if (fd >= 0)
		close(fd);
}

/*
 * victim info=FILE root=DIR yranac=... ipc_key=N mq=/NAME: a process of the host that is worth
 * attacking: memory, SysV and POSIX objects with the canary. Writes "victim=PID scratch=ADDRESS" to
 * info when it is ready and removes its objects on SIGTERM.
 */
static volatile sig_atomic_t is_victim_over;

static void victim_stop(int number)
{
	(void)number;
	is_victim_over = 1;
}

static char victim_scratch[64];

static int play_victim(void)
{
	const char *queue_name = param_get("mq");
	key_t key = (key_t)param_number("ipc_key");
	int shm = shmget(key, 4096, IPC_CREAT | 0666);
	int sem = semget(key, 1, IPC_CREAT | 0666);
	int msg = msgget(key, IPC_CREAT | 0666);
	char *area = shmat(shm, NULL, 0);
	mqd_t queue = mq_open(queue_name, O_RDWR | O_CREAT | O_CLOEXEC, 0666, NULL);

	/* An open file, for attacks that take descriptors. */
	if (open(param_get("secret"), O_RDONLY | O_CLOEXEC) < 0)
		return 1;
	if (shm < 0 || sem < 0 || msg < 0 || area == (void *)-1 || queue == (mqd_t)-1) {
		perror("attack victim: ipc");
		return 1;
	}
	victim_mark = path_of("%s/victim.signalled", param_get("root"));
	victim_mark = strdup(victim_mark);
	snprintf(area, 4096, "%s", canary());
	write_text(path_of("/dev/shm%s", queue_name), canary());
	prctl(PR_SET_NAME, "sbx-victim");
	setpgid(0, 0);
	signal(SIGUSR1, victim_note);
	signal(SIGUSR2, SIG_IGN);
	signal(SIGTERM, victim_stop);
	write_text(param_get("info"), path_of("victim=%d scratch=%p\n", (int)getpid(),
	    (void *)victim_scratch));
	while (!is_victim_over)
		sleep_ms(50);
	shmctl(shm, IPC_RMID, NULL);
	semctl(sem, 0, IPC_RMID);
	msgctl(msg, IPC_RMID, NULL);
	mq_unlink(queue_name);
	unlink(path_of("/dev/shm%s", queue_name));
	return 0;
}

/*
 * listen info=FILE log=FILE net=yes|no abstract=NAME PATH...: takes everything that arrives on the
 * sockets of the network and unix attacks; one line in log for each. lo gets the addresses.
 */
#define LISTEN_CAP 160

struct listener {
	int fd;
	bool is_stream;
	char name[96];
};

static struct listener listeners[LISTEN_CAP];
static size_t listener_count;

static void listener_add(int fd, bool is_stream, const char *name)
{
	if (fd < 0 || listener_count == LISTEN_CAP) {
		fprintf(stderr, "attack listen: %s: %s\n", name, strerror(errno));
		_exit(1);
	}
	listeners[listener_count].fd = fd;
	listeners[listener_count].is_stream = is_stream;
	snprintf(listeners[listener_count].name, sizeof(listeners[0].name), "%s", name);
	listener_count++;
}

static void lo_address(const char *label, const char *host)
{
	struct ifreq request;
	struct sockaddr_in *address = (struct sockaddr_in *)(void *)&request.ifr_addr;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memset(&request, 0, sizeof(request));
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", label);
	address->sin_family = AF_INET;
	if (fd < 0 || inet_pton(AF_INET, host, &address->sin_addr) != 1 ||
	    ioctl(fd, SIOCSIFADDR, &request) < 0)
		perror("attack listen: address");
	request.ifr_flags = IFF_UP | IFF_RUNNING;
	if (ioctl(fd, SIOCSIFFLAGS, &request) < 0)
		perror("attack listen: up");
	close(fd);
}

static void listen_inet(int type, const char *host, int port)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
	bool is_v6 = inet_pton(AF_INET6, host, &v6.sin6_addr) == 1;
	int fd = socket(is_v6 ? AF_INET6 : AF_INET, type | SOCK_CLOEXEC, 0);
	int one = 1;

	inet_pton(AF_INET, host, &v4.sin_addr);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, is_v6 ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4,
	    is_v6 ? sizeof(v6) : sizeof(v4)) < 0 || (type == SOCK_STREAM && listen(fd, 64) < 0)) {
		close(fd);
		fd = -1;
	}
	listener_add(fd, type == SOCK_STREAM, path_of("%s %s %d",
	    type == SOCK_STREAM ? "tcp" : "udp", host, port));
}

static void listen_unix(const char *name, bool is_abstract)
{
	static const int types[] = {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM};
	static const char *const ends[] = {"", ".seq", ".dgram"};

	for (size_t i = 0; i < COUNT(types); i++) {
		struct sockaddr_un address = {.sun_family = AF_UNIX};
		char *path = address.sun_path + (is_abstract ? 1 : 0);
		int fd = socket(AF_UNIX, types[i] | SOCK_CLOEXEC, 0);
		socklen_t size;

		snprintf(path, sizeof(address.sun_path) - 1, "%s%s", name, ends[i]);
		size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path) + 1);
		if (is_abstract)
			address.sun_path[0] = '\0';
		if (bind(fd, (struct sockaddr *)&address, size) < 0 ||
		    (types[i] != SOCK_DGRAM && listen(fd, 64) < 0)) {
			close(fd);
			fd = -1;
		}
		if (!is_abstract)
			chmod(path, 0777);
		listener_add(fd, types[i] != SOCK_DGRAM, path_of("unix %s%s", name, ends[i]));
	}
}

static void listen_note(int log_fd, const char *name)
{
	const char *line = path_of("%s\n", name);

	if (write(log_fd, line, strlen(line)) < 0)
		_exit(1);
}

/* Everything is non-blocking: one datagram or one connection a turn. */
static void listen_once(const struct listener *listener, int log_fd)
{
	char buffer[2048];
	int peer;

	if (!listener->is_stream) {
		if (recv(listener->fd, buffer, sizeof(buffer), MSG_DONTWAIT) >= 0)
			listen_note(log_fd, listener->name);
		return;
	}
	peer = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (peer < 0)
		return;
	listen_note(log_fd, listener->name);
	close(peer);
}

__attribute__((noreturn))
static int play_listen(void)
{
	static const int ports[] = {443, 53, 853, 80};
	int log_fd = open(param_get("log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

	umask(0);
	if (log_fd < 0)
		_exit(1);
	if (strcmp(param_get("net"), "yes") == 0) {
		lo_address("lo", "127.0.0.1");
		lo_address("lo:1", "1.1.1.1");
		lo_address("lo:2", "169.254.169.254");
		for (size_t i = 0; i < COUNT(ports); i++) {
			listen_inet(SOCK_STREAM, "0.0.0.0", ports[i]);
			listen_inet(SOCK_DGRAM, "0.0.0.0", ports[i]);
		}
		listen_inet(SOCK_DGRAM, "0.0.0.0", 5353);
		listen_inet(SOCK_STREAM, "::", 8053);
		listen_inet(SOCK_DGRAM, "::", 8053);
	}
	listen_unix(param_get("abstract"), true);
	listen_unix("/tmp/.X11-unix/X0", true);
	listen_unix("dbus-attack", true);
	for (char **path = role_args; *path != NULL; path++)
		listen_unix(*path, false);
	for (size_t i = 0; i < listener_count; i++)
		fcntl(listeners[i].fd, F_SETFL, O_NONBLOCK);
	write_text(param_get("info"), path_of("listener=%d\n", (int)getpid()));
	for (;;) {
		for (size_t i = 0; i < listener_count; i++)
			listen_once(&listeners[i], log_fd);
		sleep_ms(2);
	}
}

/*
 * pty COMMAND: runs it with a new terminal as its controlling one, then says what would have been
 * typed into that terminal for the next reader.
 */
static void pty_relay(int master, pid_t child, int *status)
{
	char buffer[4096];
	long quiet_ms = 0;
	bool is_over = false;

	while (!is_over || quiet_ms < 100) {
		ssize_t got = read(master, buffer, sizeof(buffer));

		if (got > 0) {
			quiet_ms = 0;
			if (write(STDOUT_FILENO, buffer, (size_t)got) < 0)
				return;
			continue;
		}
		if (!is_over && waitpid(child, status, WNOHANG) == child)
			is_over = true;
		sleep_ms(5);
		quiet_ms += 5;
	}
}

static int play_pty(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	const char *name;
	int waiting = 0;
	int status = 0;
	int slave;
	pid_t pid;

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 || role_args[0] == NULL)
		return 1;
	name = ptsname(master);
	slave = name == NULL ? -1 : open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		return 1;
	pid = fork();
	if (pid == 0) {
		setsid();
		ioctl(slave, TIOCSCTTY, 0);
		for (int i = 0; i < 3; i++)
			dup2(slave, i);
		execvp(role_args[0], role_args);
		_exit(127);
	}
	fcntl(master, F_SETFL, O_NONBLOCK);
	pty_relay(master, pid, &status);
	/* Input is kept by line: what has been pushed counts only when the line is over. */
	if (write(master, "\n", 1) == 1)
		sleep_ms(20);
	ioctl(slave, FIONREAD, &waiting);
	printf("\npty: %d bytes were typed, status %d\n", waiting > 1 ? waiting - 1 : 0,
	    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}

/* race a=A b=B: exchanges two names until it is killed or a minute is over. */
__attribute__((noreturn))
static int play_race(void)
{
	const char *a = param_get("a");
	const char *b = param_get("b");

	alarm(60);
	for (;;)
		syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, 2 /* RENAME_EXCHANGE */);
}

/* escape-daemon: everything that a process can do to leave its parent's reach; tag is in argv. */
static void daemon_stay(void)
{
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, 0);
	for (int i = 0; i < 600; i++)
		sleep_ms(100);
	_exit(0);
}

static int play_escape_daemon(void)
{
	prctl(PR_SET_PDEATHSIG, 0);
	if (fork() == 0) {		/* double fork and session */
		setsid();
		if (fork() == 0)
			daemon_stay();
		_exit(0);
	}
	if (fork() == 0) {		/* a subreaper that collects its own */
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		if (fork() == 0) {
			if (fork() == 0)
				daemon_stay();
			_exit(0);
		}
		daemon_stay();
	}
	if (fork() == 0) {		/* without any descriptor */
		for (int fd = 0; fd < 64; fd++)
			close(fd);
		setsid();
		daemon_stay();
	}
	if (param_find("leave") != NULL)
		return 0;
	daemon_stay();
	return 0;
}

/* stubborn how=ignore|stop|stop-tree|vfork|block: does not end when asked. */
static int play_stubborn(void)
{
	const char *how = param_get("how");
	sigset_t all;

	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (strcmp(how, "stop") == 0)
		raise(SIGSTOP);
	if (strcmp(how, "stop-tree") == 0) {
		if (fork() == 0) {
			if (fork() == 0)
				raise(SIGSTOP);
			raise(SIGSTOP);
		}
		raise(SIGSTOP);
	}
	if (strcmp(how, "vfork") == 0 && syscall(SYS_clone, 0x4000 | SIGCHLD, 0, 0, 0, 0) == 0)
		for (;;)		/* CLONE_VFORK: the parent sleeps in the kernel */
			sleep_ms(1000);
	if (strcmp(how, "block") == 0) {
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
	}
	for (int i = 0; i < 600; i++)
		sleep_ms(100);
	return 0;
}

/* burn threads=N | processes=N: cpu time until a minute is over. */
static void *burn_forever(void *unused)
{
	volatile unsigned long counter = 0;
	long end = now_ms() + 60000;

	(void)unused;
	while (now_ms() < end)
		for (int i = 0; i < 100000; i++)
			counter = counter + 1;
	return NULL;
}

static int play_burn(void)
{
	const char *threads = param_find("threads");
	long count = threads != NULL ? param_number("threads") : param_number("processes");

	for (long i = 1; i < count; i++) {
		pthread_t thread;

		if (threads != NULL)
			pthread_create(&thread, NULL, burn_forever, NULL);
		else if (fork() == 0)
			burn_forever(NULL);
	}
	burn_forever(NULL);
	return 0;
}

/* spew bytes=N status=N [to=2] [tail=TEXT]: N bytes, then the tail, then that status. */
static int play_spew(void)
{
	static char block[1 << 16];
	long left = param_number("bytes");
	int fd = param_find("to") != NULL ? (int)param_number("to") : STDOUT_FILENO;
	const char *tail = param_find("tail");

	memset(block, 'y', sizeof(block));
	while (left > 0) {
		size_t want = left < (long)sizeof(block) ? (size_t)left : sizeof(block);
		ssize_t put = write(fd, block, want);

		if (put < 0)
			return 99;
		left -= put;
	}
	if (tail != NULL && write(fd, tail, strlen(tail)) < 0)
		return 99;
	return (int)param_number("status");
}

/* half-char lead=N count=N: lead bytes "a", then count times a two-byte UTF-8 character. */
static int play_half_char(void)
{
	for (long lead = param_number("lead"); lead > 0; lead--)
		putchar('a');
	for (long count = param_number("count"); count > 0; count--)
		fputs("\303\251", stdout);
	return fflush(stdout) == 0 ? 0 : 99;
}

/* close-stdout: the command goes on when it has closed its own output. */
static int play_close_stdout(void)
{
	if (write(STDOUT_FILENO, "before", 6) != 6)
		return 99;
	close(STDOUT_FILENO);
	sleep_ms(100);
	return write(STDERR_FILENO, "after", 5) == 5 ? 7 : 99;
}

/* hold: the write end of stdout lives on in a socket that a daemon keeps. */
static int play_hold(void)
{
	struct iovec part = {.iov_base = (void *)(uintptr_t)"x", .iov_len = 1};
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
	    .msg_controllen = sizeof(control)};
	int out = STDOUT_FILENO;
	int ends[2];

	memset(&control, 0, sizeof(control));
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return 99;
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &out, sizeof(out));
	if (sendmsg(ends[0], &message, 0) < 0)
		return 99;
	if (fork() == 0) {
		setsid();
		close(STDIN_FILENO);
		close(STDOUT_FILENO);
		close(STDERR_FILENO);
		daemon_stay();
	}
	return write(STDOUT_FILENO, "hi\n", 3) == 3 ? 0 : 99;
}

/* crash: with as large a core as the limits allow. 29 looks at the limits themselves. */
static int play_crash(void)
{
	struct rlimit core;

	if (getrlimit(RLIMIT_CORE, &core) == 0) {
		core.rlim_cur = core.rlim_max;
		setrlimit(RLIMIT_CORE, &core);
	}
	prctl(PR_SET_DUMPABLE, 1);
	printf("core-limit=%lld\n", core.rlim_max == RLIM_INFINITY ? -1LL :
	    (long long)core.rlim_max);
	fflush(stdout);
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
	return 0;
}

/* flags: the status flags of 0, 1 and 2, on descriptor 3. */
static int play_flags(void)
{
	dprintf(3, "%d %d %d\n", fcntl(0, F_GETFL) & O_NONBLOCK, fcntl(1, F_GETFL) & O_NONBLOCK,
	    fcntl(2, F_GETFL) & O_NONBLOCK);
	return 0;
}

/* fds COMMAND: runs it with 3..20 open on folders, files, a socket and a pipe. */
static int play_fds(void)
{
	int ends[2];

	for (int fd = 3; fd <= 20; fd++) {
		int one = open(fd % 2 ? "/" : "/etc/passwd", O_RDONLY);

		if (fd == 19 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0)
			one = ends[0];
		if (fd == 20 && pipe(ends) == 0)
			one = ends[1];
		if (one < 0 || (one != fd && dup2(one, fd) < 0))
			return 1;
	}
	execvp(role_args[0], role_args);
	return 127;
}

/* where: the real folder we stand in, whatever its name says; marks it when asked. */
static int play_where(void)
{
	struct stat status;
	const char *mark = param_find("mark");

	if (stat(".", &status) < 0)
		return 1;
	printf("inode=%llu\n", (unsigned long long)status.st_ino);
	if (mark != NULL)
		change_open(mark, O_WRONLY | O_CREAT);
	return 0;
}

/* grant file=PATH: gives the file CAP_NET_RAW and CAP_SYS_ADMIN, as setcap(8) would. */
static int play_grant(void)
{
	/* Revision 2, with the effective flag (vfs_cap_data, capabilities(7)). */
	static const uint32_t data[5] = {0x02000001, 1U << 13 | 1U << 21};

	return setxattr(param_get("file"), "security.capability", data, sizeof(data), 0) < 0;
}

/* mark-xattr file=PATH: an attribute for the attacks on metadata to remove. */
static int play_mark_xattr(void)
{
	return setxattr(param_get("file"), "user.kept", "x", 1, 0) < 0;
}

/* privilege uid=N: what a set-id or capability copy of this program finds itself to be. */
static int play_privilege(void)
{
	char sets[64];
	uid_t before = (uid_t)param_number("uid");

	if (geteuid() != before || getegid() != getgid())
		return 10;
	return getuid() != 0 && has_capability_set(false, sets, sizeof(sets)) ? 10 : 0;
}
