/*
 * Frame reader: the same bytes in pieces of any size give the same frames and faults; a frame that
 * was read can be written and read again. The first byte of an input chooses the size of the
 * pieces.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/limits.h"
#include "lib/frame/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond)               \
	do {                     \
		if (!(cond))     \
			abort(); \
	} while (0)

#define LINE_MAX_BYTES 300 /* small, so that long lines are met */

/* A frame as text again, behind a mark for it; its own bytes, as the reader kept them. */
static void note_frame(struct buf *seen, const struct json_doc *doc)
{
	const struct json_node *root = json_root(doc);
	size_t len;
	const char *raw = json_raw(doc, root, &len);
	struct json_doc *again = json_parse(raw, len, "again", NULL);

	MUST(json_type(root) == JSON_OBJECT && again != NULL);
	MUST(memchr(raw, '\n', len) == NULL && len <= LINE_MAX_BYTES);
	json_free(again);
	MUST(buf_put(seen, "+", 1, NULL) == 0 && buf_put(seen, raw, len, NULL) == 0);
}

static void read_in_pieces(const uint8_t *data, size_t size, size_t piece, struct buf *seen)
{
	struct frame_reader r;

	frame_reader_init(&r, LINE_MAX_BYTES);
	for (size_t at = 0; at < size; at += piece) {
		struct json_doc *doc;
		struct err e = ERR_INIT;
		int rc;

		MUST(frame_reader_feed(&r, data + at, size - at < piece ? size - at : piece, &e) ==
		     0);
		while ((rc = frame_reader_next(&r, &doc, &e)) != 0) {
			MUST((rc == 1) == (doc != NULL));
			MUST(rc == 1 || (e.kind == ERR_USAGE && e.msg[0] != '\0'));
			if (doc != NULL)
				note_frame(seen, doc);
			else
				MUST(buf_put(seen, "!", 1, NULL) == 0);
			json_free(doc);
		}
	}
	frame_reader_fini(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf bytewise, pieces;

	if (size < 1 || size > 65536)
		return 0;
	buf_init(&bytewise, SBX_MIB);
	buf_init(&pieces, SBX_MIB);
	read_in_pieces(data + 1, size - 1, 1, &bytewise);
	read_in_pieces(data + 1, size - 1, (size_t)data[0] % LINE_MAX_BYTES + 1, &pieces);
	MUST(bytewise.len == pieces.len);
	MUST(bytewise.len == 0 || memcmp(bytewise.data, pieces.data, pieces.len) == 0);
	buf_fini(&bytewise);
	buf_fini(&pieces);
	return 0;
}
