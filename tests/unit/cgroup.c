/*
 * Control groups for real, on whichever version this machine offers: each limit is hit by a child
 * in the group and not by the same child outside it, usage is read, everything is killed and
 * removed, and nothing is left behind. Where no group can be made (an ordinary user without
 * delegation) the reason is shown and the rest is skipped.
 */
#include "lib/sys/linux_cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/sys/clock.h"
#include "lib/sys/fd.h"
#include "lib/sys/linux_cgroup_priv.h"
#include "tap.h"

#define MIB (1024UL * 1024UL)
#define TEST_SECONDS_MAX 100

/* What a child does; its return value is its exit status. */
typedef int child_fn(uint64_t amount);

static int touch_memory(uint64_t amount)
{
	size_t bytes = (size_t)amount;
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return 1;
	memset(p, 'x', bytes);
	return p[bytes / 2] == 'x' ? 0 : 1;
}

static int fill_memfd(uint64_t bytes)
{
	static char chunk[65536];
	int fd = memfd_create("test", MFD_CLOEXEC);

	memset(chunk, 'x', sizeof chunk);
	for (uint64_t had = 0; had < bytes; had += sizeof chunk)
		if (write(fd, chunk, sizeof chunk) != (ssize_t)sizeof chunk)
			return 1;
	return 0;
}

static int count_forks(uint64_t most)
{
	int count = 0;

	while ((uint64_t)count < most) {
		pid_t pid = fork();
		if (pid < 0)
			break;
		if (pid == 0) {
			pause();
			_exit(0);
		}
		count++;
	}
	/* all of this process group but ourselves: the control runs outside of a group, where
	 * nobody else ends them */
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
	return count;
}

static uint64_t cpu_used_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static int spin(uint64_t cpu_ms)
{
	uint64_t until_us = cpu_used_us() + cpu_ms * 1000;

	while (cpu_used_us() < until_us)
		continue;
	return 0;
}

/* Run fn in a child with a process group of its own, in g (NULL: in none); its wait status. */
static int run_child(const struct cgroup *g, child_fn *fn, uint64_t amount)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		setpgid(0, 0);
		if (g && cgroup_join_self(g) < 0)
			_exit(99);
		_exit(fn(amount));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		BAIL("cannot run a child");
	return status;
}

static pid_t start_child(const struct cgroup *g, child_fn *fn, uint64_t amount)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) < 0 || (pid = fork()) < 0)
		BAIL("cannot start a child");
	if (pid == 0) {
		int rc = cgroup_join_self(g);
		if (write(ready[1], "", 1) != 1 || rc < 0)
			_exit(99);
		_exit(fn(amount));
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		BAIL("the child did not start");
	close(ready[0]);
	return pid;
}

static int remove_soon(const struct cgroup *g)
{
	int rc = -1;

	for (int i = 0; i < 200 && (rc = cgroup_remove(g)) == -EBUSY; i++)
		usleep(10000);
	return rc;
}

static int create(struct cgroup *g, uint64_t memory_bytes, uint64_t pids, uint64_t cpus_milli)
{
	struct cgroup_limits limits = { memory_bytes, pids, cpus_milli };
	struct err e = ERR_INIT;
	int rc = cgroup_create(g, &limits, &e);

	if (rc < 0)
		diag("%s", e.msg);
	return rc;
}

static void drop(struct cgroup *g)
{
	is_int(cgroup_kill(g), 0, "everything in the group is killed");
	is_int(remove_soon(g), 0, "the group is removed");
	cgroup_close(g);
}

