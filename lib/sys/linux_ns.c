/* Identity and capabilities of a sandboxed process; see linux_ns.h. */
#include "linux_ns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fd.h"
#include "proc.h"

int ns_map_self(uid_t inside_uid, uid_t outside_uid, gid_t inside_gid, gid_t outside_gid)
{
	char line[64];
	int rc;

	/* absent before 3.19; needed before gid_map by a process without CAP_SETGID outside
	 * (CVE-2014-8989) */
	rc = fd_write_small(AT_FDCWD, "/proc/self/setgroups", "deny");
	if (rc != 0 && rc != -ENOENT)
		return rc;
	(void)snprintf(line, sizeof line, "%u %u 1\n", inside_uid, outside_uid);
	rc = fd_write_small(AT_FDCWD, "/proc/self/uid_map", line);
	if (rc != 0)
		return rc;
	(void)snprintf(line, sizeof line, "%u %u 1\n", inside_gid, outside_gid);
	return fd_write_small(AT_FDCWD, "/proc/self/gid_map", line);
}

static int ns_hold(void *arg)
{
	proc_die_with_parent(*(const pid_t *)arg);
	while (pause() != 0) /* always -1: until it is killed */
		;
	return 0;
}

static int ns_write_rootless_maps(pid_t pid)
{
	static const char map[] = "1 1 4294967294\n";
	char path[48];
	int rc;

	(void)snprintf(path, sizeof path, "/proc/%d/uid_map", (int)pid);
	rc = fd_write_small(AT_FDCWD, path, map);
	if (rc != 0)
		return rc;
	(void)snprintf(path, sizeof path, "/proc/%d/gid_map", (int)pid);
	return fd_write_small(AT_FDCWD, path, map);
}

int ns_open_rootless_userns(void)
{
	static _Alignas(64) unsigned char stack[4096];
	char path[48];
	int rc, fd, status;
	pid_t self = getpid();
	/* shares our memory: no page tables are copied for a child that only waits to be killed */
	pid_t pid = clone(ns_hold, stack + sizeof stack, CLONE_VM | CLONE_NEWUSER | SIGCHLD, &self);

	if (pid < 0)
		return -errno;
	rc = ns_write_rootless_maps(pid);
	(void)snprintf(path, sizeof path, "/proc/%d/ns/user", (int)pid);
	fd = rc != 0 ? rc : openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		fd = -errno;
	(void)kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return fd;
}

int ns_loopback_up(void)
{
	struct ifreq ifr;
	int fd = (int)syscall(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int rc = 0;

	if (fd < 0)
		return -errno;
	memset(&ifr, 0, sizeof ifr);
	memcpy(ifr.ifr_name, "lo", 3);
	ifr.ifr_flags = IFF_UP | IFF_RUNNING;
	if (ioctl(fd, SIOCSIFFLAGS, &ifr) != 0)
		rc = -errno;
	(void)close(fd);
	return rc;
}

int ns_set_hostname(const char *name)
{
	return sethostname(name, strlen(name)) == 0 ? 0 : -errno;
}

bool ns_has_capability(int cap)
{
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct d[2];

	memset(d, 0, sizeof d);
	if (syscall(SYS_capget, &h, d) != 0)
		return false;
	return (d[cap / 32].effective >> (cap % 32) & 1U) != 0;
}

static int ns_set_capabilities(int permitted, int effective)
{
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct d[2];

	memset(d, 0, sizeof d);
	if (permitted >= 0)
		d[permitted / 32].permitted = 1U << (permitted % 32);
	if (effective >= 0)
		d[effective / 32].effective = 1U << (effective % 32);
	return syscall(SYS_capset, &h, d) == 0 ? 0 : -errno;
}

int ns_clear_capabilities(int keep)
{
	return ns_set_capabilities(keep, -1);
}

int ns_raise_capability(int cap)
{
	return ns_set_capabilities(cap, cap);
}

int ns_drop_capabilities(void)
{
	static const unsigned long securebits =
	    SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
	    SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |
	    SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
	(void)prctl(
	    PR_CAP_AMBIENT, (unsigned long)PR_CAP_AMBIENT_CLEAR_ALL, 0UL, 0UL, 0UL); /* 4.3 */
	if (ns_has_capability(CAP_SETPCAP)) {
		for (unsigned long cap = 0; cap < 64; cap++)
			if (prctl(PR_CAPBSET_DROP, cap, 0UL, 0UL, 0UL) != 0) {
				if (errno == EINVAL) /* above the kernel's last capability */
					break;
				return -errno;
			}
		if (prctl(PR_SET_SECUREBITS, securebits, 0UL, 0UL, 0UL) != 0)
			return -errno;
	}
	return ns_clear_capabilities(-1);
}
