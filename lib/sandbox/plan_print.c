/* --explain: a plan as text for people and as JSON for programs. */
#include <sched.h>
#include <string.h>

#include "../base/limits.h"
#include "../base/str.h"
#include "../json/json.h"
#include "plan.h"

static const char *const access_names[] = { "read", "read+execute", "read+write", "device",
	"write existing files" };
static const char *const net_names[] = { "none", "loopback", "host" };

/* As the result will have them: what nobody asked for is no layer. */
static uint32_t plan_layers(const struct plan *p)
{
	return p->backend->layers & ~p->missing & plan_full_set(p->policy);
}

static int plan_put_layers(const struct plan *p, struct buf *out, struct err *e)
{
	bool is_first = true;

	if (buf_puts(out, "layers:", e) != 0)
		return -1;
	for (int i = 0; i < LAYER_COUNT; i++)
		if ((plan_layers(p) & LAYER_BIT(i)) != 0 &&
		    buf_printf(out, e, " %s", layer_name((enum layer)i)) != 0)
			return -1;
	for (int i = 0; i < LAYER_COUNT; i++) {
		if ((p->missing & LAYER_BIT(i)) == 0)
			continue;
		if (buf_printf(out, e, "%s\n  %s: %s", is_first ? "\nmissing:" : "",
			layer_name((enum layer)i), p->why[i] != NULL ? p->why[i] : "") != 0)
			return -1;
		is_first = false;
	}
	return buf_putc(out, '\n', e);
}

static int plan_put_number(
    struct buf *out, const char *name, uint64_t v, const char *unit, struct err *e)
{
	return v == 0 ? 0 : buf_printf(out, e, "  %s %llu%s\n", name, (unsigned long long)v, unit);
}

static int plan_put_limits(const struct plan *p, struct buf *out, struct err *e)
{
	const struct policy *q = p->policy;

	if (buf_puts(out, "limits:\n", e) != 0 ||
	    plan_put_number(out, "timeout", q->timeout_ms, " ms", e) != 0 ||
	    plan_put_number(out, "kill-grace", q->kill_grace_ms, " ms", e) != 0 ||
	    plan_put_number(out, "cpu-time", q->cpu_time_ms, " ms", e) != 0 ||
	    plan_put_number(out, "memory", q->memory_bytes, " bytes", e) != 0 ||
	    plan_put_number(out, "pids", q->pids, "", e) != 0 ||
	    plan_put_number(out, "cpus/1000", q->cpus_milli, "", e) != 0)
		return -1;
	if (q->is_fsize_set &&
	    buf_printf(out, e, "  fsize %llu bytes\n", (unsigned long long)q->fsize_bytes) != 0)
		return -1;
	if (q->is_nofile_set &&
	    buf_printf(out, e, "  nofile %llu\n", (unsigned long long)q->nofile) != 0)
		return -1;
	if (p->rq->max_output_bytes == UINT64_MAX)
		return buf_puts(out, "  max-output none\n", e);
	return buf_printf(
	    out, e, "  max-output %llu bytes\n", (unsigned long long)p->rq->max_output_bytes);
}

static int plan_put_profile(const char *profile, struct buf *out, struct err *e)
{
	if (buf_puts(out, "profile:\n", e) != 0)
		return -1;
	for (const char *line = profile; *line != '\0'; line += strspn(line, "\n")) {
		size_t n = strcspn(line, "\n");

		if (buf_puts(out, "  ", e) != 0 || buf_put(out, line, n, e) != 0 ||
		    buf_putc(out, '\n', e) != 0)
			return -1;
		line += n;
	}
	return 0;
}

/* A name of the caller's makes no line of its own. */
static int plan_put_path(const char *label, const char *path, struct buf *out, struct err *e)
{
	return buf_puts(out, label, e) != 0 ? -1 : str_put_printable(out, path, SIZE_MAX, e);
}

static int plan_put_names(const struct plan *p, struct buf *out, struct err *e)
{
	struct str_shown name; /* values may be private */

	for (size_t i = 0; i < p->env.env.n; i++) {
		const char *v = p->env.env.v[i];

		if (buf_printf(out, e, " %s", str_shown(&name, v, strcspn(v, "="))) != 0)
			return -1;
	}
	return 0;
}

/* native leaves the machine's, whatever the default is. */
static const char *plan_net(const struct plan *p)
{
	return net_names[p->backend == &backend_native ? NET_HOST : p->policy->net];
}

