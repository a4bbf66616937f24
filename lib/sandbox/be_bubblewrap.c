/*
 * The bubblewrap backend: bwrap(1) makes namespaces and mounts, our own init inside does the rest
 * (inner.h) and makes sure that bwrap did its part. What must not happen here: a mount point made
 * in a folder of the host, or anything of the command in bwrap's arguments, which every user can
 * see.
 */
#include "be_bubblewrap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../base/str.h"
#include "../sys/fd.h"
#include "../sys/path.h"
#include "guard.h"
#include "inner.h"
#include "program.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* Linux 6.3 */
#endif

struct bwrap { /* while the arguments are made */
	struct plan *plan;
	const struct bubblewrap_facts *facts;
	struct strv folders; /* that were made on the way to a mount point */
};

/* ---- arguments ---- */

static int __attribute__((sentinel)) put(struct bwrap *b, struct err *e, ...)
{
	const char *word;
	va_list ap;
	int rc = 0;

	va_start(ap, e);
	while (rc == 0 && (word = va_arg(ap, const char *)) != NULL)
		rc = strv_add(&b->plan->tool, word, e);
	va_end(ap);
	return rc;
}

static int put_number(struct bwrap *b, const char *option, uint64_t v, struct err *e)
{
	char text[24];

	(void)snprintf(text, sizeof text, "%llu", (unsigned long long)v);
	return put(b, e, option, text, NULL);
}

static int put_base(struct bwrap *b, struct err *e)
{
	const struct plan *p = b->plan;

	if (put(b, e, b->facts->program, "--unshare-user", "--unshare-pid", "--unshare-ipc",
		"--unshare-uts", "--unshare-cgroup-try", NULL) != 0)
		return -1;
	if (p->policy->net != NET_HOST && put(b, e, "--unshare-net", NULL) != 0)
		return -1;
	if (p->policy->is_user_set &&
	    (put_number(b, "--uid", p->uid, e) != 0 || put_number(b, "--gid", p->gid, e) != 0))
		return -1;
	if (put(b, e, "--hostname", "sandbox", "--cap-drop", "ALL", "--die-with-parent",
		"--as-pid-1", NULL) != 0)
		return -1;
	return p->is_filter_by_tool ? put_number(b, "--seccomp", INNER_FD_FILTER, e) : 0;
}

static int put_tmpfs(
    struct bwrap *b, const char *dst, const char *perms, uint64_t size_bytes, struct err *e)
{
	if (!b->facts->is_set_id && put_number(b, "--size", size_bytes, e) != 0)
		return -1;
	return put(b, e, "--perms", perms, "--tmpfs", dst, NULL);
}

static int put_proc_masks(struct bwrap *b, const char *const *paths, struct err *e)
{
	for (; *paths != NULL; paths++)
		/* without --dev-bind a device cannot be opened at all */
		if (b->facts->look(*paths, false).type != THING_NONE &&
		    (put(b, e, "--ro-bind", "/dev/null", *paths, NULL) != 0 ||
			plan_add_check(b->plan, CHECK_HIDDEN, *paths, 0, 0, e) != 0))
			return -1;
	return 0;
}

static int put_proc(struct bwrap *b, struct err *e)
{
	if (put(b, e, "--proc", "/proc", NULL) != 0)
		return -1;
	/*
	 * bwrap itself leaves out /proc/sys, which root may write also without capabilities. What
	 * is bound is the outer one: its content is that of the reader's namespaces.
	 */
	for (const char *const *path = plan_proc_read_only; *path != NULL; path++)
		if (b->facts->look(*path, false).type != THING_NONE &&
		    (put(b, e, "--ro-bind", *path, *path, NULL) != 0 ||
			plan_add_check(b->plan, CHECK_READ_ONLY, *path, 0, 0, e) != 0))
			return -1;
	if (put_proc_masks(b, plan_proc_masked, e) != 0)
		return -1;
	return b->plan->outside_uid == 0 ? put_proc_masks(b, plan_proc_masked_for_root, e) : 0;
}

