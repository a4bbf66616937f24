/* JSON reading: what is accepted, what is refused and where, the tree, exact source text. */
#include "lib/json/json.h"

#include "lib/base/limits.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "tap.h"

/* Parse a copy of exactly len bytes, so that reading past it shows. "": accepted. */
static const char *verdict(const char *text, size_t len)
{
	static struct err e;

	err_clear(&e);
	MEM_AUTOFREE char *copy = malloc(len ? len : 1);
	if (!copy)
		BAIL("no memory");
	memcpy(copy, text, len);
	struct json_doc *doc = json_parse(copy, len, "f", &e);
	if (doc) {
		json_free(doc);
		return "";
	}
	if (e.kind != ERR_USAGE)
		return "wrong kind";
	return e.msg;
}

static void test_accepted(void)
{
	static const char *const texts[] = {
		"null", "true", "false", "0", "-0", "1", "-1", "10", "0.5", "-0.0", "1e5",
		"1E+5", "1e-5", "0e0", "0.1e01", "1.7976931348623157e308",
		"-1.7976931348623157e308", "1e-400", "123456789012345678901234567890",
		"999999999999999999999999999999999999999999999999999999999999999", /* 63 digits */
		"\"\"", "\"a\"", "\" \"", "\"\x7f\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
		"\"\\u0001\"", "\"\\u00e9\"", "\"\\uFFFF\"", "\"\\uD83D\\uDE00\"",
		"\"\\udbff\\udfff\"", "\"é€😀\"", "\"\\u0041\"", "\"\\\\u0000\"",
		"\"\\uD7FF\\uE000\"", "[]", "[ ]", "[1]", "[1,2]", "[[],[[]],{}]", "{}", "{ }",
		"{\"a\":1}", "{\"\":0}", "{\"a\":{\"a\":{\"a\":1}}}", "{\"a\":1,\"b\":2}",
		"{\"a\":1,\"A\":2}", "{\"é\":1,\"e\\u0301\":2}", "[{\"a\":1},{\"a\":1}]",
		" \t\r\n1 \t\r\n", "\n[\n1\n,\n2\n]\n", "\"\xe2\x80\xa8\"",
		"\"\xf4\x8f\xbf\xbf\"", "\"\\u2028\"", "\"/\"",
	};

	for (size_t i = 0; i < MEM_COUNT(texts); i++)
		is_str(verdict(texts[i], strlen(texts[i])), "", "accepted: %s", texts[i]);
}

