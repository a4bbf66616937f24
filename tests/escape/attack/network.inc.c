/*
 * Attacks on the network and on sockets of the host. Part of attack.c. The script runs a listener
 * (role "listen") in a network namespace of its own, where addresses such as 1.1.1.1 are local, so
 * that nothing ever leaves the machine and a control can really connect.
 */

/* 65: every family but UNIX, INET, INET6 and NETLINK; types in turn, each family likes one. */
static int any_socket(int family, int protocol)
{
	static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET, SOCK_RAW, SOCK_RDM};
	int error = EAFNOSUPPORT;

	for (size_t i = 0; i < COUNT(types); i++) {
		int fd = socket(family, types[i] | SOCK_CLOEXEC, protocol);

		if (fd >= 0) {
			close(fd);
			return 0;
		}
		if (errno != EAFNOSUPPORT && errno != ESOCKTNOSUPPORT)
			error = errno;
	}
	return error;
}

static int socket_errno(int family, int type, int protocol)
{
	int fd = socket(family, type | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int socket_raw_call(long family, long type, long protocol)
{
	long fd = syscall(SYS_socket, family, type, protocol);

	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}

static void check_socket_families(void)
{
	static const int refused[] = {EPERM, EACCES, EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT,
		ENOSYS, 0};
	static const struct {
		const char *name;
		int family, type, protocol;
	} flavours[] = {
		{"inet-raw-icmp", AF_INET, SOCK_RAW, 1}, {"inet-raw", AF_INET, SOCK_RAW, 255},
		{"inet6-raw", AF_INET6, SOCK_RAW, 58}, {"inet-sctp", AF_INET, SOCK_STREAM, 132},
		{"inet-sctp-seq", AF_INET, SOCK_SEQPACKET, 132},
		{"inet-udplite", AF_INET, SOCK_DGRAM, 136},
		{"inet-mptcp", AF_INET, SOCK_STREAM, 262},
		{"inet6-mptcp", AF_INET6, SOCK_STREAM, 262}, {"inet-dccp", AF_INET, 6, 33},
		{"inet-l2tp", AF_INET, SOCK_DGRAM, 115}, {"inet-smc", AF_INET, SOCK_STREAM, 256},
		{"inet-igmp-raw", AF_INET, SOCK_RAW, 2}, {"inet-packet-type", AF_INET, 10, 0x300},
	};
	const long high = 0x100000000L;
	int pair[2];

	for (int family = 3; family <= 46; family++) {
		int error;

		if (family == AF_INET6 || family == AF_NETLINK)
			continue;
		error = any_socket(family, 0);
		if (family == 17 || family == 15)	/* packet and key want a protocol */
			error = error == 0 ? 0 : any_socket(family, family == 15 ? 2 : 0x300);
		judge_reach(path_of("65.family-%d", family), "seccomp", error, refused);
	}
	for (int protocol = 1; protocol <= 22; protocol++)
		judge_reach(path_of("65.netlink-%d", protocol), "seccomp",
		    any_socket(AF_NETLINK, protocol), refused);
	for (size_t i = 0; i < COUNT(flavours); i++)
		judge_reach(path_of("65.%s", flavours[i].name), "seccomp",
		    socket_errno(flavours[i].family, flavours[i].type, flavours[i].protocol),
		    refused);
	/* int arguments: the kernel drops the upper half, a 64-bit compare would not. */
	judge_reach("65.high-family", "seccomp", socket_raw_call(high | AF_PACKET, SOCK_DGRAM,
	    0x300), refused);
	judge_reach("65.high-type", "seccomp", socket_raw_call(AF_INET, high | SOCK_RAW, 1),
	    refused);
	judge_reach("65.high-protocol", "seccomp",
	    socket_raw_call(AF_INET, SOCK_STREAM, high | 262), refused);
	judge_reach("65.high-netlink", "seccomp", socket_raw_call(AF_NETLINK, SOCK_RAW, high | 12),
	    refused);
	judge_reach("65.pair-tipc", "seccomp", errno_of(socketpair(30, SOCK_SEQPACKET, 0, pair)),
	    (const int[]){EPERM, EACCES, EAFNOSUPPORT, ENOSYS, EOPNOTSUPP, 0});
}

/* 66, the second half of 65: the addresses are local ones of the listener's namespace. */
static int wait_for_connect(int fd)
{
	struct sockaddr_storage peer;
	socklen_t size = sizeof(peer);
	int error = 0;
	socklen_t error_size = sizeof(error);

	for (int i = 0; i < 100; i++) {
		if (getpeername(fd, (struct sockaddr *)&peer, &size) == 0)
			return 0;
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_size) == 0 && error != 0)
			return error;
		sleep_ms(5);
	}
	return ETIMEDOUT;
}

