/*
 * The namespace backend: the guardian is the first process of new user, mount, pid, net, ipc, uts
 * and cgroup namespaces and builds the view of the plan. Everything after that (capabilities,
 * Landlock, limits, filter, exec) is the common stage. What must not happen here: walking a path of
 * the sandboxed folder before the root is the new one.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../sys/fd.h"
#include "../sys/linux_mount.h"
#include "../sys/linux_ns.h"
#include "../sys/path.h"
#include "../sys/proc.h"
#include "guard.h"

#define NS_HOSTNAME "sandbox"
#define NS_HIDDEN_FILE "/.hidden/file"

static const char *const devices[] = { "null", "zero", "full", "random", "urandom", "tty" };

struct ns_build { /* while the view is built */
	struct guard *g;
	struct mount_source *sources; /* one an operation of the view, fd -1 where it needs none */
	struct mount_source devices[MEM_COUNT(devices)];
	int outer_proc_fd; /* for where a fresh /proc is refused */
	bool is_detachable;
	bool has_hide_places;
};

static int ns_fail(struct err *e, int rc, const char *what, const char *path)
{
	return err_sys(e, ERR_SETUP, -rc, "%s%s%s", what, *path == '\0' ? "" : " ", path);
}

static int ns_map(struct guard *g, struct err *e)
{
	const struct plan *p = g->plan;
	int rc;

	if (!g->has_user_ns && (p->uid != p->outside_uid || p->gid != p->outside_gid))
		return err_set(e, ERR_REFUSED,
		    "--user needs a user namespace, and those are refused here; -b native changes "
		    "to the user itself");
	if (!g->has_user_ns) {
		rc = mount_make_private();
		return rc == 0 ? 0 : ns_fail(e, rc, "make mounts private", "");
	}
	proc_set_dumpable(true); /* else the map files are root's */
	rc = ns_map_self(p->uid, p->outside_uid, p->gid, p->outside_gid);
	proc_set_dumpable(false);
	if (rc == -ENOENT)
		return err_set(e, ERR_SETUP,
		    "map the user into the namespace: /proc is not mounted (mount -t proc proc "
		    "/proc)");
	return rc == 0 ? 0 :
			 ns_fail(e, rc,
			     g->plan->outside_uid != 0 ?
				 "map the user into the namespace" :
				 "map uid 0 into the namespace (CAP_SETFCAP is needed for that)",
			     "");
}

/*
 * The pinned root belongs to the runner's mount namespace, and only mounts of our own can be
 * cloned: take the same path here, and go on only if it is the same folder still.
 */
static int ns_find_root(const struct plan *p, int *fd, struct err *e)
{
	struct stat pinned, here;

	*fd = openat(AT_FDCWD, p->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0)
		return err_errno(e, ERR_USAGE, "project root %s", p->root);
	if (fstat(p->root_fd, &pinned) == 0 && fstat(*fd, &here) == 0 &&
	    pinned.st_dev == here.st_dev && pinned.st_ino == here.st_ino)
		return 0;
	fd_close(fd);
	return err_set(
	    e, ERR_USAGE, "project root %s was replaced while the sandbox started", p->root);
}

/* The root itself, or what lies below it: there no link is followed. */
static int ns_open_in_root(const struct plan *p, struct mount_source *s, const struct view_op *op,
    unsigned flags, struct err *e)
{
	int root_fd, fd, rc;

	if (ns_find_root(p, &root_fd, e) != 0)
		return -1;
	fd = path_open_beneath(root_fd, path_below(op->src, p->root), O_PATH);
	fd_close(&root_fd);
	if (fd < 0)
		return err_sys(e, ERR_USAGE, -fd, "%s", op->src);
	rc = mount_source_open(s, fd, "", flags, -1);
	fd_close(&fd);
	return rc == 0 ? 0 : ns_fail(e, rc, "open for the sandbox:", op->src);
}

static int ns_open_source(
    struct ns_build *b, struct mount_source *s, const struct view_op *op, struct err *e)
{
	const struct plan *p = b->g->plan;
	unsigned flags = op->is_read_only ? MOUNT_READ_ONLY : 0U;
	int rc;

	if (!view_path_is_below(op->dst, "/dev"))
		flags |= MOUNT_NO_DEVICES;
	if (op->is_root || op->is_beneath)
		return ns_open_in_root(p, s, op, flags, e);
	rc = mount_source_open(s, AT_FDCWD, op->src, flags, -1);
	if (rc == -ENOENT || rc == -ENOTDIR)
		return err_sys(e, ERR_USAGE, -rc, "%s", op->src);
	return rc == 0 ? 0 : ns_fail(e, rc, "open for the sandbox:", op->src);
}

