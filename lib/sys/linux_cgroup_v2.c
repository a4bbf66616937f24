/*
 * cgroup v2 (Documentation/admin-guide/cgroup-v2.rst): one new group, either below our own one or
 * beside it. A group with processes cannot hand controllers to children ("no internal processes";
 * only the root is free of it), so below works for the root, and for a group in which we are alone:
 * we move into a leaf of it and back when all is over. Beside works where the parent is writable;
 * the limits of our own group are then set on the new one too, because a sandboxed command must not
 * get more than its caller has. Must not move other processes, nor change a parent.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fd.h"
#include "linux_cgroup_priv.h"
#include "path_os.h"

#define V2_PAGE_SLACK 65535 /* memory.max is cut to pages, of 64 KiB at most */
#define V2_LEAF_PROCS CGROUP_LEAF "/cgroup.procs"
#define V2_LEAF_PASSES 200 /* 5 milliseconds each, until a dying process has left it */
#define V2_COUNTED (CGROUP_BIT(CGROUP_MEMORY) | CGROUP_BIT(CGROUP_PIDS)) /* for the result */

static const char v2_no_delegation[] =
    "not delegated to us: systemd-run --user --scope -p Delegate=yes COMMAND";
static const char v2_shared[] =
    "other processes share our group, and the one above is not ours: start sbx alone in a group";
static const char v2_swap[] =
    "swap cannot be limited here, and the machine swaps: swapoff, or a kernel with memcg swap";

static const char *const v2_names[CGROUP_CONTROLLERS] = {
	[CGROUP_MEMORY] = "memory",
	[CGROUP_PIDS] = "pids",
	[CGROUP_CPU] = "cpu",
};

/* cgroup.controllers or cgroup.subtree_control as bits: names parted by spaces. */
static unsigned v2_read_controllers(int dir_fd, const char *file)
{
	char text[CGROUP_TEXT_MAX];
	ssize_t len = fd_read_small(dir_fd, file, text, sizeof text);
	unsigned bits = 0;
	for (ssize_t i = 0; i < len; i++)
		if (text[i] == ' ' || text[i] == '\n')
			text[i] = ',';
	for (int c = 0; c < CGROUP_CONTROLLERS && len > 0; c++)
		if (v2_names[c] && mountinfo_has_word(text, v2_names[c]))
			bits |= CGROUP_BIT(c);
	return bits;
}

/* sign '+' or '-'; one by one, so that one that is refused does not keep the others away. Raw. */
static int v2_switch_controllers(int dir_fd, char sign, unsigned bits)
{
	int rc = 0;
	for (int c = 0; c < CGROUP_CONTROLLERS; c++) {
		char word[16];
		if (!(bits & CGROUP_BIT(c)) || !v2_names[c])
			continue;
		(void)snprintf(word, sizeof word, "%c%s", sign, v2_names[c]);
		int one_rc = fd_write_small(dir_fd, "cgroup.subtree_control", word);
		rc = rc ? rc : one_rc;
	}
	return rc;
}

/* We are alone in our group: make room by moving into a leaf. -errno: all is as it was. */
static int v2_move_to_leaf(int own_fd, unsigned offered)
{
	if (mkdirat(own_fd, CGROUP_LEAF, 0755) < 0 && errno != EEXIST)
		return -errno;
	int rc = fd_write_small(own_fd, V2_LEAF_PROCS, "0");
	if (rc == 0)
		rc = v2_switch_controllers(own_fd, '+', offered);
	if (rc == 0 || v2_read_controllers(own_fd, "cgroup.subtree_control"))
		return 0;
	(void)fd_write_small(own_fd, "cgroup.procs", "0");
	(void)unlinkat(own_fd, CGROUP_LEAF, AT_REMOVEDIR);
	return rc;
}

static void v2_group_visit(int parent_fd, const char *name, pid_t owner, uint64_t born_us,
    void *arg)
{
	(void)parent_fd;
	(void)name;
	(void)owner;
	(void)born_us;
	*(bool *)arg = true;
}

static bool v2_has_runs(int parent_fd)
{
	bool is_in_use = false;
	return cgroup_each_group(parent_fd, v2_group_visit, &is_in_use) < 0 || is_in_use;
}

static int v2_switch_off_and_leave(int parent_fd)
{
	unsigned bits = v2_read_controllers(parent_fd, "cgroup.subtree_control");
	int rc = v2_switch_controllers(parent_fd, '-', bits);
	return rc < 0 ? rc : fd_write_small(parent_fd, "cgroup.procs", "0");
}

/*
 * Switching a controller off would lift the limits of every group below, so this waits until no run
 * has a group here and nobody else (another runner, a guardian) lives in the leaf. Without it
 * nobody could enter the group again.
 */
