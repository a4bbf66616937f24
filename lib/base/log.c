/*
 * Diagnostics: one printable line, one write(2), on stderr. No allocation, no stdio, so that a
 * forked child may log. Must not touch stdout, and must not fail: a closed or full stderr loses the
 * line and nothing else.
 */
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "limits.h"
#include "str.h"

enum log_level log_level = LOG_ERROR;
bool log_want_notices = true;

static const char *log_name = "sbx";

void log_set_name(const char *name)
{
	log_name = name;
}

static void __attribute__((format(printf, 2, 0)))
log_emit(const char *prefix, const char *fmt, va_list ap)
{
	char text[LIMIT_LOG_LINE + 1]; /* one more than fits, so that a cut shows */
	char line[LIMIT_LOG_LINE];
	int saved_errno = errno;

	int n = snprintf(text, sizeof(text), "%.64s: %s", log_name, prefix);
	size_t used = n < 0 ? 0 : (size_t)n;
	n = vsnprintf(text + used, sizeof(text) - used, fmt, ap);
	if (n < 0)
		text[used] = '\0';
	size_t len = str_printable(line, sizeof(line) - 1, text, strlen(text));
	line[len++] = '\n';
	/* At most PIPE_BUF bytes: a pipe takes them whole or not at all (pipe(7)). */
	while (write(STDERR_FILENO, line, len) < 0 && errno == EINTR)
		;
	errno = saved_errno;
}

void log_write(enum log_level level, const char *fmt, ...)
{
	va_list ap;

	if (level > log_level)
		return;
	va_start(ap, fmt);
	log_emit("", fmt, ap);
	va_end(ap);
}

void log_warn(const char *fmt, ...)
{
	va_list ap;

	if (log_level == LOG_QUIET || !log_want_notices)
		return;
	va_start(ap, fmt);
	log_emit("warning: ", fmt, ap);
	va_end(ap);
}
