/*
 * Numbers, sizes and durations as users write them, exact in 64-bit integers: no floating point, no
 * strtod, no locale. The whole string counts or it is refused. Fractions round up: a limit that was
 * asked for must never become 0, which means "none" for most limits.
 */
#include <string.h>

#include "str.h"

struct num_unit {
	char name[4];
	uint64_t factor; /* 0: the end of a list */
};

static const struct num_unit size_units[] = {
	{ "", 1 },
	{ "k", UINT64_C(1) << 10 }, { "kb", UINT64_C(1) << 10 }, { "kib", UINT64_C(1) << 10 },
	{ "m", UINT64_C(1) << 20 }, { "mb", UINT64_C(1) << 20 }, { "mib", UINT64_C(1) << 20 },
	{ "g", UINT64_C(1) << 30 }, { "gb", UINT64_C(1) << 30 }, { "gib", UINT64_C(1) << 30 },
	{ "t", UINT64_C(1) << 40 }, { "tb", UINT64_C(1) << 40 }, { "tib", UINT64_C(1) << 40 },
	{ "", 0 },
};

static const struct num_unit duration_units[] = {
	{ "", 1000 }, { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }, { "", 0 },
};

/* "WHAT: 'VALUE' WHY" */
static int num_refuse(const char *what, const char *value, const char *why, struct err *e)
{
	struct str_shown shown;

	return err_set(e, ERR_USAGE, "%s: '%s' %s", what, str_shown(&shown, value, SIZE_MAX), why);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int str_take_u64(const char **s, uint64_t *out)
{
	uint64_t n = 0;

	if (!is_digit(**s))
		return -1;
	for (; is_digit(**s); (*s)++)
		if (__builtin_mul_overflow(n, 10U, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(**s - '0'), &n))
			return -1;
	*out = n;
	return 0;
}

int str_parse_u64(const char *s, uint64_t max, const char *what, uint64_t *out, struct err *e)
{
	const char *end = s;
	uint64_t n = 0;

	if (!*s || strspn(s, "0123456789") != strlen(s))
		return num_refuse(what, s, "is no whole number", e);
	if (str_take_u64(&end, &n) < 0 || n > max)
		return num_refuse(what, s, "is too large", e);
	*out = n;
	return 0;
}

/* Size units are accepted in any case; ASCII only. */
static bool unit_matches(const char *text, const char *name, bool any_case)
{
	for (; *text; text++, name++) {
		char c = *text;
		if (any_case && c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (c != *name)
			return false;
	}
	return !*name;
}

static const struct num_unit *unit_find(const struct num_unit *units, const char *text,
					bool any_case)
{
	for (; units->factor; units++)
		if (unit_matches(text, units->name, any_case))
			return units;
	return NULL;
}

/*
 * The n digits behind the point times factor, rounded up, for any n: from the last digit to the
 * first, x = ceil((digit * factor + x) / 10). Rounding at each step is exact:
 * ceil((a + ceil(b)) / 10) = ceil((a + b) / 10) for a whole number a.
 */
static uint64_t num_scale_fraction(const char *digits, size_t n, uint64_t factor)
{
	uint64_t x = 0;

	while (n--)
		x = ((uint64_t)(digits[n] - '0') * factor + x + 9) / 10;
	return x;
}

static int num_parse_scaled(const char *s, const struct num_unit *units, bool any_case,
			    const char *what, const char *why, uint64_t *out, struct err *e)
{
	const char *end = s + strspn(s, "0123456789");
	const char *fraction = end;
	size_t fraction_len = 0;

	if (end == s)
		return num_refuse(what, s, why, e);
	if (*end == '.') {
		fraction = end + 1;
		fraction_len = strspn(fraction, "0123456789");
		end = fraction + fraction_len;
		if (!fraction_len)
			return num_refuse(what, s, why, e);
	}
	const struct num_unit *unit = unit_find(units, end, any_case);
	if (!unit)
		return num_refuse(what, s, why, e);
	if (fraction_len && unit->factor == 1 && !*end)
		return num_refuse(what, s, "is a fraction of a byte", e);
	uint64_t n;
	const char *whole = s;
	if (str_take_u64(&whole, &n) < 0 || __builtin_mul_overflow(n, unit->factor, &n) ||
	    __builtin_add_overflow(n, num_scale_fraction(fraction, fraction_len, unit->factor), &n))
		return num_refuse(what, s, "is too large", e);
	*out = n;
	return 0;
}

int str_parse_size(const char *s, const char *what, uint64_t *out_bytes, struct err *e)
{
	return num_parse_scaled(s, size_units, true, what,
				"is no size (such as 4096, 512k, 64m, 1.5g)", out_bytes, e);
}

int str_parse_duration(const char *s, const char *what, uint64_t *out_ms, struct err *e)
{
	return num_parse_scaled(s, duration_units, false, what,
				"is no duration (such as 500ms, 30s, 2m, 1.5h)", out_ms, e);
}
