/*
 * The guest of a virtual machine: one static program that is /init (mounts, runs the suite that
 * the kernel command line names, prints TAP on the console, ends the machine) and, inside
 * sandboxes, the command. It calls the sbx beside it as any user would and knows nothing of its
 * inside; only its JSON is read with the project's own scanner.
 */
#ifndef SBX_TESTS_VM_GUEST_H
#define SBX_TESTS_VM_GUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/json/json.h"

#define MIB (1024ULL * 1024ULL)
#define BIN_GUEST "/bin/guest"
#define BIN_DENY "/bin/deny"
#define BIN_HOG "/bin/hog"
#define BIN_PROBE "/bin/sbx-probe"
#define BIN_RUN "/bin/sbx-run"
#define CANARY "/secret"
#define GROUPS "/sys/fs/cgroup"

/* --- power.c --- */

enum { VM_PASSED = 33, VM_FAILED = 35 }; /* exit status of QEMU */
_Noreturn void vm_exit(bool has_passed);

/* --- role.c: the command in the sandbox --- */

int role_main(int argc, char **argv);

/* --- run.c --- */

struct who {
	const char *name;
	uid_t uid;
	const char *cwd;   /* also the project root of sbx-run */
	const char *group; /* control group to enter first; NULL: stay */
};

extern const struct who root, user;

struct run {
	pid_t pid;
	int out_fd, err_fd;
	int status;    /* as a shell counts; -1: had to be killed */
	bool has_left; /* processes that were still there long after */
	char out[65536], err[8192];
	struct json_doc *json; /* of out; NULL: it is none */
};

/*
 * Run argv (ends with NULL) as somebody and wait for the end; asserts that no process is left of
 * it. Whatever r held before is freed; a struct run starts as zeros.
 */
void run_argv(struct run *r, const struct who *who, const char *const *argv);
#define RUN(r, who, ...) run_argv(r, who, (const char *const[]){ __VA_ARGS__, NULL })
/* The two halves of it, to look at a running command from outside. */
void run_start(struct run *r, const struct who *who, const char *const *argv);
#define RUN_START(r, who, ...) run_start(r, who, (const char *const[]){ __VA_ARGS__, NULL })
void run_finish(struct run *r);
void run_free(struct run *r);
/* A process that stays in a group while others run; it counts as nobody's left-over. */
pid_t start_neighbour(const char *group);
void end_neighbour(pid_t pid);
void run_show(const struct run *r); /* as diagnostics */

/* --- report.c: what sbx-run --json and sbx-probe --json said --- */

const char *report_str(const struct run *r, const char *key); /* "" where it is null or absent */
double report_num(const struct run *r, const char *key);      /* -1 where it is null or absent */
/* Space-separated names in buf; "?" where there is no report. */
const char *report_applied(const struct run *r, char *buf, size_t size);
const char *report_missing(const struct run *r, char *buf, size_t size);
bool report_is_applied(const struct run *r, const char *layer);
const char *report_why(const struct run *r, const char *layer);
/* sbx-probe: names of the rows of "layers" or "backends" that do not work. */
const char *report_not_working(const struct run *r, const char *table, char *buf, size_t size);
/* A text of one row: "evidence", "reason", "remedy"; "" where it is null. */
const char *report_row(
    const struct run *r, const char *table, const char *name, const char *field);
const char *report_auto(const struct run *r, const char *key);
const char *report_auto_applied(const struct run *r, char *buf, size_t size);
bool has_word(const char *list, const char *word);
/* The value of a "name: value" line of r->out; "" where there is none. */
const char *line_of(const struct run *r, const char *name, char *buf, size_t size);

/* --- place.c: what the machine is given to stand on --- */

void place_make_files(void);
void place_mount_proc(void);
void place_mount_dev(void);
void place_mount_sys(void);
void place_mount_groups(void);
void place_loopback_up(void);
void place_make_read_only(void);
void place_switch_root(void);
void file_put(const char *path, const char *text);
const char *file_get(const char *path, char *buf, size_t size); /* without the last newline */
int kernel_minor(void);                                         /* 6.12 → 612 */

/* --- check_*.c, suite.c --- */

/* What somebody is to have in a place. */
struct promise {
	const char *backend;     /* that auto takes; NULL: not looked at */
	const char *missing;     /* layers, in the order of sbx-run --json */
	const char *not_working; /* rows of sbx-probe, limits included */
};

struct place {
	const char *name;
	bool has_no_proc;
	bool has_dev;
	bool is_read_only; /* the root file system, the project with it */
	struct promise root, user;
};

void check_links(void);
/* For root and user: a run by auto, with what the command can see and do, and the probe. */
void check_place(const struct place *x);
/* The same for one of them. */
void check_place_of(const struct who *who, const struct place *x);
/* The control: what root and user can see and do without sbx. */
void check_outside(const struct place *x);
void check_landlock_abi(void);
void check_unfiltered(void);
void check_pivot(const char *place, bool is_possible);
void check_no_project(void);
void check_limits(const struct who *who);
void check_kill(const struct who *who);
void check_groups(void);
void check_units(void);
/* "refused": 125, and a line on stderr in which the words of why occur. */
void check_refused(const struct who *who, const char *name, const char *why,
    const char *const *argv);
#define REFUSED_BY(who, name, why, ...) \
	check_refused(who, name, why, (const char *const[]){ __VA_ARGS__, NULL })
#define REFUSED(who, name, why, ...) REFUSED_BY(who, name, why, BIN_RUN, __VA_ARGS__)

void suite_full(void);
int suite_degraded(const char *name); /* -1: no such suite */

#endif
