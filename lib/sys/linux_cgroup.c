/*
 * The life of one run's control group: made with its limits, joined, killed, removed. The two
 * versions differ only in where folders are made and which files hold a limit (linux_cgroup_v1.c,
 * linux_cgroup_v2.c). After creation everything goes through descriptors: the guardian that cleans
 * up no longer sees the caller's paths.
 */
#include "linux_cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "fd.h"
#include "linux_cgroup_priv.h"

#define CGROUP_DIR_MODE 0755
#define CGROUP_KILL_PASSES 100 /* a millisecond each, until the killed are off the list */
/* A younger left-over may belong to a runner that is setting up (30 s), where its pid is not one of
 * our pid namespace. */
#define CGROUP_SWEEP_AGE_US 60000000UL

void cgroup_init(struct cgroup *g)
{
	memset(g, 0, sizeof *g);
	for (size_t i = 0; i < CGROUP_DIRS_MAX; i++)
		g->parent_fd[i] = g->dir_fd[i] = g->procs_fd[i] = -1;
	for (int c = 0; c < CGROUP_CONTROLLERS; c++)
		g->dir_of[c] = -1;
}

/* ---- what the two versions share ---- */

static const char *why_of(int errnum)
{
	switch (errnum) {
	case EROFS:
		return "the cgroup file system is mounted read-only: mount it read-write";
	case ENOENT:
		return "no mount shows our own group: mount -t cgroup2 none /sys/fs/cgroup";
	case ERANGE:
		return "the kernel did not take the limit as it was written";
	case ENODEV:
		return "this kernel has no such controller, or cgroup_disable= switched it off";
	default:
		return strerror(errnum);
	}
}

void cgroup_miss(struct cgroup *g, int controller, int errnum, const char *text)
{
	g->why_errno[controller] = errnum;
	if (!text)
		text = why_of(errnum);
	(void)snprintf(g->why[controller], sizeof g->why[controller], "%s", text);
}

void cgroup_settle(struct cgroup *g, int controller, int rc, bool is_asked)
{
	g->is_kept[controller] = is_asked && rc == 0;
	if (is_asked && rc < 0)
		cgroup_miss(g, controller, -rc, NULL);
}

unsigned cgroup_asked(const struct cgroup_limits *limits)
{
	return (limits->memory_bytes ? CGROUP_BIT(CGROUP_MEMORY) : 0) |
	    (limits->pids ? CGROUP_BIT(CGROUP_PIDS) : 0) |
	    (limits->cpus_milli ? CGROUP_BIT(CGROUP_CPU) : 0);
}

bool cgroup_machine_swaps(void)
{
	char text[CGROUP_TEXT_MAX];
	ssize_t len = fd_read_small(AT_FDCWD, "/proc/swaps", text, sizeof text);
	if (len == -ENOENT)
		return false; /* a kernel without swap */
	const char *head_end = len < 0 ? NULL : strchr(text, '\n');
	return !head_end || head_end[1] != '\0';
}

uint64_t cgroup_clamp_pids(uint64_t pids)
{
	const uint64_t max = sizeof(long) > 4 ? 4194304 : 32768; /* PID_MAX_LIMIT */
	return pids < max ? pids : max;
}

uint64_t cgroup_cpu_quota_us(uint64_t cpus_milli, uint64_t *period_us)
{
	const uint64_t most = 1000000000; /* a million processors: no overflow below */
	if (cpus_milli > most)
		cpus_milli = most;
	/* the kernel wants a quota of 1 ms at least and a period of 1 s at most */
	*period_us = cpus_milli < 10 ? 1000000 : 100000;
	return cpus_milli * *period_us / 1000;
}

static void group_close_dir(struct cgroup *g, size_t i)
{
	fd_close(&g->procs_fd[i]);
	fd_close(&g->dir_fd[i]);
	fd_close(&g->parent_fd[i]);
}

int cgroup_dir_fd(const struct cgroup *g, int controller)
{
	return g->dir_of[controller] >= 0 ? g->dir_fd[g->dir_of[controller]] : -1;
}

/* The pid namespace in which our pid is one; 0: unknown. */
static uint64_t own_pid_ns(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? (uint64_t)st.st_ino : 0;
}

/* "sbx-PID-SEQ-NS", where SEQ is clock_now_us() at birth and NS is own_pid_ns() of the runner. */
static bool parse_group_name(const char *name, uint64_t *owner, uint64_t *born_us)
{
	uint64_t ns;

	if (strncmp(name, "sbx-", 4) != 0)
		return false;
	name += 4;
	return cgroup_parse_number(&name, owner) && *owner > 0 && *owner <= INT_MAX &&
	    *name++ == '-' && cgroup_parse_number(&name, born_us) && *name++ == '-' &&
	    cgroup_parse_number(&name, &ns) && *name == '\0';
}

