/*
 * The runner's side of an inner init. A backend whose guardian starts a tool (bubblewrap) cannot
 * tell the command's end from the tool's, nor send it a signal, nor pass ten thousand arguments. So
 * the tool runs our own program inside as its first process (init.h), and both talk in frames over
 * a socket pair. Here: what both sides know of each other, the frames that the runner writes and
 * reads, and the tool's own stderr, which never mixes with the command's.
 *
 *   runner → init   start {…}   signal {signo}   kill
 *   init → runner   started {applied, layer_errno}   failed {kind, errno, message, final}
 *                   exit {status}   done {status?, left, usage, group?}   cpu_time
 *
 * A container engine passes no descriptors on: there the socket pair is the engine's stdin and
 * stdout, and the command's own travel in frames too (carry.h). The pipes that run_io.c made then
 * end here, and nothing else of a run knows the difference.
 */
#ifndef SBX_SANDBOX_INNER_H
#define SBX_SANDBOX_INNER_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/buf.h"
#include "../frame/frame.h"
#include "carry.h"
#include "guard.h"

struct sandbox_run;

#define INNER_DIR "/.sbx"		    /* in the view; nothing of the policy can lie there */
#define INNER_PROGRAM INNER_DIR "/sbx-init" /* its own name in ps, and the applet */

#define INNER_IPC_DIR "/ipc"	       /* the same in a container, mounted from the host */
#define INNER_IPC_NAME "sbx-init"
#define INNER_STDIO "stdio" /* its only argument there */
#define INNER_BOOT_ID "/proc/sys/kernel/random/boot_id"

/* Descriptors of the tool, and of the init through it. Those of the command are not among them. */
enum inner_fd {
	INNER_FD_CONTROL = 3,
	INNER_FD_STDIN,
	INNER_FD_STDOUT,
	INNER_FD_STDERR,
	INNER_FD_PROGRAM, /* for the tool: our own executable */
	INNER_FD_FILTER,  /* for the tool: the system call filter */
	INNER_FD_CGROUP,  /* and CGROUP_DIRS_MAX - 1 more: cgroup.procs, for the command to join */
};
#define INNER_FD_END (INNER_FD_CGROUP + CGROUP_DIRS_MAX)

/* The namespaces that make layers. */
struct inner_namespace {
	const char *name; /* below /proc/self/ns */
	enum layer layer;
};
#define INNER_NAMESPACES 7
extern const struct inner_namespace inner_namespaces[INNER_NAMESPACES];
uint64_t inner_namespace_id(const char *name); /* of this process; 0: cannot be told */

struct inner {
	int fd; /* the socket; -1: no inner init */
	struct loop_watch watch;
	struct frame_reader reader;
	struct buf out;	 /* not yet sent */
	int received_fd; /* came with bytes, belongs to the next frame; -1 */
	int tool_fd;	 /* the tool's stderr; -1 */
	struct loop_watch tool_watch;
	struct carry carry;   /* a container's */
	char tool_text[4096]; /* its beginning, with a NUL */
	size_t tool_len;
	bool has_failed; /* said so: */
	bool is_final;
	struct err failed;
};

void inner_init(struct inner *in);
/* Socket pair, stderr of the tool, the start frame; the descriptors of init go into g. */
int inner_open(struct inner *in, struct guard *g, struct err *e);
int inner_start(struct sandbox_run *run, struct err *e); /* watch our ends */
void inner_send(struct sandbox_run *run, enum guard_op op, int signo);
/* Take all that has been sent, without waiting: calls run_on_inner(). */
void inner_flush(struct sandbox_run *run);
/* No more frames will be sent: an init that has begun nothing begins nothing, any other one ends
 * all. */
void inner_hang_up(struct sandbox_run *run);
/* Why nothing was started: what init said, else what the tool said, else its status. */
void inner_why(struct sandbox_run *run, struct err *e);
void inner_close(struct sandbox_run *run);

/* The two directions' frames; for inner.c, init.c and their tests. */
int inner_put_start(const struct plan *plan, const struct guard *g, struct buf *out, struct err *e);
int inner_put_command(enum guard_op op, int signo, struct buf *out, struct err *e);
/* Fields of a frame; get: -1 with e where it is no whole number up to max. */
void inner_put_u64(struct jw *w, const char *key, uint64_t v);
int inner_get_u64(const struct json_node *o, const char *key, uint64_t max, uint64_t *v,
		  struct err *e);
/* The first element of a member that is an array; NULL: empty or absent. */
const struct json_node *inner_first(const struct json_node *o, const char *key);
/* 1: m is filled; 0: a type that is not known; -1 with e. */
int inner_read_message(const struct json_node *frame, struct guard_message *m, struct err *e);

#endif
