/*
 * The container backends without an engine: the words of podman and docker for a policy (golden),
 * the settings of the contract under both their names, what is refused, what engines say of
 * themselves and when they fail.
 */
#include <stdlib.h>
#include <string.h>

#include "../../lib/base/limits.h"
#include "../../lib/base/mem.h"
#include "../../lib/sandbox/container.h"
#include "tap.h"

#define NAME "sbx-0123456789abcdef"

struct fixture {
	struct policy policy, p; /* as given, and as completed */
	struct sandbox_request rq;
	struct container container;
	struct plan plan;
	char *env[8];
};

static void setup(struct fixture *f, enum engine_kind kind)
{
	memset(f, 0, sizeof *f);
	policy_init(&f->policy);
	f->policy.image = mem_strdup("localhost/box:1", NULL);
	f->rq.env = f->env;
	f->container.engine.kind = kind;
	(void)snprintf(f->container.engine.program, sizeof f->container.engine.program,
	    "/usr/bin/%s", engine_name(kind));
	(void)snprintf(f->container.name, sizeof f->container.name, NAME);
	f->container.run_dir = mem_strdup("/state/run/" NAME, NULL);
	f->container.has_filter = true;
	f->container.lock_fd = -1;
	f->plan.container = &f->container;
	f->plan.rq = &f->rq;
	f->plan.policy = &f->p;
	f->plan.uid = f->plan.gid = 65534;
}

static void teardown(struct fixture *f)
{
	strv_fini(&f->plan.tool);
	free(f->container.run_dir);
	policy_fini(&f->policy);
}

static void add_mount(struct fixture *f, enum mount_kind kind, const char *src, const char *dst,
    bool is_read_only)
{
	struct policy *p = &f->policy;

	p->mounts = mem_realloc_array(p->mounts, p->mount_count + 1, sizeof *p->mounts, NULL);
	p->mounts[p->mount_count++] = (struct policy_mount){ .kind = kind,
		.is_read_only = is_read_only,
		.src = src == NULL ? NULL : mem_strdup(src, NULL),
		.dst = mem_strdup(dst, NULL),
		.size_bytes = kind == MOUNT_TMPFS ? 4096 : 0 };
}

static int complete(struct fixture *f, struct err *e)
{
	f->p = f->policy;
	f->rq.policy = &f->p;
	return container_defaults(&f->p, &f->rq, e);
}

/* The words of the plan in one line. */
static const char *words(struct fixture *f)
{
	static char line[4096];
	struct err e = ERR_INIT;
	size_t n = 0;

	line[0] = '\0';
	if (complete(f, &e) != 0 || container_plan_argv(&f->plan, &e) != 0)
		(void)snprintf(line, sizeof line, "%s", e.msg);
	for (size_t i = 0; i < f->plan.tool.n; i++)
		n += (size_t)snprintf(line + n, sizeof line - n, "%s%s", i == 0 ? "" : " ",
		    f->plan.tool.v[i]);
	return line;
}

#define CONFINED_PODMAN                                                                           \
	"--network none --read-only --read-only-tmpfs=false --cap-drop ALL "                     \
	"--security-opt no-new-privileges --security-opt seccomp=/state/run/" NAME                \
	"/seccomp.json --no-healthcheck --image-volume ignore --ipc none --cgroupns private "     \
	"--log-driver none --init=false "
#define CONFINED_DOCKER                                                                           \
	"--network none --read-only --cap-drop ALL --security-opt no-new-privileges "             \
	"--security-opt seccomp=/state/run/" NAME                                                 \
	"/seccomp.json --no-healthcheck --ipc none --cgroupns private --log-driver none "         \
	"--init=false "
#define LIMITS "--memory 512m --memory-swap 512m --pids-limit 128 "
#define NO_PROXIES                                                                                \
	"--env HTTP_PROXY= --env HTTPS_PROXY= --env FTP_PROXY= --env NO_PROXY= --env ALL_PROXY= " \
	"--env http_proxy= --env https_proxy= --env ftp_proxy= --env no_proxy= --env all_proxy= "