static int put_dev(struct bwrap *b, struct err *e)
{
	if (put(b, e, "--dev", "/dev", NULL) != 0)
		return -1;
	return put_tmpfs(b, "/dev/shm", "1777", LIMIT_SHM_BYTES, e);
}

/* ---- what is on the host where something is to be mounted ---- */

static struct thing thing_of(const struct stat *st)
{
	return (struct thing){
		.type = S_ISDIR(st->st_mode) ? THING_FOLDER :
			S_ISLNK(st->st_mode) ? THING_LINK :
					       THING_FILE,
		.dev = (uint64_t)st->st_dev,
		.ino = (uint64_t)st->st_ino,
	};
}

/* In the project hostile code may have made links: down from the pinned root, through none. */
static struct thing look_at_source(const struct bwrap *b, const struct view_op *op)
{
	const struct plan *p = b->plan;
	struct thing t = { THING_NONE, 0, 0 };
	struct stat st;
	int fd;

	if (p->root_fd < 0 || (!op->is_root && !op->is_beneath))
		return b->facts->look(op->src, true);
	fd = path_open_beneath(p->root_fd, path_below(op->src, p->root), O_PATH);
	if (fd >= 0 && fstat(fd, &st) == 0)
		t = thing_of(&st);
	fd_close(&fd);
	return t;
}

/* Where operation i's place lies on the host; NULL (not an error): in nothing of the host. */
static char *host_path(const struct view *v, size_t i, struct err *e)
{
	const char *dst = v->ops[i].dst;
	const struct view_op *above = view_covering(v, dst, i);

	if (above == NULL || above->kind == VIEW_TMPFS || above->kind == VIEW_HIDE)
		return NULL;
	if (above->kind == VIEW_BIND)
		return mem_printf(e, "%s%s", above->src, dst + strlen(above->dst));
	return mem_strdup(dst, e);
}

/* Folders between a mount point and the mount above it: bwrap would make them 0700. */
static int put_parents(struct bwrap *b, size_t i, struct err *e)
{
	const char *dst = b->plan->view.ops[i].dst;
	const struct view_op *above = view_covering(&b->plan->view, dst, i);
	const char *end = dst + (above == NULL ? 0 : strlen(above->dst));

	for (end = *end == '\0' ? NULL : strchr(end + 1, '/'); end != NULL;
	     end = strchr(end + 1, '/')) {
		MEM_AUTOFREE char *path = mem_strndup(dst, (size_t)(end - dst), e);

		if (path == NULL)
			return -1;
		if (!strv_has(&b->folders, path) &&
		    (put(b, e, "--perms", "0755", "--dir", path, NULL) != 0 ||
			strv_add(&b->folders, path, e) != 0))
			return -1;
	}
	return 0;
}

/* The mount point. Never made in a folder of the host: no empty file is left behind there. */
static int put_place(struct bwrap *b, size_t i, bool is_folder, struct err *e)
{
	const struct view_op *op = &b->plan->view.ops[i];
	MEM_AUTOFREE char *path = NULL;
	struct thing there;

	if (op->may_create)
		return put_parents(b, i, e);
	path = host_path(&b->plan->view, i, e);
	if (path == NULL)
		return e->kind == ERR_NOMEM ? -1 : 0;
	there = b->facts->look(path, false);
	if (there.type == THING_NONE)
		return err_set(e, ERR_USAGE,
		    "%s does not exist, and a mount point is not made in a folder of the host",
		    op->dst);
	if (there.type == THING_LINK)
		return err_set(
		    e, ERR_USAGE, "%s is a symbolic link: name what it leads to", op->dst);
	if ((there.type == THING_FOLDER) != is_folder)
		return err_set(e, ERR_USAGE, "%s: a %s cannot be mounted over a %s", op->dst,
		    is_folder ? "folder" : "file", is_folder ? "file" : "folder");
	return 0;
}

/* Where others can write, a path may lead elsewhere when bwrap gets there: look again inside. */
static int put_bind_checks(
    struct bwrap *b, const struct view_op *op, const struct thing *src, struct err *e)
{
	const struct view *v = &b->plan->view;

