/*
 * The frame codec: whole frames in, whole frames out, in pieces of any size; faults are told once
 * and never cost the frame behind them; a frame that cannot be written leaves nothing behind.
 */
#include <stdlib.h>
#include <string.h>

#include "../../lib/base/limits.h"
#include "../../lib/base/mem.h"
#include "../../lib/frame/frame.h"
#include "tap.h"

#define SMALL 64 /* bytes of a frame in most tests */

static void feed(struct frame_reader *r, const char *text, size_t len)
{
	struct err e = ERR_INIT;

	if (frame_reader_feed(r, text, len, &e) != 0)
		BAIL("feed: %s", e.msg);
}

/*
 * What the reader makes of text, fed in pieces: a letter a frame (its member "n"), '!' a fault.
 * Returns static memory.
 */
static const char *read_all(const char *text, size_t len, size_t piece)
{
	static char seen[256];
	struct frame_reader r;
	size_t n = 0;

	frame_reader_init(&r, SMALL);
	for (size_t at = 0; at < len; at += piece) {
		struct json_doc *doc;
		struct err e = ERR_INIT;
		int rc;

		feed(&r, text + at, len - at < piece ? len - at : piece);
		while ((rc = frame_reader_next(&r, &doc, &e)) != 0 && n < sizeof seen - 1) {
			const char *s = rc < 0 ? NULL : json_str(json_get(json_root(doc), "n"));

			if (rc < 0 && (e.kind != ERR_USAGE || doc != NULL))
				BAIL("a fault of kind %d with a document", e.kind);
			seen[n++] = rc < 0 ? '!' : s == NULL ? '?' : s[0];
			json_free(doc);
			err_clear(&e);
		}
	}
	seen[n] = '\0';
	frame_reader_fini(&r);
	return seen;
}

static void reads(const char *text, size_t len, const char *want, const char *what)
{
	static const size_t pieces[] = { 1, 2, 3, 7, 33, SMALL };

	for (size_t i = 0; i < MEM_COUNT(pieces); i++)
		is_str(read_all(text, len, pieces[i]), want, "%s, in pieces of %zu", what,
		       pieces[i]);
}

#define READS(text, want, what) reads(text, sizeof(text) - 1, want, what)

static void test_reader(void)
{
	char line[4 * SMALL];

	READS("{\"n\":\"a\"}\n{\"n\":\"b\"}\n", "ab", "two frames");
	READS("{\"n\":\"a\"}\n{\"n\":\"b\"}", "a", "no frame without its line end");
	READS("\n \t\r\n{\"n\":\"a\"}\r\n\n", "a", "empty lines and CR are passed over");
	READS("{\"n\":\"a\"}\n{]\n{\"n\":\"b\"}\n", "a!b", "broken JSON costs itself only");
	READS("[1]\n7\n\"x\"\nnull\n{\"n\":\"b\"}\n", "!!!!b", "only objects are frames");
	READS("{\"n\":\"a\"} {\"n\":\"b\"}\n{\"n\":\"c\"}\n", "!c", "two objects on one line");
	READS("{\"n\":\n\"a\"}\n{\"n\":\"c\"}\n", "!!c", "one object on two lines");
	READS("{\"n\":\"\xff\"}\n{\"n\":\"c\"}\n", "!c", "bytes that are no UTF-8");
	READS("{\"n\":\"a\0\"}\n{\"n\":\"c\"}\n", "!c", "a NUL");
	READS("{\"n\":\"a\",\"n\":\"b\"}\n{\"n\":\"c\"}\n", "!c", "a duplicate key");

	memset(line, ' ', sizeof line);
	memcpy(line, "{\"n\":\"a\"}", 9);
	line[SMALL] = '\n';
	reads(line, SMALL + 1, "a", "a line as long as a frame may be");
	line[SMALL] = ' ';
	line[SMALL + 1] = '\n';
	memcpy(line + SMALL + 2, "{\"n\":\"b\"}\n", 10);
	reads(line, SMALL + 12, "!b", "one byte more is a fault, and told once");
	memset(line + SMALL, ' ', sizeof line - SMALL);
	line[3 * SMALL] = '\n';
	memcpy(line + 3 * SMALL + 1, "{\"n\":\"b\"}\n", 10);
	reads(line, 3 * SMALL + 11, "!b", "so is three times as much");
}