static void test_refused(void)
{
	static const struct {
		const char *text;
		const char *message;
	} cases[] = {
		{ "", "f:1:1: the text is empty" },
		{ " \n ", "f:2:2: the text is empty" },
		{ "\xef\xbb\xbf{}", "f:1:1: a byte order mark is not accepted" },
		{ "nul", "f:1:1: no JSON value" },
		{ "nulL", "f:1:1: no JSON value" },
		{ "True", "f:1:1: no JSON value" },
		{ "NaN", "f:1:1: no JSON value" },
		{ "Infinity", "f:1:1: no JSON value" },
		{ "-Infinity", "f:1:2: a digit is missing" },
		{ "'a'", "f:1:1: no JSON value" },
		{ "a", "f:1:1: no JSON value" },
		{ "// x\n1", "f:1:1: no JSON value" },
		{ "1 // x", "f:1:3: more text behind the value" },
		{ "/* x */ 1", "f:1:1: no JSON value" },
		{ "# x", "f:1:1: no JSON value" },
		{ "nullx", "f:1:5: more text behind the value" },
		{ "1 2", "f:1:3: more text behind the value" },
		{ "{}{}", "f:1:3: more text behind the value" },
		{ "[]]", "f:1:3: more text behind the value" },
		{ "{}\n}", "f:2:1: more text behind the value" },
		{ "\v1", "f:1:1: no JSON value" },
		{ "\f1", "f:1:1: no JSON value" },
		{ "\xc2\xa0" "1", "f:1:1: no JSON value" },

		{ "-", "f:1:2: the text ends too early" },
		{ "--1", "f:1:2: a digit is missing" },
		{ "+1", "f:1:1: no JSON value" },
		{ ".5", "f:1:1: no JSON value" },
		{ "1.", "f:1:3: the text ends too early" },
		{ "1.e5", "f:1:3: a digit is missing" },
		{ "-.5", "f:1:2: a digit is missing" },
		{ "1e", "f:1:3: the text ends too early" },
		{ "1e+", "f:1:4: the text ends too early" },
		{ "1ex", "f:1:3: a digit is missing" },
		{ "01", "f:1:1: a number has a leading zero" },
		{ "-01", "f:1:2: a number has a leading zero" },
		{ "00", "f:1:1: a number has a leading zero" },
		{ "[0123]", "f:1:2: a number has a leading zero" },
		{ "0x10", "f:1:2: more text behind the value" },
		{ "1_000", "f:1:2: more text behind the value" },
		{ "1,5", "f:1:2: more text behind the value" },
		{ "1e309", "f:1:1: a number is too large" },
		{ "[-1e309]", "f:1:2: a number is too large" },
		{ "1e99999999999999999999", "f:1:1: a number is too large" },
		{ "1000000000000000000000000000000000000000000000000000000000000000",
		  "f:1:1: a number is too long" }, /* 64 digits */
		{ "[0.00000000000000000000000000000000000000000000000000000000000001]",
		  "f:1:2: a number is too long" },

		{ "\"", "f:1:2: a string does not end" },
		{ "\"abc", "f:1:5: a string does not end" },
		{ "\"\\\"", "f:1:4: a string does not end" },
		{ "\"\\", "f:1:2: unknown escape" },
		{ "\"a\nb\"", "f:1:3: a control byte in a string" },
		{ "\"\t\"", "f:1:2: a control byte in a string" },
		{ "\"\x1f\"", "f:1:2: a control byte in a string" },
		{ "\"\\a\"", "f:1:2: unknown escape" },
		{ "\"\\'\"", "f:1:2: unknown escape" },
		{ "\"\\x41\"", "f:1:2: unknown escape" },
		{ "\"\\U0041\"", "f:1:2: unknown escape" },
		{ "\"\\\n\"", "f:1:2: unknown escape" },
		{ "\"\\\xc3\xa9\"", "f:1:2: unknown escape" },
		{ "\"\\u\"", "f:1:2: \\u needs four hexadecimal digits" },
		{ "\"\\u004\"", "f:1:2: \\u needs four hexadecimal digits" },
		{ "\"\\u004g\"", "f:1:2: \\u needs four hexadecimal digits" },
		{ "\"\\u 041\"", "f:1:2: \\u needs four hexadecimal digits" },
		{ "\"\\u+041\"", "f:1:2: \\u needs four hexadecimal digits" },
		{ "\"\\u00:0\"", "f:1:2: \\u needs four hexadecimal digits" },
		{ "\"\\u00@0\"", "f:1:2: \\u needs four hexadecimal digits" },
		{ "\"\\u00`0\"", "f:1:2: \\u needs four hexadecimal digits" },
		{ "\"\\u00", "f:1:2: \\u needs four hexadecimal digits" },
		{ "\"\\u0000\"", "f:1:2: \\u0000 is not accepted in a string" },
		{ "{\"a\\u0000b\":1}", "f:1:4: \\u0000 is not accepted in a string" },
		{ "\"ab\\uD83D\"", "f:1:4: a surrogate stands alone" },
		{ "\"\\uD83Dx\"", "f:1:2: a surrogate stands alone" },
		{ "\"\\uD83D\\n\"", "f:1:2: a surrogate stands alone" },
		{ "\"\\uD83D\\u\"", "f:1:2: a surrogate stands alone" },
		{ "\"\\uD83D\\uD83D\"", "f:1:2: a surrogate stands alone" },
		{ "\"\\uD83D\\u0041\"", "f:1:2: a surrogate stands alone" },
		{ "\"\\uDE00\"", "f:1:2: a surrogate stands alone" },
		{ "\"\\uDE00\\uDE00\"", "f:1:2: a surrogate stands alone" },
		{ "\"\\uDE00\\uD83D\"", "f:1:2: a surrogate stands alone" },
		{ "\"\xff\"", "f:1:2: invalid UTF-8" },
		{ "\"\xc0\x80\"", "f:1:2: invalid UTF-8" },
		{ "\"\xed\xa0\xbd\xed\xb8\x80\"", "f:1:2: invalid UTF-8" },
		{ "\"\xe2\x82", "f:1:2: invalid UTF-8" },
		{ "\"\xe2\x82\"", "f:1:2: invalid UTF-8" },
		{ "{\"\x80\":1}", "f:1:3: invalid UTF-8" },
		{ "\xff", "f:1:1: no JSON value" },
		{ "[1,\xff]", "f:1:4: no JSON value" },

		{ "[", "f:1:2: the text ends too early" },
		{ "[1", "f:1:3: the text ends too early" },
		{ "[1,", "f:1:4: the text ends too early" },
		{ "[1,]", "f:1:4: no JSON value" },
		{ "[,1]", "f:1:2: no JSON value" },
		{ "[,]", "f:1:2: no JSON value" },
		{ "[1,,2]", "f:1:4: no JSON value" },
		{ "[1 2]", "f:1:4: ',' or ']' is missing" },
		{ "[1}", "f:1:3: ',' or ']' is missing" },
		{ "[1:2]", "f:1:3: ',' or ']' is missing" },
		{ "]", "f:1:1: no JSON value" },
		{ "{", "f:1:2: the text ends too early" },
		{ "{\"a\"", "f:1:5: the text ends too early" },
		{ "{\"a\":", "f:1:6: the text ends too early" },
		{ "{\"a\":1", "f:1:7: the text ends too early" },
		{ "{\"a\":1,", "f:1:8: the text ends too early" },
		{ "{\"a\":1,}", "f:1:8: a member name in double quotes is missing" },
		{ "{,}", "f:1:2: a member name in double quotes is missing" },
		{ "{a:1}", "f:1:2: a member name in double quotes is missing" },
		{ "{'a':1}", "f:1:2: a member name in double quotes is missing" },
		{ "{1:1}", "f:1:2: a member name in double quotes is missing" },
		{ "{null:1}", "f:1:2: a member name in double quotes is missing" },
		{ "{\"a\" 1}", "f:1:6: ':' is missing" },
		{ "{\"a\",1}", "f:1:5: ':' is missing" },
		{ "{\"a\"}", "f:1:5: ':' is missing" },
		{ "{\"a\":}", "f:1:6: no JSON value" },
		{ "{\"a\":1 \"b\":2}", "f:1:8: ',' or '}' is missing" },
		{ "{\"a\":1]", "f:1:7: ',' or '}' is missing" },
		{ "{\n  \"a\": 1,\n  \"b\": tru\n}", "f:3:8: no JSON value" },
		{ "{\r\n\"é\": x}", "f:2:7: no JSON value" },

		{ "{\"a\":1,\"a\":2}", "f:1:8: duplicate key \"a\"" },
		{ "{\"a\":1,\"b\":2,\"a\":1}", "f:1:14: duplicate key \"a\"" },
		{ "{\"a\":1,\"\\u0061\":2}", "f:1:8: duplicate key \"a\"" },
		{ "{\"\\u00e9\":1,\n \"é\":2}", "f:2:2: duplicate key \"é\"" },
		{ "{\"/\":1,\"\\/\":2}", "f:1:8: duplicate key \"/\"" },
		{ "{\"\":1,\"\":2}", "f:1:7: duplicate key \"\"" },
		{ "[0,{\"x\":[{\"k\":{},\"l\":[],\"k\":0}]}]", "f:1:25: duplicate key \"k\"" },
		{ "{\"a\":{\"b\":1,\"b\":1},\"a\":0}", "f:1:20: duplicate key \"a\"" },
	};

	for (size_t i = 0; i < MEM_COUNT(cases); i++)
		is_str(verdict(cases[i].text, strlen(cases[i].text)), cases[i].message,
		       "refused: %s", cases[i].text);
	is_str(verdict("1\0", 2), "f:1:2: more text behind the value", "NUL behind a value");
	is_str(verdict("\0", 1), "f:1:1: no JSON value", "NUL alone");
	is_str(verdict("\"a\0b\"", 5), "f:1:3: a control byte in a string", "NUL in a string");
	is_str(verdict("[\0]", 3), "f:1:2: no JSON value", "NUL in an array");
	is_str(verdict("\"\\\0\"", 4), "f:1:2: unknown escape", "NUL in an escape");
	is_str(verdict("12", 1), "", "the length counts, not what stands behind it");
	is_str(verdict("\"\\u00411", 7), "f:1:8: a string does not end", "also inside a string");
}

