/*
 * The probe's row of a container engine: does it answer, within the second that each step of the
 * probe has, and what is it. Whether a container of it works is a real run, for which the caller
 * must have named an image (probe.c).
 */
#include <stdio.h>

#include "../base/mem.h"
#include "engine.h"
#include "plan.h"
#include "probe.h"

int probe_engine(const struct sandbox_backend *b, char *const *env, uint64_t timeout_ms,
    struct probe_row *row, bool *has_image, struct err *e)
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
		rc = engine_look(&en, client_env.v, state, timeout_ms, &why);
	strv_fini(&client_env);
	row->works = rc == 0;
	*has_image = engine_setting(&rq, "IMAGE") != NULL;
	(void)snprintf(row->reason, sizeof row->reason, "%.250s", rc == 0 ? "" : why.msg);
	if (rc == 0)
		(void)snprintf(row->evidence, sizeof row->evidence,
		    "%s %s answers%s; no container was tried, as SBX_IMAGE names no image",
		    engine_name(en.kind), en.version, en.is_rootless ? ", rootless" : "");
	else
		(void)snprintf(row->evidence, sizeof row->evidence, "the engine does not answer");
	return 0;
}