#define TMPFS(place, size, more)                                                                  \
	"--tmpfs " place ":rw,noexec,nosuid,nodev,mode=1777,size=" size more " "
#define TMP(more) TMPFS("/tmp", "67108864", more)
#define WORKSPACE(more) TMPFS("/workspace", "134217728", more)
#define EMPTY ",notmpcopyup"
#define END                                                                                       \
	"--mount type=bind,src=/state/run/" NAME "/ipc,dst=/ipc,readonly "                        \
	"--entrypoint /ipc/sbx-init localhost/box:1 stdio"
#define BEGIN(engine) "/usr/bin/" engine " run --rm -i --name " NAME " --label sbx=" NAME " "

static void test_golden(void)
{
	struct fixture f;

	setup(&f, ENGINE_PODMAN);
	is_str(words(&f),
	    BEGIN("podman") CONFINED_PODMAN
	    "--user 65534:65534 " LIMITS "--http-proxy=false --no-hosts --pull never " TMP(
		EMPTY) WORKSPACE(EMPTY) "--workdir /workspace " END,
	    "podman, nothing but an image");
	teardown(&f);
	setup(&f, ENGINE_DOCKER);
	is_str(words(&f),
	    BEGIN("docker") CONFINED_DOCKER
	    "--user 65534:65534 " LIMITS NO_PROXIES "--pull never " TMP("") WORKSPACE("")
	    "--workdir / " END,
	    "docker: the same but for what only podman knows");
	teardown(&f);
}

static void test_golden_root(void)
{
	struct fixture f;

	setup(&f, ENGINE_PODMAN);
	f.container.engine.is_rootless = f.container.has_root = true;
	f.plan.root = (char *)(uintptr_t)"/home/me/project";
	f.plan.uid = f.plan.gid = 1000;
	f.policy.is_root_read_only = true;
	f.policy.pull = mem_strdup("missing", NULL);
	f.policy.cpus_milli = 1500;
	f.policy.memory_bytes = (1 << 20) + 1;
	f.policy.is_pids_set = true; /* to 0: no limit */
	is_str(words(&f),
	    BEGIN("podman") CONFINED_PODMAN
	    "--userns keep-id --user 1000:1000 --memory 1048577b "
	    "--memory-swap 1048577b --cpus 1.500 "
	    "--http-proxy=false --no-hosts --pull missing " TMP(EMPTY)
	    "--mount type=bind,src=/home/me/project,dst=/workspace,readonly "
	    "--workdir /workspace " END,
	    "rootless podman: the caller's folder, read-only, as the caller");
	teardown(&f);
	setup(&f, ENGINE_DOCKER);
	f.container.has_filter = false;
	f.policy.seccomp = mem_strdup("/list", NULL);
	add_mount(&f, MOUNT_RO, "/data", "/data", false);
	add_mount(&f, MOUNT_RW, "/cache", "/cache", false);
	add_mount(&f, MOUNT_BIND, "/a", "/b", true);
	add_mount(&f, MOUNT_TMPFS, NULL, "/scratch", false);
	is_str(words(&f),
	    BEGIN("docker")
	    "--network none --read-only --cap-drop ALL --security-opt no-new-privileges "
	    "--security-opt seccomp=unconfined --no-healthcheck --ipc none --cgroupns private "
	    "--log-driver none --init=false --user 65534:65534 "
	    LIMITS NO_PROXIES "--pull never " TMP("") WORKSPACE("")
	    "--mount type=bind,src=/data,dst=/data,readonly "
	    "--mount type=bind,src=/cache,dst=/cache --mount type=bind,src=/a,dst=/b,readonly "
	    "--tmpfs /scratch:rw,noexec,nosuid,nodev,mode=1777,size=4096 --workdir / " END,
	    "mounts of every kind, and an own list of system calls");
	teardown(&f);
}

/* Who is the machine's root, if without its rights, sees no more of its kernel than others. */
static void test_root_user(void)
{
	struct fixture f;

	setup(&f, ENGINE_PODMAN);
	f.plan.uid = f.plan.gid = 0;
	ok(strstr(words(&f), "--security-opt mask=/proc/slabinfo:/proc/vmallocinfo:") != NULL,
	    "podman masks what only root may read");
	f.container.engine.has_user_ns = true;
	ok(strstr(words(&f), "mask=") == NULL, "not for a root that is another user outside");
	teardown(&f);
	setup(&f, ENGINE_DOCKER);
	f.plan.uid = f.plan.gid = 0;
	ok(strstr(words(&f), "mask=") == NULL, "docker knows no such option");
	teardown(&f);
}