static void test_caps(void)
{
	char deep[2 * LIMIT_JSON_DEPTH + 2];

	memset(deep, '[', LIMIT_JSON_DEPTH);
	memset(deep + LIMIT_JSON_DEPTH, ']', LIMIT_JSON_DEPTH);
	is_str(verdict(deep, 2 * LIMIT_JSON_DEPTH), "", "%d levels are accepted", LIMIT_JSON_DEPTH);
	memset(deep, '[', LIMIT_JSON_DEPTH + 1);
	memset(deep + LIMIT_JSON_DEPTH + 1, ']', LIMIT_JSON_DEPTH + 1);
	is_str(verdict(deep, sizeof(deep)), "f:1:65: too many levels of nesting",
	       "one more is not");
	char wide[4 * LIMIT_JSON_DEPTH]; /* "[[],[],[]…]" */
	for (size_t i = 0; i < sizeof(wide); i++)
		wide[i] = ",[]"[i % 3];
	wide[0] = '[';
	wide[sizeof(wide) - 1] = ']';
	is_str(verdict(wide, sizeof(wide)), "", "levels that were left do not count");

	size_t len = 10000000;
	MEM_AUTOFREE char *text = mem_calloc(len, 1, NULL);
	if (!text)
		BAIL("no memory");
	memset(text, '[', len);
	is_str(verdict(text, len), "f:1:65: too many levels of nesting",
	       "ten million brackets do not overflow the stack");
	len = 2 * LIMIT_JSON_VALUES -
	      1; /* with the array itself the values are as many as allowed */
	for (size_t i = 0; i < len; i++)
		text[i] = i % 2 ? '1' : ',';
	text[0] = '[';
	text[len - 1] = ']';
	is_str(verdict(text, len), "", "%lu values are accepted", LIMIT_JSON_VALUES);
	text[len - 1] = ',';
	text[len] = '1';
	text[len + 1] = ']';
	is_str(verdict(text, len + 2), "f:1:2097152: too many values", "one more is not");
}

