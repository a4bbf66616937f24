/* Text: numbers, sizes, durations, UTF-8, base64, the printable form, the vector of strings. */
#include "lib/base/str.h"

#include "lib/base/mem.h"
#include "tap.h"

static void test_compare(void)
{
	ok(str_eq("a", "a") && str_eq(NULL, NULL) && str_eq("", ""), "equal strings");
	ok(!str_eq("a", "b") && !str_eq("a", NULL) && !str_eq(NULL, "") && !str_eq("a", "aa"),
	   "unequal strings");
	ok(str_starts_with("abc", "ab") && str_starts_with("abc", "") && str_starts_with("", ""),
	   "prefixes");
	ok(!str_starts_with("ab", "abc") && !str_starts_with("", "a") &&
		   !str_starts_with("xab", "ab"),
	   "no prefixes");
	ok(str_ends_with("abc", "bc") && str_ends_with("abc", "abc") && str_ends_with("", ""),
	   "suffixes");
	ok(!str_ends_with("bc", "abc") && !str_ends_with("abcd", "bc"), "no suffixes");
}

static void test_u64(void)
{
	static const struct {
		const char *text;
		uint64_t max;
		int rc;
		uint64_t value;
	} cases[] = {
		{ "0", UINT64_MAX, 0, 0 },
		{ "00", UINT64_MAX, 0, 0 },
		{ "007", UINT64_MAX, 0, 7 },
		{ "18446744073709551615", UINT64_MAX, 0, UINT64_MAX },
		{ "18446744073709551616", UINT64_MAX, -1, 0 },
		{ "18446744073709551620", UINT64_MAX, -1, 0 },
		{ "99999999999999999999999999999999", UINT64_MAX, -1, 0 },
		{ "000000000000000000000000000000000005", UINT64_MAX, 0, 5 },
		{ "65535", 65535, 0, 65535 },
		{ "65536", 65535, -1, 0 },
		{ "0", 0, 0, 0 },
		{ "1", 0, -1, 0 },
		{ "", UINT64_MAX, -1, 0 },
		{ " 1", UINT64_MAX, -1, 0 },
		{ "1 ", UINT64_MAX, -1, 0 },
		{ "1\n", UINT64_MAX, -1, 0 },
		{ "+1", UINT64_MAX, -1, 0 },
		{ "-1", UINT64_MAX, -1, 0 },
		{ "0x10", UINT64_MAX, -1, 0 },
		{ "1e3", UINT64_MAX, -1, 0 },
		{ "1.0", UINT64_MAX, -1, 0 },
		{ "1k", UINT64_MAX, -1, 0 },
		{ "1_000", UINT64_MAX, -1, 0 },
		{ "\xd9\xa1", UINT64_MAX, -1, 0 }, /* an Arabic digit one */
	};

	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct err e = ERR_INIT;
		uint64_t n = 12345;
		int rc = str_parse_u64(cases[i].text, cases[i].max, "--pids", &n, &e);
		is_int(rc, cases[i].rc, "u64 '%s'", cases[i].text);
		if (rc == 0)
			ok(n == cases[i].value, "value of '%s'", cases[i].text);
		else
			ok(n == 12345 && e.kind == ERR_USAGE && str_starts_with(e.msg, "--pids: '"),
			   "'%s' is refused by name: %s", cases[i].text, e.msg);
	}
}

struct scaled_case {
	const char *text;
	int rc;
	uint64_t value;
};

static void check_scaled(const struct scaled_case *c, const char *kind,
			 int (*parse)(const char *, const char *, uint64_t *, struct err *))
{
	struct err e = ERR_INIT;
	uint64_t n = 12345;
	int rc = parse(c->text, "--it", &n, &e);

	is_int(rc, c->rc, "%s '%s'", kind, c->text);
	if (rc == 0)
		ok(n == c->value, "'%s' is %llu", c->text, (unsigned long long)n);
	else
		ok(n == 12345 && e.kind == ERR_USAGE && str_starts_with(e.msg, "--it: '"),
		   "'%s' is refused by name: %s", c->text, e.msg);
}