static int inet_reach(int type, const char *host, int port, bool want_send)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
	bool is_v6 = inet_pton(AF_INET6, host, &v6.sin6_addr) == 1;
	const struct sockaddr *address = is_v6 ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4;
	socklen_t size = is_v6 ? sizeof(v6) : sizeof(v4);
	int fd;
	int error;

	if (!is_v6 && inet_pton(AF_INET, host, &v4.sin_addr) != 1)
		return EDOM;
	fd = socket(is_v6 ? AF_INET6 : AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return errno;
	if (want_send)
		error = errno_of(sendto(fd, "attack", 6, type == SOCK_STREAM ? MSG_FASTOPEN : 0,
		    address, size));
	else
		error = errno_of(connect(fd, address, size));
	if (error == EINPROGRESS)
		error = wait_for_connect(fd);
	close(fd);
	return error;
}

static void check_network(void)
{
	static const struct {
		const char *host;
		int port;
	} targets[] = {
		{"1.1.1.1", 443}, {"1.1.1.1", 53}, {"169.254.169.254", 80}, {"127.0.0.1", 8053},
		{"::1", 8053}, {"224.0.0.251", 5353},
	};
	struct if_nameindex *names;
	char other[IF_NAMESIZE] = "";

	for (size_t i = 0; i < COUNT(targets); i++) {
		const char *host = targets[i].host;
		int port = targets[i].port;
		bool is_multicast = host[0] == '2';

		if (!is_multicast) {
			judge(path_of("66.tcp-%s-%d", host, port), "net_ns+seccomp",
			    inet_reach(SOCK_STREAM, host, port, false), refuse_net);
			judge(path_of("66.fastopen-%s-%d", host, port), "net_ns+seccomp",
			    inet_reach(SOCK_STREAM, host, port, true), refuse_net);
		}
		/* A datagram to an own loopback goes nowhere: what the listener saw decides. */
		if (strcmp(host, "127.0.0.1") != 0 && strcmp(host, "::1") != 0)
			judge(path_of("66.udp-%s-%d", host, port), "net_ns+seccomp",
			    inet_reach(SOCK_DGRAM, host, port, true), refuse_net);
		else
			inet_reach(SOCK_DGRAM, host, port, true);
	}
	names = if_nameindex();
	for (struct if_nameindex *n = names; n != NULL && n->if_index != 0; n++)
		if (strcmp(n->if_name, "lo") != 0)
			snprintf(other, sizeof(other), "%s", n->if_name);
	if (names != NULL)
		if_freenameindex(names);
	report(other[0] == '\0' ? BLOCKED : SUCCEEDED, "66.interfaces", "net_ns", "besides lo: %s",
	    other[0] == '\0' ? "none" : other);
}

/* 67 and 68: the ways to one address. The listener has NAME, NAME.dgram and NAME.seq. */
static int unix_reach(const char *call, int fd, const struct sockaddr_un *address, socklen_t size)
{
	struct iovec part = {.iov_base = (void *)(uintptr_t)"attack", .iov_len = 6};
	struct mmsghdr message = {.msg_hdr = {.msg_name = (void *)(uintptr_t)address,
	    .msg_namelen = size, .msg_iov = &part, .msg_iovlen = 1}};
	const struct sockaddr *to = (const struct sockaddr *)address;

	if (strcmp(call, "connect") == 0)
		return errno_of(connect(fd, to, size));
	if (strcmp(call, "sendto") == 0)
		return errno_of(sendto(fd, "attack", 6, 0, to, size));
	if (strcmp(call, "sendmsg") == 0)
		return errno_of(sendmsg(fd, &message.msg_hdr, 0));
	return errno_of(sendmmsg(fd, &message, 1, 0));
}

/* A datagram socket that was born in a pair has a peer, but sends to any address all the same. */
static int unix_socket(int type, bool is_pair)
{
	int pair[2];

	if (!is_pair)
		return socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return -1;
	close(pair[1]);
	return pair[0];
}

