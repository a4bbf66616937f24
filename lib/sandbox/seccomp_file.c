/*
 * Reads filter lists; see seccomp_file.h. Knows the format's names only: what a rule means is
 * lib/sys/linux_seccomp.h's business, and JSON is lib/json's. Must not apply anything.
 */
#include "seccomp_file.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/utsname.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../base/str.h"
#include "../json/json.h"
#include "../sys/fd.h"
#include "seccomp_names.h"

#if defined(__x86_64__)
#define GO_ARCH "amd64"
#elif defined(__aarch64__)
#define GO_ARCH "arm64"
#elif defined(__arm__)
#define GO_ARCH "arm"
#elif defined(__riscv)
#define GO_ARCH "riscv64"
#endif

#define ERRNO_MAX 4095 /* the kernel's MAX_ERRNO: seccomp(2) */
#define KERNEL_MINOR_SPAN 1000U

/* Keys of the four kinds of objects. The string forms of error numbers stand beside numbers in some
 * profiles. */
static const char *const file_keys[] = { "defaultAction", "defaultErrnoRet", "defaultErrno",
	"architectures", "archMap", "flags", "syscalls", NULL };
static const char *const group_keys[] = { "names", "name", "action", "errnoRet", "errno", "args",
	"includes", "excludes", "comment", NULL };
static const char *const filter_keys[] = { "caps", "arches", "minKernel", NULL };
static const char *const arg_keys[] = { "index", "value", "valueTwo", "op", NULL };
static const char *const arch_map_keys[] = { "architecture", "subArchitectures", NULL };

struct reader {
	const struct json_doc *doc;
	struct seccomp_rules *rules;
	unsigned kernel; /* of the running one: see kernel_number() */
};

static int check_object(const struct reader *rd, const struct json_node *n, const char *const *keys,
    struct err *e)
{
	if (json_type(n) != JSON_OBJECT)
		return json_error(rd->doc, n, false, e, "must be an object");
	for (const struct json_node *m = json_first(n); m != NULL; m = json_next(m)) {
		size_t i = 0;

		while (keys[i] != NULL && strcmp(keys[i], json_key(m)) != 0)
			i++;
		if (keys[i] == NULL)
			return json_error(rd->doc, m, true, e, "unknown key \"%s\"", json_key(m));
	}
	return 0;
}

/* An absent member and null are the same. */
static const struct json_node *member(const struct json_node *object, const char *key)
{
	const struct json_node *n = json_get(object, key);

	return n != NULL && json_type(n) != JSON_NULL ? n : NULL;
}

/* Every element is a string that starts with prefix. */
static int check_strings(const struct reader *rd, const struct json_node *list, const char *prefix,
    struct err *e)
{
	if (json_type(list) != JSON_ARRAY)
		return json_error(rd->doc, list, false, e, "must be an array of strings");
	for (const struct json_node *n = json_first(list); n != NULL; n = json_next(n)) {
		if (json_type(n) != JSON_STRING)
			return json_error(rd->doc, n, false, e, "must be a string");
		if (!str_starts_with(json_str(n), prefix))
			return json_error(rd->doc, n, false, e, "\"%s\" does not start with %s",
			    json_str(n), prefix);
	}
	return 0;
}

static bool has_string(const struct json_node *list, const char *s)
{
	for (const struct json_node *n = json_first(list); n != NULL; n = json_next(n))
		if (strcmp(json_str(n), s) == 0)
			return true;
	return false;
}

static int read_number(const struct reader *rd, const struct json_node *n, uint64_t max,
    uint64_t *out, struct err *e)
{
	char digits[24] = "";
	size_t len = 0;
	const char *raw;

	if (json_u64(n, out) == 0 && *out <= max)
		return 0;
	/* masks use all 64 bits, a double has 53: the raw text, which takes another scan to find */
	raw = json_type(n) == JSON_NUMBER ? json_raw(rd->doc, n, &len) : NULL;
	if (raw != NULL && len < sizeof digits)
		memcpy(digits, raw, len);
	if (str_parse_u64(digits, max, "", out, NULL) != 0)
		return json_error(rd->doc, n, false, e, "must be a whole number from 0 to %llu",
		    (unsigned long long)max);
	return 0;
}

