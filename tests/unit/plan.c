/*
 * Plans: what each backend would do, printed; what is required, refused or said to be missing; and
 * that making and dropping a plan leaves the machine as it was.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../lib/base/limits.h"
#include "../../lib/base/mem.h"
#include "../../lib/json/json.h"
#include "../../lib/policy/policy_options.h"
#include "../../lib/sandbox/plan.h"
#include "tap.h"

static char top[PATH_MAX];
static struct policy policy;
static struct sandbox_request rq;
static struct plan plan;
static struct err e;

static char *const default_argv[] = { (char *)(uintptr_t) "echo", (char *)(uintptr_t) "hello",
				      (char *)(uintptr_t) "--password=hunter2", NULL };
static char *const default_env[] = { (char *)(uintptr_t) "HOME=/home/somebody",
				     (char *)(uintptr_t) "PATH=/usr/bin",
				     (char *)(uintptr_t) "API_TOKEN=hunter2",
				     (char *)(uintptr_t) "PWD=/elsewhere", NULL };

static void begin(void)
{
	policy_init(&policy);
	err_clear(&e);
	memset(&rq, 0, sizeof rq);
	memset(&plan, 0, sizeof plan);
	plan.root_fd = plan.cwd_fd = plan.temp_parent_fd = -1;
	rq.policy = &policy;
	rq.argv = default_argv;
	rq.env = default_env;
	rq.max_output_bytes = 4096;
}

static void finish(void)
{
	plan_fini(&plan);
	plan_fini(&plan);
	policy_fini(&policy);
}

static int count_entries(const char *path)
{
	DIR *d = opendir(path);
	int n = -2; /* . and .. */

	while (d != NULL && readdir(d) != NULL)
		n++;
	if (d != NULL)
		closedir(d);
	return n;
}

static void test_printed(const struct sandbox_backend *b)
{
	struct buf out;
	struct json_doc *doc;
	char temp[PATH_MAX] = "";

	begin();
	policy.timeout_ms = 1500;
	if (plan_make(&plan, &rq, b, &e) != 0) {
		skip(e.msg);
		finish();
		return;
	}
	buf_init(&out, LIMIT_FRAME);
	is_int(plan_put_text(&plan, &out, &e), 0, "%s: as text", b->name);
	ok(strstr(buf_str(&out, &e), top) != NULL, "%s: with the root", b->name);
	ok(strstr(buf_str(&out, &e), "timeout 1500 ms") != NULL, "%s: with limits", b->name);
	ok(strstr(buf_str(&out, &e), "hunter2") == NULL, "%s: without secrets", b->name);
	ok(strstr(buf_str(&out, &e), "echo hello") != NULL, "%s: with the command", b->name);
	buf_reset(&out);
	is_int(plan_put_json(&plan, &out, &e), 0, "%s: as JSON", b->name);
	ok(strstr(buf_str(&out, &e), "hunter2") == NULL, "%s: without secrets", b->name);
	doc = json_parse(buf_str(&out, &e), out.len, "plan", &e);
	ok(doc != NULL, "%s: strict JSON: %s", b->name, e.msg);
	json_free(doc);
	buf_fini(&out);
	ok((plan.missing & plan.applied) == 0, "%s: nothing is both missing and applied", b->name);
	for (int i = 0; i < LAYER_COUNT; i++)
		if ((plan.missing & LAYER_BIT(i)) != 0)
			ok(plan.why[i] != NULL && plan.why[i][0] != '\0', "%s: %s is missing: %s",
			   b->name, layer_name((enum layer)i), plan.why[i]);
	if (plan.temp_path != NULL)
		snprintf(temp, sizeof temp, "%s", plan.temp_path);
	ok(temp[0] == '\0' || access(temp, F_OK) != 0, "%s: a plan makes no folder", b->name);
	finish();
}

static void test_environment(void)
{
	begin();
	is_int(plan_make(&plan, &rq, &backend_native, &e), 0, "native: %s", e.msg);
	is_str(env_get(&plan.env.env, "PWD"), top, "PWD is the real path");
	is_str(env_get(&plan.env.env, "HOME"), "/home/somebody", "HOME stays");
	ok(env_get(&plan.env.env, "API_TOKEN") == NULL, "secrets are dropped");
	is_int(plan.env.dropped_count, 1, "and listed");
	finish();

	begin();
	policy.env_mode = ENV_CLEAR;
	is_int(plan_make(&plan, &rq, &backend_native, &e), 0, "clear: %s", e.msg);
	is_int(plan.env.env.n, 0, "nothing");
	finish();

	begin();
	rq.env = (char *const[]){ NULL };
	is_int(plan_make(&plan, &rq, &backend_native, &e), 0, "an empty environment: %s", e.msg);
	ok(env_get(&plan.env.env, "PATH") != NULL, "gets a PATH");
	finish();
}

static void refused(const struct sandbox_backend *b, int kind, const char *part, const char *what)
{
	is_int(plan_make(&plan, &rq, b, &e), -1, "%s: refused", what);
	is_int(e.kind, kind, "%s: kind", what);
	ok(strstr(e.msg, part) != NULL, "%s: \"%s\" has \"%s\"", what, e.msg, part);
	finish();
}

