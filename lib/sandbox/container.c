/*
 * Policy, environment and engine → a container's plan; see container.h. What an engine's command
 * line says of it is be_container.c. Nothing is made here, and the engine is asked only when it was
 * never asked before.
 */
#include "container.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../policy/env_rules.h"
#include "../policy/policy_options.h"
#include "../sys/fd.h"
#include "../sys/path.h"
#include "../sys/path_os.h"
#include "inner.h"
#include "root.h"

#define DEFAULT_TIMEOUT_MS 30000U
#define DEFAULT_MAX_TIMEOUT_MS 120000U
#define DEFAULT_MEMORY_BYTES (512UL * SBX_MIB)
#define DEFAULT_PIDS 128U
#define DEFAULT_ID 65534U
#define PULL_MS 600000U
#define TMP_BYTES (64UL * SBX_MIB)
#define WORKSPACE_BYTES (128UL * SBX_MIB)

/* ---- settings ---- */

static int duration(const struct sandbox_request *rq, const char *name, uint64_t dflt,
    uint64_t *ms, struct err *e)
{
	char what[ENGINE_SETTING_MAX];
	const char *text = engine_setting_named(rq, name, what);

	*ms = dflt;
	return text == NULL ? 0 : str_parse_duration(text, what, ms, e);
}

int machine_idle_ms(const struct sandbox_request *rq, uint64_t *idle_ms, struct err *e)
{
	return duration(rq, "RUNTIME_IDLE_TIMEOUT", 300000U, idle_ms, e);
}

static int settle_timeout(struct policy *p, const struct sandbox_request *rq, struct err *e)
{
	uint64_t max = 0;

	if (duration(rq, "MAX_TIMEOUT", DEFAULT_MAX_TIMEOUT_MS, &max, e) != 0)
		return -1;
	if (!p->is_timeout_set && p->timeout_ms == 0 &&
	    duration(rq, "TIMEOUT", DEFAULT_TIMEOUT_MS, &p->timeout_ms, e) != 0)
		return -1;
	if (p->timeout_ms != 0 && p->timeout_ms <= max)
		return 0;
	return err_set(e, ERR_USAGE,
	    "--timeout: a container runs at most %llu s, and not without a limit; "
	    "SBX_MAX_TIMEOUT allows more",
	    (unsigned long long)(max / 1000U));
}

static int settle_limits(struct policy *p, const struct sandbox_request *rq, struct err *e)
{
	char what[ENGINE_SETTING_MAX];
	const char *text;

	if (!p->is_memory_set && p->memory_bytes == 0) {
		p->memory_bytes = DEFAULT_MEMORY_BYTES;
		text = engine_setting_named(rq, "MEMORY", what);
		if (text != NULL && str_parse_size(text, what, &p->memory_bytes, e) != 0)
			return -1;
	}
	if (!p->is_pids_set && p->pids == 0) {
		p->pids = DEFAULT_PIDS;
		text = engine_setting_named(rq, "PIDS", what);
		if (text != NULL && str_parse_u64(text, 4194304U, what, &p->pids, e) != 0)
			return -1;
	}
	text = engine_setting_named(rq, "CPUS", what);
	if (!p->is_cpus_set && p->cpus_milli == 0 && text != NULL &&
	    policy_option_cpus(p, text, e) != 0)
		return err_wrap(e, "%s", what);
	return 0;
}

static int settle_image(struct policy *p, const struct sandbox_request *rq, struct err *e)
{
	const char *named = engine_setting(rq, "IMAGE");

	if (p->pull == NULL)
		p->pull = (char *)(uintptr_t)"never"; /* borrowed, as all of this copy */
	if (p->image == NULL)
		p->image = (char *)(uintptr_t)named;
	if (p->image == NULL)
		return err_set(
		    e, ERR_USAGE, "a container needs an image: --image NAME, or SBX_IMAGE");
	return policy_check(p, e);
}

/* What no container can be made to do, or would do worse than another backend. */
static int refuse(const struct policy *p, struct err *e)
{
	if (p->want_tty)
		return err_set(e, ERR_REFUSED,
		    "--tty: not in a container; use -b namespace or bubblewrap");
	if (p->net == NET_HOST)
		return err_set(e, ERR_REFUSED,
		    "--net host: a container of ours has no network; use -b namespace");
	for (size_t i = 0; i < p->mount_count; i++)
		if (p->mounts[i].kind == MOUNT_HIDE)
			return err_set(e, ERR_REFUSED,
			    "--hide %s: a container shows only what is mounted into it; name "
			    "less, or use -b namespace",
			    p->mounts[i].dst);
	return 0;
}

