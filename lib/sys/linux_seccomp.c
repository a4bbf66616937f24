/*
 * Rules of the system call filter: the list, the built-in policy. linux_seccomp_bpf.c compiles,
 * linux_seccomp_print.c prints, linux_seccomp_install.c installs; all but that one describe Linux
 * on whatever system they run, for a container engine's machine. The policy is a deny list: what is
 * not named here is allowed, what is not even in linux_syscalls.def is ENOSYS. A number or an
 * argument is all that a filter sees, never memory behind a pointer: calls that keep flags or modes
 * in memory (clone3, openat2) are therefore ENOSYS, after which programs use the older ones.
 */
#include "linux_seccomp.h"

#include <stdlib.h>
#include <string.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "linux_abi.h"
#include "linux_syscalls.h"

#define RULES_ALLOC_MIN 24
#define DENY_WITH(errnum) (SECCOMP_RET_ERRNO | (errnum))
#define SYSCALL_CLASSES (SYSCALL_PERSONALITY + 1)
#define BIT(n) (UINT64_C(1) << (n))

#define SET_ID (LINUX_S_ISUID | LINUX_S_ISGID)
/* O_TMPFILE is two flags, of which O_DIRECTORY alone is innocent (openat(2)). */
#define CREATES (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))
/* CLONE_NEWTIME is no flag of clone(2): its bit belongs to the exit signal there. */
#define NEW_NAMESPACES \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
	    CLONE_NEWPID | CLONE_NEWNET)
#define TYPE_MASK 0xfU /* of socket(2)'s type; above are SOCK_CLOEXEC and SOCK_NONBLOCK */
#define INT_MASK 0xffffffffU

#define FAMILIES \
	(BIT(LINUX_AF_UNIX) | BIT(LINUX_AF_INET) | BIT(LINUX_AF_INET6) | BIT(LINUX_AF_NETLINK))
#define PROTOCOLS (BIT(0) | BIT(1) | BIT(6) | BIT(17) | BIT(58)) /* any, ICMP, TCP, UDP, ICMPv6 */

#define ANY_BIT(arg, bits) \
	{ \
		(arg), SECCOMP_OP_ANY_BIT, (bits), 0 \
	}
#define IS(arg, v) \
	{ \
		(arg), SECCOMP_OP_EQ, (v), 0 \
	}
#define IS_NOT(arg, v) \
	{ \
		(arg), SECCOMP_OP_NE, (v), 0 \
	}
#define NOT_IN(arg, set) \
	{ \
		(arg), SECCOMP_OP_NOT_IN, (set), 0 \
	}
#define MASKED(arg, mask, v) \
	{ \
		(arg), SECCOMP_OP_MASKED_EQ, (mask), (v) \
	}
#define DENY_IF(errnum, count, ...) \
	{ \
		SECCOMP_RET_ERRNO | (errnum), (count), \
		{ \
			__VA_ARGS__ \
		} \
	}

struct rule_list {
	const struct seccomp_builtin *rules;
	size_t count;
};

static const struct seccomp_builtin deny_rules[] = { { .action = DENY_WITH(EPERM) } };
static const struct seccomp_builtin nosys_rules[] = { { .action = DENY_WITH(ENOSYS) } };

/*
 * Set-id bits never reach the host: a set-id file made inside, by an id that is root or somebody
 * else outside, would be a way out for the next local user. A mode counts only where something is
 * made, else the register holds anything.
 */
static const struct seccomp_builtin mode1_rules[] = { DENY_IF(EPERM, 1, ANY_BIT(1, SET_ID)) };
static const struct seccomp_builtin mode2_rules[] = { DENY_IF(EPERM, 1, ANY_BIT(2, SET_ID)) };
static const struct seccomp_builtin open_rules[] = {
	DENY_IF(EPERM, 2, ANY_BIT(1, CREATES), ANY_BIT(2, SET_ID)),
};
static const struct seccomp_builtin openat_rules[] = {
	DENY_IF(EPERM, 2, ANY_BIT(2, CREATES), ANY_BIT(3, SET_ID)),
};
static const struct seccomp_builtin clone_rules[] = {
	DENY_IF(EPERM, 1, ANY_BIT(0, NEW_NAMESPACES)),
};

