/* Names of the container engines' filter lists for our actions and operators, shared by reader and
 * writer. */
#ifndef SBX_SANDBOX_SECCOMP_NAMES_H
#define SBX_SANDBOX_SECCOMP_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "../sys/linux_seccomp.h"

struct seccomp_action_name {
	const char *name;
	uint32_t action; /* without data */
};

/* For writing the first name of an action counts. */
extern const struct seccomp_action_name seccomp_action_names[];
extern const size_t seccomp_action_name_count;

#define SECCOMP_OP_NAMES (SECCOMP_OP_MASKED_EQ + 1)
extern const char *const seccomp_op_names[SECCOMP_OP_NAMES]; /* by enum seccomp_op */

#endif
