/*
 * The folder of one container and its end, in the guardian; see container.h. The guardian outlives
 * a runner that is killed, so the container is removed by it; what it could not remove itself,
 * killed or with an engine that did not answer, the next run of this user does: the folder is still
 * there and its lock is free. A container whose lock is held is never touched.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../base/str.h"
#include "../sys/fd.h"
#include "../sys/self.h"
#include "../sys/self_os.h"
#include "../sys/tree.h"
#include "container.h"
#include "guard.h"
#include "inner.h"
#include "seccomp_file.h"

#define REMOVE_MS 4000U /* the runner waits 12 s for its guardian */
#define REMOVE_TRIES 2
#define REMOVE_AGAIN_MS 300U /* an engine whose client was killed may just be making it */
#define FRESH_PREFIX ".new-" /* not locked yet; nobody's business until it is renamed */
#define FRESH_MAX_S 3600

/* ---- removing a container ---- */

static bool is_unknown(const char *said)
{
	return str_find(said, "o such container") != NULL ||
	       str_find(said, "no container with") != NULL;
}

/* 1: it is gone, or never was; 0: the engine says that it is not; -1: it does not answer. */
static int remove_container(const struct engine *en, char *const *env, const char *name)
{
	struct buf said;
	const char *text;
	int rc;
	bool is_gone;

	buf_init(&said, LIMIT_SMALL_FILE);
	rc = en->kind == ENGINE_PODMAN ?
		 engine_tell(en, env, REMOVE_MS, &said, NULL, "rm", "--force", "--time", "0",
		     "--ignore", name, NULL) :
		 engine_tell(en, env, REMOVE_MS, &said, NULL, "rm", "--force", name, NULL);
	text = buf_str(&said, NULL);
	is_gone = rc == 0 || (rc > 0 && text != NULL && is_unknown(text));
	buf_fini(&said);
	return rc < 0 ? -1 : is_gone;
}

/* ---- the sweep ---- */

/*
 * The engine that a run used, if its folder names one that this run would take too: a file's word
 * alone starts no program. 1; 0: the folder names none; -1: one that is not ours to ask.
 */
static int read_engine(int dir_fd, const struct plan *plan, struct engine *en)
{
	char program[PATH_MAX];
	const char *slash;

	if (fd_read_small(dir_fd, "engine", program, sizeof program) <= 0)
		return 0;
	slash = strrchr(program, '/');
	if (slash == NULL || (strcmp(slash, "/podman") != 0 && strcmp(slash, "/docker") != 0) ||
	    engine_find(en, slash + 1, plan->rq, NULL) != 0)
		return -1;
	return strcmp(program, en->program) == 0 ? 1 : -1;
}

static void print_place(char text[static 20], const struct plan *plan)
{
	(void)snprintf(text, 20, "%016llx", (unsigned long long)engine_place(plan->tool_env.v));
}

/* An engine of another place knows no such container, which would pass for its end. */
static bool is_same_place(int dir_fd, const struct plan *plan)
{
	char then[64], now[20];

	print_place(now, plan);
	return fd_read_small(dir_fd, "place", then, sizeof then) <= 0 || strcmp(then, now) == 0;
}

struct sweep {
	const struct plan *plan;
	bool is_deaf[2]; /* by kind: asked once in vain, left in peace; this run is waiting */
};

static bool is_nothing_left(int dir_fd, struct sweep *s, const char *name)
{
	const struct plan *plan = s->plan;
	struct engine en;
	int rc = is_same_place(dir_fd, plan) ? read_engine(dir_fd, plan, &en) : -1;

	if (rc <= 0 || s->is_deaf[en.kind])
		return rc == 0;
	rc = remove_container(&en, plan->tool_env.v, name);
	s->is_deaf[en.kind] = rc < 0;
	return rc > 0;
}

static bool is_our_name(const char *name)
{
	return strncmp(name, "sbx-", 4) == 0 && strlen(name) == 20 &&
	       strspn(name + 4, "0123456789abcdef") == 16;
}