int plan_put_text(const struct plan *p, struct buf *out, struct err *e)
{
	if (buf_printf(out, e, "backend: %s\ncommand: ", p->backend->name) != 0 ||
	    env_put_redacted_argv(out, p->rq->argv, e) != 0 ||
	    plan_put_path("\nroot: ", p->root != NULL ? p->root : "(empty, private)", out, e) !=
		0 ||
	    plan_put_path("\nworking folder: ", p->cwd != NULL ? p->cwd : "-", out, e) != 0 ||
	    buf_printf(out, e, "\nnetwork: %s\nuser: %u:%u\n", plan_net(p), (unsigned)p->uid,
		(unsigned)p->gid) != 0 ||
	    plan_put_layers(p, out, e) != 0)
		return -1;
	if (p->view.count > 0 && (buf_puts(out, "view, in this order:\n", e) != 0 ||
				     view_put_text(&p->view, out, e) != 0))
		return -1;
	if (p->rule_count > 0 && buf_puts(out, "landlock rules:\n", e) != 0)
		return -1;
	for (size_t i = 0; i < p->rule_count; i++)
		if (plan_put_path("  ", p->rules[i].path, out, e) != 0 ||
		    buf_printf(out, e, ": %s\n", access_names[p->rules[i].access]) != 0)
			return -1;
	if (buf_printf(out, e, "seccomp: %u instructions\nenvironment:", (unsigned)p->filter.len) !=
		0 ||
	    plan_put_names(p, out, e) != 0 || buf_putc(out, '\n', e) != 0 ||
	    plan_put_limits(p, out, e) != 0)
		return -1;
	if (p->profile != NULL && plan_put_profile(p->profile, out, e) != 0)
		return -1;
	if (p->argv != p->rq->argv) {
		if (buf_puts(out, "tool: ", e) != 0 ||
		    env_put_redacted_argv(out, p->argv, e) != 0 || buf_putc(out, '\n', e) != 0)
			return -1;
	}
	if (p->notice == NULL)
		return 0;
	return plan_put_path("notice: ", p->notice, out, e) != 0 ? -1 : buf_putc(out, '\n', e);
}

void plan_put_json_str(struct jw *w, const char *name, const char *v)
{
	jw_key(w, name);
	jw_str(w, v);
}

static void plan_put_json_ops(const struct plan *p, struct jw *w)
{
	static const char *const kinds[] = { "bind", "symlink", "proc", "dev", "tmpfs", "hide" };

	jw_key(w, "view");
	jw_array_begin(w);
	for (size_t i = 0; i < p->view.count; i++) {
		const struct view_op *op = &p->view.ops[i];

		jw_object_begin(w);
		plan_put_json_str(w, "kind", kinds[op->kind]);
		plan_put_json_str(w, "path", op->dst);
		if (op->src != NULL)
			plan_put_json_str(
			    w, op->kind == VIEW_SYMLINK ? "target" : "source", op->src);
		if (op->kind == VIEW_BIND) {
			jw_key(w, "read_only");
			jw_bool(w, op->is_read_only);
		}
		if (op->kind == VIEW_TMPFS) {
			jw_key(w, "size");
			jw_u64(w, op->size_bytes);
		}
		jw_object_end(w);
	}
	jw_array_end(w);
	jw_key(w, "landlock");
	jw_array_begin(w);
	for (size_t i = 0; i < p->rule_count; i++) {
		jw_object_begin(w);
		plan_put_json_str(w, "path", p->rules[i].path);
		plan_put_json_str(w, "access", access_names[p->rules[i].access]);
		jw_object_end(w);
	}
	jw_array_end(w);
}

void plan_put_json_layers(
    struct jw *w, const char *name, uint32_t layers, uint32_t missing, char *const *why)
{
	jw_key(w, name);
	jw_array_begin(w);
	for (int i = 0; i < LAYER_COUNT; i++)
		if ((layers & LAYER_BIT(i)) != 0)
			jw_str(w, layer_name((enum layer)i));
	jw_array_end(w);
	jw_key(w, "missing");
	jw_array_begin(w);
	for (int i = 0; i < LAYER_COUNT; i++) {
		if ((missing & LAYER_BIT(i)) == 0)
			continue;
		jw_object_begin(w);
		plan_put_json_str(w, "layer", layer_name((enum layer)i));
		plan_put_json_str(w, "why", why[i]);
		jw_object_end(w);
	}
	jw_array_end(w);
}

