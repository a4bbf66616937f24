/*
 * Landlock (landlock(7), Documentation/userspace-api/landlock.rst): rules that a process puts on
 * itself. Every handled bit is masked by the kernel's ABI, so that one binary serves all kernels
 * from 5.13 on. All functions here are raw system calls without allocation: they run in a child
 * that shares memory with its parent.
 */
#ifndef SBX_SYS_LINUX_LANDLOCK_H
#define SBX_SYS_LINUX_LANDLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum landlock_access {
	LANDLOCK_READ,        /* read files, list folders */
	LANDLOCK_READ_EXEC,   /* and execute */
	LANDLOCK_READ_WRITE,  /* everything but making device nodes */
	LANDLOCK_DEVICE,      /* a device file: read, write, ioctl; nothing else */
	LANDLOCK_WRITE_FILES, /* read and write what exists, no creation (/proc, /dev) */
};

enum {
	LANDLOCK_DENY_TCP = 1 << 0,       /* no bind and connect (ABI 4); UDP too (ABI 10) */
	LANDLOCK_SCOPE_ABSTRACT = 1 << 1, /* no abstract unix sockets of the outside (ABI 6) */
	LANDLOCK_SCOPE_SIGNALS = 1 << 2,  /* no signals to the outside (ABI 6) */
	LANDLOCK_DENY_UNIX = 1 << 3,      /* pathname unix sockets follow the fs rules (ABI 9) */
};

/* 0: not there (errno_out says why: ENOSYS, EOPNOTSUPP, …), else the ABI version. Raw. */
int landlock_abi(int *errno_out);
/* What of want (LANDLOCK_DENY_…, SCOPE_…) this ABI keeps. */
unsigned landlock_supported(int abi, unsigned want);
/*
 * Pure: the masks of a rule set (what landlock_create() asks for) and the rights of one rule, as
 * <linux/landlock.h> numbers them. An ABI newer than this program is treated as the newest known
 * (10).
 */
struct landlock_masks {
	uint64_t fs;  /* handled_access_fs */
	uint64_t net; /* handled_access_net */
	uint64_t scoped;
};
struct landlock_masks landlock_masks(int abi, unsigned want);
uint64_t landlock_rights(int abi, enum landlock_access access, bool is_folder);
/* A new rule set that handles landlock_masks(); the fd (O_CLOEXEC) or -errno. */
int landlock_create(int abi, unsigned want);
/* Allow access below path_fd (O_PATH); a file gets only rights that files have. 0 or -errno. */
int landlock_allow_fd(int ruleset_fd, int abi, int path_fd, enum landlock_access access);
/* The same by path, following symlinks; 0 for one that does not exist when is_optional. */
int landlock_allow_path(int ruleset_fd, int abi, const char *path, enum landlock_access access,
    bool is_optional);
/* no_new_privs must be set. 0 or -errno. */
int landlock_restrict(int ruleset_fd);

#endif