/* While paths still mean what they mean outside. */
static int ns_open_sources(struct ns_build *b, struct err *e)
{
	const struct view *v = &b->g->plan->view;
	char path[32];

	for (size_t i = 0; i < v->count; i++)
		b->sources[i].fd = -1;
	for (size_t i = 0; i < v->count; i++) {
		if (b->g->plan->system_sources != NULL && b->g->plan->system_sources[i].fd >= 0)
			b->sources[i] = b->g->plan->system_sources[i];
		else if (v->ops[i].kind == VIEW_BIND &&
			 ns_open_source(b, &b->sources[i], &v->ops[i], e) != 0)
			return -1;
	}
	for (size_t i = 0; i < MEM_COUNT(devices); i++) {
		(void)snprintf(path, sizeof path, "/dev/%s", devices[i]);
		b->devices[i].fd = -1; /* a container may lack one: the command does without */
		(void)mount_source_open(&b->devices[i], AT_FDCWD, path, MOUNT_IS_DEVICE, -1);
	}
	return 0;
}

static int ns_make_folders(char *path, struct err *e)
{
	for (char *p = path + 1; *p != '\0'; p++) {
		int rc;

		if (*p != '/')
			continue;
		*p = '\0';
		rc = mkdir(path, 0755) == 0 || errno == EEXIST ? 0 : -errno;
		if (rc != 0)
			(void)ns_fail(e, rc, "make folder", path);
		*p = '/';
		if (rc != 0)
			return -1;
	}
	return 0;
}

static bool ns_leads_through_link(const char *dst)
{
	char path[4096];
	struct stat st;

	for (const char *end = strchr(dst + 1, '/'); end != NULL; end = strchr(end + 1, '/')) {
		(void)snprintf(path, sizeof path, "%.*s", (int)(end - dst), dst);
		if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
			return true;
	}
	return false;
}

/* A mount point for op. Never made in a folder of the host: no empty file is left behind there. */
static int ns_mount_point(const struct view_op *op, bool is_dir, struct err *e)
{
	char path[4096];
	struct stat st;

	if (!mount_has_new_api() && ns_leads_through_link(op->dst))
		return err_set(e, ERR_USAGE,
		    "%s leads through a symbolic link: name what it leads to", op->dst);
	if (lstat(op->dst, &st) == 0) {
		if (S_ISLNK(st.st_mode))
			return err_set(
			    e, ERR_USAGE, "%s is a symbolic link: name what it leads to", op->dst);
		if (S_ISDIR(st.st_mode) != is_dir)
			return err_set(e, ERR_USAGE, "%s: a %s cannot be mounted over a %s",
			    op->dst, is_dir ? "folder" : "file", is_dir ? "file" : "folder");
		return 0;
	}
	if (!op->may_create)
		return err_set(e, ERR_USAGE,
		    "%s does not exist, and a mount point is not made in a folder of the host",
		    op->dst);
	if ((size_t)snprintf(path, sizeof path, "%s", op->dst) >= sizeof path)
		return err_sys(e, ERR_SETUP, ENAMETOOLONG, "%s", op->dst);
	if (ns_make_folders(path, e) != 0)
		return -1;
	if (is_dir)
		return mkdir(path, 0755) == 0 || errno == EEXIST ?
			   0 :
			   err_errno(e, ERR_SETUP, "make folder %s", path);
	return mknod(path, S_IFREG | 0644, 0) == 0 ?
		   0 :
		   err_errno(e, ERR_SETUP, "make mount point %s", path);
}

static int ns_attach(struct mount_source *s, const struct view_op *op, struct err *e)
{
	int rc;

	if (ns_mount_point(op, s->is_dir, e) != 0)
		return -1;
	rc = mount_attach(s, op->dst);
	return rc == 0 ? 0 : ns_fail(e, rc, "mount", op->dst);
}

/* A mask must be the thing it says it is: in a hostile /dev, "null" could be anything
 * (CVE-2025-31133). */
static bool ns_is_null_device(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
}

/* Empty things to cover hidden paths with; on the root, which becomes read-only, so that nobody
 * changes their mode. */