static int count_fds(void)
{
	int count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void test_nothing_asked(void)
{
	struct cgroup g;
	struct cgroup_usage u;
	int before = count_fds();

	is_int(create(&g, 0, 0, 0), 0, "no limit asked for");
	is_int(g.version, 0, "no group is made");
	is_int(g.dir_count, 0, "in no hierarchy");
	is_int(count_fds(), before, "and no descriptor opened");
	is_int(cgroup_join_self(&g), 0, "to join nothing works");
	is_int(cgroup_kill(&g), 0, "to kill nothing works");
	is_int(cgroup_remove(&g), 0, "to remove nothing works");
	ok(cgroup_is_empty(&g), "nothing is empty");
	is_int(cgroup_read_usage(&g, &u), -1, "and has no usage");
	cgroup_close(&g);
}

static void test_descriptors(void)
{
	struct cgroup g;
	bool is_cloexec = true;
	int before = count_fds();

	create(&g, 64 * MIB, 64, 500);
	is_int(count_fds(), before + 3 * (int)g.dir_count, "three descriptors a hierarchy");
	for (size_t i = 0; i < g.dir_count; i++)
		is_cloexec = is_cloexec &&
		    (fcntl(g.parent_fd[i], F_GETFD) & fcntl(g.dir_fd[i], F_GETFD) &
			fcntl(g.procs_fd[i], F_GETFD) & FD_CLOEXEC);
	ok(is_cloexec, "which do not survive an exec");
	ok(strncmp(g.name, "sbx-", 4) == 0, "it is called %s", g.name);
	is_int(remove_soon(&g), 0, "it is removed");
	is_int(cgroup_remove(&g), 0, "to remove it again is no error");
	is_int(cgroup_join_self(&g), -ENODEV, "nobody can join a group that is gone");
	ok(cgroup_is_empty(&g), "it is empty");
	cgroup_close(&g);
	is_int(count_fds(), before, "all descriptors are closed");
	cgroup_close(&g);
}

static void test_memory_by(const char *name, child_fn *fn)
{
	struct cgroup g;
	struct cgroup_usage u;

	is_int(run_child(NULL, fn, 64 * MIB), 0, "%s: 64 MiB can be had outside the group", name);
	create(&g, 16 * MIB, 0, 0);
	ok(g.is_kept[CGROUP_MEMORY], "%s: a limit of 16 MiB is kept %s", name,
	    g.why[CGROUP_MEMORY]);
	ok(!g.is_kept[CGROUP_PIDS], "%s: one that was not asked for is not", name);
	int status = run_child(&g, fn, 64 * MIB);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "%s: 64 MiB are killed (status %#x)",
	    name, (unsigned)status);
	is_int(cgroup_read_usage(&g, &u), 0, "%s: usage can be read", name);
	ok(u.oom_kills >= 1, "%s: the kill is counted (%d)", name, (int)u.oom_kills);
	ok(!u.has_memory_peak ||
		(u.memory_peak_bytes > 12 * MIB && u.memory_peak_bytes <= 16 * MIB),
	    "%s: the peak is the limit (%llu)", name, (unsigned long long)u.memory_peak_bytes);
	drop(&g);
	create(&g, 128 * MIB, 0, 0);
	is_int(run_child(&g, fn, 64 * MIB), 0, "%s: a limit of 128 MiB lets 64 MiB through", name);
	is_int(cgroup_read_usage(&g, &u), 0, "%s: usage can be read", name);
	is_int(u.oom_kills, 0, "%s: no kill is counted", name);
	ok(!u.has_memory_peak || u.memory_peak_bytes >= 64 * MIB,
	    "%s: the peak is above 64 MiB (%llu)", name, (unsigned long long)u.memory_peak_bytes);
	drop(&g);
}

/* No machine that we test on swaps, so look at what was set. */
static void test_memory_swap(void)
{
	struct cgroup g;
	uint64_t value = 1;

	create(&g, 16 * MIB, 0, 0);
	int dir_fd = g.dir_fd[g.dir_of[CGROUP_MEMORY]];
	if (g.version == 1 && cgroup_file_get(dir_fd, "memory.memsw.limit_in_bytes", &value) == 0)
		is_int(value, 16 * MIB, "v1: memory and swap together have the limit");
	else if (g.version == 2 && cgroup_file_get(dir_fd, "memory.swap.max", &value) == 0)
		is_int(value, 0, "v2: there is no swap beside the limit");
	else
		ok(!cgroup_machine_swaps(), "no swap accounting: the machine must not swap");
	drop(&g);
}

