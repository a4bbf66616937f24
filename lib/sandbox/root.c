/*
 * The project root is pinned by a descriptor and known by its real path; the working folder lies in
 * it. A folder whose content is the system's, everybody's or the whole of the user's is no project:
 * named explicitly it is refused, met by chance (an MCP client starts its servers in "/") an empty
 * private folder takes its place.
 */
#include "root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../sys/fd.h"
#include "../sys/path.h"
#include "../sys/path_os.h"

#define ROOT_PRIVATE "/workspace"

/* Below these everything is the system's; of the second list only the folder itself cannot be a
 * root. */
static const char *const whole[] = { "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
	"/etc", "/boot", "/proc", "/sys", "/dev", "/System", "/Library", "/Applications",
	"/private/etc" };
static const char *const itself[] = { "/", "/run", "/var", "/var/run", "/var/tmp", "/var/lib",
	"/tmp", "/home", "/root", "/opt", "/nix", "/gnu", "/mnt", "/media", "/srv", "/lost+found",
	"/private", "/private/var", "/private/tmp", "/private/var/tmp", "/Users", "/Users/Shared",
	"/Volumes", "/cores" };

bool root_is_system_folder(const char *path)
{
	for (size_t i = 0; i < MEM_COUNT(whole); i++)
		if (view_path_is_below(path, whole[i]))
			return true;
	return false;
}

const char *root_unsuitable(const struct plan *plan, const char *path)
{
	if (root_is_system_folder(path))
		return "a system folder";
	for (size_t i = 0; i < MEM_COUNT(itself); i++)
		if (strcmp(path, itself[i]) == 0)
			return "a folder of the system";
	/* HOME holds keys and start-up files; so does whatever holds HOME */
	if (view_path_is_below(plan->home, path) || view_path_is_below(plan->home_outside, path))
		return "your home folder or one above it";
	return NULL;
}

bool root_is_named_writable(const struct policy *p, const char *path)
{
	char real[PATH_MAX];

	for (size_t i = 0; i < p->mount_count; i++)
		if (p->mounts[i].kind == MOUNT_RW && p->mounts[i].src != NULL &&
		    path_resolve(p->mounts[i].src, real) && strcmp(real, path) == 0)
			return true;
	return false;
}

/* The real path of an open folder, without /proc: go there and ask; the way back is by descriptor.
 */
static char *root_real_path(int fd, const char *named, struct err *e)
{
	char path[PATH_MAX];
	int back = openat(AT_FDCWD, ".", PATH_OS_SEARCH | O_CLOEXEC);
	int rc, errnum;

	rc = fchdir(fd);
	errnum = errno;
	if (rc == 0) {
		rc = path_os_getcwd(path, sizeof path);
		errnum = -rc;
	}
	if (back >= 0) {
		(void)!fchdir(back);
		(void)close(back);
	}
	if (rc != 0 && errnum == ENOENT)
		(void)err_set(e, ERR_USAGE, "%s: this folder was deleted", named);
	else if (rc != 0)
		(void)err_sys(e, ERR_USAGE, errnum, "%s", named);
	else if (path[0] != '/') /* Linux: "(unreachable)…", outside our root (getcwd(3)) */
		(void)err_set(
		    e, ERR_USAGE, "%s: this folder cannot be reached from the root", named);
	else
		return mem_strdup(path, e);
	return NULL;
}

static int root_open(const char *named, int *fd, char **real, struct err *e)
{
	*fd = openat(AT_FDCWD, named, PATH_OS_SEARCH | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0 && errno == ENOTDIR)
		return err_set(e, ERR_USAGE, "%s: not a folder", named);
	if (*fd < 0)
		return err_errno(e, ERR_USAGE, "%s", named);
	*real = root_real_path(*fd, named, e);
	if (*real == NULL)
		fd_close(fd);
	return *real == NULL ? -1 : 0;
}

/* -C: a folder in the root, by its real path. */
static int root_working_folder(struct plan *plan, const char *named, struct err *e)
{
	MEM_AUTOFREE char *path = view_clean_path(plan->root, named, e);
	int fd = -1;

	if (path == NULL || root_open(path, &fd, &plan->cwd, e) != 0)
		return -1;
	plan->cwd_fd = fd;
	if (!view_path_is_below(plan->cwd, plan->root))
		return err_set(
		    e, ERR_USAGE, "-C %s: lies outside the project root %s", named, plan->root);
	return 0;
}

