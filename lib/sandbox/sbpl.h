/*
 * Profiles for sandbox-exec(1), in the system's sandbox profile language (S-expressions; of several
 * rules that match the last one counts, and "default" only where none does). Pure: what is to be
 * allowed in, text out. A path can never add a rule: it is written as a quoted string, and what a
 * string cannot hold for sure is refused.
 */
#ifndef SBX_SANDBOX_SBPL_H
#define SBX_SANDBOX_SBPL_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/buf.h"
#include "../base/err.h"
#include "../base/str.h"
#include "../policy/policy.h"

enum sbpl_access {
	SBPL_READ,       /* and execute; no writing, also inside a place that is writable */
	SBPL_READ_WRITE, /* and sockets */
	SBPL_PROGRAM,    /* one file to read and run */
};

struct sbpl_place { /* real paths: the system compares those of what a name leads to */
	char *path; /* owned */
	enum sbpl_access access;
};

struct sbpl {
	bool is_strict;           /* false: the network only, and nothing below counts */
	enum net_mode net;        /* NONE or HOST */
	bool want_tty;            /* the command has a terminal of its own */
	struct strv private;      /* places that nobody may look into, but for ... */
	struct sbpl_place *places; /* owned */
	size_t place_count, place_alloc;
	struct strv hidden; /* after all of them; exist, or can be made by nobody inside */
};

void sbpl_init(struct sbpl *s);
void sbpl_fini(struct sbpl *s);
int sbpl_add_place(struct sbpl *s, const char *path, enum sbpl_access access, struct err *e);
/* Is path in a place where the command can write (not only the place itself)? */
bool sbpl_is_writable(const struct sbpl *s, const char *path);
/* Sorts the places. Errors: ERR_REFUSED for a path that cannot be written down. */
int sbpl_put(struct sbpl *s, struct buf *out, struct err *e);
/* text as a string of the language, with its quotes. The same error; then nothing is added. */
int sbpl_put_string(struct buf *out, const char *text, struct err *e);

#endif