int container_defaults(struct policy *p, const struct sandbox_request *rq, struct err *e)
{
	char what[ENGINE_SETTING_MAX];
	const char *user = engine_setting_named(rq, "CONTAINER_USER", what);

	if (refuse(p, e) != 0 || settle_timeout(p, rq, e) != 0 || settle_limits(p, rq, e) != 0)
		return -1;
	if (!p->is_user_set && user != NULL) {
		if (policy_option_user(p, user, e) != 0)
			return err_wrap(e, "%s", what);
		p->is_user_set = true;
	}
	/* what the host's variables speak of is not there; the image has its own */
	if (!p->is_env_mode_set && p->env_mode == ENV_SCRUB)
		p->env_mode = ENV_ALLOW;
	return settle_image(p, rq, e);
}

/* ---- the plan ---- */

void container_free(struct container *c)
{
	if (c == NULL)
		return;
	fd_close(&c->lock_fd);
	free(c->state_dir);
	free(c->run_dir);
	free(c);
}

static int name_run(struct container *c, struct err *e)
{
	unsigned char random[8];

	if (getentropy(random, sizeof random) != 0)
		return err_errno(e, ERR_SETUP, "getentropy");
	(void)snprintf(c->name, sizeof c->name, "sbx-%02x%02x%02x%02x%02x%02x%02x%02x", random[0],
	    random[1], random[2], random[3], random[4], random[5], random[6], random[7]);
	c->run_dir = mem_printf(e, "%s/run/%s", c->state_dir, c->name);
	return c->run_dir == NULL ? -1 : 0;
}

/* Whose the files are that a command makes: the caller's own where a folder of his is written. */
static void choose_user(struct plan *plan)
{
	const struct container *c = plan->container;
	const struct policy *p = plan->policy;

	if (p->is_user_set)
		return; /* plan_identity() took it */
	if (!c->has_root) {
		plan->uid = plan->gid = DEFAULT_ID;
		return;
	}
	plan->uid = plan->outside_uid;
	plan->gid = plan->outside_gid;
	/* rootless docker shows its own user as root, and knows no keep-id */
	if (c->engine.kind == ENGINE_DOCKER && c->engine.is_rootless)
		plan->uid = plan->gid = 0;
}

/* The root and the working folder, as they are inside. */
static int place_root(struct plan *plan, struct err *e)
{
	struct container *c = plan->container;
	const char *below = "";
	char *cwd;

	c->has_root = plan->root != NULL &&
		      (plan->policy->root != NULL || plan->policy->cwd != NULL);
	if (c->has_root)
		below = path_below(plan->cwd, plan->root);
	cwd = mem_printf(e, "%s%s%s", CONTAINER_WORKSPACE,
	    below == NULL || *below == '\0' ? "" : "/", below == NULL ? "" : below);
	if (cwd == NULL)
		return -1;
	free(plan->cwd);
	plan->cwd = cwd;
	if (c->has_root)
		return 0;
	fd_close(&plan->root_fd);
	fd_close(&plan->cwd_fd);
	free(plan->root);
	plan->root = NULL;
	free(plan->notice); /* of a folder that is not used */
	plan->notice = NULL;
	if (plan->policy->is_root_read_only)
		return err_set(e, ERR_USAGE, "--root-ro needs --root or -C");
	return 0;
}

/* The command is given PATH and what else the image says; the host's own is of no use there. */
static bool is_of_the_host(const char *entry)
{
	static const char *const names[] = { "PATH", "SHELL", "USER", "USERNAME", "LOGNAME",
		"VIRTUAL_ENV", "CONDA_DEFAULT_ENV" };
	size_t n = strcspn(entry, "=");
	char name[64];

	if (n >= sizeof name)
		return false;
	memcpy(name, entry, n);
	name[n] = '\0';
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return env_name_is_proxy(name);
}

