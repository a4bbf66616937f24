/*
 * The group that the calling process is in, as a container shows it: below /sys/fs/cgroup, with
 * nothing of it above the container's own. For reading only: what an engine said that it set is not
 * taken for set.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "fd.h"
#include "linux_cgroup_priv.h"

#define SELF_V2 "/sys/fs/cgroup"

static int self_open(struct cgroup *g, const char *path)
{
	int fd = cgroup_open_checked(AT_FDCWD, path);

	if (fd < 0)
		return -1;
	g->dir_fd[g->dir_count] = fd;
	return (int)g->dir_count++;
}

static void self_open_v1(struct cgroup *g)
{
	static const struct {
		const char *path;
		int controller; /* -1: only counts */
	} dirs[] = {
		{ SELF_V2 "/memory", CGROUP_MEMORY },
		{ SELF_V2 "/pids", CGROUP_PIDS },
		{ SELF_V2 "/cpu", CGROUP_CPU },
		{ SELF_V2 "/cpuacct", -1 },
	};

	for (size_t i = 0; i < sizeof dirs / sizeof dirs[0]; i++) {
		int dir = self_open(g, dirs[i].path);

		if (dir >= 0 && dirs[i].controller >= 0)
			g->dir_of[dirs[i].controller] = (int8_t)dir;
	}
	g->version = g->dir_count == 0 ? 0 : 1;
}

void cgroup_open_self(struct cgroup *g)
{
	int fd;

	cgroup_init(g);
	fd = cgroup_open_checked(AT_FDCWD, SELF_V2);
	if (fd >= 0 && cgroup_file_exists(fd, "cgroup.controllers")) {
		g->version = 2;
		g->dir_fd[0] = fd;
		g->dir_count = 1;
		for (int c = 0; c < CGROUP_CONTROLLERS; c++)
			g->dir_of[c] = 0;
		return;
	}
	if (fd >= 0)
		(void)close(fd);
	self_open_v1(g);
}

static bool self_keeps_memory(const struct cgroup *g, uint64_t most)
{
	int fd = cgroup_dir_fd(g, CGROUP_MEMORY);
	bool is_v2 = g->version == 2;
	uint64_t limit = 0, swap = 0;
	int rc;

	if (fd < 0 ||
	    cgroup_file_get(fd, is_v2 ? "memory.max" : "memory.limit_in_bytes", &limit) != 0 ||
	    limit > most)
		return false;
	rc = cgroup_file_get(fd, is_v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes", &swap);
	if (rc != 0) /* swap is not counted here */
		return !cgroup_machine_swaps();
	return swap <= (is_v2 ? 0 : most);
}

static bool self_keeps_cpu(const struct cgroup *g, uint64_t most_milli)
{
	int fd = cgroup_dir_fd(g, CGROUP_CPU);
	uint64_t quota = 0, period = 0;
	char text[64];
	const char *p = text;
	ssize_t n;

	if (fd < 0)
		return false;
	if (g->version == 1) {
		if (cgroup_file_get(fd, "cpu.cfs_quota_us", &quota) != 0 ||
		    cgroup_file_get(fd, "cpu.cfs_period_us", &period) != 0)
			return false;
		return quota * 1000 <= most_milli * period;
	}
	n = fd_read_small(fd, "cpu.max", text, sizeof text); /* "QUOTA PERIOD", or "max PERIOD" */
	if (n <= 0 || !cgroup_parse_number(&p, &quota) || *p++ != ' ' ||
	    !cgroup_parse_number(&p, &period))
		return false;
	return quota * 1000 <= most_milli * period;
}

void cgroup_check_limits(struct cgroup *g, const struct cgroup_limits *limits)
{
	uint64_t pids = 0;
	int fd = cgroup_dir_fd(g, CGROUP_PIDS);

	g->is_kept[CGROUP_MEMORY] =
	    limits->memory_bytes != 0 && self_keeps_memory(g, limits->memory_bytes);
	g->is_kept[CGROUP_PIDS] = limits->pids != 0 && fd >= 0 &&
				  cgroup_file_get(fd, "pids.max", &pids) == 0 &&
				  pids <= limits->pids;
	g->is_kept[CGROUP_CPU] = limits->cpus_milli != 0 && self_keeps_cpu(g, limits->cpus_milli);
}
