/*
 * Rules by name: the table of env_rules.def and the words that say secret. Names are compared as
 * their readers do, with case; words in any case. Must not look at a value.
 */
#include "env_rules.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"

#define WORD_MIN 3  /* no shorter word says secret */
#define WORD_MAX 24 /* longer words are compared by their end */

enum name_class { KEEP, INJECTION, HANDLE, SECRET };

/*
 * The table without pointers, each of which a position-independent program would have to relocate
 * at every start: all texts in one object, found by their offset. A rule's text is named after its
 * line in env_rules.def.
 */
#define JOINED(a, b) a##b
#define MEMBER(prefix, line) JOINED(prefix, line)

struct texts {
#define EXACT(name, class) char MEMBER(name_, __LINE__)[sizeof(name)];
#define GLOB(start, end, class) \
	char MEMBER(start_, __LINE__)[sizeof(start)]; \
	char MEMBER(end_, __LINE__)[sizeof(end)];
#include "env_rules.def"
#undef EXACT
#undef GLOB
};

static const struct texts texts = {
#define EXACT(name, class) name,
#define GLOB(start, end, class) start, end,
#include "env_rules.def"
#undef EXACT
#undef GLOB
};

struct exact_rule {
	uint16_t name_at;
	uint8_t class; /* enum name_class */
};

struct glob_rule {
	uint16_t start_at;
	uint8_t start_len;
	uint8_t end_len;
	uint8_t class;
};

static const struct exact_rule exact_rules[] = {
#define EXACT(name, class) { offsetof(struct texts, MEMBER(name_, __LINE__)), class },
#define GLOB(start, end, class)
#include "env_rules.def"
#undef EXACT
#undef GLOB
};

static const struct glob_rule glob_rules[] = {
#define EXACT(name, class)
#define GLOB(start, end, class) \
	{ offsetof(struct texts, MEMBER(start_, __LINE__)), sizeof(start) - 1, sizeof(end) - 1, \
		class },
#include "env_rules.def"
#undef EXACT
#undef GLOB
};

_Static_assert(sizeof(struct texts) <= UINT16_MAX, "offsets are 16 bits wide");

static const char *text_at(size_t offset)
{
	return (const char *)&texts + offset;
}

/* Words of a name, in strcmp() order. */
static const char secret_words[][14] = {
	"ACCESSKEY", "ACCESSKEYS", "APIKEY", "APIKEYS", "AUTH", "AUTHKEY", "AUTHORIZATION",
	"BEARER", "COOKIE", "COOKIES", "CREDENTIAL", "CREDENTIALS", "CREDS", "DSN",
	"ENCRYPTIONKEY", "HMAC", "JWT", "KEY", "KEYS", "MASTERKEY", "MNEMONIC", "PASSCODE",
	"PASSPHRASE", "PASSPHRASES", "PASSWD", "PASSWORD", "PASSWORDS", "PRIVATE", "PRIVATEKEY",
	"PSK", "PWD", "SALT", "SECRET", "SECRETKEY", "SECRETS", "SIGNING", "SIGNINGKEY", "TOKEN",
	"TOKENS", "TOTP", "WEBHOOK", "WEBHOOKS",
};

/* Words that say it only at the end of a name: DB_PASS, ADO_PAT; not PASS_COUNT, PAT_INDEX. */
static const char secret_last_words[][14] = { "PASS", "PAT" };

/* Written together with what they belong to: PGPASSWORD, CLIENTSECRET, authtoken. */
#define ENDING(text) { text, sizeof(text) - 1 }
static const struct {
	char text[12];
	unsigned char len;
} secret_endings[] = {
	ENDING("APIKEY"), ENDING("CREDENTIALS"), ENDING("PASSPHRASE"), ENDING("PASSWD"),
	ENDING("PASSWORD"), ENDING("SECRET"), ENDING("SECRETKEY"), ENDING("TOKEN"),
};
#undef ENDING

static int compare_exact(const void *key, const void *rule)
{
	return strcmp(key, text_at(((const struct exact_rule *)rule)->name_at));
}

static const struct exact_rule *find_exact(const char *name)
{
	return bsearch(name, exact_rules, MEM_COUNT(exact_rules), sizeof(exact_rules[0]),
		       compare_exact);
}