/*
 * Most families are reached by nobody and hold most of the kernel's holes. socketpair(2) makes
 * sockets of every family too before it finds out that they cannot be paired. Raw sockets are usual
 * for routing netlink (whose protocol number is 0) only. The kernel turns (AF_INET, SOCK_PACKET)
 * into a packet socket, and SOCK_DCCP with protocol 0 loads the dccp module (CVE-2017-6074).
 */
static const struct seccomp_builtin socket_rules[] = {
	DENY_IF(EAFNOSUPPORT, 1, NOT_IN(0, FAMILIES)),
	DENY_IF(EPROTONOSUPPORT, 2, IS(0, LINUX_AF_NETLINK), IS_NOT(2, 0)),
	DENY_IF(EPERM, 2, IS_NOT(0, LINUX_AF_NETLINK), MASKED(1, TYPE_MASK, LINUX_SOCK_RAW)),
	DENY_IF(EPERM, 1, MASKED(1, TYPE_MASK, LINUX_SOCK_PACKET)),
	DENY_IF(EPROTONOSUPPORT, 1, MASKED(1, TYPE_MASK, LINUX_SOCK_DCCP)),
	DENY_IF(EPROTONOSUPPORT, 1, NOT_IN(2, PROTOCOLS)),
};
static const struct seccomp_builtin socket_local_rules[] = {
	DENY_IF(EAFNOSUPPORT, 1, NOT_IN(0, BIT(LINUX_AF_UNIX))),
};

/*
 * Typing into the terminal of the caller (CVE-2017-5226, CVE-2023-28100). The kernel drops the high
 * half of a request, so the comparison must too (CVE-2019-10063). TIOCSETD loads line disciplines
 * into the kernel (CVE-2023-6546).
 */
static const struct seccomp_builtin ioctl_rules[] = {
	DENY_IF(EPERM, 1, MASKED(1, INT_MASK, TIOCSTI)),
	DENY_IF(EPERM, 1, MASKED(1, INT_MASK, TIOCLINUX)),
	DENY_IF(EPERM, 1, MASKED(1, INT_MASK, TIOCSETD)),
};
/* 0xffffffff asks for the current one. Others switch off address randomisation and similar. */
static const struct seccomp_builtin personality_rules[] = {
	DENY_IF(EPERM, 1, IS_NOT(0, INT_MASK)),
};

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
/* the errno of a kernel with vm.memfd_noexec=2 */
static const struct seccomp_builtin memfd_rules[] = {
	DENY_IF(EACCES, 1, MASKED(1, MFD_NOEXEC_SEAL, 0)),
};

#define LIST(a) \
	{ \
		(a), MEM_COUNT(a) \
	}

static const struct rule_list builtin[SYSCALL_CLASSES] = {
	[SYSCALL_DENY] = LIST(deny_rules),
	[SYSCALL_NOSYS] = LIST(nosys_rules),
	[SYSCALL_MODE1] = LIST(mode1_rules),
	[SYSCALL_MODE2] = LIST(mode2_rules),
	[SYSCALL_OPEN] = LIST(open_rules),
	[SYSCALL_OPENAT] = LIST(openat_rules),
	[SYSCALL_CLONE] = LIST(clone_rules),
	[SYSCALL_SOCKET] = LIST(socket_rules),
	[SYSCALL_IOCTL] = LIST(ioctl_rules),
	[SYSCALL_PERSONALITY] = LIST(personality_rules),
};
static const struct rule_list socket_local = LIST(socket_local_rules);
static const struct rule_list memfd_noexec = LIST(memfd_rules);
#undef LIST

void seccomp_rules_init(struct seccomp_rules *r)
{
	*r = (struct seccomp_rules){
		.default_action = SECCOMP_RET_ALLOW,
		.unknown_action = DENY_WITH(ENOSYS),
	};
}

void seccomp_rules_fini(struct seccomp_rules *r)
{
	free(r->rules);
	seccomp_rules_init(r);
}

