/*
 * The assembler: rules in, classic BPF out. Numbers with the same treatment form intervals, the
 * intervals a balanced search tree, equal argument checks one shared block; a number that is
 * plainly allowed reaches its return without an argument being read, which lets the kernel keep it
 * in its bitmap and skip the filter (since 5.11). The program is written from its end to its start:
 * BPF jumps only forwards, so every target is known when a jump to it is written. Conditional jumps
 * reach 255 instructions; a trampoline is put in where that is too short.
 */
#include <asm/errno.h>
#include <asm/unistd.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "linux_seccomp.h"
#include "linux_syscalls.h"

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#define NATIVE_NAME "X86_64"
#define HAS_X32 1
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#define NATIVE_NAME "AARCH64"
#elif defined(__arm__)
#define NATIVE_ARCH AUDIT_ARCH_ARM
#define NATIVE_NAME "ARM"
#elif defined(__riscv) && __riscv_xlen == 64
#define NATIVE_ARCH AUDIT_ARCH_RISCV64
#define NATIVE_NAME "RISCV64"
#else
#error "no system call filter for this architecture: add its AUDIT_ARCH_ here"
#endif

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "argument words are laid out for little-endian machines"
#endif

#define X32_BASE 0x40000000U
#define JUMP_MAX 255U
#define WORD_NONE (-1)
#define CODE_ALLOC_MIN 192U /* instructions: the built-in program fits */
#define RULES_ALLOC_MIN 192U
#define WORD_NR ((int)offsetof(struct seccomp_data, nr))
#define WORD_ARCH ((int)offsetof(struct seccomp_data, arch))
#define ALL_BITS UINT32_MAX

/* Places are counted in instructions from there to the end of the program. */
struct spot {
	uint32_t place;      /* 0: no load of word has been written yet */
	uint32_t place_held; /* the same, for a jump that already holds word in the accumulator */
	int word;            /* offset in struct seccomp_data of what it compares, or WORD_NONE */
};

struct treatment { /* what is done with a number: rules in order, then an action */
	uint32_t action;
	size_t first, count; /* range of builder.order */
	struct spot spot;
};

struct interval {
	uint32_t start;
	uint32_t treatment; /* index */
};

struct numbered {
	int nr;
	struct seccomp_clause clause;
};

struct builder {
	uint32_t default_action, unknown_action;
	struct numbered *order; /* by number, then as they came */
	size_t rule_count, rule_alloc;
	struct treatment *treatments;
	size_t treatment_count, treatment_alloc;
	struct interval *intervals;
	size_t interval_count, interval_alloc;
	uint32_t count;
	struct sock_filter *code; /* backwards: code[0] is the last instruction */
	uint32_t alloc;
	struct err *e;
	bool has_failed; /* e says why */
};

const char *seccomp_arch_name(void)
{
	return NATIVE_NAME;
}

/* ---- treatments and intervals ---- */

static const struct seccomp_clause *clause_at(const struct builder *b, size_t pos)
{
	return &b->order[pos].clause;
}

static bool is_equal_treatment(const struct builder *b, const struct treatment *x,
    const struct treatment *y)
{
	if (x->action != y->action || x->count != y->count)
		return false;
	for (size_t i = 0; i < x->count; i++)
		if (!seccomp_clause_is_alike(
			clause_at(b, x->first + i), clause_at(b, y->first + i)))
			return false;
	return true;
}

static int treatment_intern(struct builder *b, const struct treatment *want, uint32_t *index,
    struct err *e)
{
	for (size_t i = 0; i < b->treatment_count; i++)
		if (is_equal_treatment(b, &b->treatments[i], want)) {
			*index = (uint32_t)i;
			return 0;
		}
	if (b->treatment_count == b->treatment_alloc) {
		size_t alloc = b->treatment_alloc * 2 + 16;
		struct treatment *t = mem_realloc_array(b->treatments, alloc, sizeof *t, e);

		if (t == NULL)
			return -1;
		b->treatments = t;
		b->treatment_alloc = alloc;
	}
	b->treatments[b->treatment_count] = *want;
	*index = (uint32_t)b->treatment_count++;
	return 0;
}

