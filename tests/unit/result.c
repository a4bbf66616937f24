/*
 * The SandboxResult as JSON and as an exit status: every field, base64, gaps, nulls, reasons.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>

#include "../../lib/base/limits.h"
#include "../../lib/base/mem.h"
#include "../../lib/json/json.h"
#include "../../lib/sandbox/run.h"
#include "tap.h"

static char *text_of(const struct sandbox_result *r)
{
	struct err e = ERR_INIT;
	struct buf b;
	char *text = NULL;

	buf_init(&b, LIMIT_RESULT_JSON);
	if (sandbox_result_put_json(r, &b, &e) == 0)
		text = buf_take_str(&b, &e);
	if (text == NULL)
		BAIL("%s", e.msg);
	buf_fini(&b);
	return text;
}

static void has(const struct sandbox_result *r, const char *part)
{
	char *text = text_of(r);

	ok(strstr(text, part) != NULL, "has %s", part);
	if (strstr(text, part) == NULL)
		diag("%.900s", text);
	free(text);
}

static void is_json(const struct sandbox_result *r, const char *what)
{
	struct err e = ERR_INIT;
	char *text = text_of(r);
	struct json_doc *doc = json_parse(text, strlen(text), "result", &e);

	ok(doc != NULL && json_type(json_root(doc)) == JSON_OBJECT, "%s: JSON: %s", what, e.msg);
	json_free(doc);
	free(text);
}

static void put(struct captured *c, const void *data, size_t len)
{
	struct err e = ERR_INIT;

	buf_init(&c->head, LIMIT_OUTPUT_MAX);
	if (buf_put(&c->head, data, len, &e) != 0)
		BAIL("%s", e.msg);
	c->total_bytes = len;
}

static void test_never_run(void)
{
	struct sandbox_result r;

	sandbox_result_init(&r);
	(void)err_set(&r.error, ERR_USAGE, "a \"quoted\" reason");
	is_json(&r, "an early failure");
	has(&r, "\"exit_code\":1,");
	has(&r, "\"reason\":\"launch_error\"");
	has(&r, "\"error_message\":\"a \\\"quoted\\\" reason\"");
	has(&r, "\"signal\":null");
	has(&r, "\"backend\":null");
	has(&r, "\"cpu_user_ms\":null");
	has(&r, "\"peak_memory_bytes\":null");
	has(&r, "\"peak_pids\":null");
	has(&r, "\"oom_kills\":null,\"pids_refused\":null");
	has(&r, "\"stdout\":\"\",\"stderr\":\"\"");
	has(&r, "\"env_dropped\":[]");
	is_int(sandbox_result_status(&r), 125, "its status");
	sandbox_result_fini(&r);
	sandbox_result_fini(&r);
}

static void test_full(void)
{
	struct sandbox_result r;

	sandbox_result_init(&r);
	put(&r.out, "out\n\x02\x1b[31m", 10);
	put(&r.err, "\xff\xfe", 2);
	r.exit_code = 143;
	r.signal = 15;
	r.timed_out = true;
	r.output_truncated = true;
	r.reason = REASON_WALL_TIMEOUT;
	r.backend = "namespace";
	r.applied = LAYER_BIT(LAYER_VIEW) | LAYER_BIT(LAYER_SECCOMP);
	r.missing = LAYER_BIT(LAYER_LANDLOCK);
	r.why[LAYER_LANDLOCK] = mem_strdup("too \told", NULL);
	r.has_cpu = r.has_peak_memory = r.has_peak_pids = r.has_group = true;
	r.cpu_user_ms = 12;
	r.peak_memory_bytes = 1ULL << 53;
	r.peak_pids = 7;
	r.oom_kills = 2;
	r.out.total_bytes = 10000000000ULL;
	r.out.omitted_at = 4;
	r.out.omitted_bytes = 9999999990ULL;
	is_json(&r, "everything set");
	has(&r, "\"stdout\":\"out\\n\\u0002\\u001b[31m\"");
	has(&r, "\"stderr\":\"//4=\",\"stderr_encoding\":\"base64\"");
	has(&r, "\"timed_out\":true,\"output_truncated\":true");
	has(&r, "\"reason\":\"wall_timeout\",\"signal\":15");
	has(&r, "\"applied\":[\"view\",\"seccomp\"]");
	has(&r, "{\"layer\":\"landlock\",\"why\":\"too \\told\"}");
	has(&r, "\"peak_memory_bytes\":9007199254740992");
	has(&r, "\"peak_pids\":7,\"oom_kills\":2,\"pids_refused\":0");
	has(&r, "\"stdout_bytes\":10000000000");
	has(&r, "\"stdout_omitted\":{\"at\":4,\"bytes\":9999999990}");
	has(&r, "\"stderr_omitted\":null");
	is_int(sandbox_result_status(&r), 124, "a timeout's status");
	sandbox_result_fini(&r);
}

static void test_status(void)
{
	static const struct {
		enum reason reason;
		int exit_code, kind, want;
	} cases[] = {
		{ REASON_EXIT, 0, ERR_NONE, 0 },
		{ REASON_EXIT, 124, ERR_NONE, 124 },
		{ REASON_SIGNAL, 137, ERR_NONE, 137 },
		{ REASON_OOM, 137, ERR_NONE, 137 },
		{ REASON_OUTPUT_LIMIT, 137, ERR_NONE, 137 },
		{ REASON_CPU_TIMEOUT, 152, ERR_NONE, 124 },
		{ REASON_WALL_TIMEOUT, 0, ERR_NONE, 124 },
		{ REASON_LAUNCH_ERROR, 1, ERR_SETUP, 125 },
		{ REASON_LAUNCH_ERROR, 1, ERR_REFUSED, 125 },
		{ REASON_LAUNCH_ERROR, 1, ERR_NOT_EXECUTABLE, 126 },
		{ REASON_LAUNCH_ERROR, 1, ERR_NOT_FOUND, 127 },
	};

	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct sandbox_result r;

		sandbox_result_init(&r);
		r.reason = cases[i].reason;
		r.exit_code = cases[i].exit_code;
		r.error.kind = cases[i].kind;
		is_int(sandbox_result_status(&r), cases[i].want, "status of %s with %d",
		    reason_name(r.reason), r.exit_code);
		sandbox_result_fini(&r);
	}
	is_str(reason_name(REASON_FILE_LIMIT), "file_limit", "names are in lower case");
	for (int i = 0; i < REASON_COUNT; i++)
		ok(reason_name((enum reason)i) != NULL, "reason %d has a name", i);
}

/* Told to end by SIGTERM when the command had begun, but was not yet known to: it was killed. */
static void test_end_signal(void)
{
	struct policy policy;
	struct sandbox_run run;

	memset(&run, 0, sizeof run);
	policy_init(&policy);
	sandbox_result_init(&run.result);
	run.rq.policy = &policy;
	run.rq.output = OUTPUT_STREAM;
	run.is_ending = run.has_status = true;
	run.ended_for = REASON_CANCELLED;
	run.wait_status = SIGKILL;
	run.result.end_signal = SIGTERM;
	run_conclude(&run);
	is_int(sandbox_result_status(&run.result), 128 + SIGTERM, "the status is that of SIGTERM");
	is_int(run.result.exit_code, 128 + SIGTERM, "so is exit_code");
	is_int(run.result.signal, SIGTERM, "and the signal");
	run.result.timed_out = true;
	run.ended_for = REASON_WALL_TIMEOUT;
	run_conclude(&run);
	is_int(run.result.exit_code, 128 + SIGKILL, "after a timeout exit_code is the command's");
	sandbox_result_fini(&run.result);
	policy_fini(&policy);
}

/* The largest text there is under the default cap, and every byte that JSON escapes. */
static void test_large(void)
{
	size_t len = LIMIT_OUTPUT_DEFAULT;
	char *data = malloc(len);
	struct sandbox_result r;

	if (data == NULL)
		BAIL("malloc");
	sandbox_result_init(&r);
	memset(data, 1, len);
	put(&r.out, data, len);
	is_json(&r, "a mebibyte of control characters");
	sandbox_result_fini(&r);
	sandbox_result_init(&r);
	memset(data, 0xff, len);
	put(&r.out, data, len);
	is_json(&r, "a mebibyte of what is no text");
	sandbox_result_fini(&r);
	free(data);
}

int main(void)
{
	test_never_run();
	test_full();
	test_status();
	test_end_signal();
	test_large();
	return done_testing();
}