static const struct glob_rule *find_glob(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < MEM_COUNT(glob_rules) && len; i++) {
		const struct glob_rule *r = &glob_rules[i];
		const char *start = text_at(r->start_at);
		const char *end = start + r->start_len + 1;

		if (r->start_len &&
		    (start[0] != name[0] || strncmp(name, start, r->start_len) != 0))
			continue;
		if (r->end_len && end[r->end_len - 1] != name[len - 1])
			continue;
		if (len >= (size_t)r->start_len + r->end_len &&
		    memcmp(name + len - r->end_len, end, r->end_len) == 0)
			return r;
	}
	return NULL;
}

bool env_name_is_valid(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)name[i];
		if (c <= ' ' || c == 0x7f || c == '=')
			return false;
	}
	return len > 0;
}

bool env_name_is_kept(const char *name)
{
	const struct exact_rule *exact = find_exact(name);
	const struct glob_rule *glob = exact ? NULL : find_glob(name);

	return (exact && exact->class == KEEP) || (glob && glob->class == KEEP);
}

bool env_name_is_proxy(const char *name)
{
	static const char ending[] = "_PROXY";
	size_t len = strlen(name);

	if (len <= sizeof(ending) - 1)
		return false;
	name += len - (sizeof(ending) - 1);
	for (size_t i = 0; ending[i]; i++)
		if ((name[i] & ~0x20) != (ending[i] & ~0x20))
			return false;
	return true;
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Letters, digits and what is not ASCII make words; '_', '-', '.' and the like part them. */
static bool is_word_char(char c)
{
	return is_lower(c) || is_upper(c) || is_digit(c) || (unsigned char)c >= 0x80;
}

/* Does a new word start at s[i], written dbPassword or APIKey? s[i - 1] and s[i] are in words. */
static bool is_camel_start(const char *s, size_t i, size_t len)
{
	if (!is_upper(s[i]))
		return false;
	return is_lower(s[i - 1]) || is_digit(s[i - 1]) ||
	       (is_upper(s[i - 1]) && i + 1 < len && is_lower(s[i + 1]));
}

static int compare_word(const void *key, const void *word)
{
	return strcmp(key, word);
}

static bool has_word(const char *word, const char (*words)[14], size_t count)
{
	return bsearch(word, words, count, sizeof(words[0]), compare_word) != NULL;
}

/* word is a part of a name; digits at its end do not count (TOKEN2). */
static bool word_is_secret(const char *word, size_t len, bool is_last)
{
	char upper[WORD_MAX + 1];

	while (len && is_digit(word[len - 1]))
		len--;
	if (len < WORD_MIN)
		return false;
	if (len > WORD_MAX) {
		word += len - WORD_MAX;
		len = WORD_MAX;
	}
	for (size_t i = 0; i < len; i++)
		upper[i] = is_lower(word[i]) ? (char)(word[i] - 'a' + 'A') : word[i];
	upper[len] = '\0';
	if (has_word(upper, secret_words, MEM_COUNT(secret_words)))
		return true;
	if (is_last && has_word(upper, secret_last_words, MEM_COUNT(secret_last_words)))
		return true;
	for (size_t i = 0; i < MEM_COUNT(secret_endings); i++) {
		size_t n = secret_endings[i].len;
		if (len > n && memcmp(upper + len - n, secret_endings[i].text, n) == 0)
			return true;
	}
	return false;
}

bool env_name_is_secret(const char *name, size_t len)
{
	size_t start = 0;

	if (len == 3 && memcmp(name, "PWD", 3) == 0) /* the working directory */
		return false;
	while (start < len) {
		size_t end = start + 1;
		if (!is_word_char(name[start])) {
			start++;
			continue;
		}
		while (end < len && is_word_char(name[end]) && !is_camel_start(name, end, len))
			end++;
		if (word_is_secret(name + start, end - start, end == len))
			return true;
		start = end;
	}
	return false;
}

const char *env_name_rule(const char *name)
{
	static const char *const rules[] = {
		[INJECTION] = ENV_RULE_INJECTION,
		[HANDLE] = ENV_RULE_HANDLE,
		[SECRET] = ENV_RULE_SECRET_NAME,
	};
	const struct exact_rule *exact = find_exact(name);
	const struct glob_rule *glob = exact ? NULL : find_glob(name);

	if (exact && exact->class == KEEP)
		return NULL;
	/* A kept beginning (LC_*) must not shelter a secret. */
	if (exact || (glob && glob->class != KEEP))
		return rules[exact ? exact->class : glob->class];
	return env_name_is_secret(name, strlen(name)) ? ENV_RULE_SECRET_NAME : NULL;
}
