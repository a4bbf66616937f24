/*
 * Table-driven options. One table an applet gives the parser, --help, the man page, shell
 * completion, the README block and the keys of a policy file. The parser stores through offsets
 * into one target struct; anything special is a function of the entry. Options end at the first
 * word that is not one, or at "--".
 */
#ifndef SBX_BASE_OPT_H
#define SBX_BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

enum opt_type {
	OPT_FLAG,     /* bool at offset = true */
	OPT_COUNT,    /* int at offset += 1 (-v) */
	OPT_STRING,   /* char * at offset, owned; a repeated one replaces */
	OPT_SIZE,     /* uint64_t at offset, bytes (str_parse_size) */
	OPT_DURATION, /* uint64_t at offset, milliseconds (str_parse_duration) */
	OPT_U64,      /* uint64_t at offset */
	OPT_LIST,     /* struct strv at offset, repeatable */
	OPT_FUNC,     /* parse() does it; repeatable at its own choice */
};

enum {
	OPT_CLI_ONLY = 1 << 0,    /* no key of a policy file */
	OPT_POLICY_ONLY = 1 << 1, /* a key of a policy file only (aliases of other products) */
	OPT_HIDDEN = 1 << 2,      /* not in help */
	OPT_REPEATS = 1 << 3,     /* help says so; in JSON an array (or one string) */
	/* OPT_FUNC only: --name or --name=VALUE, never a second word; parse() may get NULL. */
	OPT_OPTIONAL_ARG = 1 << 4,
};

struct opt {
	const char *name;   /* long name without dashes; the JSON key is the same with '-' as '_' */
	const char *arg;    /* "DIR", "none|loopback|host"; NULL for flags */
	const char *help;   /* one line, no full stop */
	const char *dflt;   /* shown as default; NULL: none */
	const char *group;  /* heading in help; NULL: as the entry before */
	int (*parse)(void *target, const char *value, struct err *e); /* OPT_FUNC */
	uint16_t offset;     /* into the target */
	uint16_t set_offset; /* a bool that becomes true when the option was given; 0: none */
	uint16_t flags;
	char letter;         /* 0: none */
	uint8_t type;        /* enum opt_type */
};

struct opt_table {
	const char *applet;   /* "sbx-run" */
	const char *synopsis; /* "[options] [--] COMMAND [ARG...]" */
	const char *summary;  /* one line */
	/*
	 * For --help and the man page: exit statuses, examples; may be NULL. Paragraphs end at a
	 * blank line and are filled; a line that starts with a space stands as it is; a line that
	 * ends in ':' and begins a paragraph is a heading.
	 */
	const char *details;
	const struct opt *opts;
	size_t count;
};

/*
 * Parse argv[1..argc-1] into target. Accepts --name VALUE, --name=VALUE, -x VALUE, -xVALUE,
 * clustered flags (-qv), and unique prefixes are NOT accepted (a later option must not change what
 * a script means). Returns the index of the first operand (argc if none), or -1 (ERR_USAGE: unknown
 * option with the nearest name suggested, missing or needless value, bad number; the message names
 * the option). --help and --version are ordinary flags of the table. argv[argc] is NULL, as for
 * main(). What was stored before a failure stays in target, for the caller to free.
 */
int opt_parse(const struct opt_table *table, int argc, char *const *argv, void *target,
	      struct err *e);

/*
 * Apply one value to one entry; used by opt_parse and by the policy file. value is NULL for
 * OPT_FLAG, OPT_COUNT and an OPT_FUNC without arg. A message of parse() need not name the option:
 * "--name: " is put in front here.
 */
int opt_apply(const struct opt *opt, void *target, const char *value, struct err *e);
/* By command line name; NULL for an unknown name and for what is OPT_POLICY_ONLY. */
const struct opt *opt_find(const struct opt_table *table, const char *name, size_t name_len);
/* By key of a policy file; NULL for an unknown key and for what is OPT_CLI_ONLY. */
const struct opt *opt_find_key(const struct opt_table *table, const char *json_key);

bool opt_takes_value(const struct opt *opt); /* also where it is optional */

/* Text of 80 columns, man(7) source, the README table, a script for bash. */
int opt_put_help(const struct opt_table *table, struct buf *out, struct err *e);
int opt_put_man(const struct opt_table *table, struct buf *out, struct err *e);
int opt_put_markdown(const struct opt_table *table, struct buf *out, struct err *e);
int opt_put_completion(const struct opt_table *table, struct buf *out, struct err *e);

#endif
