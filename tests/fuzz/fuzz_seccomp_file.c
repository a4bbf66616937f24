/*
 * Filter lists: whatever is accepted must compile to a program or say why not, be printed, be read
 * back, and decide every call the same way then; whatever is refused must carry a message with a
 * place. A list is never installed.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/limits.h"
#include "lib/sandbox/seccomp_file.h"
#include "tests/unit/bpf_vm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond)               \
	do {                     \
		if (!(cond))     \
			abort(); \
	} while (0)

/* The architecture that the program was made for: the first comparison. */
static uint32_t arch_of(const struct sock_fprog *p)
{
	return p->filter[1].k;
}

static void compare(const struct seccomp_rules *r, const struct sock_fprog *x,
    const struct sock_fprog *y)
{
	struct seccomp_data d = { .arch = arch_of(x) };
	struct bpf_vm vm;

	for (d.nr = 0; d.nr < 500; d.nr++)
		MUST(vm_run(x, &d, &vm) == vm_run(y, &d, &vm));
	for (size_t i = 0; i < r->count; i++) {
		const struct seccomp_rule *rule = &r->rules[i];

		d.nr = rule->nr;
		for (uint64_t delta = 0; delta < 3; delta++) {
			for (size_t a = 0; a < rule->arg_count; a++)
				d.args[rule->args[a].index] = rule->args[a].value + delta - 1;
			MUST(vm_run(x, &d, &vm) == vm_run(y, &d, &vm));
		}
	}
}

static void check_accepted(const struct seccomp_rules *r)
{
	struct seccomp_rules back;
	struct sock_fprog x = { 0 }, y = { 0 };
	struct err e = ERR_INIT;
	struct buf b;

	seccomp_rules_init(&back);
	buf_init(&b, LIMIT_SECCOMP_FILE);
	MUST(seccomp_put_text(r, &b, &e) == 0);
	buf_reset(&b);
	MUST(seccomp_put_oci_json(r, &b, &e) == 0);
	MUST(seccomp_file_parse((const char *)b.data, b.len, "back", &back, &e) == 0);
	if (seccomp_compile(r, &x, &e) == 0 && seccomp_compile(&back, &y, &e) == 0) {
		MUST(vm_check(&x) && vm_check(&y));
		compare(r, &x, &y);
	} else {
		MUST(e.kind == ERR_USAGE && e.msg[0] != '\0');
	}
	free(x.filter);
	free(y.filter);
	buf_fini(&b);
	seccomp_rules_fini(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seccomp_rules r;
	struct err e = ERR_INIT;

	if (size > LIMIT_SMALL_FILE)
		return 0;
	seccomp_rules_init(&r);
	if (seccomp_file_parse((const char *)data, size, "list", &r, &e) == 0)
		check_accepted(&r);
	else
		MUST(e.kind == ERR_USAGE && strncmp(e.msg, "list:", 5) == 0);
	seccomp_rules_fini(&r);
	return 0;
}
