/*
 * Policy → list of view operations. Besides view_look() and the resolving of --hide, nothing here
 * touches the system.
 */
#include "view.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../base/str.h"
#include "../sys/path.h"
#include "alias.h"

/* What a program needs to start at all; only those that exist. /gnu and /nix hold whole systems
 * (Guix, NixOS). */
static const char *const system_folders[] = { "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64",
	"/libx32", "/etc", "/opt", "/nix", "/gnu" };

/* Of /etc, where root's private files cannot be hidden: what programs read to find libraries,
 * users, hosts and time. */
static const char etc_entries[][26] = { /* no pointers: see env_rules.c */
	"/etc/alternatives",
	"/etc/bash.bashrc",
	"/etc/ca-certificates",
	"/etc/ca-certificates.conf",
	"/etc/crypto-policies",
	"/etc/debian_version",
	"/etc/default/locale",
	"/etc/fonts",
	"/etc/gai.conf",
	"/etc/group",
	"/etc/host.conf",
	"/etc/hosts",
	"/etc/inputrc",
	"/etc/ld.so.cache",
	"/etc/ld.so.conf",
	"/etc/ld.so.conf.d",
	"/etc/ld-musl-x86_64.path",
	"/etc/locale.alias",
	"/etc/locale.conf",
	"/etc/localtime",
	"/etc/lsb-release",
	"/etc/magic",
	"/etc/mime.types",
	"/etc/nsswitch.conf",
	"/etc/os-release",
	"/etc/passwd",
	"/etc/perl",
	"/etc/pki/ca-trust",
	"/etc/pki/tls/certs",
	"/etc/profile",
	"/etc/protocols",
	"/etc/python3",
	"/etc/services",
	"/etc/shells",
	"/etc/ssl/certs",
	"/etc/ssl/openssl.cnf",
	"/etc/terminfo",
	"/etc/timezone",
	"/etc/vimrc",
	"/etc/resolv.conf",
};

bool view_path_is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (n == 1 && dir[0] == '/')
		return path[0] == '/';
	return strncmp(path, dir, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

char *view_clean_path(const char *base, const char *path, struct err *e)
{
	MEM_AUTOFREE char *joined = path == NULL   ? NULL :
				    path[0] == '/' ? mem_strdup(path, e) :
						     mem_printf(e, "%s/%s", base, path);
	char *out = joined == NULL ? NULL : mem_calloc(strlen(joined) + 2, 1, e);
	size_t len = 0;
	char *save = NULL;

	if (out == NULL)
		return NULL;
	for (char *w = strtok_r(joined, "/", &save); w != NULL; w = strtok_r(NULL, "/", &save)) {
		size_t n = strlen(w);

		if (strcmp(w, ".") == 0)
			continue;
		if (strcmp(w, "..") == 0) {
			while (len > 0 && out[--len] != '/')
				;
			continue;
		}
		out[len++] = '/';
		memcpy(out + len, w, n);
		len += n;
	}
	if (len == 0)
		out[len++] = '/';
	out[len] = '\0';
	return out;
}

static char *view_read_link(const char *path, struct err *e)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof target - 1);

	if (n < 0)
		return NULL;
	target[n] = '\0';
	return mem_printf(e, "%s\n%s", path, target);
}

static void view_look_folder(struct view_facts *f, const char *path, struct err *e)
{
	struct stat st;
	char *fact = NULL;

	if (lstat(path, &st) == 0)
		fact = S_ISLNK(st.st_mode) ? view_read_link(path, e) : mem_strdup(path, e);
	if (fact != NULL)
		f->system[f->system_count++] = fact;
}

int view_look(struct view_facts *f, bool is_etc_list, struct err *e)
{
	char real[PATH_MAX];

	for (size_t i = 0; i < MEM_COUNT(system_folders); i++) {
		bool is_private = strcmp(system_folders[i], "/etc") == 0 ||
				  strcmp(system_folders[i], "/opt") == 0;

		if (!is_etc_list || !is_private)
			view_look_folder(f, system_folders[i], e);
	}
	for (size_t i = 0; is_etc_list && i < MEM_COUNT(etc_entries); i++)
		view_look_folder(f, etc_entries[i], e);
	/* often a link into /run, which is not in the view */
	if (readlink("/etc/resolv.conf", real, sizeof real) > 0 &&
	    path_resolve("/etc/resolv.conf", real)) {
		bool is_visible = false;

		for (size_t i = 0; i < f->system_count; i++)
			is_visible = is_visible || view_path_is_below(real, f->system[i]);
		if (!is_visible)
			f->resolv_conf = mem_strdup(real, e);
	}
	return 0;
}