	if (view_covering(v, op->dst, v->count) != op)
		return 0; /* another is mounted over it */
	for (size_t i = 0; i < v->count; i++)
		if (v->ops[i].kind == VIEW_HIDE && view_path_is_below(op->dst, v->ops[i].dst))
			return 0; /* nobody sees what it is */
	if ((op->is_root || op->is_beneath || !op->may_create) &&
	    plan_add_check(b->plan, CHECK_SAME, op->dst, src->dev, src->ino, e) != 0)
		return -1;
	return op->is_read_only ? plan_add_check(b->plan, CHECK_READ_ONLY, op->dst, 0, 0, e) : 0;
}

static int put_bind(struct bwrap *b, size_t i, struct err *e)
{
	const struct view_op *op = &b->plan->view.ops[i];
	struct thing src = look_at_source(b, op);
	bool is_device = view_path_is_below(op->dst, "/dev");
	const char *option = is_device ? "--dev-bind" : op->is_read_only ? "--ro-bind" : "--bind";

	if (src.type == THING_NONE)
		return err_sys(e, ERR_USAGE, ENOENT, "%s", op->src);
	if (put_place(b, i, src.type == THING_FOLDER, e) != 0 ||
	    put(b, e, option, op->src, op->dst, NULL) != 0)
		return -1;
	if (is_device && op->is_read_only && put(b, e, "--remount-ro", op->dst, NULL) != 0)
		return -1;
	return put_bind_checks(b, op, &src, e);
}

static int put_empty(struct bwrap *b, size_t i, struct err *e)
{
	const struct view_op *op = &b->plan->view.ops[i];
	const char *perms = strcmp(op->dst, "/tmp") == 0 ? "1777" : "0700";

	if (put_place(b, i, true, e) != 0 || put_tmpfs(b, op->dst, perms, op->size_bytes, e) != 0)
		return -1;
	return op->may_create ? 0 : plan_add_check(b->plan, CHECK_MOUNTED, op->dst, 0, 0, e);
}

static int put_hide(struct bwrap *b, size_t i, struct err *e)
{
	const struct view_op *op = &b->plan->view.ops[i];
	MEM_AUTOFREE char *path = host_path(&b->plan->view, i, e);
	struct thing there = { THING_NONE, 0, 0 };
	int rc = 0;

	if (path != NULL)
		there = b->facts->look(path, false);
	else if (e->kind == ERR_NOMEM)
		return -1;
	else if (view_has_below(&b->plan->view, op->dst))
		there.type = THING_FOLDER; /* made for what is mounted below */
	switch (there.type) {
	case THING_NONE: /* not in the view: hidden already */
		return 0;
	case THING_LINK:
		return err_set(e, ERR_USAGE,
		    "--hide %s: a symbolic link inside; hide what it leads to", op->dst);
	case THING_FOLDER: /* read-only, so that its owner cannot change the mode */
		rc = put_tmpfs(b, op->dst, "0000", 4096, e);
		if (rc == 0)
			rc = put(b, e, "--remount-ro", op->dst, NULL);
		break;
	case THING_FILE:
		rc = put(b, e, "--ro-bind", "/dev/null", op->dst, NULL);
		break;
	}
	return rc != 0 ? -1 : plan_add_check(b->plan, CHECK_HIDDEN, op->dst, 0, 0, e);
}

static int put_op(struct bwrap *b, size_t i, struct err *e)
{
	const struct view_op *op = &b->plan->view.ops[i];

	if (view_path_is_below(op->dst, INNER_DIR))
		return err_set(e, ERR_USAGE, "%s: this place is the sandbox's own", op->dst);
	switch (op->kind) {
	case VIEW_BIND:
		return put_bind(b, i, e);
	case VIEW_SYMLINK:
		return put_parents(b, i, e) != 0 ? -1 :
						   put(b, e, "--symlink", op->src, op->dst, NULL);
	case VIEW_PROC:
		return put_proc(b, e);
	case VIEW_DEV:
		return put_dev(b, e);
	case VIEW_TMPFS:
		return put_empty(b, i, e);
	case VIEW_HIDE:
		return put_hide(b, i, e);
	}
	return err_set(e, ERR_INTERNAL, "unknown view operation");
}

