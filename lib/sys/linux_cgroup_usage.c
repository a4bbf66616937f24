/*
 * What a group has used and which of its limits were hit, read before the group is removed.
 * A value that this kernel does not keep is left out (has_… false), never guessed.
 */
#include <string.h>

#include "linux_cgroup_priv.h"

/*
 * cpuacct limits nothing, so dir_of does not know it: the folder that has its files. The total is
 * exact; what is user and what is system is sampled by the timer tick, so it gives the shares only.
 */
static bool v1_read_cpu(const struct cgroup *g, struct cgroup_usage *u)
{
	for (size_t i = 0; i < g->dir_count; i++) {
		uint64_t total_ns, user_ns, system_ns;
		int fd = g->dir_fd[i];
		if (cgroup_file_get(fd, "cpuacct.usage", &total_ns) < 0 ||
		    cgroup_file_get(fd, "cpuacct.usage_user", &user_ns) < 0 ||
		    cgroup_file_get(fd, "cpuacct.usage_sys", &system_ns) < 0)
			continue;
		uint64_t sampled_us = (user_ns + system_ns + 999) / 1000;
		uint64_t user_permille = sampled_us ? user_ns / sampled_us : 1000;
		u->cpu_user_us = total_ns / 1000 * user_permille / 1000;
		u->cpu_system_us = total_ns / 1000 - u->cpu_user_us;
		return true;
	}
	return false;
}

static void v1_read(const struct cgroup *g, int memory_fd, struct cgroup_usage *u)
{
	u->has_memory_peak =
	    cgroup_file_get(memory_fd, "memory.max_usage_in_bytes", &u->memory_peak_bytes) == 0;
	(void)cgroup_file_get_key(memory_fd, "memory.oom_control", "oom_kill", &u->oom_kills);
	u->has_cpu = v1_read_cpu(g, u);
}

/* memory.peak came with 5.19, pids.peak with 6.1; cpu.stat needs no cpu controller. */
static void v2_read(const struct cgroup *g, int memory_fd, struct cgroup_usage *u)
{
	u->has_memory_peak = cgroup_file_get(memory_fd, "memory.peak", &u->memory_peak_bytes) == 0;
	(void)cgroup_file_get_key(memory_fd, "memory.events", "oom_kill", &u->oom_kills);
	u->has_cpu =
	    cgroup_file_get_key(g->dir_fd[0], "cpu.stat", "user_usec", &u->cpu_user_us) == 0 &&
	    cgroup_file_get_key(g->dir_fd[0], "cpu.stat", "system_usec", &u->cpu_system_us) == 0;
}

int cgroup_read_usage(const struct cgroup *g, struct cgroup_usage *u)
{
	memset(u, 0, sizeof *u);
	if (g->dir_count == 0)
		return -1;
	int memory_fd = cgroup_dir_fd(g, CGROUP_MEMORY);
	int pids_fd = cgroup_dir_fd(g, CGROUP_PIDS);
	if (g->version == 1)
		v1_read(g, memory_fd, u);
	else
		v2_read(g, memory_fd, u);
	u->has_pids_peak = cgroup_file_get(pids_fd, "pids.peak", &u->pids_peak) == 0;
	(void)cgroup_file_get_key(pids_fd, "pids.events", "max", &u->pids_max_hits);
	return u->has_memory_peak || u->has_pids_peak || u->has_cpu ? 0 : -1;
}
