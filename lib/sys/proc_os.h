/* What proc_tree.c needs of the system at hand: which processes there are, and signalling one. */
#ifndef SBX_SYS_PROC_OS_H
#define SBX_SYS_PROC_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/wait.h>

#ifdef __WALL
#define PROC_OS_WAIT_ALL __WALL /* also children made by clone(2) without SIGCHLD */
#else
#define PROC_OS_WAIT_ALL 0
#endif

struct proc_entry {
	pid_t pid, ppid, session;
	bool is_zombie;
	uint64_t cpu_us;       /* its own */
	uint64_t child_cpu_us; /* of children that it has waited for */
	uint64_t rss_bytes;
	uint64_t start; /* tells it from another process that has got its number */
};

/* Processes into all[max]; the count, 0: nobody can tell (Linux without /proc). Raw. */
size_t proc_os_list(struct proc_entry *all, size_t max);
int proc_os_look(pid_t pid, struct proc_entry *e); /* 0, -1: there is none. Raw */
/* signo to that very process, never to another one that has got its number. Raw. */
void proc_os_signal(const struct proc_entry *e, int signo);
/* SIGKILL to every child, where proc_os_list() cannot tell which there are. Raw. */
void proc_os_kill_by_number(void);

#endif
