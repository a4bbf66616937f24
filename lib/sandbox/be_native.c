/*
 * The native backend: a subprocess with a scrubbed environment, resource limits, timeout and capped
 * output, and no isolation. It never fails to be usable, so it refuses only what was asked for
 * explicitly and it cannot give.
 */
#include <unistd.h>

#include "plan.h"

static int native_refuse(const char *what, struct err *e)
{
	return err_set(e, ERR_REFUSED, "the native backend cannot %s; use -b namespace", what);
}

static int native_plan(struct plan *p, struct err *e)
{
	const struct policy *policy = p->policy;

	/* --best-effort or not: it is for limits, and what --hide names would be there to read */
	if (policy->mount_count != 0)
		return native_refuse(
		    "change what the command sees (--ro --rw --bind --tmpfs --hide)", e);
	if (policy->is_net_set && policy->net != NET_HOST && !policy->is_best_effort)
		return native_refuse("take the network away (--net)", e);
	if (policy->seccomp != NULL && !policy->is_best_effort)
		return native_refuse("filter system calls (--seccomp)", e);
	if (policy->is_user_set && policy->uid != p->outside_uid && geteuid() != 0)
		return err_set(e, ERR_REFUSED,
		    "--user with the native backend needs root; -b namespace shows another id "
		    "inside");
	p->want_setuid = policy->is_user_set;
	return 0;
}

const struct sandbox_backend backend_native = {
	.name = "native",
	.aliases = "",
	.layers = LAYER_BIT(LAYER_ENV) | LAYER_BIT(LAYER_RLIMITS) |
		  LAYER_BIT(LAYER_DIE_WITH_RUNNER) | LAYER_BIT(LAYER_MEMORY) |
		  LAYER_BIT(LAYER_PIDS) | LAYER_BIT(LAYER_CPU),
	.plan = native_plan,
};
