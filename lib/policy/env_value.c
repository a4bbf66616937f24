/*
 * Rules by value: what looks like a secret wherever it stands in a text, found in one pass without
 * looking back, so that a value of megabytes costs no more than reading it. Must rather let a short
 * word pass than drop an innocent value: a token has to have the length of a real one.
 * Formats: the issuers' own documentation and RFC 7468 (PEM), RFC 7519 (JWT), RFC 6750 (Bearer),
 * RFC 3986 §3.2 (authority).
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "env.h"
#include "env_rules.h"

#define ALNUM "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
#define WORD ALNUM "_-"
#define PEM_LABEL_MAX 40 /* "ENCRYPTED ", "OPENSSH ", … between BEGIN and PRIVATE KEY */
#define URL_LOOK_MAX 256 /* bytes behind an authority in which its '@' is looked for */
#define PARAMETER_MAX 64 /* bytes of a parameter's name */

enum charset { CS_ALNUM, CS_WORD, CS_UPPER, CS_HEX };

static const char *const charsets[] = {
	[CS_ALNUM] = ALNUM,
	[CS_WORD] = WORD,
	[CS_UPPER] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
	[CS_HEX] = "0123456789abcdef",
};

/*
 * Tokens by their beginnings, without pointers as in env_rules.c: all texts in one object, found by
 * their offset.
 */
#define JOINED(a, b) a##b
#define MEMBER(prefix, line) JOINED(prefix, line)

struct texts {
#define LETTER(letter, name)
#define TOKEN(text, set, min) char MEMBER(text_, __LINE__)[sizeof(text)];
#include "env_tokens.def"
#undef TOKEN
};

static const struct texts texts = {
#define TOKEN(text, set, min) text,
#include "env_tokens.def"
#undef TOKEN
};

static const struct token {
	uint16_t text_at;
	uint8_t text_len;
	uint8_t charset;
	uint8_t min_len; /* of what follows */
} tokens[] = {
#define TOKEN(text, set, min) \
	{ offsetof(struct texts, MEMBER(text_, __LINE__)), sizeof(text) - 1, set, min },
#include "env_tokens.def"
#undef TOKEN
#undef LETTER
};

/* The number of the first token of each letter. */
enum {
#define LETTER(letter, name) FIRST_##name, BEFORE_##name = FIRST_##name - 1,
#define TOKEN(text, set, min) MEMBER(TOKEN_, __LINE__),
#include "env_tokens.def"
#undef TOKEN
#undef LETTER
	TOKEN_COUNT
};

/* Any other letter has the first token, which does not begin with it. */
static const uint8_t first_of_letter[128] = {
#define LETTER(letter, name) [letter] = FIRST_##name,
#define TOKEN(text, set, min)
#include "env_tokens.def"
#undef TOKEN
#undef LETTER
};
_Static_assert(TOKEN_COUNT < UINT8_MAX, "first_of_letter is too narrow");

static bool is_token_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '_';
}

/* str_starts_with() reads the prefix twice; here it is asked at each word of each value. */
static bool begins(const char *s, const char *prefix)
{
	while (*prefix && *s == *prefix) {
		s++;
		prefix++;
	}
	return !*prefix;
}

/* eyJ….eyJ….: header and payload of a JWT, both JSON objects in base64url. */
static bool is_jwt(const char *s)
{
	if (!begins(s, "eyJ"))
		return false;
	size_t header_len = strspn(s, WORD);
	const char *payload = s + header_len + 1;
	return header_len >= 8 && s[header_len] == '.' && begins(payload, "eyJ") &&
	       payload[strspn(payload, WORD)] == '.';
}

/* SG.<22>.<43>: SendGrid. */
static bool is_sendgrid(const char *s)
{
	if (!begins(s, "SG."))
		return false;
	size_t len = strspn(s + 3, WORD);
	return len >= 16 && s[3 + len] == '.' && strspn(s + 3 + len + 1, WORD) >= 16;
}

/* "Bearer " and a token68 (RFC 7235 §2.1) of a length that no English word has after it. */
static bool is_bearer(const char *s)
{
	if ((*s != 'B' && *s != 'b') || strncasecmp(s, "bearer ", 7) != 0)
		return false;
	s += 7 + strspn(s + 7, " ");
	return strspn(s, ALNUM "-._~+/=") >= 8;
}

static bool is_token(const char *s)
{
	for (unsigned i = first_of_letter[*s & 127]; i < TOKEN_COUNT; i++) {
		const char *text = (const char *)&texts + tokens[i].text_at;

		if (*text != *s)
			break;
		if (begins(s, text) && strspn(s + tokens[i].text_len,
					   charsets[tokens[i].charset]) >= tokens[i].min_len)
			return true;
	}
	return is_sendgrid(s) || is_bearer(s);
}

