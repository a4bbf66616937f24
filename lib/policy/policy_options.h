/*
 * The rows of the option table that fill struct policy, shared by every applet that runs commands:
 *   static const struct opt opts[] = { POLICY_OPTIONS, { …own rows… } };
 * Needs struct policy as the first member of the target. Rows of an applet's own may not repeat a
 * name from here. Two rows that mean one field (an alias) have the same offset: a policy file may
 * give only one of them.
 */
#ifndef SBX_POLICY_POLICY_OPTIONS_H
#define SBX_POLICY_POLICY_OPTIONS_H

#include "policy.h"

/* opt.flags, beside those of opt.h: an OPT_FUNC that takes a JSON number in a policy file too. */
#define POLICY_OPT_NUMBER (1U << 15)
/* A path, or begins with one: what policy_option_is_relative() may be true of. */
#define POLICY_OPT_PATH (1U << 14)

/* For OPT_FUNC; target begins with a struct policy. ERR_USAGE, without the option's name. */
int policy_option_ro(void *target, const char *value, struct err *e);
int policy_option_rw(void *target, const char *value, struct err *e);
int policy_option_bind(void *target, const char *value, struct err *e);  /* SRC:DST[:ro] */
int policy_option_tmpfs(void *target, const char *value, struct err *e); /* PATH[:SIZE] */
int policy_option_hide(void *target, const char *value, struct err *e);
int policy_option_net(void *target, const char *value, struct err *e);
int policy_option_cpus(void *target, const char *value, struct err *e); /* 0.5 */
int policy_option_memory_mib(void *target, const char *value, struct err *e);
int policy_option_env_mode(void *target, const char *value, struct err *e);
int policy_option_stdin(void *target, const char *value, struct err *e);
int policy_option_user(void *target, const char *value, struct err *e); /* UID[:GID] */
int policy_option_require(void *target, const char *value, struct err *e);

/* Does value begin with a path that depends on where one is? No: a word such as "none", too. */
bool policy_option_is_relative(const struct opt *opt, const char *value);