static bool is_sane(const struct seccomp_rule *rule)
{
	if (rule->arg_count > SECCOMP_ARGS_MAX || seccomp_syscall_name(rule->nr) == NULL)
		return false;
	for (size_t i = 0; i < rule->arg_count; i++)
		if (rule->args[i].index >= SECCOMP_ARGS_MAX || rule->args[i].op > SECCOMP_OP_NOT_IN)
			return false;
	return true;
}

int seccomp_rules_add(struct seccomp_rules *r, const struct seccomp_rule *rule, struct err *e)
{
	if (!is_sane(rule))
		return err_set(
		    e, ERR_INTERNAL, "system call filter: bad rule for call %d", rule->nr);
	if (r->count >= LIMIT_BPF_INSTRUCTIONS)
		return err_set(
		    e, ERR_USAGE, "system call filter: more than %d rules", LIMIT_BPF_INSTRUCTIONS);
	if (r->count == r->alloc) {
		size_t alloc = r->alloc > 0 ? r->alloc * 2 : RULES_ALLOC_MIN;
		struct seccomp_rule *rules = mem_realloc_array(r->rules, alloc, sizeof *rules, e);

		if (rules == NULL)
			return -1;
		r->rules = rules;
		r->alloc = alloc;
	}
	r->rules[r->count++] = *rule;
	return 0;
}

bool seccomp_clause_is_alike(const struct seccomp_clause *a, const struct seccomp_clause *b)
{
	if (a->action != b->action || a->arg_count != b->arg_count)
		return false;
	for (size_t i = 0; i < a->arg_count; i++) {
		const struct seccomp_arg *x = &a->args[i], *y = &b->args[i];

		if (x->index != y->index || x->op != y->op || x->value != y->value ||
		    x->value2 != y->value2)
			return false;
	}
	return true;
}

bool seccomp_rule_is_alike(const struct seccomp_rule *a, const struct seccomp_rule *b)
{
	struct seccomp_clause x = { a->args, a->action, a->arg_count };
	struct seccomp_clause y = { b->args, b->action, b->arg_count };

	return seccomp_clause_is_alike(&x, &y);
}

static int rules_add_list(
    struct seccomp_rules *r, const struct rule_list *list, int nr, struct err *e)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct seccomp_builtin *from = &list->rules[i];
		struct seccomp_rule rule = { nr, from->action, from->arg_count, { { 0 } } };

		memcpy(rule.args, from->args, sizeof from->args);
		if (seccomp_rules_add(r, &rule, e) != 0)
			return -1;
	}
	return 0;
}

static const struct rule_list *builtin_of(int nr, unsigned flags)
{
	enum syscall_class class = syscalls_class(nr);

	if ((flags & SECCOMP_BUILTIN_NO_MEMFD_EXEC) != 0 &&
	    nr == seccomp_syscall_number("memfd_create"))
		return &memfd_noexec;
	return class == SYSCALL_SOCKET && (flags & SECCOMP_BUILTIN_DENY_INET) != 0 ?
		   &socket_local :
		   &builtin[class];
}

const struct seccomp_builtin *seccomp_builtin_of(int nr, unsigned flags, size_t *count)
{
	const struct rule_list *list = builtin_of(nr, flags);

	*count = list->count;
	return list->rules;
}

int seccomp_rules_builtin(struct seccomp_rules *r, unsigned flags, struct err *e)
{
	for (int nr = -1; (nr = syscalls_next(nr)) >= 0;)
		if (rules_add_list(r, builtin_of(nr, flags), nr, e) != 0)
			return -1;
	return 0;
}

/* Another process is named by the first argument; 0 is the caller itself. */
static const struct seccomp_builtin other_first[] = { DENY_IF(EPERM, 1, IS_NOT(0, 0)) };
/* "which" is first, "who" second; 0 is the caller or its group, but all of the user's with
 * PRIO_USER. */
