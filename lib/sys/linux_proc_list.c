/*
 * Linux: processes from /proc/PID/stat; a signal by pidfd. Where no /proc is mounted, waitid(2) is
 * asked for every number whether it is a child. No allocation: it also runs in a guardian that
 * answers for a fork bomb.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/str.h"
#include "fd.h"
#include "proc_os.h"

#define STAT_FIELDS 25 /* 0 and 1 unused, as proc_pid_stat(5) counts from 1 */

/* The numbers from field 4 on; how far it came. */
static size_t proc_read_fields(const char *text, uint64_t fields[STAT_FIELDS])
{
	size_t i = 4;

	for (; i < STAT_FIELDS; i++) {
		bool is_negative = *text == '-';

		text += is_negative;
		if (str_take_u64(&text, &fields[i]) != 0)
			break;
		if (is_negative)
			fields[i] = -fields[i];
		text += *text == ' ';
	}
	return i;
}

/* proc_pid_stat(5): the name in field 2 may hold anything, so count from the last ')'. */
static int proc_read_stat(const char *pid_name, struct proc_entry *st)
{
	uint64_t tick_us = 1000000U / getauxval(AT_CLKTCK);
	char path[64], text[1024];
	uint64_t fields[STAT_FIELDS] = { 0 };
	uint64_t pid;
	const char *p;

	(void)snprintf(path, sizeof path, "/proc/%.20s/stat", pid_name);
	if (str_take_u64(&pid_name, &pid) != 0 ||
	    fd_read_small(AT_FDCWD, path, text, sizeof text) <= 0)
		return -1;
	p = strrchr(text, ')');
	if (p == NULL || strlen(p) < 5 || proc_read_fields(p + 4, fields) < STAT_FIELDS)
		return -1;
	st->is_zombie = p[2] == 'Z';
	st->pid = (pid_t)pid;
	st->ppid = (pid_t)fields[4];
	st->session = (pid_t)fields[6];
	st->cpu_us = (fields[14] + fields[15]) * tick_us;
	st->child_cpu_us = (fields[16] + fields[17]) * tick_us;
	st->start = fields[22];
	st->rss_bytes = fields[24] * getauxval(AT_PAGESZ);
	return 0;
}

size_t proc_os_list(struct proc_entry *all, size_t max)
{
	DIR *d = opendir("/proc");
	struct dirent *de;
	size_t n = 0;

	if (d == NULL)
		return 0;
	while (n < max && (de = readdir(d)) != NULL)
		if (de->d_name[0] >= '1' && de->d_name[0] <= '9' &&
		    proc_read_stat(de->d_name, &all[n]) == 0)
			n++;
	(void)closedir(d);
	return n;
}

int proc_os_look(pid_t pid, struct proc_entry *e)
{
	char name[24];

	(void)snprintf(name, sizeof name, "%d", (int)pid);
	return proc_read_stat(name, e);
}

void proc_os_signal(const struct proc_entry *e, int signo)
{
	struct proc_entry now;
	int fd = (int)syscall(SYS_pidfd_open, e->pid, 0);

	if (fd < 0) {
		if (errno == ENOSYS) /* before 5.3 */
			(void)kill(e->pid, signo);
		return;
	}
	/* an orphan has moved up to us: any parent but a changed start time would be a stranger */
	if (proc_os_look(e->pid, &now) == 0 && now.start == e->start)
		(void)syscall(SYS_pidfd_send_signal, fd, signo, NULL, 0);
	(void)close(fd);
}

void proc_os_kill_by_number(void)
{
	char text[32];
	const char *digits = text;
	uint64_t max = 32768;

	if (access("/proc/self/stat", F_OK) == 0)
		return; /* none was seen because there is none */
	if (fd_read_small(AT_FDCWD, "/proc/sys/kernel/pid_max", text, sizeof text) > 0)
		(void)str_take_u64(&digits, &max);
	for (uint64_t p = 1; p <= max; p++) {
		siginfo_t si;

		if (waitid(P_PID, (id_t)p, &si, WEXITED | WNOHANG | WNOWAIT) == 0)
			(void)kill((pid_t)p, SIGKILL);
	}
}