static void test_size(void)
{
	static const struct scaled_case cases[] = {
		{ "0", 0, 0 },
		{ "4096", 0, 4096 },
		{ "1k", 0, 1024 },
		{ "1K", 0, 1024 },
		{ "1kb", 0, 1024 },
		{ "1KiB", 0, 1024 },
		{ "1kIb", 0, 1024 },
		{ "64m", 0, 64 << 20 },
		{ "64MB", 0, 64 << 20 },
		{ "1g", 0, 1 << 30 },
		{ "2t", 0, UINT64_C(2) << 40 },
		{ "2TiB", 0, UINT64_C(2) << 40 },
		{ "1.5g", 0, UINT64_C(3) << 29 },
		{ "0.5k", 0, 512 },
		{ "0.1k", 0, 103 },             /* 102.4 rounds up */
		{ "0.0000000001k", 0, 1 },      /* never 0, which means no limit */
		{ "0.00k", 0, 0 },
		{ "1.0000000000k", 0, 1024 },
		{ "0.9999999999999999999999999999999999t", 0, UINT64_C(1) << 40 },
		{ "0.333333333333333333333g", 0, 357913942 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -1, 0 },
		{ "16777215t", 0, UINT64_C(16777215) << 40 },
		{ "16777216t", -1, 0 },         /* 2^64 */
		{ "16777215.9999999999t", 0, UINT64_MAX - 108 }, /* 2^64 - 109.95, rounded up */
		{ "16777215.99999999999999999999t", -1, 0 }, /* rounds up to 2^64 */
		{ "18014398509481983k", 0, UINT64_C(18014398509481983) << 10 },
		{ "18014398509481984k", -1, 0 },
		{ "", -1, 0 },
		{ "k", -1, 0 },
		{ "b", -1, 0 },
		{ "1b", -1, 0 },
		{ "1.5", -1, 0 },
		{ "1.0", -1, 0 },
		{ ".5k", -1, 0 },
		{ "1.k", -1, 0 },
		{ "1.5.5k", -1, 0 },
		{ "1,5k", -1, 0 },
		{ "1 k", -1, 0 },
		{ " 1k", -1, 0 },
		{ "1k ", -1, 0 },
		{ "-1k", -1, 0 },
		{ "+1k", -1, 0 },
		{ "1e3", -1, 0 },
		{ "0x1k", -1, 0 },
		{ "1p", -1, 0 },
		{ "1kk", -1, 0 },
		{ "1kbb", -1, 0 },
		{ "1ki", -1, 0 },
		{ "1ib", -1, 0 },
		{ "inf", -1, 0 },
		{ "nan", -1, 0 },
		{ "1\xe2\x84\xaa", -1, 0 }, /* U+212A, the Kelvin sign */
	};

	for (size_t i = 0; i < MEM_COUNT(cases); i++)
		check_scaled(&cases[i], "size", str_parse_size);
}

static void test_duration(void)
{
	static const struct scaled_case cases[] = {
		{ "0", 0, 0 },
		{ "1", 0, 1000 },
		{ "0.5", 0, 500 },
		{ "0.0001", 0, 1 },
		{ "500ms", 0, 500 },
		{ "0ms", 0, 0 },
		{ "0.1ms", 0, 1 },
		{ "1.5ms", 0, 2 },
		{ "30s", 0, 30000 },
		{ "2m", 0, 120000 },
		{ "1.5m", 0, 90000 },
		{ "1h", 0, 3600000 },
		{ "0.00000001h", 0, 1 },
		{ "18446744073709551615ms", 0, UINT64_MAX },
		{ "18446744073709551616ms", -1, 0 },
		{ "18446744073709551", 0, UINT64_C(18446744073709551000) },
		{ "18446744073709551.615", 0, UINT64_MAX },
		{ "18446744073709551.616", -1, 0 },
		{ "18446744073709552", -1, 0 },
		{ "", -1, 0 },
		{ "s", -1, 0 },
		{ "1d", -1, 0 },
		{ "1S", -1, 0 },
		{ "1M", -1, 0 },
		{ "1h30m", -1, 0 },
		{ "1 s", -1, 0 },
		{ "-1", -1, 0 },
		{ "1.s", -1, 0 },
		{ ".5", -1, 0 },
		{ "1us", -1, 0 },
	};

	for (size_t i = 0; i < MEM_COUNT(cases); i++)
		check_scaled(&cases[i], "duration", str_parse_duration);
}

