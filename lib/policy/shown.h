/*
 * A short printable form of text that the user gave, for error messages. Never for values of
 * variables: an error message ends in logs and results.
 */
#ifndef SBX_POLICY_SHOWN_H
#define SBX_POLICY_SHOWN_H

#include <stddef.h>

#define SHOWN_BYTES 64

struct shown {
	char text[SHOWN_BYTES + 1];
};

/* At most len bytes of text, up to its NUL, cut after SHOWN_BYTES; returns s->text. Cannot fail. */
const char *shown_text(struct shown *s, const char *text, size_t len);

#endif