static int read_errno(const struct reader *rd, const struct json_node *object, const char *key,
    const char *name_key, uint32_t *action, struct err *e)
{
	const struct json_node *n = member(object, key), *name = member(object, name_key);
	uint64_t errnum = EPERM; /* what the spec says for an absent one */

	if (n == NULL && name != NULL)
		return json_error(rd->doc, name, true, e,
		    "\"%s\" needs the number beside it: \"%s\"", name_key, key);
	if (n != NULL && read_number(rd, n, ERRNO_MAX, &errnum, e) != 0)
		return -1;
	if (*action == SECCOMP_RET_ERRNO)
		*action |= (uint32_t)errnum;
	return 0;
}

static int read_action(const struct reader *rd, const struct json_node *object, const char *key,
    uint32_t *action, struct err *e)
{
	const struct json_node *n = member(object, key);

	if (n == NULL)
		return json_error(rd->doc, object, false, e, "\"%s\" is missing", key);
	if (json_type(n) != JSON_STRING)
		return json_error(rd->doc, n, false, e, "must be a string");
	for (size_t i = 0; i < seccomp_action_name_count; i++)
		if (strcmp(seccomp_action_names[i].name, json_str(n)) == 0) {
			*action = seccomp_action_names[i].action;
			return 0;
		}
	if (str_eq(json_str(n), "SCMP_ACT_NOTIFY") || str_eq(json_str(n), "SCMP_ACT_TRACE"))
		return json_error(rd->doc, n, false, e, "%s needs a supervisor, and there is none",
		    json_str(n));
	return json_error(rd->doc, n, false, e, "unknown action \"%s\"", json_str(n));
}

static int read_op(const struct reader *rd, const struct json_node *arg, uint8_t *op, struct err *e)
{
	const struct json_node *n = member(arg, "op");

	if (n == NULL || json_type(n) != JSON_STRING)
		return json_error(rd->doc, n != NULL ? n : arg, false, e,
		    "\"op\" must be a string");
	for (size_t i = 0; i < SECCOMP_OP_NAMES; i++)
		if (strcmp(seccomp_op_names[i], json_str(n)) == 0) {
			*op = (uint8_t)i;
			return 0;
		}
	return json_error(rd->doc, n, false, e, "unknown operator \"%s\"", json_str(n));
}

static int read_arg(const struct reader *rd, const struct json_node *n, struct seccomp_rule *rule,
    struct err *e)
{
	struct seccomp_arg arg = { 0 };
	const struct json_node *index, *value, *value2;
	uint64_t number = 0;

	if (check_object(rd, n, arg_keys, e) != 0)
		return -1;
	index = member(n, "index");
	value = member(n, "value");
	value2 = member(n, "valueTwo");
	if (index == NULL || value == NULL)
		return json_error(rd->doc, n, false, e, "\"index\" and \"value\" are needed");
	if (read_number(rd, index, SECCOMP_ARGS_MAX - 1, &number, e) != 0 ||
	    read_number(rd, value, UINT64_MAX, &arg.value, e) != 0 ||
	    (value2 != NULL && read_number(rd, value2, UINT64_MAX, &arg.value2, e) != 0) ||
	    read_op(rd, n, &arg.op, e) != 0)
		return -1;
	arg.index = (uint8_t)number;
	if (arg.op != SECCOMP_OP_MASKED_EQ)
		arg.value2 = 0;
	else if ((arg.value2 & ~arg.value) != 0)
		return json_error(rd->doc, n, false, e,
		    "can never match: \"valueTwo\" has bits outside the mask \"value\"");
	for (size_t i = 0; i < rule->arg_count; i++)
		if (rule->args[i].index == arg.index)
			return json_error(rd->doc, n, false, e,
			    "argument %u twice: make two groups of it", arg.index);
	rule->args[rule->arg_count++] =
	    arg; /* indices differ, so there are at most SECCOMP_ARGS_MAX */
	return 0;
}

