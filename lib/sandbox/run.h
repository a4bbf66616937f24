/* A run as its parts inside lib/sandbox see it: run.c (life), run_io.c (descriptors), result.c
 * (what is told). */
#ifndef SBX_SANDBOX_RUN_H
#define SBX_SANDBOX_RUN_H

#include <sys/resource.h>

#include "capture.h"
#include "guard.h"
#include "inner.h"
#include "pump.h"

enum run_state {
	RUN_STARTING, /* a guardian is setting up, or the next backend is to be tried */
	RUN_RUNNING,
	RUN_EXITED, /* the command ended; descendants and output may go on for a moment */
	RUN_ENDED,  /* the guardian is gone: only output that is in the pipes is left */
	RUN_DONE,   /* told */
};

struct run_output {              /* stdout (0) or stderr (1) of the command */
	int fd;                  /* our end; -1: closed */
	struct loop_watch watch; /* capture */
	struct pump pump;        /* stream */
	bool is_ended;
	bool is_large;  /* the pipe was made larger */
	char line[512]; /* L4: the line that is being collected */
	size_t line_len;
};

struct sandbox_run {
	struct loop *loop;
	struct sandbox_request rq;
	struct policy policy; /* rq's, as the backend completes it; its pointers are borrowed */
	void (*done)(struct sandbox_run *run, void *ctx);
	void *ctx;
	enum run_state state;
	const struct sandbox_backend *named; /* NULL: auto */
	size_t next;                         /* index of the next backend of auto */
	struct err first_error;              /* why the best backend was not usable */
	struct plan plan;
	struct sandbox_result result;
	pid_t guard_pid; /* 0: none */
	pid_t command_pid; /* as the guardian sees it; 0: not started */
	struct loop_watch control;
	struct inner inner;
	struct run_output out[2];
	struct pump input; /* the caller's stdin → the command */
	int input_file_fd; /* --stdin FILE */
	int pty_fd;
	struct capture capture;
	uint64_t stream_budget_bytes;
	struct loop_timer wall, grace, drain, give_up, sample, finish;
	uint64_t start_us;
	bool is_late;       /* the set-up took too long */
	bool is_ending;     /* TERM or KILL was sent */
	bool is_guard_told; /* to kill; else an inner init was, and has some time for it */
	bool is_stdout_gone;
	int forwarded_signal; /* INT, TERM, HUP or QUIT that came from outside; 0 */
	enum reason ended_for;
	bool has_status;
	int wait_status;
	struct guard_message last; /* DONE */
	bool has_usage;            /* of the guardian's DONE */
	bool has_inner_usage;      /* of an inner init's: of the command alone */
	uint64_t sampled_peak_bytes;
};

/* run_io.c */
int run_io_open(
    struct sandbox_run *run, struct guard *g, struct err *e); /* pipes; the command's ends into g */
/*
 * Watch our ends. Not before the command is known to run: what a failed attempt took from the
 * caller would be lost, and what the command writes at once would come before it.
 */
int run_io_start(struct sandbox_run *run, struct err *e);
int run_io_use_pty(struct sandbox_run *run, int master_fd, struct err *e);
void run_io_flush(struct sandbox_run *run); /* take what is in the pipes, without waiting */
bool run_io_is_ended(const struct sandbox_run *run);
bool run_io_is_pending(
    const struct sandbox_run *run); /* data is known to be on its way to the caller */
void run_io_close(struct sandbox_run *run);
/* run_start.c, called by run.c */
/* The guardian, or what it started, did not come up: the next backend of auto, or the end. */
void run_start_failed(struct sandbox_run *run, const struct err *e, bool is_final);
/* A tool that started nothing has said why where the command's stderr would have come: into e. */
void run_explain_tool(struct sandbox_run *run, struct err *e);
int run_arm_wall(struct sandbox_run *run, struct err *e); /* the timeout begins */
uint64_t run_setup_ms(const struct sandbox_run *run); /* until the command must have been started */
/* run.c, called by run_start.c */
void run_init(struct sandbox_run *run, struct loop *loop, const struct sandbox_request *rq);
void run_fail(struct sandbox_run *run, const struct err *e);
void run_tell_guard(struct sandbox_run *run, enum guard_op op, int signo);
void run_reap_guard(struct sandbox_run *run);
void run_on_control(struct loop_watch *w, short revents);
/* run.c, called by run_io.c and inner.c */
void run_on_inner(struct sandbox_run *run, const struct guard_message *m, int fd);
void run_on_inner_lost(struct sandbox_run *run);
void run_on_output_end(struct sandbox_run *run);
void run_on_output_data(struct sandbox_run *run);
void run_end(struct sandbox_run *run, enum reason reason, bool at_once);
/* result.c */
void run_conclude(struct sandbox_run *run); /* reason, exit code, layers, usage */
/* missing.c: add to a "not found" what the user needs to know: hidden by the view, or an
 * interpreter is missing. */
void run_explain_missing(const struct plan *plan, struct err *e);

#endif