static void plan_put_json_env(const struct plan *p, struct jw *w)
{
	jw_key(w, "environment");
	jw_array_begin(w);
	for (size_t i = 0; i < p->env.env.n; i++)
		jw_strn(w, p->env.env.v[i], strcspn(p->env.env.v[i], "="));
	jw_array_end(w);
	jw_key(w, "env_dropped");
	jw_array_begin(w);
	for (size_t i = 0; i < p->env.dropped_count; i++)
		jw_str(w, p->env.dropped[i].name);
	jw_array_end(w);
}

/* Without the command at the end of an exec step's: that is told above, without its secrets. */
static void plan_put_json_tool(const struct plan *p, struct jw *w)
{
	size_t n = p->tool.n;

	for (size_t i = 0; p->backend->has_exec_step && p->rq->argv[i] != NULL; i++)
		n--;
	jw_key(w, "tool");
	jw_array_begin(w);
	for (size_t i = 0; i < n; i++)
		jw_str(w, p->tool.v[i]);
	jw_array_end(w);
}

void plan_put_json_number(struct jw *w, const char *name, bool has, uint64_t v)
{
	jw_key(w, name);
	if (has)
		jw_u64(w, v);
	else
		jw_null(w);
}

static void plan_put_json_limits(const struct plan *p, struct jw *w)
{
	const struct policy *q = p->policy;

	jw_key(w, "limits");
	jw_object_begin(w);
	plan_put_json_number(w, "timeout_ms", q->timeout_ms != 0, q->timeout_ms);
	plan_put_json_number(w, "kill_grace_ms", true, q->kill_grace_ms);
	plan_put_json_number(w, "cpu_time_ms", q->cpu_time_ms != 0, q->cpu_time_ms);
	plan_put_json_number(w, "memory_bytes", q->memory_bytes != 0, q->memory_bytes);
	plan_put_json_number(w, "pids", q->pids != 0, q->pids);
	plan_put_json_number(w, "cpus_milli", q->cpus_milli != 0, q->cpus_milli);
	plan_put_json_number(w, "fsize_bytes", q->is_fsize_set, q->fsize_bytes);
	plan_put_json_number(w, "nofile", q->is_nofile_set, q->nofile);
	plan_put_json_number(
	    w, "max_output_bytes", p->rq->max_output_bytes != UINT64_MAX, p->rq->max_output_bytes);
	jw_object_end(w);
}

int plan_put_json(const struct plan *p, struct buf *out, struct err *e)
{
	struct buf line;
	struct jw w;

	buf_init(&line, LIMIT_FRAME);
	jw_init(&w, out, false);
	jw_object_begin(&w);
	plan_put_json_str(&w, "backend", p->backend->name);
	jw_key(&w, "command");
	if (env_put_redacted_argv(&line, p->rq->argv, &w.err) == 0)
		jw_strn(&w, line.data, line.len);
	buf_fini(&line);
	plan_put_json_str(&w, "root", p->root);
	plan_put_json_str(&w, "cwd", p->cwd);
	plan_put_json_str(&w, "net", plan_net(p));
	plan_put_json_layers(&w, "layers", plan_layers(p), p->missing, p->why);
	plan_put_json_ops(p, &w);
	plan_put_json_env(p, &w);
	plan_put_json_limits(p, &w);
	jw_key(&w, "seccomp_instructions");
	jw_u64(&w, p->filter.len);
	plan_put_json_str(&w, "profile", p->profile);
	plan_put_json_tool(p, &w);
	plan_put_json_str(&w, "notice", p->notice);
	jw_object_end(&w);
	return jw_finish(&w, e);
}

int sandbox_explain(const struct sandbox_request *rq, bool as_json, struct buf *out, struct err *e)
{
	struct sandbox_request copy = *rq;
	struct policy policy = *rq->policy;
	struct plan plan;
	bool is_auto;
	const struct sandbox_backend *b = sandbox_backend_find(rq->policy->backend, &is_auto, e);
	int rc;

	if (b == NULL && !is_auto)
		return -1;
	if (b == NULL)
		b = sandbox_backends[0];
	copy.policy = &policy;
	if (sandbox_complete_policy(b, &policy, rq, e) != 0)
		return -1;
	rc = plan_make(&plan, &copy, b, e);
	if (rc == 0)
		rc = as_json ? plan_put_json(&plan, out, e) : plan_put_text(&plan, out, e);
	plan_fini(&plan);
	return rc;
}
