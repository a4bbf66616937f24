/*
 * An argument vector as one printable line without its secrets. Works on guesses about how programs
 * take secrets, so it hides rather too much: a word of a log is worth less than a password in it.
 * Must not be used to build a command: the line is for people.
 */
#include <string.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "env.h"
#include "env_rules.h"

#define REDACTED "[redacted]"
#define WORD_SHOWN_BYTES 1024 /* of one word */
#define MORE_MAX 40           /* bytes of " … 4294967295 more words" */

#define NAME_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."
#define PLAIN_CHARS NAME_CHARS "@%+=:,/"

/* What an option announces about the next word. */
enum next_word { NEXT_ANY, NEXT_SECRET, NEXT_LOGIN };

/* len bytes of a word, quoted for the shell's eye where that is needed. */
static int put_quoted(struct buf *out, const char *word, size_t len, struct err *e)
{
	bool is_plain = len && strspn(word, PLAIN_CHARS) >= len;
	size_t end = out->len + WORD_SHOWN_BYTES;

	if (!is_plain && buf_putc(out, '\'', e) < 0)
		return -1;
	while (len && out->len < end) {
		char unit[4];
		size_t unit_len;
		size_t used = str_printable_unit(word, len, unit, &unit_len);
		bool is_quote = unit_len == 1 && unit[0] == '\'';
		if (is_quote ? buf_puts(out, "'\\''", e) : buf_put(out, unit, unit_len, e))
			return -1;
		word += used;
		len -= used;
	}
	if (len && buf_puts(out, "…", e) < 0)
		return -1;
	return is_plain ? 0 : buf_putc(out, '\'', e);
}

/* user:password, but not the 1000:1000 of --user UID:GID. */
static bool is_login(const char *word)
{
	const char *colon = strchr(word, ':');

	return colon && colon[1] && word[strspn(word, "0123456789:")];
}

/* Length of "NAME=" or "--name=" if the name says secret and a value follows; else 0. */
static size_t secret_prefix_len(const char *word)
{
	size_t len = strspn(word, NAME_CHARS);

	if (!len || word[len] != '=' || !word[len + 1] || !env_name_is_secret(word, len))
		return 0;
	return len + 1;
}

static int put_word(struct buf *out, const char *word, enum next_word announced, struct err *e)
{
	size_t prefix_len = secret_prefix_len(word);

	if (announced == NEXT_SECRET || (announced == NEXT_LOGIN && is_login(word)))
		return buf_puts(out, REDACTED, e);
	if (prefix_len)
		return put_quoted(out, word, prefix_len, e) || buf_puts(out, REDACTED, e) ? -1 : 0;
	if (env_is_secret_value(word) || env_text_has_assignment(word))
		return buf_puts(out, REDACTED, e);
	return put_quoted(out, word, strlen(word), e);
}

/* "--token" or "-password", and the options that take user:password in curl(1), wget and others. */
static enum next_word announced_by(const char *word)
{
	static const char *const logins[] = { "-u", "-U", "--user", "--proxy-user" };
	size_t dashes = strspn(word, "-");

	for (size_t i = 0; i < MEM_COUNT(logins); i++)
		if (strcmp(word, logins[i]) == 0)
			return NEXT_LOGIN;
	if (!dashes || strlen(word) < dashes + 2 || word[strspn(word, NAME_CHARS)])
		return NEXT_ANY;
	return env_name_is_secret(word, strlen(word)) ? NEXT_SECRET : NEXT_ANY;
}

static size_t count_words(char *const *argv)
{
	size_t n = 0;

	while (argv[n])
		n++;
	return n;
}

int env_put_redacted_argv(struct buf *out, char *const *argv, struct err *e)
{
	enum next_word announced = NEXT_ANY;
	struct buf word;
	int rc = 0;

	buf_init(&word, 2UL * LIMIT_LOG_LINE);
	for (size_t i = 0; argv[i] && rc == 0; i++) {
		buf_reset(&word);
		rc = put_word(&word, argv[i], announced, e);
		announced = announced_by(argv[i]);
		if (rc < 0)
			break;
		if (out->len + 1 + word.len + MORE_MAX > out->cap_bytes) {
			rc = buf_printf(out, e, " … %zu more words", count_words(argv + i));
			break;
		}
		if (i > 0)
			rc = buf_putc(out, ' ', e);
		if (rc == 0)
			rc = buf_put(out, word.data, word.len, e);
	}
	buf_fini(&word);
	return rc;
}
