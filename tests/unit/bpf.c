/*
 * The filter assembler against a direct evaluation of the rules: every number, three architectures,
 * values around every constant that a rule compares with; the built-in policy and thousands of
 * random rule sets, small ones and ones that need far jumps. Nothing is installed here.
 */
#include <errno.h>
#include <linux/audit.h>
#include <stdint.h>
#include <stdlib.h>

#include "../../lib/base/limits.h"
#include "../../lib/sys/linux_seccomp.h"
#include "bpf_vm.h"
#include "tap.h"

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#define FOREIGN AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#define FOREIGN AUDIT_ARCH_ARM
#elif defined(__arm__)
#define NATIVE AUDIT_ARCH_ARM
#define FOREIGN AUDIT_ARCH_AARCH64
#else
#define NATIVE AUDIT_ARCH_RISCV64
#define FOREIGN AUDIT_ARCH_RISCV32
#endif

#define NOSYS (SECCOMP_RET_ERRNO | ENOSYS)
#define X32_BIT 0x40000000
#define EXTRA_NUMBERS 50
#define LOW_END 700        /* above every usual number */
#define HIGH_START 0xeffc0 /* a little below 32-bit ARM's own ones */

/* ---- what the rules mean, said a second time and as plainly as possible ---- */

static bool arg_holds(const struct seccomp_arg *a, uint64_t v)
{
	switch ((enum seccomp_op)a->op) {
	case SECCOMP_OP_EQ:
		return v == a->value;
	case SECCOMP_OP_NE:
		return v != a->value;
	case SECCOMP_OP_LT:
		return v < a->value;
	case SECCOMP_OP_LE:
		return v <= a->value;
	case SECCOMP_OP_GT:
		return v > a->value;
	case SECCOMP_OP_GE:
		return v >= a->value;
	case SECCOMP_OP_MASKED_EQ:
		return (v & a->value) == a->value2;
	case SECCOMP_OP_ANY_BIT:
		return (v & a->value) != 0;
	case SECCOMP_OP_NOT_IN:
		return v > 63 || (a->value & (UINT64_C(1) << v)) == 0;
	}
	return false;
}

static uint32_t expected(const struct seccomp_rules *r, const struct seccomp_data *d)
{
	if (d->arch != NATIVE)
		return SECCOMP_RET_KILL_PROCESS;
#ifdef __x86_64__
	if (((uint32_t)d->nr & X32_BIT) != 0 || d->nr < 0)
		return NOSYS;
#endif
	if (seccomp_syscall_name(d->nr) == NULL)
		return r->unknown_action;
	for (size_t i = 0; i < r->count; i++) {
		const struct seccomp_rule *rule = &r->rules[i];
		bool is_match = rule->nr == d->nr;

		for (size_t n = 0; is_match && n < rule->arg_count; n++)
			is_match = arg_holds(&rule->args[n], d->args[rule->args[n].index]);
		if (is_match)
			return rule->action;
	}
	return r->default_action;
}

/* ---- a generator with a fixed seed: the same run every time ---- */

static uint64_t random_state = 88172645463325252U;

