/* The suites: what is arranged in which order, and what each place is to give. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"
#include "tap.h"

#define NAMESPACES "user_ns mount_ns pid_ns net_ns ipc_ns uts_ns cgroup_ns"
#define NOT_BY_LANDLOCK NAMESPACES " proc metadata"

static void check_both(const struct expected *as_root, const struct expected *as_user)
{
	check_place(&root, as_root);
	check_place(&user, as_user);
}

static void outside_both(const struct expected *x)
{
	check_outside(&root, x);
	check_outside(&user, x);
}

/* The initramfs as the kernel unpacks it: no /proc, no /sys, an empty /dev, no /tmp. */
static void suite_bare(void)
{
	const struct expected as_root = { "bare", "namespace", "user_ns",
		"user_ns memory pids cpu", .has_dev = false };
	const struct expected as_user = { "bare", "landlock", NOT_BY_LANDLOCK,
		NOT_BY_LANDLOCK " memory pids cpu", .has_dev = false };

	check_links();
	outside_both(&as_user);
	check_both(&as_root, &as_user);
}

static void suite_proc(void)
{
	const struct expected as_root = { "only /proc", "namespace", "", "memory pids cpu",
		.has_dev = false };
	const struct expected as_user = { "only /proc", "namespace", "", "memory cpu",
		.has_dev = false };

	place_mount_proc();
	outside_both(&as_user);
	check_both(&as_root, &as_user);
	REFUSED(&root, "--memory without control groups", "mount -t cgroup2", "-m", "16m", "--",
	    BIN_GUEST, "true");
}

/* /dev, /sys and control groups: all that a machine has, but neither /tmp nor /dev/shm. */
static void suite_groups(void)
{
	const struct expected as_root = { "everything", "namespace", "", "", .has_dev = true };
	const struct expected as_user = { "everything", "namespace", "", "memory cpu",
		.has_dev = true };

	place_mount_dev();
	place_mount_sys();
	place_mount_groups();
	check_groups();
	outside_both(&as_user);
	check_both(&as_root, &as_user);
}

static void suite_read_only(void)
{
	const struct expected as_root = { "read-only root", "namespace", "", "",
		.is_read_only = true, .has_dev = true };
	const struct expected as_user = { "read-only root", "namespace", "", "memory cpu",
		.is_read_only = true, .has_dev = true };

	place_make_read_only();
	outside_both(&as_user);
	check_both(&as_root, &as_user);
}

/* Away from the initramfs: here pivot_root(2) works on every kernel. */
static void suite_switched(void)
{
	const struct expected as_root = { "switched root", "namespace", "", "", .has_dev = true };
	const struct expected as_user = { "switched root", "namespace", "", "memory cpu",
		.has_dev = true };

	place_switch_root();
	outside_both(&as_user);
	check_both(&as_root, &as_user);
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
	suite_units();
	suite_read_only();
	suite_switched();
}

/* --- kernels that lack something --- */

static void suite_no_landlock(void)
{
	const struct expected as_root = { "no Landlock", "namespace", "landlock", "landlock",
		.has_dev = true };
	const struct expected as_user = { "no Landlock", "namespace", "landlock",
		"landlock memory cpu", .has_dev = true };

	check_both(&as_root, &as_user);
	REFUSED(&user, "--require landlock", "landlock", "--require", "landlock", "--", BIN_GUEST,
	    "true");
	REFUSED(&user, "-b landlock", "lsm=", "-b", "landlock", "--", BIN_GUEST, "true");
}

/* Namespaces for root only. */
static void suite_no_userns_for_users(void)
{
	const struct expected as_root = { "no user namespaces for users", "namespace", "", "",
		.has_dev = true };
	const struct expected as_user = { "no user namespaces for users", "landlock",
		NOT_BY_LANDLOCK, NOT_BY_LANDLOCK " memory pids cpu", .has_dev = true };

	check_both(&as_root, &as_user);
	REFUSED(&user, "-b namespace", "namespace", "-b", "namespace", "--", BIN_GUEST, "true");
	REFUSED(&user, "--require pid_ns", "pid_ns", "--require", "pid_ns", "--", BIN_GUEST,
	    "true");
}

static void suite_no_userns(void)
{
	const struct expected as_root = { "no user namespaces", "namespace", "user_ns", "user_ns",
		.has_dev = true };
	const struct expected as_user = { "no user namespaces", "landlock", NOT_BY_LANDLOCK,
		NOT_BY_LANDLOCK " memory pids cpu", .has_dev = true };

	check_both(&as_root, &as_user);
	REFUSED(&root, "--require user_ns", "user_ns", "--require", "user_ns", "--", BIN_GUEST,
	    "true");
}

static void suite_no_memory(void)
{
	static struct run r;
	const struct expected as_root = { "no memory controller", "namespace", "", "memory",
		.has_dev = true };

	check_place(&root, &as_root);
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
	const struct expected as_user = { "nothing", "native",
		NAMESPACES " view proc metadata landlock seccomp capabilities no_new_privs",
		NAMESPACES " view proc metadata landlock memory pids cpu", .has_dev = true };

	check_place(&user, &as_user);
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
