/*
 * The probe's row of a container engine: does it answer, within the second that each step of the
 * probe has, and what is it. Whether a container of it works is a real run, for which the caller
 * must have named an image (probe.c).
 */
#include <stdio.h>
#include <string.h>

#include "../base/mem.h"
#include "../base/str.h"
#include "engine.h"
#include "plan.h"
#include "probe.h"

#define PROBE_STEP_MS 1000U

/* What an engine said is quoted up to some length: without the half word before that mark. */
static void probe_end_at_word(char *text)
{
	char *cut = str_find(text, "\xe2\x80\xa6"), *end = cut;

	if (cut == NULL)
		return;
	while (end > text && end[-1] != ' ')
		end--;
	if (end > text)
		memmove(end, cut, strlen(cut) + 1);
}

static int probe_engine(const struct sandbox_backend *b, char *const *env, struct probe_row *row,
    bool *has_image, struct err *e)
{
	struct sandbox_request rq = { .env = env };
	const char *home = plan_host_env(&rq, "HOME");
	MEM_AUTOFREE char *state = engine_state_dir(&rq, home != NULL ? home : "/", e);
	struct strv client_env = { 0 };
	struct engine en;
	struct err why = ERR_INIT;
	int rc;

	if (state == NULL || engine_environment(&rq, false, &client_env, e) != 0)
		return -1;
	rc = engine_find(&en, b == &backend_container ? NULL : b->name, &rq, &why);
	if (rc == 0)
		rc = engine_look(&en, client_env.v, state, PROBE_STEP_MS, &why);
	strv_fini(&client_env);
	row->works = rc == 0;
	*has_image = engine_setting(&rq, "IMAGE") != NULL;
	(void)snprintf(row->reason, sizeof row->reason, "%.250s", rc == 0 ? "" : why.msg);
	probe_end_at_word(row->reason);
	if (rc == 0)
		(void)snprintf(row->evidence, sizeof row->evidence,
		    "%s %s answers%s; no container was tried, as SBX_IMAGE names no image",
		    engine_name(en.kind), en.version, en.is_rootless ? ", rootless" : "");
	else
		(void)snprintf(row->evidence, sizeof row->evidence, "the engine does not answer");
	return 0;
}

int probe_engines(struct probe_report *r, const struct sandbox_backend *one, const char *self_path,
    char *const *env,
    int (*run)(const char *backend, const char *self_path, char *const *env, struct probe_row *row,
	struct err *e),
    struct err *e)
{
	for (size_t i = 0; sandbox_named_backends[i] != NULL; i++) {
		const struct sandbox_backend *b = sandbox_named_backends[i];
		struct probe_row *row = &r->backends[r->backend_count];
		bool has_image = false;

		/* "container" is one of the others */
		if (!b->is_container || (one == NULL ? b == &backend_container : b != one))
			continue;
		row->name = b->name;
		if (probe_engine(b, env, row, &has_image, e) != 0)
			return -1;
		if (row->works && has_image && run != NULL &&
		    run(b->name, self_path, env, row, e) != 0)
			return -1;
		r->backend_count++;
	}
	return 0;
}