static void test_bad_value_is_shown_safely(void)
{
	struct err e = ERR_INIT;
	char text[5000];
	uint64_t n;

	str_parse_size("\x1b[2J\n", "--memory", &n, &e);
	ok(strstr(e.msg, "'\\x1B[2J\\x0A'") != NULL, "control bytes of a bad value are escaped: %s",
	   e.msg);
	memset(text, '9', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	str_parse_size(text, "--memory", &n, &e);
	ok(strlen(e.msg) < 200 && str_ends_with(e.msg, "…' is too large"),
	   "an endless value is cut: %s", e.msg);
}

/* Decode by the definition (RFC 3629 §3): an oracle that shares nothing with the code. */
static int oracle_is_utf8(const unsigned char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		unsigned c = s[i];
		size_t n = c < 0x80		? 1
			   : (c & 0xe0) == 0xc0 ? 2
			   : (c & 0xf0) == 0xe0 ? 3
			   : (c & 0xf8) == 0xf0 ? 4
						: 0;
		static const unsigned long least[] = { 0, 0, 0x80, 0x800, 0x10000 };
		if (!n || n > len - i)
			return 0;
		unsigned long value = n == 1 ? c : c & (0x7fU >> n);
		for (size_t k = 1; k < n; k++) {
			if ((s[i + k] & 0xc0) != 0x80)
				return 0;
			value = value << 6 | (s[i + k] & 0x3f);
		}
		if (value < least[n] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
			return 0;
		i += n;
	}
	return 1;
}

static void test_utf8_against_oracle(void)
{
	static const unsigned char interesting[] = {
		0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf,
		0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8,
		0xfc, 0xfe, 0xff,
	};
	const size_t n = sizeof(interesting);
	size_t bad = 0;
	unsigned char s[4];

	for (size_t i = 0; i < n * n * n * n; i++) {
		size_t rest = i;
		for (size_t k = 0; k < 4; k++, rest /= n)
			s[k] = interesting[rest % n];
		for (size_t len = 1; len <= 4; len++)
			bad += str_is_utf8(s, len) != oracle_is_utf8(s, len);
	}
	is_int(bad, 0, "every combination of %zu border bytes", n);
	for (unsigned i = 0; i < 0x10000; i++) {
		s[0] = (unsigned char)(i >> 8);
		s[1] = (unsigned char)i;
		bad += str_is_utf8(s, 2) != oracle_is_utf8(s, 2);
	}
	is_int(bad, 0, "every pair of bytes");
}

static void test_utf8(void)
{
	static const struct {
		const char *text;
		size_t len;
		bool is_good;
		const char *what;
	} cases[] = {
		{ "", 0, true, "nothing" },
		{ "a\0b", 3, true, "NUL" },
		{ "\xc2\x80", 2, true, "U+0080" },
		{ "\xdf\xbf", 2, true, "U+07FF" },
		{ "\xe0\xa0\x80", 3, true, "U+0800" },
		{ "\xed\x9f\xbf", 3, true, "U+D7FF" },
		{ "\xee\x80\x80", 3, true, "U+E000" },
		{ "\xef\xbf\xbf", 3, true, "U+FFFF" },
		{ "\xf0\x90\x80\x80", 4, true, "U+10000" },
		{ "\xf4\x8f\xbf\xbf", 4, true, "U+10FFFF" },
		{ "\xc0\x80", 2, false, "overlong NUL" },
		{ "\xc1\xbf", 2, false, "overlong U+007F" },
		{ "\xe0\x9f\xbf", 3, false, "overlong U+07FF" },
		{ "\xf0\x8f\xbf\xbf", 4, false, "overlong U+FFFF" },
		{ "\xed\xa0\x80", 3, false, "high surrogate" },
		{ "\xed\xbf\xbf", 3, false, "low surrogate" },
		{ "\xf4\x90\x80\x80", 4, false, "U+110000" },
		{ "\xf5\x80\x80\x80", 4, false, "lead F5" },
		{ "\xf8\x88\x80\x80\x80", 5, false, "five bytes" },
		{ "\x80", 1, false, "a continuation alone" },
		{ "\xe2\x82", 2, false, "cut" },
		{ "\xe2\x82\x41", 3, false, "broken off" },
		{ "\xff", 1, false, "FF" },
	};

	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		is_int(str_is_utf8(cases[i].text, cases[i].len), cases[i].is_good, "UTF-8: %s",
		       cases[i].what);
		if (cases[i].is_good && cases[i].len > 1 && cases[i].text[0] != 'a')
			is_int(str_utf8_seq(cases[i].text, cases[i].len), cases[i].len,
			       "length of %s", cases[i].what);
	}
	is_int(str_utf8_seq("", 0), 0, "no sequence in nothing");
	is_int(str_utf8_seq("ab", 2), 1, "an ASCII byte is a sequence");
	is_int(str_utf8_seq("\xe2\x82\xac!", 4), 3, "the length is that of the first sequence");
}