void view_facts_fini(struct view_facts *f)
{
	for (size_t i = 0; i < f->system_count; i++)
		free(f->system[i]);
	free(f->resolv_conf);
	memset(f, 0, sizeof *f);
}

static struct view_op *view_add(
    struct view *v, enum view_kind kind, const char *src, const char *dst, struct err *e)
{
	struct view_op *op;

	if (v->count == v->alloc) {
		size_t n = v->alloc == 0 ? 32 : v->alloc * 2;
		void *p = mem_realloc_array(v->ops, n, sizeof *v->ops, e);

		if (p == NULL)
			return NULL;
		v->ops = p;
		v->alloc = n;
	}
	op = &v->ops[v->count];
	memset(op, 0, sizeof *op);
	op->kind = kind;
	op->src = src == NULL ? NULL : mem_strdup(src, e);
	op->dst = mem_strdup(dst, e);
	if (op->dst == NULL || (src != NULL && op->src == NULL)) {
		free(op->src);
		free(op->dst);
		return NULL;
	}
	v->count++;
	return op;
}

void view_fini(struct view *v)
{
	for (size_t i = 0; i < v->count; i++) {
		free(v->ops[i].src);
		free(v->ops[i].dst);
	}
	free(v->ops);
	memset(v, 0, sizeof *v);
}

static int view_add_system(struct view *v, const struct view_facts *f, struct err *e)
{
	for (size_t i = 0; i < f->system_count; i++) {
		const char *nl = strchr(f->system[i], '\n');
		struct view_op *op;

		if (nl != NULL) {
			MEM_AUTOFREE char *dst =
			    mem_strndup(f->system[i], (size_t)(nl - f->system[i]), e);

			op = dst == NULL ? NULL : view_add(v, VIEW_SYMLINK, nl + 1, dst, e);
		} else {
			op = view_add(v, VIEW_BIND, f->system[i], f->system[i], e);
		}
		if (op == NULL)
			return -1;
		op->is_read_only = true;
		op->is_system = op->kind == VIEW_BIND;
	}
	return 0;
}

static int view_add_tmpfs(struct view *v, const char *dst, uint64_t size_bytes, struct err *e)
{
	struct view_op *op = view_add(v, VIEW_TMPFS, NULL, dst, e);

	if (op == NULL)
		return -1;
	op->size_bytes = size_bytes != 0 ? size_bytes : LIMIT_TMP_BYTES;
	return 0;
}

static int view_add_base(struct view *v, const struct view_facts *f, struct err *e)
{
	struct view_op *op;

	if (view_add(v, VIEW_PROC, NULL, "/proc", e) == NULL || view_add_system(v, f, e) != 0 ||
	    view_add(v, VIEW_DEV, NULL, "/dev", e) == NULL || view_add_tmpfs(v, "/tmp", 0, e) != 0)
		return -1;
	if (f->resolv_conf != NULL) {
		op = view_add(v, VIEW_BIND, f->resolv_conf, f->resolv_conf, e);
		if (op == NULL)
			return -1;
		op->is_read_only = true;
	}
	/* HOME is empty, unless the project lies above it or is it */
	if (strcmp(f->home, "/tmp") != 0 &&
	    (f->root == NULL || !view_path_is_below(f->home, f->root)))
		return view_add_tmpfs(v, f->home, 0, e);
	return 0;
}

static int view_add_root(struct view *v, const struct view_facts *f, struct err *e)
{
	struct view_op *op;

	if (f->root == NULL)
		return view_add_tmpfs(v, f->private_root, 0, e);
	op = view_add(v, VIEW_BIND, f->root, f->root, e);
	if (op == NULL)
		return -1;
	op->is_root = true;
	return 0;
}

/* Where path leads, but for links of the project, which are refused later; NULL with e. */
static char *view_real_path(const struct view_facts *f, const char *path, struct err *e)
{
	MEM_AUTOFREE char *whole =
	    path == NULL ? NULL : mem_printf(e, "%s/%s", path[0] == '/' ? "" : f->cwd, path);
	char real[PATH_MAX];
	int rc = whole == NULL ? -ENOMEM : path_resolve_above(whole, f->root, real);

	if (rc != 0)
		(void)err_sys(e, ERR_USAGE, -rc, "%s", path);
	return rc != 0 ? NULL : mem_strdup(real, e);
}

