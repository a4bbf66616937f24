/*
 * The policy as plain data: its defaults, its end, and the contradictions in it that can be told
 * without looking at the machine. Must not look at the machine: whether folders exist and limits
 * can be kept is the backends' business.
 */
#include "policy.h"

#include <stdlib.h>
#include <string.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "shown.h"

#define DAY_MS (UINT64_C(24) * 60 * 60 * 1000)
#define DURATION_MAX_MS (3650 * DAY_MS) /* so that "now + duration" never overflows a clock */
#define PIDS_MAX 4194304U  /* PID_MAX_LIMIT: pids.max takes no more (kernel/cgroup/pids.c) */
#define MEMORY_MIN SBX_MIB /* the steps into the sandbox fail with 4k, a small program with 128k */
#define CPUS_MIN_MILLI 10U /* cpu.max: at least 1 ms of each 100 ms (kernel/sched/core.c) */

void policy_init(struct policy *p)
{
	*p = (struct policy){ .kill_grace_ms = 2000 };
}

void policy_fini(struct policy *p)
{
	for (size_t i = 0; i < p->mount_count; i++) {
		free(p->mounts[i].src);
		free(p->mounts[i].dst);
	}
	free(p->mounts);
	free(p->backend);
	free(p->root);
	free(p->cwd);
	free(p->stdin_path);
	free(p->seccomp);
	free(p->image);
	free(p->pull);
	strv_fini(&p->env_set);
	strv_fini(&p->env_files);
	strv_fini(&p->env_unset);
	*p = (struct policy){ 0 };
}

/* Walk the components of path: does it name "/" itself, does it climb? */
static void look_at_path(const char *path, bool *is_root, bool *has_dotdot)
{
	*is_root = *path == '/';
	*has_dotdot = false;
	while (*path) {
		size_t len = strcspn(path, "/");
		bool is_dot = len == 1 && path[0] == '.';
		if (len == 2 && path[0] == '.' && path[1] == '.')
			*has_dotdot = true;
		else if (len && !is_dot)
			*is_root = false;
		path += len;
		path += strspn(path, "/");
	}
}

static int check_mount(const struct policy_mount *m, struct err *e)
{
	static const char *const names[] = {
		[MOUNT_RO] = "--ro", [MOUNT_RW] = "--rw", [MOUNT_BIND] = "--bind",
		[MOUNT_TMPFS] = "--tmpfs", [MOUNT_HIDE] = "--hide",
	};
	bool is_elsewhere = m->kind == MOUNT_BIND || m->kind == MOUNT_TMPFS;
	bool is_root;
	bool has_dotdot;
	struct shown shown;

	if (!m->dst || !*m->dst || (m->src && !*m->src))
		return err_set(e, ERR_USAGE, "%s: the path is empty", names[m->kind]);
	shown_text(&shown, m->dst, strlen(m->dst));
	look_at_path(m->dst, &is_root, &has_dotdot);
	if (is_elsewhere && m->dst[0] != '/')
		return err_set(e, ERR_USAGE, "%s: '%s' is not absolute", names[m->kind],
			       shown.text);
	if (is_elsewhere && has_dotdot)
		return err_set(e, ERR_USAGE, "%s: '%s' has '..' in it", names[m->kind], shown.text);
	if (is_root && m->kind != MOUNT_RO && m->kind != MOUNT_RW)
		return err_set(e, ERR_USAGE,
			       "%s: '%s' is the whole tree; the command would find nothing",
			       names[m->kind], shown.text);
	if (m->size_bytes > INT64_MAX)
		return err_set(e, ERR_USAGE, "%s: the size of '%s' is too large", names[m->kind],
			       shown.text);
	return 0;
}

static int check_ranges(const struct policy *p, struct err *e)
{
	const struct {
		const char *name;
		uint64_t value;
		uint64_t max;
		const char *max_text;
	} ranges[] = {
		{ "--timeout", p->timeout_ms, DURATION_MAX_MS, "3650 days" },
		{ "--kill-grace", p->kill_grace_ms, DURATION_MAX_MS, "3650 days" },
		{ "--cpu-time", p->cpu_time_ms, DURATION_MAX_MS, "3650 days" },
		{ "--memory", p->memory_bytes, INT64_MAX, "2^63 - 1 bytes" },
		{ "--fsize", p->fsize_bytes, INT64_MAX, "2^63 - 1 bytes" },
		{ "--nofile", p->nofile, INT32_MAX, "2^31 - 1" },
		{ "--pids", p->pids, PIDS_MAX, "4194304, the most that a kernel has" },
		{ "--max-output", p->max_output_bytes, LIMIT_OUTPUT_MAX, "1g" },
	};

	for (size_t i = 0; i < MEM_COUNT(ranges); i++)
		if (ranges[i].value > ranges[i].max)
			return err_set(e, ERR_USAGE, "%s: at most %s", ranges[i].name,
				       ranges[i].max_text);
	if (p->cpus_milli && p->cpus_milli < CPUS_MIN_MILLI)
		return err_set(e, ERR_USAGE, "--cpus: at least 0.01");
	if (p->memory_bytes && p->memory_bytes < MEMORY_MIN)
		return err_set(e, ERR_USAGE, "--memory: at least 1m");
	return 0;
}

static int check_not_empty(const struct policy *p, struct err *e)
{
	const struct {
		const char *name;
		const char *value;
	} texts[] = {
		{ "--backend", p->backend },
		{ "--root", p->root },
		{ "--cwd", p->cwd },
		{ "--seccomp", p->seccomp },
		{ "--image", p->image },
	};

	for (size_t i = 0; i < MEM_COUNT(texts); i++)
		if (texts[i].value && !*texts[i].value)
			return err_set(e, ERR_USAGE, "%s: the value is empty", texts[i].name);
	if (strv_has(&p->env_files, ""))
		return err_set(e, ERR_USAGE, "--env-file: the path is empty");
	return 0;
}

int policy_check(const struct policy *p, struct err *e)
{
	if (p->is_strict && p->is_best_effort)
		return err_set(e, ERR_USAGE,
			       "--strict and --best-effort exclude each other, also when one of "
			       "them is in the policy file");
	if (p->pull && strcmp(p->pull, "never") != 0 && strcmp(p->pull, "missing") != 0 &&
	    strcmp(p->pull, "always") != 0)
		return err_set(e, ERR_USAGE, "--pull: one of never, missing, always");
	if (p->image && (p->image[0] == '-' || strpbrk(p->image, " \t\n")))
		return err_set(e, ERR_USAGE, "--image: this is no name of an image");
	if (p->want_rlimit_as && !p->memory_bytes)
		return err_set(e, ERR_USAGE, "--rlimit-as: needs --memory");
	if (check_not_empty(p, e) < 0 || check_ranges(p, e) < 0)
		return -1;
	for (size_t i = 0; i < p->mount_count; i++)
		if (check_mount(&p->mounts[i], e) < 0)
			return -1;
	return 0;
}
