/*
 * Writes rules as a container engine's filter list; see seccomp_file.h. An engine knows single
 * comparisons only, all 64 bits wide, joined by "and" within an entry, one comparison for an
 * argument; so ANY_BIT becomes one entry a bit, and NOT_IN one entry for every block of refused
 * values. Must not decide what the rules are.
 */
#include <linux/seccomp.h>
#include <stdio.h>

#include "../base/mem.h"
#include "../json/json.h"
#include "seccomp_file.h"
#include "seccomp_names.h"

#define SET_SPAN 64U /* values that a NOT_IN set can hold */

struct writer {
	struct jw jw;
	const struct seccomp_rules *rules;
	bool *is_written; /* by rule */
	size_t *previous; /* by rule: position + 1 of the one before it of its number, or 0 */
};

/* The number-th comparison that a is short for; false when there are no more. */
static bool variant_of_bits(const struct seccomp_arg *a, unsigned number, struct seccomp_arg *out)
{
	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t mask = UINT64_C(1) << bit;

		if ((a->value & mask) == 0 || number-- > 0)
			continue;
		*out = (struct seccomp_arg){ a->index, SECCOMP_OP_MASKED_EQ, mask, mask };
		return true;
	}
	return false;
}

/* The largest aligned block of refused values that starts at pos, which is refused. */
static unsigned block_size(uint64_t set, unsigned pos)
{
	unsigned size = 1;

	while (size < SET_SPAN && pos % (size * 2) == 0 &&
	       (set >> pos & ((UINT64_C(2) << (size * 2 - 1)) - 1)) == 0)
		size *= 2;
	return size;
}

static bool variant_of_set(const struct seccomp_arg *a, unsigned number, struct seccomp_arg *out)
{
	unsigned pos = 0;

	while (pos < SET_SPAN) {
		unsigned size;

		if ((a->value >> pos & 1) != 0) {
			pos++;
			continue;
		}
		size = block_size(a->value, pos);
		if (number-- == 0) {
			/* the last variant refuses the values that have bits above the set */
			*out = (struct seccomp_arg){ a->index, SECCOMP_OP_MASKED_EQ,
				(SET_SPAN - 1) & ~(uint64_t)(size - 1), pos };
			return true;
		}
		pos += size;
	}
	*out = (struct seccomp_arg){ a->index, SECCOMP_OP_GE, SET_SPAN, 0 };
	return number == 0;
}

static bool variant(const struct seccomp_arg *a, unsigned number, struct seccomp_arg *out)
{
	if (a->op == SECCOMP_OP_ANY_BIT)
		return variant_of_bits(a, number, out);
	if (a->op == SECCOMP_OP_NOT_IN)
		return variant_of_set(a, number, out);
	*out = *a;
	return number == 0;
}

static void put_action(struct writer *w, const char *key, const char *errno_key, uint32_t action)
{
	uint32_t kind = action & SECCOMP_RET_ACTION_FULL;
	size_t i = 0;

	while (i + 1 < seccomp_action_name_count && seccomp_action_names[i].action != kind)
		i++;
	jw_key(&w->jw, key);
	jw_str(&w->jw, seccomp_action_names[i].name);
	if (kind == SECCOMP_RET_ERRNO) {
		jw_key(&w->jw, errno_key);
		jw_u64(&w->jw, action & SECCOMP_RET_DATA);
	}
}

static void put_args(struct writer *w, const struct seccomp_arg *args, size_t count)
{
	if (count == 0)
		return;
	jw_key(&w->jw, "args");
	jw_array_begin(&w->jw);
	for (size_t i = 0; i < count; i++) {
		jw_object_begin(&w->jw);
		jw_key(&w->jw, "index");
		jw_u64(&w->jw, args[i].index);
		jw_key(&w->jw, "value");
		jw_u64(&w->jw, args[i].value);
		if (args[i].op == SECCOMP_OP_MASKED_EQ) {
			jw_key(&w->jw, "valueTwo");
			jw_u64(&w->jw, args[i].value2);
		}
		jw_key(&w->jw, "op");
		jw_str(&w->jw, seccomp_op_names[args[i].op]);
		jw_object_end(&w->jw);
	}
	jw_array_end(&w->jw);
}

