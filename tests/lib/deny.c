/*
 * deny: run a command on a "kernel" that lacks some system calls.
 *
 *	deny WHAT[,WHAT...] -- COMMAND [ARG...]
 *
 * WHAT is openat2, clone3, landlock, mountapi, seccomp or userns. Installs one seccomp filter and
 * execs the command, so that every fallback of the sandbox can be walked on one machine. It must
 * not change anything else: no descriptor, no environment, no credentials (only no_new_privs when
 * the caller lacks CAP_SYS_ADMIN, see seccomp(2)). Not for production: an i386 caller is not
 * filtered.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#define FILTER_CAP 128

/* System call numbers since Linux 5.1 are the same on every architecture (syscalls(2)). */
enum {
	NR_OPEN_TREE = 428,
	NR_MOVE_MOUNT,
	NR_FSOPEN,
	NR_FSCONFIG,
	NR_FSMOUNT,
	NR_FSPICK,
	NR_CLONE3 = 435,
	NR_OPENAT2 = 437,
	NR_MOUNT_SETATTR = 442,
	NR_LANDLOCK_CREATE_RULESET = 444,
	NR_LANDLOCK_ADD_RULE,
	NR_LANDLOCK_RESTRICT_SELF,
	NR_OPEN_TREE_ATTR = 467,
};

struct program {
	struct sock_filter insn[FILTER_CAP];
	unsigned short count;
};

static int program_add(struct program *p, struct sock_filter insn)
{
	if (p->count >= FILTER_CAP) {
		errno = E2BIG;
		return -1;
	}
	p->insn[p->count++] = insn;
	return 0;
}

/* The accumulator holds the system call number before and after each of these groups. */
static int program_refuse(struct program *p, uint32_t nr, uint32_t error)
{
	if (program_add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1)) < 0)
		return -1;
	return program_add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
	    SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA)));
}

/* Where the low word of the first argument says so: test is BPF_JSET or BPF_JEQ. */
static int program_refuse_if(struct program *p, uint32_t nr, uint16_t test, uint32_t value,
    uint32_t error)
{
	uint32_t low = (uint32_t)offsetof(struct seccomp_data, args);
	const struct sock_filter group[] = {
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low),
		BPF_JUMP((uint16_t)(BPF_JMP | BPF_K | test), value, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, nr)),
	};

	for (size_t i = 0; i < sizeof(group) / sizeof(group[0]); i++)
		if (program_add(p, group[i]) < 0)
			return -1;
	return 0;
}

/* The flags of unshare(2) and of clone(2) on all our architectures. */
static int program_refuse_newuser(struct program *p, uint32_t nr)
{
	return program_refuse_if(p, nr, BPF_JSET, CLONE_NEWUSER, EPERM);
}

static int program_refuse_list(struct program *p, const uint32_t *list, size_t count,
    uint32_t error)
{
	for (size_t i = 0; i < count; i++)
		if (program_refuse(p, list[i], error) < 0)
			return -1;
	return 0;
}

static int program_add_word(struct program *p, const char *word)
{
	static const uint32_t landlock[] = {
		NR_LANDLOCK_CREATE_RULESET, NR_LANDLOCK_ADD_RULE, NR_LANDLOCK_RESTRICT_SELF,
	};
	static const uint32_t mountapi[] = {
		NR_OPEN_TREE, NR_MOVE_MOUNT, NR_FSOPEN, NR_FSCONFIG, NR_FSMOUNT, NR_FSPICK,
		NR_MOUNT_SETATTR, NR_OPEN_TREE_ATTR,
	};

	if (strcmp(word, "openat2") == 0)
		return program_refuse(p, NR_OPENAT2, ENOSYS);
	if (strcmp(word, "clone3") == 0)
		return program_refuse(p, NR_CLONE3, ENOSYS);
	/* EOPNOTSUPP is what a kernel with Landlock built in but not enabled says (landlock(7)). */
	if (strcmp(word, "landlock") == 0)
		return program_refuse_list(p, landlock, sizeof(landlock) / sizeof(landlock[0]),
		    EOPNOTSUPP);
	if (strcmp(word, "mountapi") == 0)
		return program_refuse_list(p, mountapi, sizeof(mountapi) / sizeof(mountapi[0]),
		    ENOSYS);
	/* A kernel without CONFIG_SECCOMP. */
	if (strcmp(word, "seccomp") == 0)
		return program_refuse(p, SYS_seccomp, ENOSYS) < 0 ?
			   -1 :
			   program_refuse_if(p, SYS_prctl, BPF_JEQ, PR_SET_SECCOMP, EINVAL);
	if (strcmp(word, "userns") == 0) {
		/* clone3 has its flags in memory, so a filter must refuse it whole. */
		if (program_refuse(p, NR_CLONE3, ENOSYS) < 0 ||
		    program_refuse_newuser(p, SYS_unshare) < 0)
			return -1;
		return program_refuse_newuser(p, SYS_clone);
	}
	errno = EINVAL;
	return -1;
}

static int program_install(struct program *p)
{
	struct sock_fprog prog = {.len = p->count, .filter = p->insn};

	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) == 0)
		return 0;
	if (errno != EACCES)
		return -1;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
}

int main(int argc, char **argv)
{
	struct program p = {.count = 0};
	char words[128];
	char *rest = words;

	if (argc < 4 || strcmp(argv[2], "--") != 0 || strlen(argv[1]) >= sizeof(words)) {
		fprintf(stderr,
		    "usage: deny openat2|clone3|landlock|mountapi|seccomp|userns[,...] -- CMD\n");
		return 2;
	}
	memcpy(words, argv[1], strlen(argv[1]) + 1);
	if (program_add(&p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
	    (uint32_t)offsetof(struct seccomp_data, nr))) < 0)
		return 2;
	for (char *word; (word = strsep(&rest, ",")) != NULL;) {
		if (program_add_word(&p, word) < 0) {
			fprintf(stderr, "deny: %s: %s\n", word, strerror(errno));
			return 2;
		}
	}
	if (program_add(&p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)) < 0 ||
	    program_install(&p) < 0) {
		fprintf(stderr, "deny: filter: %s\n", strerror(errno));
		return 2;
	}
	execvp(argv[3], argv + 3);
	fprintf(stderr, "deny: %s: %s\n", argv[3], strerror(errno));
	return 127;
}