static int ns_make_hide_places(struct ns_build *b, struct err *e)
{
	if (b->has_hide_places)
		return 0;
	b->has_hide_places = true;
	if (mkdir("/.hidden", 0700) != 0 || mkdir("/.hidden/folder", 0000) != 0)
		return err_errno(e, ERR_SETUP, "make /.hidden");
	if (mknod(NS_HIDDEN_FILE, S_IFREG, 0) != 0)
		return err_errno(e, ERR_SETUP, "make " NS_HIDDEN_FILE);
	return 0;
}

static int ns_mask_files(const char *mask, const char *const *path, struct err *e)
{
	for (; *path != NULL; path++) {
		int rc = mount_bind_inside(mask, *path, false);

		if (rc != 0 && rc != -ENOENT) /* not every kernel has all of them */
			return ns_fail(e, rc, "mask", *path);
	}
	return 0;
}

static int ns_mask_proc(struct ns_build *b, struct err *e)
{
	const struct plan *p = b->g->plan;
	const char *mask = "/dev/null";
	int rc;

	if (access("/proc/self", F_OK) != 0)
		return 0; /* no /proc at all */

	for (const char *const *path = plan_proc_read_only; *path != NULL; path++) {
		rc = mount_bind_inside(*path, *path, true);
		if (rc != 0 && rc != -ENOENT)
			return ns_fail(e, rc, "make read-only:", *path);
	}
	if (!ns_is_null_device(mask)) { /* an initramfs without /dev: a file that nobody may open */
		mask = NS_HIDDEN_FILE;
		if (ns_make_hide_places(b, e) != 0)
			return -1;
	}
	if (ns_mask_files(mask, plan_proc_masked, e) != 0)
		return -1;
	return p->outside_uid == 0 ? ns_mask_files(mask, plan_proc_masked_for_root, e) : 0;
}

/* Read-only, and where Landlock's ptrace rule keeps the environment of other processes closed. */
static int ns_bind_outer_proc(struct ns_build *b)
{
	const struct plan *p = b->g->plan;
	struct mount_source proc;
	int rc;

	for (size_t i = 0; i < p->rule_count; i++)
		if (strcmp(p->rules[i].path, "/proc") == 0)
			p->rules[i].access = LANDLOCK_READ;
	rc = mount_source_open(&proc, b->outer_proc_fd, "",
	    MOUNT_READ_ONLY | MOUNT_NO_DEVICES | MOUNT_NO_EXEC, -1);
	return rc != 0 ? rc : mount_attach(&proc, "/proc");
}

static int ns_make_proc(struct ns_build *b, struct err *e)
{
	int errnum = 0, rc;

	if (mkdir("/proc", 0555) != 0)
		return err_errno(e, ERR_SETUP, "make /proc");
	rc = mount_proc("/proc");
	if (rc == 0) {
		guard_note(b->g, LAYER_PROC, 0);
		return 0;
	}
	/*
	 * In a container whose own /proc is masked the kernel refuses a fresh one (EPERM; EBUSY in
	 * some). The outer one shows other processes: only with Landlock (landlock(7)), else none.
	 */
	if (rc != -EPERM && rc != -EACCES && rc != -EBUSY)
		return ns_fail(e, rc, "mount", "/proc");
	guard_note(b->g, LAYER_PROC, -rc);
	if (b->outer_proc_fd < 0 || landlock_abi(&errnum) == 0)
		return 0;
	rc = ns_bind_outer_proc(b);
	return rc == 0 ? 0 : ns_fail(e, rc, "mount the outer /proc", "");
}

static int ns_make_device(struct ns_build *b, size_t i, struct err *e)
{
	char path[32];
	int rc;

	if (b->devices[i].fd < 0)
		return 0;
	(void)snprintf(path, sizeof path, "/dev/%s", devices[i]);
	if (mknod(path, S_IFREG | 0666, 0) != 0)
		return err_errno(e, ERR_SETUP, "make %s", path);
	rc = mount_attach(&b->devices[i], path);
	return rc == 0 ? 0 : ns_fail(e, rc, "mount", path);
}