/* A quadratic search for duplicates would take minutes here. */
static void test_many_keys(void)
{
	struct err e = ERR_INIT;
	struct buf b;

	buf_init(&b, 16 * SBX_MIB);
	buf_putc(&b, '{', &e);
	for (unsigned i = 0; i < 200000; i++)
		buf_printf(&b, &e, "\"k%06u\":0,", i * 7919 % 200003);
	size_t body = b.len;
	buf_puts(&b, "\"last\":1}", &e);
	is_str(verdict((char *)b.data, b.len), "", "200,000 different keys");
	b.len = body;
	buf_puts(&b, "\"k000000\":1}", &e);
	is_str(verdict((char *)b.data, b.len), "f:1:2400002: duplicate key \"k000000\"",
	       "and the first one again");
	buf_fini(&b);
}

static const char sample[] =
	"{ \"s\" : \"a\\u00e9\\n\", \"n\": -12.50 , \"t\":true,\"f\":false,\"z\":null,\n"
	"  \"a\": [1, [ ], {\"x\": 18446744073709551615}], \"o\": { \"in ner\" :{}} }";

static const struct json_node *path(const struct json_doc *doc, const char *key)
{
	return json_get(json_root(doc), key);
}

static void test_tree(void)
{
	struct err e = ERR_INIT;
	struct json_doc *doc = json_parse(sample, sizeof(sample) - 1, "f", &e);

	if (!doc)
		BAIL("%s", e.msg);
	is_int(json_type(json_root(doc)), JSON_OBJECT, "type of the root");
	is_int(json_type(path(doc, "s")), JSON_STRING, "type of a string");
	is_int(json_type(path(doc, "n")), JSON_NUMBER, "type of a number");
	is_int(json_type(path(doc, "t")), JSON_BOOL, "type of true");
	is_int(json_type(path(doc, "f")), JSON_BOOL, "type of false");
	is_int(json_type(path(doc, "z")), JSON_NULL, "type of null");
	is_int(json_type(path(doc, "a")), JSON_ARRAY, "type of an array");
	is_str(json_str(path(doc, "s")), "aé\n", "a string");
	ok(json_num(path(doc, "n")) == -12.5, "a number");
	ok(json_bool(path(doc, "t")) && !json_bool(path(doc, "f")), "booleans");
	ok(!json_str(path(doc, "n")) && !json_bool(path(doc, "n")) && json_num(path(doc, "s")) == 0,
	   "a question of the wrong type has a harmless answer");
	ok(!path(doc, "S") && !path(doc, "") && !path(doc, "x"), "keys are exact");
	ok(!json_get(path(doc, "a"), "x") && !json_get(path(doc, "s"), "x"),
	   "only objects have members");
	ok(json_key(json_root(doc)) == NULL, "the root has no name");

	static const char *const keys[] = { "s", "n", "t", "f", "z", "a", "o" };
	size_t count = 0;
	size_t bad = 0;
	for (const struct json_node *m = json_first(json_root(doc)); m; m = json_next(m), count++)
		bad += count >= MEM_COUNT(keys) || !str_eq(json_key(m), keys[count]);
	ok(count == 7 && bad == 0, "members come in the order of the text");
	const struct json_node *element = json_first(path(doc, "a"));
	ok(json_num(element) == 1 && json_key(element) == NULL, "first element");
	ok(json_first(json_next(element)) == NULL, "an empty array has no first element");
	ok(json_next(json_next(json_next(element))) == NULL, "the last element has no next one");
	json_free(doc);
	json_free(NULL);
	is_str(json_type_name(JSON_OBJECT), "object", "name of a type");
	is_str(json_type_name(JSON_BOOL), "boolean", "name of another");
}

