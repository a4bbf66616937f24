/*
 * facts: what a process really has of each layer, looked at from inside by other means than sbx
 * uses to make them. Static, so that it runs in an image that holds nothing else.
 *
 *	facts COMMAND [ARG...]	run COMMAND ARG... facts --inside WORD..., where the WORDs are
 *				what is seen here, outside; exits as that does
 *	facts --inside WORD...	print "LAYER yes|no|unknown DETAIL" for each layer
 *
 * Must not take a layer for given because its making did not fail.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

/* Numbers since Linux 5.1 are the same on every architecture (syscalls(2)). */
enum { NR_LANDLOCK_CREATE_RULESET = 444, NR_LANDLOCK_RESTRICT_SELF = 446 };

#define LANDLOCK_LAYERS 16 /* LANDLOCK_MAX_NUM_LAYERS of the kernel */
#define WORDS_MAX 16
#define WORD_SIZE (PATH_MAX + 32)

static const char *const namespaces[][2] = { { "user", "user_ns" }, { "mnt", "mount_ns" },
	{ "pid", "pid_ns" }, { "net", "net_ns" }, { "ipc", "ipc_ns" }, { "uts", "uts_ns" },
	{ "cgroup", "cgroup_ns" } };

static char **words; /* what was seen outside */

__attribute__((format(printf, 3, 4)))
static void say(const char *layer, int answer, const char *format, ...)
{
	va_list list;

	printf("%s %s ", layer, answer < 0 ? "unknown" : answer > 0 ? "yes" : "no");
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	putchar('\n');
}

static const char *outside(const char *name)
{
	size_t n = strlen(name);

	for (char **word = words; word != NULL && *word != NULL; word++)
		if (strncmp(*word, name, n) == 0 && (*word)[n] == '=')
			return *word + n + 1;
	return "";
}

static unsigned long long outside_number(const char *name)
{
	return strtoull(outside(name), NULL, 10);
}

/* The kernel's number of a namespace; 0: there is no /proc to tell it. */
static unsigned long long namespace_number(const char *kind)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/self/ns/%s", kind);
	return stat(path, &st) == 0 ? (unsigned long long)st.st_ino : 0;
}

/* A line of /proc/self/status, -1 without one (proc_pid_status(5)). */
static long status_number(const char *name)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	long number = -1;
	size_t n = strlen(name);

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, name, n) == 0 && line[n] == ':')
			number = strtol(line + n + 1, NULL, 10);
	if (file != NULL)
		fclose(file);
	return number;
}

/* How many more Landlock domains can be put on this process: each that is there takes one of the
 * places (landlock(7)). In a child, as it cannot be undone. -1: no Landlock. */
static int landlock_places(void)
{
	struct landlock_ruleset_attr attr = { .handled_access_fs = LANDLOCK_ACCESS_FS_MAKE_BLOCK };
	int status, count = 0, fd;
	pid_t pid = fork();

	if (pid < 0)
		return -1;
	if (pid > 0)
		return waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
			WEXITSTATUS(status) != 255 ? WEXITSTATUS(status) : -1;
	fd = (int)syscall(NR_LANDLOCK_CREATE_RULESET, &attr, sizeof(attr), 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (fd < 0)
		_exit(255);
	while (count <= LANDLOCK_LAYERS && syscall(NR_LANDLOCK_RESTRICT_SELF, fd, 0) == 0)
		count++;
	_exit(count);
}

/* -1: unknown. */
static int has_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	memset(data, 0, sizeof(data));
	if (syscall(SYS_capget, &header, data) < 0)
		return -1;
	for (int i = 0; i < 2; i++)
		if ((data[i].effective | data[i].permitted | data[i].inheritable) != 0)
			return 1;
	return 0;
}

/* --- inside ------------------------------------------------------------------------------- */

static bool is_own[sizeof(namespaces) / sizeof(namespaces[0])];

static void look_at_namespaces(void)
{
	char name[HOST_NAME_MAX + 1] = "";

	gethostname(name, sizeof(name) - 1);
	for (size_t i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++) {
		unsigned long long here = namespace_number(namespaces[i][0]);
		unsigned long long there = outside_number(namespaces[i][0]);
		int answer = here == 0 || there == 0 ? -1 : here != there;

		/* of one's own is a host name that the outer one cannot be told from */
		if (answer == 1 && strcmp(namespaces[i][0], "uts") == 0)
			answer = strcmp(name, outside("name")) != 0;
		is_own[i] = answer == 1;
		say(namespaces[i][1], answer, "%llu, outside %llu", here, there);
	}
}

