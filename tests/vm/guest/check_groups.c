/*
 * Where the control group of a run is made: delegated to an ordinary user or not, alone or beside
 * others, with controllers that are there but not switched on, or not there. What is set is read
 * from outside while the command runs, and afterwards nothing of it is left.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"
#include "tap.h"

#define DELEGATED GROUPS "/delegated"
#define SESSION GROUPS "/session"
#define HALF GROUPS "/half"

static struct run r;

/* The first folder of a run ("sbx-PID-…") below a group; "" where there is none. */
static const char *find_group(const char *parent, char *path, size_t size)
{
	DIR *d = opendir(parent);

	path[0] = '\0';
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
		if (strncmp(e->d_name, "sbx-", 4) == 0 && e->d_name[4] >= '0' &&
		    e->d_name[4] <= '9')
			(void)snprintf(path, size, "%s/%.60s", parent, e->d_name);
	if (d != NULL)
		(void)closedir(d);
	return path;
}

static void is_file(const char *dir, const char *name, const char *want, const char *what)
{
	char path[256], got[128];

	(void)snprintf(path, sizeof path, "%s/%s", dir, name);
	is_str(file_get(path, got, sizeof got), want, "%s: %s", what, name);
}

static void nothing_left(const char *parent, const char *what)
{
	char path[256];

	is_str(find_group(parent, path, sizeof path), "", "%s: the group is gone", what);
}

/* While it runs: the numbers in the files, and the command in the group. */
static void check_values(const struct who *who, const char *parent, const char *what)
{
	const struct timespec pause = { 0, 10000000 };
	char dir[200], path[256], procs[64] = "";

	RUN_START(&r, who, BIN_RUN, "-m", "32m", "--pids", "20", "--cpus", "0.5", "--", BIN_GUEST,
	    "sleep", "30");
	for (int i = 0; i < 1000 && procs[0] == '\0'; i++) {
		(void)nanosleep(&pause, NULL);
		(void)snprintf(path, sizeof path, "%s/cgroup.procs",
		    find_group(parent, dir, sizeof dir));
		(void)file_get(path, procs, sizeof procs);
	}
	ok(procs[0] != '\0', "%s: the command is in a group below %s", what, parent);
	is_file(dir, "memory.max", "33554432", what);
	is_file(dir, "memory.swap.max", "0", what);
	is_file(dir, "memory.oom.group", "1", what);
	is_file(dir, "pids.max", "20", what);
	is_file(dir, "cpu.max", "50000 100000", what);
	(void)kill(r.pid, SIGTERM);
	run_finish(&r);
	nothing_left(parent, what);
}

static void make_group(const char *path, uid_t owner)
{
	static const char *const files[] = { "cgroup.procs", "cgroup.subtree_control",
		"cgroup.threads" };
	char file[256];

	if (mkdir(path, 0755) != 0)
		BAIL("mkdir %s: %s", path, strerror(errno));
	if (owner == 0)
		return;
	(void)chown(path, owner, owner);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		(void)snprintf(file, sizeof file, "%s/%s", path, files[i]);
		(void)chown(file, owner, owner);
	}
}

/*
 * A killed runner closes its descriptors before it leaves its group, so its guardian may still see
 * somebody in there (here: for long): the group must be of use again all the same.
 */
static void check_killed_runner(void)
{
	struct who who = user;
	pid_t neighbour;
	char c;

	who.group = DELEGATED;
	RUN_START(&r, &who, BIN_RUN, "--pids", "60", "--", BIN_GUEST, "tree", "2");
	ok(read(r.out_fd, &c, 1) == 1, "killed runner: its command runs");
	is_file(DELEGATED, "cgroup.subtree_control", "cpu memory pids", "killed runner, control");
	neighbour = start_neighbour(DELEGATED "/sbx-self");
	(void)kill(r.pid, SIGKILL);
	run_finish(&r);
	is_file(DELEGATED, "cgroup.subtree_control", "", "killed runner");
	end_neighbour(neighbour);
	RUN(&r, &who, BIN_RUN, "--json", "--pids", "10", "--", BIN_HOG, "procs", "40");
	is_str(report_str(&r, "reason"), "pids_limit",
	    "killed runner: the next one has its limits");
	ok(access(DELEGATED "/sbx-self", F_OK) != 0, "killed runner: the next one leaves nothing");
}

/* What systemd-run --user --scope -p Delegate=yes gives: a group with its files, alone in it. */
static void check_delegated(void)
{
	static const struct place delegated = { .name = "a control group of one's own",
		.has_dev = true,
		.user = { "namespace", "", "" } };
	struct who who = user;

	who.name = "user, delegated group";
	who.group = DELEGATED;
	make_group(DELEGATED, user.uid);
	check_limits(&who);
	check_values(&who, DELEGATED, who.name);
	is_file(DELEGATED, "cgroup.subtree_control", "", "user, delegated group, given back");
	check_kill(&who);
	nothing_left(DELEGATED, "user, delegated group");
	check_killed_runner();
	check_place_of(&who, &delegated);
}

/* A session with other processes in a delegated subtree: the group is made beside it, and what
 * limits the session limits it too. */