static void judge_unix(const char *tag, const char *layers, const char *name, bool is_abstract)
{
	static const struct {
		const char *attempt, *end, *call;
		int type;
		bool is_pair;
	} ways[] = {
		{"stream", "", "connect", SOCK_STREAM, false},
		{"seqpacket", ".seq", "connect", SOCK_SEQPACKET, false},
		{"connect", ".dgram", "connect", SOCK_DGRAM, false},
		{"sendto", ".dgram", "sendto", SOCK_DGRAM, false},
		{"sendmsg", ".dgram", "sendmsg", SOCK_DGRAM, false},
		{"sendmmsg", ".dgram", "sendmmsg", SOCK_DGRAM, false},
		{"pair-sendto", ".dgram", "sendto", SOCK_DGRAM, true},
		{"pair-connect", ".dgram", "connect", SOCK_DGRAM, true},
		/* unix(7) takes SOCK_RAW for SOCK_DGRAM without a word. */
		{"raw-pair-sendto", ".dgram", "sendto", SOCK_RAW, true},
		{"raw-sendto", ".dgram", "sendto", SOCK_RAW, false},
	};

	for (size_t i = 0; i < COUNT(ways); i++) {
		struct sockaddr_un address = {.sun_family = AF_UNIX};
		char *path = address.sun_path + (is_abstract ? 1 : 0);
		int fd = unix_socket(ways[i].type, ways[i].is_pair);
		int error = errno;

		snprintf(path, sizeof(address.sun_path) - 1, "%s%s", name, ways[i].end);
		if (fd >= 0) {
			error = unix_reach(ways[i].call, fd, &address,
			    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name) +
			    strlen(ways[i].end) + 1));
			close(fd);
		}
		/* EAGAIN: the listener's queue is full, so it was reached. */
		judge(path_of("%s-%s", tag, ways[i].attempt), layers, error == EAGAIN ? 0 : error,
		    refuse_net);
	}
}

static void check_abstract_socket(void)
{
	judge_unix("67.abstract", "net_ns+landlock", param_get("abstract"), true);
	judge_unix("67.x11", "net_ns+landlock", "/tmp/.X11-unix/X0", true);
	judge_unix("67.dbus", "net_ns+landlock", "dbus-attack", true);
}

static void check_path_socket(void)
{
	static const char *const usual[] = {"/run/docker.sock", "/run/podman/podman.sock",
		"/run/containerd/containerd.sock", "/run/libvirt/libvirt-sock",
		"/run/systemd/private", "/run/user/bus", "/run/nscd/socket",
		"/run/mysqld/mysqld.sock",
		"/run/systemd/resolve/io.systemd.Resolve", "/var/run/docker.sock"};

	judge_unix("68.outside", "view", path_of("%s/socket", param_get("outside")), false);
	for (size_t i = 0; i < COUNT(usual); i++)
		judge_unix(path_of("68%s", usual[i]), "view", usual[i], false);
	judge_unix("68.tmux", "view", "/tmp/tmux-attack/default", false);
	judge_unix("68.link", "view", path_of("%s/to-outside/socket", param_get("root")), false);
}

/* 70: the resolver of libc; the script counts what its name server saw, so the wait is short. */
static int look_up(const char *name)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;

	if (getaddrinfo(name, "443", &hints, &found) != 0)
		return 1;
	freeaddrinfo(found);
	return 0;
}

static void check_name_lookup(void)
{
	const char *name = param_get("dns_name");
	int status = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(look_up(name));
	for (int i = 0; i < 20 && waitpid(pid, &status, WNOHANG) == 0; i++)
		sleep_ms(10);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	report(status == 0 ? SUCCEEDED : BLOCKED, "70.getaddrinfo", "net_ns+seccomp", "%s: %s",
	    name, status == 0 ? "answered" : "no answer");
	for (int port = 53; port <= 853; port += 800)
		judge(path_of("70.tcp-%d", port), "net_ns+seccomp",
		    inet_reach(SOCK_STREAM, "1.1.1.1", port, false), refuse_net);
	judge("70.udp-53", "net_ns+seccomp", inet_reach(SOCK_DGRAM, "1.1.1.1", 53, true),
	    refuse_net);
	judge("70.mdns", "net_ns+seccomp", inet_reach(SOCK_DGRAM, "224.0.0.251", 5353, true),
	    refuse_net);
}
