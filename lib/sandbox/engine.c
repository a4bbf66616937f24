/* Which container engine, and what it says of itself; see engine.h. */
#include "engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../json/json.h"
#include "../sys/ask.h"
#include "../sys/fd.h"
#include "plan.h"
#include "program.h"

#define ENGINE_WORDS 16

const char *engine_name(enum engine_kind kind)
{
	return kind == ENGINE_PODMAN ? "podman" : "docker";
}

const char *engine_setting_named(
    const struct sandbox_request *rq, const char *name, char full[static ENGINE_SETTING_MAX])
{
	static const char prefixes[][12] = { "SBX_", "MCP_BRIDGE_" };

	for (size_t i = 0; i < MEM_COUNT(prefixes); i++) {
		const char *value;

		(void)snprintf(full, ENGINE_SETTING_MAX, "%s%s", prefixes[i], name);
		value = plan_host_env(rq, full);
		if (value != NULL && *value != '\0')
			return value;
	}
	return NULL;
}

const char *engine_setting(const struct sandbox_request *rq, const char *name)
{
	char full[ENGINE_SETTING_MAX];

	return engine_setting_named(rq, name, full);
}

char *engine_state_dir(const struct sandbox_request *rq, const char *home, struct err *e)
{
	char what[ENGINE_SETTING_MAX];
	const char *dir = engine_setting_named(rq, "STATE_DIR", what);

	if (dir == NULL)
		return mem_printf(e, "%s/MCPs", strcmp(home, "/") == 0 ? "" : home);
	if (dir[0] == '/')
		return mem_strdup(dir, e);
	(void)err_set(e, ERR_USAGE, "%s: %s is not absolute", what, dir);
	return NULL;
}

/* others: the permission bits that it must not have. */
static int check_own_folder(const char *path, mode_t others, struct err *e)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return errno == ENOENT ?
			   0 :
			   err_errno(
			       e, ERR_SETUP, "the state folder %s (SBX_STATE_DIR)", path);
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & others) == 0)
		return 0;
	return err_set(e, ERR_REFUSED,
	    "the state folder %s is not yours alone: others could have sbx run what they write "
	    "there; name another one by SBX_STATE_DIR, or chown and chmod go-w",
	    path);
}

int engine_state_check(const char *state_dir, struct err *e)
{
	static const char *const own[] = { "engine", "run" };

	if (check_own_folder(state_dir, S_IWOTH, e) != 0)
		return -1;
	for (size_t i = 0; i < MEM_COUNT(own); i++) {
		MEM_AUTOFREE char *path = mem_printf(e, "%s/%s", state_dir, own[i]);

		if (path == NULL || check_own_folder(path, S_IWGRP | S_IWOTH, e) != 0)
			return -1;
	}
	return 0;
}

/* ---- the program ---- */

static int find_named(struct engine *en, const char *named, struct err *e)
{
	const char *slash = strrchr(named, '/');
	const char *base = slash == NULL ? named : slash + 1;
	struct stat st;

	if (strcmp(base, "podman") == 0)
		en->kind = ENGINE_PODMAN;
	else if (strcmp(base, "docker") == 0)
		en->kind = ENGINE_DOCKER;
	else
		return err_set(e, ERR_USAGE, "podman or docker, not \"%s\"", named);
	if ((slash != NULL ? program_check(named, en->program, sizeof en->program, &st) :
			     program_find(named, en->program, sizeof en->program, &st)) == 0)
		return 0;
	return err_set(e, ERR_REFUSED, "%s was asked for and is not installed here (looked in %s)",
	    named, slash != NULL ? "that place" : PLAN_DEFAULT_PATH);
}

int engine_find(struct engine *en, const char *wanted, const struct sandbox_request *rq,
    struct err *e)
{
	char what[ENGINE_SETTING_MAX];
	const char *setting = engine_setting_named(rq, "RUNTIME", what);
	const char *slash = setting == NULL ? NULL : strrchr(setting, '/');

	memset(en, 0, sizeof *en);
	/* -b podman with SBX_RUNTIME=/opt/x/podman: the same engine, at its place */
	if (setting != NULL &&
	    (wanted == NULL || (slash != NULL && strcmp(slash + 1, wanted) == 0)))
		return find_named(en, setting, e) != 0 ? err_wrap(e, "%s", what) : 0;
	if (wanted != NULL)
		return find_named(en, wanted, e);
	if (find_named(en, "podman", e) == 0 || find_named(en, "docker", e) == 0)
		return 0;
	return err_set(e, ERR_REFUSED,
	    "no container engine is installed: neither podman nor docker in %s "
	    "(apt-get install podman)",
	    PLAN_DEFAULT_PATH);
}