static int ns_make_dev(struct ns_build *b, struct err *e)
{
	static const char *const links[][2] = { { "/proc/self/fd", "/dev/fd" },
		{ "/proc/self/fd/0", "/dev/stdin" }, { "/proc/self/fd/1", "/dev/stdout" },
		{ "/proc/self/fd/2", "/dev/stderr" }, { "pts/ptmx", "/dev/ptmx" } };
	int rc;

	if (mkdir("/dev", 0755) != 0 || mkdir("/dev/pts", 0755) != 0 ||
	    mkdir("/dev/shm", 0755) != 0)
		return err_errno(e, ERR_SETUP, "make /dev");
	for (size_t i = 0; i < MEM_COUNT(devices); i++)
		if (ns_make_device(b, i, e) != 0)
			return -1;
	for (size_t i = 0; i < MEM_COUNT(links); i++)
		if (symlink(links[i][0], links[i][1]) != 0)
			return err_errno(e, ERR_SETUP, "make %s", links[i][1]);
	rc = mount_devpts("/dev/pts");
	if (rc != 0)
		return ns_fail(e, rc, "mount", "/dev/pts");
	rc = mount_tmpfs("/dev/shm", LIMIT_SHM_BYTES, LIMIT_TMP_INODES, 01777, 0);
	return rc == 0 ? 0 : ns_fail(e, rc, "mount", "/dev/shm");
}

static int ns_hide(struct ns_build *b, const struct view_op *op, struct err *e)
{
	struct stat st;
	int rc;

	if (lstat(op->dst, &st) != 0) /* not in the view: hidden already */
		return 0;
	if (S_ISLNK(st.st_mode))
		return err_set(e, ERR_USAGE,
		    "--hide %s: a symbolic link inside; hide what it leads to", op->dst);
	if (ns_make_hide_places(b, e) != 0)
		return -1;
	rc = mount_bind_inside(
	    S_ISDIR(st.st_mode) ? "/.hidden/folder" : NS_HIDDEN_FILE, op->dst, true);
	return rc == 0 ? 0 : ns_fail(e, rc, "hide", op->dst);
}

static int ns_do_tmpfs(const struct view_op *op, struct err *e)
{
	unsigned mode = strcmp(op->dst, "/tmp") == 0 ? 01777U : 0700U;
	int rc;

	if (ns_mount_point(op, true, e) != 0)
		return -1;
	rc = mount_tmpfs(op->dst, op->size_bytes, LIMIT_TMP_INODES, mode, 0);
	return rc == 0 ? 0 : ns_fail(e, rc, "mount", op->dst);
}

static int ns_do(struct ns_build *b, size_t i, struct err *e)
{
	const struct view_op *op = &b->g->plan->view.ops[i];

	switch (op->kind) {
	case VIEW_BIND:
		return ns_attach(&b->sources[i], op, e);
	case VIEW_SYMLINK:
		if (ns_make_folders(op->dst, e) != 0)
			return -1;
		return symlink(op->src, op->dst) == 0 ?
			   0 :
			   err_errno(e, ERR_SETUP, "make link %s", op->dst);
	case VIEW_PROC:
		return ns_make_proc(b, e);
	case VIEW_DEV:
		return ns_make_dev(b, e);
	case VIEW_TMPFS:
		return ns_do_tmpfs(op, e);
	case VIEW_HIDE:
		return ns_hide(b, op, e);
	}
	return err_set(e, ERR_INTERNAL, "unknown view operation");
}

/*
 * The old root lies on "/" of the new one until it is dropped, and a link with enough ".." leads up
 * into it. With the new API that is the moment after /proc, the first operation; the old one needs
 * it to the end and goes through no link.
 */
static int ns_drop_old_root(struct ns_build *b, struct err *e)
{
	int rc = b->is_detachable ? mount_drop_old_root() : 0;

	b->is_detachable = false;
	fd_close(&b->outer_proc_fd);
	return rc == 0 ? 0 : ns_fail(e, rc, "drop the old root", "");
}

static int ns_build_view(struct ns_build *b, struct err *e)
{
	const struct view *v = &b->g->plan->view;
	mode_t umask_before = umask(0);
	int rc;

	if (ns_open_sources(b, e) != 0)
		return -1;
	rc = mount_new_root();
	if (rc != 0)
		return ns_fail(e, rc, "mount an empty root", "");
	rc = mount_pivot(&b->is_detachable);
	if (rc != 0)
		return ns_fail(e, rc, "change to the new root", "");
	for (size_t i = 0; i < v->count; i++)
		if (ns_do(b, i, e) != 0 ||
		    (i == 0 && mount_has_new_api() && ns_drop_old_root(b, e) != 0))
			return -1;
	if (ns_drop_old_root(b, e) != 0 || ns_mask_proc(b, e) != 0)
		return -1;
	rc = mount_set_read_only("/");
	(void)umask(umask_before);
	return rc == 0 ? 0 : ns_fail(e, rc, "close the new root", "");
}