#define POLICY_AT(member) .offset = offsetof(struct policy, member)
#define POLICY_SET(member) .set_offset = offsetof(struct policy, member)
#define POLICY_OPTIONS										\
	{ .name = "backend", .letter = 'b', .type = OPT_STRING, POLICY_AT(backend), .arg = "NAME",\
	  .help = "auto, native, landlock, namespace (ns), bubblewrap (bwrap), sandbox_exec "	\
		  "(seatbelt), podman, docker or container; one that is named and not usable "	\
		  "is an error",								\
	  .dflt = "auto", .group = "Isolation" },						\
	{ .name = "require", .type = OPT_FUNC, POLICY_AT(require), .arg = "LAYER,...",		\
	  .flags = OPT_REPEATS, .parse = policy_option_require,					\
	  .help = "refuse to run (125) when one of these layers is missing" },			\
	{ .name = "strict", .type = OPT_FLAG, POLICY_AT(is_strict),				\
	  .help = "refuse to run (125) when any layer is missing" },				\
	{ .name = "best-effort", .type = OPT_FLAG, POLICY_AT(is_best_effort),			\
	  .help = "run also when a limit or layer that was asked for is not fully kept, and say "\
		  "which" },									\
	{ .name = "seccomp", .type = OPT_STRING, POLICY_AT(seccomp), .arg = "FILE|none",	\
	  .flags = POLICY_OPT_PATH,								\
	  .help = "an own list of system calls instead of the built-in filter, or no filter" },	\
	{ .name = "user", .type = OPT_FUNC, POLICY_AT(uid), .arg = "UID[:GID]",			\
	  .flags = POLICY_OPT_NUMBER, .parse = policy_option_user,				\
	  .help = "numbers to run as: native changes to them (root only), namespace shows them "\
		  "inside; GID is UID where it is left out" },					\
	{ .name = "image", .type = OPT_STRING, POLICY_AT(image), .arg = "NAME",			\
	  .help = "containers: the image, by name or digest",					\
	  .dflt = "SBX_IMAGE" },								\
	{ .name = "pull", .type = OPT_STRING, POLICY_AT(pull), .arg = "never|missing|always",	\
	  .help = "containers: whether the engine may fetch the image", .dflt = "never" },	\
	{ .name = "root", .type = OPT_STRING, POLICY_AT(root), POLICY_SET(is_root_explicit),	\
	  .flags = POLICY_OPT_PATH,								\
	  .arg = "DIR", .help = "project root, the writable folder",				\
	  .dflt = "the current folder", .group = "Files" },					\
	{ .name = "root-ro", .type = OPT_FLAG, POLICY_AT(is_root_read_only),			\
	  .help = "containers: the project root, shown at /workspace, cannot be written" },	\
	{ .name = "cwd", .letter = 'C', .type = OPT_STRING, POLICY_AT(cwd), .arg = "DIR",	\
	  .help = "working directory, inside the project root", .dflt = "the root" },		\
	{ .name = "ro", .type = OPT_FUNC, POLICY_AT(mounts), .arg = "PATH",			\
	  .flags = OPT_REPEATS | POLICY_OPT_PATH, .parse = policy_option_ro,			\
	  .help = "show PATH at its own place, read-only" },					\
	{ .name = "rw", .type = OPT_FUNC, POLICY_AT(mounts), .arg = "PATH",			\
	  .flags = OPT_REPEATS | POLICY_OPT_PATH, .parse = policy_option_rw,			\
	  .help = "show PATH at its own place, writable" },					\
	{ .name = "bind", .type = OPT_FUNC, POLICY_AT(mounts), .arg = "SRC:DST[:ro]",		\
	  .flags = OPT_REPEATS | POLICY_OPT_PATH, .parse = policy_option_bind,			\
	  .help = "show SRC as DST, writable unless it ends in :ro" },				\
	{ .name = "tmpfs", .type = OPT_FUNC, POLICY_AT(mounts), .arg = "PATH[:SIZE]",		\
	  .flags = OPT_REPEATS, .parse = policy_option_tmpfs,					\
	  .help = "an empty private folder at PATH, of 256m unless SIZE is given" },		\
	{ .name = "hide", .type = OPT_FUNC, POLICY_AT(mounts), .arg = "PATH",			\
	  .flags = OPT_REPEATS | POLICY_OPT_PATH, .parse = policy_option_hide,			\
	  .help = "PATH can neither be seen nor read; wins over everything above" },		\
	{ .name = "net", .type = OPT_FUNC, POLICY_AT(net), POLICY_SET(is_net_set),		\
	  .arg = "none|loopback|host", .parse = policy_option_net,				\
	  .help = "network: none at all, 127.0.0.1 of its own, or the machine's",		\
	  .dflt = "none", .group = "Network" },							\
	{ .name = "timeout", .letter = 't', .type = OPT_DURATION, POLICY_AT(timeout_ms),	\
	  POLICY_SET(is_timeout_set),								\
	  .arg = "DUR", .dflt = "none", .group = "Limits",					\
	  .help = "wall-clock limit: 500ms, 30s, 2m, 1h, a plain number is seconds, 0 is none; "\
		  "then SIGTERM" },								\
	{ .name = "kill-grace", .type = OPT_DURATION, POLICY_AT(kill_grace_ms), .arg = "DUR",	\
	  .help = "time between SIGTERM and SIGKILL", .dflt = "2s" },				\
	{ .name = "cpu-time", .type = OPT_DURATION, POLICY_AT(cpu_time_ms), .arg = "DUR",	\
	  .help = "processor time of the whole sandbox, 0 is none", .dflt = "none" },		\
	{ .name = "cpus", .type = OPT_FUNC, POLICY_AT(cpus_milli), .arg = "N",			\
	  POLICY_SET(is_cpus_set),								\
	  .flags = POLICY_OPT_NUMBER, .parse = policy_option_cpus, .dflt = "none",		\
	  .help = "share of the processors, such as 0.5 or 2, up to three decimals, 0 is none" },\
	{ .name = "memory", .letter = 'm', .type = OPT_SIZE, POLICY_AT(memory_bytes),		\
	  POLICY_SET(is_memory_set), .arg = "SIZE", .dflt = "none",				\
	  .help = "memory of the whole sandbox: 512m, 1.5g, a plain number is bytes, 0 is none" },\
	{ .name = "rlimit-as", .type = OPT_FLAG, POLICY_AT(want_rlimit_as),			\
	  .help = "the memory limit also as RLIMIT_AS of each process; breaks node, Java, Go and "\
		  "wasm" },									\
	{ .name = "pids", .type = OPT_U64, POLICY_AT(pids), .arg = "N",				\
	  POLICY_SET(is_pids_set),								\
	  .help = "processes and threads of the whole sandbox, 0 is none", .dflt = "none" },	\
	{ .name = "fsize", .type = OPT_SIZE, POLICY_AT(fsize_bytes), POLICY_SET(is_fsize_set),	\
	  .arg = "SIZE", .help = "largest file that a process may write", .dflt = "none" },	\
	{ .name = "nofile", .type = OPT_U64, POLICY_AT(nofile), POLICY_SET(is_nofile_set),	\
	  .arg = "N", .help = "open descriptors of a process", .dflt = "the caller's" },	\
	{ .name = "max-output", .letter = 'o', .type = OPT_SIZE, POLICY_AT(max_output_bytes),	\
	  POLICY_SET(is_max_output_set), .arg = "SIZE",						\
	  .help = "stdout and stderr together, at most 1g; what is more is dropped and counted: "\
		  "with --json from the middle, else from the end",				\
	  .dflt = "1m with --json, else unlimited", .group = "Input and output" },		\
	{ .name = "kill-on-output", .type = OPT_FLAG, POLICY_AT(kill_on_output),		\
	  .help = "end the command when it passes --max-output" },				\
	{ .name = "stdin", .type = OPT_FUNC, POLICY_AT(stdin_mode), .arg = "inherit|null|FILE",	\
	  .flags = POLICY_OPT_PATH,								\
	  .parse = policy_option_stdin, .help = "what the command reads",			\
	  .dflt = "inherit; null with --json" },						\
	{ .name = "env", .type = OPT_LIST, POLICY_AT(env_set), .arg = "NAME[=VALUE]",		\
	  .flags = OPT_REPEATS, .group = "Environment",						\
	  .help = "set a variable, or pass the caller's; no rule drops it (for a secret use NAME "\
		  "alone)" },									\
	{ .name = "env-file", .type = OPT_LIST, POLICY_AT(env_files), .arg = "FILE",		\
	  .flags = OPT_REPEATS | POLICY_OPT_PATH,						\
	  .help = "NAME=VALUE lines, # comments; --env wins over them" },			\
	{ .name = "unset-env", .type = OPT_LIST, POLICY_AT(env_unset), .arg = "NAME",		\
	  .flags = OPT_REPEATS, .help = "drop a variable, whatever else is said about it" },	\
	{ .name = "env-mode", .type = OPT_FUNC, POLICY_AT(env_mode),				\
	  POLICY_SET(is_env_mode_set),								\
	  .arg = "scrub|allow|clear|inherit", .parse = policy_option_env_mode,	\
	  .dflt = "scrub; allow in a container",						\
	  .help = "what passes of the caller's variables: all but secrets, code injection and "	\
		  "handles; a short list; nothing; everything" },				\
	/* Keys that other products' configurations use; values and meaning as above. */	\
	{ .name = "sandbox-backend", .type = OPT_STRING, POLICY_AT(backend), .arg = "NAME",	\
	  .flags = OPT_POLICY_ONLY | OPT_HIDDEN, .help = "backend" },				\
	{ .name = "memory-limit-mb", .type = OPT_FUNC, POLICY_AT(memory_bytes), .arg = "N",	\
	  POLICY_SET(is_memory_set),								\
	  .flags = OPT_POLICY_ONLY | OPT_HIDDEN | POLICY_OPT_NUMBER,				\
	  .parse = policy_option_memory_mib, .help = "memory in MiB, 0 is none" },		\
	{ .name = "max-output-bytes", .type = OPT_SIZE, POLICY_AT(max_output_bytes),		\
	  POLICY_SET(is_max_output_set), .arg = "SIZE", .flags = OPT_POLICY_ONLY | OPT_HIDDEN,	\
	  .help = "max-output" }

#endif
