/*
 * The one error object. A function that can fail takes a struct err, fills it once where it
 * failed and returns -1; each caller may add what it was doing (err_wrap). It holds no pointer,
 * so it works after fork, in a child that shares memory with its parent, and crosses a pipe as
 * bytes: a child's failure is an ordinary error of the parent.
 * Nothing here prints; only main() does.
 */
#ifndef SBX_BASE_ERR_H
#define SBX_BASE_ERR_H

#include <stddef.h>

/* Bytes incl. NUL. A longer text is cut with "..."; the cause that err_sys() appends never is. */
#define ERR_MSG_MAX 700

/* X(kind, exit status, JSON-RPC code): the only table that maps a kind to what the outside sees. */
#define ERR_KINDS(X)                                                                              \
	X(ERR_NONE, 0, 0)                                                                         \
	X(ERR_USAGE, 125, -32602)          /* command line, policy file, environment file */      \
	X(ERR_SETUP, 125, -32603)          /* the sandbox could not be set up */                  \
	X(ERR_REFUSED, 125, -32603)        /* a layer, limit or backend asked for is not here */  \
	X(ERR_IO, 125, -32603)             /* our own reading or writing failed */                \
	X(ERR_NOMEM, 125, -32603)                                                                 \
	X(ERR_INTERNAL, 125, -32603)                                                              \
	X(ERR_NOT_EXECUTABLE, 126, -32603) /* the command is there but cannot be run */           \
	X(ERR_NOT_FOUND, 127, -32603)      /* the command is not there */                         \
	X(ERR_STDOUT_GONE, 141, -32603)    /* 128 + SIGPIPE: nobody reads our own stdout */

enum err_kind {
#define ERR_ENUM(kind, status, rpc) kind,
	ERR_KINDS(ERR_ENUM)
#undef ERR_ENUM
	ERR_KIND_COUNT
};

struct err {
	int kind;   /* enum err_kind */
	int errnum; /* errno of the cause, 0 where there is none */
	char msg[ERR_MSG_MAX];
};

#define ERR_INIT { ERR_NONE, 0, "" }

/* Fill e (may be NULL) and return -1. err_sys appends ": " and the text of errnum, err_errno that
 * of errno. */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int err_sys(struct err *e, enum err_kind kind, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int err_errno(struct err *e, enum err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Put "text: " before the message; returns -1: `return err_wrap(e, "mount /proc");`. */
int err_wrap(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void err_clear(struct err *e);
/* A record that came over a pipe: force a known kind and a terminated message. */
void err_sanitize(struct err *e);

int err_exit_status(const struct err *e); /* 0 for ERR_NONE */
int err_rpc_code(const struct err *e);
const char *err_kind_name(const struct err *e); /* "ERR_USAGE", … ; static */

#endif