static void test_settings(void)
{
	static const struct {
		const char *env[3];
		uint64_t timeout_ms, memory_bytes, pids, cpus_milli;
		const char *name;
	} cases[] = {
		{ { NULL }, 30000, 512 * SBX_MIB, 128, 0, "defaults" },
		{ { "MCP_BRIDGE_TIMEOUT=45", "MCP_BRIDGE_MEMORY=256m", "MCP_BRIDGE_PIDS=64" },
		    45000, 256 * SBX_MIB, 64, 0, "the seed's names, a timeout in plain seconds" },
		{ { "MCP_BRIDGE_TIMEOUT=45s", "MCP_BRIDGE_CPUS=0.5" }, 45000, 512 * SBX_MIB, 128,
		    500, "a timeout with its unit" },
		{ { "MCP_BRIDGE_TIMEOUT=45", "SBX_TIMEOUT=50", "SBX_MEMORY=1g" }, 50000,
		    1024 * SBX_MIB, 128, 0, "our names win" },
		{ { "SBX_TIMEOUT=", "MCP_BRIDGE_TIMEOUT=20" }, 20000, 512 * SBX_MIB, 128, 0,
		    "an empty one is none" },
		{ { "MCP_BRIDGE_MAX_TIMEOUT=300s", "SBX_TIMEOUT=250" }, 250000, 512 * SBX_MIB, 128,
		    0, "a higher ceiling" },
	};

	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct fixture f;
		struct err e = ERR_INIT;

		setup(&f, ENGINE_PODMAN);
		for (size_t n = 0; n < 3 && cases[i].env[n] != NULL; n++)
			f.env[n] = (char *)(uintptr_t)cases[i].env[n];
		is_int(complete(&f, &e), 0, "%s", cases[i].name);
		is_int((long long)f.p.timeout_ms, (long long)cases[i].timeout_ms, "  timeout");
		is_int((long long)f.p.memory_bytes, (long long)cases[i].memory_bytes, "  memory");
		is_int((long long)f.p.pids, (long long)cases[i].pids, "  pids");
		is_int((long long)f.p.cpus_milli, (long long)cases[i].cpus_milli, "  cpus");
		teardown(&f);
	}
}

static void test_options_win(void)
{
	struct fixture f;
	struct err e = ERR_INIT;

	setup(&f, ENGINE_PODMAN);
	f.env[0] = (char *)(uintptr_t) "SBX_TIMEOUT=50";
	f.env[1] = (char *)(uintptr_t) "SBX_IMAGE=other:2";
	f.env[2] = (char *)(uintptr_t) "MCP_BRIDGE_CONTAINER_USER=1234";
	f.env[3] = (char *)(uintptr_t) "SBX_MEMORY=1g";
	f.policy.timeout_ms = 5000;
	f.policy.is_memory_set = true;
	is_int(complete(&f, &e), 0, "options beside the environment");
	is_int((long long)f.p.timeout_ms, 5000, "the option's timeout");
	is_int((long long)f.p.memory_bytes, 0, "--memory 0 is a wish");
	is_str(f.p.image, "localhost/box:1", "the option's image");
	ok(f.p.is_user_set && f.p.uid == 1234 && f.p.gid == 1234, "the environment's user");
	ok(!f.policy.is_user_set && f.policy.pids == 0, "the caller's policy is as it was");
	free(f.policy.image);
	f.policy.image = NULL;
	is_int(complete(&f, &e), 0, "no image as an option");
	is_str(f.p.image, "other:2", "the environment's image");
	teardown(&f);
}

