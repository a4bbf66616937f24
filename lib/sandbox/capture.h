/*
 * What is kept of a command's output: everything up to a cap for both streams together, and once
 * that is passed the head and the tail of each, at least a quarter of the cap for each stream.
 * Reading never stops, so the command is never blocked and keeps its own exit status; what is not
 * kept costs one read into the tail's ring.
 */
#ifndef SBX_SANDBOX_CAPTURE_H
#define SBX_SANDBOX_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox.h"

struct capture_stream {
	unsigned char *head; /* owned; the first bytes, until the cap is passed all of them */
	size_t head_len, head_alloc;
	size_t head_cap;                      /* once the cap is passed: how far the head goes */
	unsigned char *ring;                  /* owned; NULL until the cap is passed */
	size_t ring_size, ring_pos, ring_len; /* ring_pos: where the next byte goes */
	uint64_t total_bytes;
};

struct capture {
	struct capture_stream streams[2]; /* stdout, stderr */
	uint64_t cap_bytes;
	bool is_over;
};

void capture_init(struct capture *c, uint64_t cap_bytes);
void capture_fini(struct capture *c);
/* One read(2) from fd into stream 0 or 1. As read: bytes, 0 at the end, -1 with errno (ENOMEM too).
 */
ssize_t capture_read(struct capture *c, int stream, int fd);
/* Hand over what was kept; bytes that were cut out of the middle of UTF-8 sequences count as
 * omitted. */
int capture_take(struct capture *c, int stream, struct captured *out, struct err *e);

#endif
