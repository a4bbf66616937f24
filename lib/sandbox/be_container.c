/*
 * The container backends: a plan as the words of podman-run(1) and docker-run(1). Both take the
 * same ones but for a few that only podman has. Nothing of the command is among them, so nothing of
 * it shows in ps: it goes to our init in a frame.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../base/str.h"
#include "container.h"
#include "inner.h"

/* The mode: without it docker gives a new folder to root alone, as it does with any mount point. */
#define TMP_OPTIONS "rw,noexec,nosuid,nodev,mode=1777"

/* Words, NULL at the end. */
static int put(struct plan *plan, struct err *e, ...) __attribute__((sentinel));
static int put(struct plan *plan, struct err *e, ...)
{
	const char *word;
	int rc = 0;
	va_list ap;

	va_start(ap, e);
	while (rc == 0 && (word = va_arg(ap, const char *)) != NULL)
		rc = strv_add(&plan->tool, word, e);
	va_end(ap);
	return rc;
}

/* An option and its value, which is printed. */
static int put_value(struct plan *plan, struct err *e, const char *option, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
static int put_value(struct plan *plan, struct err *e, const char *option, const char *fmt, ...)
{
	char text[2 * PATH_MAX + 128];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof text)
		return err_set(e, ERR_USAGE, "%s: too long for a container engine", option);
	return put(plan, e, option, text, NULL);
}

/* Mebibytes where it comes out even, as people write it. */
static int put_size(struct plan *plan, const char *option, uint64_t bytes, struct err *e)
{
	return bytes % SBX_MIB == 0 ?
		   put_value(plan, e, option, "%llum", (unsigned long long)(bytes / SBX_MIB)) :
		   put_value(plan, e, option, "%llub", (unsigned long long)bytes);
}

static int put_limits(struct plan *plan, struct err *e)
{
	const struct policy *p = plan->policy;

	/* memory-swap is memory and swap together: the same number leaves no swap */
	if (p->memory_bytes != 0 &&
	    (put_size(plan, "--memory", p->memory_bytes, e) != 0 ||
		put_size(plan, "--memory-swap", p->memory_bytes, e) != 0))
		return -1;
	if (p->pids != 0 &&
	    put_value(plan, e, "--pids-limit", "%llu", (unsigned long long)p->pids) != 0)
		return -1;
	if (p->cpus_milli == 0)
		return 0;
	return put_value(plan, e, "--cpus", "%llu.%03u",
	    (unsigned long long)(p->cpus_milli / 1000U), (unsigned)(p->cpus_milli % 1000U));
}

/*
 * --mount and not --volume, which makes a missing source, as root. Its value is a comma-separated
 * list, in which engines differ about quotes.
 */
static int put_mount(struct plan *plan, const char *src, const char *dst, bool is_read_only,
    struct err *e)
{
	if (strpbrk(src, ",\"\n") != NULL || strpbrk(dst, ",\"\n") != NULL)
		return err_set(e, ERR_USAGE,
		    "%s: container engines take no comma, quote or newline in a path",
		    strpbrk(src, ",\"\n") != NULL ? src : dst);
	return put_value(plan, e, "--mount", "type=bind,src=%s,dst=%s%s", src, dst,
	    is_read_only ? ",readonly" : "");
}

static int put_tmpfs(struct plan *plan, const char *dst, uint64_t bytes, struct err *e)
{
	if (strchr(dst, ':') != NULL)
		return err_set(
		    e, ERR_USAGE, "--tmpfs %s: container engines take no colon there", dst);
	/* podman would fill it with what it covers */
	return put_value(plan, e, "--tmpfs", "%s:" TMP_OPTIONS ",size=%llu%s", dst,
	    (unsigned long long)(bytes != 0 ? bytes : LIMIT_TMP_BYTES),
	    plan->container->engine.kind == ENGINE_PODMAN ? ",notmpcopyup" : "");
}

static bool is_ours(const char *dst)
{
	return view_path_is_below(dst, INNER_IPC_DIR) || view_path_is_below(INNER_IPC_DIR, dst);
}