static bool is_of_our_pids(const char *name)
{
	const char *tail = strrchr(name, '-') + 1;
	uint64_t ns = 0;

	return cgroup_parse_number(&tail, &ns) && ns != 0 && ns == own_pid_ns();
}

int cgroup_each_group(int parent_fd,
    void (*visit)(int parent_fd, const char *name, pid_t owner, uint64_t born_us, void *arg),
    void *arg)
{
	union {
		struct { /* linux_dirent64 of getdents64(2) */
			uint64_t ino;
			int64_t off;
			unsigned short reclen;
			unsigned char type;
			char name[1];
		} head;
		char bytes[CGROUP_TEXT_MAX];
	} text, *entry;
	int fd = openat(parent_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	long n;
	while ((n = syscall(SYS_getdents64, fd, &text, sizeof text)) > 0) {
		for (long at = 0; at < n; at += entry->head.reclen) {
			entry = (void *)(text.bytes + at);
			uint64_t owner, born_us;
			if (parse_group_name(entry->head.name, &owner, &born_us))
				visit(parent_fd, entry->head.name, (pid_t)owner, born_us, arg);
		}
	}
	int rc = n < 0 ? -errno : 0;
	fd_close(&fd);
	return rc;
}

static void sweep_visit(int parent_fd, const char *name, pid_t owner, uint64_t born_us, void *arg)
{
	uint64_t now_us = *(const uint64_t *)arg;
	if (kill(owner, 0) < 0 && errno == ESRCH &&
	    (is_of_our_pids(name) ||
		(born_us < now_us && now_us - born_us > CGROUP_SWEEP_AGE_US)))
		(void)unlinkat(parent_fd, name, AT_REMOVEDIR); /* EBUSY keeps one that is in use */
}

int cgroup_add_dir(struct cgroup *g, int parent_fd, const char *join_file)
{
	size_t i = g->dir_count;
	uint64_t now_us = clock_now_us();
	(void)cgroup_each_group(parent_fd, sweep_visit, &now_us);
	if (mkdirat(parent_fd, g->name, CGROUP_DIR_MODE) < 0) {
		int rc = -errno;
		fd_close(&parent_fd);
		return rc;
	}
	g->dir_count++;
	g->parent_fd[i] = parent_fd;
	g->dir_fd[i] = openat(parent_fd, g->name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (g->dir_fd[i] >= 0)
		g->procs_fd[i] = openat(g->dir_fd[i], join_file, O_WRONLY | O_CLOEXEC);
	if (g->procs_fd[i] >= 0)
		return (int)i;
	int rc = -errno;
	(void)unlinkat(parent_fd, g->name, AT_REMOVEDIR);
	group_close_dir(g, --g->dir_count);
	return rc;
}

/* ---- the life of a group ---- */

static void create_by_version(struct cgroup *g, const struct cgroup_limits *limits, unsigned asked,
    struct err *e)
{
	struct cgroup_map map;
	if (cgroup_map_load(&map, e) == 0) {
		unsigned on_v1 = 0;
		for (int c = 0; c < CGROUP_CONTROLLERS; c++)
			if (cgroup_map_find(&map, c))
				on_v1 |= CGROUP_BIT(c);
		/* a controller serves one version at a time; /proc/self/cgroup names those of v1 */
		if (on_v1 & asked)
			cgroup_v1_create(g, &map, limits);
		else
			cgroup_v2_create(g, &map, limits);
	}
	cgroup_map_fini(&map);
}

int cgroup_create(struct cgroup *g, const struct cgroup_limits *limits, struct err *e)
{
	cgroup_init(g);
	unsigned asked = cgroup_asked(limits);
	if (!asked)
		return 0;
	(void)snprintf(g->name, sizeof g->name, "sbx-%d-%" PRIu64 "-%" PRIu64, (int)getpid(),
	    clock_now_us(), own_pid_ns());
	struct err find_error = ERR_INIT;
	create_by_version(g, limits, asked, &find_error);
	if (find_error.kind == ERR_NOMEM) {
		if (e)
			*e = find_error;
		return -1;
	}
	bool is_any_kept = false;
	for (int c = 0; c < CGROUP_CONTROLLERS; c++) {
		if (asked & CGROUP_BIT(c) && !g->is_kept[c] && !g->why_errno[c])
			cgroup_miss(g, c, ENOENT, find_error.kind ? find_error.msg : NULL);
		is_any_kept |= asked & CGROUP_BIT(c) && g->is_kept[c];
	}
	if (!is_any_kept) { /* a group that keeps nothing is only a thing to clean up */
		(void)cgroup_remove(g);
		cgroup_close(g);
		g->is_kept[CGROUP_FREEZER] = false;
	}
	return 0;
}

int cgroup_probe(struct cgroup *g, struct err *e)
{
	const struct cgroup_limits harmless = {
		.memory_bytes = 256 * SBX_MIB, .pids = 256, .cpus_milli = 100
	};
	if (cgroup_create(g, &harmless, e) < 0)
		return -1;
	int version = g->version;
	(void)cgroup_remove(g);
	cgroup_close(g);
	g->version = version;
	return 0;
}

int cgroup_join_self(const struct cgroup *g)
{
	for (size_t i = 0; i < g->dir_count; i++) {
		ssize_t n;
		do
			n = write(g->procs_fd[i], "0", 1);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return -errno;
	}
	return 0;
}

struct kill_pass {
	pid_t self;
	unsigned count;
};

static void kill_visit(pid_t pid, void *arg)
{
	struct kill_pass *pass = arg;
	if (pid <= 0 || pid == pass->self)
		return; /* 0: of another pid namespace */
	if (kill(pid, SIGKILL) == 0)
		pass->count++;
}

/*
 * One after the other: frozen, so that none forks meanwhile; a frozen process of v1 dies when it is
 * thawed. Again until none is listed, since freezing takes effect later than it is written, and
 * without a freezer forks race us.
 */
static int kill_one_by_one(const struct cgroup *g, size_t dir)
{
	int freezer_fd = cgroup_dir_fd(g, CGROUP_FREEZER);
	bool is_v1 = freezer_fd >= 0 && cgroup_file_exists(freezer_fd, "freezer.state");
	const char *file = is_v1 ? "freezer.state" : "cgroup.freeze";
	const struct timespec pause = { .tv_nsec = 1000000 };

	for (int i = 0; i < CGROUP_KILL_PASSES; i++) {
		struct kill_pass pass = { .self = getpid() };
		if (freezer_fd >= 0)
			(void)fd_write_small(freezer_fd, file, is_v1 ? "FROZEN" : "1");
		int rc = cgroup_file_each_pid(g->dir_fd[dir], "cgroup.procs", kill_visit, &pass);
		if (freezer_fd >= 0)
			(void)fd_write_small(freezer_fd, file, is_v1 ? "THAWED" : "0");
		if (rc < 0 || pass.count == 0)
			return rc;
		(void)nanosleep(&pause, NULL);
	}
	return -EBUSY;
}

int cgroup_kill(const struct cgroup *g)
{
	int freezer_fd = cgroup_dir_fd(g, CGROUP_FREEZER);
	if (freezer_fd >= 0 && fd_write_small(freezer_fd, "cgroup.kill", "1") == 0)
		return 0;
	int rc = 0;
	/* a child that failed half-way to join is in the first folders only */
	for (size_t i = 0; i < g->dir_count; i++) {
		int dir_rc = kill_one_by_one(g, i);
		rc = rc ? rc : dir_rc;
	}
	return rc;
}

static void count_visit(pid_t pid, void *arg)
{
	(void)pid;
	++*(unsigned *)arg;
}

bool cgroup_is_empty(const struct cgroup *g)
{
	for (size_t i = 0; i < g->dir_count; i++) {
		unsigned count = 0;
		int rc = cgroup_file_each_pid(g->dir_fd[i], "cgroup.procs", count_visit, &count);
		bool is_gone = rc == -ENOENT || rc == -ENODEV; /* removed already */
		if (count || (rc < 0 && !is_gone))
			return false;
	}
	return true;
}

int cgroup_remove(const struct cgroup *g)
{
	int rc = 0;
	for (size_t i = 0; i < g->dir_count; i++)
		if (unlinkat(g->parent_fd[i], g->name, AT_REMOVEDIR) < 0 && errno != ENOENT)
			rc = -errno;
	if (rc == 0 && g->version == 2)
		cgroup_v2_leave_leaf(g->parent_fd[0]);
	return rc;
}

void cgroup_abandon(const struct cgroup *g)
{
	if (g->version == 2 && g->dir_count)
		cgroup_v2_abandon_leaf(g->parent_fd[0]);
}

void cgroup_close(struct cgroup *g)
{
	/* the last of us in the leaf gives it back, be it runner or guardian */
	if (g->version == 2 && g->dir_count)
		cgroup_v2_leave_leaf(g->parent_fd[0]);
	for (size_t i = 0; i < g->dir_count; i++)
		group_close_dir(g, i);
	g->dir_count = 0;
	g->version = 0;
}
