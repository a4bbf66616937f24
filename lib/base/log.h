/*
 * Diagnostics on stderr, and nowhere else. Levels as the product's contract has them: L1 errors,
 * L2 lifecycle, L3 argv (redacted by the caller), L4 deep trace (per-line output, environment
 * names, never values). One line a call, written with one write(2), so that lines of many
 * processes do not mix. Descriptor 2 must be stderr or closed: main() sees to it before anything
 * else is opened.
 */
#ifndef SBX_BASE_LOG_H
#define SBX_BASE_LOG_H

#include <stdbool.h>

enum log_level { LOG_QUIET = 0, LOG_ERROR = 1, LOG_LIFECYCLE = 2, LOG_ARGV = 3, LOG_TRACE = 4 };

extern enum log_level log_level; /* LOG_ERROR at start */
extern bool log_want_notices;    /* true at start; -q takes them away and leaves errors */

/*
 * "applet: text\n", at most LIMIT_LOG_LINE bytes, control bytes made printable, errno untouched.
 * The name is set once by main (static or argv memory).
 */
void log_set_name(const char *name);
void log_write(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Notices that the user must see unless quiet (a layer is missing, a default was not usable). */
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
