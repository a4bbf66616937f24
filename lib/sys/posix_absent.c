/*
 * Elsewhere than on Linux: what only its kernel has, answered as by a Linux kernel that was built
 * without it. So plans, guardian and reports need no case of their own: a limit that nothing keeps
 * is refused, a layer that is not there is told as missing.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "linux_cgroup.h"
#include "linux_landlock.h"
#include "linux_mount.h"
#include "linux_ns.h"
#include "linux_seccomp.h"

/* ---- control groups ---- */

void cgroup_init(struct cgroup *g)
{
	memset(g, 0, sizeof *g);
	for (int i = 0; i < CGROUP_DIRS_MAX; i++)
		g->parent_fd[i] = g->dir_fd[i] = g->procs_fd[i] = -1;
	memset(g->dir_of, -1, sizeof g->dir_of);
}

int cgroup_create(struct cgroup *g, const struct cgroup_limits *limits, struct err *e)
{
	(void)limits, (void)e;
	cgroup_init(g);
	for (int i = 0; i < CGROUP_CONTROLLERS; i++) {
		g->why_errno[i] = ENOSYS;
		(void)snprintf(
		    g->why[i], sizeof g->why[i], "this system has no control groups");
	}
	return 0;
}

int cgroup_probe(struct cgroup *g, struct err *e)
{
	return cgroup_create(g, NULL, e);
}

int cgroup_join_self(const struct cgroup *g)
{
	(void)g;
	return -ENOSYS;
}

int cgroup_read_usage(const struct cgroup *g, struct cgroup_usage *u)
{
	(void)g;
	memset(u, 0, sizeof *u);
	return -1;
}

int cgroup_kill(const struct cgroup *g)
{
	(void)g;
	return -ENOSYS;
}

int cgroup_remove(const struct cgroup *g)
{
	(void)g;
	return 0;
}

void cgroup_abandon(const struct cgroup *g)
{
	(void)g;
}

void cgroup_close(struct cgroup *g)
{
	(void)g;
}

/* ---- Landlock ---- */

int landlock_abi(int *errno_out)
{
	*errno_out = ENOSYS;
	return 0;
}

unsigned landlock_supported(int abi, unsigned want)
{
	(void)abi, (void)want;
	return 0;
}

int landlock_create(int abi, unsigned want)
{
	(void)abi, (void)want;
	return -ENOSYS;
}

int landlock_allow_fd(int ruleset_fd, int abi, int path_fd, enum landlock_access access)
{
	(void)ruleset_fd, (void)abi, (void)path_fd, (void)access;
	return -ENOSYS;
}

int landlock_allow_path(int ruleset_fd, int abi, const char *path, enum landlock_access access,
    bool is_optional)
{
	(void)ruleset_fd, (void)abi, (void)path, (void)access, (void)is_optional;
	return -ENOSYS;
}

int landlock_restrict(int ruleset_fd)
{
	(void)ruleset_fd;
	return -ENOSYS;
}

/* ---- filters, capabilities, mounts ---- */

int seccomp_install(const struct sock_fprog *prog)
{
	(void)prog;
	return -ENOSYS;
}

int seccomp_available(void)
{
	return -ENOSYS;
}

int ns_drop_capabilities(void)
{
	return -ENOSYS;
}

int ns_clear_capabilities(int keep)
{
	(void)keep;
	return -ENOSYS;
}

void mount_source_close(struct mount_source *s)
{
	s->fd = -1;
}