/*
 * A mount of a path at its own place is one at the place where the path leads: else another mount
 * of that place, the project perhaps, would show what this one takes away. Another destination is
 * a place of the view; only where it is one of the project the same holds for it.
 */
static char *view_mount_place(
    const struct view_facts *f, const struct policy_mount *m, struct err *e)
{
	const char *named = m->dst != NULL ? m->dst : m->src;
	char *real = view_real_path(f, named, e);

	if (real == NULL || m->dst == NULL || m->src == NULL || strcmp(m->src, m->dst) == 0 ||
	    (f->root != NULL && path_below(real, f->root) != NULL))
		return real;
	free(real);
	return view_clean_path(f->cwd, named, e);
}

static int view_add_mount(
    struct view *v, const struct policy_mount *m, const struct view_facts *f, struct err *e)
{
	MEM_AUTOFREE char *src = m->src == NULL ? NULL : view_real_path(f, m->src, e);
	MEM_AUTOFREE char *dst = view_mount_place(f, m, e);
	struct view_op *op;

	if (dst == NULL || (m->src != NULL && src == NULL))
		return -1;
	if (strcmp(dst, "/") == 0)
		return err_set(
		    e, ERR_USAGE, "the whole root \"/\" cannot be mounted over: name a folder");
	if (view_path_is_below(dst, "/proc") ||
	    (view_path_is_below(dst, "/dev") && m->kind != MOUNT_BIND))
		return err_set(e, ERR_USAGE,
		    "%s: /proc and /dev are made by the sandbox and cannot be replaced", dst);
	op = view_add(v, m->kind == MOUNT_TMPFS ? VIEW_TMPFS : VIEW_BIND, src, dst, e);
	if (op == NULL)
		return -1;
	op->is_asked = true;
	op->is_read_only = m->kind == MOUNT_RO || (m->kind == MOUNT_BIND && m->is_read_only);
	op->size_bytes = m->size_bytes != 0 ? m->size_bytes : LIMIT_TMP_BYTES;
	return 0;
}

bool view_has_below(const struct view *v, const char *path)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->ops[i].kind != VIEW_HIDE && view_path_is_below(v->ops[i].dst, path) &&
		    strcmp(v->ops[i].dst, path) != 0)
			return true;
	return false;
}

static bool view_has(const struct view *v, const char *dst)
{
	for (size_t i = 0; i < v->count; i++)
		if (strcmp(v->ops[i].dst, dst) == 0)
			return true;
	return false;
}

/* The name that was given leads to the place that is mounted, as on the host. */
static int view_add_name(
    struct view *v, const struct policy_mount *m, const struct view_facts *f, struct err *e)
{
	MEM_AUTOFREE char *place = view_mount_place(f, m, e);
	MEM_AUTOFREE char *name =
	    view_clean_path(f->cwd, m->dst != NULL ? m->dst : m->src, e);
	const struct view_op *above;

	if (place == NULL || name == NULL)
		return -1;
	if (strcmp(place, name) == 0)
		return 0;
	above = view_covering(v, name, v->count);
	/* where the link itself can be seen, or another name has taken its place */
	if ((above != NULL && above->kind != VIEW_TMPFS) || view_has(v, name) ||
	    view_has_below(v, name))
		return 0;
	return view_add(v, VIEW_SYMLINK, place, name, e) == NULL ? -1 : 0;
}

/* The writable folder of the host in which path lies (not path itself), or NULL. */
static const struct view_op *view_writable_above(const struct view *v, const char *path)
{
	const struct view_op *above = NULL;

	for (size_t i = 0; i < v->count; i++) {
		const struct view_op *op = &v->ops[i];

		if (view_path_is_below(path, op->dst) && strcmp(path, op->dst) != 0 &&
		    (above == NULL || strlen(op->dst) >= strlen(above->dst)))
			above = op;
	}
	return above != NULL && above->kind == VIEW_BIND && !above->is_read_only ? above : NULL;
}

/*
 * What lies in a writable folder could be moved away by renaming a folder above it, and another be
 * put in its place: so each folder between becomes a mount of itself, which rename(2) refuses
 * (EBUSY).
 */