static void test_memory_odd(void)
{
	struct cgroup g;

	create(&g, 16 * MIB + 1, 0, 0);
	ok(g.is_kept[CGROUP_MEMORY], "a limit that is no whole page is kept (cut to pages)");
	drop(&g);
	create(&g, UINT64_MAX, 0, 0);
	ok(!g.is_kept[CGROUP_MEMORY], "one beyond what the kernel can count is not");
	ok(g.why_errno[CGROUP_MEMORY] != 0 && g.why[CGROUP_MEMORY][0], "and says why: %s",
	    g.why[CGROUP_MEMORY]);
	is_int(g.version, 0, "no group is left for it");
	cgroup_close(&g);
}

static void test_pids(void)
{
	struct cgroup g;
	struct cgroup_usage u;

	is_int(WEXITSTATUS(run_child(NULL, count_forks, 10)), 10,
	    "pids: 10 forks work outside the group");
	create(&g, 0, 5, 0);
	ok(g.is_kept[CGROUP_PIDS], "pids: a limit of 5 is kept %s", g.why[CGROUP_PIDS]);
	is_int(WEXITSTATUS(run_child(&g, count_forks, 10)), 4, "pids: the child and 4 more");
	is_int(cgroup_read_usage(&g, &u), 0, "pids: usage can be read");
	ok(u.pids_max_hits >= 1, "pids: the refused fork is counted (%d)", (int)u.pids_max_hits);
	ok(!u.has_pids_peak || u.pids_peak == 5, "pids: the peak is 5 (%d)", (int)u.pids_peak);
	is_int(u.oom_kills, 0, "pids: nothing was killed for memory");
	drop(&g);
	create(&g, 0, UINT64_MAX, 0);
	ok(g.is_kept[CGROUP_PIDS], "pids: a limit above all that the kernel can have is kept %s",
	    g.why[CGROUP_PIDS]);
	drop(&g);
}

/* How long 60 ms of processor time take, in ms. */
static int spin_wall_ms(const struct cgroup *g)
{
	uint64_t start_ms = clock_now_ms();

	is_int(run_child(g, spin, 60), 0, "cpu: 60 ms are had %s", g ? "in the group" : "outside");
	return (int)(clock_now_ms() - start_ms);
}

static void test_cpu(void)
{
	struct cgroup g;
	struct cgroup_usage u;

	create(&g, 0, 0, 100);
	ok(g.is_kept[CGROUP_CPU], "cpu: a tenth of a processor is kept %s", g.why[CGROUP_CPU]);
	int limited_ms = spin_wall_ms(&g);
	ok(limited_ms >= 400, "cpu: they take half a second in the group (%d ms)", limited_ms);
	/* a busy machine may slow down the control too, but not each time */
	int free_ms = limited_ms;
	for (int i = 0; i < 30 && free_ms >= 400; i++)
		free_ms = spin_wall_ms(NULL);
	ok(free_ms < 400, "cpu: and less outside (%d ms)", free_ms);
	is_int(cgroup_read_usage(&g, &u), 0, "cpu: usage can be read");
	uint64_t used_us = u.cpu_user_us + u.cpu_system_us;
	ok(!u.has_cpu || (used_us > 50000 && used_us < 300000), "cpu: %llu us are counted",
	    (unsigned long long)used_us);
	drop(&g);
	create(&g, 0, 0, 1);
	ok(g.is_kept[CGROUP_CPU], "cpu: a thousandth of a processor is kept %s", g.why[CGROUP_CPU]);
	drop(&g);
}

static int __attribute__((noreturn)) sleep_tree(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			setsid();
			for (;;)
				pause();
		}
	}
	for (;;)
		pause();
}

