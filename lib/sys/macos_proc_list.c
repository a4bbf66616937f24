/*
 * macOS: processes by libproc. Those of other users are left out: nothing about them is told, and
 * nothing could be done to them. There is no handle on a process as a pidfd is, so a signal goes to
 * a number that was looked at just before.
 */
#include <libproc.h>
#include <mach/mach_time.h>
#include <signal.h>
#include <string.h>
#include <sys/proc.h>
#include <sys/proc_info.h>
#include <sys/resource.h>
#include <unistd.h>

#include "proc_os.h"

#define PROC_PIDS_MAX 65536U

static uint64_t proc_mach_us(uint64_t mach_time)
{
	static mach_timebase_info_data_t base;

	if (base.denom == 0 && mach_timebase_info(&base) != KERN_SUCCESS)
		return 0;
	return mach_time / 1000U * base.numer / base.denom;
}

static void proc_look_usage(pid_t pid, struct proc_entry *e)
{
	struct rusage_info_v1 ru;

	memset(&ru, 0, sizeof ru);
	if (proc_pid_rusage(pid, RUSAGE_INFO_V1, (rusage_info_t *)&ru) != 0)
		return;
	e->cpu_us = proc_mach_us(ru.ri_user_time + ru.ri_system_time);
	e->child_cpu_us = proc_mach_us(ru.ri_child_user_time + ru.ri_child_system_time);
	e->rss_bytes = ru.ri_phys_footprint;
}

int proc_os_look(pid_t pid, struct proc_entry *e)
{
	struct proc_bsdinfo b;

	if (proc_pidinfo(pid, PROC_PIDTBSDINFO, 0, &b, (int)sizeof b) != (int)sizeof b)
		return -1;
	memset(e, 0, sizeof *e);
	e->pid = pid;
	e->ppid = (pid_t)b.pbi_ppid;
	e->session = getsid(pid);
	e->is_zombie = b.pbi_status == SZOMB;
	e->start = (uint64_t)b.pbi_start_tvsec * 1000000U + (uint64_t)b.pbi_start_tvusec;
	proc_look_usage(pid, e);
	return 0;
}

size_t proc_os_list(struct proc_entry *all, size_t max)
{
	static pid_t pids[PROC_PIDS_MAX];
	int count = proc_listallpids(pids, (int)sizeof pids);
	size_t n = 0;

	for (int i = 0; i < count && n < max; i++)
		if (pids[i] > 0 && proc_os_look(pids[i], &all[n]) == 0)
			n++;
	return n;
}

void proc_os_signal(const struct proc_entry *e, int signo)
{
	struct proc_entry now;

	if (proc_os_look(e->pid, &now) == 0 && now.start == e->start)
		(void)kill(e->pid, signo);
}

void proc_os_kill_by_number(void)
{
	/* the list is always there */
}