/* A copy, so that it runs also where the file was deleted or lies in no folder of the view. */
static int put_init(struct bwrap *b, struct err *e)
{
	char fd[16];

	(void)snprintf(fd, sizeof fd, "%d", INNER_FD_PROGRAM);
	if (put(b, e, "--perms", "0755", "--dir", INNER_DIR, "--perms", "0555", "--ro-bind-data",
		fd, INNER_PROGRAM, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/",
		"--", INNER_PROGRAM, NULL) != 0 ||
	    plan_add_check(b->plan, CHECK_READ_ONLY, "/dev", 0, 0, e) != 0)
		return -1;
	return plan_add_check(b->plan, CHECK_READ_ONLY, "/", 0, 0, e);
}

int bubblewrap_plan_argv(struct plan *plan, const struct bubblewrap_facts *facts, struct err *e)
{
	struct bwrap b = { .plan = plan, .facts = facts };
	int rc = put_base(&b, e);

	for (size_t i = 0; i < plan->view.count && rc == 0; i++)
		rc = put_op(&b, i, e);
	if (rc == 0)
		rc = put_init(&b, e);
	strv_fini(&b.folders);
	plan->argv = plan->tool.v;
	return rc;
}

/* ---- the host ---- */

static struct thing look(const char *path, bool is_followed)
{
	struct stat st;

