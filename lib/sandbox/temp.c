/* See temp.h. */
#include "temp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../sys/fd.h"
#include "../sys/path_os.h"

/* The caller's TMPDIR is the last resort: what our own outer sandbox gives, say. Not one in the
 * project, where an earlier command may have put anything. */
static const char *temp_own(const struct plan *p)
{
	const char *dir = plan_host_env(p->rq, "TMPDIR");
	bool is_usable = dir != NULL && dir[0] == '/' &&
			 (p->root == NULL || !view_path_is_below(dir, p->root));

	return is_usable ? dir : NULL;
}

/*
 * "/tmp/sbx-…": its path is in the environment, so it is chosen here. The runner makes it while
 * the guardian is at the other rules (a folder can take a large file system half a millisecond);
 * the guardian removes it. Without a place for it want_temp stays false.
 */
static int temp_choose(struct plan *p, struct err *e)
{
	const char *const parents[] = { "/tmp", "/var/tmp", "/dev/shm", temp_own(p) };
	unsigned char r[8];
	char real[PATH_MAX];

	if (getentropy(r, sizeof r) != 0)
		return err_errno(e, ERR_SETUP, "getentropy");
	(void)snprintf(p->temp_name, sizeof p->temp_name, "sbx-%02x%02x%02x%02x%02x%02x%02x%02x",
	    r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]);
	for (size_t i = 0; i < MEM_COUNT(parents) && parents[i] != NULL; i++) {
		p->temp_parent_fd = open(parents[i], PATH_OS_SEARCH | O_DIRECTORY | O_CLOEXEC);
		if (p->temp_parent_fd >= 0 && path_os_real(parents[i], real) == 0 &&
		    path_os_can_write(p->temp_parent_fd)) {
			p->want_temp = true;
			p->temp_path = mem_printf(e, "%s/%s", real, p->temp_name);
			return p->temp_path == NULL ? -1 : 0;
		}
		fd_close(&p->temp_parent_fd);
	}
	return 0;
}

/* A read-only machine without a tmpfs: the command goes without, and is told so. */
static int temp_go_without(struct plan *p, struct err *e)
{
	free(p->notice);
	p->notice = mem_printf(e,
	    "/tmp, /var/tmp and /dev/shm cannot be written: the command gets no temporary "
	    "folder%s",
	    p->root != NULL ? "" : " and, with no project root (--root DIR), no other to write to");
	return p->notice == NULL ? -1 : 0;
}

/* One folder is /tmp, HOME and, where there is no project root, the working folder. */
int temp_use(struct plan *p, struct err *e)
{
	bool is_home_inside = p->root != NULL && view_path_is_below(p->home, p->root);
	const char *place;

	if (temp_choose(p, e) != 0 ||
	    (!p->want_temp && temp_go_without(p, e) != 0))
		return -1;
	place = p->want_temp ? p->temp_path : "/"; /* which no rule lets it read */
	if (!is_home_inside) {
		free(p->home);
		p->home = mem_strdup(place, e);
	}
	if (p->root == NULL) {
		free(p->cwd);
		p->cwd = mem_strdup(place, e);
	}
	return p->home == NULL || p->cwd == NULL ? -1 : 0;
}
