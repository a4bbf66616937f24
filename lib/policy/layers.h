/*
 * The layers of isolation, by the names that results, --require and the probe use. The order is the
 * order of reports. What "missing" means is always counted against the full set of the namespace
 * backend.
 */
#ifndef SBX_POLICY_LAYERS_H
#define SBX_POLICY_LAYERS_H

#include <stdint.h>

#include "../base/err.h"

/* X(NAME, name, what it gives) */
#define LAYERS(X)                                                                                 \
	X(USER_NS, user_ns, "own user namespace: no privilege over anything of the host")         \
	X(MOUNT_NS, mount_ns, "own mount namespace")                                              \
	X(PID_NS, pid_ns, "own process numbers; everything dies with its init")                   \
	X(NET_NS, net_ns, "own network, empty")                                                   \
	X(IPC_NS, ipc_ns, "own System V IPC and POSIX queues")                                    \
	X(UTS_NS, uts_ns, "own host name")                                                        \
	X(CGROUP_NS, cgroup_ns, "own view of the cgroup tree")                                    \
	X(VIEW, view, "only the folders of the policy can be read or written")                    \
	X(PROC, proc, "a /proc that shows only the sandbox")                                      \
	X(METADATA, metadata, "names, modes and times of files outside the view are out of reach") \
	X(LANDLOCK, landlock, "the view once more, as kernel rules on the process")               \
	X(SECCOMP, seccomp, "system call filter")                                                 \
	X(CAPABILITIES, capabilities, "all capabilities dropped, also from the bounding set")     \
	X(NO_NEW_PRIVS, no_new_privs, "set-id programs give nothing")                             \
	X(ENV, env, "environment scrubbed")                                                       \
	X(RLIMITS, rlimits, "resource limits of each process")                                    \
	X(MEMORY, memory, "memory of the whole sandbox limited")                                  \
	X(PIDS, pids, "number of processes limited")                                              \
	X(CPU, cpu, "share of the processors limited")                                            \
	X(DIE_WITH_RUNNER, die_with_runner, "everything ends when the runner ends, however it ends")

enum layer {
#define LAYER_ENUM(upper, lower, what) LAYER_##upper,
	LAYERS(LAYER_ENUM)
#undef LAYER_ENUM
	LAYER_COUNT
};

#define LAYER_BIT(layer) (1U << (layer))
#define LAYER_ALL (LAYER_BIT(LAYER_COUNT) - 1U)

const char *layer_name(enum layer layer);
const char *layer_what(enum layer layer);
/* "landlock,seccomp" → bits; ERR_USAGE names the unknown word and the known ones. */
int layer_parse_list(const char *text, uint32_t *bits, struct err *e);

#endif