static bool is_asked_for(const struct policy *p, const char *entry)
{
	size_t n = strcspn(entry, "=");

	for (size_t i = 0; i < p->env_set.n; i++)
		if (strncmp(p->env_set.v[i], entry, n) == 0 &&
		    (p->env_set.v[i][n] == '=' || p->env_set.v[i][n] == '\0'))
			return true;
	return p->env_files.n > 0; /* one of them may have named it */
}

static void drop_host_env(struct plan *plan)
{
	struct strv *env = &plan->env.env;
	size_t kept = 0;

	for (size_t i = 0; i < env->n; i++) {
		if (is_of_the_host(env->v[i]) && !is_asked_for(plan->policy, env->v[i]))
			free(env->v[i]);
		else
			env->v[kept++] = env->v[i];
	}
	if (env->v != NULL)
		env->v[kept] = NULL;
	env->n = kept;
}

/* ---- mounts ---- */

/*
 * A path that leads into folder (a real path), spelled by that: what follows may be a command's
 * work, and stays as it is. False: it does not lead there.
 */
static bool spell_by(const char *folder, const char *path, char out[static PATH_MAX])
{
	return folder != NULL && folder[1] != '\0' && /* "/" is nobody's project */
	       path_resolve_above(path, folder, out) == 0 && view_path_is_below(out, folder);
}

struct mounts {
	struct policy_mount *v; /* the paths in it are owned */
	size_t n;
	struct err *e;
};

static const struct policy_mount any_mount;

/* Paths in two parts; src NULL: a tmpfs. */
static int push(struct mounts *l, const struct policy_mount *like, const char *src,
    const char *below_src, const char *dst, const char *below_dst)
{
	struct policy_mount *m = mem_realloc_array(l->v, l->n + 1, sizeof *m, l->e);

	if (m == NULL)
		return -1;
	l->v = m;
	m += l->n++;
	*m = *like;
	m->src = src == NULL ? NULL : mem_printf(l->e, "%s%s", src, below_src);
	m->dst = mem_printf(l->e, "%s%s", dst, below_dst);
	return m->dst == NULL || (src != NULL && m->src == NULL) ? -1 : 0;
}

/* What lies in the project is mounted at /workspace, too: there it would else be as it was. */
static int push_asked(struct mounts *l, const struct plan *plan, struct policy_mount m)
{
	const char *cwd = plan->cwd_outside != NULL ? plan->cwd_outside : "/";
	MEM_AUTOFREE char *src = view_clean_path(cwd, m.src, l->e);
	MEM_AUTOFREE char *dst = view_clean_path(cwd, m.dst, l->e);
	char path[PATH_MAX];

	if (dst == NULL || (m.src != NULL && src == NULL))
		return -1;
	m.is_read_only |= m.kind == MOUNT_RO;
	if (spell_by(plan->root, dst, path)) {
		const char *rest = path + strlen(plan->root);

		if (*rest == '\0' && m.kind != MOUNT_RW) /* --rw lets any folder be a project */
			return err_set(
			    l->e, ERR_USAGE, "%s: is the project; see --root-ro", dst);
		if (*rest != '\0' && push(l, &m, src, "", CONTAINER_WORKSPACE, rest) != 0)
			return -1;
	}
	return push(l, &m, src, "", dst, "");
}

/*
 * In a writable folder a command could rename what lies above a mount, and put its own in that
 * place: so each folder between becomes a mount of itself, which rename(2) refuses (EBUSY).
 */
static int push_pins(struct mounts *l, const char *dst)
{
	struct policy_mount above = { .is_read_only = true };

	for (const char *end = dst; (end = strchr(end + 1, '/')) != NULL;) {
		size_t n = (size_t)(end - dst), i = 0;

		while (i < l->n && (strncmp(l->v[i].dst, dst, n) != 0 || l->v[i].dst[n] != '\0'))
			i++;
		if (i == l->n) {
			MEM_AUTOFREE char *place = mem_strndup(dst, n, l->e);

			if (above.is_read_only || above.src == NULL)
				continue;
			if (place == NULL || push(l, &any_mount, above.src,
						 place + strlen(above.dst), place, "") != 0)
				return -1;
		}
		above = l->v[i];
	}
	return 0;
}