/*
 * Configuration of the client, never the command's: no secret of another product, and proxies (with
 * their passwords) only for a client that may have to fetch an image.
 */
int engine_environment(const struct sandbox_request *rq, bool may_pull, struct strv *env,
    struct err *e)
{
	static const char *const prefixes[] = { "HOME=", "USER=", "LOGNAME=", "LANG=", "TMPDIR=",
		"XDG_", "CONTAINER_", "CONTAINERS_", "DOCKER_", "PODMAN_", "STORAGE_",
		"DBUS_SESSION_BUS_ADDRESS=", "SSH_AUTH_SOCK=", "REGISTRY_AUTH_FILE=" };
	static const char *const proxies[] = { "http_proxy=", "https_proxy=", "no_proxy=",
		"HTTP_PROXY=", "HTTPS_PROXY=", "NO_PROXY=" };

	if (strv_add(env, "PATH=" PLAN_DEFAULT_PATH, e) != 0)
		return -1;
	for (char *const *v = rq->env; v != NULL && *v != NULL; v++) {
		bool passes = false;

		for (size_t i = 0; i < MEM_COUNT(prefixes); i++)
			passes = passes || str_starts_with(*v, prefixes[i]);
		for (size_t i = 0; may_pull && i < MEM_COUNT(proxies); i++)
			passes = passes || str_starts_with(*v, proxies[i]);
		if (passes && strv_add(env, *v, e) != 0)
			return -1;
	}
	return 0;
}

struct engine_question {
	char *argv[ENGINE_WORDS + 1];
	struct buf nothing;
};

static void question_init(struct engine_question *q, const struct engine *en, va_list words)
{
	size_t n = 0;

	q->argv[n++] = (char *)(uintptr_t)en->program;
	while (n < ENGINE_WORDS && (q->argv[n] = va_arg(words, char *)) != NULL)
		n++;
	q->argv[n] = NULL;
	buf_init(&q->nothing, 0);
}

int engine_ask(const struct engine *en, char *const *env, uint64_t timeout_ms, struct buf *out,
    struct buf *said, struct err *e, ...)
{
	struct engine_question q;
	va_list ap;

	va_start(ap, e);
	question_init(&q, en, ap);
	va_end(ap);
	return ask_program(q.argv, env, timeout_ms, ASK_UNTIL_SIGNAL,
	    out != NULL ? out : &q.nothing, said != NULL ? said : &q.nothing, e);
}

int engine_tell(const struct engine *en, char *const *env, uint64_t timeout_ms, struct buf *said,
    struct err *e, ...)
{
	struct engine_question q;
	va_list ap;

	va_start(ap, e);
	question_init(&q, en, ap);
	va_end(ap);
	return ask_program(q.argv, env, timeout_ms, ASK_UNTIL_ANSWERED, &q.nothing,
	    said != NULL ? said : &q.nothing, e);
}

/* ---- what it says of itself ---- */

static void copy_text(char *to, size_t size, const struct json_node *n)
{
	const char *text = n == NULL ? NULL : json_str(n);

	(void)snprintf(to, size, "%s", text != NULL ? text : "");
}

static bool is_true(const struct json_node *n)
{
	return n != NULL && json_bool(n);
}

/* Go's names for processors, as uname(2) has them. */
static void clean_arch(char *arch, size_t size)
{
	static const char *const names[][2] = { { "amd64", "x86_64" }, { "arm64", "aarch64" },
		{ "arm", "armv7" }, { "armv7l", "armv7" } };

	for (size_t i = 0; i < MEM_COUNT(names); i++)
		if (strcmp(arch, names[i][0]) == 0) {
			(void)snprintf(arch, size, "%s", names[i][1]);
			return;
		}
}

static void parse_podman(struct engine *en, const struct json_node *root)
{
	const struct json_node *host = json_get(root, "host");

	copy_text(en->arch, sizeof en->arch, json_get(host, "arch"));
	copy_text(en->version, sizeof en->version, json_get(json_get(root, "version"), "Version"));
	en->is_rootless = is_true(json_get(json_get(host, "security"), "rootless"));
	en->has_user_ns = en->is_rootless;
	en->is_machine = is_true(json_get(host, "serviceIsRemote"));
}