static int treatment_of_action(struct builder *b, uint32_t action, uint32_t *index, struct err *e)
{
	struct treatment t = { .action = action, .spot = { .word = WORD_NONE } };

	return treatment_intern(b, &t, index, e);
}

/* The rules of nr from *pos of the order on; moves *pos behind them. */
static int treatment_of_number(struct builder *b, int nr, size_t *pos, uint32_t *index,
    struct err *e)
{
	struct treatment t = { .action = b->default_action,
		.first = *pos,
		.spot = { .word = WORD_NONE } };
	bool is_open = true; /* no rule without a condition yet */
	uint32_t unused;

	for (; *pos < b->rule_count && b->order[*pos].nr == nr; ++*pos) {
		const struct seccomp_clause *rule = clause_at(b, *pos);

		if (is_open && rule->arg_count > 0)
			t.count++;
		else if (is_open)
			t.action = rule->action;
		is_open = is_open && rule->arg_count > 0;
	}
	while (t.count > 0 && clause_at(b, t.first + t.count - 1)->action == t.action)
		t.count--;
	for (size_t i = 0; i < t.count; i++)
		if (treatment_of_action(b, clause_at(b, t.first + i)->action, &unused, e) != 0)
			return -1;
	if (treatment_of_action(b, t.action, index, e) != 0)
		return -1;
	return t.count == 0 ? 0 : treatment_intern(b, &t, index, e);
}

static int interval_add(struct builder *b, uint32_t start, uint32_t treatment, struct err *e)
{
	if (b->interval_count > 0 && b->intervals[b->interval_count - 1].treatment == treatment)
		return 0;
	if (b->interval_count == b->interval_alloc) {
		size_t alloc = b->interval_alloc * 2 + 128;
		struct interval *v = mem_realloc_array(b->intervals, alloc, sizeof *v, e);

		if (v == NULL)
			return -1;
		b->intervals = v;
		b->interval_alloc = alloc;
	}
	b->intervals[b->interval_count++] = (struct interval){ start, treatment };
	return 0;
}

static int builder_make_intervals(struct builder *b, struct err *e)
{
	uint32_t unknown, treatment, end = 0; /* end: all numbers below have an interval */
	size_t pos = 0;

	if (treatment_of_action(b, b->unknown_action, &unknown, e) != 0)
		return -1;
	for (int nr = -1; (nr = syscalls_next(nr)) >= 0; end = (uint32_t)nr + 1) {
		if ((uint32_t)nr > end && interval_add(b, end, unknown, e) != 0)
			return -1;
		if (treatment_of_number(b, nr, &pos, &treatment, e) != 0 ||
		    interval_add(b, (uint32_t)nr, treatment, e) != 0)
			return -1;
	}
	if (interval_add(b, end, unknown, e) != 0)
		return -1;
#ifdef HAS_X32
	if (treatment_of_action(b, SECCOMP_RET_ERRNO | ENOSYS, &treatment, e) != 0 ||
	    interval_add(b, X32_BASE, treatment, e) != 0)
		return -1;
#endif
	return 0;
}

/* Sorted in as it comes: built-in rules come in order, and a file has some hundreds. */
static int builder_add(
    struct builder *b, int nr, const struct seccomp_clause *clause, struct err *e)
{
	size_t at = b->rule_count;

	if (b->rule_count == b->rule_alloc) {
		size_t alloc = b->rule_alloc * 2 + RULES_ALLOC_MIN;
		struct numbered *order = mem_realloc_array(b->order, alloc, sizeof *order, e);

		if (order == NULL)
			return -1;
		b->order = order;
		b->rule_alloc = alloc;
	}
	for (; at > 0 && b->order[at - 1].nr > nr; at--)
		b->order[at] = b->order[at - 1];
	b->order[at] = (struct numbered){ nr, *clause };
	b->rule_count++;
	return 0;
}

/* ---- instructions, last one first ---- */