static void put_names(struct writer *w, size_t first, bool *is_member)
{
	jw_key(&w->jw, "names");
	jw_array_begin(&w->jw);
	for (size_t i = first; i < w->rules->count; i++)
		if (is_member[i])
			jw_str(&w->jw, seccomp_syscall_name(w->rules->rules[i].nr));
	jw_array_end(&w->jw);
}

/* The rules from first on that may share an entry with it: the same shape, and no earlier rule of
 * the number is left. */
static void pick_members(const struct writer *w, size_t first, bool *is_member)
{
	const struct seccomp_rule *rules = w->rules->rules;

	for (size_t i = first; i < w->rules->count; i++)
		is_member[i] = !w->is_written[i] &&
			       seccomp_rule_is_alike(&rules[i], &rules[first]) &&
			       (w->previous[i] == 0 || w->is_written[w->previous[i] - 1]);
}

/* One entry for every combination of the variants of the arguments, counted like the digits of a
 * number. */
static void put_entries(struct writer *w, size_t first, bool *is_member)
{
	const struct seccomp_rule *rule = &w->rules->rules[first];
	unsigned digits[SECCOMP_ARGS_MAX] = { 0 };
	struct seccomp_arg args[SECCOMP_ARGS_MAX];
	size_t at = 0; /* args[0..at-1] are chosen */

	for (;;) {
		while (at < rule->arg_count && variant(&rule->args[at], digits[at], &args[at]))
			at++;
		if (at == rule->arg_count) {
			jw_object_begin(&w->jw);
			put_names(w, first, is_member);
			put_action(w, "action", "errnoRet", rule->action);
			put_args(w, args, at);
			jw_object_end(&w->jw);
		} else {
			digits[at] = 0;
		}
		if (at == 0 || w->jw.err.kind != ERR_NONE)
			return;
		digits[--at]++;
	}
}

static void put_groups(struct writer *w, bool *is_member)
{
	for (size_t i = 0; i < w->rules->count; i++) {
		if (w->is_written[i])
			continue;
		pick_members(w, i, is_member);
		put_entries(w, i, is_member);
		for (size_t n = i; n < w->rules->count; n++)
			w->is_written[n] = w->is_written[n] || is_member[n];
	}
}

static void link_previous(struct writer *w)
{
	const struct seccomp_rule *rules = w->rules->rules;

	for (size_t i = 0; i < w->rules->count; i++) {
		size_t n = i;

		while (n > 0 && rules[n - 1].nr != rules[i].nr)
			n--;
		w->previous[i] = n;
	}
}

int seccomp_put_oci_json(const struct seccomp_rules *r, struct buf *out, struct err *e)
{
	MEM_AUTOFREE bool *is_written = mem_calloc(r->count, sizeof *is_written, e);
	MEM_AUTOFREE bool *is_member = mem_calloc(r->count, sizeof *is_member, e);
	MEM_AUTOFREE size_t *previous = mem_calloc(r->count, sizeof *previous, e);
	struct writer w = { .rules = r, .is_written = is_written, .previous = previous };
	char arch[32];

	if (is_written == NULL || is_member == NULL || previous == NULL)
		return -1;
	(void)snprintf(arch, sizeof arch, "SCMP_ARCH_%s", seccomp_arch_name());
	link_previous(&w);
	jw_init(&w.jw, out, true);
	jw_object_begin(&w.jw);
	put_action(&w, "defaultAction", "defaultErrnoRet", r->default_action);
	jw_key(&w.jw, "architectures");
	jw_array_begin(&w.jw);
	jw_str(&w.jw, arch);
	jw_array_end(&w.jw);
	jw_key(&w.jw, "syscalls");
	jw_array_begin(&w.jw);
	put_groups(&w, is_member);
	jw_array_end(&w.jw);
	jw_object_end(&w.jw);
	return jw_finish(&w.jw, e);
}