/* The marker lies outside of every view; metadata is what stat(2) tells of it. */
static void look_at_view(void)
{
	const char *marker = outside("marker");
	struct stat st;
	int fd = open(marker, O_RDONLY | O_CLOEXEC);

	say("view", fd < 0, "open %s: %s", marker, fd < 0 ? strerror(errno) : "done");
	say("metadata", stat(marker, &st) != 0, "stat %s", marker);
}

/* A procfs of our own pid namespace: its "self" is our number, and its first process our init. */
static void look_at_proc(void)
{
	char self[32] = "";
	ssize_t n = readlink("/proc/self", self, sizeof(self) - 1);

	say("proc", n > 0 && is_own[2] && strtol(self, NULL, 10) == (long)getpid(),
	    "/proc/self is %s, we are %d", n > 0 ? self : "not there", (int)getpid());
}

static void look_at_process(void)
{
	struct rlimit core = { RLIM_INFINITY, RLIM_INFINITY };
	long filters = status_number("Seccomp_filters");
	long filters_outside = (long)outside_number("filters");
	int places = landlock_places();
	int places_outside = (int)strtol(outside("places"), NULL, 10);
	int caps = has_capabilities();
	int has_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0;

	getrlimit(RLIMIT_CORE, &core);
	say("landlock", places_outside < 0 ? 0 : places < places_outside, "%d places, outside %d",
	    places, places_outside);
	/* without /proc: a filter that refuses what none outside refuses */
	say("seccomp", filters >= 0 ? filters > filters_outside :
	    prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2, "%ld filters, outside %ld", filters,
	    filters_outside);
	/* who had none before cannot be seen to lose them */
	say("capabilities", caps == 0 && strcmp(outside("caps"), "1") != 0 ? -1 : caps == 0,
	    "permitted, effective, inheritable");
	say("no_new_privs", has_privs == 0 && strcmp(outside("privs"), "1") != 0 ? -1 : !has_privs,
	    "prctl");
	say("env", getenv("FACTS_SECRET_TOKEN") == NULL, "FACTS_SECRET_TOKEN");
	say("rlimits", core.rlim_max <= 1, "core limit %llu",
	    (unsigned long long)core.rlim_max);
}

/* --- outside ------------------------------------------------------------------------------ */

static char outer[WORDS_MAX][WORD_SIZE];
static size_t outer_count;

__attribute__((format(printf, 1, 2)))
static void add_word(const char *format, ...)
{
	va_list list;

	if (outer_count == WORDS_MAX)
		abort();
	va_start(list, format);
	vsnprintf(outer[outer_count++], WORD_SIZE, format, list);
	va_end(list);
}

static void look_outside(const char *marker)
{
	char name[HOST_NAME_MAX + 1] = "";

	gethostname(name, sizeof(name) - 1);
	for (size_t i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++)
		add_word("%s=%llu", namespaces[i][0], namespace_number(namespaces[i][0]));
	add_word("name=%s", name);
	add_word("marker=%s", marker);
	add_word("filters=%ld", status_number("Seccomp_filters"));
	add_word("places=%d", landlock_places());
	add_word("caps=%d", has_capabilities());
	add_word("privs=%d", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
}

static int run_inside(int argc, char **argv, const char *self)
{
	char **args = calloc((size_t)argc + outer_count + 3, sizeof(*args));
	size_t n = 0;

	if (args == NULL)
		return 1;
	for (int i = 0; i < argc; i++)
		args[n++] = argv[i];
	args[n++] = (char *)(uintptr_t)self;
	args[n++] = (char *)(uintptr_t) "--inside";
	for (size_t i = 0; i < outer_count; i++)
		args[n++] = outer[i];
	setenv("FACTS_SECRET_TOKEN", "value", 1);
	execv(args[0], args);
	fprintf(stderr, "facts: %s: %s\n", args[0], strerror(errno));
	return 127;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--inside") == 0) {
		words = argv + 2;
		look_at_namespaces();
		look_at_view();
		look_at_proc();
		look_at_process();
		return 0;
	}
	if (argc < 2) {
		fprintf(stderr, "usage: facts COMMAND [ARG...]\n");
		return 2;
	}
	/* argv[0] is absolute; what lies beside it and is not named is outside of every view */
	look_outside(getenv("FACTS_MARKER") != NULL ? getenv("FACTS_MARKER") : "/marker");
	return run_inside(argc - 1, argv + 1, argv[0]);
}
