/*
 * What the container backends need beyond a plan: the settings of the contract (SBX_ and
 * MCP_BRIDGE_ variables, defaults, ceiling), the engine, and one folder a run in the state folder.
 * That holds what is mounted at /ipc and, locked as long as the run's guardian lives, the proof
 * that somebody still looks after the container of that name.
 *
 *   STATE/engine/podman.json        what the engine said of itself (engine.h)
 *   STATE/run/NAME/lock             held by the guardian; free: the container is nobody's
 *   STATE/run/NAME/engine           the engine's program
 *   STATE/run/NAME/place            and where it keeps its containers (engine_place())
 *   STATE/run/NAME/seccomp.json     our filter, in the engine's form
 *   STATE/run/NAME/ipc/sbx-init     our own program, mounted read-only
 */
#ifndef SBX_SANDBOX_CONTAINER_H
#define SBX_SANDBOX_CONTAINER_H

#include "engine.h"
#include "plan.h"

#define CONTAINER_NAME_MAX 32
#define CONTAINER_LABEL "sbx" /* its value is the name */
#define CONTAINER_WORKSPACE "/workspace"

struct container {
	struct engine engine;
	char *state_dir;
	char name[CONTAINER_NAME_MAX]; /* unguessable */
	char *run_dir;		       /* STATE/run/NAME; made by the guardian */
	bool has_filter;	       /* seccomp.json: the built-in filter */
	bool has_root;		       /* the project root is mounted, not an empty folder */
	int lock_fd;		       /* guardian: -1 elsewhere */
};

void container_free(struct container *c);

/* Is the command's user 0 the machine's root, whatever else it is denied? */
static inline bool container_is_real_root(const struct plan *plan)
{
	return plan->uid == 0 && !plan->container->engine.has_user_ns;
}

/* be_container.c: fill plan->tool from policy and container; pure. ERR_USAGE, ERR_REFUSED. */
int container_plan_argv(struct plan *plan, struct err *e);
/* One line of an engine's stderr as an error: what it means, and what to do. */
void container_explain(const char *line, struct err *e);

/* container.c: each mount but our own, as it is to be made: src (NULL: a tmpfs) and dst absolute,
 * is_read_only for all kinds. In any order: engines sort by depth. Until take() fails. */
int container_each_mount(struct plan *plan,
    int (*take)(struct plan *plan, const struct policy_mount *m, struct err *e), struct err *e);
/* The backends' defaults() and plan(). kind: "podman", "docker", NULL: any. */
int container_defaults(struct policy *p, const struct sandbox_request *rq, struct err *e);
int container_plan(struct plan *plan, const char *wanted, struct err *e);

/* container_run.c: in the guardian. */
int container_setup(struct guard *g, struct err *e);
void container_cleanup(struct guard *g, bool is_tool_done);

/* engine_machine.c: podman's virtual machine. */
/*
 * Start it if it is stopped (noting that it was us), never change what it may do, and make sure
 * that it sees these folders (NULL at the end). ERR_REFUSED with the remedy.
 */
int machine_ready(const struct engine *en, char *const *env, const char *state_dir,
    const char *const *folders, struct err *e);
/*
 * For programs that live long: stop it if it was started by us, no container runs in it, and the
 * last run is idle_ms old. 1: stopped; 0: left alone; -1 with e.
 */
int machine_stop_idle(const struct engine *en, char *const *env, const char *state_dir,
    uint64_t idle_ms, struct err *e);
/* SBX_RUNTIME_IDLE_TIMEOUT, MCP_BRIDGE_RUNTIME_IDLE_TIMEOUT, else 300 s. */
int machine_idle_ms(const struct sandbox_request *rq, uint64_t *idle_ms, struct err *e);

#define MACHINE_START_MS 180000U

#endif