static void test_refused(void)
{
	begin();
	rq.argv = (char *const[]){ NULL };
	refused(&backend_native, ERR_USAGE, "no command", "no command");
	begin();
	policy.require = LAYER_BIT(LAYER_VIEW);
	refused(&backend_native, ERR_REFUSED, "view", "a layer that the backend lacks");
	begin();
	policy.require = LAYER_BIT(LAYER_MEMORY);
	refused(&backend_native, ERR_REFUSED, "memory", "a limit that nobody set");
	begin();
	policy.is_strict = true;
	refused(&backend_native, ERR_REFUSED, "required layer", "strict");
	begin();
	policy.net = NET_NONE;
	policy.is_net_set = true;
	refused(&backend_native, ERR_REFUSED, "-b namespace", "native without a network");
	begin();
	policy.is_best_effort = policy.is_net_set = true;
	is_int(plan_make(&plan, &rq, &backend_native, &e), 0, "with best effort: %s", e.msg);
	ok((plan.missing & LAYER_BIT(LAYER_NET_NS)) != 0, "it is said to be missing");
	finish();
	begin();
	if (policy_option_tmpfs(&policy, "/scratch", &e) != 0)
		BAIL("%s", e.msg);
	refused(&backend_landlock, ERR_REFUSED, "-b namespace", "landlock and a mount");
	begin();
	policy.net = NET_LOOPBACK;
	refused(&backend_landlock, ERR_REFUSED, "-b namespace", "landlock and loopback");
	begin();
	policy.seccomp = mem_strdup("/no/such/filter", &e);
	refused(&backend_landlock, ERR_USAGE, "/no/such/filter", "a filter that is missing");
}

static void test_missing(void)
{
	begin();
	is_int(plan_make(&plan, &rq, &backend_native, &e), 0, "native: %s", e.msg);
	ok((plan.missing & LAYER_BIT(LAYER_MEMORY)) == 0,
	   "a limit that nobody asked for is no layer");
	ok((plan.missing & LAYER_BIT(LAYER_NET_NS)) != 0, "a network that is there is one");
	plan_miss(&plan, LAYER_CPU, "first %d", 1);
	plan_miss(&plan, LAYER_CPU, "second");
	is_str(plan.why[LAYER_CPU], "first 1", "the first reason stays");
	is_str(plan.why[LAYER_USER_NS], "the native backend does not give it", "a generic reason");
	plan_miss(&plan, LAYER_USER_NS, "passed over");
	plan_miss(&plan, LAYER_USER_NS, "later");
	is_str(plan.why[LAYER_USER_NS], "passed over", "gives way to the first better one");
	finish();
	begin();
	policy.net = NET_HOST;
	policy.is_net_set = true;
	policy.env_mode = ENV_INHERIT;
	is_int(plan_make(&plan, &rq, &backend_native, &e), 0, "as asked: %s", e.msg);
	ok((plan.missing & (LAYER_BIT(LAYER_NET_NS) | LAYER_BIT(LAYER_ENV))) == 0,
	   "what was asked for is not missing");
	finish();
}

static void test_refusal(void)
{
	char text[128];

	plan_put_refusal(text, sizeof text, LAYER_LANDLOCK, EOPNOTSUPP);
	ok(strstr(text, strerror(EOPNOTSUPP)) != NULL, "a refusal has its errno: %s", text);
	plan_put_refusal(text, sizeof text, LAYER_PROC, EPERM);
	ok(strstr(text, "/proc") != NULL, "proc: %s", text);
	plan_put_refusal(text, sizeof text, LAYER_UTS_NS, EPERM);
	ok(strstr(text, "host name") != NULL, "uts_ns: %s", text);
}

static void test_find(void)
{
	bool is_auto;

	ok(sandbox_backend_find(NULL, &is_auto, &e) == NULL && is_auto, "no name is auto");
	ok(sandbox_backend_find("auto", &is_auto, &e) == NULL && is_auto, "auto");
	ok(sandbox_backend_find("ns", &is_auto, &e) == &backend_namespace && !is_auto, "an alias");
	ok(sandbox_backend_find("landlock", &is_auto, &e) == &backend_landlock, "a name");
	ok(sandbox_backend_find("bwrap", &is_auto, &e) == &backend_bubblewrap, "another alias");
	ok(sandbox_backend_find("land", &is_auto, &e) == NULL && !is_auto, "no abbreviation");
	is_int(e.kind, ERR_USAGE, "an unknown name is a mistake");
	err_clear(&e);
	ok(sandbox_backend_find("", &is_auto, &e) == NULL && e.kind == ERR_USAGE, "nor none");
	err_clear(&e);
	ok(sandbox_backend_find("seatbelt", &is_auto, &e) == &backend_sandbox_exec,
	   "one that auto never takes");
	err_clear(&e);
	for (size_t i = 0; sandbox_backends[i] != NULL; i++)
		ok(sandbox_backend_find(sandbox_backends[i]->name, &is_auto, &e) ==
		   sandbox_backends[i], "%s finds itself", sandbox_backends[i]->name);
}

int main(void)
{
	char made[] = "/var/tmp/sbx-unit-plan.XXXXXX";

	if (mkdtemp(made) == NULL || realpath(made, top) == NULL || chdir(top) != 0)
		BAIL("mkdtemp");
	for (size_t i = 0; sandbox_backends[i] != NULL; i++)
		test_printed(sandbox_backends[i]);
	test_environment();
	test_refused();
	test_missing();
	test_refusal();
	test_find();
	is_int(count_entries(top), 0, "nothing was made in the root");
	is_int(rmdir(top), 0, "nothing is left");
	return done_testing();
}