/* "-----BEGIN … PRIVATE KEY"; also the four dashes of SSH2 and "PRIVATE KEY BLOCK" of PGP. */
static bool is_private_key(const char *s)
{
	static const char what[] = "PRIVATE KEY";

	if (!begins(s, "---- BEGIN ") && !begins(s, "-----BEGIN "))
		return false;
	s += 11;
	for (size_t i = 0; i < PEM_LABEL_MAX && s[i] && s[i] != '-'; i++)
		if (begins(s + i, what))
			return true;
	return false;
}

/* The last c in s[0..len); NULL if there is none. */
static const char *find_last(const char *s, size_t len, char c)
{
	while (len--)
		if (s[len] == c)
			return s + len;
	return NULL;
}

/* Is there an '@' before the URL ends? Looks only URL_LOOK_MAX bytes ahead: values may be long. */
static bool has_at_further_on(const char *s)
{
	for (size_t i = 0; i < URL_LOOK_MAX && s[i] && !strchr(" \t\n\"'<>", s[i]); i++)
		if (s[i] == '@')
			return true;
	return false;
}

/*
 * s is behind "://". user:password@ before the first '/', '?' or '#'. A password with a '/' in it
 * that nobody escaped ends the authority early: then a "port" that is no number and an '@' further
 * on tell. The digest of an image (name:tag@sha256:…) is no secret.
 */
static bool has_userinfo(const char *s)
{
	const char *end = s + strcspn(s, "/?# \t\n\"'<>");
	const char *at = find_last(s, (size_t)(end - s), '@');

	if (at) {
		const char *colon = memchr(s, ':', (size_t)(at - s));
		return colon && colon + 1 < at && !begins(at, "@sha256:");
	}
	const char *port = find_last(s, (size_t)(end - s), ':');
	if (!port || s[0] == '[' || port + 1 + strspn(port + 1, "0123456789") == end)
		return false;
	return has_at_further_on(end);
}

static size_t parameter_len(const char *s)
{
	size_t len = 0;

	while (is_token_char(s[len]) || s[len] == '-' || s[len] == '.')
		len++;
	return len;
}

/* A parameter may start at s: "token=…" of a query, "Password=…;" of a connection string. */
static bool is_secret_parameter(const char *s)
{
	while (*s == ' ')
		s++;
	size_t len = parameter_len(s);
	bool is_signature = (len == 3 && strncasecmp(s, "sig", 3) == 0) ||
			    (len == 9 && strncasecmp(s, "signature", 9) == 0);

	if (!len || len > PARAMETER_MAX || s[len] != '=' || !s[len + 1] ||
	    strchr(" &;", s[len + 1]))
		return false;
	return is_signature || env_name_is_secret(s, len);
}

/* "Name: value" at the front, as for a header. */
static bool is_secret_header(const char *s)
{
	size_t len = parameter_len(s);

	return len && len <= PARAMETER_MAX && s[len] == ':' && s[len + 1] == ' ' && s[len + 2] &&
	       env_name_is_secret(s, len);
}

/* Does a word start with "--" at s? */
static bool is_long_option(const char *text, const char *s)
{
	return s[0] == '-' && s[1] == '-' && (s == text || strchr(" \t\n\"'", s[-1]));
}

/* What can start at a character that belongs to no word. */
static bool starts_secret(const char *text, const char *s, bool is_after_word)
{
	switch (*s) {
	case '-':
		return is_private_key(s) || (is_long_option(text, s) && is_secret_parameter(s + 2));
	case ':':
		if (is_after_word && s[1] == '/' && s[2] == '/' && has_userinfo(s + 3))
			return true;
		return is_secret_parameter(s + 1);
	case '?':
	case '&':
	case ';':
		return is_secret_parameter(s + 1);
	default:
		return false;
	}
}

bool env_is_secret_value(const char *value)
{
	bool is_in_word = false;

	if (is_secret_header(value))
		return true;
	for (const char *s = value; *s; s++) {
		bool is_after_word = is_in_word;
		is_in_word = is_token_char(*s);
		if (!is_in_word && starts_secret(value, s, is_after_word))
			return true;
		if (!is_in_word || is_after_word)
			continue;
		/* '-' stands inside of tokens too; a JWT is long, so look only once */
		if (is_token(s) || ((s == value || s[-1] != '-') && is_jwt(s)))
			return true;
	}
	return false;
}

const char *env_proxy_host(const char *value)
{
	const char *at = strrchr(value, '@');

	return at ? at + 1 : value;
}

/* From the '=' or ':' at s back to the name before it, over a closing quote and blanks. */
static bool assigns_secret(const char *text, const char *s)
{
	const char *end = s;
	const char *start;

	while (end > text && strchr(" \"'", end[-1]))
		end--;
	start = end;
	while (start > text && (is_token_char(start[-1]) || start[-1] == '-' || start[-1] == '.'))
		start--;
	return env_name_is_secret(start, (size_t)(end - start));
}

bool env_text_has_assignment(const char *text)
{
	for (const char *s = text; *s; s++) {
		if (*s != '=' && *s != ':')
			continue;
		if (s[1 + strspn(s + 1, " \"'")] && assigns_secret(text, s))
			return true;
	}
	return false;
}
