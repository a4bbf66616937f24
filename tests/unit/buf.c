/* The capped buffer: growth, the cap, and that a failed call changes nothing. */
#include "lib/base/buf.h"

#include <stdint.h>

#include "tap.h"

/* Under AddressSanitizer too, a request that cannot be met must fail and not end the test. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void test_append(void)
{
	struct err e = ERR_INIT;
	struct buf b;

	buf_init(&b, 1000);
	is_int(b.len, 0, "a new buffer is empty");
	is_str(buf_str(&b, &e), "", "and an empty string");
	is_int(buf_puts(&b, "abc", &e), 0, "buf_puts");
	is_int(buf_putc(&b, 'd', &e), 0, "buf_putc");
	is_int(buf_put(&b, "e\0f", 3, &e), 0, "buf_put");
	is_int(buf_put(&b, NULL, 0, &e), 0, "buf_put of nothing");
	is_int(buf_printf(&b, &e, "%03d%s", 7, ""), 0, "buf_printf");
	is_int(buf_printf(&b, &e, "%s", ""), 0, "buf_printf of nothing");
	is_int(b.len, 10, "all was counted");
	is_mem(b.data, "abcde\0f007", 10, "all is there");
	is_str(buf_str(&b, &e), "abcde", "the string view ends at the first NUL");
	is_int(b.len, 10, "the terminator does not count");
	buf_reset(&b);
	is_int(b.len, 0, "buf_reset empties");
	is_str(buf_str(&b, &e), "", "also the string view");
	buf_fini(&b);
	ok(b.data == NULL && b.len == 0, "buf_fini frees");
	buf_fini(&b);
	struct buf zeroed = { 0 };
	buf_fini(&zeroed);
	is_int(buf_putc(&zeroed, 'x', &e), -1, "a zeroed buffer takes nothing");
}

/* At every fill level of a small cap: what fits fits, one byte more fails and changes nothing. */
static void test_cap(void)
{
	char text[301];
	size_t bad = 0;

	memset(text, 'x', sizeof(text));
	for (size_t fill = 0; fill <= 300; fill++) {
		struct err e = ERR_INIT;
		struct buf b;
		buf_init(&b, 300);
		bad += buf_put(&b, text, fill, &e) != 0;
		bad += buf_put(&b, text, 301 - fill, &e) != -1 || e.kind != ERR_IO;
		bad += strstr(e.msg, "300") == NULL;
		bad += buf_printf(&b, &e, "%.*s", (int)(301 - fill), text) != -1;
		bad += buf_reserve(&b, 301 - fill, &e) != NULL;
		bad += b.len != fill;
		bad += fill && memcmp(b.data, text, fill) != 0;
		bad += buf_printf(&b, &e, "%.*s", (int)(300 - fill), text) != 0;
		bad += b.len != 300;
		const char *s = buf_str(&b, &e);
		bad += !s || strlen(s) != 300;
		bad += b.alloc > 301;
		buf_fini(&b);
	}
	is_int(bad, 0, "the cap holds at every fill level");
}

static void test_cap_extremes(void)
{
	struct err e = ERR_INIT;
	struct buf b;

	buf_init(&b, 0);
	is_int(buf_put(&b, "", 0, &e), 0, "cap 0 takes nothing");
	is_int(buf_putc(&b, 'x', &e), -1, "and only nothing");
	is_str(buf_str(&b, &e), "", "but is a string");
	buf_fini(&b);
	buf_init(&b, SIZE_MAX);
	is_int(buf_puts(&b, "abc", &e), 0, "the largest cap works");
	ok(buf_reserve(&b, SIZE_MAX, &e) == NULL, "a length that overflows fails");
	ok(buf_reserve(&b, SIZE_MAX - 3, &e) == NULL,
	   "and one that leaves no room for the terminator");
	ok(buf_reserve(&b, SIZE_MAX / 2, &e) == NULL, "and one that is not to be had");
	is_int(e.kind, ERR_NOMEM, "with ERR_NOMEM");
	is_str(buf_str(&b, &e), "abc", "the content is still there");
	buf_fini(&b);
}

static void test_reserve(void)
{
	struct err e = ERR_INIT;
	struct buf b;

	buf_init(&b, 5000);
	unsigned char *room = buf_reserve(&b, 4096, &e);
	ok(room != NULL, "buf_reserve gives room");
	if (!room)
		BAIL("no memory");
	memset(room, 'r', 4096);
	is_int(b.len, 0, "that does not count yet");
	buf_commit(&b, 100);
	is_int(b.len, 100, "buf_commit counts");
	ok(buf_reserve(&b, 0, &e) == b.data + 100, "a reserve of nothing points to the end");
	buf_puts(&b, "tail", &e);
	buf_consume(&b, 0);
	is_int(b.len, 104, "consuming nothing");
	buf_consume(&b, 99);
	is_str(buf_str(&b, &e), "rtail", "buf_consume drops the front");
	buf_consume(&b, 5);
	is_int(b.len, 0, "buf_consume of all");
	buf_puts(&b, "xy", &e);
	buf_consume(&b, 100);
	is_int(b.len, 0, "buf_consume of more than there is");
	buf_fini(&b);
}

static void test_take(void)
{
	struct err e = ERR_INIT;
	struct buf b;

	buf_init(&b, 10);
	buf_puts(&b, "0123456789", &e);
	char *s = buf_take_str(&b, &e);
	is_str(s, "0123456789", "buf_take_str gives the content");
	ok(b.data == NULL && b.len == 0 && b.cap_bytes == 10,
	   "and leaves an empty buffer with its cap");
	free(s);
	s = buf_take_str(&b, &e);
	is_str(s, "", "taking from an empty buffer gives an empty string");
	free(s);
	is_int(buf_puts(&b, "again", &e), 0, "the buffer can be used again");
	buf_fini(&b);
}

static void test_growth(void)
{
	struct err e = ERR_INIT;
	struct buf b;
	size_t moves = 0;
	size_t alloc = 0;
	size_t bad = 0;

	buf_init(&b, 1000000);
	for (unsigned i = 0; i < 1000000; i++) {
		bad += buf_putc(&b, (char)(i % 251), &e) != 0;
		moves += b.alloc != alloc;
		alloc = b.alloc;
	}
	for (unsigned i = 0; i < b.len; i++)
		bad += b.data[i] != i % 251;
	is_int(bad, 0, "a million single bytes");
	ok(moves <= 16, "with %zu allocations", moves);
	is_int(b.alloc, 1000001, "and never more memory than the cap and a terminator");
	buf_fini(&b);
}

int main(void)
{
	test_append();
	test_cap();
	test_cap_extremes();
	test_reserve();
	test_take();
	test_growth();
	return done_testing();
}