void cgroup_v2_leave_leaf(int parent_fd)
{
	if (!cgroup_file_only_self(parent_fd, V2_LEAF_PROCS) || v2_has_runs(parent_fd))
		return;
	if (v2_switch_off_and_leave(parent_fd) == 0)
		(void)unlinkat(parent_fd, CGROUP_LEAF, AT_REMOVEDIR);
}

/*
 * A runner that was killed closes its descriptors, which is how we know, before it leaves its
 * group. It makes no new run, so what else is in the leaf (itself, guardians of its other runs)
 * needs no controller any more.
 */
void cgroup_v2_abandon_leaf(int parent_fd)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	bool has_other;
	if (!cgroup_file_has_self(parent_fd, V2_LEAF_PROCS, &has_other) || v2_has_runs(parent_fd) ||
	    v2_switch_off_and_leave(parent_fd) < 0)
		return;
	for (int i = 0; i < V2_LEAF_PASSES; i++) {
		if (unlinkat(parent_fd, CGROUP_LEAF, AT_REMOVEDIR) == 0 || errno != EBUSY)
			return;
		(void)nanosleep(&pause, NULL);
	}
}

/* The true root of the hierarchy. "/" may be that of a cgroup namespace, not free of the rule. */
static bool v2_is_root(int dir_fd)
{
	return !cgroup_file_exists(dir_fd, "cgroup.events");
}

static bool v2_is_writable(int dir_fd, const char *file)
{
	return path_os_may(dir_fd, file, W_OK);
}

/* The root always has room; only what is missing is switched on, and nothing off again. */
static int v2_enable_in_root(int root_fd, unsigned wanted)
{
	unsigned enabled = v2_read_controllers(root_fd, "cgroup.subtree_control");
	int rc = v2_switch_controllers(root_fd, '+', wanted & ~enabled);
	return v2_read_controllers(root_fd, "cgroup.subtree_control") & wanted ? 0 : rc;
}

/* The folder to make the group in (the caller closes it), or -errno. */
static int v2_find_place(int own_fd, bool has_parent, unsigned asked, unsigned offered,
    bool *is_beside)
{
	int rc = -EBUSY;
	*is_beside = false;
	if (v2_is_root(own_fd))
		rc = v2_enable_in_root(own_fd, offered & (asked | V2_COUNTED));
	else if (cgroup_file_only_self(own_fd, "cgroup.procs"))
		rc = v2_move_to_leaf(own_fd, offered);
	else if (!v2_is_writable(own_fd, "cgroup.subtree_control"))
		rc = -errno;
	if (rc == 0)
		return fcntl(own_fd, F_DUPFD_CLOEXEC, 3);
	int parent_fd = has_parent ? cgroup_open_checked(own_fd, "..") : -1;
	/* a move from our group to one beside it needs the right to write the parent's processes */
	*is_beside = parent_fd >= 0 && v2_is_writable(parent_fd, "cgroup.procs");
	if (!*is_beside) {
		fd_close(&parent_fd);
		return rc;
	}
	return parent_fd;
}

/* "50000 100000" or "max 100000"; 0: no limit. */
static uint64_t v2_read_cpus_milli(int dir_fd)
{
	char text[64];
	const char *s = text;
	uint64_t quota_us, period_us;
	if (fd_read_small(dir_fd, "cpu.max", text, sizeof text) < 0 ||
	    !cgroup_parse_number(&s, &quota_us) || *s++ != ' ' ||
	    !cgroup_parse_number(&s, &period_us) || period_us == 0)
		return 0;
	return quota_us * 1000 / period_us;
}