static int read_args(const struct reader *rd, const struct json_node *group,
    struct seccomp_rule *rule, struct err *e)
{
	const struct json_node *args = member(group, "args");

	if (args == NULL)
		return 0;
	if (json_type(args) != JSON_ARRAY)
		return json_error(rd->doc, args, false, e, "must be an array");
	for (const struct json_node *n = json_first(args); n != NULL; n = json_next(n))
		if (read_arg(rd, n, rule, e) != 0)
			return -1;
	return 0;
}

/* "6.12", "6.1.0-50-cloud" → 6012, 6001; 0: no version. */
static unsigned kernel_number(const char *s)
{
	unsigned parts[2] = { 0, 0 };

	for (size_t i = 0; i < 2; i++) {
		if (*s < '0' || *s > '9')
			return 0;
		for (; *s >= '0' && *s <= '9' && parts[i] < KERNEL_MINOR_SPAN; s++)
			parts[i] = parts[i] * 10 + (unsigned)(*s - '0');
		if (i == 0 && *s++ != '.')
			return 0;
	}
	return parts[0] * KERNEL_MINOR_SPAN + parts[1];
}

/* Does a condition "includes" or "excludes" hold here? An empty one holds for includes (all = true)
 * only. */
static int read_filter(const struct reader *rd, const struct json_node *group, const char *key,
    bool is_include, bool *applies, struct err *e)
{
	const struct json_node *filter = member(group, key), *caps, *arches, *kernel;
	bool has_caps, has_arches, has_kernel;
	unsigned need = 0;

	if (filter == NULL)
		return 0;
	if (check_object(rd, filter, filter_keys, e) != 0)
		return -1;
	caps = member(filter, "caps");
	arches = member(filter, "arches");
	kernel = member(filter, "minKernel");
	if ((caps != NULL && check_strings(rd, caps, "CAP_", e) != 0) ||
	    (arches != NULL && check_strings(rd, arches, "", e) != 0))
		return -1;
	if (kernel != NULL) {
		need = json_type(kernel) == JSON_STRING ? kernel_number(json_str(kernel)) : 0;
		if (need == 0)
			return json_error(rd->doc, kernel, false, e,
			    "must be a kernel version such as \"4.8\"");
	}
	has_caps = caps != NULL && json_first(caps) != NULL;
	has_arches = arches != NULL && json_first(arches) != NULL;
	has_kernel = kernel != NULL;
	if (is_include) /* all of it must hold; no capability is ever held inside */
		*applies = *applies && !has_caps && (!has_arches || has_string(arches, GO_ARCH)) &&
			   (!has_kernel || rd->kernel >= need);
	else /* any of it excludes */
		*applies = *applies && !(has_arches && has_string(arches, GO_ARCH)) &&
			   !(has_kernel && rd->kernel >= need);
	return 0;
}

static int add_name(const struct reader *rd, const struct json_node *n, struct seccomp_rule *rule,
    struct err *e)
{
	rule->nr = seccomp_syscall_number(json_str(n));
	if (rule->nr < 0)
		return 0;
	if (seccomp_rules_add(rd->rules, rule, e) != 0)
		return json_error(rd->doc, n, false, e, "more than %d rules",
		    LIMIT_BPF_INSTRUCTIONS);
	return 0;
}

static int read_names(const struct reader *rd, const struct json_node *group, bool applies,
    struct seccomp_rule *rule, struct err *e)
{
	const struct json_node *name = member(group, "name"), *names = member(group, "names");

	if ((name == NULL) == (names == NULL))
		return json_error(rd->doc, group, false, e,
		    "either \"names\" or \"name\" is needed");
	if (name != NULL && json_type(name) != JSON_STRING)
		return json_error(rd->doc, name, false, e, "must be a string");
	if (names != NULL && check_strings(rd, names, "", e) != 0)
		return -1;
	if (!applies)
		return 0;
	if (name != NULL)
		return add_name(rd, name, rule, e);
	for (const struct json_node *n = json_first(names); n != NULL; n = json_next(n))
		if (add_name(rd, n, rule, e) != 0)
			return -1;
	return 0;
}

