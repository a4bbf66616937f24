/*
 * Every named cap of the program, in one place, with its reason. A buffer is born with one of
 * these; going over it is an error that names the cap, never a silent cut.
 */
#ifndef SBX_BASE_LIMITS_H
#define SBX_BASE_LIMITS_H

#include <stddef.h>

#define SBX_KIB 1024UL
#define SBX_MIB (1024UL * 1024UL)

#define LIMIT_OUTPUT_DEFAULT (1UL * SBX_MIB) /* stdout+stderr kept together by default */
#define LIMIT_OUTPUT_MAX (1024UL * SBX_MIB)  /* above that nobody reads it and JSON doubles it */
/* An escape is six bytes for one, and there are fields; no more than half of the address space. */
#define LIMIT_RESULT_JSON                                                                         \
	((size_t)(sizeof(size_t) > 4 ? 8ULL * LIMIT_OUTPUT_MAX : (size_t)-1 / 2))
#define LIMIT_POLICY_FILE (1UL * SBX_MIB)
#define LIMIT_ENV_FILE (4UL * SBX_MIB)      /* the kernel takes at most 6 MiB of argv+env */
#define LIMIT_SECCOMP_FILE (1UL * SBX_MIB)
#define LIMIT_JSON_DEPTH 64                 /* nesting; cJSON recurses */
#define LIMIT_JSON_NUMBER 63                /* characters; cJSON up to 1.7.18 reads no more */
#define LIMIT_JSON_VALUES 1048576UL         /* two bytes of text make a tree node of 64 */
#define LIMIT_FRAME (16UL * SBX_MIB)        /* one line-delimited JSON frame */
#define LIMIT_ARGS 262144UL                 /* argv; MAX_ARG_STRINGS is 2^31, memory is not */
#define LIMIT_MOUNTS 512                    /* --ro/--rw/--bind/--tmpfs/--hide entries a policy */
#define LIMIT_BPF_INSTRUCTIONS 4096         /* BPF_MAXINSNS */
#define LIMIT_SMALL_FILE (64UL * SBX_KIB)   /* /proc and cgroup files that are read whole */
#define LIMIT_PASSWD (16UL * SBX_MIB)       /* hundred thousands of users */
#define LIMIT_MOUNTINFO (16UL * SBX_MIB)    /* 5,000 mounts are 1 MiB */
#define LIMIT_PROFILE (96UL * SBX_KIB)      /* one argument; Linux takes 128 KiB (execve(2)) */
#define LIMIT_CARRY_WINDOW (1UL * SBX_MIB)  /* of a stream in frames that may be under way */
#define LIMIT_DRAIN_MS 200                  /* a background holder of our pipes delays us so long */
#define LIMIT_SETUP_MS 30000                /* a sandbox that is not up by then never will be */
#define LIMIT_LOG_LINE 4096                 /* PIPE_BUF: a pipe takes a line whole */
#define LIMIT_TMP_BYTES (256UL * SBX_MIB)   /* private /tmp and HOME */
#define LIMIT_TMP_INODES 65536
#define LIMIT_SHM_BYTES (64UL * SBX_MIB)

#endif