static void test_utf8_cuts(void)
{
	static const char text[] =
		"a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z"; /* starts: 0 1 3 6 10, end 11 */
	static const size_t floors[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11 };
	static const size_t skips[] = { 0, 0, 1, 0, 2, 1, 0, 3, 2, 1, 0, 0 };

	for (size_t i = 0; i <= 11; i++) {
		is_int(str_utf8_floor(text, i), floors[i], "floor at %zu", i);
		is_int(str_utf8_skip(text + i, 11 - i), skips[i], "skip at %zu", i);
	}
	is_int(str_utf8_floor("\xff\xff", 2), 2, "a byte that starts nothing is no cut sequence");
	is_int(str_utf8_floor("\x80\x80\x80\x80", 4), 4, "nor are continuation bytes alone");
	is_int(str_utf8_floor("\x80", 1), 1, "nor is one of them");
	is_int(str_utf8_floor("\xe0\x80", 2), 2, "nor is an overlong start");
	is_int(str_utf8_floor("\xed\xa0", 2), 2, "nor is half a surrogate");
	is_int(str_utf8_floor("\xf4\x90\x80", 3), 3, "nor what would lie beyond U+10FFFF");
	is_int(str_utf8_floor("\xf0\x90\x80", 3), 0, "three of four bytes are");
	is_int(str_utf8_floor("\xc3\xa9\xa9", 3), 3, "a complete sequence and one byte more");
	is_int(str_utf8_skip("\x80\x80\x80\x80\x80", 5), 3,
	       "at most three bytes belong to a cut sequence");
	is_int(str_utf8_skip("", 0), 0, "skip of nothing");
}

