/*
 * What is told of a run: the reason (from what we did ourselves first, then from the control
 * group's events, then from the signal), the layers, the usage; and the SandboxResult as JSON.
 * Nothing that was not measured is made up.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../base/str.h"
#include "../json/json.h"
#include "../sys/proc.h"
#include "run.h"

const char *reason_name(enum reason r)
{
	static const char *const names[] = {
#define REASON_TEXT(upper, lower) #lower,
		REASONS(REASON_TEXT)
#undef REASON_TEXT
	};

	return names[r];
}

void sandbox_result_init(struct sandbox_result *r)
{
	memset(r, 0, sizeof *r);
	r->exit_code = 1;
	r->reason = REASON_LAUNCH_ERROR;
}

void sandbox_result_fini(struct sandbox_result *r)
{
	buf_fini(&r->out.head);
	buf_fini(&r->err.head);
	for (int i = 0; i < LAYER_COUNT; i++)
		free(r->why[i]);
	for (size_t i = 0; i < r->env_dropped_count; i++)
		free(r->env_dropped[i].name);
	free(r->env_dropped);
	memset(r, 0, sizeof *r);
}

static enum reason run_signal_reason(int signo)
{
	switch (signo) {
	case SIGXCPU:
		return REASON_CPU_TIMEOUT;
	case SIGXFSZ:
		return REASON_FILE_LIMIT;
	case SIGSYS:
		return REASON_SECCOMP;
	default:
		return REASON_SIGNAL;
	}
}

/* RLIMIT_CPU's hard limit kills with SIGKILL a second after SIGXCPU: the time used tells whose kill
 * it was. */
static bool run_used_up_cpu(const struct sandbox_run *run, int signo)
{
	uint64_t limit_ms = run->rq.policy->cpu_time_ms;
	uint64_t used_ms =
	    (uint64_t)(run->last.usage.ru_utime.tv_sec + run->last.usage.ru_stime.tv_sec) * 1000U +
	    (uint64_t)(run->last.usage.ru_utime.tv_usec + run->last.usage.ru_stime.tv_usec) / 1000U;

	return limit_ms != 0 && signo == SIGKILL && used_ms >= limit_ms;
}

static enum reason run_reason(const struct sandbox_run *run)
{
	const struct cgroup_usage *g = &run->last.group;
	int status = run->wait_status;

	if (run->is_ending) /* also when the time was up, or it was cancelled, before the command
			       ran */
		return run->ended_for;
	if (run->result.error.kind != ERR_NONE)
		return run->result.end_signal != 0 ? REASON_CANCELLED : REASON_LAUNCH_ERROR;
	if (run->last.has_group && status != 0 && g->oom_kills > 0)
		return REASON_OOM;
	if (run->last.has_group && status != 0 && g->pids_max_hits > 0)
		return REASON_PIDS_LIMIT;
	if (!WIFSIGNALED(status))
		return REASON_EXIT;
	if (run->forwarded_signal == WTERMSIG(status))
		return REASON_CANCELLED;
	if (run_used_up_cpu(run, WTERMSIG(status)))
		return REASON_CPU_TIMEOUT;
	return run_signal_reason(WTERMSIG(status));
}

static uint64_t run_timeval_ms(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * 1000U + (uint64_t)tv.tv_usec / 1000U;
}

static void run_conclude_usage(struct sandbox_run *run)
{
	struct sandbox_result *r = &run->result;
	const struct cgroup_usage *g = &run->last.group;

	if (run->has_usage) {
		r->has_cpu = true;
		r->cpu_user_ms = run_timeval_ms(run->last.usage.ru_utime);
		r->cpu_system_ms = run_timeval_ms(run->last.usage.ru_stime);
		r->has_peak_memory = run->last.usage.ru_maxrss > 0;
		r->peak_memory_bytes =
		    (uint64_t)run->last.usage.ru_maxrss * 1024U; /* the largest single process */
	}
	if (run->sampled_peak_bytes > r->peak_memory_bytes)
		r->peak_memory_bytes = run->sampled_peak_bytes;
	if (!run->last.has_group)
		return;
	if (g->has_memory_peak) {
		r->has_peak_memory = true;
		r->peak_memory_bytes = g->memory_peak_bytes;
	}
	if (g->has_cpu) { /* with those whose parent did not wait for them */
		r->cpu_user_ms = g->cpu_user_us / 1000U;
		r->cpu_system_ms = g->cpu_system_us / 1000U;
	}
	r->has_group = true;
	r->has_peak_pids = g->has_pids_peak;
	r->peak_pids = g->pids_peak;
	r->oom_kills = g->oom_kills;
	r->pids_refused = g->pids_max_hits;
}

static void run_conclude_layers(struct sandbox_run *run)
{
	struct sandbox_result *r = &run->result;

	r->missing = run->plan.missing & ~r->applied;
	for (int i = 0; i < LAYER_COUNT; i++)
		if ((r->missing & LAYER_BIT(i)) != 0)
			r->why[i] = MEM_TAKE(run->plan.why[i]);
	r->env_dropped = MEM_TAKE(run->plan.env.dropped);
	r->env_dropped_count = run->plan.env.dropped_count;
	run->plan.env.dropped_count = 0;
}

