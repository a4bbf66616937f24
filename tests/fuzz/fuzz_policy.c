/*
 * Any bytes as a policy file: either refused with a position, or a policy whose check does not
 * crash and whose texts are intact.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/limits.h"
#include "lib/base/mem.h"
#include "lib/policy/policy.h"
#include "lib/policy/policy_options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct opt fuzz_opts[] = { POLICY_OPTIONS };
static const struct opt_table fuzz_table = {
	.applet = "fuzz", .synopsis = "", .summary = "", .opts = fuzz_opts,
	.count = MEM_COUNT(fuzz_opts),
};

static void check_loaded(const struct policy *p)
{
	struct err e = ERR_INIT;

	if (p->mount_count > LIMIT_MOUNTS || (p->require & ~LAYER_ALL))
		abort();
	for (size_t i = 0; i < p->mount_count; i++)
		if (!p->mounts[i].dst || !*p->mounts[i].dst)
			abort();
	if ((p->stdin_mode == STDIN_FILE) != (p->stdin_path != NULL))
		abort();
	if (policy_check(p, &e) < 0 && e.kind != ERR_USAGE)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct policy p;
	struct err e = ERR_INIT;

	policy_init(&p);
	if (policy_load_text(&fuzz_table, (const char *)data, size, "f", &p, &e) == 0)
		check_loaded(&p);
	else if (e.kind != ERR_USAGE || strncmp(e.msg, "f:", 2) != 0)
		abort();
	policy_fini(&p);
	return 0;
}