/* A fork bomb, but for a while only: a fault in what is tested must not take the machine down. */
static int fork_as_much(uint64_t wall_ms)
{
	uint64_t until_ms = clock_now_ms() + wall_ms;

	while (clock_now_ms() < until_ms)
		(void)fork();
	return 0;
}

/* Wait for our own child; the rest of its tree belongs to pid 1. */
static int wait_killed(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void check_kill(struct cgroup *g, child_fn *fn, uint64_t amount, const char *what)
{
	pid_t pid = start_child(g, fn, amount);

	usleep(50000);
	ok(!cgroup_is_empty(g), "%s: the group is not empty", what);
	is_int(cgroup_remove(g), -EBUSY, "%s: it cannot be removed", what);
	is_int(cgroup_kill(g), 0, "%s: it can be killed", what);
	is_int(wait_killed(pid), SIGKILL, "%s: the first process is dead", what);
	is_int(remove_soon(g), 0, "%s: the group is removed", what);
	ok(cgroup_is_empty(g), "%s: no process is left in it", what);
	cgroup_close(g);
}

static void test_kill(void)
{
	struct cgroup g;

	create(&g, 0, 64, 0);
	check_kill(&g, sleep_tree, 20, "sleepers in sessions of their own");
	create(&g, 0, 32, 0);
	uint64_t most = 0;
	(void)cgroup_file_get(g.dir_fd[g.dir_of[CGROUP_PIDS]], "pids.max", &most);
	if (most != 32)
		BAIL("no fork bomb without a limit");
	check_kill(&g, fork_as_much, 3000, "a fork bomb");
	create(&g, 0, 32, 0);
	g.dir_of[CGROUP_FREEZER] = -1;
	check_kill(&g, sleep_tree, 20, "sleepers, without a freezer");
}

static pid_t fork_sleeper(void)
{
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	return pid;
}

static void end_sleeper(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool has_group(int parent_fd, const char *name)
{
	return faccessat(parent_fd, name, F_OK, 0) == 0;
}

/* Groups of runners that are gone, of ones that live, young ones, and one in use. */
static void test_sweep(void)
{
	struct cgroup first, second;
	char dead_old[64], dead_young[64], dead_ours[64], live[64], busy[64], procs[96];
	pid_t gone = fork_sleeper();

	end_sleeper(gone);
	pid_t companion = fork_sleeper(); /* not alone in our group: both go to the same place */
	pid_t sleeper = fork_sleeper();
	create(&first, 64 * MIB, 0, 0);
	int parent_fd = first.parent_fd[0];
	snprintf(dead_old, sizeof dead_old, "sbx-%d-1-0", (int)gone);
	snprintf(dead_young, sizeof dead_young, "sbx-%d-%llu-1", (int)gone,
	    (unsigned long long)clock_now_us());
	snprintf(dead_ours, sizeof dead_ours, "sbx-%d-%llu-%s", (int)gone,
	    (unsigned long long)clock_now_us(), strrchr(first.name, '-') + 1);
	snprintf(live, sizeof live, "sbx-%d-1-0", (int)getppid());
	snprintf(busy, sizeof busy, "sbx-%d-2-0", (int)gone);
	snprintf(procs, sizeof procs, "%s/cgroup.procs", busy);
	mkdirat(parent_fd, dead_old, 0755);
	mkdirat(parent_fd, dead_young, 0755);
	mkdirat(parent_fd, dead_ours, 0755);
	mkdirat(parent_fd, live, 0755);
	mkdirat(parent_fd, busy, 0755);
	char text[32];
	snprintf(text, sizeof text, "%d", (int)sleeper);
	is_int(fd_write_small(parent_fd, procs, text), 0, "a process is in one of the groups");

	bool can_be_old = clock_now_us() > 61000000;
	create(&second, 64 * MIB, 0, 0);
	if (can_be_old)
		ok(!has_group(parent_fd, dead_old),
		    "the empty group of a runner that is gone is swept");
	else
		skip("the machine is up for less than a minute, so no group can be older");
	ok(has_group(parent_fd, dead_young),
	    "a young one may belong to another pid namespace: kept");
	ok(!has_group(parent_fd, dead_ours), "one of our own pid namespace is swept at once");
	ok(has_group(parent_fd, live), "the group of a living process is kept");
	ok(has_group(parent_fd, busy), "a group in use is kept");
	ok(has_group(parent_fd, first.name), "our own other group is kept");
	drop(&second);

	end_sleeper(sleeper);
	end_sleeper(companion);
	for (int i = 0; i < 200 && unlinkat(parent_fd, busy, AT_REMOVEDIR) < 0; i++)
		usleep(10000);
	unlinkat(parent_fd, dead_old, AT_REMOVEDIR);
	unlinkat(parent_fd, dead_young, AT_REMOVEDIR);
	unlinkat(parent_fd, live, AT_REMOVEDIR);
	drop(&first);
}

#define CANNOT_TAKE_AWAY 77

/* In a child, since it cannot be undone: take rights or mounts away, then try to make a group. */
struct refusal {
	int version;
	int kept;
	int why_errno;
	char why[sizeof((struct cgroup *)NULL)->why[0]];
};

static struct refusal create_after(void (*take_away)(void))
{
	struct refusal r = { -1, -1, -1, "" };
	int out[2];

	if (pipe2(out, O_CLOEXEC) < 0)
		BAIL("no pipe");
	pid_t pid = fork();
	if (pid == 0) {
		struct cgroup g;
		take_away();
		if (create(&g, 64 * MIB, 64, 0) < 0)
			_exit(1);
		r.version = g.version;
		r.kept = g.is_kept[CGROUP_MEMORY] + g.is_kept[CGROUP_PIDS];
		r.why_errno = g.why_errno[CGROUP_MEMORY];
		memcpy(r.why, g.why[CGROUP_MEMORY], sizeof r.why);
		cgroup_remove(&g);
		cgroup_close(&g);
		_exit(write(out[1], &r, sizeof r) == (ssize_t)sizeof r ? 0 : 1);
	}
	close(out[1]);
	(void)!read(out[0], &r, sizeof r);
	close(out[0]);
	int status = 0;
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_TAKE_AWAY)
		snprintf(r.why, sizeof r.why, "rights or mounts cannot be taken away here");
	else if (r.kept < 0)
		BAIL("the child that makes a group died");
	return r;
}

static void become_nobody(void)
{
	if (syscall(SYS_setgroups, 0, NULL) < 0 || setresgid(65534, 65534, 65534) < 0 ||
	    setresuid(65534, 65534, 65534) < 0)
		_exit(CANNOT_TAKE_AWAY);
}

static char cgroup_points[32][256]; /* mount points, read before anything is taken away */
static size_t cgroup_point_count;

static void read_cgroup_points(void)
{
	struct buf b;
	struct mountinfo_entry m;
	size_t offset = 0;

	buf_init(&b, LIMIT_MOUNTINFO);
	if (mountinfo_load(&b, NULL) < 0)
		BAIL("no mountinfo");
	while (mountinfo_next(&b, &offset, &m) && cgroup_point_count < 32)
		if (str_starts_with(m.fs_type, "cgroup"))
			snprintf(cgroup_points[cgroup_point_count++], 256, "%s", m.mount_point);
	buf_fini(&b);
}

static void private_mounts(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		_exit(CANNOT_TAKE_AWAY);
}

static void make_read_only(void)
{
	private_mounts();
	for (size_t i = 0; i < cgroup_point_count; i++)
		if (mount(NULL, cgroup_points[i], NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) < 0)
			_exit(CANNOT_TAKE_AWAY);
}

static void unmount_all(void)
{
	private_mounts();
	for (size_t i = cgroup_point_count; i-- > 0;)
		if (umount2(cgroup_points[i], MNT_DETACH) < 0)
			_exit(CANNOT_TAKE_AWAY);
}

static void mount_over(void)
{
	private_mounts();
	for (size_t i = 0; i < cgroup_point_count; i++)
		if (mount("none", cgroup_points[i], "tmpfs", 0, NULL) < 0)
			_exit(CANNOT_TAKE_AWAY);
}

static void hide_proc(void)
{
	private_mounts();
	if (mount("none", "/proc", "tmpfs", 0, NULL) < 0)
		_exit(CANNOT_TAKE_AWAY);
}

static void test_refusals(void)
{
	static const struct {
		const char *name;
		void (*take_away)(void);
		int why_errno;
		const char *word;
	} cases[] = {
		{ "an ordinary user", become_nobody, EACCES, "" },
		{ "a read-only cgroup file system", make_read_only, EROFS, "read-only" },
		{ "no cgroup file system mounted", unmount_all, ENOENT, "mount" },
		{ "something mounted over it", mount_over, ENOENT, "mount" },
		{ "no /proc", hide_proc, ENOENT, "/proc/self/cgroup" },
	};

	if (geteuid() != 0) {
		skip("root is needed to take rights and mounts away");
		return;
	}
	read_cgroup_points();
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct refusal r = create_after(cases[i].take_away);
		if (r.kept < 0) {
			skip(r.why);
			continue;
		}
		is_int(r.kept, 0, "%s: nothing is kept", cases[i].name);
		is_int(r.version, 0, "%s: there is no group", cases[i].name);
		is_int(r.why_errno, cases[i].why_errno, "%s: the cause", cases[i].name);
		ok(strstr(r.why, cases[i].word) != NULL && r.why[0], "%s: %s", cases[i].name,
		    r.why);
	}
}

