/*
 * The native backend: a subprocess with a scrubbed environment, resource limits, timeout and capped
 * output, and no isolation. It never fails to be usable, so it refuses only what was asked for
 * explicitly and it cannot give.
 */
#include <unistd.h>

#include "plan.h"

static int native_refuse(const struct plan *p, const char *what, struct err *e)
{
	if (p->policy->is_best_effort)
		return 0;
	return err_set(e, ERR_REFUSED, "the native backend cannot %s; use -b namespace", what);
}

static int native_plan(struct plan *p, struct err *e)
{
	const struct policy *policy = p->policy;

	if (policy->mount_count != 0 &&
	    native_refuse(p, "change what the command sees (--ro --rw --bind --tmpfs --hide)", e) !=
		0)
		return -1;
	if (policy->is_net_set && policy->net != NET_HOST &&
	    native_refuse(p, "take the network away (--net)", e) != 0)
		return -1;
	if (policy->seccomp != NULL && native_refuse(p, "filter system calls (--seccomp)", e) != 0)
		return -1;
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