static int view_add_pins(struct view *v, const char *dst, struct err *e)
{
	const struct view_op *above = view_writable_above(v, dst);
	size_t start = above == NULL ? 0 : strlen(above->dst);
	MEM_AUTOFREE char *from = above == NULL ? NULL : mem_strdup(above->src, e);

	if (above == NULL)
		return 0;
	if (from == NULL)
		return -1;
	for (const char *end = strchr(dst + start + 1, '/'); end != NULL;
	     end = strchr(end + 1, '/')) {
		MEM_AUTOFREE char *place = mem_strndup(dst, (size_t)(end - dst), e);
		MEM_AUTOFREE char *src =
		    place == NULL ? NULL : mem_printf(e, "%s%s", from, place + start);

		if (src == NULL ||
		    (!view_has(v, place) && view_add(v, VIEW_BIND, src, place, e) == NULL))
			return -1;
	}
	return 0;
}

/* Every place inside at which the host's path can be seen. */
static int view_add_places(
    const struct view *v, const char *host_path, struct strv *places, struct err *e)
{
	for (size_t i = 0; i < v->count; i++) {
		const struct view_op *op = &v->ops[i];
		const char *rest = op->kind == VIEW_BIND ? path_below(host_path, op->src) : NULL;
		MEM_AUTOFREE char *place = NULL;

		if (rest == NULL)
			continue;
		place = mem_printf(e, "%s%s%s", op->dst, *rest == '\0' ? "" : "/", rest);
		if (place == NULL || (!strv_has(places, place) && strv_add(places, place, e) != 0))
			return -1;
	}
	return 0;
}

/* What the view shows at the name that is to be hidden: not always what the host has there. */
static int view_add_inside(const struct view *v, const struct policy_mount *m,
    const struct view_facts *f, struct strv *names, struct err *e)
{
	MEM_AUTOFREE char *name = view_clean_path(f->cwd, m->dst, e);
	const struct view_op *op = name == NULL ? NULL : view_covering(v, name, v->count);
	MEM_AUTOFREE char *shown = NULL;
	char real[PATH_MAX];

	if (op == NULL || op->kind != VIEW_BIND)
		return name == NULL ? -1 : 0;
	shown = mem_printf(e, "%s%s", op->src, name + strlen(op->dst));
	if (shown == NULL)
		return -1;
	return !path_resolve(shown, real) || strv_has(names, real) ? 0 :
								     strv_add(names, real, e);
}

/*
 * A link that is hidden must not leave its target open by the target's own name, nor a folder by
 * the name of another mount or --bind of it: all places are hidden.
 */
static int view_collect_hidden(const struct view *v, const struct policy_mount *m,
    const struct view_facts *f, struct strv *places, struct err *e)
{
	char real[PATH_MAX];
	MEM_AUTOFREE char *dst = view_real_path(f, m->dst, e);
	struct strv names = { NULL, 0, 0 };
	int rc;

	if (dst == NULL)
		return -1;
	if (strcmp(dst, "/") == 0)
		return err_set(e, ERR_USAGE, "--hide /: nothing would be left");
	if (view_path_is_below(f->root != NULL ? f->root : f->private_root, dst))
		return err_set(e, ERR_USAGE, "--hide %s: the project root lies in it", dst);
	if (!path_resolve(dst, real)) {
		if (view_writable_above(v, dst) != NULL)
			return err_set(e, ERR_USAGE,
			    "--hide %s: does not exist in a folder where the command could make "
			    "it; make it first",
			    dst);
		return strv_has(places, dst) ? 0 : strv_add(places, dst, e);
	}
	rc = strv_has(places, real) ? 0 : strv_add(places, real, e);
	if (rc == 0)
		rc = strv_add(&names, real, e);
	if (rc == 0)
		rc = alias_find(real, &names, e);
	if (rc == 0)
		rc = view_add_inside(v, m, f, &names, e);
	for (size_t i = 0; i < names.n && rc == 0; i++)
		rc = view_add_places(v, names.v[i], places, e);
	strv_fini(&names);
	return rc;
}

/* Pins of every place that the policy names, and of those that are hidden. */
static int view_add_all_pins(struct view *v, const struct strv *hidden, struct err *e)
{
	for (size_t i = 0, n = v->count; i < n; i++)
		if (v->ops[i].is_asked && view_add_pins(v, v->ops[i].dst, e) != 0)
			return -1;
	for (size_t i = 0; i < hidden->n; i++)
		if (view_add_pins(v, hidden->v[i], e) != 0)
			return -1;
	return 0;
}

static size_t view_depth(const char *path)
{
	size_t n = 0;

	for (; *path != '\0'; path++)
		n += *path == '/';
	return n;
}