static bool code_grow(struct builder *b)
{
	uint32_t alloc = b->alloc * 2 + CODE_ALLOC_MIN;
	struct sock_filter *code = NULL;

	if (b->has_failed)
		return false;
	if (b->count >= LIMIT_BPF_INSTRUCTIONS)
		(void)err_set(b->e, ERR_USAGE, "system call filter: more than %d instructions",
		    LIMIT_BPF_INSTRUCTIONS);
	else
		code = mem_realloc_array(b->code, alloc, sizeof *code, b->e);
	b->has_failed = code == NULL;
	if (b->has_failed)
		return false;
	b->code = code;
	b->alloc = alloc < LIMIT_BPF_INSTRUCTIONS ? alloc : LIMIT_BPF_INSTRUCTIONS;
	return true;
}

static void asm_push(struct builder *b, unsigned code, uint32_t yes, uint32_t no, uint32_t k)
{
	if (b->count == b->alloc && !code_grow(b))
		return;
	b->code[b->count++] = (struct sock_filter){ (uint16_t)code, (uint8_t)yes, (uint8_t)no, k };
}

/* A nearer place that leads to place: a copy of a return, or a jump. */
static uint32_t asm_trampoline(struct builder *b, uint32_t place)
{
	const struct sock_filter *target;

	if (b->has_failed) /* nothing is written any more, and there may be no code at all */
		return place;
	target = &b->code[place - 1];
	if (target->code == (BPF_RET | BPF_K))
		asm_push(b, BPF_RET | BPF_K, 0, 0, target->k);
	else
		asm_push(b, BPF_JMP | BPF_JA, 0, 0, b->count - place);
	return b->count;
}

/* yes and no become nearer places when they were too far, so that later jumps profit. */
static void asm_jump(struct builder *b, unsigned op, uint32_t k, uint32_t *yes, uint32_t *no)
{
	while (!b->has_failed) { /* a trampoline may push the other out of reach: three rounds */
		if (b->count - *yes > JUMP_MAX)
			*yes = asm_trampoline(b, *yes);
		else if (b->count - *no > JUMP_MAX)
			*no = asm_trampoline(b, *no);
		else
			break;
	}
	asm_push(b, BPF_JMP | BPF_K | op, b->count - *yes, b->count - *no, k);
}

static void asm_load(struct builder *b, int word)
{
	asm_push(b, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)word);
}

/* Where to jump to while the accumulator has word held; writes a load where one is needed. */
static uint32_t *spot_enter(struct builder *b, struct spot *spot, int held)
{
	if (spot->word == WORD_NONE || spot->word == held)
		return &spot->place_held;
	if (spot->place == 0) {
		if (b->count != spot->place_held)
			asm_push(b, BPF_JMP | BPF_JA, 0, 0, b->count - spot->place_held);
		asm_load(b, spot->word);
		spot->place = b->count;
	}
	return &spot->place;
}

static struct spot asm_test(struct builder *b, int word, uint32_t mask, unsigned op, uint32_t k,
    struct spot *yes, struct spot *no)
{
	int held = mask == ALL_BITS ? word : WORD_NONE;
	uint32_t *yes_place = spot_enter(b, yes, held);
	uint32_t *no_place = spot_enter(b, no, held);

	asm_jump(b, op, k, yes_place, no_place);
	if (mask != ALL_BITS)
		asm_push(b, BPF_ALU | BPF_AND | BPF_K, 0, 0, mask);
	return (struct spot){ .place = 0, .place_held = b->count, .word = word };
}

/* ---- comparisons of one argument, high word first ---- */

struct operand {
	int low, high; /* words */
	uint32_t value_low, value_high;
};

static struct spot asm_equal(struct builder *b, const struct operand *o, struct spot *yes,
    struct spot *no)
{
	struct spot low = asm_test(b, o->low, ALL_BITS, BPF_JEQ, o->value_low, yes, no);

	return asm_test(b, o->high, ALL_BITS, BPF_JEQ, o->value_high, &low, no);
}

/* op: BPF_JGT or BPF_JGE, for the low word; the high word decides unless it is equal. */
static struct spot asm_above(struct builder *b, const struct operand *o, unsigned op,
    struct spot *yes, struct spot *no)
{
	struct spot low = asm_test(b, o->low, ALL_BITS, op, o->value_low, yes, no);
	struct spot equal = asm_test(b, o->high, ALL_BITS, BPF_JEQ, o->value_high, &low, no);