/* A container's filter may let the namespace be made and refuse the name (podman's does): then the
 * outer one shows, and the layer counts as missing. */
static int ns_name_host(struct guard *g, struct err *e)
{
	int rc = ns_set_hostname(NS_HOSTNAME);

	if (rc != 0 && rc != -EPERM && rc != -ENOSYS)
		return ns_fail(e, rc, "set the host name", "");
	if (rc != 0)
		guard_note(g, LAYER_UTS_NS, -rc);
	return 0;
}

static int ns_setup(struct guard *g, struct err *e)
{
	static const struct {
		uint64_t flag;
		enum layer layer;
	} layers[] = { { CLONE_NEWUSER, LAYER_USER_NS }, { CLONE_NEWNS, LAYER_MOUNT_NS },
		{ CLONE_NEWPID, LAYER_PID_NS }, { CLONE_NEWNET, LAYER_NET_NS },
		{ CLONE_NEWIPC, LAYER_IPC_NS }, { CLONE_NEWUTS, LAYER_UTS_NS },
		{ CLONE_NEWCGROUP, LAYER_CGROUP_NS } };
	struct ns_build b;
	int rc;

	memset(&b, 0, sizeof b);
	b.g = g;
	b.outer_proc_fd = openat(AT_FDCWD, "/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	b.sources = mem_calloc(g->plan->view.count, sizeof *b.sources, e);
	if (b.sources == NULL || ns_map(g, e) != 0)
		return -1;
	if (ns_build_view(&b, e) != 0)
		return -1;
	free(b.sources);
	if ((g->plan->namespaces & CLONE_NEWNET) != 0) {
		rc = ns_loopback_up();
		if (rc != 0 && g->plan->policy->net == NET_LOOPBACK)
			return ns_fail(e, rc, "bring the loopback interface up", "");
	}
	for (size_t i = 0; i < MEM_COUNT(layers); i++)
		if ((g->plan->namespaces & layers[i].flag) != 0)
			guard_note(g, layers[i].layer, 0);
	if ((g->plan->namespaces & CLONE_NEWUTS) != 0 && ns_name_host(g, e) != 0)
		return -1;
	guard_note(g, LAYER_VIEW, 0);
	guard_note(g, LAYER_METADATA, 0);
	return 0;
}

/*
 * A root caller can read root's private files, also without capabilities: it owns them. So its
 * system folders come through mounts on which uid and gid 0 are nobody. Only the runner itself may
 * make those (mount_setattr(2)); where a file system or the kernel cannot, the view holds a chosen
 * part of /etc instead.
 */
static int ns_open_idmapped(struct plan *p, struct err *e)
{
	int rc = 0, userns_fd = ns_open_rootless_userns();

	if (userns_fd < 0)
		return -1;
	p->system_sources = mem_calloc(p->view.count, sizeof *p->system_sources, e);
	for (size_t i = 0; p->system_sources != NULL && i < p->view.count; i++)
		p->system_sources[i].fd = -1;
	for (size_t i = 0; p->system_sources != NULL && i < p->view.count && rc == 0; i++)
		if (p->view.ops[i].is_system)
			rc = mount_source_open(&p->system_sources[i], AT_FDCWD, p->view.ops[i].src,
			    MOUNT_READ_ONLY | MOUNT_NO_DEVICES, userns_fd);
	(void)close(userns_fd);
	return p->system_sources == NULL || rc != 0 ? -1 : 0;
}

static int ns_plan_view(struct plan *p, struct err *e)
{
	if (plan_build_view(p, false, e) != 0)
		return -1;
	if (p->outside_uid != 0 || ns_open_idmapped(p, e) == 0)
		return 0;
	plan_close_sources(p);
	return plan_build_view(p, true, e);
}

static int ns_plan(struct plan *p, struct err *e)
{
	p->namespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS |
			CLONE_NEWCGROUP;
	p->namespaces_optional = CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
	if (p->policy->net != NET_HOST)
		p->namespaces |= CLONE_NEWNET;
	p->want_capability_drop = p->want_no_new_privs = p->want_landlock = true;
	p->landlock_flags = LANDLOCK_SCOPE_ABSTRACT | LANDLOCK_SCOPE_SIGNALS;
	return ns_plan_view(p, e) != 0 ? -1 : plan_add_view_rules(p, e);
}

const struct sandbox_backend backend_namespace = {
	.name = "namespace",
	.aliases = "ns",
	.layers = LAYER_ALL,
	.plan = ns_plan,
	.setup = ns_setup,
};