	if (fstatat(AT_FDCWD, path, &st, is_followed ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
		return (struct thing){ THING_NONE, 0, 0 };
	return thing_of(&st);
}

/* bwrap, without running it. SBX_BWRAP names another one. */
static int find_bwrap(
    const struct sandbox_request *rq, char *path, size_t size, bool *is_set_id, struct err *e)
{
	const char *named = plan_host_env(rq, "SBX_BWRAP");
	struct stat st;

	if ((named != NULL ? program_check(named, path, size, &st) :
			     program_find("bwrap", path, size, &st)) == 0) {
		*is_set_id = (st.st_mode & S_ISUID) != 0 && st.st_uid != geteuid();
		return 0;
	}
	return err_set(e, ERR_REFUSED,
	    "bubblewrap is not installed: no bwrap %s %s (apt-get install bubblewrap)",
	    named != NULL ? "at SBX_BWRAP" : "in", named != NULL ? named : PLAN_DEFAULT_PATH);
}

/* A mask must be what it says: in a hostile /dev, "null" could be anything (CVE-2025-31133). */
static int check_null(struct err *e)
{
	struct stat st;

	if (stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3))
		return 0;
	return err_set(e, ERR_REFUSED, "/dev/null is not the null device: it cannot hide anything");
}

static int bubblewrap_available(const struct sandbox_request *rq, struct err *e)
{
	char program[PATH_MAX];
	bool is_set_id;

	return find_bwrap(rq, program, sizeof program, &is_set_id, e) != 0 ? -1 : check_null(e);
}

/* Sizes of a tmpfs are one of the things that a set-user-id bwrap refuses. */
static int check_set_id(struct plan *p, const char *program, struct err *e)
{
	char *notice;

	for (size_t i = 0; i < p->policy->mount_count; i++)
		if (p->policy->mounts[i].kind == MOUNT_TMPFS &&
		    p->policy->mounts[i].size_bytes != 0 && !p->policy->is_best_effort)
			return err_set(e, ERR_REFUSED,
			    "--tmpfs %s: %s is set-user-id and then sets no size; "
			    "--best-effort runs without",
			    p->policy->mounts[i].dst, program);
	notice = mem_printf(e,
	    "%s%s%s is set-user-id: /tmp and other private folders have no size limit",
	    p->notice == NULL ? "" : p->notice, p->notice == NULL ? "" : "; ", program);
	free(p->notice);
	p->notice = notice;
	return notice == NULL ? -1 : 0;
}

static int bubblewrap_plan(struct plan *p, struct err *e)
{
	char program[PATH_MAX];
	struct bubblewrap_facts facts = { .program = program, .look = look };

	if (find_bwrap(p->rq, program, sizeof program, &facts.is_set_id, e) != 0)
		return -1;
	if (facts.is_set_id && check_set_id(p, program, e) != 0)
		return -1;
	/* bwrap maps no ids away: root's private files stay out of the view */
	if (plan_build_view(p, p->outside_uid == 0, e) != 0 || plan_add_view_rules(p, e) != 0)
		return -1;
	p->want_capability_drop = p->want_no_new_privs = p->want_landlock = true;
	p->landlock_flags = LANDLOCK_SCOPE_ABSTRACT | LANDLOCK_SCOPE_SIGNALS;
	/* an own list may refuse what our init needs: that is put on last, as elsewhere */
	p->is_filter_by_tool = p->policy->seccomp == NULL && seccomp_available() == 0;
	return bubblewrap_plan_argv(p, &facts, e);
}

static int open_program(const char *path, struct err *e)
{
	int fd = open(path != NULL ? path : "/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		(void)err_errno(e, ERR_SETUP, "open our own program (is /proc mounted?)");
	return fd;
}

static int open_filter(const struct sock_fprog *filter, struct err *e)
{
	int fd = memfd_create("filter", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("filter", MFD_CLOEXEC);
	if (fd >= 0 &&
	    fd_write_all(fd, filter->filter, filter->len * sizeof *filter->filter) == 0 &&
	    lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	(void)err_errno(e, ERR_SETUP, "keep the system call filter for bwrap");
	fd_close(&fd);
	return -1;
}

static int bubblewrap_setup(struct guard *g, struct err *e)
{
	int fd = open_program(g->plan->rq->self_path, e);

	if (fd < 0 || guard_pass_fd(g, fd, INNER_FD_PROGRAM, e) != 0)
		return -1;
	if (!g->plan->is_filter_by_tool)
		return 0;
	fd = open_filter(&g->plan->filter, e);
	return fd < 0 ? -1 : guard_pass_fd(g, fd, INNER_FD_FILTER, e);
}

/* ---- what bwrap says when it cannot ---- */

static bool is_apparmor_restricting(void)
{
	char text[8];

	return fd_read_small(AT_FDCWD, "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
		   text, sizeof text) > 0 &&
	       text[0] == '1';
}

void bubblewrap_explain(const char *line, struct err *e)
{
	static const char apparmor[] =
	    "AppArmor takes the rights of user namespaces away: give bwrap a profile "
	    "with \"userns,\", or sysctl kernel.apparmor_restrict_unprivileged_userns=0";
	static const char refused[] =
	    "user namespaces are refused here (a container, "
	    "kernel.unprivileged_userns_clone or user.max_user_namespaces); "
	    "-b landlock needs none";
	static const char no_mounts[] =
	    "mounts are refused here (a container); -b landlock needs none";
	static const struct {
		const char *said, *remedy;
	} known[] = {
		{ "Unknown option", "this bwrap is too old: 0.8.0 or newer is needed" },
		{ "setting up uid map", apparmor },
		{ "Failed RTM_NEWADDR", apparmor },
		{ "No permissions to creat", refused },
		{ "Creating new namespace failed", refused },
		{ "Failed to make / slave", no_mounts },
		{ "Can't mount proc",
		    "the /proc around us has masked parts (a container); -b namespace goes "
		    "without" },
		{ "Can't set hostname",
		    "a container's filter refuses sethostname; -b namespace goes without" },
	};

	for (size_t i = 0; i < MEM_COUNT(known); i++) {
		if (str_find(line, known[i].said) == NULL)
			continue;
		(void)err_set(e, ERR_SETUP, "%s (%s)", line,
		    known[i].remedy == refused && is_apparmor_restricting() ? apparmor :
									      known[i].remedy);
		return;
	}
	(void)err_set(e, ERR_SETUP, "%s", line);
}

const struct sandbox_backend backend_bubblewrap = {
	.name = "bubblewrap",
	.aliases = "bwrap",
	.layers = LAYER_ALL,
	.available = bubblewrap_available,
	.plan = bubblewrap_plan,
	.setup = bubblewrap_setup,
	.has_inner_init = true,
	.explain = bubblewrap_explain,
};
