/*
 * A classic BPF interpreter for system call filters, after seccomp(2) and the checks of the
 * kernel's seccomp_check_filter: what the kernel would refuse is VM_BROKEN here. Counts what it
 * runs, and tells whether an argument was read, because the kernel can keep only those numbers in
 * its bitmap of always allowed calls for which none was.
 */
#ifndef SBX_TESTS_BPF_VM_H
#define SBX_TESTS_BPF_VM_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VM_BROKEN 0xdeadbeefU

struct bpf_vm {
	unsigned steps;
	bool has_read_arg;
};

static inline uint32_t vm_load(const struct seccomp_data *data, uint32_t offset)
{
	uint32_t word;

	memcpy(&word, (const char *)data + offset, sizeof word);
	return word;
}

static inline bool vm_branch(uint16_t code, uint32_t a, uint32_t k)
{
	switch (code & 0xf0) {
	case BPF_JEQ:
		return a == k;
	case BPF_JGT:
		return a > k;
	case BPF_JGE:
		return a >= k;
	default:
		return (a & k) != 0; /* BPF_JSET: vm_check() has refused the others */
	}
}

/* Every instruction known, every load inside and aligned, every jump inside, a return at the end.
 */
static inline bool vm_check(const struct sock_fprog *p)
{
	if (p->len == 0 || p->len > BPF_MAXINSNS)
		return false;
	for (size_t i = 0; i < p->len; i++) {
		const struct sock_filter *f = &p->filter[i];
		size_t left = p->len - 1 - i; /* instructions behind this one */

		switch (f->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (f->k % 4 != 0 || f->k > sizeof(struct seccomp_data) - 4 || left == 0)
				return false;
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			if (left == 0)
				return false;
			break;
		case BPF_JMP | BPF_JA:
			if (f->k >= left)
				return false;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
		case BPF_JMP | BPF_JGT | BPF_K:
		case BPF_JMP | BPF_JGE | BPF_K:
		case BPF_JMP | BPF_JSET | BPF_K:
			if (f->jt >= left || f->jf >= left)
				return false;
			break;
		case BPF_RET | BPF_K:
			break;
		default:
			return false;
		}
	}
	return true;
}

/* The program must have passed vm_check(). */
static inline uint32_t vm_run(const struct sock_fprog *p, const struct seccomp_data *data,
    struct bpf_vm *vm)
{
	uint32_t a = 0;

	*vm = (struct bpf_vm){ 0 };
	for (size_t at = 0; at < p->len; at++) {
		const struct sock_filter *f = &p->filter[at];

		vm->steps++;
		switch (BPF_CLASS(f->code)) {
		case BPF_LD:
			a = vm_load(data, f->k);
			if (f->k >= offsetof(struct seccomp_data, args))
				vm->has_read_arg = true;
			break;
		case BPF_ALU:
			a &= f->k;
			break;
		case BPF_JMP:
			if (BPF_OP(f->code) == BPF_JA)
				at += f->k;
			else
				at += vm_branch(f->code, a, f->k) ? f->jt : f->jf;
			break;
		case BPF_RET:
			return f->k;
		default:
			return VM_BROKEN;
		}
	}
	return VM_BROKEN;
}

#endif
