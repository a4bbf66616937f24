/* Two printed forms of the system call filter: the rules for people, and the program as
 * instructions. */
#include <asm/errno.h>
#include <linux/seccomp.h>

#include "../base/mem.h"
#include "linux_seccomp.h"

static const struct {
	int errnum;
	const char *name;
} errno_names[] = {
	{ EPERM, "EPERM" },
	{ ENOENT, "ENOENT" },
	{ EACCES, "EACCES" },
	{ EINVAL, "EINVAL" },
	{ ENOSYS, "ENOSYS" },
	{ EAFNOSUPPORT, "EAFNOSUPPORT" },
	{ EPROTONOSUPPORT, "EPROTONOSUPPORT" },
};

static int put_errno(int errnum, struct buf *out, struct err *e)
{
	for (size_t i = 0; i < MEM_COUNT(errno_names); i++)
		if (errno_names[i].errnum == errnum)
			return buf_puts(out, errno_names[i].name, e);
	return buf_printf(out, e, "errno %d", errnum);
}

static int put_action(uint32_t action, struct buf *out, struct err *e)
{
	uint32_t data = action & SECCOMP_RET_DATA;

	switch (action & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_ALLOW:
		return buf_puts(out, "allow", e);
	case SECCOMP_RET_ERRNO:
		return put_errno((int)data, out, e);
	case SECCOMP_RET_KILL_PROCESS:
		return buf_puts(out, "kill the process", e);
	case SECCOMP_RET_KILL_THREAD:
		return buf_puts(out, "kill the thread", e);
	case SECCOMP_RET_LOG:
		return buf_puts(out, "allow and log", e);
	case SECCOMP_RET_TRAP:
		return buf_puts(out, "SIGSYS", e);
	default:
		return buf_printf(out, e, "action 0x%08x", (unsigned)action);
	}
}

static int put_set(uint64_t set, struct buf *out, struct err *e)
{
	const char *separator = "";

	for (unsigned n = 0; n < 64; n++) {
		if ((set >> n & 1) == 0)
			continue;
		if (buf_printf(out, e, "%s%u", separator, n) != 0)
			return -1;
		separator = ", ";
	}
	return 0;
}

static int put_arg(const struct seccomp_arg *arg, struct buf *out, struct err *e)
{
	static const char *const signs[] = {
		[SECCOMP_OP_EQ] = "==",
		[SECCOMP_OP_NE] = "!=",
		[SECCOMP_OP_LT] = "<",
		[SECCOMP_OP_LE] = "<=",
		[SECCOMP_OP_GT] = ">",
		[SECCOMP_OP_GE] = ">=",
	};
	unsigned long long value = arg->value, value2 = arg->value2;

	switch ((enum seccomp_op)arg->op) {
	case SECCOMP_OP_EQ:
	case SECCOMP_OP_NE:
	case SECCOMP_OP_LT:
	case SECCOMP_OP_LE:
	case SECCOMP_OP_GT:
	case SECCOMP_OP_GE:
		return buf_printf(out, e, "arg%u %s 0x%llx", arg->index, signs[arg->op], value);
	case SECCOMP_OP_MASKED_EQ:
		return buf_printf(out, e, "(arg%u & 0x%llx) == 0x%llx", arg->index, value, value2);
	case SECCOMP_OP_ANY_BIT:
		return buf_printf(out, e, "arg%u has any of 0x%llx", arg->index, value);
	case SECCOMP_OP_NOT_IN:
		if (buf_printf(out, e, "arg%u not one of ", arg->index) != 0)
			return -1;
		return put_set(arg->value, out, e);
	}
	return 0;
}

static int put_rule(const struct seccomp_rule *rule, struct buf *out, struct err *e)
{
	if (buf_printf(out, e, "%-24s ", seccomp_syscall_name(rule->nr)) != 0 ||
	    put_action(rule->action, out, e) != 0)
		return -1;
	for (size_t i = 0; i < rule->arg_count; i++)
		if (buf_puts(out, i == 0 ? " if " : " and ", e) != 0 ||
		    put_arg(&rule->args[i], out, e) != 0)
			return -1;
	return buf_putc(out, '\n', e);
}

static int put_line(const char *what, uint32_t action, struct buf *out, struct err *e)
{
	if (buf_printf(out, e, "%-24s ", what) != 0 || put_action(action, out, e) != 0)
		return -1;
	return buf_putc(out, '\n', e);
}

int seccomp_put_text(const struct seccomp_rules *r, struct buf *out, struct err *e)
{
	if (buf_printf(out, e, "# %s, first match wins, arguments count from 0\n",
		seccomp_arch_name()) != 0)
		return -1;
	for (size_t i = 0; i < r->count; i++)
		if (put_rule(&r->rules[i], out, e) != 0)
			return -1;
	if (put_line("(other known calls)", r->default_action, out, e) != 0 ||
	    put_line("(unknown calls)", r->unknown_action, out, e) != 0)
		return -1;
	return put_line("(other architectures)", SECCOMP_RET_KILL_PROCESS, out, e);
}

static int put_word(uint32_t offset, struct buf *out, struct err *e)
{
	uint32_t args = (uint32_t)offsetof(struct seccomp_data, args);

	if (offset == offsetof(struct seccomp_data, nr))
		return buf_puts(out, "ld   nr", e);
	if (offset == offsetof(struct seccomp_data, arch))
		return buf_puts(out, "ld   arch", e);
	if (offset < args)
		return buf_printf(out, e, "ld   [%u]", (unsigned)offset);
	offset -= args;
	return buf_printf(out, e, "ld   arg%u.%s", (unsigned)offset / 8,
	    offset % 8 == 0 ? "low" : "high");
}

static int put_branch(const char *op, size_t at, const struct sock_filter *f, struct buf *out,
    struct err *e)
{
	return buf_printf(out, e, "%-4s 0x%x ? %zu : %zu", op, (unsigned)f->k, at + 1 + f->jt,
	    at + 1 + f->jf);
}

static int put_instruction(size_t at, const struct sock_filter *f, struct buf *out, struct err *e)
{
	switch (f->code) {
	case BPF_LD | BPF_W | BPF_ABS:
		return put_word(f->k, out, e);
	case BPF_ALU | BPF_AND | BPF_K:
		return buf_printf(out, e, "and  0x%x", (unsigned)f->k);
	case BPF_JMP | BPF_JA:
		return buf_printf(out, e, "ja   %zu", at + 1 + f->k);
	case BPF_JMP | BPF_JEQ | BPF_K:
		return put_branch("jeq", at, f, out, e);
	case BPF_JMP | BPF_JGT | BPF_K:
		return put_branch("jgt", at, f, out, e);
	case BPF_JMP | BPF_JGE | BPF_K:
		return put_branch("jge", at, f, out, e);
	case BPF_JMP | BPF_JSET | BPF_K:
		return put_branch("jset", at, f, out, e);
	case BPF_RET | BPF_K:
		if (buf_puts(out, "ret  ", e) != 0)
			return -1;
		return put_action(f->k, out, e);
	default:
		return buf_printf(out, e, "0x%04x %u %u 0x%x", f->code, f->jt, f->jf,
		    (unsigned)f->k);
	}
}

int seccomp_put_bpf_text(const struct sock_fprog *prog, struct buf *out, struct err *e)
{
	for (size_t at = 0; at < prog->len; at++) {
		if (buf_printf(out, e, "%4zu: ", at) != 0 ||
		    put_instruction(at, &prog->filter[at], out, e) != 0 ||
		    buf_putc(out, '\n', e) != 0)
			return -1;
	}
	return 0;
}
