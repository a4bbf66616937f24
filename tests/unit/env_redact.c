/*
 * The line of argv for logs: secrets must not be in it, the rest must be readable. Each expected
 * line is also checked for the word HUSH, which stands for the secret.
 */
#include "lib/base/limits.h"
#include "lib/policy/env.h"
#include "tap.h"

#define ARGV_MAX 12

static struct buf line;
static struct err err;

static const char *redact(const char *const *words)
{
	buf_fini(&line);
	buf_init(&line, LIMIT_LOG_LINE);
	err_clear(&err);
	if (env_put_redacted_argv(&line, (char *const *)(uintptr_t)words, &err) < 0)
		return err.msg;
	return buf_str(&line, &err);
}

static void check(const char *want, const char *const *words)
{
	const char *got = redact(words);

	is_str(got, want, "%s", want);
	ok(got && !strstr(got, "HUSH"), "without the secret");
}

#define LINE(want, ...) check(want, (const char *const[]){ __VA_ARGS__, NULL })

static void test_plain(void)
{
	LINE("ls -l /usr/bin", "ls", "-l", "/usr/bin");
	LINE("''", "");
	LINE("a '' 'b c'", "a", "", "b c");
	LINE("'it'\\''s' '$HOME' 'a;b' '*'", "it's", "$HOME", "a;b", "*");
	LINE("'a\\x0Ab\\x1B[2J\\xFF' 'ä'", "a\nb\x1b[2J\xff", "ä");
	LINE("sh -c 'echo hi; exit 3'", "sh", "-c", "echo hi; exit 3");
	LINE("sort -k 2 --monkey 3", "sort", "-k", "2", "--monkey", "3");
}

static void test_names(void)
{
	LINE("env FOO_TOKEN=[redacted] A=1 cmd", "env", "FOO_TOKEN=HUSH", "A=1", "cmd");
	LINE("x --password=[redacted] --author=me", "x", "--password=HUSH", "--author=me");
	LINE("x --token [redacted] y", "x", "--token", "HUSH", "y");
	LINE("x --api-key [redacted]", "x", "--api-key", "--HUSH");
	LINE("x -passphrase [redacted] y", "x", "-passphrase", "HUSH", "y");
	LINE("x --token= y", "x", "--token=", "y");
	LINE("x --token", "x", "--token");
	LINE("x --dbPassword=[redacted]", "x", "--dbPassword=HUSH");
	LINE("x PWD=/home/u OLDPWD=/", "x", "PWD=/home/u", "OLDPWD=/");
	LINE("x --tokenizer big --keyboard us", "x", "--tokenizer", "big", "--keyboard", "us");
}

static void test_logins(void)
{
	LINE("curl -u [redacted] https://h/", "curl", "-u", "me:HUSH", "https://h/");
	LINE("wget --user [redacted]", "wget", "--user", "me:HUSH");
	LINE("sbx-run --user 1000:1000 id", "sbx-run", "--user", "1000:1000", "id");
	LINE("sort -u file", "sort", "-u", "file");
	LINE("x -u me: y", "x", "-u", "me:", "y");
}

static void test_values(void)
{
	LINE("git clone [redacted]", "git", "clone", "https://me:HUSH@h/x.git");
	LINE("x [redacted]", "x", "ghp_HUSH0123456789abcdef");
	LINE("curl -H [redacted]", "curl", "-H", "Authorization: Bearer HUSHHUSH");
	LINE("curl -H [redacted] -H 'Accept: text/html'", "curl", "-H", "X-Api-Key: HUSH", "-H",
	     "Accept: text/html");
	LINE("curl -d [redacted]", "curl", "-d", "{\"user\": \"me\", \"password\" : \"HUSH\"}");
	LINE("curl -d '{\"user\": \"me\"}'", "curl", "-d", "{\"user\": \"me\"}");
	LINE("curl [redacted]", "curl", "https://h/?access_token=HUSH");
	LINE("sh -c [redacted]", "sh", "-c", "export FOO_TOKEN=HUSH; run");
	LINE("sh -c [redacted]", "sh", "-c", "mysql --password='HUSH' db");
	LINE("openssl -passin [redacted]", "openssl", "-passin", "pass:HUSH");
	LINE("[redacted] [redacted]", "-----BEGIN RSA PRIVATE KEY-----HUSH",
	     "a\n---- BEGIN SSH2 PRIVATE KEY ----HUSH");
	LINE("x https://h:8080/p time=10:20 a:b", "x", "https://h:8080/p", "time=10:20", "a:b");
}

static void test_long(void)
{
	static char word[100000];
	static const char *many[10002];
	const char *got;

	memset(word, 'a', sizeof(word) - 1);
	got = redact((const char *const[]){ "x", word, "end", NULL });
	ok(strlen(got) < 1100 && strstr(got, "a… end"),
	   "a long word is cut, the next one is there");
	memcpy(word + 50000, " TOKEN=HUSH", 11);
	is_str(redact((const char *const[]){ word, NULL }), "[redacted]",
	       "a secret far behind is found");
	for (size_t i = 0; i < 10001; i++)
		many[i] = "word";
	got = redact(many);
	ok(strlen(got) <= LIMIT_LOG_LINE, "ten thousand words fit a log line: %s", err.msg);
	ok(strncmp(got, "word word", 9) == 0 && strstr(got, " more words"),
	   "and say how many are left");
	is_str(redact((const char *const[]){ NULL }), "", "no word at all");
}

int main(void)
{
	buf_init(&line, LIMIT_LOG_LINE);
	test_plain();
	test_names();
	test_logins();
	test_values();
	test_long();
	buf_fini(&line);
	return done_testing();
}
