/*
 * Landlock rule sets by raw system calls; see linux_landlock.h. Everything newer than the first ABI
 * is defined here where the headers are older, since the kernel that runs this decides, not the one
 * that it was built for. Which right came with which ABI: Documentation/userspace-api/landlock.rst,
 * "Previous limitations". Must not allocate, print or keep state.
 */
#include "linux_landlock.h"

#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif
#ifndef LANDLOCK_ACCESS_FS_RESOLVE_UNIX
#define LANDLOCK_ACCESS_FS_RESOLVE_UNIX (1ULL << 16)
#endif
#ifndef LANDLOCK_ACCESS_NET_BIND_TCP
#define LANDLOCK_ACCESS_NET_BIND_TCP (1ULL << 0)
#define LANDLOCK_ACCESS_NET_CONNECT_TCP (1ULL << 1)
#endif
#ifndef LANDLOCK_ACCESS_NET_BIND_UDP
#define LANDLOCK_ACCESS_NET_BIND_UDP (1ULL << 2)
#define LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP (1ULL << 3)
#endif
#ifndef LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
#define LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0)
#define LANDLOCK_SCOPE_SIGNAL (1ULL << 1)
#endif

enum {
	ABI_REFER = 2,
	ABI_TRUNCATE = 3,
	ABI_TCP = 4,
	ABI_IOCTL_DEV = 5,
	ABI_SCOPES = 6,
	ABI_RESOLVE_UNIX = 9,
	ABI_UDP = 10,
};

#define FS_FIRST_ABI ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1) /* its last right and all before */
#define FS_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
/* No device nodes: nobody inside needs to make one, and the process has no right to anyway. */
#define FS_MAKE                                                           \
	(LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |      \
	    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | \
	    LANDLOCK_ACCESS_FS_MAKE_SYM)
#define FS_REMOVE (LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE)
/* What a rule for something that is no folder may hold; the kernel refuses the rest with EINVAL. */
#define FS_OF_FILES                                                      \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |    \
	    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_TRUNCATE | \
	    LANDLOCK_ACCESS_FS_IOCTL_DEV | LANDLOCK_ACCESS_FS_RESOLVE_UNIX)

static uint64_t fs_rights(int abi)
{
	uint64_t rights = FS_FIRST_ABI;

	if (abi >= ABI_REFER)
		rights |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= ABI_TRUNCATE)
		rights |= LANDLOCK_ACCESS_FS_TRUNCATE;
	if (abi >= ABI_IOCTL_DEV)
		rights |= LANDLOCK_ACCESS_FS_IOCTL_DEV;
	if (abi >= ABI_RESOLVE_UNIX)
		rights |= LANDLOCK_ACCESS_FS_RESOLVE_UNIX;
	return rights;
}

static uint64_t rights_of(enum landlock_access access)
{
	switch (access) {
	case LANDLOCK_READ:
		return FS_READ;
	case LANDLOCK_READ_EXEC:
		return FS_READ | LANDLOCK_ACCESS_FS_EXECUTE;
	case LANDLOCK_READ_WRITE:
		/* without REFER every rule set refuses renames between two folders */
		return FS_READ | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
		       FS_MAKE | FS_REMOVE | LANDLOCK_ACCESS_FS_REFER |
		       LANDLOCK_ACCESS_FS_TRUNCATE | LANDLOCK_ACCESS_FS_IOCTL_DEV |
		       LANDLOCK_ACCESS_FS_RESOLVE_UNIX;
	case LANDLOCK_DEVICE:
		return LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
		       LANDLOCK_ACCESS_FS_IOCTL_DEV;
	case LANDLOCK_WRITE_FILES:
		return FS_READ | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE |
		       LANDLOCK_ACCESS_FS_IOCTL_DEV;
	}
	return 0;
}

uint64_t landlock_rights(int abi, enum landlock_access access, bool is_folder)
{
	return rights_of(access) & fs_rights(abi) & (is_folder ? UINT64_MAX : FS_OF_FILES);
}

