/* Allocation through struct err: overflow, zero sizes, failure leaves things as they were. */
#include "lib/base/mem.h"

#include <stdint.h>

#include "tap.h"

/* Under AddressSanitizer too, a request that cannot be met must fail and not end the test. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

/* Too large for any allocator, and the compiler must not know it. */
static volatile size_t huge = SIZE_MAX / 2;

static void test_calloc(void)
{
	struct err e = ERR_INIT;
	unsigned char zeros[64] = { 0 };

	MEM_AUTOFREE unsigned char *p = mem_calloc(8, 8, &e);
	is_mem(p, zeros, 64, "mem_calloc zeroes");
	MEM_AUTOFREE void *none = mem_calloc(0, 8, &e);
	ok(none != NULL, "no elements still give a pointer");
	MEM_AUTOFREE void *empty = mem_calloc(8, 0, &e);
	ok(empty != NULL, "elements of no size still give a pointer");
	ok(mem_calloc(huge, 4, &e) == NULL, "a product that overflows fails");
	is_int(e.kind, ERR_NOMEM, "with ERR_NOMEM");
	ok(mem_calloc(huge, 1, NULL) == NULL, "and works without an error object");
}

static void test_realloc(void)
{
	struct err e = ERR_INIT;
	MEM_AUTOFREE int *p = mem_realloc_array(NULL, 4, sizeof(*p), &e);

	ok(p != NULL, "NULL grows to an array");
	if (!p)
		BAIL("no memory");
	p[3] = 42;
	ok(mem_realloc_array(p, huge / 2 + 2, sizeof(*p), &e) == NULL,
	   "a product that overflows to a small number fails");
	is_int(e.kind, ERR_NOMEM, "with ERR_NOMEM");
	is_int(p[3], 42, "and the old array is still there");
	int *q = mem_realloc_array(p, 0, sizeof(*p), &e);
	ok(q != NULL, "shrinking to nothing keeps a pointer");
	p = q;
}

static void test_strings(void)
{
	struct err e = ERR_INIT;
	MEM_AUTOFREE char *a = mem_strdup("hello", &e);
	MEM_AUTOFREE char *b = mem_strndup("hello", 3, &e);
	MEM_AUTOFREE char *c = mem_strndup("hi", SIZE_MAX, &e);
	MEM_AUTOFREE char *d = mem_strndup("", 0, &e);
	MEM_AUTOFREE char *f = mem_printf(&e, "%s-%d", "x", 12);
	MEM_AUTOFREE char *g = mem_printf(&e, "%s", "");
	static const char unterminated[3] = { 'a', 'b', 'c' };
	MEM_AUTOFREE char *h = mem_strndup(unterminated, 3, &e);

	is_str(a, "hello", "mem_strdup");
	is_str(b, "hel", "mem_strndup cuts");
	is_str(c, "hi", "mem_strndup stops at the end");
	is_str(d, "", "mem_strndup of nothing");
	is_str(f, "x-12", "mem_printf");
	is_str(g, "", "mem_printf of nothing");
	is_str(h, "abc", "mem_strndup reads no more than it may");
}

static void test_take_and_wipe(void)
{
	char secret[] = "password";
	static const char zeros[sizeof(secret)];
	int n = 0;
	int *p = &n;

	int *q = MEM_TAKE(p);
	ok(q == &n && p == NULL, "MEM_TAKE hands over and leaves NULL");
	mem_wipe(secret, sizeof(secret));
	is_mem(secret, zeros, sizeof(secret), "mem_wipe zeroes");
	mem_wipe(secret, 0);
	is_int(MEM_COUNT(secret), 9, "MEM_COUNT counts");
}

int main(void)
{
	test_calloc();
	test_realloc();
	test_strings();
	test_take_and_wipe();
	return done_testing();
}
