/* The options of sbx-probe. */
#ifndef SBX_APPLETS_PROBE_OPTS_H
#define SBX_APPLETS_PROBE_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/base/opt.h"

struct probe_options {
	bool json;
	char *backend;
	uint32_t require; /* LAYER_BIT()s */
	bool want_help;
	bool want_version;
};

extern const struct opt_table probe_opt_table;

#endif
