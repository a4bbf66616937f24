/*
 * A short printable form of text that the user gave: the units of str_printable_unit() as long as
 * they fit. Must not allocate, so that a message about missing memory can use it.
 */
#include "shown.h"

#include <string.h>

#include "../base/str.h"

#define SHOWN_MARK "…" /* stands for what was cut */

const char *shown_text(struct shown *s, const char *text, size_t len)
{
	const size_t mark_len = sizeof(SHOWN_MARK) - 1;
	size_t left = strnlen(text, len);
	size_t n = 0;
	size_t cut = 0; /* the longest form that leaves room for the mark */

	while (left) {
		char unit[4];
		size_t unit_len;
		size_t used = str_printable_unit(text, left, unit, &unit_len);
		if (n + unit_len > SHOWN_BYTES) {
			memcpy(s->text + cut, SHOWN_MARK, mark_len);
			n = cut + mark_len;
			break;
		}
		memcpy(s->text + n, unit, unit_len);
		n += unit_len;
		if (n + mark_len <= SHOWN_BYTES)
			cut = n;
		text += used;
		left -= used;
	}
	s->text[n] = '\0';
	return s->text;
}
