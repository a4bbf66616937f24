/*
 * What a place gives, told by sbx-probe beforehand, by the result of a run afterwards, and by the
 * command itself; all three must agree with what the suite arranged.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"
#include "tap.h"

static struct run r;

/* --- facts: y it can, n it cannot, - does not matter here --- */

enum { OUTSIDE_ROOT, OUTSIDE_USER, IN_NAMESPACE, IN_LANDLOCK };

static const struct {
	const char *name;
	char want[5];
} facts[] = {
	{ "canary", "yynn" },
	{ "climb", "yynn" },
	{ "project", "yyyy" },
	{ "bin", "ynnn" },
	{ "root", "ynnn" },
	{ "tmp", "--yn" },
	{ "shm", "--yn" },
	{ "loopback", "--yn" }, /* our own one, or none */
	{ "nnp", "nnyy" },
	{ "bounding", "yyn-" }, /* a user may not take it away, and with no_new_privs need not */
	{ "processes", "yyn-" },
	{ "environ", "ynnn" },
	{ "others", "ynnn" },
	{ "kcore", "ynnn" },
	{ "kmsg", "--nn" }, /* blocks where nothing is new */
	{ "sysctl", "ynnn" },
	{ "mount", "ynnn" },
	{ "chroot", "ynnn" },
	{ "userns", "-ynn" },
	{ "sys", "--n-" },
};

/* Without /proc these are of no use to anybody. */
static bool is_of_proc(const char *fact)
{
	return has_word("processes environ others kcore kmsg sysctl", fact);
}

static char wanted(size_t i, int column, const struct place *x)
{
	const char *name = facts[i].name;
	char want = facts[i].want[column];

	if (x->is_read_only && has_word("project bin root", name))
		return 'n';
	if (column <= OUTSIDE_USER && x->has_no_proc && is_of_proc(name))
		return 'n';
	return want;
}

static int count_wrong(int column, const struct place *x)
{
	char value[128];
	int wrong = 0;

	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		char want = wanted(i, column, x);
		const char *got = line_of(&r, facts[i].name, value, sizeof value);

		if (want == '-' || *got == want)
			continue;
		diag("%s: %s", facts[i].name, *got == '\0' ? "not told" : got);
		wrong++;
	}
	return wrong;
}

static void made_path(char *path, size_t size, const struct who *who)
{
	(void)snprintf(path, size, "%s/made", who->cwd);
}

static void check_outside_of(const struct who *who, const struct place *x)
{
	char made[256];

	made_path(made, sizeof made, who);
	RUN(&r, who, BIN_GUEST, "look");
	is_int(count_wrong(who->uid == 0 ? OUTSIDE_ROOT : OUTSIDE_USER, x), 0,
	    "%s, %s: control: outside it sees and does it all", x->name, who->name);
	(void)unlink(made);
}

void check_outside(const struct place *x)
{
	check_outside_of(&root, x);
	check_outside_of(&user, x);
}

static const struct promise *promise_of(const struct who *who, const struct place *x)
{
	return who->uid == 0 ? &x->root : &x->user;
}

/* --- a run --- */

static void check_inside(const struct who *who, const struct place *x)
{
	char value[128];
	bool has_namespaces = strcmp(promise_of(who, x)->backend, "namespace") == 0;
	int column = has_namespaces ? IN_NAMESPACE : IN_LANDLOCK;

	is_int(count_wrong(column, x), 0, "%s, %s: inside it sees and does what it may", x->name,
	    who->name);
	if (column == IN_NAMESPACE)
		is_str(line_of(&r, "host", value, sizeof value), "sandbox",
		    "%s, %s: the host has another name", x->name, who->name);
	if (x->has_dev)
		is_str(line_of(&r, "null", value, sizeof value), "yes", "%s, %s: /dev/null works",
		    x->name, who->name);
}

static void check_missing(const struct who *who, const struct place *x)
{
	char buf[512], *save = NULL;

	is_str(report_missing(&r, buf, sizeof buf), promise_of(who, x)->missing,
	    "%s, %s: sbx-run tells what is missing", x->name, who->name);
	for (char *w = strtok_r(buf, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save))
		if (*report_why(&r, w) == '\0')
			ok(false, "%s, %s: says why %s is missing", x->name, who->name, w);
}

/* What was made in the project is there, and the caller's. */
static void check_made(const struct who *who, const struct place *x)
{
	char made[256];
	struct stat st;

	made_path(made, sizeof made, who);
	if (x->is_read_only)
		return;
	ok(stat(made, &st) == 0 && st.st_uid == who->uid && st.st_gid == who->uid,
	    "%s, %s: what it made in the project is the caller's", x->name, who->name);
	(void)unlink(made);
}

/* For the README's table: what auto took and what was missing, as the result has it. */
static void tell_row(const struct who *who, const struct place *x)
{
	char missing[512];

	printf("# row: %s, %s|%s|%s\n", x->name, (who->uid == 0 ? &root : &user)->name,
	    report_str(&r, "backend"), report_missing(&r, missing, sizeof missing));
	(void)fflush(stdout);
}

static void check_run(const struct who *who, const struct place *x)
{
	RUN(&r, who, BIN_RUN, "--json", "--root", who->cwd, "--", BIN_GUEST, "look");
	if (!is_int(r.status, 0, "%s, %s: sbx-run runs the command", x->name, who->name))
		run_show(&r);
	is_str(report_str(&r, "backend"), promise_of(who, x)->backend, "%s, %s: by the backend",
	    x->name, who->name);
	check_missing(who, x);
	tell_row(who, x);
	if (strcmp(promise_of(who, x)->backend, "native") != 0)
		check_inside(who, x);
	check_made(who, x);
}

/* --- the probe --- */