static void test_base64(void)
{
	/* RFC 4648 §10 */
	static const char *const vectors[][2] = {
		{ "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" },
	};
	struct err e = ERR_INIT;
	struct buf b;

	buf_init(&b, 4096);
	for (size_t i = 0; i < MEM_COUNT(vectors); i++) {
		buf_reset(&b);
		str_base64_encode(&b, vectors[i][0], strlen(vectors[i][0]), &e);
		is_str(buf_str(&b, &e), vectors[i][1], "encode '%s'", vectors[i][0]);
		buf_reset(&b);
		is_int(str_base64_decode(&b, vectors[i][1], strlen(vectors[i][1]), &e), 0,
		       "decode");
		is_str(buf_str(&b, &e), vectors[i][0], "decode '%s'", vectors[i][1]);
	}
	buf_reset(&b);
	str_base64_decode(&b, "+/+/", 4, &e);
	is_mem(b.data, "\xfb\xff\xbf", 3, "digits 62 and 63");
	buf_fini(&b);
}

static void test_base64_strict(void)
{
	static const char *const refused[] = {
		"Z", "Zg", "Zg=", "Zg===", "=", "==", "===", "====", "Z===", "A===", "Zg==Zg==",
		"Zm9v=",
		"Zm9v====",
		"Zm8=Zm8=", "Zm9v\n", "Zm9 v", " Zm9v", "Zm9vYg==\n", "Zm-_", "Zm9\x80",
		"Z=g=", "Zh==", "Zk==", "Zm9=",
	};
	struct err e = ERR_INIT;
	struct buf b;

	buf_init(&b, 4096);
	buf_puts(&b, "kept", &e);
	for (size_t i = 0; i < MEM_COUNT(refused); i++) {
		err_clear(&e);
		int rc = str_base64_decode(&b, refused[i], strlen(refused[i]), &e);
		is_int(rc, -1, "base64 %zu is refused: %s", i, e.msg);
	}
	is_int(str_base64_decode(&b, "Zg\0=", 4, &e), -1, "NUL is no base64 digit");
	is_str(buf_str(&b, &e), "kept", "nothing of a refused text is kept");
	buf_fini(&b);
	buf_init(&b, 3);
	is_int(str_base64_decode(&b, "Zm9vYg==", 8, &e), -1,
	       "the cap of the buffer holds when decoding");
	is_int(str_base64_encode(&b, "f", 1, &e), -1, "and when encoding");
	is_int(b.len, 0, "and nothing is kept");
	buf_fini(&b);
}

static void test_base64_round_trip(void)
{
	unsigned char data[300];
	size_t bad = 0;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)(i * 167 + 13);
	for (size_t len = 0; len <= sizeof(data); len++) {
		struct err e = ERR_INIT;
		struct buf text, back;
		buf_init(&text, 1000);
		buf_init(&back, 1000);
		bad += str_base64_encode(&text, data, len, &e) != 0;
		bad += text.len != (len + 2) / 3 * 4;
		bad += str_base64_decode(&back, (const char *)text.data, text.len, &e) != 0;
		bad += back.len != len || (len && memcmp(back.data, data, len) != 0);
		buf_fini(&text);
		buf_fini(&back);
	}
	is_int(bad, 0, "what was encoded is decoded, lengths 0 to 300");
}

