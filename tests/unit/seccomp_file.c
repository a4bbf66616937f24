/*
 * Filter lists as JSON: what engines' profiles contain is understood, what would widen a rule in
 * silence is refused with its place, and what is written is read back as the same filter, call by
 * call.
 */
#include <errno.h>
#include <linux/audit.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../lib/base/limits.h"
#include "../../lib/sandbox/seccomp_file.h"
#include "bpf_vm.h"
#include "tap.h"

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#define ARCH_GO "amd64"
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#define ARCH_GO "arm64"
#elif defined(__arm__)
#define NATIVE AUDIT_ARCH_ARM
#define ARCH_GO "arm"
#else
#define NATIVE AUDIT_ARCH_RISCV64
#define ARCH_GO "riscv64"
#endif

#define ERRNO_IS(n) (SECCOMP_RET_ERRNO | (n))

/* ---- reading ---- */

/* The action for a call under a list; VM_BROKEN when the list is refused. */
static uint32_t decide(const char *json, const char *name, uint64_t arg0, uint64_t arg1)
{
	struct seccomp_rules r;
	struct sock_fprog p = { 0 };
	struct err e = ERR_INIT;
	struct seccomp_data d = { .nr = seccomp_syscall_number(name),
		.arch = NATIVE,
		.args = { arg0, arg1 } };
	struct bpf_vm vm;
	uint32_t action = VM_BROKEN;

	seccomp_rules_init(&r);
	if (seccomp_file_parse(json, strlen(json), "list", &r, &e) != 0)
		diag("%s", e.msg);
	else if (seccomp_compile(&r, &p, &e) == 0 && vm_check(&p))
		action = vm_run(&p, &d, &vm);
	free(p.filter);
	seccomp_rules_fini(&r);
	return action;
}

static void test_actions(void)
{
	static const struct {
		const char *name;
		uint32_t action;
	} actions[] = { { "SCMP_ACT_ALLOW", SECCOMP_RET_ALLOW }, { "SCMP_ACT_ERRNO", ERRNO_IS(1) },
		{ "SCMP_ACT_KILL", SECCOMP_RET_KILL_THREAD },
		{ "SCMP_ACT_KILL_THREAD", SECCOMP_RET_KILL_THREAD },
		{ "SCMP_ACT_KILL_PROCESS", SECCOMP_RET_KILL_PROCESS },
		{ "SCMP_ACT_LOG", SECCOMP_RET_LOG }, { "SCMP_ACT_TRAP", SECCOMP_RET_TRAP } };

	for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
		char json[160];

		(void)snprintf(json, sizeof json,
		    "{\"defaultAction\":\"SCMP_ACT_LOG\",\"syscalls\":[{\"names\":[\"read\"],"
		    "\"action\":\"%s\"}]}",
		    actions[i].name);
		is_int(decide(json, "read", 0, 0), actions[i].action, "%s", actions[i].name);
		is_int(decide(json, "write", 0, 0), SECCOMP_RET_LOG, "%s: others by default",
		    actions[i].name);
	}
	is_int(decide("{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"defaultErrnoRet\":38}", "read", 0,
		   0),
	    ERRNO_IS(38), "defaultErrnoRet");
	is_int(decide("{\"defaultAction\":\"SCMP_ACT_ERRNO\"}", "read", 0, 0), ERRNO_IS(EPERM),
	    "no defaultErrnoRet: EPERM");
	is_int(decide("{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"defaultErrnoRet\":38}", "read", 0,
		   0),
	    SECCOMP_RET_ALLOW, "an error number beside another action means nothing");
}