static void check_beside(void)
{
	struct who who = user;
	pid_t neighbour;

	who.name = "user, beside";
	who.group = SESSION "/shell";
	make_group(SESSION, user.uid);
	file_put(SESSION "/cgroup.subtree_control", "+memory +pids +cpu");
	make_group(SESSION "/shell", user.uid);
	neighbour = start_neighbour(SESSION "/shell");
	check_values(&who, SESSION, who.name);
	file_put(SESSION "/shell/memory.max", "16777216");
	RUN(&r, &who, BIN_RUN, "--json", "--pids", "50", "--", BIN_HOG, "mem", "48m");
	is_str(report_str(&r, "reason"), "oom", "%s: no more memory than the caller's own group",
	    who.name);
	file_put(SESSION "/shell/memory.max", "max");
	RUN(&r, &who, BIN_RUN, "--json", "--pids", "50", "--", BIN_HOG, "mem", "48m");
	is_int(r.status, 0, "%s: control: the same where the caller's group has no limit",
	    who.name);
	nothing_left(SESSION, who.name);
	end_neighbour(neighbour);
}

/* Without delegation: refused, with the way out; pids are counted by the user namespace. */
static void check_not_delegated(void)
{
	REFUSED(&user, "--memory, not delegated", "Delegate=yes", "-m", "16m", "--", BIN_GUEST,
	    "true");
	REFUSED(&user, "--cpus, not delegated", "Delegate=yes", "--cpus", "1", "--", BIN_GUEST,
	    "true");
	RUN(&r, &user, BIN_RUN, "--json", "--best-effort", "-m", "16m", "--", BIN_GUEST, "true");
	is_int(r.status, 0, "user, not delegated: --best-effort runs");
	ok(*report_why(&r, "memory") != '\0',
	    "user, not delegated: and tells that memory is not kept");
	RUN(&r, &user, BIN_RUN, "--json", "--pids", "10", "--", BIN_HOG, "procs", "40");
	is_int(r.status, 10, "user, not delegated: --pids is kept all the same");
	ok(report_is_applied(&r, "pids"), "user, not delegated: and told so");
	RUN(&r, &user, BIN_RUN, "--json", "-b", "namespace", "--", BIN_HOG, "procs", "40");
	is_int(r.status, 0, "user, not delegated: control: processes without a limit");
}

/* memory is not switched on above us, and nobody may do so from here. */
static void check_half(void)
{
	struct who who = user, super = root;

	make_group(HALF, 0);
	file_put(HALF "/cgroup.subtree_control", "+pids");
	make_group(HALF "/user", user.uid);
	make_group(HALF "/root", 0);
	who.group = HALF "/user";
	super.group = HALF "/root";
	who.name = "user, half a group";
	super.name = "root, half a group";
	REFUSED(&who, "--memory without the controller", "--memory cannot be kept", "-m", "16m",
	    "--", BIN_GUEST, "true");
	REFUSED(&super, "--memory without the controller", "--memory cannot be kept", "-m", "16m",
	    "--", BIN_GUEST, "true");
	RUN(&r, &super, BIN_RUN, "--json", "--pids", "10", "--", BIN_HOG, "procs", "40");
	is_str(report_str(&r, "reason"), "pids_limit", "%s: --pids is kept", super.name);
	RUN(&r, &who, BIN_RUN, "--json", "--pids", "10", "--", BIN_HOG, "procs", "40");
	is_str(report_str(&r, "reason"), "pids_limit", "%s: --pids is kept", who.name);
	RUN(&r, &who, BIN_PROBE, "--json");
	ok(*report_row(&r, "layers", "memory", "reason") != '\0' &&
		*report_row(&r, "layers", "pids", "reason") == '\0',
	    "%s: sbx-probe tells the two apart", who.name);
	nothing_left(HALF "/user", who.name);
	nothing_left(HALF "/root", super.name);
}

/* At the root of the hierarchy the controllers are there but switched on for nobody. */
static void check_switched_off(void)
{
	is_file(GROUPS, "cgroup.subtree_control", "", "control: no controller is on at first");
	RUN(&r, &root, BIN_RUN, "--json", "-m", "16m", "--", BIN_HOG, "mem", "48m");
	is_str(report_str(&r, "reason"), "oom", "root: a controller that is off is switched on");
}

static void check_read_only(void)
{
	if (mount(NULL, GROUPS, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) != 0)
		BAIL("remount " GROUPS);
	REFUSED(&root, "--memory, groups mounted read-only", "mounted read-only", "-m", "16m", "--",
	    BIN_GUEST, "true");
	(void)mount(NULL, GROUPS, NULL, MS_REMOUNT | MS_BIND, NULL);
}

static void check_namespace(void)
{
	struct who who = root;

	who.group = DELEGATED;
	RUN(&r, &who, BIN_GUEST, "print", "/proc/self/cgroup");
	is_str(r.out, "0::/delegated\n", "control: outside, the path of the group is seen");
	RUN(&r, &who, BIN_RUN, "--", BIN_GUEST, "print", "/proc/self/cgroup");
	is_str(r.out, "0::/\n", "the control group namespace hides the path");
	RUN(&r, &who, BIN_RUN, "--pids", "50", "--", BIN_GUEST, "print", "/proc/self/cgroup");
	if (!is_str(r.out, "0::/\n", "and that of the run's own group"))
		run_show(&r);
}

void check_groups(void)
{
	check_switched_off();
	check_limits(&root);
	check_values(&root, GROUPS, "root");
	check_kill(&root);
	nothing_left(GROUPS, "root");
	check_not_delegated();
	file_put(GROUPS "/cgroup.subtree_control", "+memory +pids +cpu");
	check_delegated();
	check_beside();
	check_half();
	check_read_only();
	check_namespace();
}
