/*
 * What is special about single policy options: paths with suffixes, words, decimal fractions. Each
 * function gets one value from the command line or from a policy file and stores it. Must not touch
 * the system: whether a path exists is found out when the sandbox is planned.
 */
#include "policy_options.h"

#include <stdlib.h>
#include <string.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "shown.h"

#define USER_ID_MAX (UINT32_MAX - 1) /* -1 means "leave as it is" to setresuid(2) */
#define CPUS_MAX UINT64_C(8192)       /* NR_CPUS of the largest kernels */

static int refuse_value(const char *value, const char *why, struct err *e)
{
	struct shown shown;

	return err_set(e, ERR_USAGE, "'%s' %s", shown_text(&shown, value, strlen(value)), why);
}

/* Index of value in words[count]; -1 and a message that lists them. */
static int find_word(const char *value, const char *const *words, size_t count, const char *list,
		     struct err *e)
{
	struct shown shown;

	for (size_t i = 0; i < count; i++)
		if (strcmp(value, words[i]) == 0)
			return (int)i;
	return err_set(e, ERR_USAGE, "'%s' is none of %s", shown_text(&shown, value, strlen(value)),
		       list);
}

/* src (may be NULL) and dst are copied. */
static int add_mount(struct policy *p, const struct policy_mount *mount, struct err *e)
{
	struct policy_mount *mounts;
	struct policy_mount copy = *mount;

	if (p->mount_count >= LIMIT_MOUNTS)
		return err_set(e, ERR_USAGE, "more than %d entries change the view", LIMIT_MOUNTS);
	mounts = mem_realloc_array(p->mounts, p->mount_count + 1, sizeof(*mounts), e);
	if (!mounts)
		return -1;
	p->mounts = mounts;
	copy.src = mount->src ? mem_strdup(mount->src, e) : NULL;
	copy.dst = mem_strdup(mount->dst, e);
	if (!copy.dst || (mount->src && !copy.src)) {
		free(copy.src);
		free(copy.dst);
		return -1;
	}
	mounts[p->mount_count++] = copy;
	return 0;
}

/* Mounts at their own place: the one path is source and destination. */
static int add_own_place(void *target, enum mount_kind kind, const char *path, struct err *e)
{
	char *both = (char *)(uintptr_t)path; /* only read; add_mount() copies */
	const struct policy_mount mount = {
		.kind = kind,
		.is_read_only = kind == MOUNT_RO,
		.src = kind == MOUNT_HIDE ? NULL : both,
		.dst = both,
	};

	return *path ? add_mount(target, &mount, e) : err_set(e, ERR_USAGE, "the path is empty");
}

int policy_option_ro(void *target, const char *value, struct err *e)
{
	return add_own_place(target, MOUNT_RO, value, e);
}

int policy_option_rw(void *target, const char *value, struct err *e)
{
	return add_own_place(target, MOUNT_RW, value, e);
}

int policy_option_hide(void *target, const char *value, struct err *e)
{
	return add_own_place(target, MOUNT_HIDE, value, e);
}

/*
 * SRC:DST[:ro]. DST is absolute, so ":/" is where it starts; a second ":/" could mean two things
 * and is refused rather than guessed.
 */
int policy_option_bind(void *target, const char *value, struct err *e)
{
	struct policy_mount mount = { .kind = MOUNT_BIND };
	MEM_AUTOFREE char *text = mem_strdup(value, e);
	size_t len;
	char *colon;

	if (!text)
		return -1;
	len = strlen(text);
	if (len >= 3 && strcmp(text + len - 3, ":ro") == 0) {
		mount.is_read_only = true;
		text[len - 3] = '\0';
	}
	colon = str_find(text, ":/");
	/* "/x:rw" is no place that anybody means */
	if (!colon || colon == text || strrchr(text, ':') > strrchr(text, '/'))
		return refuse_value(value, "is not SRC:DST[:ro] with an absolute DST", e);
	if (str_find(colon + 1, ":/"))
		return refuse_value(value, "has more than one ':/': where does DST start?", e);
	*colon = '\0';
	mount.src = text;
	mount.dst = colon + 1;
	return add_mount(target, &mount, e);
}

/* PATH[:SIZE]; a ':' always starts a size. */
int policy_option_tmpfs(void *target, const char *value, struct err *e)
{
	struct policy_mount mount = { .kind = MOUNT_TMPFS };
	MEM_AUTOFREE char *text = mem_strdup(value, e);
	char *colon;

	if (!text)
		return -1;
	colon = strrchr(text, ':');
	if (colon) {
		*colon = '\0';
		if (str_parse_size(colon + 1, "size", &mount.size_bytes, e) < 0)
			return -1;
		if (mount.size_bytes == 0) /* to the kernel it would mean "no limit": tmpfs(5) */
			return err_set(e, ERR_USAGE, "the size is 0");
	}
	if (!*text)
		return err_set(e, ERR_USAGE, "the path is empty");
	mount.dst = text;
	return add_mount(target, &mount, e);
}