static void run_conclude_output(struct sandbox_run *run)
{
	struct sandbox_result *r = &run->result;
	struct err e = ERR_INIT;

	if (run->rq.output == OUTPUT_STREAM) {
		r->out.total_bytes = run->out[0].pump.total_bytes;
		r->err.total_bytes = run->out[1].pump.total_bytes;
		r->out.omitted_at = r->out.total_bytes - r->out.omitted_bytes;
		r->err.omitted_at = r->err.total_bytes - r->err.omitted_bytes;
		r->output_truncated =
		    r->out.total_bytes + r->err.total_bytes > run->rq.max_output_bytes;
		return;
	}
	r->output_truncated = run->capture.is_over;
	if ((capture_take(&run->capture, 0, &r->out, &e) != 0 ||
		capture_take(&run->capture, 1, &r->err, &e) != 0) &&
	    r->error.kind == ERR_NONE)
		r->error = e;
}

void run_conclude(struct sandbox_run *run)
{
	struct sandbox_result *r = &run->result;

	run_conclude_usage(run);
	run_conclude_layers(run);
	run_conclude_output(run);
	if (r->error.kind != ERR_NONE && r->end_signal == 0)
		r->end_signal = loop_ending_signal(); /* a question was given up for it */
	r->reason = run_reason(run);
	if (run->has_status) {
		r->exit_code = proc_exit_status(run->wait_status);
		r->signal = WIFSIGNALED(run->wait_status) ? WTERMSIG(run->wait_status) : 0;
	} else if (r->error.kind == ERR_NONE) {
		/* killed together with its guardian: nobody saw the status */
		r->exit_code = 128 + SIGKILL;
		r->signal = SIGKILL;
	}
	if (r->error.kind == ERR_NONE && r->end_signal != 0 && r->reason == REASON_CANCELLED) {
		r->signal = r->end_signal; /* as the status has it, whatever it was ended with */
		r->exit_code = 128 + r->signal;
	}
}

int sandbox_result_status(const struct sandbox_result *r)
{
	if (r->reason == REASON_WALL_TIMEOUT || r->reason == REASON_CPU_TIMEOUT)
		return 124;
	if (r->end_signal != 0) /* whether the command began all the same is a matter of luck */
		return 128 + r->end_signal;
	if (r->error.kind != ERR_NONE)
		return err_exit_status(&r->error);
	return r->exit_code;
}

static void result_put_stream(
    struct jw *w, const char *name, const char *encoding_name, const struct captured *c)
{
	struct buf b64;

	jw_key(w, name);
	if (str_is_utf8(c->head.data, c->head.len)) {
		jw_strn(w, c->head.data != NULL ? c->head.data : (const unsigned char *)"",
		    c->head.len);
		return;
	}
	buf_init(&b64, LIMIT_RESULT_JSON);
	if (str_base64_encode(&b64, c->head.data, c->head.len, &w->err) == 0) {
		jw_strn(w, b64.data, b64.len);
		jw_key(w, encoding_name);
		jw_str(w, "base64");
	}
	buf_fini(&b64);
}

static void result_put_omitted(struct jw *w, const char *name, const struct captured *c)
{
	jw_key(w, name);
	if (c->omitted_bytes == 0) {
		jw_null(w);
		return;
	}
	jw_object_begin(w);
	jw_key(w, "at");
	jw_u64(w, c->omitted_at);
	jw_key(w, "bytes");
	jw_u64(w, c->omitted_bytes);
	jw_object_end(w);
}

static void result_put_text_fields(struct jw *w, const struct sandbox_result *r)
{
	jw_key(w, "exit_code");
	jw_i64(w, r->exit_code);
	result_put_stream(w, "stdout", "stdout_encoding", &r->out);
	result_put_stream(w, "stderr", "stderr_encoding", &r->err);
	jw_key(w, "timed_out");
	jw_bool(w, r->timed_out);
	jw_key(w, "output_truncated");
	jw_bool(w, r->output_truncated);
	plan_put_json_str(w, "error_message", r->error.kind == ERR_NONE ? "" : r->error.msg);
	plan_put_json_str(w, "reason", reason_name(r->reason));
	plan_put_json_number(w, "signal", r->signal != 0, (uint64_t)r->signal);
	plan_put_json_str(w, "backend", r->backend);
}

int sandbox_result_put_json(const struct sandbox_result *r, struct buf *out, struct err *e)
{
	struct jw w;

	jw_init(&w, out, false);
	jw_object_begin(&w);
	result_put_text_fields(&w, r);
	jw_key(&w, "layers");
	jw_object_begin(&w);
	plan_put_json_layers(&w, "applied", r->applied, r->missing, r->why);
	jw_object_end(&w);
	plan_put_json_number(&w, "duration_ms", true, r->duration_ms);
	plan_put_json_number(&w, "cpu_user_ms", r->has_cpu, r->cpu_user_ms);
	plan_put_json_number(&w, "cpu_system_ms", r->has_cpu, r->cpu_system_ms);
	plan_put_json_number(&w, "peak_memory_bytes", r->has_peak_memory, r->peak_memory_bytes);
	plan_put_json_number(&w, "peak_pids", r->has_peak_pids, r->peak_pids);
	plan_put_json_number(&w, "oom_kills", r->has_group, r->oom_kills);
	plan_put_json_number(&w, "pids_refused", r->has_group, r->pids_refused);
	plan_put_json_number(&w, "stdout_bytes", true, r->out.total_bytes);
	plan_put_json_number(&w, "stderr_bytes", true, r->err.total_bytes);
	result_put_omitted(&w, "stdout_omitted", &r->out);
	result_put_omitted(&w, "stderr_omitted", &r->err);
	jw_key(&w, "env_dropped");
	jw_array_begin(&w);
	for (size_t i = 0; i < r->env_dropped_count; i++)
		jw_str(&w, r->env_dropped[i].name);
	jw_array_end(&w);
	jw_object_end(&w);
	return jw_finish(&w, e);
}