/* What is done to a policy, and what is said then. */
static void is_refused(const char *env, void (*change)(struct fixture *f), const char *want,
    const char *name)
{
	struct fixture f;
	struct err e = ERR_INIT;

	setup(&f, ENGINE_PODMAN);
	f.env[0] = (char *)(uintptr_t)env;
	if (change != NULL)
		change(&f);
	ok((complete(&f, &e) != 0 || container_plan_argv(&f.plan, &e) != 0) &&
		strstr(e.msg, want) != NULL,
	    "%s", name);
	if (strstr(e.msg, want) == NULL)
		diag("%s", e.msg);
	teardown(&f);
}

static void no_image(struct fixture *f)
{
	free(f->policy.image);
	f->policy.image = NULL;
}

static void bad_image(struct fixture *f)
{
	free(f->policy.image);
	f->policy.image = mem_strdup("--privileged", NULL);
}

static void bad_pull(struct fixture *f)
{
	f->policy.pull = mem_strdup("perhaps", NULL);
}

static void no_timeout(struct fixture *f)
{
	f->policy.is_timeout_set = true;
}

static void long_timeout(struct fixture *f)
{
	f->policy.timeout_ms = 121000;
}

static void net_host(struct fixture *f)
{
	f->policy.net = NET_HOST;
}

static void tty(struct fixture *f)
{
	f->policy.want_tty = true;
}

static void hide(struct fixture *f)
{
	add_mount(f, MOUNT_HIDE, NULL, "/etc", false);
}

static void comma(struct fixture *f)
{
	add_mount(f, MOUNT_RO, "/a,readonly=false", "/a,readonly=false", false);
}

static void over_ipc(struct fixture *f)
{
	add_mount(f, MOUNT_BIND, "/a", "/ipc/x", false);
}

static void colon(struct fixture *f)
{
	add_mount(f, MOUNT_TMPFS, NULL, "/a:exec", false);
}

static void test_refused(void)
{
	is_refused(NULL, no_image, "needs an image", "no image");
	is_refused(NULL, bad_image, "no name of an image", "an image that is an option");
	is_refused("SBX_IMAGE=a b", no_image, "no name of an image", "an image of two words");
	is_refused(NULL, bad_pull, "never, missing, always", "an unknown way to pull");
	is_refused(NULL, no_timeout, "not without a limit", "no timeout");
	is_refused(NULL, long_timeout, "at most 120 s", "a timeout above the ceiling");
	is_refused("MCP_BRIDGE_TIMEOUT=200s", NULL, "at most 120 s", "the same of the environment");
	is_refused("SBX_TIMEOUT=soon", NULL, "SBX_TIMEOUT", "a timeout that is none");
	is_refused("SBX_CPUS=many", NULL, "SBX_CPUS", "processors that are none");
	is_refused("SBX_CONTAINER_USER=root", NULL, "SBX_CONTAINER_USER", "a user by name");
	is_refused("SBX_MEMORY=much", NULL, "SBX_MEMORY", "memory that is none");
	is_refused("SBX_PIDS=-1", NULL, "SBX_PIDS", "processes that are none");
	is_refused(NULL, net_host, "--net host", "the host's network");
	is_refused(NULL, tty, "--tty", "a terminal");
	is_refused(NULL, hide, "--hide", "hiding");
	is_refused(NULL, comma, "no comma", "a path that would be more options");
	is_refused(NULL, colon, "no colon", "a tmpfs that would be executable");
	is_refused(NULL, over_ipc, "the sandbox's own", "a mount over our own");
}

static void parse(enum engine_kind kind, const char *text, const char *want, const char *name)
{
	struct engine en = { .kind = kind };
	struct err e = ERR_INIT;
	char got[128];

	if (engine_parse_info(&en, text, strlen(text), &e) != 0)
		(void)snprintf(got, sizeof got, "refused");
	else
		(void)snprintf(got, sizeof got, "%s %s%s%s%s", en.arch, en.version,
		    en.is_rootless ? " rootless" : "", en.has_user_ns ? " userns" : "",
		    en.is_machine ? " machine" : "");
	is_str(got, want, "%s", name);
}

