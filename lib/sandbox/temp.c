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

int temp_choose(struct plan *p, struct err *e)
{
	static const char *const parents[] = { "/tmp", "/var/tmp", "/dev/shm" };
	unsigned char r[8];
	char real[PATH_MAX];

	if (getentropy(r, sizeof r) != 0)
		return err_sys(e, ERR_SETUP, errno, "getentropy");
	(void)snprintf(p->temp_name, sizeof p->temp_name, "sbx-%02x%02x%02x%02x%02x%02x%02x%02x",
	    r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]);
	for (size_t i = 0; i < MEM_COUNT(parents); i++) {
		p->temp_parent_fd = open(parents[i], PATH_OS_SEARCH | O_DIRECTORY | O_CLOEXEC);
		if (p->temp_parent_fd >= 0 && realpath(parents[i], real) != NULL &&
		    faccessat(p->temp_parent_fd, ".", W_OK | X_OK, AT_EACCESS) == 0) {
			p->want_temp = true;
			p->temp_path = mem_printf(e, "%s/%s", real, p->temp_name);
			return p->temp_path == NULL ? -1 : 0;
		}
		fd_close(&p->temp_parent_fd);
	}
	return err_set(e, ERR_REFUSED,
	    "no temporary folder can be made in /tmp, /var/tmp or /dev/shm: make one of them "
	    "writable");
}

int temp_use(struct plan *p, struct err *e)
{
	bool is_home_inside = p->root != NULL && view_path_is_below(p->home, p->root);

	if (temp_choose(p, e) != 0)
		return -1;
	if (!is_home_inside) {
		free(p->home);
		p->home = mem_strdup(p->temp_path, e);
	}
	if (p->root == NULL) {
		free(p->cwd);
		p->cwd = mem_strdup(p->temp_path, e);
	}
	return p->home == NULL || p->cwd == NULL ? -1 : 0;
}