/* Stable insertion sort by depth: a mount covers what was mounted below it before. */
static void view_sort_by_depth(struct view *v, size_t first)
{
	for (size_t i = first + 1; i < v->count; i++)
		for (size_t j = i;
		     j > first && view_depth(v->ops[j].dst) < view_depth(v->ops[j - 1].dst); j--) {
			struct view_op t = v->ops[j];

			v->ops[j] = v->ops[j - 1];
			v->ops[j - 1] = t;
		}
}

const struct view_op *view_covering(const struct view *v, const char *path, size_t before)
{
	const struct view_op *best = NULL;

	for (size_t i = 0; i < before && i < v->count; i++)
		if (view_path_is_below(path, v->ops[i].dst) &&
		    (best == NULL || strlen(v->ops[i].dst) >= strlen(best->dst)))
			best = &v->ops[i];
	return best;
}

bool view_shows(const struct view *v, const char *path)
{
	const struct view_op *op;
	char real[PATH_MAX];

	if (!path_resolve(path, real))
		return false;
	op = view_covering(v, real, v->count);
	return op != NULL && op->kind == VIEW_BIND;
}

static int view_add_named(struct view *v, const struct policy *p, const struct view_facts *f,
    struct strv *hidden, struct err *e)
{
	size_t first = v->count;

	if (view_add_root(v, f, e) != 0)
		return -1;
	for (size_t i = 0; i < p->mount_count; i++)
		if (p->mounts[i].kind != MOUNT_HIDE &&
		    view_add_mount(v, &p->mounts[i], f, e) != 0)
			return err_wrap(e, "mount %zu of the policy", i + 1);
	for (size_t i = 0; i < p->mount_count; i++)
		if (p->mounts[i].kind == MOUNT_HIDE &&
		    view_collect_hidden(v, &p->mounts[i], f, hidden, e) != 0)
			return -1;
	if (view_add_all_pins(v, hidden, e) != 0)
		return -1;
	for (size_t i = 0; i < p->mount_count; i++)
		if (p->mounts[i].kind != MOUNT_HIDE &&
		    view_add_name(v, &p->mounts[i], f, e) != 0)
			return -1;
	view_sort_by_depth(v, first);
	for (size_t i = 0; i < hidden->n; i++)
		if (view_add(v, VIEW_HIDE, NULL, hidden->v[i], e) == NULL)
			return -1;
	return 0;
}

int view_plan(struct view *v, const struct policy *p, const struct view_facts *f, struct err *e)
{
	struct strv hidden = { NULL, 0, 0 };
	int rc = view_add_base(v, f, e);

	if (rc == 0)
		rc = view_add_named(v, p, f, &hidden, e);
	strv_fini(&hidden);
	if (rc != 0)
		return -1;
	for (size_t i = 0; i < v->count; i++) {
		const struct view_op *above = view_covering(v, v->ops[i].dst, i);

		v->ops[i].is_beneath = v->ops[i].kind == VIEW_BIND && !v->ops[i].is_root &&
				       f->root != NULL &&
				       path_below(v->ops[i].src, f->root) != NULL;
		v->ops[i].may_create =
		    above == NULL || above->kind == VIEW_TMPFS || above->kind == VIEW_DEV;
	}
	return 0;
}

int view_put_text(const struct view *v, struct buf *out, struct err *e)
{
	static const char *const names[] = { "bind", "symlink", "proc", "dev", "tmpfs", "hide" };

	for (size_t i = 0; i < v->count; i++) {
		const struct view_op *op = &v->ops[i];
		const char *mode = op->kind == VIEW_BIND ? (op->is_read_only ? " ro" : " rw") : "";

		if (buf_printf(out, e, "  %s%s ", names[op->kind], mode) != 0 ||
		    str_put_printable(out, op->dst, SIZE_MAX, e) != 0)
			return -1;
		if (op->src != NULL && strcmp(op->src, op->dst) != 0 &&
		    (buf_puts(out, op->kind == VIEW_SYMLINK ? " -> " : " from ", e) != 0 ||
			str_put_printable(out, op->src, SIZE_MAX, e) != 0))
			return -1;
		if (op->kind == VIEW_TMPFS &&
		    buf_printf(out, e, " %llu bytes", (unsigned long long)op->size_bytes) != 0)
			return -1;
		if (buf_putc(out, '\n', e) != 0)
			return -1;
	}
	return 0;
}