int container_each_mount(struct plan *plan,
    int (*take)(struct plan *plan, const struct policy_mount *m, struct err *e), struct err *e)
{
	const struct policy *p = plan->policy;
	struct mounts l = { .e = e };
	int rc = push(&l, &any_mount, NULL, "", "/tmp", "");

	if (rc == 0)
		rc = push(&l, &any_mount, plan->root, "", CONTAINER_WORKSPACE, "");
	if (rc == 0) {
		l.v[0].size_bytes = TMP_BYTES;
		l.v[1].is_read_only = p->is_root_read_only;
		l.v[1].size_bytes = WORKSPACE_BYTES;
	}
	for (size_t i = 0; i < p->mount_count && rc == 0; i++)
		rc = push_asked(&l, plan, p->mounts[i]);
	for (size_t i = 0; i < l.n && rc == 0; i++)
		rc = push_pins(&l, l.v[i].dst);
	for (size_t i = 0; i < l.n; i++) {
		if (rc == 0)
			rc = take(plan, &l.v[i], e);
		free(l.v[i].src);
		free(l.v[i].dst);
	}
	free(l.v);
	return rc;
}

/* Does a command that writes below real reach what we believe of the state folder? */
static bool is_state_below(const char *state_dir, const char *real)
{
	char state[PATH_MAX];
	const char *below;

	if (!path_resolve(state_dir, state))
		return false;
	below = path_below(real, state);
	return view_path_is_below(state, real) || view_path_is_below(state_dir, real) ||
	       (below != NULL &&
		   (view_path_is_below(below, "run") || view_path_is_below(below, "engine")));
}

/* Who has one of these has the machine: its own folders, sockets of engines and managers. */
static bool is_machine_itself(const char *real)
{
	static const char sockets[][20] = { "", "/docker.sock", "/podman.sock",
		"/podman/podman.sock", "/containerd.sock", "/bus" };
	char path[PATH_MAX + sizeof sockets];
	struct stat st;

	for (size_t i = 0; i < MEM_COUNT(sockets); i++) {
		(void)snprintf(path, sizeof path, "%s%s", real, sockets[i]);
		if (stat(path, &st) == 0 && S_ISSOCK(st.st_mode))
			return true;
	}
	return view_path_is_below("/run/user", real) || view_path_is_below("/dev", real) ||
	       view_path_is_below(real, "/proc") || view_path_is_below(real, "/sys");
}

/*
 * What is to be mounted is there now, and inside it must be the same file: an engine opens it by
 * its path, later. Below a folder that earlier commands could write, no link is followed.
 */
static int check_source(struct plan *plan, const struct policy_mount *m, struct err *e)
{
	const char *const folders[] = { plan->root, plan->cwd_outside };
	const char *state_dir = plan->container->state_dir;
	char real[PATH_MAX], path[PATH_MAX];
	struct stat st;

	if (!path_resolve(m->src, real) || lstat(real, &st) != 0)
		return err_errno(e, ERR_USAGE, "%s", m->src);
	for (size_t i = 0; i < MEM_COUNT(folders); i++)
		if (spell_by(folders[i], m->src, path) && strcmp(real, path) != 0)
			return err_set(e, ERR_USAGE,
			    "%s: leads through a symbolic link in this folder; name what it leads "
			    "to",
			    m->src);
	if (is_machine_itself(real))
		return err_set(
		    e, ERR_REFUSED, "%s: hands the machine over; mount a subfolder", m->src);
	if (!m->is_read_only && is_state_below(state_dir, real))
		return err_set(e, ERR_REFUSED,
		    "the command could write the state folder %s, which is in %s: set "
		    "SBX_STATE_DIR to another place",
		    state_dir, m->src);
	return plan_add_check(
	    plan, CHECK_SAME, m->dst, (uint64_t)st.st_dev, (uint64_t)st.st_ino, e);
}

/* An engine would make what is missing in the project, as root perhaps, and follow links there. */
static int check_place(const struct plan *plan, const char *dst, struct err *e)
{
	const char *rest = plan->root == NULL ? NULL : path_below(dst, CONTAINER_WORKSPACE);
	int fd;

	if (rest == NULL)
		return 0;
	fd = path_open_beneath(plan->root_fd, rest, PATH_OS_SEARCH);
	if (fd < 0)
		return err_sys(e, ERR_USAGE, -fd, "%s", dst);
	return close(fd);
}