static void sweep_one(int runs_fd, const char *name, struct sweep *s)
{
	int dir_fd = openat(runs_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int lock_fd = dir_fd < 0 ? -1 : openat(dir_fd, "lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	/* a lock that cannot be had is that of a guardian that lives */
	if (lock_fd >= 0 && flock(lock_fd, LOCK_EX | LOCK_NB) == 0 &&
	    is_nothing_left(dir_fd, s, name))
		(void)tree_remove(runs_fd, name);
	fd_close(&lock_fd);
	fd_close(&dir_fd);
}

/* Half made by a guardian that was killed in that moment. */
static void sweep_fresh(int runs_fd, const char *name)
{
	struct stat st;

	if (fstatat(runs_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_mtime + FRESH_MAX_S < time(NULL))
		(void)tree_remove(runs_fd, name);
}

static void sweep(int runs_fd, const struct plan *plan)
{
	int fd = openat(runs_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	struct sweep s = { .plan = plan };

	if (dir == NULL) {
		fd_close(&fd);
		return;
	}
	while ((entry = readdir(dir)) != NULL) {
		if (is_our_name(entry->d_name))
			sweep_one(runs_fd, entry->d_name, &s);
		else if (strncmp(entry->d_name, FRESH_PREFIX, strlen(FRESH_PREFIX)) == 0)
			sweep_fresh(runs_fd, entry->d_name);
	}
	(void)closedir(dir);
}

/* ---- the folder ---- */

static int make_file(int dir_fd, const char *name, mode_t mode, struct err *e)
{
	int fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd >= 0 && fchmod(fd, mode) == 0)
		return fd;
	(void)err_errno(e, ERR_SETUP, "make %s in the state folder", name);
	fd_close(&fd);
	return -1;
}

static int write_file(int dir_fd, const char *name, mode_t mode, const void *data, size_t len,
    struct err *e)
{
	int fd = make_file(dir_fd, name, mode, e);
	int rc;

	if (fd < 0)
		return -1;
	rc = fd_write_all(fd, data, len);
	if (rc != 0)
		(void)err_errno(e, ERR_SETUP, "write %s in the state folder", name);
	fd_close(&fd);
	return rc;
}

static int copy_all(int from, int to, struct err *e)
{
	static char bytes[65536];
	ssize_t n;

	while ((n = read(from, bytes, sizeof bytes)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || fd_write_all(to, bytes, (size_t)n) != 0)
			return err_errno(e, ERR_SETUP, "copy sbx into the state folder");
	}
	return 0;
}

static bool is_own_arch(const char *arch)
{
	struct utsname u;

	return uname(&u) == 0 && strcmp(u.sysname, "Linux") == 0 &&
	       (strcmp(u.machine, arch) == 0 ||
		   (strncmp(u.machine, "armv7", 5) == 0 && strcmp(arch, "armv7") == 0));
}

/* Our own program for Linux on another processor (or on another system) lies beside us. */
static int open_other_program(const char *arch, struct err *e)
{
	char path[PATH_MAX];
	char *slash;
	int fd;

	if (self_path(NULL, path, e) != 0)
		return -1;
	slash = strrchr(path, '/');
	(void)snprintf(slash, sizeof path - (size_t)(slash - path), "/sbx-linux-%s", arch);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		(void)err_set(e, ERR_REFUSED,
		    "the engine's machine is a Linux on %s: its sbx is not at %s (make ARCH=%s, "
		    "and copy it there)",
		    arch, path, arch);
	return fd;
}

static int put_program(int dir_fd, const struct plan *plan, struct err *e)
{
	const struct engine *en = &plan->container->engine;
	/* not by its resolved path: what was deleted or replaced meanwhile can still be read */
	const char *self = plan->rq->self_path != NULL ? plan->rq->self_path : self_os_name();
	int from = !is_own_arch(en->arch) ? open_other_program(en->arch, e) :
		   self == NULL		  ? -1 :
					    open(self, O_RDONLY | O_CLOEXEC);
	int ipc_fd = -1, to = -1, rc = -1;

	if (from < 0)
		return e->kind != ERR_NONE ? -1 :
					     err_errno(e, ERR_SETUP, "open our own program");
	if (mkdirat(dir_fd, "ipc", 0755) != 0 || fchmodat(dir_fd, "ipc", 0755, 0) != 0 ||
	    (ipc_fd = openat(dir_fd, "ipc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		(void)err_errno(e, ERR_SETUP, "make ipc in the state folder");
	else if ((to = make_file(ipc_fd, INNER_IPC_NAME, 0555, e)) >= 0)
		rc = copy_all(from, to, e);
	fd_close(&to);
	fd_close(&ipc_fd);
	fd_close(&from);
	return rc;
}

static int put_filter(int dir_fd, const struct plan *plan, struct err *e)
{
	struct seccomp_rules rules;
	struct buf out;
	int rc;

	if (!plan->container->has_filter)
		return 0;
	seccomp_rules_init(&rules);
	buf_init(&out, LIMIT_FRAME);
	rc = seccomp_rules_builtin(&rules, plan->builtin_flags, e);
	if (rc == 0)
		rc = seccomp_put_oci_json(&rules, &out, e);
	if (rc == 0)
		rc = write_file(dir_fd, "seccomp.json", 0644, out.data, out.len, e);
	buf_fini(&out);
	seccomp_rules_fini(&rules);
	return rc;
}

static int fill_folder(int dir_fd, const struct plan *plan, struct err *e)
{
	struct container *c = plan->container;
	const char *program = c->engine.program;
	char place[20];

	print_place(place, plan);
	c->lock_fd = make_file(dir_fd, "lock", 0600, e);
	if (c->lock_fd < 0)
		return -1;
	if (flock(c->lock_fd, LOCK_EX | LOCK_NB) != 0)
		return err_errno(e, ERR_SETUP, "lock the run's folder");
	if (write_file(dir_fd, "engine", 0600, program, strlen(program), e) != 0 ||
	    write_file(dir_fd, "place", 0600, place, strlen(place), e) != 0)
		return -1;
	return put_program(dir_fd, plan, e) != 0 ? -1 : put_filter(dir_fd, plan, e);
}

static int open_runs(const char *state_dir, struct err *e)
{
	MEM_AUTOFREE char *path = mem_printf(e, "%s/run", state_dir);
	int fd;

	if (path == NULL)
		return -1;
	if ((mkdir(state_dir, 0700) != 0 && errno != EEXIST) ||
	    (mkdir(path, 0700) != 0 && errno != EEXIST) ||
	    (fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return err_errno(
		    e, ERR_SETUP, "the state folder %s (SBX_STATE_DIR)", state_dir);
	return fd;
}

static int make_folder(int runs_fd, const struct plan *plan, struct err *e)
{
	const struct container *c = plan->container;
	char fresh[CONTAINER_NAME_MAX + sizeof FRESH_PREFIX];
	int dir_fd, rc;

	(void)snprintf(fresh, sizeof fresh, FRESH_PREFIX "%s", c->name);
	if (mkdirat(runs_fd, fresh, 0700) != 0 ||
	    (dir_fd = openat(runs_fd, fresh, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return err_errno(e, ERR_SETUP, "make a folder in %s/run", c->state_dir);
	rc = fill_folder(dir_fd, plan, e);
	fd_close(&dir_fd);
	if (rc == 0 && renameat(runs_fd, fresh, runs_fd, c->name) != 0)
		rc = err_errno(e, ERR_SETUP, "make a folder in %s/run", c->state_dir);
	if (rc != 0)
		(void)tree_remove(runs_fd, fresh);
	return rc;
}

int container_setup(struct guard *g, struct err *e)
{
	const struct plan *plan = g->plan;
	const struct container *c = plan->container;
	const char *folders[] = { c->state_dir, plan->root, NULL };
	int runs_fd = open_runs(c->state_dir, e);
	int rc;

	if (runs_fd < 0)
		return -1;
	/* conmon leaves its mark "oom" where its engine was started: not in the caller's folder */
	rc = fchdir(runs_fd) == 0 ? 0 : err_errno(e, ERR_SETUP, "%s/run", c->state_dir);
	if (rc == 0 && c->engine.is_machine)
		rc = machine_ready(&c->engine, plan->tool_env.v, c->state_dir, folders, e);
	if (rc == 0) {
		sweep(runs_fd, plan);
		rc = make_folder(runs_fd, plan, e);
	}
	fd_close(&runs_fd);
	return rc;
}

/*
 * A tool that ended by itself has removed the container (--rm). One that had to be killed may have
 * left it, or have been about to make it.
 */
void container_cleanup(struct guard *g, bool is_tool_done)
{
	const struct plan *plan = g->plan;
	struct container *c = plan->container;
	int runs_fd = c == NULL || c->lock_fd < 0 ? -1 : open_runs(c->state_dir, NULL);
	bool is_gone;

	if (runs_fd < 0)
		return;
	/* somebody else killed it (a machine without memory does) */
	if (g->report.has_status != 0 && WIFSIGNALED(g->report.status))
		is_tool_done = false;
	is_gone = is_tool_done;
	for (int i = 0; i < REMOVE_TRIES && !is_tool_done; i++) {
		is_gone = remove_container(&c->engine, plan->tool_env.v, c->name) > 0;
		if (i + 1 < REMOVE_TRIES)
			(void)usleep(REMOVE_AGAIN_MS * 1000U);
	}
	/* 125 is the engine's own failure: what is remembered of it may be wrong by now */
	if (is_tool_done && g->report.has_status != 0 && WIFEXITED(g->report.status) &&
	    WEXITSTATUS(g->report.status) == 125)
		engine_forget(&c->engine, c->state_dir);
	if (is_gone)
		(void)tree_remove(runs_fd, c->name);
	(void)unlinkat(runs_fd, "oom", 0);
	fd_close(&c->lock_fd); /* else the next run looks after it */
	fd_close(&runs_fd);
}