/*
 * A leaf that we moved into is given back only by its last inhabitant, and not while a run has a
 * group beside it. Needs no controller, so any writable v2 hierarchy will do.
 */
static char where_am_i(int parent_fd)
{
	char text[4096];
	bool is_inside = fd_read_small(AT_FDCWD, "/proc/self/cgroup", text, sizeof text) > 0 &&
	    strstr(text, "/" CGROUP_LEAF "\n");

	if (has_group(parent_fd, CGROUP_LEAF))
		return is_inside ? 'k' : 'x'; /* kept, or left but not removed */
	return 'g';                           /* gone */
}

static void leave_leaf_child(int parent_fd, int report_fd)
{
	char steps[4] = "";

	if (fd_write_small(parent_fd, CGROUP_LEAF "/cgroup.procs", "0") < 0)
		_exit(1);
	mkdirat(parent_fd, "sbx-1-1-0", 0755);
	cgroup_v2_leave_leaf(parent_fd);
	steps[0] = where_am_i(parent_fd);
	unlinkat(parent_fd, "sbx-1-1-0", AT_REMOVEDIR);
	pid_t other = fork_sleeper();
	cgroup_v2_leave_leaf(parent_fd);
	steps[1] = where_am_i(parent_fd);
	end_sleeper(other);
	cgroup_v2_leave_leaf(parent_fd);
	steps[2] = where_am_i(parent_fd);
	_exit(write(report_fd, steps, sizeof steps) == sizeof steps ? 0 : 1);
}

