/* The format of --env-file. */
#include "lib/policy/env_file.h"
#include "tap.h"

static struct strv entries;
static struct err err;

static int parse_n(const char *text, size_t len)
{
	strv_fini(&entries);
	err_clear(&err);
	return env_file_parse(text, len, "f.env", &entries, &err);
}

static int parse(const char *text)
{
	return parse_n(text, strlen(text));
}

static void gives(const char *text, const char *entry)
{
	is_int(parse(text), 0, "'%s' parses", text);
	is_int(entries.n, entry ? 1 : 0, "into %s", entry ? "one entry" : "nothing");
	if (entry && entries.n == 1)
		is_str(entries.v[0], entry, "of the right text");
}

static void test_lines(void)
{
	gives("A=1", "A=1");
	gives("A=1\n", "A=1");
	gives("A=1\r\n", "A=1");
	gives("A=", "A=");
	gives("  \tA=1", "A=1");
	gives("export A=1", "A=1");
	gives("  export   A=1", "A=1");
	gives("export=1", "export=1");
	gives("exported=1", "exported=1");
	gives("A=b=c", "A=b=c");
	gives("A= b c ", "A= b c ");
	gives("A=1 # no comment", "A=1 # no comment");
	gives("A=$HOME\\n`x`", "A=$HOME\\n`x`");
	gives("\xEF\xBB\xBF" "A=1", "A=1");
	gives("\xC3\x84=\xFF", "\xC3\x84=\xFF");
	gives("a.b-c=1", "a.b-c=1");
	gives("", NULL);
	gives("\n\r\n  \n\t\r\n", NULL);
	gives("# A=1\n  # B=2", NULL);
	gives("#", NULL);
}

static void test_quotes(void)
{
	gives("A=\"b c\"", "A=b c");
	gives("A='b c'", "A=b c");
	gives("A=\"\"", "A=");
	gives("A=\"", "A=\"");
	gives("A=\"b'", "A=\"b'");
	gives("A=\"b\"c\"", "A=b\"c");
	gives("A='\"b\"'", "A=\"b\"");
	gives("A=\"b\" ", "A=\"b\" ");
	gives("A=\"b\"\r\n", "A=b");
	gives("A=\"b\\\"c\"", "A=b\\\"c");
}

static void test_several(void)
{
	is_int(parse("A=1\n\n# x\r\nB=2\r\nA=3"), 0, "several lines");
	is_int(entries.n, 3, "three entries, the duplicate too");
	is_str(entries.v[0], "A=1", "in order");
	is_str(entries.v[2], "A=3", "to the last");
}

/* Text, line of the mistake. */
static void test_mistakes(void)
{
	static const struct {
		const char *text;
		size_t len;
		const char *where;
	} bad[] = {
#define BAD(text, where) { text, sizeof(text) - 1, where }
		BAD("hush", "f.env:1: "),	   BAD("A=1\nhush\n", "f.env:2: "),
		BAD("=hush", "f.env:1: "),	   BAD("\n\n#\nA hush=1", "f.env:4: "),
		BAD("export hush", "f.env:1: "),   BAD("export =hush", "f.env:1: "),
		BAD("A =hush", "f.env:1: "),	   BAD("A\t=hush", "f.env:1: "),
		BAD("A=hu\0sh", "f.env:1: a NUL"), BAD("A=1\r\n# hush\0\r\n", "f.env:2: a NUL"),
		BAD("\0", "f.env:1: a NUL"),	   BAD("A\x01=hush", "f.env:1: "),
		BAD("A\x7f=hush", "f.env:1: "),	   BAD("A=1\rB=2\rhush\nhush", "f.env:2: "),
#undef BAD
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		is_int(parse_n(bad[i].text, bad[i].len), -1, "mistake %zu is refused", i);
		is_int(err.kind, ERR_USAGE, "as a usage error");
		ok(!strncmp(err.msg, bad[i].where, strlen(bad[i].where)), "with its line: %s",
		   err.msg);
		ok(!strstr(err.msg, "hush"), "and nothing of the line");
	}
}

int main(void)
{
	test_lines();
	test_quotes();
	test_several();
	test_mistakes();
	is_int(parse_n(NULL, 0), 0, "no text at all");
	strv_fini(&entries);
	return done_testing();
}