static uint64_t rnd(void)
{
	random_state ^= random_state << 13; /* xorshift64, Marsaglia 2003 */
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static uint64_t rnd_below(uint64_t n)
{
	return (rnd() >> 11) % n;
}

static uint64_t rnd_value(void)
{
	switch (rnd_below(7)) {
	case 0:
		return rnd_below(70);
	case 1:
		return UINT64_C(1) << rnd_below(64);
	case 2:
		return rnd() & UINT32_MAX;
	case 3:
		return rnd() & ~(uint64_t)UINT32_MAX;
	case 4:
		return UINT64_MAX - rnd_below(3);
	case 5:
		return UINT32_MAX - 1 + rnd_below(3); /* around the border of the two words */
	default:
		return rnd();
	}
}

/* ---- comparison ---- */

struct tally {
	unsigned long checks;
	unsigned long wrong;
	unsigned max_steps;
};

static void check_one(const struct seccomp_rules *r, const struct sock_fprog *p,
    const struct seccomp_data *d, struct tally *t)
{
	struct bpf_vm vm;
	uint32_t got = vm_run(p, d, &vm), want = expected(r, d);

	t->checks++;
	if (vm.steps > t->max_steps)
		t->max_steps = vm.steps;
	if (got == want || t->wrong++ >= 3)
		return;
	diag("nr %d arch %x: got %x, want %x", d->nr, d->arch, got, want);
	for (int i = 0; i < 6; i++)
		diag("  arg%d = 0x%llx", i, (unsigned long long)d->args[i]);
}

/* Values at which a comparison with a can change its mind. */
static uint64_t edge_of(const struct seccomp_arg *a)
{
	uint64_t base = rnd_below(3) == 0 ? a->value2 : a->value;

	switch (rnd_below(8)) {
	case 0:
		return base - 1;
	case 1:
		return base + 1;
	case 2:
		return base ^ UINT64_C(1) << rnd_below(64);
	case 3:
		return base | UINT64_C(1) << (32 + rnd_below(32));
	case 4:
		return base & rnd();
	case 5:
		return (base & UINT32_MAX) | (rnd() & ~(uint64_t)UINT32_MAX);
	case 6:
		return rnd_below(66);
	default:
		return base;
	}
}

static void aim(const struct seccomp_rules *r, size_t rule_index, struct seccomp_data *d)
{
	const struct seccomp_rule *rule = &r->rules[rule_index];

	for (size_t i = 0; i < 6; i++)
		d->args[i] = rnd_value();
	d->nr = rule->nr;
	for (size_t i = 0; i < rule->arg_count; i++)
		d->args[rule->args[i].index] = edge_of(&rule->args[i]);
}

static void check_all_numbers(const struct seccomp_rules *r, const struct sock_fprog *p,
    struct tally *t)
{
	static const uint32_t arches[] = { NATIVE, FOREIGN, 0 };
	static const int odd[] = { -1, -2, 0x3fffffff, 0x7fffffff, X32_BIT, 0x0f0000 - 1 };
	struct seccomp_data d = { 0 };

	for (size_t a = 0; a < sizeof arches / sizeof arches[0]; a++) {
		d.arch = arches[a];
		for (size_t i = 0; i < 6; i++)
			d.args[i] = rnd_value();
		for (d.nr = 0; d.nr <= seccomp_syscall_max() + EXTRA_NUMBERS; d.nr++) {
			if (d.nr == LOW_END)
				d.nr = HIGH_START;
			check_one(r, p, &d, t);
		}
		for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
			d.nr = odd[i];
			check_one(r, p, &d, t);
		}
		for (int nr = 0; nr <= 600; nr++) {
			d.nr = X32_BIT | nr;
			check_one(r, p, &d, t);
		}
	}
}

static void check_rules(const struct seccomp_rules *r, const struct sock_fprog *p, unsigned rounds,
    struct tally *t)
{
	struct seccomp_data d = { .arch = NATIVE };

	for (size_t i = 0; i < r->count; i++)
		for (unsigned n = 0; n < rounds; n++) {
			aim(r, i, &d);
			check_one(r, p, &d, t);
		}
}

/* ---- the built-in policy ---- */

static void test_builtin(unsigned flags, const char *name)
{
	struct seccomp_rules r;
	struct sock_fprog p = { 0 };
	struct tally t = { 0 };
	struct err e = ERR_INIT;
	struct seccomp_data d = { .arch = NATIVE };
	unsigned argument_reads = 0, plain = 0;

	seccomp_rules_init(&r);
	if (seccomp_rules_builtin(&r, flags, &e) != 0 || seccomp_compile(&r, &p, &e) != 0)
		BAIL("%s: %s", name, e.msg);
	ok(vm_check(&p), "%s: the kernel would take the program", name);
	check_all_numbers(&r, &p, &t);
	check_rules(&r, &p, 3000, &t);
	ok(t.wrong == 0 && t.checks > 100000, "%s: %lu calls decided as the rules say", name,
	    t.checks);
	ok(p.len <= 256, "%s: %u instructions are at most 256", name, p.len);
	ok(t.max_steps <= 48, "%s: the longest way is %u steps, at most 48", name, t.max_steps);
	for (d.nr = 0; d.nr <= seccomp_syscall_max(); d.nr++) {
		struct bpf_vm vm;
		bool has_rule = false;

		for (size_t i = 0; i < r.count; i++)
			has_rule = has_rule || r.rules[i].nr == d.nr;
		if (has_rule || seccomp_syscall_name(d.nr) == NULL)
			continue;
		plain++;
		if (vm_run(&p, &d, &vm) != SECCOMP_RET_ALLOW || vm.has_read_arg)
			argument_reads++;
	}
	ok(argument_reads == 0 && plain > 200,
	    "%s: none of the %u plainly allowed calls has an argument read", name, plain);
	free(p.filter);
	seccomp_rules_fini(&r);
}