static void test_leave_leaf(void)
{
	struct cgroup_map *map = calloc(1, sizeof *map);
	int out[2];
	char steps[4] = "";
	char name[64];

	if (!map || cgroup_map_load(map, NULL) < 0 || pipe2(out, O_CLOEXEC) < 0)
		BAIL("no memory");
	const struct cgroup_hierarchy *h = cgroup_map_find(map, CGROUP_UNIFIED);
	int own_fd = h ? cgroup_open_own(h) : -ENOENT;
	snprintf(name, sizeof name, "sbxtest-%d", (int)getpid());
	if (own_fd < 0 || mkdirat(own_fd, name, 0755) < 0) {
		skip("no writable v2 hierarchy");
	} else {
		int parent_fd = openat(own_fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		mkdirat(parent_fd, CGROUP_LEAF, 0755);
		pid_t pid = fork();
		if (pid == 0)
			leave_leaf_child(parent_fd, out[1]);
		close(out[1]);
		(void)!read(out[0], steps, sizeof steps);
		waitpid(pid, NULL, 0);
		is_str(steps, "kkg",
		    "kept beside a group, kept with another process in it, gone after the last");
		for (int i = 0; i < 200 && unlinkat(own_fd, name, AT_REMOVEDIR) < 0; i++)
			usleep(10000);
		ok(!has_group(own_fd, name), "nothing is left of the test's own group");
		close(parent_fd);
	}
	fd_close(&own_fd);
	close(out[0]);
	cgroup_map_fini(map);
	free(map);
}

static void test_numbers(void)
{
	uint64_t period_us;

	is_int(cgroup_cpu_quota_us(1500, &period_us), 150000, "one and a half processors");
	is_int(period_us, 100000, "in a period of 100 ms");
	is_int(
	    cgroup_cpu_quota_us(1, &period_us), 1000, "a thousandth: not below the kernel's 1 ms");
	is_int(period_us, 1000000, "in a period of 1 s");
	ok(cgroup_cpu_quota_us(UINT64_MAX, &period_us) > 1000000, "no overflow");
	is_int(cgroup_clamp_pids(7), 7, "a small number of processes");
	ok(cgroup_clamp_pids(UINT64_MAX) <= 4194304,
	    "a huge one is cut to what the kernel can have");
}

static void test_file_keys(void)
{
	uint64_t value = 0;
	int dir_fd = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);

	is_int(cgroup_file_get_key(dir_fd, "io", "rchar:", &value), 0, "a key of a flat file");
	is_int(cgroup_file_get_key(dir_fd, "io", "rchar", &value), -ENOENT,
	    "only the whole word is the key");
	is_int(
	    cgroup_file_get_key(dir_fd, "io", "none", &value), -ENOENT, "a key that is not there");
	is_int(cgroup_file_get(dir_fd, "comm", &value), -EINVAL, "a word is no number");
	is_int(cgroup_file_get(dir_fd, "loginuid", &value), 0, "a number");
	is_int(cgroup_file_get(-1, "loginuid", &value), -EBADF, "no folder");
	close(dir_fd);
}

