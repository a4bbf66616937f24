/*
 * What a run may do: one plain struct, filled by the option table and the policy file, checked
 * once, then read only. Pure data: nothing here touches the system except to read the named files.
 */
#ifndef SBX_POLICY_POLICY_H
#define SBX_POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../base/err.h"
#include "../base/opt.h"
#include "../base/str.h"
#include "layers.h"

enum mount_kind {
	MOUNT_RO,    /* src at its own path, read-only */
	MOUNT_RW,    /* src at its own path, read-write */
	MOUNT_BIND,  /* src at dst, is_read_only or not */
	MOUNT_TMPFS, /* empty, size_bytes, at dst */
	MOUNT_HIDE,  /* dst cannot be seen or read; applied after every other kind */
};

struct policy_mount {
	enum mount_kind kind;
	bool is_read_only;
	char *src;           /* owned; NULL for tmpfs and hide */
	/*
	 * Owned, never NULL. For bind and tmpfs policy_check() wants it absolute and without "..";
	 * for ro, rw (where it equals src) and hide it may be relative to the current folder.
	 */
	char *dst;
	uint64_t size_bytes; /* tmpfs; 0: default */
};

enum net_mode { NET_NONE, NET_LOOPBACK, NET_HOST };
enum env_mode { ENV_SCRUB, ENV_ALLOW, ENV_CLEAR, ENV_INHERIT };
enum stdin_mode { STDIN_UNSET, STDIN_INHERIT, STDIN_NULL, STDIN_FILE };

/* First member of every option target (struct run_options, …): the rows below store into it. */
struct policy {
	char *backend; /* as given: auto, native, ns, …; NULL: auto */
	char *root;      /* project root; NULL: the current folder */
	char *cwd;       /* working directory inside the root; NULL: the root */
	bool is_root_explicit; /* --root was given */
	struct policy_mount *mounts;
	size_t mount_count;
	enum net_mode net;
	bool is_net_set;
	char *image;            /* containers: name or digest; NULL: the environment's */
	char *pull;             /* containers: never, missing or always; NULL: never */
	bool is_root_read_only; /* containers: --root-ro */
	uint64_t timeout_ms;    /* 0: none */
	bool is_timeout_set, is_memory_set, is_pids_set, is_cpus_set; /* 0 is then a wish */
	uint64_t kill_grace_ms; /* default 2000 */
	uint64_t cpu_time_ms;   /* 0: none; whole seconds in RLIMIT_CPU, exact by sampling */
	uint64_t memory_bytes;  /* 0: none */
	uint64_t pids;          /* 0: none */
	uint64_t cpus_milli;    /* thousandths of a processor; 0: none */
	uint64_t fsize_bytes;
	bool is_fsize_set;      /* 0 is a legal limit */
	uint64_t nofile;
	bool is_nofile_set;
	bool want_rlimit_as;    /* --rlimit-as: the memory limit also as RLIMIT_AS */
	uint64_t max_output_bytes;
	bool is_max_output_set;
	bool kill_on_output;
	struct strv env_set;    /* NAME or NAME=VALUE, in order */
	struct strv env_files;
	struct strv env_unset;
	enum env_mode env_mode;
	bool is_env_mode_set;
	enum stdin_mode stdin_mode;
	char *stdin_path;       /* STDIN_FILE */
	bool want_tty;
	bool is_user_set;
	uid_t uid;
	gid_t gid;
	uint32_t require;       /* LAYER_BIT()s; command line and policy file add up */
	bool is_strict;
	bool is_best_effort;
	char *seccomp;          /* NULL: built in; "none"; else a file */
};

void policy_init(struct policy *p); /* the defaults */
void policy_fini(struct policy *p);

/*
 * The rows of the option table that fill this struct are POLICY_OPTIONS in policy_options.h, shared
 * by every applet that runs commands.
 */

/*
 * Read a policy file: a JSON object whose keys are the table's names with '-' as '_', plus the keys
 * of other products: sandbox_backend, memory_limit_mb (MiB, 0: none), max_output_bytes. Values:
 * strings as on the command line, numbers where the option takes a number, size (bytes) or duration
 * (seconds), booleans for flags, arrays (or one value) for repeatable options. Unknown key,
 * duplicate key, two keys for one field, wrong type, bad JSON: ERR_USAGE "FILE:LINE:COLUMN: …".
 * "$schema" and "comment" are accepted and ignored. A FIFO, a folder or a file over
 * LIMIT_POLICY_FILE is refused. Relative paths in it begin at the folder that it was named in, but
 * for cwd (at the root, as on a command line) and for a file that is a descriptor (/dev/stdin,
 * /dev/fd/3), which has no folder: at the current one.
 */
int policy_load_file(const struct opt_table *table, const char *path, void *target, struct err *e);
/* The same from memory (fuzz target, tests), paths as they are; where names it in messages. */
int policy_load_text(const struct opt_table *table, const char *text, size_t len, const char *where,
		     void *target, struct err *e);
/*
 * command line + file: parses argv once to find --policy (a char * at policy_path_offset), loads
 * the file into a fresh target (init/fini), then parses argv again on top: scalars of the command
 * line win, lists and require add; a second --policy is ERR_USAGE. target is initialised here and
 * is the caller's to fini(), also after a failure. Returns the index of the first operand or -1.
 */
int policy_parse_argv(const struct opt_table *table, int argc, char *const *argv,
		      size_t policy_path_offset, void *target, void (*init)(void *target),
		      void (*fini)(void *target), struct err *e);

/*
 * Contradictions that need no system: --strict with --best-effort, --tmpfs of "/", relative dst,
 * empty strings, limits that no kernel takes. ERR_USAGE.
 */
int policy_check(const struct policy *p, struct err *e);

#endif
