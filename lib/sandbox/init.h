/*
 * The inner init: our own program as the first process inside a tool's sandbox (inner.h). It makes
 * sure that the tool did what it was told, then is a guardian (guard.h) whose reports and orders
 * are frames: it starts the command by the common stage, reaps, forwards signals, kills what is
 * left, and ends when its socket does. It keeps nothing of the command's descriptors.
 */
#ifndef SBX_SANDBOX_INIT_H
#define SBX_SANDBOX_INIT_H

#include "../base/buf.h"
#include "../base/err.h"
#include "../frame/frame.h"
#include "guard.h"

/* What a start frame says, as a guardian needs it. Never freed: it lives as long as the process. */
struct init_start {
	struct sandbox_request rq;
	struct policy policy;
	struct plan plan;
	bool has_stdin;
	bool want_net_ns;
	bool is_container;
	bool is_same_kernel; /* as the runner's: then its numbers mean something here */
	struct cgroup_limits limits; /* container: to be found in force */
	uint64_t outside_namespaces[7];
};

/*
 * over_stdio: frames come and go by stdin and stdout (a container), not by a socket. Does not
 * return once it has been told what to start. -1 with e: no runner has started it.
 */
int init_run(bool over_stdio, struct err *e);

/* For init_run() and its tests. */
int init_check_mounts(const struct plan *p, struct err *e); /* init_mounts.c; of a container */
int init_read_start(const struct json_node *frame, struct init_start *s, struct err *e);
int init_put_message(const struct guard_message *m, struct buf *out, struct err *e);

#endif