int landlock_abi(int *errno_out)
{
	unsigned flags = LANDLOCK_CREATE_RULESET_VERSION;
	long abi = syscall(__NR_landlock_create_ruleset, NULL, (size_t)0, flags);

	*errno_out = abi < 0 ? errno : 0;
	return abi < 0 ? 0 : (int)abi;
}

unsigned landlock_supported(int abi, unsigned want)
{
	unsigned have = 0;

	if (abi >= ABI_TCP)
		have |= LANDLOCK_DENY_TCP;
	if (abi >= ABI_SCOPES)
		have |= LANDLOCK_SCOPE_ABSTRACT | LANDLOCK_SCOPE_SIGNALS;
	if (abi >= ABI_RESOLVE_UNIX)
		have |= LANDLOCK_DENY_UNIX;
	return want & have;
}

struct landlock_masks landlock_masks(int abi, unsigned want)
{
	struct landlock_masks m = { .fs = fs_rights(abi) };

	want = landlock_supported(abi, want);
	if ((want & LANDLOCK_DENY_UNIX) == 0)
		m.fs &= ~LANDLOCK_ACCESS_FS_RESOLVE_UNIX;
	if ((want & LANDLOCK_DENY_TCP) != 0)
		m.net = LANDLOCK_ACCESS_NET_BIND_TCP | LANDLOCK_ACCESS_NET_CONNECT_TCP;
	if ((want & LANDLOCK_DENY_TCP) != 0 && abi >= ABI_UDP)
		m.net |= LANDLOCK_ACCESS_NET_BIND_UDP | LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP;
	if ((want & LANDLOCK_SCOPE_ABSTRACT) != 0)
		m.scoped |= LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET;
	if ((want & LANDLOCK_SCOPE_SIGNALS) != 0)
		m.scoped |= LANDLOCK_SCOPE_SIGNAL;
	return m;
}

int landlock_create(int abi, unsigned want)
{
	/* the same as struct landlock_ruleset_attr; a kernel takes a longer one whose rest is 0 */
	struct landlock_masks attr = landlock_masks(abi, want);
	long fd = syscall(__NR_landlock_create_ruleset, &attr, sizeof attr, 0U);

	return fd < 0 ? -errno : (int)fd;
}

static int add_rule(int ruleset_fd, int path_fd, uint64_t rights)
{
	struct landlock_path_beneath_attr attr = { .allowed_access = rights, .parent_fd = path_fd };

	if (syscall(__NR_landlock_add_rule, ruleset_fd, LANDLOCK_RULE_PATH_BENEATH, &attr, 0U) != 0)
		return -errno;
	return 0;
}

int landlock_allow_fd(int ruleset_fd, int abi, int path_fd, enum landlock_access access)
{
	uint64_t rights;
	struct stat st;
	int rc;

	if (fstat(path_fd, &st) != 0)
		return -errno;
	rights = landlock_rights(abi, access, S_ISDIR(st.st_mode));
	rc = add_rule(ruleset_fd, path_fd, rights);
	/* a rule must not grant what its set, made without LANDLOCK_DENY_UNIX, does not handle */
	if (rc == -EINVAL && (rights & LANDLOCK_ACCESS_FS_RESOLVE_UNIX) != 0)
		rc = add_rule(ruleset_fd, path_fd, rights & ~LANDLOCK_ACCESS_FS_RESOLVE_UNIX);
	return rc;
}

int landlock_allow_path(int ruleset_fd, int abi, const char *path, enum landlock_access access,
    bool is_optional)
{
	int fd, rc;

	fd = openat(AT_FDCWD, path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return is_optional && (errno == ENOENT || errno == ENOTDIR) ? 0 : -errno;
	rc = landlock_allow_fd(ruleset_fd, abi, fd, access);
	(void)close(fd);
	return rc;
}

int landlock_restrict(int ruleset_fd)
{
	if (syscall(__NR_landlock_restrict_self, ruleset_fd, 0U) != 0)
		return -errno;
	return 0;
}
