/*
 * Elsewhere than on Linux there is no layer that could be tried by itself: each backend is tried by
 * a real run, and what the run of auto gave is what there is. See probe.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../sys/loop.h"
#include "plan.h"
#include "probe.h"

#define PROBE_BACKEND_MS 10000U

#define PROBE_ENV_MAX 64
static char *own_env[PROBE_ENV_MAX + 1]; /* the caller's strings, as every run sees them */

static void probe_take_env(char *const *env)
{
	size_t n = 0;

	for (; *env != NULL && n < PROBE_ENV_MAX; env++)
		if (strncmp(*env, "SBX_", 4) == 0)
			own_env[n++] = *env;
	own_env[n] = NULL;
}

static void probe_on_done(struct sandbox_run *run, void *ctx)
{
	(void)run;
	loop_stop(ctx);
}

static void probe_fill_row(struct probe_row *row, const struct sandbox_result *res)
{
	row->works = res->error.kind == ERR_NONE && res->exit_code == 0;
	row->name = res->backend != NULL ? res->backend : row->name;
	if (row->works) {
		(void)snprintf(row->evidence, sizeof row->evidence, "ran a command in %llu ms",
		    (unsigned long long)res->duration_ms);
		return;
	}
	(void)snprintf(row->evidence, sizeof row->evidence, "a command could not be run");
	(void)snprintf(row->reason, sizeof row->reason, "%.250s",
	    res->error.kind != ERR_NONE ? res->error.msg : reason_name(res->reason));
}

/* The layers of the run of auto: what it applied, and why not the others. */
static void probe_fill_layers(struct probe_report *r, const struct sandbox_result *res)
{
	for (int i = 0; i < LAYER_COUNT; i++) {
		struct probe_row *row = &r->layers[i];

		row->works = (res->applied & LAYER_BIT(i)) != 0;
		(void)snprintf(row->evidence, sizeof row->evidence, "a run with backend %s",
		    res->backend != NULL ? res->backend : "none");
		if (!row->works)
			(void)snprintf(row->reason, sizeof row->reason, "%.250s",
			    res->why[i] != NULL ? res->why[i] : "this system has nothing for it");
	}
	r->choice_applied = res->applied;
}

/* backend NULL: auto, which also tells of the layers. */
static int probe_run_one(struct probe_report *r, const char *backend, const char *self_path,
    struct probe_row *row, struct err *e)
{
	char *argv[] = { (char *)(uintptr_t)self_path, (char *)(uintptr_t) "--version", NULL };
	struct policy policy;
	struct sandbox_request rq = { .policy = &policy,
		.argv = argv,
		.env = own_env,
		.max_output_bytes = 4096,
		.stdin_mode = STDIN_NULL };
	struct sandbox_run *run = NULL;
	struct loop loop;
	int rc = -1;

	loop_init(&loop);
	policy_init(&policy);
	policy.timeout_ms = PROBE_BACKEND_MS;
	policy.kill_grace_ms = 0;
	policy.backend = backend == NULL ? NULL : mem_strdup(backend, e);
	if (backend == NULL || policy.backend != NULL) {
		run = sandbox_start(&loop, &rq, probe_on_done, &loop, e);
		rc = run == NULL ? -1 : loop_run(&loop, e);
	}
	if (rc == 0) {
		probe_fill_row(row, sandbox_run_result(run));
		if (backend == NULL)
			probe_fill_layers(r, sandbox_run_result(run));
	}
	sandbox_run_free(run);
	policy_fini(&policy);
	loop_fini(&loop);
	return rc;
}

static void probe_tell_missing(struct probe_report *r)
{
	size_t len = 0;

	for (int i = 0; i < LAYER_COUNT && len < sizeof r->choice.reason; i++)
		if ((r->choice_applied & LAYER_BIT(i)) == 0 && i != LAYER_MEMORY &&
		    i != LAYER_PIDS && i != LAYER_CPU)
			len += (size_t)snprintf(r->choice.reason + len,
			    sizeof r->choice.reason - len, "%s%s", len == 0 ? "" : " ",
			    layer_name((enum layer)i));
}

int probe_run(struct probe_report *r, const char *only, const char *self_path, char *const *env,
    struct err *e)
{
	const struct sandbox_backend *one = NULL;
	struct utsname u;
	bool is_auto = true;

	memset(r, 0, sizeof *r);
	probe_take_env(env);
	if (only != NULL)
		one = sandbox_backend_find(only, &is_auto, e);
	if (one == NULL && !is_auto)
		return -1;
	if (uname(&u) == 0)
		(void)snprintf(r->kernel, sizeof r->kernel, "%.60s %.80s %.40s", u.sysname,
		    u.release, u.machine);
	r->uid = geteuid();
	for (int i = 0; i < LAYER_COUNT; i++)
		r->layers[i].name = layer_name((enum layer)i);
	for (size_t i = 0; sandbox_backends[i] != NULL; i++) {
		struct probe_row *row = &r->backends[r->backend_count];

		if (one != NULL && sandbox_backends[i] != one)
			continue;
		row->name = sandbox_backends[i]->name;
		if (probe_run_one(r, row->name, self_path, row, e) != 0)
			return -1;
		r->backend_count++;
	}
	/* our own program is none of a container's */
	if (probe_engines(r, one, self_path, env, NULL, e) != 0 ||
	    probe_run_one(r, NULL, self_path, &r->choice, e) != 0)
		return -1;
	if (r->choice.works)
		probe_tell_missing(r);
	return 0;
}
