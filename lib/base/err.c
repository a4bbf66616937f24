/*
 * The error object: filling, wrapping, and the one table from kind to exit status and JSON-RPC
 * code. Must not allocate, print or keep a pointer: it runs in a forked child, in a child that
 * shares its parent's memory, and when memory is out.
 */
#include "err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "str.h"

/* What a context put in front by err_wrap may take from a message that fills the whole room. */
#define ERR_WRAP_MIN ((size_t)ERR_MSG_MAX / 4)

static const struct err_row {
	char name[20];
	int exit_status;
	int rpc_code;
} err_rows[] = {
#define ERR_ROW(kind, status, rpc) [kind] = { #kind, status, rpc },
	ERR_KINDS(ERR_ROW)
#undef ERR_ROW
};

/* A kind that is in no row came from a bug or a broken record: it must not look like success. */
static const struct err_row *err_row_of(const struct err *e)
{
	if (e->kind < 0 || e->kind >= ERR_KIND_COUNT)
		return &err_rows[ERR_INTERNAL];
	return &err_rows[e->kind];
}

/* Cut s of len bytes down to max bytes, "..." at the end, never inside a UTF-8 sequence. */
static size_t err_cut(char *s, size_t len, size_t max)
{
	if (len <= max)
		return len;
	size_t n = str_utf8_floor(s, max - 3);
	memcpy(s + n, "...", 4);
	return n + 3;
}

/* Format into out[ERR_MSG_MAX], at most max bytes without the NUL; returns the length. */
static size_t __attribute__((format(printf, 3, 0)))
err_format(char *out, size_t max, const char *fmt, va_list ap)
{
	int n = vsnprintf(out, ERR_MSG_MAX, fmt, ap);
	if (n < 0) {
		out[0] = '\0';
		return 0;
	}
	size_t len = (size_t)n;
	if (len < ERR_MSG_MAX)
		return err_cut(out, len, max);
	return err_cut(out, ERR_MSG_MAX, max);
}

int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	char text[ERR_MSG_MAX]; /* not e->msg itself: an argument may point into it */
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	size_t len = err_format(text, ERR_MSG_MAX - 1, fmt, ap);
	va_end(ap);
	e->kind = (int)kind;
	e->errnum = 0;
	memcpy(e->msg, text, len + 1);
	return -1;
}

static int __attribute__((format(printf, 4, 0)))
err_cause(struct err *e, enum err_kind kind, int errnum, const char *fmt, va_list ap)
{
	char text[ERR_MSG_MAX];

	if (!e)
		return -1;
	const char *cause = strerror(errnum);
	size_t cause_len = strlen(cause);
	/* A long path is cut, not the cause behind it. */
	size_t len = err_format(text, ERR_MSG_MAX - 1 - 2 - cause_len, fmt, ap);
	e->kind = (int)kind;
	e->errnum = errnum;
	memcpy(e->msg, text, len);
	memcpy(e->msg + len, ": ", 2);
	memcpy(e->msg + len + 2, cause, cause_len + 1);
	return -1;
}

int err_sys(struct err *e, enum err_kind kind, int errnum, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)err_cause(e, kind, errnum, fmt, ap);
	va_end(ap);
	return -1;
}

int err_errno(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	int errnum = errno;
	va_list ap;

	va_start(ap, fmt);
	(void)err_cause(e, kind, errnum, fmt, ap);
	va_end(ap);
	return -1;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char text[ERR_MSG_MAX];
	va_list ap;

	if (!e)
		return -1;
	size_t msg_len = strnlen(e->msg, ERR_MSG_MAX - 1);
	size_t room = ERR_MSG_MAX - 1 - 2 - msg_len;
	if (msg_len > ERR_MSG_MAX - 1 - 2 - ERR_WRAP_MIN)
		room = ERR_WRAP_MIN;
	va_start(ap, fmt);
	size_t len = err_format(text, room, fmt, ap);
	va_end(ap);
	msg_len = err_cut(e->msg, msg_len, ERR_MSG_MAX - 1 - 2 - len);
	memmove(e->msg + len + 2, e->msg, msg_len);
	e->msg[len + 2 + msg_len] = '\0';
	memcpy(e->msg, text, len);
	memcpy(e->msg + len, ": ", 2);
	return -1;
}

void err_clear(struct err *e)
{
	if (!e)
		return;
	e->kind = ERR_NONE;
	e->errnum = 0;
	e->msg[0] = '\0';
}

void err_sanitize(struct err *e)
{
	/* A record exists because something failed: "no error" in it must not give status 0. */
	if (e->kind <= ERR_NONE || e->kind >= ERR_KIND_COUNT)
		e->kind = ERR_INTERNAL;
	if (e->errnum < 0)
		e->errnum = 0;
	e->msg[ERR_MSG_MAX - 1] = '\0';
	if (!e->msg[0])
		snprintf(e->msg, sizeof(e->msg), "failed without a message");
}

int err_exit_status(const struct err *e)
{
	return err_row_of(e)->exit_status;
}

int err_rpc_code(const struct err *e)
{
	return err_row_of(e)->rpc_code;
}

const char *err_kind_name(const struct err *e)
{
	return err_row_of(e)->name;
}