/* ---- random rule sets ---- */

static int random_number(void)
{
	int nr;

	do
		nr = (int)rnd_below(480);
	while (seccomp_syscall_name(nr) == NULL);
	return nr;
}

static uint32_t random_action(void)
{
	static const uint32_t actions[] = { SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS,
		SECCOMP_RET_ERRNO | 1, SECCOMP_RET_ERRNO | 2, SECCOMP_RET_LOG, NOSYS };

	if (rnd_below(8) == 0)
		return SECCOMP_RET_ERRNO | (uint32_t)rnd_below(4096);
	return actions[rnd_below(sizeof actions / sizeof actions[0])];
}

static struct seccomp_arg random_arg(void)
{
	struct seccomp_arg a = {
		.index = (uint8_t)rnd_below(6),
		.op = (uint8_t)rnd_below(SECCOMP_OP_NOT_IN + 1),
		.value = rnd_value(),
	};

	if (a.op == SECCOMP_OP_MASKED_EQ) /* now and then one that can never match */
		a.value2 = rnd_below(10) == 0 ? rnd() : a.value & rnd();
	return a;
}

/* few: all rules on a handful of numbers, so that chains get long. */
static void random_rules(struct seccomp_rules *r, size_t count, bool few)
{
	int numbers[4];
	struct err e = ERR_INIT;

	seccomp_rules_init(r);
	r->default_action = random_action();
	r->unknown_action = random_action();
	for (size_t i = 0; i < 4; i++)
		numbers[i] = random_number();
	for (size_t i = 0; i < count; i++) {
		struct seccomp_rule rule = { .action = random_action() };

		rule.nr = few ? numbers[rnd_below(4)] : random_number();
		rule.arg_count = (uint8_t)rnd_below(few ? 4 : 3);
		if (few && rule.arg_count == 0 && rnd_below(10) != 0)
			rule.arg_count = 1; /* or the rest would be dead */
		for (size_t n = 0; n < rule.arg_count; n++)
			rule.args[n] = random_arg();
		if (seccomp_rules_add(r, &rule, &e) != 0)
			BAIL("%s", e.msg);
	}
}

/* The places of a program where the assembler had to work: jumps by JA, and conditional ones at the
 * limit. */
static void count_far(const struct sock_fprog *p, unsigned *ja, unsigned *longest)
{
	for (size_t i = 0; i < p->len; i++) {
		const struct sock_filter *f = &p->filter[i];

		if (f->code == (BPF_JMP | BPF_JA))
			(*ja)++;
		else if (BPF_CLASS(f->code) == BPF_JMP && f->jt > *longest)
			*longest = f->jt;
	}
}

static void test_random(const char *name, unsigned sets, size_t max_rules, bool few, bool is_far)
{
	struct tally t = { 0 };
	unsigned refused = 0, ja = 0, longest = 0, too_long = 0;
	size_t max_len = 0;

	for (unsigned i = 0; i < sets; i++) {
		struct seccomp_rules r;
		struct sock_fprog p = { 0 };
		struct err e = ERR_INIT;

		random_rules(&r, (size_t)rnd_below(max_rules + 1), few);
		if (seccomp_compile(&r, &p, &e) != 0) { /* now and then over the limit */
			too_long++;
			seccomp_rules_fini(&r);
			continue;
		}
		refused += vm_check(&p) ? 0 : 1;
		if (p.len > max_len)
			max_len = p.len;
		count_far(&p, &ja, &longest);
		if (i % 20 == 0)
			check_all_numbers(&r, &p, &t);
		check_rules(&r, &p, 40, &t);
		free(p.filter);
		seccomp_rules_fini(&r);
	}
	ok(refused == 0 && too_long < sets / 4, "%s: the kernel would take the %u programs", name,
	    sets - too_long);
	ok(t.wrong == 0 && t.checks > 1000, "%s: %lu calls decided as the rules say", name,
	    t.checks);
	if (is_far)
		ok(max_len > 1000 && ja > 50 && longest >= 250,
		    "%s: programs of up to %zu instructions have far jumps (%u, longest %u)", name,
		    max_len, ja, longest);
}

/* ---- small facts ---- */

