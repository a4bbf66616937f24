/*
 * The system call filter: rules as data, a small assembler that compiles them to classic BPF
 * (seccomp(2), bpf in Documentation/networking/filter.rst) as a search tree on the call number,
 * installation, and two printed forms. The rules can say no more than the container engines'
 * profile can (OCI runtime spec, "seccomp"), so that the same rules become one.
 */
#ifndef SBX_SYS_LINUX_SECCOMP_H
#define SBX_SYS_LINUX_SECCOMP_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"
#include "../base/err.h"

/*
 * Comparisons of one argument, all 64 bits of it, unsigned. The kernel looks at the low 32 bits of
 * an int argument only: compare those with MASKED_EQ and a mask of 0xffffffff where the other bits
 * must not matter. The last two are short for several rules of the other kinds (an engine's profile
 * gets those).
 */
enum seccomp_op {
	SECCOMP_OP_EQ,
	SECCOMP_OP_NE,
	SECCOMP_OP_LT,
	SECCOMP_OP_LE,
	SECCOMP_OP_GT,
	SECCOMP_OP_GE,
	SECCOMP_OP_MASKED_EQ, /* (arg & value) == value2; value2 has no bit outside value */
	SECCOMP_OP_ANY_BIT,   /* (arg & value) != 0 */
	SECCOMP_OP_NOT_IN,    /* arg is above 63, or bit number arg of value is 0 */
};

#define SECCOMP_ARGS_MAX 6

struct seccomp_arg {
	uint8_t index; /* 0..5 */
	uint8_t op;    /* enum seccomp_op */
	uint64_t value;
	uint64_t value2; /* MASKED_EQ */
};

struct seccomp_rule {
	int nr;            /* of the native architecture, in the table */
	uint32_t action;   /* SECCOMP_RET_* | data */
	uint8_t arg_count; /* all must match */
	struct seccomp_arg args[SECCOMP_ARGS_MAX];
};

/* What a rule says of some call; the conditions are kept elsewhere. */
struct seccomp_clause {
	const struct seccomp_arg *args;
	uint32_t action;
	uint8_t arg_count;
};

/* A built-in rule: in the binary, where six arguments each would be 4 KB of zeroes. */
struct seccomp_builtin {
	uint32_t action;
	uint8_t arg_count;
	struct seccomp_arg args[2];
};

struct seccomp_rules {
	struct seccomp_rule *rules; /* owned; for one number the first match in order wins */
	size_t count;               /* at most LIMIT_BPF_INSTRUCTIONS */
	size_t alloc;
	uint32_t
	    default_action; /* of numbers in the table without a matching rule; ALLOW after init */
	uint32_t unknown_action; /* of numbers that are not in the table; ENOSYS after init */
};

enum {
	SECCOMP_BUILTIN_DENY_INET =
	    1 << 0, /* --net none without a network namespace: AF_UNIX sockets only */
	/* memory files only if they can never be executed: what is written cannot be run by that
	 * way round a noexec mount either (memfd_create(2), MFD_NOEXEC_SEAL) */
	SECCOMP_BUILTIN_NO_MEMFD_EXEC = 1 << 1,
};

void seccomp_rules_init(struct seccomp_rules *r);
void seccomp_rules_fini(struct seccomp_rules *r);
/* Copies rule. Errors: ERR_USAGE for too many; ERR_INTERNAL for a rule that makes no sense. */
int seccomp_rules_add(struct seccomp_rules *r, const struct seccomp_rule *rule, struct err *e);
/* The same action and conditions; the numbers may differ. */
bool seccomp_clause_is_alike(const struct seccomp_clause *a, const struct seccomp_clause *b);
bool seccomp_rule_is_alike(const struct seccomp_rule *a, const struct seccomp_rule *b);
/* Append the built-in policy (deny list with argument checks). flags: SECCOMP_BUILTIN_*. */
int seccomp_rules_builtin(struct seccomp_rules *r, unsigned flags, struct err *e);
/* The built-in rules of one number, static. */
const struct seccomp_builtin *seccomp_builtin_of(int nr, unsigned flags, size_t *count);

/*
 * Append what a process without namespaces of its own must not do to the outside, and no Landlock
 * rule refuses: to be installed beside any other filter. Always: limits, priorities and processors
 * of other processes. flags: what else.
 */
enum {
	SECCOMP_OUTSIDE_INET = 1 << 0, /* sockets of every family but AF_UNIX, and io_uring */
	SECCOMP_OUTSIDE_UNIX =
	    1 << 1, /* socket(AF_UNIX): not socketpair(2), which reaches nobody */
	SECCOMP_OUTSIDE_TRUNCATE = 1
				   << 2, /* by path or by opening read-only: Landlock ABI 1 and 2 */
};
int seccomp_rules_outside(struct seccomp_rules *r, unsigned flags, struct err *e);

const char *seccomp_syscall_name(int nr);     /* NULL: not in the table of this architecture */
int seccomp_syscall_number(const char *name); /* -1: not on this architecture */
int seccomp_syscall_max(void);                /* the highest number of the table */
const char *seccomp_arch_name(
    void); /* "X86_64", …: of the native one, as libseccomp and OCI name it */

/*
 * Compile; prog->filter is owned by the caller (free). Errors: ERR_USAGE over
 * LIMIT_BPF_INSTRUCTIONS. Whatever the rules say, a call of another architecture (int 0x80 of a
 * 64-bit process) ends the process, since its numbers mean other calls and it cannot even exit by a
 * refused one; x32 numbers are answered with ENOSYS, as by a kernel without x32.
 */
int seccomp_compile(const struct seccomp_rules *r, struct sock_fprog *prog, struct err *e);
/* The program of seccomp_rules_builtin(), without the list: every start of a command needs it. */
int seccomp_compile_builtin(unsigned flags, struct sock_fprog *prog, struct err *e);
/* Raw and usable in a child that shares memory: 0 or -errno. The caller has set no_new_privs. */
int seccomp_install(const struct sock_fprog *prog);
/* Is SECCOMP_MODE_FILTER there? Raw: 0 or -errno. */
int seccomp_available(void);

int seccomp_put_text(
    const struct seccomp_rules *r, struct buf *out, struct err *e); /* for people */
int seccomp_put_bpf_text(
    const struct sock_fprog *prog, struct buf *out, struct err *e); /* disassembly */

#endif