static const char *raw_of(const struct json_doc *doc, const struct json_node *n)
{
	static char text[200];
	size_t len;
	const char *raw = json_raw(doc, n, &len);

	snprintf(text, sizeof(text), "%.*s", (int)len, raw);
	return text;
}

static const char *error_at(const struct json_doc *doc, const struct json_node *n, bool is_key)
{
	static struct err e;

	if (json_error(doc, n, is_key, &e, "not %d", 5) != -1 || e.kind != ERR_USAGE)
		return "wrong";
	return e.msg;
}

static void test_positions(void)
{
	struct err e = ERR_INIT;
	struct json_doc *doc = json_parse(sample, sizeof(sample) - 1, "file", &e);

	if (!doc)
		BAIL("%s", e.msg);
	is_str(raw_of(doc, path(doc, "s")), "\"a\\u00e9\\n\"", "source of a string");
	is_str(raw_of(doc, path(doc, "n")), "-12.50", "source of a number");
	is_str(raw_of(doc, path(doc, "z")), "null", "source of null");
	is_str(raw_of(doc, path(doc, "a")), "[1, [ ], {\"x\": 18446744073709551615}]",
	       "source of an array");
	const struct json_node *second = json_next(json_first(path(doc, "a")));
	is_str(raw_of(doc, second), "[ ]", "source of an empty array");
	const struct json_node *x = json_get(json_next(second), "x");
	is_str(raw_of(doc, x), "18446744073709551615", "source of a number beyond 2^53");
	is_str(raw_of(doc, json_get(path(doc, "o"), "in ner")), "{}", "source of an inner object");
	size_t len;
	ok(json_raw(doc, json_root(doc), &len) && len == sizeof(sample) - 1, "source of the root");

	is_str(error_at(doc, json_root(doc), false), "file:1:1: not 5", "position of the root");
	is_str(error_at(doc, json_root(doc), true), "file:1:1: not 5", "which has no key");
	is_str(error_at(doc, path(doc, "s"), false), "file:1:9: not 5", "position of a value");
	is_str(error_at(doc, path(doc, "s"), true), "file:1:3: not 5", "position of its key");
	is_str(error_at(doc, path(doc, "a"), true), "file:2:3: not 5", "in the second line");
	is_str(error_at(doc, second, false), "file:2:12: not 5", "position of an element");
	is_str(error_at(doc, second, true), "file:2:12: not 5", "which has no key");
	is_str(error_at(doc, json_get(path(doc, "o"), "in ner"), true), "file:2:54: not 5",
	       "key of an inner object");
	json_free(doc);

	char where[1000];
	memset(where, 'w', sizeof(where));
	where[sizeof(where) - 1] = '\0';
	err_clear(&e);
	ok(!json_parse("[", 1, where, &e), "an error with an endless file name");
	ok(str_starts_with(e.msg, "...www") &&
		   str_ends_with(e.msg, "w:1:2: the text ends too early"),
	   "still tells what and where");
}