static void test_printable(void)
{
	static const struct {
		const char *text;
		size_t max;
		const char *want;
	} cases[] = {
		{ "plain", 100, "plain" },
		{ "", 100, "" },
		{ "a\tb\nc\x7f", 100, "a\\x09b\\x0Ac\\x7F" },
		{ "\x01\x1f", 100, "\\x01\\x1F" },
		{ "é€😀", 100, "é€😀" },
		{ "\xff\xc3", 100, "\\xFF\\xC3" },
		{ "\xc2\x9b" "31m", 100, "\\xC2\\x9B31m" },          /* CSI as a C1 control */
		{ "\xc2\xa0", 100, "\xc2\xa0" },
		{ "\xe2\x80\xae" "abc", 100, "\\xE2\\x80\\xAEabc" }, /* U+202E, an override */
		{ "\xe2\x80\xa8", 100, "\\xE2\\x80\\xA8" },          /* U+2028 line separator */
		{ "\xe2\x81\xa6", 100, "\\xE2\\x81\\xA6" },          /* U+2066 isolate */
		{ "\xe2\x80\xa6", 100, "…" },
		{ "back\\slash", 100, "back\\slash" },
		{ "abcdef", 6, "abcdef" },
		{ "abcdefg", 6, "abc…" },
		{ "abcdefg", 3, "…" },
		{ "abcdefg", 2, "" },
		{ "ab", 2, "ab" },
		{ "abc", 0, "" },
		{ "", 0, "" },
		{ "é€😀", 8, "é€…" },
		{ "é€😀", 7, "é…" },
		{ "\x01\x02", 8, "\\x01\\x02" },
		{ "\x01\x02", 7, "\\x01…" },
		{ "\x01\x02", 6, "…" },
	};

	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct err e = ERR_INIT;
		struct buf b;
		buf_init(&b, 200);
		buf_puts(&b, ">", &e);
		is_int(str_put_printable(&b, cases[i].text, cases[i].max, &e), 0, "printable %zu",
		       i);
		is_str(buf_str(&b, &e) + 1, cases[i].want, "its text");
		buf_fini(&b);
	}
}

static void test_printable_bounds(void)
{
	struct err e = ERR_INIT;
	struct str_shown shown;
	struct buf b;
	char text[400];
	size_t bad = 0;

	for (size_t i = 0; i < 255; i++)
		text[i] = (char)(i + 1);
	text[255] = '\0';
	for (size_t max = 0; max < 900; max++) {
		char out[900];
		size_t n = str_printable(out, max, text, 255);
		bad += n > max || !str_is_utf8(out, n) || n != str_printable(NULL, max, text, 255);
		for (size_t i = 0; i < n; i++)
			bad += (unsigned char)out[i] < 0x20 || out[i] == 0x7f;
	}
	is_int(bad, 0, "never more than asked for, always printable");
	buf_init(&b, 4);
	buf_puts(&b, "abc", &e);
	is_int(str_put_printable(&b, "xy", 10, &e), -1, "the cap of the buffer holds");
	is_str(buf_str(&b, &e), "abc", "and nothing is added then");
	buf_fini(&b);
	is_str(str_shown(&shown, "a\nb", SIZE_MAX), "a\\x0Ab", "str_shown shows");
	is_str(str_shown(&shown, "abc", 2), "ab", "str_shown takes a length");
	is_str(str_shown(&shown, "a\0c", 3), "a", "str_shown ends at NUL");
	is_int(strlen(str_shown(&shown, text, SIZE_MAX)) <= STR_SHOWN_BYTES, 1,
	       "str_shown is bounded");
}

static void test_strv(void)
{
	struct err e = ERR_INIT;
	struct strv sv = { 0 };
	char text[16];
	size_t bad = 0;

	ok(!strv_has(&sv, "x"), "an empty vector has nothing");
	for (int i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "s%d", i);
		bad += strv_add(&sv, text, &e) != 0 || sv.v[sv.n] != NULL;
	}
	for (int i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "s%d", i);
		bad += !str_eq(sv.v[i], text);
	}
	is_int(bad, 0, "a thousand strings, terminated at each step");
	is_int(sv.n, 1000, "counted");
	is_int(strv_add_take(&sv, mem_strdup("taken", &e), &e), 0, "strv_add_take");
	ok(strv_has(&sv, "taken") && strv_has(&sv, "s500") && !strv_has(&sv, "s1000"), "strv_has");
	strv_fini(&sv);
	ok(sv.v == NULL && sv.n == 0, "strv_fini empties");
	strv_fini(&sv);
}

int main(void)
{
	test_compare();
	test_u64();
	test_size();
	test_duration();
	test_bad_value_is_shown_safely();
	test_utf8_against_oracle();
	test_utf8();
	test_utf8_cuts();
	test_base64();
	test_base64_strict();
	test_base64_round_trip();
	test_printable();
	test_printable_bounds();
	test_strv();
	return done_testing();
}