static void parse_docker(struct engine *en, const struct json_node *root)
{
	const struct json_node *options = json_get(root, "SecurityOptions");

	copy_text(en->arch, sizeof en->arch, json_get(root, "Architecture"));
	copy_text(en->version, sizeof en->version, json_get(root, "ServerVersion"));
	en->is_rootless = en->has_user_ns = false;
	if (options == NULL || json_type(options) != JSON_ARRAY)
		return;
	for (const struct json_node *n = json_first(options); n != NULL; n = json_next(n)) {
		const char *text = json_str(n);

		if (text != NULL && strncmp(text, "name=rootless", 13) == 0)
			en->is_rootless = en->has_user_ns = true;
		if (text != NULL && strncmp(text, "name=userns", 11) == 0)
			en->has_user_ns = true;
	}
}

int engine_parse_info(struct engine *en, const char *text, size_t len, struct err *e)
{
	struct json_doc *doc = json_parse(text, len, engine_name(en->kind), e);

	if (doc == NULL)
		return -1;
	(en->kind == ENGINE_PODMAN ? parse_podman : parse_docker)(en, json_root(doc));
	json_free(doc);
	clean_arch(en->arch, sizeof en->arch);
	return en->arch[0] != '\0' ? 0 :
				     err_set(e, ERR_REFUSED,
					 "%s says nothing of its processor: is its engine running?",
					 engine_name(en->kind));
}

/* ---- kept in the state folder ---- */

/* FNV-1a, 64 bits; the NUL counts. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	do
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	while (*text++ != '\0');
	return hash;
}

/* What makes another engine, or another answer of it: its program and its environment. */
static uint64_t engine_key(const struct engine *en, char *const *env)
{
	char text[128];
	struct stat st;
	uint64_t hash;

	memset(&st, 0, sizeof st);
	(void)stat(en->program, &st);
	(void)snprintf(text, sizeof text, "%llu %lld %u", (unsigned long long)st.st_size,
	    (long long)st.st_mtime, (unsigned)geteuid());
	hash = hash_text(hash_text(UINT64_C(0xcbf29ce484222325), en->program), text);
	for (; *env != NULL; env++)
		hash = hash_text(hash, *env);
	return hash;
}

uint64_t engine_place(char *const *env)
{
	static const char *const prefixes[] = { "HOME=", "XDG_RUNTIME_DIR=", "XDG_DATA_HOME=",
		"XDG_CONFIG_HOME=", "CONTAINER_HOST=", "CONTAINER_CONNECTION=", "CONTAINERS_",
		"STORAGE_", "DOCKER_HOST=", "DOCKER_CONTEXT=", "DOCKER_CONFIG=" };
	uint64_t place = 0;

	/* a sum: their order says nothing */
	for (; *env != NULL; env++)
		for (size_t i = 0; i < MEM_COUNT(prefixes); i++)
			if (str_starts_with(*env, prefixes[i]))
				place += hash_text(UINT64_C(0xcbf29ce484222325), *env);
	return place;
}

static char *facts_path(const struct engine *en, const char *state_dir, struct err *e)
{
	return mem_printf(e, "%s/engine/%s.json", state_dir, engine_name(en->kind));
}

static bool facts_load(struct engine *en, const char *path, const char *key)
{
	char text[1024];
	ssize_t n = fd_read_small(AT_FDCWD, path, text, sizeof text);
	struct json_doc *doc = n <= 0 ? NULL : json_parse(text, (size_t)n, path, NULL);
	const struct json_node *root;

	if (doc == NULL)
		return false;
	root = json_root(doc);
	en->is_cached = str_eq(json_str(json_get(root, "key")), key);
	if (en->is_cached) {
		copy_text(en->arch, sizeof en->arch, json_get(root, "arch"));
		copy_text(en->version, sizeof en->version, json_get(root, "version"));
		en->is_rootless = is_true(json_get(root, "rootless"));
		en->has_user_ns = is_true(json_get(root, "user_ns"));
		en->is_machine = is_true(json_get(root, "machine"));
	}
	json_free(doc);
	return en->is_cached;
}

static void put_bool(struct jw *w, const char *key, bool v)
{
	jw_key(w, key);
	jw_bool(w, v);
}

static void put_text(struct jw *w, const char *key, const char *v)
{
	jw_key(w, key);
	jw_str(w, v);
}