static void check_reasons(const struct who *who, const struct place *x)
{
	char buf[512], *save = NULL;

	(void)snprintf(buf, sizeof buf, "%s", promise_of(who, x)->not_working);
	for (char *w = strtok_r(buf, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save))
		if (*report_row(&r, "layers", w, "reason") == '\0')
			ok(false, "%s, %s: sbx-probe says why %s does not work", x->name,
			    who->name, w);
}

static void check_probe(const struct who *who, const struct place *x)
{
	char got[512], from_run[512];

	(void)report_applied(&r, from_run, sizeof from_run);
	RUN(&r, who, BIN_PROBE, "--json");
	if (!is_int(r.status, 0, "%s, %s: sbx-probe finds a way", x->name, who->name))
		run_show(&r);
	is_str(report_not_working(&r, "layers", got, sizeof got), promise_of(who, x)->not_working,
	    "%s, %s: sbx-probe tells what does not work", x->name, who->name);
	check_reasons(who, x);
	is_str(report_auto(&r, "backend"), promise_of(who, x)->backend,
	    "%s, %s: sbx-probe tells what auto takes", x->name, who->name);
	is_str(report_auto_applied(&r, got, sizeof got), from_run,
	    "%s, %s: sbx-probe promises the layers that a run then has", x->name, who->name);
}

void check_place_of(const struct who *who, const struct place *x)
{
	if (promise_of(who, x)->backend == NULL)
		return;
	check_run(who, x);
	check_probe(who, x);
}

void check_place(const struct place *x)
{
	check_place_of(&root, x);
	check_place_of(&user, x);
}

/* Proof that a place is what it is called: whether its root can be left by pivot_root(2). */
void check_pivot(const char *place, bool is_possible)
{
	RUN(&r, &root, BIN_GUEST, "pivot");
	if (!ok((r.status == 0) == is_possible, "%s: control: pivot_root is %s", place,
		is_possible ? "possible" : "refused"))
		run_show(&r);
}

/* Whoever starts in "/", as the programs of an initramfs do, gets an empty folder and a notice. */
void check_no_project(void)
{
	struct who who = root;
	char value[64];

	who.cwd = "/";
	RUN(&r, &who, BIN_RUN, "--", BIN_GUEST, "look");
	is_int(r.status, 0, "in /: runs");
	ok(strstr(r.err, "empty private folder") != NULL, "in /: says that there is no project");
	is_str(line_of(&r, "project", value, sizeof value), "yes",
	    "in /: there is a folder all the same");
	ok(access("/made", F_OK) != 0, "in /: nothing is made in the root");
}

void check_landlock_abi(void)
{
	static const struct {
		int kernel, abi;
	} known[] = { { 601, 2 }, { 612, 6 }, { 702, 10 } };
	int kernel = kernel_minor();

	RUN(&r, &root, BIN_PROBE, "--json");
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].kernel == kernel) {
			is_int(report_num(&r, "landlock_abi"), known[i].abi,
			    "Landlock ABI of this kernel");
			return;
		}
	ok(report_num(&r, "landlock_abi") > 6, "Landlock ABI of a newer kernel");
}

/* Before ABI 3 only a filter refuses to cut a file short by its path: without one that is told. */
void check_unfiltered(void)
{
	bool is_refused_by_landlock = kernel_minor() >= 602;

	RUN(&r, &user, BIN_RUN, "--json", "-b", "landlock", "--", BIN_GUEST, "true");
	ok(r.status == 0 && report_is_applied(&r, "view"), "landlock with filters: the view");
	RUN(&r, &user, BIN_DENY, "seccomp", "--", BIN_RUN, "--json", "-b", "landlock", "--",
	    BIN_GUEST, "true");
	if (!ok(r.status == 0 && report_is_applied(&r, "view") == is_refused_by_landlock,
		"landlock without filters: the view is %s",
		is_refused_by_landlock ? "kept" : "told as incomplete"))
		run_show(&r);
	if (is_refused_by_landlock)
		return;
	ok(strstr(report_why(&r, "view"), "truncate(2)") != NULL, "and what is incomplete");
	REFUSED_BY(&user, "--require view", "view", BIN_DENY, "seccomp", "--", BIN_RUN, "-q", "-b",
	    "landlock", "--require", "view", "--", BIN_GUEST, "true");
}

void check_refused(const struct who *who, const char *name, const char *why,
    const char *const *argv)
{
	run_argv(&r, who, argv);
	if (!ok(r.status == 125 && strstr(r.err, why) != NULL &&
		    strchr(r.err, '\n') == strrchr(r.err, '\n'),
		"%s: %s: refused with one line, which says \"%s\"", who->name, name, why))
		run_show(&r);
}

/* Every link of the binary is a program of its own, from the first moment of the machine on. */
void check_links(void)
{
	static const char *const names[] = { "sbx", "sbx-run", "sbx-probe", "sbx-bridge",
		"sbx-mcp" };
	char path[64], list[1024];

	RUN(&r, &root, "/bin/sbx", "--list");
	is_int(r.status, 0, "sbx --list");
	(void)snprintf(list, sizeof list, "%.1000s", r.out);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		(void)snprintf(path, sizeof path, "/bin/%s", names[i]);
		RUN(&r, &root, path, "--help");
		/* one that is not in this version yet says so (125) */
		if (!ok((r.status == 0 && strstr(r.out, names[i]) != NULL) ||
			    (r.status == 125 && strstr(r.err, names[i]) != NULL),
			"the link %s answers in an initramfs with nothing mounted", names[i]))
			run_show(&r);
		if (i > 0 && !ok(strstr(list, names[i] + 4) != NULL, "sbx --list has %s", names[i]))
			diag("%s", list);
	}
}