int policy_option_net(void *target, const char *value, struct err *e)
{
	static const char *const words[] = {
		[NET_NONE] = "none", [NET_LOOPBACK] = "loopback", [NET_HOST] = "host"
	};
	struct policy *p = target;
	int i = find_word(value, words, MEM_COUNT(words), "none, loopback, host", e);

	if (i < 0)
		return -1;
	p->net = (enum net_mode)i;
	return 0;
}

int policy_option_env_mode(void *target, const char *value, struct err *e)
{
	static const char *const words[] = {
		[ENV_SCRUB] = "scrub",
		[ENV_ALLOW] = "allow",
		[ENV_CLEAR] = "clear",
		[ENV_INHERIT] = "inherit",
	};
	struct policy *p = target;
	int i = find_word(value, words, MEM_COUNT(words), "scrub, allow, clear, inherit", e);

	if (i < 0)
		return -1;
	p->env_mode = (enum env_mode)i;
	return 0;
}

int policy_option_stdin(void *target, const char *value, struct err *e)
{
	struct policy *p = target;
	char *path = NULL;

	if (!*value)
		return err_set(e, ERR_USAGE, "the path is empty");
	if (strcmp(value, "inherit") == 0) {
		p->stdin_mode = STDIN_INHERIT;
	} else if (strcmp(value, "null") == 0) {
		p->stdin_mode = STDIN_NULL;
	} else {
		path = mem_strdup(value, e);
		if (!path)
			return -1;
		p->stdin_mode = STDIN_FILE;
	}
	free(p->stdin_path);
	p->stdin_path = path;
	return 0;
}

/* Thousandths, exactly: a fourth decimal is refused, not rounded to what nobody asked for. */
int policy_option_cpus(void *target, const char *value, struct err *e)
{
	static const char why[] =
		"is no number of processors (such as 0.5 or 2, at most 8192 and three decimals)";
	struct policy *p = target;
	size_t whole_len = strspn(value, "0123456789");
	const char *fraction = value[whole_len] == '.' ? value + whole_len + 1 : "";
	size_t fraction_len = strspn(fraction, "0123456789");
	uint64_t milli = 0;
	uint64_t unit = 100;

	if (whole_len == 0 || whole_len > 4 || fraction_len > 3 || fraction[fraction_len] ||
	    (value[whole_len] == '.') != (fraction_len > 0) ||
	    (value[whole_len] && value[whole_len] != '.'))
		return refuse_value(value, why, e);
	for (size_t i = 0; i < whole_len; i++)
		milli = milli * 10 + (uint64_t)(value[i] - '0') * 1000;
	for (size_t i = 0; i < fraction_len; i++, unit /= 10)
		milli += (uint64_t)(fraction[i] - '0') * unit;
	if (milli > CPUS_MAX * 1000)
		return refuse_value(value, why, e);
	p->cpus_milli = milli;
	return 0;
}

int policy_option_memory_mib(void *target, const char *value, struct err *e)
{
	struct policy *p = target;
	uint64_t mib;

	if (str_parse_u64(value, UINT64_MAX / SBX_MIB, "MiB", &mib, e) < 0)
		return -1;
	p->memory_bytes = mib * SBX_MIB;
	return 0;
}

int policy_option_user(void *target, const char *value, struct err *e)
{
	struct policy *p = target;
	MEM_AUTOFREE char *text = mem_strdup(value, e);
	uint64_t uid;
	uint64_t gid;
	char *colon;

	if (!text)
		return -1;
	colon = strchr(text, ':');
	if (colon)
		*colon = '\0';
	if (str_parse_u64(text, USER_ID_MAX, "UID", &uid, e) < 0)
		return -1;
	gid = uid;
	if (colon && str_parse_u64(colon + 1, USER_ID_MAX, "GID", &gid, e) < 0)
		return -1;
	p->uid = (uid_t)uid;
	p->gid = (gid_t)gid;
	p->is_user_set = true;
	return 0;
}

int policy_option_require(void *target, const char *value, struct err *e)
{
	struct policy *p = target;
	uint32_t bits;

	if (layer_parse_list(value, &bits, e) < 0)
		return -1;
	p->require |= bits;
	return 0;
}

bool policy_option_is_relative(const struct opt *opt, const char *value)
{
	if (!(opt->flags & POLICY_OPT_PATH) || !*value || *value == '/')
		return false;
	if (opt->parse == policy_option_bind)
		return *value != ':'; /* no SRC is a mistake, and is to stay one */
	if (opt->parse == policy_option_stdin)
		return !str_eq(value, "inherit") && !str_eq(value, "null");
	return opt->offset != offsetof(struct policy, seccomp) || !str_eq(value, "none");
}