static uint64_t lower_limit(uint64_t a, uint64_t b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

/* What our own group may have at most, for a group that is not below it. */
static void v2_inherit_limits(int own_fd, struct cgroup_limits *limits)
{
	uint64_t value;
	if (cgroup_file_get(own_fd, "memory.max", &value) == 0 && value != UINT64_MAX)
		limits->memory_bytes = lower_limit(limits->memory_bytes, value);
	if (cgroup_file_get(own_fd, "pids.max", &value) == 0 && value != UINT64_MAX)
		limits->pids = lower_limit(limits->pids, value);
	limits->cpus_milli = lower_limit(limits->cpus_milli, v2_read_cpus_milli(own_fd));
}

static int v2_set_memory(int dir_fd, uint64_t bytes)
{
	int rc = cgroup_file_set(dir_fd, "memory.max", bytes, V2_PAGE_SLACK);
	if (rc < 0)
		return rc;
	/* since 4.19; half a tree is of no use after an OOM kill */
	(void)fd_write_small(dir_fd, "memory.oom.group", "1");
	rc = cgroup_file_set(dir_fd, "memory.swap.max", 0, 0);
	if (rc == -ENOENT)
		return cgroup_machine_swaps() ? -EOPNOTSUPP : 0;
	return rc;
}

static int v2_set_cpu(int dir_fd, uint64_t cpus_milli)
{
	char text[64], now[64];
	uint64_t period_us;
	uint64_t quota_us = cgroup_cpu_quota_us(cpus_milli, &period_us);
	(void)snprintf(text, sizeof text, "%llu %llu\n", (unsigned long long)quota_us,
	    (unsigned long long)period_us);
	int rc = fd_write_small(dir_fd, "cpu.max", text);
	if (rc < 0)
		return rc;
	ssize_t len = fd_read_small(dir_fd, "cpu.max", now, sizeof now);
	if (len < 0)
		return (int)len;
	return strcmp(text, now) == 0 ? 0 : -ERANGE;
}

static const char *v2_why(int errnum)
{
	if (errnum == EACCES || errnum == EPERM)
		return v2_no_delegation;
	return errnum == EBUSY ? v2_shared : NULL;
}

static void v2_miss(struct cgroup *g, unsigned controllers, int errnum)
{
	for (int c = 0; c < CGROUP_CONTROLLERS; c++)
		if (controllers & CGROUP_BIT(c))
			cgroup_miss(g, c, errnum, v2_why(errnum));
}

/* limits are at least what was asked for; asked and offered are controllers. */
static void v2_set_limits(struct cgroup *g, const struct cgroup_limits *limits, unsigned asked,
    unsigned offered)
{
	int dir_fd = g->dir_fd[0];
	unsigned settable = cgroup_asked(limits) & offered;

	if (settable & CGROUP_BIT(CGROUP_MEMORY)) {
		int rc = v2_set_memory(dir_fd, limits->memory_bytes);
		cgroup_settle(g, CGROUP_MEMORY, rc, asked & CGROUP_BIT(CGROUP_MEMORY));
		if (g->why_errno[CGROUP_MEMORY] == EOPNOTSUPP)
			cgroup_miss(g, CGROUP_MEMORY, EOPNOTSUPP, v2_swap);
	}
	if (settable & CGROUP_BIT(CGROUP_PIDS)) {
		uint64_t most = cgroup_clamp_pids(limits->pids);
		int rc = cgroup_file_set(dir_fd, "pids.max", most, 0);
		cgroup_settle(g, CGROUP_PIDS, rc, asked & CGROUP_BIT(CGROUP_PIDS));
	}
	if (settable & CGROUP_BIT(CGROUP_CPU)) {
		int rc = v2_set_cpu(dir_fd, limits->cpus_milli);
		cgroup_settle(g, CGROUP_CPU, rc, asked & CGROUP_BIT(CGROUP_CPU));
	}
}

/* own_fd: our own group. */
static void v2_create_near(struct cgroup *g, int own_fd, bool has_parent,
    const struct cgroup_limits *limits)
{
	unsigned asked = cgroup_asked(limits);
	unsigned offered = v2_read_controllers(own_fd, "cgroup.controllers");
	v2_miss(g, asked & ~offered, v2_is_root(own_fd) ? ENODEV : EACCES);
	if (!(offered & asked))
		return;
	bool is_beside;
	int place_fd = v2_find_place(own_fd, has_parent, asked, offered, &is_beside);
	int rc = place_fd < 0 ? place_fd : cgroup_add_dir(g, place_fd, "cgroup.procs");
	if (rc < 0) {
		v2_miss(g, asked & offered, -rc);
		return;
	}
	struct cgroup_limits wanted = *limits;
	if (is_beside)
		v2_inherit_limits(own_fd, &wanted);
	for (int c = 0; c < CGROUP_CONTROLLERS; c++)
		g->dir_of[c] = c == CGROUP_FREEZER || offered & CGROUP_BIT(c) ? 0 : -1;
	g->is_kept[CGROUP_FREEZER] = true;
	v2_set_limits(g, &wanted, asked, offered);
}

void cgroup_v2_create(struct cgroup *g, const struct cgroup_map *map,
    const struct cgroup_limits *limits)
{
	const struct cgroup_hierarchy *h = cgroup_map_find(map, CGROUP_UNIFIED);
	int own_fd = h ? cgroup_open_own(h) : -ENOENT;
	g->version = 2;
	if (own_fd < 0)
		v2_miss(g, cgroup_asked(limits), -own_fd);
	else
		v2_create_near(g, own_fd, h->below_mount[0] != '\0', limits);
	fd_close(&own_fd);
}