static const struct seccomp_builtin other_priority[] = {
	DENY_IF(EPERM, 1, IS_NOT(1, 0)),
	DENY_IF(EPERM, 1, IS(0, LINUX_PRIO_USER)),
};
#define IOPRIO_WHO_USER 3 /* ioprio_set(2) */
static const struct seccomp_builtin other_ioprio[] = {
	DENY_IF(EPERM, 1, IS_NOT(1, 0)),
	DENY_IF(EPERM, 1, IS(0, IOPRIO_WHO_USER)),
};
static const struct seccomp_builtin not_unix[] = { DENY_IF(EAFNOSUPPORT, 1, IS(0, LINUX_AF_UNIX)) };
/* One end of a pair of datagram sockets can send to any address; the kernel makes SOCK_RAW one too.
 */
static const struct seccomp_builtin no_address[] = {
	DENY_IF(EPERM, 1, MASKED(1, TYPE_MASK, LINUX_SOCK_DGRAM)),
	DENY_IF(EPERM, 1, MASKED(1, TYPE_MASK, LINUX_SOCK_RAW)),
};
static const struct seccomp_builtin no_socket[] = { { .action = DENY_WITH(EAFNOSUPPORT) } };
static const struct seccomp_builtin no_access[] = { { .action = DENY_WITH(EACCES) } };
static const struct seccomp_builtin open_truncates[] = {
	DENY_IF(EACCES, 1, MASKED(1, O_TRUNC | O_ACCMODE, O_TRUNC)),
};
static const struct seccomp_builtin openat_truncates[] = {
	DENY_IF(EACCES, 1, MASKED(2, O_TRUNC | O_ACCMODE, O_TRUNC)),
};

static const struct {
	const char *name;
	const struct seccomp_builtin *rules;
	uint8_t rule_count;
	uint8_t flags; /* needs all of them; 0: always */
	uint8_t not_flags;
} outside[] = {
#define LIST(a) (a), MEM_COUNT(a)
	{ "prlimit64", LIST(other_first), 0, 0 },
	{ "sched_setaffinity", LIST(other_first), 0, 0 },
	{ "sched_setattr", LIST(other_first), 0, 0 },
	{ "sched_setparam", LIST(other_first), 0, 0 },
	{ "sched_setscheduler", LIST(other_first), 0, 0 },
	{ "setpriority", LIST(other_priority), 0, 0 },
	{ "ioprio_set", LIST(other_ioprio), 0, 0 },
	{ "socket", LIST(no_socket), SECCOMP_OUTSIDE_INET | SECCOMP_OUTSIDE_UNIX, 0 },
	{ "socket", LIST(socket_local_rules), SECCOMP_OUTSIDE_INET, SECCOMP_OUTSIDE_UNIX },
	{ "socket", LIST(not_unix), SECCOMP_OUTSIDE_UNIX, SECCOMP_OUTSIDE_INET },
	{ "socketpair", LIST(no_address), SECCOMP_OUTSIDE_UNIX, 0 },
	{ "socketpair", LIST(socket_local_rules), SECCOMP_OUTSIDE_INET, 0 },
	{ "io_uring_setup", LIST(nosys_rules), SECCOMP_OUTSIDE_INET, 0 },
	{ "truncate", LIST(no_access), SECCOMP_OUTSIDE_TRUNCATE, 0 },
	{ "truncate64", LIST(no_access), SECCOMP_OUTSIDE_TRUNCATE, 0 },
	{ "open", LIST(open_truncates), SECCOMP_OUTSIDE_TRUNCATE, 0 },
	{ "openat", LIST(openat_truncates), SECCOMP_OUTSIDE_TRUNCATE, 0 },
	{ "openat2", LIST(nosys_rules), SECCOMP_OUTSIDE_TRUNCATE, 0 },
#undef LIST
};

int seccomp_rules_outside(struct seccomp_rules *r, unsigned flags, struct err *e)
{
	r->unknown_action = SECCOMP_RET_ALLOW; /* the other filter's business */
	for (size_t i = 0; i < MEM_COUNT(outside); i++) {
		int nr = seccomp_syscall_number(outside[i].name);

		if (nr < 0 || (flags & outside[i].flags) != outside[i].flags ||
		    (flags & outside[i].not_flags) != 0)
			continue;
		struct rule_list list = { outside[i].rules, outside[i].rule_count };

		if (rules_add_list(r, &list, nr, e) != 0)
			return -1;
	}
	return 0;
}
