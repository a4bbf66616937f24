/*
 * Copying one descriptor to another inside the loop, without blocking and without touching the
 * caller's file status flags (O_NONBLOCK on a shared terminal would hit its other users): splice(2)
 * where it can, else read and write what poll says is possible.
 */
#ifndef SBX_SANDBOX_PUMP_H
#define SBX_SANDBOX_PUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "../sys/loop.h"

struct pump {
	struct loop *loop;
	struct loop_watch in, out;
	unsigned char *buffer; /* owned; NULL while splice does it */
	size_t pos, len;
	uint64_t total_bytes;   /* taken from in */
	uint64_t *budget_bytes; /* how many more may be passed on, shared by the pumps of a run;
				   NULL: no limit. What is over is read and dropped */
	bool is_splice;
	bool is_out_file;   /* a regular file: never blocks, takes any size at once */
	bool is_out_socket; /* written with MSG_DONTWAIT */
	int own_out_fd;     /* the caller's terminal opened once more, not blocking; -1 */
	bool is_discarding; /* the other side is gone or enough was passed on: keep draining */
	int write_errno;    /* EPIPE, ENOSPC …: why the other side is gone; 0 */
	void (*on_end)(struct pump *p); /* end of input or failed output; the pump is stopped */
	void (*on_data)(struct pump *p, uint64_t bytes); /* MAY */
	void *ctx;
	bool closes_out; /* close out.fd at the end (the command's stdin) */
	bool drains;     /* on failed output go on reading (the command's stdout), else end */
};

/* in_fd and out_fd stay the caller's, but for closes_out. */
int pump_start(struct pump *p, struct loop *loop, int in_fd, int out_fd, struct err *e);
void pump_stop(struct pump *p);
/* Copy what is there now, until in is empty or out would block. */
void pump_flush(struct pump *p);
bool pump_is_running(const struct pump *p);

#endif