static int root_use_private(struct plan *plan, const char *path, const char *why, struct err *e)
{
	const struct policy *p = plan->policy;
	/* what the view makes itself is not to be had at all */
	bool is_ours = path[1] == '\0' || view_path_is_below(path, "/proc") ||
		       view_path_is_below(path, "/dev");

	if (p->root != NULL)
		return err_set(e, ERR_USAGE,
		    "--root %s: cannot be a project root (it is %s): name a project folder%s%s",
		    p->root, why, is_ours ? "" : ", or add --rw ", is_ours ? "" : path);
	if (p->cwd != NULL)
		return err_set(e, ERR_USAGE,
		    "-C %s: %s cannot be the project root (it is %s); use --root DIR", p->cwd, path,
		    why);
	plan->private_root = mem_strdup(ROOT_PRIVATE, e);
	plan->cwd = plan->private_root == NULL ? NULL : mem_strdup(ROOT_PRIVATE, e);
	plan->notice = mem_printf(e,
	    "%s is %s: the command gets an empty private folder instead (use --root DIR)", path,
	    why);
	return plan->cwd == NULL || plan->notice == NULL ? -1 : 0;
}

int root_resolve(struct plan *plan, struct err *e)
{
	const struct policy *p = plan->policy;
	bool is_native = (plan->backend->layers & LAYER_BIT(LAYER_VIEW)) == 0;
	char here[PATH_MAX];
	const char *why;

	if (getcwd(here, sizeof here) != NULL && here[0] == '/')
		plan->cwd_outside = mem_strdup(here, e);
	if (root_open(p->root != NULL ? p->root : ".", &plan->root_fd, &plan->root, e) != 0)
		return -1;
	why = root_unsuitable(plan, plan->root);
	/* native hides nothing: its root only says where -C may lead */
	if (why != NULL && !is_native && !root_is_named_writable(p, plan->root)) {
		MEM_AUTOFREE char *path = MEM_TAKE(plan->root);

		fd_close(&plan->root_fd);
		return root_use_private(plan, path, why, e);
	}
	if (p->cwd != NULL)
		return root_working_folder(plan, p->cwd, e);
	plan->cwd = mem_strdup(plan->root, e);
	plan->cwd_fd = fcntl(plan->root_fd, F_DUPFD_CLOEXEC, 3);
	return plan->cwd == NULL ? -1 : 0;
}

/* The folder of path: from base_len on without following links. */
static int root_open_folder_of(const char *path, size_t base_len, struct err *e)
{
	const char *slash = strrchr(path, '/');
	/* "/" ends in its own slash */
	const char *start = path + base_len + (base_len > 1 ? 1 : 0);
	MEM_AUTOFREE char *base = mem_strndup(path, base_len, e);
	MEM_AUTOFREE char *rel = NULL;
	int base_fd, fd;

	if (base == NULL)
		return -ENOMEM;
	base_fd = openat(AT_FDCWD, base, PATH_OS_SEARCH | O_DIRECTORY | O_CLOEXEC);
	if (base_fd < 0)
		return -errno;
	rel = slash <= start ? mem_strdup("", e) : mem_strndup(start, (size_t)(slash - start), e);
	fd = rel == NULL ? -ENOMEM : path_open_beneath(base_fd, rel, PATH_OS_SEARCH | O_DIRECTORY);
	fd_close(&base_fd);
	return fd;
}

int root_open_named(const struct policy *p, const char *option, const char *path, int flags,
    mode_t mode, struct err *e)
{
	char real[PATH_MAX];
	ssize_t base_len = path_hostile_part(p->root, path, real);
	int folder_fd, fd;

	if (base_len == 0)
		return fd_open_named(AT_FDCWD, path, option, path, flags, mode, e);
	folder_fd = base_len < 0 ? (int)base_len : root_open_folder_of(real, (size_t)base_len, e);
	if (folder_fd == -ELOOP || folder_fd == -ENOTDIR)
		return err_set(e, ERR_USAGE,
		    "%s %s: leads through a symbolic link; name what it leads to", option, path);
	if (folder_fd < 0)
		return err_sys(e, ERR_USAGE, -folder_fd, "%s %s", option, path);
	fd = fd_open_named(folder_fd, strrchr(real, '/') + 1, option, path, flags, mode, e);
	fd_close(&folder_fd);
	return fd;
}
