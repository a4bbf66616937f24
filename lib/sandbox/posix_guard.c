/* Elsewhere than on Linux: a guardian is a process like others, and its rights are the caller's. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "../sys/fd.h"
#include "../sys/proc.h"
#include "../sys/tty.h"
#include "guard_os.h"

int guard_os_open_pty(struct guard *g, struct err *e)
{
	char *name = NULL;

	g->pty_master_fd = posix_openpt(O_RDWR | O_NOCTTY);
	if (g->pty_master_fd >= 0 && fcntl(g->pty_master_fd, F_SETFD, FD_CLOEXEC) == 0 &&
	    grantpt(g->pty_master_fd) == 0 && unlockpt(g->pty_master_fd) == 0)
		name = ptsname(g->pty_master_fd);
	if (name != NULL)
		g->pty_slave_fd = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (g->pty_slave_fd < 0)
		return err_errno(e, ERR_SETUP, "open a pseudo-terminal");
	/* after the other side is open: on macOS a pseudo-terminal has no size before */
	tty_copy_size(g->plan->rq->stdin_fd, g->pty_slave_fd);
	return 0;
}

void guard_os_drop_rights(const struct guard *g)
{
	(void)g;
}

void guard_os_regain_rights(const struct guard *g)
{
	(void)g;
}

pid_t guard_start(struct guard *g, struct err *e)
{
	pid_t pid = proc_fork(0);

	if (pid < 0)
		return err_sys(e, ERR_SETUP, (int)-pid, "make the guardian");
	if (pid > 0)
		return pid;
	g->tell = guard_tell_record;
	g->on_control = guard_on_control;
	guard_run(g);
}