	return asm_test(b, o->high, ALL_BITS, BPF_JGT, o->value_high, yes, &equal);
}

static struct spot asm_masked_equal(struct builder *b, const struct operand *o, uint64_t value2,
    struct spot *yes, struct spot *no)
{
	uint64_t mask = (uint64_t)o->value_high << 32 | o->value_low;
	struct spot spot = *yes;

	if ((value2 & ~mask) != 0)
		return *no;
	if (o->value_low != 0)
		spot = asm_test(b, o->low, o->value_low, BPF_JEQ, (uint32_t)value2, yes, no);
	if (o->value_high != 0) {
		struct spot low = spot;

		spot = asm_test(b, o->high, o->value_high, BPF_JEQ, (uint32_t)(value2 >> 32), &low,
		    no);
	}
	return spot;
}

static struct spot asm_any_bit(struct builder *b, const struct operand *o, struct spot *yes,
    struct spot *no)
{
	struct spot spot = *no;

	if (o->value_low != 0)
		spot = asm_test(b, o->low, ALL_BITS, BPF_JSET, o->value_low, yes, no);
	if (o->value_high != 0) {
		struct spot low = spot;

		spot = asm_test(b, o->high, ALL_BITS, BPF_JSET, o->value_high, yes, &low);
	}
	return spot;
}

static struct spot asm_not_in(struct builder *b, const struct operand *o, uint64_t set,
    struct spot *yes, struct spot *no)
{
	struct spot spot = *yes;

	for (uint32_t n = 64; n-- > 0;) {
		struct spot next = spot;

		if ((set >> n & 1) != 0)
			spot = asm_test(b, o->low, ALL_BITS, BPF_JEQ, n, no, &next);
	}
	struct spot low = spot;

	return asm_test(b, o->high, ALL_BITS, BPF_JEQ, 0, &low, yes);
}

static struct spot asm_arg(struct builder *b, const struct seccomp_arg *arg, struct spot *yes,
    struct spot *no)
{
	int low = (int)offsetof(struct seccomp_data, args) + 8 * arg->index;
	struct operand o = { low, low + 4, (uint32_t)arg->value, (uint32_t)(arg->value >> 32) };

	switch ((enum seccomp_op)arg->op) {
	case SECCOMP_OP_EQ:
		return asm_equal(b, &o, yes, no);
	case SECCOMP_OP_NE:
		return asm_equal(b, &o, no, yes);
	case SECCOMP_OP_GT:
		return asm_above(b, &o, BPF_JGT, yes, no);
	case SECCOMP_OP_GE:
		return asm_above(b, &o, BPF_JGE, yes, no);
	case SECCOMP_OP_LE:
		return asm_above(b, &o, BPF_JGT, no, yes);
	case SECCOMP_OP_LT:
		return asm_above(b, &o, BPF_JGE, no, yes);
	case SECCOMP_OP_MASKED_EQ:
		return asm_masked_equal(b, &o, arg->value2, yes, no);
	case SECCOMP_OP_ANY_BIT:
		return asm_any_bit(b, &o, yes, no);
	case SECCOMP_OP_NOT_IN:
		return asm_not_in(b, &o, arg->value, yes, no);
	}
	return *no;
}

/* ---- the program ---- */

/* treatment_of_number() has put every action that a rule has into the list. */
static struct spot *asm_action(struct builder *b, uint32_t action)
{
	size_t i = 0;

	while (b->treatments[i].count > 0 || b->treatments[i].action != action)
		i++;
	return &b->treatments[i].spot;
}

static struct spot asm_rule(
    struct builder *b, const struct seccomp_clause *rule, struct spot *next)
{
	struct spot spot = *asm_action(b, rule->action);

	for (size_t i = rule->arg_count; i-- > 0;) {
		struct spot yes = spot;

		spot = asm_arg(b, &rule->args[i], &yes, next);
	}
	return spot;
}

static void asm_returns(struct builder *b)
{
	for (size_t i = 0; i < b->treatment_count; i++) {
		struct treatment *t = &b->treatments[i];

		if (t->count > 0)
			continue;
		asm_push(b, BPF_RET | BPF_K, 0, 0, t->action);
		t->spot.place_held = b->count;
	}
}

