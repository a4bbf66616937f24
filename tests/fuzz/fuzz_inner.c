/*
 * What a sandbox's first process says to the runner: every line is read as a report and as a part
 * of the command's streams, whatever wrote it. No report has a value that the runner could not have
 * been told, and what a stream holds never passes its cap.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/limits.h"
#include "lib/sandbox/inner.h"
#include "lib/sys/fd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond)               \
	do {                     \
		if (!(cond))     \
			abort(); \
	} while (0)

static void on_out(struct carry *c)
{
	buf_reset(c->out);
}

static void check_message(const struct json_node *frame)
{
	struct guard_message m;
	struct err e = ERR_INIT;
	int rc = inner_read_message(frame, &m, &e);

	MUST((rc < 0) == (e.kind != ERR_NONE));
	if (rc <= 0)
		return;
	MUST(m.event >= GUARD_STARTED && m.event <= GUARD_CPU_TIME);
	MUST((m.applied & ~(uint32_t)LAYER_ALL) == 0);
	MUST(m.event != GUARD_FAILED || m.error.kind != ERR_NONE);
	MUST(memchr(m.error.msg, '\0', sizeof m.error.msg) != NULL);
	for (int i = 0; i < LAYER_COUNT; i++)
		MUST(m.layer_errno[i] >= 0 && m.layer_errno[i] < 4096);
}

/* The runner's side: stdin is sent, stdout and stderr are written into a pipe that nobody reads. */
static void carry_open(struct carry *c, struct loop *loop, struct buf *out, int keep[3])
{
	carry_init(c);
	c->loop = loop;
	c->out = out;
	c->on_out = on_out;
	for (int i = 0; i < CARRY_STREAMS; i++) {
		int r, w;

		MUST(fd_pipe(&r, &w, NULL) == 0);
		keep[i] = i == 0 ? w : r;
		MUST(carry_add(c, i, i == 0 ? r : w, i == 0, NULL) == 0);
	}
	MUST(carry_start(c, NULL) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame_reader reader;
	struct loop loop;
	struct carry carry;
	struct json_doc *doc;
	struct buf out;
	int keep[3], rc;

	if (size > 65536)
		return 0;
	loop_init(&loop);
	buf_init(&out, LIMIT_FRAME);
	carry_open(&carry, &loop, &out, keep);
	frame_reader_init(&reader, LIMIT_FRAME);
	MUST(frame_reader_feed(&reader, data, size, NULL) == 0);
	while ((rc = frame_reader_next(&reader, &doc, NULL)) != 0) {
		struct err e = ERR_INIT;

		if (rc < 0)
			continue;
		rc = carry_take(&carry, json_root(doc), &e);
		MUST((rc < 0) == (e.kind != ERR_NONE));
		if (rc == 0)
			check_message(json_root(doc));
		json_free(doc);
		for (int i = 0; i < CARRY_STREAMS; i++)
			MUST(carry.streams[i].held.len <= 2 * LIMIT_CARRY_WINDOW);
		if (rc < 0)
			break;
	}
	frame_reader_fini(&reader);
	carry_stop(&carry);
	buf_fini(&out);
	loop_fini(&loop);
	for (int i = 0; i < 3; i++)
		fd_close(&keep[i]);
	return 0;
}