static void test_operators(void)
{
	static const struct {
		const char *op;
		uint64_t value, value2, yes, no;
	} ops[] = {
		{ "SCMP_CMP_EQ", 7, 0, 7, 8 },
		{ "SCMP_CMP_NE", 7, 0, 8, 7 },
		{ "SCMP_CMP_LT", 7, 0, 6, 7 },
		{ "SCMP_CMP_LE", 7, 0, 7, 8 },
		{ "SCMP_CMP_GT", 7, 0, 8, 7 },
		{ "SCMP_CMP_GE", 7, 0, 7, 6 },
		{ "SCMP_CMP_MASKED_EQ", 0xff00, 0x1200, 0x991234, 0x1334 },
		{ "SCMP_CMP_EQ", UINT64_MAX, 0, UINT64_MAX, UINT64_MAX - 1 },
		{ "SCMP_CMP_EQ", (UINT64_C(1) << 53) + 1, 0, (UINT64_C(1) << 53) + 1,
		    UINT64_C(1) << 53 },
		{ "SCMP_CMP_GT", 0xffffffff, 0, UINT64_C(1) << 32, 0xffffffff },
	};

	for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
		char json[300];

		(void)snprintf(json, sizeof json,
		    "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[\"close\","
		    "\"read\"],"
		    "\"action\":\"SCMP_ACT_ERRNO\",\"args\":[{\"index\":1,\"value\":%llu,"
		    "\"valueTwo\":"
		    "%llu,\"op\":\"%s\"}]}]}",
		    (unsigned long long)ops[i].value, (unsigned long long)ops[i].value2, ops[i].op);
		ok(decide(json, "read", ops[i].no, ops[i].yes) == ERRNO_IS(EPERM) &&
			decide(json, "read", ops[i].yes, ops[i].no) == SECCOMP_RET_ALLOW,
		    "%s %llx", ops[i].op, (unsigned long long)ops[i].value);
	}
}

/* What the groups of engines' default profiles look like. */
static void test_groups(void)
{
	static const struct {
		const char *group, *name;
		bool is_used;
	} groups[] = {
		{ "\"names\":[\"read\"],\"includes\":{}", "read", true },
		{ "\"names\":[\"read\"],\"includes\":null,\"excludes\":null,\"args\":null,"
		  "\"comment\":\"x\"",
		    "read", true },
		{ "\"name\":\"read\",\"args\":[]", "read", true },
		{ "\"names\":[\"no_such_call\",\"read\"]", "read", true },
		{ "\"names\":[]", "read", false },
		{ "\"names\":[\"read\"],\"includes\":{\"caps\":[\"CAP_SYS_ADMIN\"]}", "read",
		    false },
		{ "\"names\":[\"read\"],\"includes\":{\"caps\":[]}", "read", true },
		{ "\"names\":[\"read\"],\"excludes\":{\"caps\":[\"CAP_SYS_ADMIN\"]}", "read",
		    true },
		{ "\"names\":[\"read\"],\"includes\":{\"arches\":[\"s390x\",\"" ARCH_GO "\"]}",
		    "read", true },
		{ "\"names\":[\"read\"],\"includes\":{\"arches\":[\"s390\",\"s390x\"]}", "read",
		    false },
		{ "\"names\":[\"read\"],\"excludes\":{\"arches\":[\"" ARCH_GO "\"]}", "read",
		    false },
		{ "\"names\":[\"read\"],\"excludes\":{\"arches\":[\"s390x\"]}", "read", true },
		{ "\"names\":[\"read\"],\"includes\":{\"minKernel\":\"3.0\"}", "read", true },
		{ "\"names\":[\"read\"],\"includes\":{\"minKernel\":\"999.0\"}", "read", false },
		{ "\"names\":[\"read\"],\"excludes\":{\"minKernel\":\"3.0\"}", "read", false },
		{ "\"names\":[\"read\"],\"includes\":{\"minKernel\":\"3.0\",\"caps\":[\"CAP_BPF\"]"
		  "}",
		    "read", false },
	};

	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
		char json[400];

		(void)snprintf(json, sizeof json,
		    "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"archMap\":[{\"architecture\":"
		    "\"SCMP_ARCH_X86_64\",\"subArchitectures\":[\"SCMP_ARCH_X86\"]}],\"syscalls\":["
		    "{\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":5,\"errno\":\"EIO\",%s}]}",
		    groups[i].group);
		is_int(decide(json, groups[i].name, 0, 0),
		    groups[i].is_used ? ERRNO_IS(5) : SECCOMP_RET_ALLOW, "group with %s: %s",
		    groups[i].group, groups[i].is_used ? "used" : "left out");
	}
}