static int put_policy_mount(struct plan *plan, const struct policy_mount *m, struct err *e)
{
	if (is_ours(m->dst))
		return err_set(e, ERR_USAGE, "%s: this place is the sandbox's own", m->dst);
	return m->src == NULL ? put_tmpfs(plan, m->dst, m->size_bytes, e) :
				put_mount(plan, m->src, m->dst, m->is_read_only, e);
}

static int put_mounts(struct plan *plan, struct err *e)
{
	const struct container *c = plan->container;
	bool is_podman = c->engine.kind == ENGINE_PODMAN;
	MEM_AUTOFREE char *ipc = mem_printf(e, "%s/ipc", c->run_dir);

	if (ipc == NULL || container_each_mount(plan, put_policy_mount, e) != 0)
		return -1;
	/* docker makes the working folder, for root, and runc then gives the tmpfs its mode; it is
	 * our init that goes there in any case */
	if (put(plan, e, "--workdir", is_podman ? CONTAINER_WORKSPACE : "/", NULL) != 0)
		return -1;
	return put_mount(plan, ipc, INNER_IPC_DIR, true, e);
}

/* docker's client passes the proxies of its configuration on, passwords and all: emptied, as it has
 * no switch for that. */
static int put_no_proxies(struct plan *plan, struct err *e)
{
	static const char *const names[] = { "HTTP_PROXY=", "HTTPS_PROXY=", "FTP_PROXY=",
		"NO_PROXY=", "ALL_PROXY=", "http_proxy=", "https_proxy=", "ftp_proxy=",
		"no_proxy=", "all_proxy=" };

	for (size_t i = 0; i < MEM_COUNT(names); i++)
		if (put(plan, e, "--env", names[i], NULL) != 0)
			return -1;
	return 0;
}

static int put_identity(struct plan *plan, struct err *e)
{
	const struct container *c = plan->container;

	/* so that the caller's own number means the caller inside, too */
	if (c->engine.kind == ENGINE_PODMAN && c->engine.is_rootless && c->has_root &&
	    put(plan, e, "--userns", "keep-id", NULL) != 0)
		return -1;
	return put_value(plan, e, "--user", "%u:%u", (unsigned)plan->uid, (unsigned)plan->gid);
}

/* What of /proc only root may read, for a command that is root, if without its rights. docker
 * masks nothing beyond its own list: container_plan() says so. */
static int put_masks(struct plan *plan, struct err *e)
{
	char list[512] = "mask=";
	size_t n = strlen(list);

	if (!container_is_real_root(plan) || plan->container->engine.kind != ENGINE_PODMAN)
		return 0;
	for (const char *const *p = plan_proc_masked_for_root; *p != NULL; p++)
		n += (size_t)snprintf(list + n, n < sizeof list ? sizeof list - n : 0, "%s%s",
		    n > 5 ? ":" : "", *p);
	return n < sizeof list ? put(plan, e, "--security-opt", list, NULL) :
				 err_set(e, ERR_INTERNAL, "too many masks");
}

static int put_confinement(struct plan *plan, struct err *e)
{
	const struct container *c = plan->container;
	const char *list = plan->policy->seccomp;
	bool is_podman = c->engine.kind == ENGINE_PODMAN;
	int rc = 0;

	if (put(plan, e, "--network", "none", "--read-only", NULL) != 0 ||
	    (is_podman && put(plan, e, "--read-only-tmpfs=false", NULL) != 0) ||
	    put(plan, e, "--cap-drop", "ALL", "--security-opt", "no-new-privileges", NULL) != 0)
		return -1;
	if (c->has_filter)
		rc = put_value(
		    plan, e, "--security-opt", "seccomp=%s/seccomp.json", c->run_dir);
	else if (list != NULL) /* our init puts it on; nothing else may be in its way */
		rc = put(plan, e, "--security-opt", "seccomp=unconfined", NULL);
	if (rc != 0)
		return -1;
	if (put_masks(plan, e) != 0)
		return -1;
	/* the image's own volumes would be written on the host's disk, its health check be run
	 * beside the command and unlike it */
	if (put(plan, e, "--no-healthcheck", NULL) != 0 ||
	    (is_podman && put(plan, e, "--image-volume", "ignore", NULL) != 0))
		return -1;
	/* no /dev/shm: it would be one more place to write; logs would keep the frames */
	return put(plan, e, "--ipc", "none", "--cgroupns", "private", "--log-driver", "none",
	    "--init=false", NULL);
}