static int read_group(const struct reader *rd, const struct json_node *group, struct err *e)
{
	struct seccomp_rule rule = { 0 };
	bool applies = true;

	if (check_object(rd, group, group_keys, e) != 0 ||
	    read_action(rd, group, "action", &rule.action, e) != 0 ||
	    read_errno(rd, group, "errnoRet", "errno", &rule.action, e) != 0 ||
	    read_args(rd, group, &rule, e) != 0 ||
	    read_filter(rd, group, "includes", true, &applies, e) != 0 ||
	    read_filter(rd, group, "excludes", false, &applies, e) != 0)
		return -1;
	return read_names(rd, group, applies, &rule, e);
}

static int check_arch_map(const struct reader *rd, const struct json_node *map, struct err *e)
{
	if (json_type(map) != JSON_ARRAY)
		return json_error(rd->doc, map, false, e, "must be an array");
	for (const struct json_node *n = json_first(map); n != NULL; n = json_next(n)) {
		const struct json_node *arch, *sub;

		if (check_object(rd, n, arch_map_keys, e) != 0)
			return -1;
		arch = member(n, "architecture");
		sub = member(n, "subArchitectures");
		if (arch == NULL || json_type(arch) != JSON_STRING ||
		    !str_starts_with(json_str(arch), "SCMP_ARCH_"))
			return json_error(rd->doc, n, false, e,
			    "\"architecture\" must be SCMP_ARCH_...");
		if (sub != NULL && check_strings(rd, sub, "SCMP_ARCH_", e) != 0)
			return -1;
	}
	return 0;
}

static int read_root(const struct reader *rd, const struct json_node *root, struct err *e)
{
	const struct json_node *arches, *map, *flags, *groups;

	if (check_object(rd, root, file_keys, e) != 0 ||
	    read_action(rd, root, "defaultAction", &rd->rules->default_action, e) != 0 ||
	    read_errno(rd, root, "defaultErrnoRet", "defaultErrno", &rd->rules->default_action,
		e) != 0)
		return -1;
	arches = member(root, "architectures");
	map = member(root, "archMap");
	flags = member(root, "flags");
	groups = member(root, "syscalls");
	if ((arches != NULL && check_strings(rd, arches, "SCMP_ARCH_", e) != 0) ||
	    (map != NULL && check_arch_map(rd, map, e) != 0) ||
	    (flags != NULL && check_strings(rd, flags, "SECCOMP_FILTER_FLAG_", e) != 0))
		return -1;
	if (groups == NULL)
		return 0;
	if (json_type(groups) != JSON_ARRAY)
		return json_error(rd->doc, groups, false, e, "must be an array");
	for (const struct json_node *n = json_first(groups); n != NULL; n = json_next(n))
		if (read_group(rd, n, e) != 0)
			return -1;
	return 0;
}

int seccomp_file_parse(const char *text, size_t len, const char *where, struct seccomp_rules *r,
    struct err *e)
{
	struct reader rd = { .rules = r };
	struct json_doc *doc = json_parse(text, len, where, e);
	struct utsname uts;
	int rc;

	if (doc == NULL)
		return -1;
	rd.doc = doc;
	rd.kernel = uname(&uts) == 0 ? kernel_number(uts.release) : 0;
	rc = read_root(&rd, json_root(doc), e);
	json_free(doc);
	return rc;
}

int seccomp_file_load(const char *root, const char *path, struct seccomp_rules *r, struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, LIMIT_SECCOMP_FILE);
	rc = fd_read_regular(root, path, &text, e);
	if (rc == 0)
		rc = seccomp_file_parse((const char *)text.data, text.len, path, r, e);
	buf_fini(&text);
	return rc;
}