static void test_unknown_numbers(void)
{
	static const char json[] =
	    "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"flags\":"
	    "[\"SECCOMP_FILTER_FLAG_LOG\"],\"architectures\":[\"SCMP_ARCH_ARM\"]}";
	struct seccomp_rules r;
	struct err e = ERR_INIT;

	seccomp_rules_init(&r);
	is_int(seccomp_file_parse(json, sizeof json - 1, "list", &r, &e), 0,
	    "flags and other architectures are taken");
	ok(r.default_action == SECCOMP_RET_ALLOW && r.unknown_action == ERRNO_IS(ENOSYS),
	    "calls that nobody here knows stay ENOSYS");
	seccomp_rules_fini(&r);
}

/* ---- refusing ---- */

#define LIST(groups) "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[" groups "]}"
#define GROUP(rest) LIST("{\"names\":[\"read\"],\"action\":\"SCMP_ACT_ERRNO\"," rest "}")
#define ARG(arg) GROUP("\"args\":[" arg "]")

static void test_refused(void)
{
	static const struct {
		const char *json, *message;
	} bad[] = {
		{ "", "list:1:1: " },
		{ "[]", "list:1:1: must be an object" },
		{ "{}", "\"defaultAction\" is missing" },
		{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\"} x", "list:1:" },
		{ "{\"defaultAction\":7}", "list:1:18: must be a string" },
		{ "{\"defaultAction\":\"allow\"}", "unknown action \"allow\"" },
		{ "{\"defaultAction\":\"SCMP_ACT_NOTIFY\"}", "needs a supervisor" },
		{ "{\"defaultAction\":\"SCMP_ACT_TRACE\"}", "needs a supervisor" },
		{ "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"defaultErrnoRet\":4096}",
		    "from 0 to 4095" },
		{ "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"defaultErrnoRet\":-1}",
		    "from 0 to 4095" },
		{ "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"defaultErrno\":\"ENOSYS\"}",
		    "needs the number beside it" },
		{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\n \"syscall\":[]}",
		    "list:2:2: unknown key \"syscall\"" },
		{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"defaultAction\":\"SCMP_ACT_ALLOW\"}",
		    "duplicate key" },
		{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"architectures\":\"x\"}",
		    "array of strings" },
		{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"architectures\":[\"amd64\"]}",
		    "does not start with SCMP_ARCH_" },
		{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"archMap\":[{}]}", "must be SCMP_ARCH_" },
		{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"flags\":[\"LOG\"]}",
		    "SECCOMP_FILTER_FLAG_" },
		{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":{}}", "must be an array" },
		{ LIST("7"), "must be an object" },
		{ LIST("{\"names\":[\"read\"]}"), "\"action\" is missing" },
		{ LIST("{\"action\":\"SCMP_ACT_KILL\"}"), "either \"names\" or \"name\"" },
		{ LIST("{\"action\":\"SCMP_ACT_KILL\",\"name\":\"a\",\"names\":[]}"),
		    "either \"names\"" },
		{ LIST("{\"action\":\"SCMP_ACT_KILL\",\"names\":\"read\"}"), "array of strings" },
		{ LIST("{\"action\":\"SCMP_ACT_KILL\",\"names\":[1]}"), "must be a string" },
		{ LIST("{\"action\":\"SCMP_ACT_KILL\",\"name\":1}"), "must be a string" },
		{ GROUP("\"arg\":[]"), "unknown key \"arg\"" },
		{ GROUP("\"errnoRet\":\"EPERM\""), "whole number" },
		{ GROUP("\"errnoRet\":1.5"), "whole number" },
		{ GROUP("\"errno\":\"EPERM\""), "needs the number beside it" },
		{ GROUP("\"args\":{}"), "must be an array" },
		{ GROUP("\"includes\":{\"cap\":[]}"), "unknown key \"cap\"" },
		{ GROUP("\"includes\":{\"caps\":[\"SYS_ADMIN\"]}"), "does not start with CAP_" },
		{ GROUP("\"includes\":{\"arches\":[1]}"), "must be a string" },
		{ GROUP("\"includes\":{\"minKernel\":4.8}"), "kernel version" },
		{ GROUP("\"excludes\":{\"minKernel\":\"new\"}"), "kernel version" },
		{ ARG("{\"index\":0,\"value\":1}"), "\"op\" must be a string" },
		{ ARG("{\"index\":0,\"op\":\"SCMP_CMP_EQ\"}"),
		    "\"index\" and \"value\" are needed" },
		{ ARG("{\"value\":0,\"op\":\"SCMP_CMP_EQ\"}"),
		    "\"index\" and \"value\" are needed" },
		{ ARG("{\"index\":6,\"value\":1,\"op\":\"SCMP_CMP_EQ\"}"), "from 0 to 5" },
		{ ARG("{\"index\":0,\"value\":-1,\"op\":\"SCMP_CMP_EQ\"}"), "whole number" },
		{ ARG("{\"index\":0,\"value\":18446744073709551616,\"op\":\"SCMP_CMP_EQ\"}"),
		    "whole number" },
		{ ARG("{\"index\":0,\"value\":1e3,\"op\":\"SCMP_CMP_GE\",\"x\":1}"),
		    "unknown key \"x\"" },
		{ ARG("{\"index\":0,\"value\":1,\"op\":\"EQ\"}"), "unknown operator \"EQ\"" },
		{ ARG("{\"index\":0,\"value\":3,\"valueTwo\":4,\"op\":\"SCMP_CMP_MASKED_EQ\"}"),
		    "can never match" },
		{ ARG("{\"index\":0,\"value\":3,\"op\":\"SCMP_CMP_GE\"},"
		      "{\"index\":0,\"value\":9,\"op\":\"SCMP_CMP_LE\"}"),
		    "argument 0 twice" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct seccomp_rules r;
		struct err e = ERR_INIT;
		int rc;

		seccomp_rules_init(&r);
		rc = seccomp_file_parse(bad[i].json, strlen(bad[i].json), "list", &r, &e);
		ok(rc == -1 && e.kind == ERR_USAGE && strncmp(e.msg, "list:", 5) == 0 &&
			strstr(e.msg, bad[i].message) != NULL,
		    "refused with %s: %s", bad[i].message, e.msg);
		seccomp_rules_fini(&r);
	}
}

static void test_too_many(void)
{
	struct seccomp_rules r;
	struct err e = ERR_INIT;
	struct buf b;

	seccomp_rules_init(&r);
	buf_init(&b, LIMIT_SECCOMP_FILE);
	(void)buf_puts(&b,
	    "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"action\":"
	    "\"SCMP_ACT_KILL\",\"names\":[\"read\"",
	    &e);
	for (int i = 0; i < LIMIT_BPF_INSTRUCTIONS; i++)
		(void)buf_puts(&b, ",\"read\"", &e);
	(void)buf_puts(&b, "]}]}", &e);
	ok(seccomp_file_parse((char *)b.data, b.len, "list", &r, &e) == -1 && e.kind == ERR_USAGE &&
		strstr(e.msg, "4096") != NULL,
	    "too many rules: %s", e.msg);
	buf_fini(&b);
	seccomp_rules_fini(&r);
}

static void test_files(void)
{
	struct seccomp_rules r;
	struct err e = ERR_INIT;
	char path[] = "/tmp/seccomp_file.XXXXXX";
	static const char text[] = "{\n  \"defaultAction\": \"SCMP_ACT_LOG\",\n  \"bad\": 1\n}\n";
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, text, sizeof text - 1) != (ssize_t)sizeof text - 1)
		BAIL("%s", path);
	close(fd);
	seccomp_rules_init(&r);
	ok(seccomp_file_load(NULL, path, &r, &e) == -1 && strncmp(e.msg, path, strlen(path)) == 0 &&
		strstr(e.msg, ":3:3: unknown key") != NULL,
	    "a mistake in a file is told with its place");
	(void)unlink(path);
	err_clear(&e);
	ok(seccomp_file_load(NULL, path, &r, &e) == -1 && e.kind == ERR_USAGE && e.errnum == ENOENT,
	    "a missing file is refused");
	err_clear(&e);
	ok(seccomp_file_load(NULL, "/", &r, &e) == -1 && e.kind == ERR_USAGE,
	    "a folder is refused");
	err_clear(&e);
	ok(mkfifo(path, 0600) == 0 && seccomp_file_load(NULL, path, &r, &e) == -1 &&
		e.kind == ERR_USAGE,
	    "a FIFO is refused, not waited for");
	(void)unlink(path);
	seccomp_rules_fini(&r);
}