static uint32_t decide(const struct seccomp_rules *r, int nr, uint64_t arg0)
{
	struct seccomp_data d = { .nr = nr, .arch = NATIVE, .args = { arg0 } };
	struct sock_fprog p = { 0 };
	struct bpf_vm vm;
	struct err e = ERR_INIT;
	uint32_t action;

	if (seccomp_compile(r, &p, &e) != 0)
		BAIL("%s", e.msg);
	action = vm_check(&p) ? vm_run(&p, &d, &vm) : VM_BROKEN;
	free(p.filter);
	return action;
}

static void test_small(void)
{
	struct seccomp_rules r;
	struct err e = ERR_INIT;
	struct seccomp_rule rule = { .nr = seccomp_syscall_number("read") };
	int read_nr = rule.nr, write_nr = seccomp_syscall_number("write");

	seccomp_rules_init(&r);
	is_int(decide(&r, read_nr, 0), SECCOMP_RET_ALLOW, "no rules: known calls are allowed");
	is_int(decide(&r, seccomp_syscall_max() + 1, 0), NOSYS,
	    "no rules: unknown calls are ENOSYS");
	r.default_action = NOSYS;
	is_int(decide(&r, read_nr, 0), NOSYS, "one treatment for everything still makes a program");

	rule.action = SECCOMP_RET_ERRNO | 5;
	rule.arg_count = 1;
	rule.args[0] = (struct seccomp_arg){ 0, SECCOMP_OP_EQ, 7, 0 };
	ok(seccomp_rules_add(&r, &rule, &e) == 0, "a rule with a condition is added");
	rule.action = SECCOMP_RET_ALLOW;
	rule.arg_count = 0;
	ok(seccomp_rules_add(&r, &rule, &e) == 0, "and one without behind it");
	rule.action = SECCOMP_RET_KILL_PROCESS;
	ok(seccomp_rules_add(&r, &rule, &e) == 0, "and one that is never reached");
	is_int(decide(&r, read_nr, 7), SECCOMP_RET_ERRNO | 5, "the first match wins: condition");
	is_int(decide(&r, read_nr, 8), SECCOMP_RET_ALLOW, "the first match wins: the next one");
	is_int(decide(&r, write_nr, 7), NOSYS, "a rule concerns its own number only");
	seccomp_rules_fini(&r);

	rule.nr = seccomp_syscall_max() + 1;
	ok(seccomp_rules_add(&r, &rule, &e) == -1 && e.kind == ERR_INTERNAL,
	    "a number that is not in the table is refused");
	rule.nr = read_nr;
	rule.arg_count = 1;
	rule.args[0].index = 6;
	ok(seccomp_rules_add(&r, &rule, &e) == -1, "an argument that no call has is refused");
	rule.args[0] = (struct seccomp_arg){ 0, SECCOMP_OP_NOT_IN + 1, 0, 0 };
	ok(seccomp_rules_add(&r, &rule, &e) == -1, "an unknown comparison is refused");
}

static void test_limits(void)
{
	struct seccomp_rules r;
	struct sock_fprog p = { 0 };
	struct err e = ERR_INIT;
	struct seccomp_rule rule = { .nr = 0, .action = SECCOMP_RET_KILL_PROCESS, .arg_count = 1 };
	size_t added = 0;

	seccomp_rules_init(&r);
	for (;; added++) {
		rule.args[0] = (struct seccomp_arg){ 0, SECCOMP_OP_EQ, added * 3, 0 };
		if (seccomp_rules_add(&r, &rule, &e) != 0)
			break;
	}
	ok(added == LIMIT_BPF_INSTRUCTIONS && e.kind == ERR_USAGE, "at most %zu rules are taken",
	    added);
	err_clear(&e);
	ok(seccomp_compile(&r, &p, &e) == -1 && e.kind == ERR_USAGE && p.filter == NULL,
	    "rules that need more than %d instructions are refused", LIMIT_BPF_INSTRUCTIONS);
	ok(strstr(e.msg, "4096") != NULL, "the message names the limit: %s", e.msg);
	seccomp_rules_fini(&r);
}

int main(void)
{
	test_small();
	test_limits();
	test_builtin(0, "built-in");
	test_builtin(SECCOMP_BUILTIN_DENY_INET, "built-in, no inet");
	test_random("few numbers", 300, 40, true, false);
	test_random("many numbers", 300, 60, false, false);
	test_random("large", 30, 600, false, true);
	test_random("long chains", 60, 250, true, true);
	return done_testing();
}
