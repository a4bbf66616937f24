/*
 * Any bytes as an environment file; what parses is then a host environment, an argument vector
 * and a PATH. A scrubbed environment has no entry that the rules would drop, and scrubbing it again
 * changes nothing.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/limits.h"
#include "lib/policy/env.h"
#include "lib/policy/env_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_entry(char *entry)
{
	char *equals = strchr(entry, '=');

	if (!equals || equals == entry)
		abort();
	*equals = '\0';
	if (env_drop_rule(entry, equals + 1))
		abort();
	*equals = '=';
}

static void check_scrub(char *const *host)
{
	struct policy p;
	struct env_block once;
	struct env_block twice;

	policy_init(&p);
	if (env_build(&p, host, &once, NULL) < 0)
		abort();
	for (size_t i = 0; i < once.env.n; i++)
		check_entry(once.env.v[i]);
	if (env_build(&p, once.env.v, &twice, NULL) < 0 || twice.dropped_count ||
	    twice.env.n != once.env.n)
		abort();
	env_block_fini(&once);
	env_block_fini(&twice);
	policy_fini(&p);
}

static void check_lines(struct strv *entries)
{
	struct buf line;

	buf_init(&line, LIMIT_LOG_LINE);
	if (entries->v && env_put_redacted_argv(&line, entries->v, NULL) < 0)
		abort();
	buf_fini(&line);
	for (size_t i = 0; i < entries->n; i++)
		env_filter_path(entries->v[i], NULL, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strv entries = { 0 };
	struct err e = ERR_INIT;

	if (env_file_parse((const char *)data, size, "f", &entries, &e) == 0) {
		check_scrub(entries.v);
		check_lines(&entries);
	} else if (e.kind != ERR_USAGE || strncmp(e.msg, "f:", 2) != 0) {
		abort();
	}
	strv_fini(&entries);
	return 0;
}