/* ---- writing ---- */

static uint64_t random_state = 1181783497276652981U;

static uint64_t rnd(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static uint64_t rnd_below(uint64_t n)
{
	return (rnd() >> 11) % n;
}

/* Decisions of two programs for every number and for values near those of the rules. */
static unsigned long differences(const struct seccomp_rules *r, const struct sock_fprog *x,
    const struct sock_fprog *y, unsigned long *checks)
{
	struct seccomp_data d = { .arch = NATIVE };
	struct bpf_vm vm;
	unsigned long wrong = 0;

	for (d.nr = 0; d.nr <= 700; d.nr++, ++*checks)
		wrong += vm_run(x, &d, &vm) != vm_run(y, &d, &vm);
	for (size_t i = 0; i < r->count; i++)
		for (unsigned n = 0; n < 400; n++, ++*checks) {
			const struct seccomp_rule *rule = &r->rules[i];

			d.nr = rule->nr;
			for (size_t a = 0; a < 6; a++)
				d.args[a] = rnd_below(2) == 0 ? rnd_below(70) : rnd();
			for (size_t a = 0; a < rule->arg_count; a++)
				if (rnd_below(2) == 0)
					d.args[rule->args[a].index] =
					    rule->args[a].value ^ (rnd() & rnd() & rnd() & rnd());
			wrong += vm_run(x, &d, &vm) != vm_run(y, &d, &vm);
		}
	return wrong;
}

/* Write, read back, compare; returns the length of the text, 0 for any failure. */
static size_t round_trip(const struct seccomp_rules *r, unsigned long *checks, unsigned long *wrong)
{
	struct seccomp_rules back;
	struct sock_fprog x = { 0 }, y = { 0 };
	struct err e = ERR_INIT;
	struct buf b;
	size_t len = 0;

	seccomp_rules_init(&back);
	buf_init(&b, LIMIT_SECCOMP_FILE);
	if (seccomp_put_oci_json(r, &b, &e) != 0 ||
	    seccomp_file_parse((char *)b.data, b.len, "list", &back, &e) != 0 ||
	    seccomp_compile(r, &x, &e) != 0 || seccomp_compile(&back, &y, &e) != 0) {
		diag("%s", e.msg);
	} else {
		*wrong += differences(r, &x, &y, checks);
		len = b.len;
	}
	free(x.filter);
	free(y.filter);
	buf_fini(&b);
	seccomp_rules_fini(&back);
	return len;
}

static void test_builtin_round_trip(unsigned flags, const char *name)
{
	struct seccomp_rules r;
	struct err e = ERR_INIT;
	unsigned long checks = 0, wrong = 0;
	size_t len;

	seccomp_rules_init(&r);
	if (seccomp_rules_builtin(&r, flags, &e) != 0)
		BAIL("%s", e.msg);
	len = round_trip(&r, &checks, &wrong);
	ok(len > 0 && len < LIMIT_SMALL_FILE, "%s: printed and read back (%zu bytes)", name, len);
	ok(wrong == 0 && checks > 10000, "%s: decides the same %lu calls the same way", name,
	    checks);
	seccomp_rules_fini(&r);
}

/* Distinct arguments in a rule, as the format wants; every operator. */
static void random_rule(struct seccomp_rule *rule)
{
	do
		rule->nr = (int)rnd_below(40);
	while (seccomp_syscall_name(rule->nr) == NULL);
	rule->action = rnd_below(3) == 0 ? SECCOMP_RET_ALLOW : ERRNO_IS((uint32_t)rnd_below(3));
	rule->arg_count = (uint8_t)rnd_below(3);
	for (uint8_t i = 0; i < rule->arg_count; i++) {
		struct seccomp_arg *a = &rule->args[i];

		a->index = (uint8_t)(i * 3 + (uint8_t)rnd_below(3));
		a->op = (uint8_t)rnd_below(SECCOMP_OP_NOT_IN + 1);
		a->value = rnd_below(2) == 0 ? rnd_below(16) : rnd();
		if (a->op == SECCOMP_OP_ANY_BIT)
			a->value &= rnd() & rnd();
		a->value2 = a->op == SECCOMP_OP_MASKED_EQ ? a->value & rnd() : 0;
	}
}

static void test_random_round_trip(void)
{
	unsigned long checks = 0, wrong = 0;
	unsigned done = 0;

	for (unsigned i = 0; i < 60; i++) {
		struct seccomp_rules r;
		struct err e = ERR_INIT;

		seccomp_rules_init(&r);
		r.default_action = ERRNO_IS(9);
		for (uint64_t n = rnd_below(12); n > 0; n--) {
			struct seccomp_rule rule = { 0 };

			random_rule(&rule);
			if (seccomp_rules_add(&r, &rule, &e) != 0)
				BAIL("%s", e.msg);
		}
		done += round_trip(&r, &checks, &wrong) > 0 ? 1 : 0;
		seccomp_rules_fini(&r);
	}
	is_int(done, 60, "random rules are printed and read back");
	ok(wrong == 0 && checks > 100000, "and decide the same %lu calls the same way", checks);
}

static void test_written_form(void)
{
	struct seccomp_rules r;
	struct err e = ERR_INIT;
	struct buf b;
	const char *s;

	seccomp_rules_init(&r);
	buf_init(&b, LIMIT_SECCOMP_FILE);
	if (seccomp_rules_builtin(&r, 0, &e) != 0 || seccomp_put_oci_json(&r, &b, &e) != 0)
		BAIL("%s", e.msg);
	s = buf_str(&b, &e);
	ok(s != NULL && strstr(s, "\"defaultAction\": \"SCMP_ACT_ALLOW\"") != NULL &&
		strstr(s, "\"SCMP_ARCH_") != NULL,
	    "default action and architecture are there");
	ok(s != NULL && strstr(s, "ANY") == NULL && strstr(s, "NOT_IN") == NULL,
	    "only operators that engines know");
	buf_fini(&b);
	buf_init(&b, 64);
	err_clear(&e);
	ok(seccomp_put_oci_json(&r, &b, &e) == -1 && e.kind != ERR_NONE,
	    "a full buffer is an error");
	buf_fini(&b);
	seccomp_rules_fini(&r);
}

int main(void)
{
	test_actions();
	test_operators();
	test_groups();
	test_unknown_numbers();
	test_refused();
	test_too_many();
	test_files();
	test_builtin_round_trip(0, "built-in");
	test_builtin_round_trip(SECCOMP_BUILTIN_DENY_INET, "built-in, no inet");
	test_random_round_trip();
	test_written_form();
	return done_testing();
}