/* The blocks of argument checks; each ends as a place that can be entered with any accumulator. */
static void asm_checks(struct builder *b)
{
	for (size_t i = 0; i < b->treatment_count; i++) {
		struct treatment *t = &b->treatments[i];

		if (t->count == 0)
			continue;
		t->spot = *asm_action(b, t->action);
		for (size_t n = t->count; n-- > 0;) {
			struct spot next = t->spot;

			t->spot = asm_rule(b, clause_at(b, t->first + n), &next);
		}
		t->spot.place_held = *spot_enter(b, &t->spot, WORD_NR);
		t->spot.word = WORD_NONE;
	}
}

/* A search tree over intervals[low..high-1]; returns where it starts (in *place, or a leaf's). */
static uint32_t *asm_tree(struct builder *b, size_t low, size_t high, uint32_t *place)
{
	uint32_t left_place, right_place, *left, *right;
	size_t mid = low + (high - low) / 2;

	if (high - low == 1)
		return &b->treatments[b->intervals[low].treatment].spot.place_held;
	right = asm_tree(b, mid, high, &right_place);
	left = asm_tree(b, low, mid, &left_place);
	asm_jump(b, BPF_JGE, b->intervals[mid].start, right, left);
	*place = b->count;
	return place;
}

static void asm_program(struct builder *b)
{
	uint32_t place, foreign, *tree;

	asm_push(b, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS);
	foreign = b->count;
	asm_returns(b);
	asm_checks(b);
	tree = asm_tree(b, 0, b->interval_count, &place);
	if (b->count != *tree) /* a single interval: its return is not the last thing written */
		(void)asm_trampoline(b, *tree);
	asm_load(b, WORD_NR);
	place = b->count;
	asm_jump(b, BPF_JEQ, NATIVE_ARCH, &place, &foreign);
	asm_load(b, WORD_ARCH);
}

static void builder_fini(struct builder *b)
{
	free(b->order);
	free(b->treatments);
	free(b->intervals);
	free(b->code);
}

static int builder_take_program(const struct builder *b, struct sock_fprog *prog, struct err *e)
{
	struct sock_filter *filter = mem_calloc(b->count, sizeof *filter, e);

	if (filter == NULL)
		return -1;
	for (uint32_t i = 0; i < b->count; i++)
		filter[i] = b->code[b->count - 1 - i];
	prog->len = (unsigned short)b->count;
	prog->filter = filter;
	return 0;
}

static int builder_finish(struct builder *b, int rc, struct sock_fprog *prog, struct err *e)
{
	if (rc == 0)
		rc = builder_make_intervals(b, e);
	if (rc == 0) {
		asm_program(b);
		rc = b->has_failed ? -1 : builder_take_program(b, prog, e);
	}
	builder_fini(b);
	return rc;
}

int seccomp_compile(const struct seccomp_rules *r, struct sock_fprog *prog, struct err *e)
{
	struct builder b = { .default_action = r->default_action,
		.unknown_action = r->unknown_action,
		.e = e };
	int rc = 0;

	for (size_t i = 0; i < r->count && rc == 0; i++) {
		const struct seccomp_rule *rule = &r->rules[i];
		struct seccomp_clause clause = { rule->args, rule->action, rule->arg_count };

		rc = builder_add(&b, rule->nr, &clause, e);
	}
	return builder_finish(&b, rc, prog, e);
}

int seccomp_compile_builtin(unsigned flags, struct sock_fprog *prog, struct err *e)
{
	struct seccomp_rules defaults;
	struct builder b = { .e = e };
	int rc = 0;

	seccomp_rules_init(&defaults);
	b.default_action = defaults.default_action;
	b.unknown_action = defaults.unknown_action;
	for (int nr = -1; rc == 0 && (nr = syscalls_next(nr)) >= 0;) {
		size_t count;
		const struct seccomp_builtin *rule = seccomp_builtin_of(nr, flags, &count);

		for (; count > 0 && rc == 0; count--, rule++) {
			struct seccomp_clause clause = { rule->args, rule->action,
				rule->arg_count };

			rc = builder_add(&b, nr, &clause, e);
		}
	}
	return builder_finish(&b, rc, prog, e);
}