static void test_info(void)
{
	parse(ENGINE_PODMAN,
	    "{\"host\":{\"arch\":\"amd64\",\"security\":{\"rootless\":true},"
	    "\"serviceIsRemote\":false},\"version\":{\"Version\":\"4.3.1\"}}",
	    "x86_64 4.3.1 rootless userns", "podman of a user");
	parse(ENGINE_PODMAN,
	    "{\"host\":{\"arch\":\"arm64\",\"security\":{\"rootless\":false},"
	    "\"serviceIsRemote\":true},\"version\":{\"Version\":\"5.0.0\"}}",
	    "aarch64 5.0.0 machine", "podman in a machine");
	parse(ENGINE_DOCKER,
	    "{\"Architecture\":\"x86_64\",\"ServerVersion\":\"20.10.24\","
	    "\"SecurityOptions\":[\"name=seccomp,profile=default\"]}",
	    "x86_64 20.10.24", "docker of root");
	parse(ENGINE_DOCKER,
	    "{\"Architecture\":\"x86_64\",\"ServerVersion\":\"28\","
	    "\"SecurityOptions\":[\"name=seccomp\",\"name=rootless\"]}",
	    "x86_64 28 rootless userns", "docker of a user");
	parse(ENGINE_DOCKER,
	    "{\"Architecture\":\"x86_64\",\"ServerVersion\":\"28\",\"SecurityOptions\":"
	    "[\"name=userns\"]}",
	    "x86_64 28 userns", "docker with its own ids");
	parse(ENGINE_DOCKER, "{\"ServerErrors\":[\"x\"]}", "refused", "a client alone");
	parse(ENGINE_DOCKER, "{\"Architecture\":7,\"SecurityOptions\":{\"a\":1}}", "refused",
	    "other types");
	parse(ENGINE_PODMAN, "Cannot connect", "refused", "no JSON");
	parse(ENGINE_PODMAN, "[]", "refused", "no object");
}

static void test_explain(void)
{
	static const struct {
		const char *line, *want;
	} cases[] = {
		{ "Error: localhost/x:1: image not known", "--pull missing" },
		{ "docker: Error response from daemon: No such image: x:1.", "--pull missing" },
		{ "Error: cannot connect to Podman", "is it running" },
		{ "docker: Cannot connect to the Docker daemon at unix:///x.", "is it running" },
		{ "exec /ipc/sbx-init: exec format error", "another kind of processor" },
		{ "Error: OCI runtime error: crun: cgroups in hybrid mode not supported", "runc" },
		{ "unknown flag: --cgroupns", "too old" },
		{ "something else", "something else" },
	};

	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct err e = ERR_INIT;

		container_explain(cases[i].line, &e);
		ok(e.kind != ERR_NONE && strstr(e.msg, cases[i].want) != NULL &&
			strstr(e.msg, cases[i].line) != NULL,
		    "%s", cases[i].line);
	}
}

/* The client's environment: its configuration, and nothing of the command's. */
static void test_environment(void)
{
	char *env[] = { (char *)(uintptr_t) "HOME=/home/me",
		(char *)(uintptr_t) "DOCKER_HOST=unix:///x", (char *)(uintptr_t) "AWS_SECRET=1",
		(char *)(uintptr_t) "https_proxy=http://u:p@x", (char *)(uintptr_t) "PATH=/evil",
		(char *)(uintptr_t) "LD_PRELOAD=/evil.so", NULL };
	struct sandbox_request rq = { .env = env };
	struct strv out = { 0 };

	ok(engine_environment(&rq, false, &out, NULL) == 0 && out.n == 3, "three of them pass");
	ok(strv_has(&out, "HOME=/home/me") && strv_has(&out, "DOCKER_HOST=unix:///x") &&
		strv_has(&out, "PATH=" PLAN_DEFAULT_PATH),
	    "configuration, and a PATH of the system");
	strv_fini(&out);
	ok(engine_environment(&rq, true, &out, NULL) == 0 && out.n == 4 &&
		strv_has(&out, "https_proxy=http://u:p@x"),
	    "a client that may have to pull knows the proxy");
	strv_fini(&out);
}

int main(void)
{
	test_golden();
	test_golden_root();
	test_root_user();
	test_settings();
	test_options_win();
	test_refused();
	test_info();
	test_explain();
	test_environment();
	return done_testing();
}
