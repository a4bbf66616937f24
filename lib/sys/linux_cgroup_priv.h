/*
 * Inside linux_cgroup*.c only: where the caller's own groups are (find), small cgroup files (file),
 * and what the two versions do to a new group (v1, v2). Functions that say "raw" run in a guardian
 * or in a child that shares memory: descriptors only, no allocation, no path from "/".
 */
#ifndef SBX_SYS_LINUX_CGROUP_PRIV_H
#define SBX_SYS_LINUX_CGROUP_PRIV_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"
#include "../base/err.h"
#include "../base/limits.h"
#include "linux_cgroup.h"
#include "linux_mountinfo.h"

/* What a hierarchy can be for: the controllers of linux_cgroup.h and two that limit nothing. */
enum { CGROUP_CPUACCT = CGROUP_CONTROLLERS, CGROUP_UNIFIED, CGROUP_ROLES };
#define CGROUP_BIT(role) (1U << (role))

/* Interface files that are read whole hold some hundred bytes; lists of processes are streamed. */
#define CGROUP_TEXT_MAX 4096
/* Where we move ourselves so that our own v2 group may have children with controllers. */
#define CGROUP_LEAF "sbx-self"

/* find: one line of /proc/self/cgroup that is of use here, with the mount that shows it. */
struct cgroup_hierarchy {
	unsigned roles;	      /* CGROUP_BIT(...)s; CGROUP_UNIFIED alone: the v2 one */
	const char *own_path; /* as in /proc/self/cgroup */
	bool has_mount;
	struct mountinfo_entry mount;
	const char *below_mount; /* own_path as seen from the mount: "" or "/a/b" */
};

struct cgroup_map {
	size_t count;
	struct cgroup_hierarchy hierarchies[CGROUP_ROLES];
	char self_text[LIMIT_SMALL_FILE];
	struct buf mounts;
};

/* 0, or -1: /proc cannot be read, or no memory. cgroup_map_fini in either case. */
int cgroup_map_load(struct cgroup_map *map, struct err *e);
/* The second half of it: /proc/self/cgroup is in self_text, mountinfo in mounts; cuts both up. */
void cgroup_map_parse(struct cgroup_map *map);
void cgroup_map_fini(struct cgroup_map *map);
/* NULL: this machine has no such hierarchy. */
const struct cgroup_hierarchy *cgroup_map_find(const struct cgroup_map *map, int role);
/* Our own group: an O_PATH folder, really a cgroup's, or -errno (ENOENT: no mount shows it). */
int cgroup_open_own(const struct cgroup_hierarchy *h);
int cgroup_open_checked(int dir_fd, const char *path); /* the same for any folder below dir_fd */

/* file: all raw, 0 or -errno where they return int. "max" reads as UINT64_MAX. */
int cgroup_file_get(int dir_fd, const char *name, uint64_t *value);
/* From a file of "key value" lines; -ENOENT also when the key is not there. */
int cgroup_file_get_key(int dir_fd, const char *name, const char *key, uint64_t *value);
/*
 * Write a number and read it back; -ERANGE when something else is in force. Up to slack less is
 * accepted: memory limits are cut to pages.
 */
int cgroup_file_set(int dir_fd, const char *name, uint64_t value, uint64_t slack);
bool cgroup_file_exists(int dir_fd, const char *name);
/* Each process of cgroup.procs in name; 0 for one that this pid namespace does not show. */
int cgroup_file_each_pid(int dir_fd, const char *name, void (*visit)(pid_t pid, void *arg),
    void *arg);
bool cgroup_file_has_self(int dir_fd, const char *name, bool *has_other);
bool cgroup_file_only_self(int dir_fd, const char *name); /* the calling process and no other */
bool cgroup_parse_number(const char **text, uint64_t *value); /* *text moves behind the digits */

/*
 * create: shared by the versions.
 * Make g->name below parent_fd (taken, also on failure) as the next folder of g, with join_file
 * open for the child to write "0" to. Its index or -errno. Sweeps left-over groups first.
 */
int cgroup_add_dir(struct cgroup *g, int parent_fd, const char *join_file);
int cgroup_dir_fd(const struct cgroup *g, int controller); /* where a controller lives, or -1 */
/* Why a limit is not kept: text NULL takes what errnum says. */
void cgroup_miss(struct cgroup *g, int controller, int errnum, const char *text);
/* Settle a limit that was set with result rc (0 or -errno): kept if it was asked for, or why. */
void cgroup_settle(struct cgroup *g, int controller, int rc, bool is_asked);
unsigned cgroup_asked(const struct cgroup_limits *limits); /* CGROUP_BIT()s of those not 0 */
/* Groups named like ours: owner, and clock_now_us() at birth. Raw; 0 or -errno. */
int cgroup_each_group(int parent_fd,
    void (*visit)(int parent_fd, const char *name, pid_t owner, uint64_t born_us, void *arg),
    void *arg);
bool cgroup_machine_swaps(void);
uint64_t cgroup_clamp_pids(uint64_t pids); /* pids.max refuses what a kernel cannot have */
uint64_t cgroup_cpu_quota_us(uint64_t cpus_milli, uint64_t *period_us);

/* v1 and v2: make the folders and set the limits; what is not kept says why in g. */
void cgroup_v1_create(struct cgroup *g, const struct cgroup_map *map,
    const struct cgroup_limits *limits);
void cgroup_v2_create(struct cgroup *g, const struct cgroup_map *map,
    const struct cgroup_limits *limits);
/* Undo the move to CGROUP_LEAF when nobody needs it any more. Raw. */
void cgroup_v2_leave_leaf(int parent_fd);
/* The same by one whose runner is gone, though it may be on its way out there still. Raw. */
void cgroup_v2_abandon_leaf(int parent_fd);

#endif
