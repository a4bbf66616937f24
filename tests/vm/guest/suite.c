/* The suites: what is arranged in which order, and what each place is to give. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"
#include "tap.h"

#define NAMESPACES "user_ns mount_ns pid_ns net_ns ipc_ns uts_ns cgroup_ns"
#define NOT_BY_LANDLOCK NAMESPACES " proc metadata"

/* The initramfs as the kernel unpacks it: no /proc, no /sys, an empty /dev, no /tmp. */
static void suite_bare(void)
{
	static const struct place bare = { .name = "an initramfs with nothing mounted",
		.has_no_proc = true,
		.root = { "namespace", "user_ns", "user_ns memory pids cpu" },
		.user = { "landlock", NOT_BY_LANDLOCK, NOT_BY_LANDLOCK " memory pids cpu" } };

	check_links();
	/* before 7.0 the root of an initramfs cannot be left */
	check_pivot(bare.name, kernel_minor() >= 700);
	check_outside(&bare);
	check_place(&bare);
	check_no_project();
}

static void suite_proc(void)
{
	static const struct place only_proc = { .name = "an initramfs with only /proc",
		.root = { "namespace", "", "memory pids cpu" },
		.user = { "namespace", "", "memory cpu" } };

	place_mount_proc();
	check_outside(&only_proc);
	check_place(&only_proc);
	REFUSED(&root, "--memory without control groups", "mount -t cgroup2", "-m", "16m", "--",
	    BIN_GUEST, "true");
}

/* All that a machine has, but neither /tmp nor /dev/shm. */
static void suite_groups(void)
{
	static const struct place all = { .name = "an initramfs with /proc, /dev, /sys and cgroup2",
		.has_dev = true,
		.root = { "namespace", "", "" },
		.user = { "namespace", "", "memory cpu" } };

	place_mount_dev();
	place_mount_sys();
	place_mount_groups();
	check_groups();
	check_outside(&all);
	check_place(&all);
}

static void suite_read_only(void)
{
	static const struct place read_only = { .name = "an initramfs mounted read-only",
		.has_dev = true,
		.is_read_only = true,
		.root = { "namespace", "", "" },
		.user = { "namespace", "", "memory cpu" } };

	place_make_read_only();
	check_outside(&read_only);
	check_place(&read_only);
}

/* Away from the initramfs: here pivot_root(2) works on every kernel. */
static void suite_switched(void)
{
	static const struct place switched = { .name = "a tmpfs after switch_root",
		.has_dev = true,
		.root = { "namespace", "", "" },
		.user = { "namespace", "", "memory cpu" } };

	place_switch_root();
	check_pivot(switched.name, true);
	check_outside(&switched);
	check_place(&switched);
}

/* They need a loopback and a /tmp, which they leave empty. */
static void suite_units(void)
{
	(void)mkdir("/tmp", 0777);
	(void)chmod("/tmp", 01777);
	place_loopback_up();
	check_units();
	is_int(rmdir("/tmp"), 0, "the unit tests leave nothing in /tmp");
}

void suite_full(void)
{
	place_make_files();
	suite_bare();
	suite_proc();
	suite_groups();
	check_landlock_abi();
	check_unfiltered();
	suite_units();
	suite_read_only();
	suite_switched();
}

/* --- kernels that lack something --- */

static void suite_no_landlock(void)
{
	static const struct place place = { .name = "a kernel without Landlock",
		.has_dev = true,
		.root = { "namespace", "landlock", "landlock" },
		.user = { "namespace", "landlock", "landlock memory cpu" } };

	check_place(&place);
	REFUSED(&user, "--require landlock", "landlock", "--require", "landlock", "--", BIN_GUEST,
	    "true");
	REFUSED(&user, "-b landlock", "lsm=", "-b", "landlock", "--", BIN_GUEST, "true");
}

static void suite_no_userns_for_users(void)
{
	static const struct place place = { .name = "a kernel with user namespaces for root only",
		.has_dev = true,
		.root = { "namespace", "", "" },
		.user = { "landlock", NOT_BY_LANDLOCK, NOT_BY_LANDLOCK " memory pids cpu" } };

	check_place(&place);
	REFUSED(&user, "-b namespace", "namespace", "-b", "namespace", "--", BIN_GUEST, "true");
	REFUSED(&user, "--require pid_ns", "pid_ns", "--require", "pid_ns", "--", BIN_GUEST,
	    "true");
}

static void suite_no_userns(void)
{
	static const struct place place = { .name = "a kernel without user namespaces",
		.has_dev = true,
		.root = { "namespace", "user_ns", "user_ns" },
		.user = { "landlock", NOT_BY_LANDLOCK, NOT_BY_LANDLOCK " memory pids cpu" } };

	check_place(&place);
	REFUSED(&root, "--require user_ns", "user_ns", "--require", "user_ns", "--", BIN_GUEST,
	    "true");
	REFUSED(&root, "--user without a user namespace", "--user", "-b", "namespace", "--user",
	    "7", "--", BIN_GUEST, "true");
}

static void suite_no_memory(void)
{
	static const struct place place = { .name = "a kernel without the memory controller",
		.has_dev = true,
		.root = { "namespace", "", "memory" } };
	static struct run r;

	check_place(&place);
	REFUSED(&root, "--memory without the controller", "cgroup_disable=", "-m", "16m", "--",
	    BIN_GUEST, "true");
	RUN(&r, &root, BIN_RUN, "--json", "--best-effort", "-m", "16m", "--pids", "10", "--",
	    BIN_HOG, "procs", "40");
	is_str(report_str(&r, "reason"), "pids_limit",
	    "--pids is kept without the memory controller");
	ok(*report_why(&r, "memory") != '\0', "--best-effort tells that memory is not kept");
}

/* What a user is left with: no isolation at all, and said so. */
static void suite_nothing(void)
{
	static const struct place place = { .name = "a kernel without Landlock or user namespaces",
		.has_dev = true,
		.user = { "native",
		    NAMESPACES
		    " view proc metadata landlock seccomp capabilities no_new_privs",
		    NAMESPACES " view proc metadata landlock memory pids cpu" } };

	check_place(&place);
	REFUSED(&user, "--strict", "nothing was run", "--strict", "--", BIN_GUEST, "true");
}

int suite_degraded(const char *name)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} suites[] = { { "no-landlock", suite_no_landlock },
		{ "no-userns-for-users", suite_no_userns_for_users },
		{ "no-userns", suite_no_userns }, { "no-memory", suite_no_memory },
		{ "nothing", suite_nothing } };

	for (size_t i = 0; i < sizeof suites / sizeof *suites; i++) {
		if (strcmp(name, suites[i].name) != 0)
			continue;
		place_make_files();
		place_mount_proc();
		place_mount_dev();
		place_mount_sys();
		place_mount_groups();
		(void)mkdir("/tmp", 0777);
		(void)chmod("/tmp", 01777);
		suites[i].run();
		return 0;
	}
	return -1;
}