static void test_long_line_without_end(void)
{
	struct frame_reader r;
	struct json_doc *doc;
	struct err e = ERR_INIT;
	static const char piece[SMALL];
	int faults = 0;

	frame_reader_init(&r, SMALL);
	for (int i = 0; i < 1000; i++) {
		feed(&r, piece, SMALL);
		faults += frame_reader_next(&r, &doc, &e) < 0;
	}
	is_int(faults, 1, "an endless line is one fault");
	ok(r.bytes.alloc < 1000, "and is not kept (%zu bytes)", r.bytes.alloc);
	feed(&r, "\n{\"n\":\"z\"}\n", 11);
	is_int(frame_reader_next(&r, &doc, &e), 1, "the frame behind it arrives");
	json_free(doc);
	is_int(frame_reader_next(&r, &doc, &e), 0, "and nothing else");
	frame_reader_fini(&r);
	frame_reader_fini(&r);
}

static void test_writer(void)
{
	struct buf out;
	struct frame_writer w;
	struct err e = ERR_INIT;

	buf_init(&out, 40);
	frame_begin(&w, &out);
	jw_key(&w.jw, "n");
	jw_str(&w.jw, "line\nend");
	is_int(frame_end(&w, &e), 0, "a frame is written");
	is_str(buf_str(&out, &e), "{\"n\":\"line\\nend\"}\n", "on one line");
	frame_begin(&w, &out);
	jw_key(&w.jw, "n");
	jw_str(&w.jw, "does not fit into what is left");
	is_int(frame_end(&w, &e), -1, "one that does not fit is an error");
	is_int(e.kind, ERR_IO, "of the buffer's cap");
	is_str(buf_str(&out, &e), "{\"n\":\"line\\nend\"}\n", "and leaves nothing behind");
	buf_fini(&out);
}

/* As large as a frame may be, through writer and reader; a byte more is refused. */
static void test_largest(void)
{
	const size_t content = LIMIT_FRAME - sizeof "{\"n\":\"\"}" + 1;
	char *text = malloc(content + 1);
	struct frame_reader r;
	struct frame_writer w;
	struct json_doc *doc;
	struct err e = ERR_INIT;
	struct buf out;

	if (text == NULL)
		BAIL("no memory");
	memset(text, 'x', content + 1);
	buf_init(&out, 2 * LIMIT_FRAME);
	frame_begin(&w, &out);
	jw_key(&w.jw, "n");
	jw_strn(&w.jw, text, content + 1);
	is_int(frame_end(&w, &e), -1, "a byte over LIMIT_FRAME is not written");
	is_int((long long)out.len, 0, "not even in part");
	frame_begin(&w, &out);
	jw_key(&w.jw, "n");
	jw_strn(&w.jw, text, content);
	is_int(frame_end(&w, &e), 0, "LIMIT_FRAME bytes are written");
	frame_reader_init(&r, LIMIT_FRAME);
	for (size_t at = 0; at < out.len; at += 65536)
		feed(&r, (char *)out.data + at, out.len - at < 65536 ? out.len - at : 65536);
	is_int(frame_reader_next(&r, &doc, &e), 1, "and read");
	ok(doc != NULL && strlen(json_str(json_get(json_root(doc), "n"))) == content, "whole");
	json_free(doc);
	feed(&r, "{}\n", 3);
	ok(r.bytes.alloc < SBX_MIB, "the memory of a large frame is given back");
	frame_reader_fini(&r);
	buf_fini(&out);
	free(text);
}

int main(void)
{
	test_reader();
	test_long_line_without_end();
	test_writer();
	test_largest();
	return done_testing();
}
