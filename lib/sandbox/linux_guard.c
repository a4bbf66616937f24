/* Linux: the guardian is made with the namespaces of the plan, and gives its capabilities up. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../sys/fd.h"
#include "../sys/linux_ns.h"
#include "../sys/proc.h"
#include "../sys/tty.h"
#include "guard_os.h"
#include "stage_os.h"

/* A pty of the sandbox's own devpts; the runner gets the master with the STARTED record. */
int guard_os_open_pty(struct guard *g, struct err *e)
{
	char *name;

	g->pty_master_fd = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (g->pty_master_fd < 0 || unlockpt(g->pty_master_fd) != 0)
		return err_errno(e, ERR_SETUP, "open a pseudo-terminal");
	/* before the command can look at it, and be told by SIGWINCH of a change that was none */
	if (g->plan->tty_size != 0)
		tty_set_size(g->pty_master_fd, g->plan->tty_size);
	else
		tty_copy_size(g->plan->rq->stdin_fd, g->pty_master_fd);
#ifdef TIOCGPTPEER
	g->pty_slave_fd = ioctl(g->pty_master_fd, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (g->pty_slave_fd >= 0)
		return 0;
#endif
	name = ptsname(g->pty_master_fd);
	g->pty_slave_fd = name == NULL ? -1 : open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	return g->pty_slave_fd >= 0 ?
		   0 :
		   err_errno(e, ERR_SETUP, "open the pseudo-terminal's other side");
}

void guard_os_drop_rights(const struct guard *g)
{
	/* where the command keeps its rights (native), we need ours to end it */
	if (g->plan->want_capability_drop)
		(void)ns_clear_capabilities(g->plan->cgroup.version != 0 ? CAP_DAC_OVERRIDE : -1);
	/* the runner's end must wake us where somebody has stopped us, or the command would go on;
	 * otherwise the signal does nothing. Here, as a change of our rights would undo it. */
	(void)prctl(PR_SET_PDEATHSIG, (unsigned long)SIGCONT, 0UL, 0UL, 0UL);
}

void guard_os_regain_rights(const struct guard *g)
{
	/* the top of a hierarchy is mode 0555: without this capability not even root may remove a
	 * group there */
	if (g->plan->cgroup.version != 0 && g->plan->want_capability_drop)
		(void)ns_raise_capability(CAP_DAC_OVERRIDE);
}

/* Namespaces that a kernel may lack without harm to the rest are given up one by one. */
static pid_t guard_fork(struct plan *p, uint64_t *flags)
{
	static const struct {
		uint64_t flag;
		enum layer layer;
	} optional[] = { { CLONE_NEWCGROUP, LAYER_CGROUP_NS }, { CLONE_NEWUTS, LAYER_UTS_NS },
		{ CLONE_NEWIPC, LAYER_IPC_NS } };
	pid_t pid = proc_fork(*flags);

	for (size_t i = 0; i < sizeof optional / sizeof optional[0] && pid == -EINVAL; i++) {
		if ((*flags & p->namespaces_optional & optional[i].flag) == 0)
			continue;
		*flags &= ~optional[i].flag;
		plan_miss(p, optional[i].layer, "this kernel has no such namespace");
		pid = proc_fork(*flags);
	}
	return pid;
}

pid_t guard_start(struct guard *g, struct err *e)
{
	struct plan *p = g->plan;
	uint64_t flags = p->namespaces;
	const uint64_t user = CLONE_NEWUSER;
	pid_t pid;

	if ((flags & user) != 0 && p->outside_uid == 0 && access("/proc/self/uid_map", F_OK) != 0) {
		flags &= ~user; /* an initramfs: user_namespaces(7) has no other way to map */
		plan_miss(p, LAYER_USER_NS, "/proc is not mounted, so the user cannot be mapped");
	}
	/* root's groups (adm, docker) open files too; in a user namespace nobody may drop them any
	 * more */
	if (p->outside_uid == 0 && p->want_capability_drop)
		(void)stage_os_drop_groups();
	pid = guard_fork(p, &flags);
	/* root can do without a user namespace where those are switched off
	 * (user.max_user_namespaces=0) */
	if ((pid == -EPERM || pid == -ENOSPC || pid == -EINVAL) && (flags & user) != 0 &&
	    geteuid() == 0) {
		int errnum = (int)-pid;

		flags &= ~user;
		pid = guard_fork(p, &flags);
		if (pid >= 0)
			plan_miss(p, LAYER_USER_NS, "user namespaces are refused here (%s)",
			    strerror(errnum));
	}
	if (pid == -ENOSPC) /* without its number, which is that of a full disk */
		return err_set(e, ERR_SETUP,
		    "make namespaces: no more are allowed by /proc/sys/user/max_*_namespaces");
	if (pid < 0)
		return err_sys(e, ERR_SETUP, (int)-pid, "make namespaces");
	if (pid == 0) {
		g->has_user_ns = (flags & user) != 0;
		g->has_pid_ns = (flags & CLONE_NEWPID) != 0;
		p->namespaces = flags;
		g->tell = guard_tell_record;
		g->on_control = guard_on_control;
		guard_run(g);
	}
	return pid;
}
