/*
 * cgroup v1 (Documentation/admin-guide/cgroup-v1): a new group below our own one in each hierarchy
 * that serves the run. Memory, processes and cpu time are counted whenever a group is made at all,
 * a limit is set only where one was asked. Must not touch our own group or its settings.
 */
#include <errno.h>
#include <unistd.h>

#include "fd.h"
#include "linux_cgroup_priv.h"

/* Wanted in every run that has a group: counts for the result, and the freezer for the kill. */
#define V1_ALWAYS                                                                                  \
	(CGROUP_BIT(CGROUP_MEMORY) | CGROUP_BIT(CGROUP_PIDS) | CGROUP_BIT(CGROUP_CPUACCT) |        \
	    CGROUP_BIT(CGROUP_FREEZER))
#define V1_PAGE_SLACK 65535 /* limits are cut to pages, of 64 KiB at most */

static const char v1_not_ours[] =
    "no write access to our group in the v1 hierarchy: have root make one that is ours";
static const char v1_no_mount[] =
    "no mount shows our own group in the v1 hierarchy: mount it, or bind it into the container";
static const char v1_swap[] =
    "swap is not counted here, and the machine swaps: boot with swapaccount=1 or swapoff";

/*
 * The group in one hierarchy, for every controller mounted there. Its index or -errno. A child
 * joins through "tasks", which moves one thread and so, since 5.5, waits for nobody else;
 * cgroup.procs waits for an RCU grace period of all processors (12 ms where 0.05 will do), and the
 * child has one thread only.
 */
static int v1_add_dir(struct cgroup *g, const struct cgroup_hierarchy *h)
{
	int own_fd = cgroup_open_own(h);
	int dir = own_fd < 0 ? own_fd : cgroup_add_dir(g, own_fd, "tasks");
	for (int c = 0; c < CGROUP_CONTROLLERS && dir >= 0; c++)
		if (h->roles & CGROUP_BIT(c))
			g->dir_of[c] = (int8_t)dir;
	return dir;
}

/* memory.memsw is memory and swap together; it may never be the lower one, so the order counts. */
static int v1_set_memory(int dir_fd, uint64_t bytes)
{
	int rc = cgroup_file_set(dir_fd, "memory.limit_in_bytes", bytes, V1_PAGE_SLACK);
	if (rc < 0)
		return rc;
	rc = cgroup_file_set(dir_fd, "memory.memsw.limit_in_bytes", bytes, V1_PAGE_SLACK);
	if (rc == -ENOENT) /* no swap accounting */
		return cgroup_machine_swaps() ? -EOPNOTSUPP : 0;
	return rc;
}

static int v1_set_cpu(int dir_fd, uint64_t cpus_milli)
{
	uint64_t period_us;
	uint64_t quota_us = cgroup_cpu_quota_us(cpus_milli, &period_us);
	int rc = cgroup_file_set(dir_fd, "cpu.cfs_period_us", period_us, 0);
	return rc < 0 ? rc : cgroup_file_set(dir_fd, "cpu.cfs_quota_us", quota_us, 0);
}

static const char *v1_why(int errnum)
{
	if (errnum == EACCES || errnum == EPERM)
		return v1_not_ours;
	return errnum == ENOENT ? v1_no_mount : NULL;
}

static void v1_set_limits(struct cgroup *g, const struct cgroup_limits *limits)
{
	int memory_fd = cgroup_dir_fd(g, CGROUP_MEMORY);
	int pids_fd = cgroup_dir_fd(g, CGROUP_PIDS);
	int cpu_fd = cgroup_dir_fd(g, CGROUP_CPU);

	if (limits->memory_bytes && memory_fd >= 0) {
		int rc = v1_set_memory(memory_fd, limits->memory_bytes);
		cgroup_settle(g, CGROUP_MEMORY, rc, true);
		if (g->why_errno[CGROUP_MEMORY] == EOPNOTSUPP)
			cgroup_miss(g, CGROUP_MEMORY, EOPNOTSUPP, v1_swap);
	}
	if (limits->pids && pids_fd >= 0) {
		uint64_t most = cgroup_clamp_pids(limits->pids);
		cgroup_settle(g, CGROUP_PIDS, cgroup_file_set(pids_fd, "pids.max", most, 0), true);
	}
	if (limits->cpus_milli && cpu_fd >= 0) {
		int rc = v1_set_cpu(cpu_fd, limits->cpus_milli);
		cgroup_settle(g, CGROUP_CPU, rc, true);
		if (rc == -EINVAL) /* v1 checks against the groups above */
			cgroup_miss(g, CGROUP_CPU, EINVAL,
			    "a group above ours has less processor time than that");
	}
}

void cgroup_v1_create(struct cgroup *g, const struct cgroup_map *map,
    const struct cgroup_limits *limits)
{
	unsigned asked = cgroup_asked(limits);
	unsigned needed = V1_ALWAYS | asked;

	g->version = 1;
	for (int c = 0; c < CGROUP_CONTROLLERS; c++)
		if (asked & CGROUP_BIT(c) && !cgroup_map_find(map, c))
			cgroup_miss(g, c, ENODEV, NULL);
	for (size_t i = 0; i < map->count; i++) {
		const struct cgroup_hierarchy *h = &map->hierarchies[i];
		int dir = h->roles & needed ? v1_add_dir(g, h) : 0;
		for (int c = 0; c < CGROUP_CONTROLLERS && dir < 0; c++)
			if (asked & h->roles & CGROUP_BIT(c))
				cgroup_miss(g, c, -dir, v1_why(-dir));
	}
	g->is_kept[CGROUP_FREEZER] = g->dir_of[CGROUP_FREEZER] >= 0;
	v1_set_limits(g, limits);
}
