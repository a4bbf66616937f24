/*
 * The guardian: one process a run, between the runner and the command. It makes the sandbox (it is
 * the first process of the namespaces where there are any), starts the command, reaps everything,
 * and when it is told to, or when the runner is gone (its socket ends), kills all that is left,
 * cleans up and ends. It never reads or writes the command's data.
 */
#ifndef SBX_SANDBOX_GUARD_H
#define SBX_SANDBOX_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "../base/err.h"
#include "exec.h"
#include "plan.h"

/* runner → guardian, fixed records on a SOCK_SEQPACKET pair */
enum guard_op {
	GUARD_SIGNAL = 1,
	GUARD_KILL,
	GUARD_TEMP, /* the temporary folder was made, or could not be; once, during set-up */
};
struct guard_command {
	int32_t op;
	int32_t signo; /* TEMP: 0 or an errno */
};

/* guardian → runner; EXITED comes only while descendants are left, else DONE says it all.
 * CPU_TIME: the policy's is used up; from an inner init whose processes the runner does not see */
enum guard_event { GUARD_STARTED = 1, GUARD_FAILED, GUARD_EXITED, GUARD_DONE, GUARD_CPU_TIME };
struct guard_message {
	int32_t event;
	int32_t has_status;               /* EXITED and DONE: the command's status is known */
	int32_t status;                   /* as wait(2) has it */
	int32_t command_pid;              /* STARTED: and its session, as the guardian sees it */
	uint32_t applied;                 /* STARTED: layers in force */
	int32_t layer_errno[LAYER_COUNT]; /* STARTED: why one of them is not, where the kernel
					     refused */
	struct rusage usage;              /* DONE: everything that was reaped */
	int32_t left;                     /* DONE: processes that could not be killed */
	int32_t has_group;
	struct cgroup_usage group; /* DONE: what the control group counted */
	int32_t is_final;          /* FAILED: another backend would fail in the same way */
	struct err error;          /* FAILED */
};

/* A descriptor that the command gets beside 0, 1 and 2, under the number `as`. */
struct guard_pass {
	int fd;
	int as;
};
#define GUARD_PASS_MAX 12

struct guard { /* in the guardian's own memory */
	struct plan *plan;
	struct loop *loop; /* set by guard_run() */
	int control_fd;
	int report_fd; /* reports go there where control_fd is one-way; else -1 */
	/* How the report reaches the runner, with pass_fd (-1: none), and how its orders arrive. */
	void (*tell)(struct guard *g, int pass_fd);
	void (*on_control)(struct loop_watch *w, short revents); /* w->ctx is the guard */
	int stdin_fd, stdout_fd, stderr_fd;     /* the command's ends; -1: /dev/null, or the pty */
	struct guard_pass pass[GUARD_PASS_MAX]; /* owned */
	size_t pass_count;
	int pty_master_fd, pty_slave_fd; /* -1 */
	int landlock_fd;                 /* the rule set; -1 */
	int landlock_abi;
	bool has_pid_ns; /* we are pid 1 */
	bool has_user_ns;
	struct loop_watch step; /* end of the exec step's pipe; fd -1: there is none (any more) */
	struct exec_report step_report;
	size_t step_len;   /* bytes of it */
	bool is_step_seen; /* the tool has come as far as our own program */
	pid_t self_pid;    /* as the command sees its parent */
	pid_t command_pid;
	bool must_join;              /* the stage moves itself into the control group */
	struct guard_message report; /* STARTED being filled */
	struct err stage_error;      /* written by the command's child before exec */
};

/* Fork the guardian (with plan->namespaces). The pid, or -1 with e. *g is filled by the caller. */
pid_t guard_start(struct guard *g, struct err *e);
/*
 * The guardian's whole life, in a process that is one already: guard_start() in the fork that it
 * made, an inner init in itself. tell and on_control are set.
 */
_Noreturn void guard_run(struct guard *g);
/* For on_control: kill all that is left, clean up, report, end; a signal to the command's group. */
_Noreturn void guard_finish(struct guard *g);
void guard_signal(const struct guard *g, int signo);
/* Give the command fd (taken over, also on failure) as number `as`. */
int guard_pass_fd(struct guard *g, int fd, int as, struct err *e);
/* Until the runner has made the temporary folder of the plan. Once; -1 with e: it could not. */
int guard_wait_temp(const struct guard *g, struct err *e);
/* What became of a layer, for the STARTED record; the last word counts. errnum 0: applied. */
void guard_note(struct guard *g, enum layer layer, int errnum);

/* stage.c: in the command's child, sharing the guardian's memory: everything from setsid to exec.
 */
int stage_run(void *guard);

#endif