int main(void)
{
	struct cgroup g;
	struct err e = ERR_INIT;

	alarm(TEST_SECONDS_MAX); /* a process that is not killed must not hang the test for ever */
	test_numbers();
	test_file_keys();
	test_nothing_asked();
	is_int(cgroup_probe(&g, &e), 0, "the probe ends well %s", e.msg);
	is_int(g.dir_count, 0, "and keeps no group");
	for (int c = 0; c < CGROUP_FREEZER; c++)
		ok(g.is_kept[c] || (g.why_errno[c] && g.why[c][0]),
		    "controller %d: kept or a reason: %s", c, g.why[c]);
	diag("cgroup v%d: memory %d, pids %d, cpu %d", g.version, g.is_kept[CGROUP_MEMORY],
	    g.is_kept[CGROUP_PIDS], g.is_kept[CGROUP_CPU]);
	if (!g.is_kept[CGROUP_MEMORY] || !g.is_kept[CGROUP_PIDS] || !g.is_kept[CGROUP_CPU]) {
		char reason[200];
		int c = 0;
		while (g.is_kept[c])
			c++;
		snprintf(reason, sizeof reason, "control groups keep not all limits here: %s",
		    g.why[c]);
		skip(reason);
		return done_testing();
	}
	test_descriptors();
	test_memory_by("anonymous memory", touch_memory);
	test_memory_by("memfd", fill_memfd);
	test_memory_swap();
	test_memory_odd();
	test_pids();
	test_cpu();
	test_kill();
	test_sweep();
	test_leave_leaf();
	test_refusals();
	return done_testing();
}