static void test_u64(void)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t value;
	} cases[] = {
		{ "0", 0, 0 },
		{ "-0", 0, 0 },
		{ "1", 0, 1 },
		{ "1.0", 0, 1 },
		{ "1e3", 0, 1000 },
		{ "1500e-2", 0, 15 },
		{ "4294967296", 0, UINT64_C(4294967296) },
		{ "9007199254740991", 0, UINT64_C(9007199254740991) },
		{ "9007199254740992", -1, 0 },
		{ "9007199254740993", -1, 0 },
		{ "18446744073709551615", -1, 0 },
		{ "1e300", -1, 0 },
		{ "-1", -1, 0 },
		{ "-1e-300", -1, 0 },
		{ "0.5", -1, 0 },
		{ "1.5", -1, 0 },
		{ "1e-300", -1, 0 },
		{ "\"1\"", -1, 0 },
		{ "true", -1, 0 },
		{ "null", -1, 0 },
		{ "[1]", -1, 0 },
	};

	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct err e = ERR_INIT;
		uint64_t n = 77;
		struct json_doc *doc = json_parse(cases[i].text, strlen(cases[i].text), "f", &e);
		if (!doc)
			BAIL("%s", e.msg);
		is_int(json_u64(json_root(doc), &n), cases[i].rc, "json_u64 of %s", cases[i].text);
		ok(n == (cases[i].rc ? 77 : cases[i].value), "its value");
		json_free(doc);
	}
}

int main(void)
{
	test_accepted();
	test_refused();
	test_caps();
	test_many_keys();
	test_tree();
	test_positions();
	test_u64();
	return done_testing();
}
