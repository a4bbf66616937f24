/*
 * Control groups for one run (cgroups(7), Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst):
 * find a place where a child group can be made, set limits and read them back, let the command
 * join, read peaks and events, kill, remove. v2 where a delegated or writable group has the
 * controllers, else the v1 hierarchies that are writable; a controller whose limit did not read
 * back as written counts as missing. Nothing is created when nothing is asked for.
 */
#ifndef SBX_SYS_LINUX_CGROUP_H
#define SBX_SYS_LINUX_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../base/err.h"

enum cgroup_controller {
	CGROUP_MEMORY,
	CGROUP_PIDS,
	CGROUP_CPU,
	CGROUP_FREEZER,
	CGROUP_CONTROLLERS
};

struct cgroup_limits {         /* 0: not limited */
	uint64_t memory_bytes; /* memory and swap together */
	uint64_t pids;
	uint64_t cpus_milli; /* thousandths of one processor */
};

#define CGROUP_DIRS_MAX 6
#define CGROUP_NAME_MAX 64

struct cgroup {
	int version;                    /* 0: none, 1 or 2 */
	char name[CGROUP_NAME_MAX];     /* "sbx-PID-SEQ-NS": of the new group below each parent */
	size_t dir_count;               /* v2: 1; v1: one a hierarchy that is used */
	int parent_fd[CGROUP_DIRS_MAX]; /* O_PATH folders, O_CLOEXEC; kept to remove the group by
					   name */
	int dir_fd[CGROUP_DIRS_MAX];
	int procs_fd[CGROUP_DIRS_MAX]; /* cgroup.procs opened for writing, O_CLOEXEC: a child writes
					  "0" to join */
	/* where a controller lives: index into the arrays, or -1 */
	int8_t dir_of[CGROUP_CONTROLLERS];
	bool is_kept[CGROUP_CONTROLLERS];  /* the limit was asked for, written and read back */
	int why_errno[CGROUP_CONTROLLERS]; /* why not: */
	char why[CGROUP_CONTROLLERS][96];  /* "not delegated", ... one line with the remedy */
};

struct cgroup_usage {
	bool has_memory_peak, has_pids_peak, has_cpu;
	uint64_t memory_peak_bytes;
	uint64_t pids_peak;
	uint64_t oom_kills;     /* processes killed by the group's own limit */
	uint64_t pids_max_hits; /* forks refused by pids.max */
	uint64_t cpu_user_us, cpu_system_us;
};

void cgroup_init(struct cgroup *g); /* no group, every fd -1 */
/*
 * Make a group with these limits. Which controllers were kept is in g->is_kept; not keeping one is
 * no error of this function (the caller decides). Returns 0; -1 only for what should never happen
 * (memory). First removes empty left-over groups of runners that are gone (name says whose).
 */
int cgroup_create(struct cgroup *g, const struct cgroup_limits *limits, struct err *e);
/* In the child, before it drops rights: move the calling process in. Raw, no allocation. 0 or
 * -errno. */
int cgroup_join_self(const struct cgroup *g);
int cgroup_read_usage(
    const struct cgroup *g, struct cgroup_usage *u); /* 0 or -1: nothing could be read */
/* Kill everything in the group (cgroup.kill, else freeze + SIGKILL each + thaw). 0 or -errno. Raw.
 */
int cgroup_kill(const struct cgroup *g);
/* True when no process is left in it. */
bool cgroup_is_empty(const struct cgroup *g);
/* Remove the folders; 0, or -EBUSY while processes (or zombies being torn down) are in it. Raw;
 * safe in the guardian. */
int cgroup_remove(const struct cgroup *g);
/* By a guardian whose runner is gone, after cgroup_remove(): gives back what the runner has changed
 * in its own group, for which it is too late to do so itself. Raw. */
void cgroup_abandon(const struct cgroup *g);
void cgroup_close(struct cgroup *g); /* closes descriptors only */

/*
 * The group that we are in ourselves, where a container shows it at /sys/fs/cgroup; version 0:
 * nothing is shown. To be read only (cgroup_read_usage), and closed.
 */
void cgroup_open_self(struct cgroup *g);
/* Which of these limits, or tighter ones, are really in force there: g->is_kept. */
void cgroup_check_limits(struct cgroup *g, const struct cgroup_limits *limits);

/* For the probe: what could be kept here, by trying with limits that do not hurt; reasons in
 * g->why. */
int cgroup_probe(struct cgroup *g, struct err *e);

#endif