static int add_mount(struct plan *plan, const struct policy_mount *m, struct err *e)
{
	if ((m->src != NULL && check_source(plan, m, e) != 0) || check_place(plan, m->dst, e) != 0)
		return -1;
	if (m->is_read_only)
		return plan_add_check(plan, CHECK_READ_ONLY, m->dst, 0, 0, e);
	if (m->src == NULL && (plan_add_check(plan, CHECK_MOUNTED, m->dst, 0, 0, e) != 0 ||
				  plan_add_check(plan, CHECK_NO_EXEC, m->dst, 0, 0, e) != 0))
		return -1;
	return plan_add_rule(plan, m->dst, LANDLOCK_READ_WRITE, e);
}

/*
 * What our init makes sure of, and the view once more for Landlock, where the kernel has it: then
 * nothing else can be written, also not a file system that is mounted below a read-only one.
 */
static int add_view(struct plan *plan, struct err *e)
{
	if (plan_add_check(plan, CHECK_READ_ONLY, "/", 0, 0, e) != 0 ||
	    plan_add_check(plan, CHECK_READ_ONLY, INNER_IPC_DIR, 0, 0, e) != 0 ||
	    plan_add_rule(plan, "/", LANDLOCK_READ_EXEC, e) != 0 ||
	    plan_add_rule(plan, "/proc", LANDLOCK_WRITE_FILES, e) != 0 ||
	    plan_add_rule(plan, "/dev", LANDLOCK_DEVICE, e) != 0)
		return -1;
	return container_each_mount(plan, add_mount, e);
}

static int fill_plan(struct plan *plan, struct err *e)
{
	struct container *c = plan->container;
	const struct policy *p = plan->policy;

	c->has_filter = p->seccomp == NULL && seccomp_available() == 0;
	plan->is_filter_made_inside = p->seccomp == NULL;
	plan->builtin_flags = SECCOMP_BUILTIN_NO_MEMFD_EXEC;
	plan->want_capability_drop = plan->want_no_new_privs = plan->want_landlock = true;
	plan->landlock_flags = LANDLOCK_SCOPE_ABSTRACT | LANDLOCK_SCOPE_SIGNALS;
	plan->rlimit_as_bytes = p->want_rlimit_as ? p->memory_bytes : 0;
	plan->setup_ms = 2 * LIMIT_SETUP_MS + (strcmp(p->pull, "never") == 0 ? 0 : PULL_MS) +
			 (c->engine.is_machine ? MACHINE_START_MS : 0);
	if (!c->engine.has_user_ns)
		plan_miss(plan, LAYER_USER_NS, "an engine that root runs maps no ids");
	free(plan->home);
	plan->home = mem_strdup("/tmp", e);
	if (plan->home == NULL)
		return -1;
	choose_user(plan);
	if (container_is_real_root(plan) && c->engine.kind == ENGINE_DOCKER)
		plan_miss(plan, LAYER_PROC,
		    "root reads some files of the host's kernel in /proc, which docker cannot "
		    "mask; --user another one, or use podman");
	drop_host_env(plan);
	return add_view(plan, e);
}

int container_plan(struct plan *plan, const char *wanted, struct err *e)
{
	struct container *c = mem_calloc(1, sizeof *c, e);
	bool may_pull = strcmp(plan->policy->pull, "never") != 0;

	if (c == NULL)
		return -1;
	c->lock_fd = -1;
	plan->container = c;
	if (place_root(plan, e) != 0 || engine_find(&c->engine, wanted, plan->rq, e) != 0)
		return -1;
	/* "container" is a way to choose; what was chosen is told */
	plan->backend = c->engine.kind == ENGINE_PODMAN ? &backend_podman : &backend_docker;
	c->state_dir = engine_state_dir(plan->rq, plan->home_outside, e);
	if (c->state_dir == NULL || engine_state_check(c->state_dir, e) != 0 ||
	    name_run(c, e) != 0 ||
	    engine_environment(plan->rq, may_pull, &plan->tool_env, e) != 0 ||
	    engine_look(&c->engine, plan->tool_env.v, c->state_dir, ENGINE_ASK_MS, e) != 0)
		return -1;
	if (mkdir(c->state_dir, 0700) != 0 && errno != EEXIST)
		return err_errno(
		    e, ERR_SETUP, "the state folder %s (SBX_STATE_DIR)", c->state_dir);
	return fill_plan(plan, e) != 0 ? -1 : container_plan_argv(plan, e);
}
