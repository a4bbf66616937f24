/* The JSON writer: commas, indentation, escapes, caps; the parser reads back what it writes. */
#include "lib/base/limits.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/json/json.h"
#include "tap.h"

static void write_sample(struct jw *w)
{
	jw_object_begin(w);
	jw_key(w, "a\"b");
	jw_str(w, "x");
	jw_key(w, "null");
	jw_str(w, NULL);
	jw_key(w, "list");
	jw_array_begin(w);
	jw_u64(w, 0);
	jw_u64(w, UINT64_MAX);
	jw_i64(w, INT64_MIN);
	jw_array_begin(w);
	jw_array_end(w);
	jw_object_begin(w);
	jw_object_end(w);
	jw_bool(w, true);
	jw_bool(w, false);
	jw_null(w);
	jw_raw(w, "1e5", 3);
	jw_array_end(w);
	jw_key(w, "o");
	jw_object_begin(w);
	jw_key(w, "k");
	jw_i64(w, -1);
	jw_object_end(w);
	jw_object_end(w);
}

static void test_layout(void)
{
	struct err e = ERR_INIT;
	struct buf b;
	struct jw w;

	buf_init(&b, 10000);
	jw_init(&w, &b, false);
	write_sample(&w);
	is_int(jw_finish(&w, &e), 0, "compact");
	is_str(buf_str(&b, &e),
	       "{\"a\\\"b\":\"x\",\"null\":null,\"list\":[0,18446744073709551615,"
	       "-9223372036854775808,[],{},true,false,null,1e5],"
	       "\"o\":{\"k\":-1}}",
	       "text");
	struct json_doc *doc = json_parse((char *)b.data, b.len, "f", &e);
	ok(doc != NULL, "which is read back");
	json_free(doc);
	buf_reset(&b);
	jw_init(&w, &b, true);
	write_sample(&w);
	is_int(jw_finish(&w, &e), 0, "pretty");
	is_str(buf_str(&b, &e),
	       "{\n  \"a\\\"b\": \"x\",\n  \"null\": null,\n  \"list\": [\n    0,\n"
	       "    18446744073709551615,\n"
	       "    -9223372036854775808,\n    [],\n    {},\n    true,\n    false,\n    null,\n"
	       "    1e5\n  ],\n"
	       "  \"o\": {\n    \"k\": -1\n  }\n}",
	       "text");
	buf_reset(&b);
	jw_init(&w, &b, true);
	jw_u64(&w, 5);
	is_str(buf_str(&b, &e), "5", "a lone value needs no line break");
	buf_fini(&b);
}

static void test_strings(void)
{
	static const struct {
		const char *text;
		size_t len;
		const char *want;
	} cases[] = {
		{ "", 0, "\"\"" },
		{ "plain", 5, "\"plain\"" },
		{ "\"\\/", 3, "\"\\\"\\\\/\"" },
		{ "\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\"" },
		{ "\0\1\x1f\x7f", 4, "\"\\u0000\\u0001\\u001f\x7f\"" },
		{ "é€😀", 9, "\"é€😀\"" },
		{ "\xff", 1, "\"\xef\xbf\xbd\"" },
		{ "a\xff\xfe" "b", 4, "\"a\xef\xbf\xbd\xef\xbf\xbd" "b\"" },
		{ "\xc0\x80", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\xe2\x82", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\xe2\x82!", 3, "\"\xef\xbf\xbd\xef\xbf\xbd!\"" },
		{ "\xe2\x82\xac\xe2", 4, "\"€\xef\xbf\xbd\"" },
	};

	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct err e = ERR_INIT;
		struct buf b;
		struct jw w;
		buf_init(&b, 1000);
		jw_init(&w, &b, false);
		jw_strn(&w, cases[i].text, cases[i].len);
		is_int(jw_finish(&w, &e), 0, "string %zu", i);
		is_str(buf_str(&b, &e), cases[i].want, "its text");
		buf_fini(&b);
	}
}

/*
 * Any bytes at all come out as one line that the strict parser takes; UTF-8 without NUL comes
 * back as it was.
 */
static void test_any_bytes(void)
{
	unsigned char data[64];
	uint32_t seed = 1;
	size_t bad = 0;

	for (int round = 0; round < 20000; round++) {
		struct err e = ERR_INIT;
		struct buf b;
		struct jw w;
		size_t len = (size_t)round % sizeof(data);
		bool has_nul = false;
		for (size_t i = 0; i < len; i++) {
			seed = seed * 1664525 + 1013904223;
			data[i] = (unsigned char)(seed >> 24);
			if (round % 2)
				data[i] = (unsigned char)(data[i] % 96 + 31);
			has_nul |= !data[i];
		}
		buf_init(&b, 1000);
		jw_init(&w, &b, false);
		jw_strn(&w, data, len);
		bad += jw_finish(&w, &e) != 0 || memchr(b.data, '\n', b.len) != NULL;
		struct json_doc *doc = json_parse((char *)b.data, b.len, "f", &e);
		if (has_nul)
			bad += doc != NULL; /* written as \u0000, which this reader refuses */
		else if (!doc)
			bad++;
		else if (str_is_utf8(data, len))
			bad += strlen(json_str(json_root(doc))) != len ||
			       memcmp(json_str(json_root(doc)), data, len) != 0;
		json_free(doc);
		buf_fini(&b);
	}
	is_int(bad, 0, "any bytes make a valid string");
}

static void test_failure(void)
{
	struct err e = ERR_INIT;
	struct buf b;
	struct jw w;
	size_t bad = 0;

	buf_init(&b, 10000);
	jw_init(&w, &b, true);
	write_sample(&w);
	size_t whole = b.len;
	buf_fini(&b);
	for (size_t cap = 0; cap <= whole; cap++) {
		err_clear(&e);
		buf_init(&b, cap);
		jw_init(&w, &b, true);
		write_sample(&w);
		int rc = jw_finish(&w, &e);
		bad += rc != (cap == whole ? 0 : -1) || (rc < 0 && e.kind != ERR_IO);
		bad += jw_finish(&w, NULL) != rc;
		buf_fini(&b);
	}
	is_int(bad, 0, "a cap that is too small is told at the end, whichever append hit it");
}

int main(void)
{
	test_layout();
	test_strings();
	test_any_bytes();
	test_failure();
	return done_testing();
}