int container_plan_argv(struct plan *plan, struct err *e)
{
	const struct container *c = plan->container;
	bool is_podman = c->engine.kind == ENGINE_PODMAN;

	strv_fini(&plan->tool);
	if (put(plan, e, c->engine.program, "run", "--rm", "-i", "--name", c->name, NULL) != 0 ||
	    put_value(plan, e, "--label", CONTAINER_LABEL "=%s", c->name) != 0 ||
	    put_confinement(plan, e) != 0 || put_identity(plan, e) != 0 || put_limits(plan, e) != 0)
		return -1;
	if ((is_podman ? put(plan, e, "--http-proxy=false", "--no-hosts", NULL) :
			 put_no_proxies(plan, e)) != 0)
		return -1;
	if (put(plan, e, "--pull", plan->policy->pull, NULL) != 0 || put_mounts(plan, e) != 0 ||
	    put(plan, e, "--entrypoint", INNER_IPC_DIR "/" INNER_IPC_NAME, plan->policy->image,
		INNER_STDIO, NULL) != 0)
		return -1;
	plan->argv = plan->tool.v;
	return 0;
}

void container_explain(const char *line, struct err *e)
{
	static const struct {
		const char *said, *remedy;
	} known[] = {
		{ "image not known", "the image is not here: pull it, or --pull missing" },
		{ "o such image", "the image is not here: pull it, or --pull missing" },
		{ "Unable to find image", "the image is not here: pull it, or --pull missing" },
		{ "annot connect to", "the engine does not answer: is it running?" },
		{ "rror during connect", "the engine does not answer: is it running?" },
		{ "exec format error", "the image is for another kind of processor" },
		{ "setting rlimit",
		    "the engine wants higher limits than it may set: lower default_ulimits in "
		    "containers.conf" },
		{ "hybrid mode not supported",
		    "crun takes no hybrid cgroups: set runtime=\"runc\" in containers.conf" },
		{ "no subuid ranges",
		    "rootless podman needs ranges in /etc/subuid and /etc/subgid" },
		{ "unknown flag", "this engine is too old: podman 4.3 or docker 20.10 is needed" },
	};

	for (size_t i = 0; i < MEM_COUNT(known); i++) {
		if (str_find(line, known[i].said) == NULL)
			continue;
		(void)err_set(e, ERR_REFUSED, "%s (%s)", line, known[i].remedy);
		return;
	}
	(void)err_set(e, ERR_SETUP, "%s", line);
}

static int podman_plan(struct plan *plan, struct err *e)
{
	return container_plan(plan, "podman", e);
}

static int docker_plan(struct plan *plan, struct err *e)
{
	return container_plan(plan, "docker", e);
}

static int any_plan(struct plan *plan, struct err *e)
{
	return container_plan(plan, NULL, e);
}

#define CONTAINER_BACKEND(its_name, its_plan)                                                     \
	{                                                                                         \
		.name = (its_name), .aliases = "", .layers = LAYER_ALL,                           \
		.defaults = container_defaults, .plan = (its_plan), .setup = container_setup,     \
		.cleanup = container_cleanup, .explain = container_explain,                       \
		.has_inner_init = true, .is_container = true,                                     \
	}

const struct sandbox_backend backend_podman = CONTAINER_BACKEND("podman", podman_plan);
const struct sandbox_backend backend_docker = CONTAINER_BACKEND("docker", docker_plan);
const struct sandbox_backend backend_container = CONTAINER_BACKEND("container", any_plan);