/* By a file of another name: a reader at the same time sees the old one or the new one. */
static void facts_write(const char *path, const void *data, size_t len)
{
	MEM_AUTOFREE char *next = mem_printf(NULL, "%s.%ld", path, (long)getpid());
	int fd = next == NULL ? -1 : open(next, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool is_good = fd >= 0 && fd_write_all(fd, data, len) == 0;

	fd_close(&fd);
	if (next != NULL && (!is_good || rename(next, path) != 0))
		(void)unlink(next);
}

/* Without a place to keep it, it is asked again: no error. */
static void facts_store(const struct engine *en, const char *state_dir, const char *path,
    const char *key)
{
	MEM_AUTOFREE char *dir = mem_printf(NULL, "%s/engine", state_dir);
	struct buf out;
	struct jw w;

	if (dir == NULL)
		return;
	(void)mkdir(state_dir, 0700);
	(void)mkdir(dir, 0700);
	buf_init(&out, LIMIT_SMALL_FILE);
	jw_init(&w, &out, false);
	jw_object_begin(&w);
	put_text(&w, "key", key);
	put_text(&w, "arch", en->arch);
	put_text(&w, "version", en->version);
	put_bool(&w, "rootless", en->is_rootless);
	put_bool(&w, "user_ns", en->has_user_ns);
	put_bool(&w, "machine", en->is_machine);
	jw_object_end(&w);
	if (jw_finish(&w, NULL) == 0)
		facts_write(path, out.data, out.len);
	buf_fini(&out);
}

void engine_forget(const struct engine *en, const char *state_dir)
{
	MEM_AUTOFREE char *path = facts_path(en, state_dir, NULL);

	if (path != NULL)
		(void)unlink(path);
}

/* ---- asking ---- */

/* Its first line is what a user would be told. */
static int not_usable(const struct engine *en, struct buf *said, struct err *e)
{
	const char *text = buf_str(said, NULL);
	struct str_shown shown;
	size_t n = text == NULL ? 0 : strcspn(text, "\n");
	const char *remedy = en->kind == ENGINE_PODMAN ?
				 "try: podman info" :
				 "start the engine, or set DOCKER_HOST; try: docker info";

	return err_set(e, ERR_REFUSED, "%s does not work here: %s (%s)", engine_name(en->kind),
	    n > 0 ? str_shown(&shown, text, n) : "it said nothing", remedy);
}

/* Podman's client without its machine: the machine is of our own kind of processor, and starting
 * it is for later. */
static bool is_stopped_machine(struct engine *en, char *const *env)
{
	struct utsname u;
	struct buf out;
	bool is_machine;

	if (en->kind != ENGINE_PODMAN)
		return false;
	buf_init(&out, LIMIT_SMALL_FILE);
	is_machine = engine_ask(en, env, ENGINE_ASK_MS, &out, NULL, NULL, "machine", "inspect",
			 "--format", "{{.State}}", NULL) == 0 &&
		     out.len > 0;
	buf_fini(&out);
	if (!is_machine || uname(&u) != 0)
		return false;
	(void)snprintf(en->arch, sizeof en->arch, "%.15s", u.machine);
	clean_arch(en->arch, sizeof en->arch);
	en->is_machine = en->is_rootless = en->has_user_ns = true;
	return true;
}

static int engine_ask_info(
    struct engine *en, char *const *env, uint64_t timeout_ms, struct err *e)
{
	struct buf out, said;
	int rc;

	buf_init(&out, LIMIT_SMALL_FILE);
	buf_init(&said, LIMIT_SMALL_FILE);
	rc = engine_ask(en, env, timeout_ms, &out, &said, e, "info", "--format",
	    en->kind == ENGINE_PODMAN ? "json" : "{{json .}}", NULL);
	if (rc > 0 && is_stopped_machine(en, env))
		rc = 0;
	else if (rc > 0)
		rc = not_usable(en, &said, e);
	else if (rc == 0)
		rc = engine_parse_info(en, (const char *)out.data, out.len, e);
	buf_fini(&out);
	buf_fini(&said);
	return rc;
}

int engine_look(struct engine *en, char *const *env, const char *state_dir, uint64_t timeout_ms,
    struct err *e)
{
	MEM_AUTOFREE char *path = facts_path(en, state_dir, e);
	char key[32];

	if (path == NULL)
		return -1;
	(void)snprintf(key, sizeof key, "%016llx", (unsigned long long)engine_key(en, env));
	if (facts_load(en, path, key))
		return 0;
	if (engine_ask_info(en, env, timeout_ms, e) != 0)
		return e->errnum == ETIMEDOUT ? err_wrap(e, "%s", engine_name(en->kind)) : -1;
	facts_store(en, state_dir, path, key);
	return 0;
}
