/*
 * Running one command in a sandbox. A run is a handle on an event loop: start it, let the loop run,
 * get told when it is done, read its result. One process can hold many runs at once. Whatever goes
 * wrong is told in the result; nothing is printed and nothing ends the process.
 */
#ifndef SBX_SANDBOX_SANDBOX_H
#define SBX_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"
#include "../base/err.h"
#include "../policy/env.h"
#include "../policy/layers.h"
#include "../policy/policy.h"
#include "../sys/loop.h"

struct plan;
struct sandbox_run;

/* Why a run ended. X(NAME, name) */
#define REASONS(X) \
	X(EXIT, exit)     /* by itself, with a status */ \
	X(SIGNAL, signal) /* by a signal that is none of the below */ \
	X(WALL_TIMEOUT, wall_timeout) \
	X(CPU_TIMEOUT, cpu_timeout) \
	X(OOM, oom)                   /* the memory limit */ \
	X(FILE_LIMIT, file_limit)     /* SIGXFSZ: --fsize */ \
	X(PIDS_LIMIT, pids_limit)     /* it failed and forks had been refused */ \
	X(OUTPUT_LIMIT, output_limit) /* --kill-on-output */ \
	X(SECCOMP, seccomp)           /* SIGSYS */ \
	X(CANCELLED, cancelled)       /* by the caller */ \
	X(LAUNCH_ERROR, launch_error) /* it never ran; error says why */

enum reason {
#define REASON_ENUM(upper, lower) REASON_##upper,
	REASONS(REASON_ENUM)
#undef REASON_ENUM
	    REASON_COUNT
};
const char *reason_name(enum reason r);

struct captured {
	struct buf head;        /* what was kept, in order; the tail is behind the head */
	uint64_t total_bytes;   /* what the command wrote */
	uint64_t omitted_at;    /* offset where bytes are left out: in head, or in the stream */
	uint64_t omitted_bytes; /* 0: nothing is left out */
};

struct sandbox_result { /* what is told of a run; every string is owned
			   or static */
	int exit_code;  /* the command's own, 128+n after a signal; 1 when it was not launched */
	struct captured out, err; /* when streaming, head is empty */
	bool timed_out;
	bool output_truncated;
	struct err error; /* kind ERR_NONE: it was launched */
	enum reason reason;
	int signal;          /* 0: none */
	int end_signal; /* HUP, INT, QUIT or TERM, before the command was known to run; 0 */
	const char *backend; /* name; NULL: none was chosen */
	uint32_t applied;    /* LAYER_BIT()s */
	uint32_t missing;
	char *why[LAYER_COUNT]; /* owned; for the missing */
	uint64_t duration_ms, cpu_user_ms, cpu_system_ms;
	bool has_cpu;
	uint64_t peak_memory_bytes;
	bool has_peak_memory;
	uint64_t peak_pids;
	bool has_peak_pids;
	uint64_t oom_kills, pids_refused; /* counters, also when they are not the reason */
	bool has_group;                   /* that has them was read */
	struct env_dropped *env_dropped;  /* owned */
	size_t env_dropped_count;
};
void sandbox_result_init(struct sandbox_result *r);
void sandbox_result_fini(struct sandbox_result *r);
/* The exit status of sbx-run for this result: the command's own, 124, 125, 126, 127, 128+n. */
int sandbox_result_status(const struct sandbox_result *r);
int sandbox_result_put_json(const struct sandbox_result *r, struct buf *out, struct err *e);

enum output_mode {
	OUTPUT_CAPTURE, /* head and tail into the result */
	OUTPUT_STREAM,  /* relayed to stdout_fd and stderr_fd */
};

struct sandbox_request {
	const struct policy *policy; /* must live as long as the run */
	char *const *argv;           /* NULL-terminated, argv[0] is looked up inside */
	char *const *env;            /* the caller's environment */
	enum output_mode output;
	uint64_t max_output_bytes; /* of both streams together; UINT64_MAX: none (streaming) */
	enum stdin_mode
	    stdin_mode; /* INHERIT: relayed from stdin_fd; NULL; FILE: policy->stdin_path */
	int stdin_fd, stdout_fd, stderr_fd; /* the caller's; never given to the command */
	bool is_only_run;                   /* every child of this process belongs to this run */
	const char *self_path; /* our own executable for an inner init; NULL: /proc/self/exe */
};

/*
 * Start. Returns a handle (NULL only without memory); done(run, ctx) is called from the loop once,
 * also when nothing could be started. The handle is the caller's to free, after done.
 */
struct sandbox_run *sandbox_start(struct loop *loop, const struct sandbox_request *rq,
    void (*done)(struct sandbox_run *run, void *ctx), void *ctx, struct err *e);
const struct sandbox_result *sandbox_run_result(const struct sandbox_run *run);
void sandbox_run_signal(struct sandbox_run *run, int signo); /* to the command's process group */
void sandbox_run_resize(struct sandbox_run *run); /* --tty: take over the window size of stdin_fd */
void sandbox_run_cancel(struct sandbox_run *run, bool at_once); /* TERM, grace, KILL; or KILL */
bool sandbox_run_stdout_is_gone(
    const struct sandbox_run *run); /* nobody reads what is streamed; the run was ended */
const char *sandbox_run_notice(
    const struct sandbox_run *run); /* one line for the user, e.g. about the root; or NULL */
/* Ends what still runs, and gives back all that is not memory: before a process ends. */
void sandbox_run_release(struct sandbox_run *run);
void sandbox_run_free(struct sandbox_run *run); /* the same, and the memory */

/* --explain: plan for the backend that would be tried first, as text or JSON; runs nothing. */
int sandbox_explain(const struct sandbox_request *rq, bool as_json, struct buf *out, struct err *e);

#endif
