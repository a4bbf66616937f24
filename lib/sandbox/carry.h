/*
 * The command's stdin, stdout and stderr in frames, where no descriptor reaches the sandbox (a
 * container: all that there is of it are the engine's own stdin and stdout). Both ends are the
 * same: a source reads its descriptor and sends frames, a sink takes frames and writes its
 * descriptor. A source has at most a window of bytes under way that the sink has not written yet,
 * so neither end ever has to stop reading frames: what ends a command is never stuck behind what it
 * wrote and nobody reads.
 *
 *   source → sink   stdin|stdout|stderr {data_b64} or {end}
 *   sink → source   taken {stream, bytes}   gone {stream}: nobody reads it any more
 */
#ifndef SBX_SANDBOX_CARRY_H
#define SBX_SANDBOX_CARRY_H

#include <stdbool.h>

#include "../base/buf.h"
#include "../json/json.h"
#include "../sys/loop.h"

#define CARRY_STREAMS 3 /* by the numbers of the command's descriptors */

struct carry;

struct carry_stream {
	struct carry *carry;
	int fd;	 /* owned, not blocking; -1: none, or closed */
	bool is_source;
	bool has_ended; /* source: the end was sent. sink: it was told; fd goes once all is out */
	struct loop_watch watch;
	size_t under_way; /* source: sent and not yet taken */
	struct buf held;  /* sink: to be written */
	size_t taken;	  /* sink: written and not yet told */
};

struct carry {
	struct loop *loop;
	struct buf *out; /* where frames go; on_out: there are some to be sent */
	void (*on_out)(struct carry *c);
	void *ctx;
	struct carry_stream streams[CARRY_STREAMS];
};

void carry_init(struct carry *c); /* no stream */
/* fd is taken over, also on failure. */
int carry_add(struct carry *c, int stream, int fd, bool is_source, struct err *e);
/* Watch the descriptors; loop, out, on_out and ctx are set. */
int carry_start(struct carry *c, struct err *e);
/*
 * 1: the frame was one of these; 0: it is of another type; -1 with e: the other side does not keep
 * to the rules, and is not to be trusted with anything more.
 */
int carry_take(struct carry *c, const struct json_node *frame, struct err *e);
/* Sinks: write what can be written without waiting. True: something was, or a descriptor went. */
bool carry_push(struct carry *c);
/* Sinks: is something left to be written? */
bool carry_is_holding(const struct carry *c);
/* Sources: all that is in the pipes now, without regard to the window, and the end: nobody is left
 * who could write more. */
void carry_drain(struct carry *c);
void carry_stop(struct carry *c); /* closes what is open; safe twice and after carry_init() */

#endif
