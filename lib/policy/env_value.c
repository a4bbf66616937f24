/*
 * Rules by value: what looks like a secret wherever it stands in a text, found in one pass without
 * looking back, so that a value of megabytes costs no more than reading it. Must rather let a short
 * word pass than drop an innocent value: a token has to have the length of a real one.
 * Formats: the issuers' own documentation and RFC 7468 (PEM), RFC 7519 (JWT), RFC 6750 (Bearer),
 * RFC 3986 §3.2 (authority).
 */
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

/* A token: its beginning, and how many characters of the set follow at least. */
struct token {
	const char *prefix; /* NULL: the end of a list */
	enum charset charset;
	unsigned char min_len;
};

/* By first letter, so that the start of a word costs one look into tokens_by_letter. */
static const struct token tokens_A[] = {
	{ "AKIA", CS_UPPER, 16 }, /* AWS key ids, long-lived and temporary */
	{ "ASIA", CS_UPPER, 16 },
	{ "AIza", CS_WORD, 30 }, /* Google */
	{ "AGE-SECRET-KEY-1", CS_UPPER, 1 }, /* age */
	{ "ATATT3x", CS_WORD, 20 }, /* Atlassian */
	{ "ATCTT3x", CS_WORD, 20 },
	{ NULL, 0, 0 },
};
static const struct token tokens_G[] = {
	{ "GOCSPX-", CS_WORD, 16 }, /* Google */
	{ NULL, 0, 0 },
};
/* base64 of "-----BEGIN " and "PRIVATE", "RSA", "EC P", "DSA", "OPENSSH", "ENCRYPTED", "PGP PR" */
static const struct token tokens_L[] = {
	{ "LS0tLS1CRUdJTiBQUklWQVRFIEtF", CS_ALNUM, 1 },
	{ "LS0tLS1CRUdJTiBSU0EgUFJJVkFU", CS_ALNUM, 1 },
	{ "LS0tLS1CRUdJTiBFQyBQ", CS_ALNUM, 1 },
	{ "LS0tLS1CRUdJTiBEU0EgUFJJ", CS_ALNUM, 1 },
	{ "LS0tLS1CRUdJTiBPUEVOU1NI", CS_ALNUM, 1 },
	{ "LS0tLS1CRUdJTiBFTkNSWVBU", CS_ALNUM, 1 },
	{ "LS0tLS1CRUdJTiBQR1AgUFJJ", CS_ALNUM, 1 },
	{ NULL, 0, 0 },
};
static const struct token tokens_N[] = {
	{ "NRAK-", CS_ALNUM, 20 }, /* New Relic */
	{ NULL, 0, 0 },
};
static const struct token tokens_P[] = {
	{ "PMAK-", CS_WORD, 20 }, /* Postman */
	{ NULL, 0, 0 },
};
static const struct token tokens_d[] = {
	{ "dckr_pat_", CS_WORD, 16 }, /* Docker Hub */
	{ "dop_v1_", CS_HEX, 32 }, /* DigitalOcean */
	{ "doo_v1_", CS_HEX, 32 },
	{ "dapi", CS_HEX, 32 }, /* Databricks */
	{ "dp.pt.", CS_ALNUM, 16 }, /* Doppler */
	{ "dp.st.", CS_WORD, 16 },
	{ NULL, 0, 0 },
};
static const struct token tokens_g[] = {
	{ "ghp_", CS_ALNUM, 16 }, /* GitHub */
	{ "gho_", CS_ALNUM, 16 },
	{ "ghu_", CS_ALNUM, 16 },
	{ "ghs_", CS_ALNUM, 16 },
	{ "ghr_", CS_ALNUM, 16 },
	{ "github_pat_", CS_WORD, 16 },
	{ "glpat-", CS_WORD, 16 }, /* GitLab: personal, deploy, runner, job, trigger */
	{ "gldt-", CS_WORD, 16 },
	{ "glrt-", CS_WORD, 16 },
	{ "glcbt-", CS_WORD, 16 },
	{ "glptt-", CS_WORD, 16 },
	{ "gsk_", CS_ALNUM, 20 }, /* Groq */
	{ "glsa_", CS_WORD, 20 }, /* Grafana */
	{ "glc_", CS_ALNUM, 20 },
	{ NULL, 0, 0 },
};
static const struct token tokens_h[] = {
	{ "hf_", CS_ALNUM, 16 }, /* Hugging Face */
	{ "hvs.", CS_WORD, 8 }, /* HashiCorp Vault */
	{ "hvb.", CS_WORD, 8 },
	{ "hvr.", CS_WORD, 8 },
	{ NULL, 0, 0 },
};
static const struct token tokens_l[] = {
	{ "lin_api_", CS_ALNUM, 16 }, /* Linear */
	{ NULL, 0, 0 },
};
static const struct token tokens_n[] = {
	{ "nvapi-", CS_WORD, 20 }, /* NVIDIA */
	{ "npm_", CS_ALNUM, 16 }, /* npm */
	{ "ntn_", CS_ALNUM, 20 }, /* Notion */
	{ NULL, 0, 0 },
};
static const struct token tokens_p[] = {
	{ "pplx-", CS_ALNUM, 20 }, /* Perplexity */
	{ "pypi-Ag", CS_WORD, 8 }, /* PyPI */
	{ "pul-", CS_HEX, 32 }, /* Pulumi */
	{ NULL, 0, 0 },
};
static const struct token tokens_r[] = {
	{ "r8_", CS_ALNUM, 20 }, /* Replicate */
	{ "rk_live_", CS_ALNUM, 10 },
	{ "rk_test_", CS_ALNUM, 10 },
	{ "rubygems_", CS_HEX, 32 }, /* RubyGems */
	{ NULL, 0, 0 },
};
static const struct token tokens_s[] = {
	{ "sk-ant-", CS_WORD, 8 }, /* Anthropic, OpenAI, OpenRouter and others */
	{ "sk-proj-", CS_WORD, 8 },
	{ "sk-svcacct-", CS_WORD, 8 },
	{ "sk-admin-", CS_WORD, 8 },
	{ "sk-or-v1-", CS_WORD, 8 },
	{ "sk-", CS_ALNUM, 16 },
	{ "sk_live_", CS_ALNUM, 10 }, /* Stripe; pk_ is public */
	{ "sk_test_", CS_ALNUM, 10 },
	{ "shpat_", CS_ALNUM, 16 }, /* Shopify */
	{ "shpss_", CS_ALNUM, 16 },
	{ "sntrys_", CS_WORD, 20 }, /* Sentry */
	{ "sntryu_", CS_WORD, 20 },
	{ "sbp_", CS_HEX, 32 }, /* Supabase */
	{ "sb_secret_", CS_WORD, 16 },
	{ NULL, 0, 0 },
};
static const struct token tokens_t[] = {
	{ "tskey-", CS_WORD, 16 }, /* Tailscale */
	{ NULL, 0, 0 },
};
static const struct token tokens_w[] = {
	{ "whsec_", CS_ALNUM, 16 }, /* Stripe webhooks */
	{ NULL, 0, 0 },
};
static const struct token tokens_x[] = {
	{ "xoxb-", CS_WORD, 10 }, /* Slack */
	{ "xoxp-", CS_WORD, 10 },
	{ "xoxa-", CS_WORD, 10 },
	{ "xoxo-", CS_WORD, 10 },
	{ "xoxr-", CS_WORD, 10 },
	{ "xoxs-", CS_WORD, 10 },
	{ "xoxc-", CS_WORD, 10 },
	{ "xoxd-", CS_WORD, 10 },
	{ "xoxe-", CS_WORD, 10 },
	{ "xoxe.xox", CS_WORD, 10 },
	{ "xapp-", CS_WORD, 10 },
	{ "xai-", CS_ALNUM, 20 }, /* xAI */
	{ "xkeysib-", CS_WORD, 20 }, /* Brevo */
	{ NULL, 0, 0 },
};
static const struct token tokens_y[] = {
	{ "ya29.", CS_WORD, 10 }, /* Google */
	{ NULL, 0, 0 },
};

static const struct token *const tokens_by_letter[128] = {
	['A'] = tokens_A, ['G'] = tokens_G, ['L'] = tokens_L, ['N'] = tokens_N, ['P'] = tokens_P,
	['d'] = tokens_d, ['g'] = tokens_g, ['h'] = tokens_h, ['l'] = tokens_l, ['n'] = tokens_n,
	['p'] = tokens_p, ['r'] = tokens_r, ['s'] = tokens_s, ['t'] = tokens_t, ['w'] = tokens_w,
	['x'] = tokens_x, ['y'] = tokens_y,
};

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
	const struct token *t = tokens_by_letter[*s & 127];

	for (; t && t->prefix; t++) {
		if (!begins(s, t->prefix))
			continue;
		if (strspn(s + strlen(t->prefix), charsets[t->charset]) >= t->min_len)
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
