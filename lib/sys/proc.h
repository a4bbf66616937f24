/*
 * Processes: the only fork. proc_fork() makes a process with memory of its own (a guardian),
 * proc_vfork() runs a function in a child that shares memory until exec (a command). Waiting is
 * always for one pid, never "any", except in a guardian, whose children are all its own business.
 */
#ifndef SBX_SYS_PROC_H
#define SBX_SYS_PROC_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "../base/err.h"

/*
 * fork with new namespaces (CLONE_NEW…; 0: a plain fork): clone3(2), or clone(2) where clone3 is
 * refused. 0 in the child, the pid in the parent, or -errno. The child must end with _exit() and
 * must not return into code that belongs to the parent.
 */
pid_t proc_fork(uint64_t namespaces);

/*
 * Run fn(arg) in a child that shares our memory and has a stack of its own, and wait until it has
 * called exec or _exit (CLONE_VM|CLONE_VFORK). fn returns the exit status of a child that did not
 * exec. One at a time. -errno.
 */
pid_t proc_vfork(int (*fn)(void *arg), void *arg);
/*
 * May a child of proc_vfork() have a copy of our memory instead? Elsewhere than on Linux it has. An
 * emulator of user programs (qemu-user) makes a fork of every vfork; it also lacks clone3(2), and
 * so do some containers, where the answer is true without need. What the child is to tell must then
 * lie in memory that is shared (proc_share).
 */
bool proc_may_copy(void);

/*
 * The same into a control group v2 (a descriptor of its folder; CLONE_INTO_CGROUP, 5.7), which
 * avoids the wait for an RCU grace period that moving a process costs. The child has a copy of our
 * memory: what it is to tell must lie in memory that is shared (proc_share). -ENOSYS where the
 * kernel cannot.
 */
pid_t proc_vfork_into(int cgroup_fd, int (*fn)(void *arg), void *arg);
/* A copy of size bytes at p in memory that forked children share; NULL: no memory. Never freed: for
 * guardians. */
void *proc_share(const void *p, size_t size);

/* wait4 for one child, EINTR retried; the status, or -1 with errno. usage may be NULL. */
int proc_wait(pid_t pid, struct rusage *usage);
int proc_exit_status(int wait_status); /* as a shell counts: 0..255, 128+n after a signal */

/* Not readable by other processes of the same user: /proc/PID/environ, mem, ptrace; no core file
 * (prctl(2)). */
void proc_set_dumpable(bool is_dumpable);
int proc_set_subreaper(void); /* orphans of our descendants become our children; 0 or -errno */
bool proc_has_subreaper(void); /* false: the system knows no such thing, and init gets them */
void proc_die_with_parent(
    pid_t parent); /* SIGKILL when the parent ends; _exit now if it is gone already */

const char *proc_signal_name(int signo); /* "SIGTERM", NULL: unknown */

/*
 * All descendants of root_pid (not itself), from /proc as it is mounted. What is measured is the
 * sum over the tree; a process that ends meanwhile is left out.
 */
struct proc_tree_usage {
	uint64_t rss_bytes;
	uint64_t cpu_us; /* live processes, and their reaped children; root_pid's reaped children
			    included */
	unsigned count;
};
int proc_tree_measure(pid_t root_pid, struct proc_tree_usage *u); /* 0, or -1: no usable /proc */

/*
 * Kill every child of the calling process, and what becomes its child by that (it is a subreaper),
 * until none is left: SIGSTOP to the tree first so that nothing forks meanwhile, then SIGKILL.
 * Without subreapers also what is in session (0: none). Reaps; exit of pid `keep` is stored if it
 * is seen (keep 0: none). For a guardian without a pid namespace. Bounded: gives up after some
 * seconds on processes that cannot die (uninterruptible), returns the count of those left.
 */
int proc_kill_children(pid_t session, pid_t keep, int *keep_status, struct rusage *keep_usage,
    bool *keep_seen);
/* Nothing is left in session that nobody waits for; true where orphans become our children. */
bool proc_session_is_empty(pid_t session);

#endif
