/* The tables of seccomp_names.h: OCI runtime spec, config-linux.md, "Seccomp". */
#include "seccomp_names.h"

#include <linux/seccomp.h>

#include "../base/mem.h"

const struct seccomp_action_name seccomp_action_names[] = {
	{ "SCMP_ACT_ALLOW", SECCOMP_RET_ALLOW },
	{ "SCMP_ACT_ERRNO", SECCOMP_RET_ERRNO },
	{ "SCMP_ACT_KILL_PROCESS", SECCOMP_RET_KILL_PROCESS },
	{ "SCMP_ACT_KILL_THREAD", SECCOMP_RET_KILL_THREAD },
	{ "SCMP_ACT_KILL", SECCOMP_RET_KILL_THREAD },
	{ "SCMP_ACT_LOG", SECCOMP_RET_LOG },
	{ "SCMP_ACT_TRAP", SECCOMP_RET_TRAP },
};
const size_t seccomp_action_name_count = MEM_COUNT(seccomp_action_names);

const char *const seccomp_op_names[SECCOMP_OP_NAMES] = {
	[SECCOMP_OP_EQ] = "SCMP_CMP_EQ",
	[SECCOMP_OP_NE] = "SCMP_CMP_NE",
	[SECCOMP_OP_LT] = "SCMP_CMP_LT",
	[SECCOMP_OP_LE] = "SCMP_CMP_LE",
	[SECCOMP_OP_GT] = "SCMP_CMP_GT",
	[SECCOMP_OP_GE] = "SCMP_CMP_GE",
	[SECCOMP_OP_MASKED_EQ] = "SCMP_CMP_MASKED_EQ",
};
