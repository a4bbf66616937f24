/*
 * TAP for C test programs: header only, one program = one TAP stream on stdout.
 * The plan is computed at the end, so a program that dies half-way has no plan
 * and fails; a program that asserted nothing fails too.
 * With SBX_MUST_RUN=1 a skip counts as a failure (the CI machine has everything).
 * Must not be included by anything outside tests/.
 *
 *	int main(void)
 *	{
 *		ok(1 + 1 == 2, "sums are right");
 *		is_int(f(3), 9, "f of %d", 3);
 *		return done_testing();
 *	}
 */
#ifndef SBX_TESTS_TAP_H
#define SBX_TESTS_TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tap_state {
	int ran;
	int failed;
};

/* Weak: one state, also for a program of several files. */
struct tap_state tap_state __attribute__((weak));

#define TAP_PRINTF(fmt_index, first_arg) __attribute__((format(printf, fmt_index, first_arg)))

/* 1 when a skip must count as a failure. */
static inline int tap_must_run(void)
{
	const char *v = getenv("SBX_MUST_RUN");

	return v != NULL && strcmp(v, "1") == 0;
}

/* A comment line for people, on stderr so that prove shows it at once. */
static inline void TAP_PRINTF(1, 2) diag(const char *fmt, ...)
{
	va_list ap;

	fputs("# ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static inline int TAP_PRINTF(4, 0) tap_vresult(int is_ok, const char *file, int line,
    const char *fmt, va_list ap)
{
	char name[512];
	char *p;

	vsnprintf(name, sizeof(name), fmt, ap);
	/* '#' starts a directive and a newline a new test line. */
	for (p = name; *p != '\0'; p++)
		if (*p == '#' || *p == '\n' || *p == '\r')
			*p = '_';
	tap_state.ran++;
	printf("%s %d - %s\n", is_ok ? "ok" : "not ok", tap_state.ran, name);
	/* Flushed each time: a fork in the test must not print it twice. */
	fflush(stdout);
	if (!is_ok) {
		tap_state.failed++;
		diag("failed: %s (%s:%d)", name, file, line);
	}
	return is_ok;
}

static inline int TAP_PRINTF(4, 5) tap_result(int is_ok, const char *file, int line,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	is_ok = tap_vresult(is_ok, file, line, fmt, ap);
	va_end(ap);
	return is_ok;
}

static inline int TAP_PRINTF(5, 6) tap_is_int(long long got, long long want, const char *file,
    int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_vresult(got == want, file, line, fmt, ap);
	va_end(ap);
	if (got != want)
		diag("     got: %lld\n#    want: %lld", got, want);
	return got == want;
}

static inline int TAP_PRINTF(5, 6) tap_is_str(const char *got, const char *want, const char *file,
    int line, const char *fmt, ...)
{
	int same = got == want || (got != NULL && want != NULL && strcmp(got, want) == 0);
	va_list ap;

	va_start(ap, fmt);
	tap_vresult(same, file, line, fmt, ap);
	va_end(ap);
	if (!same)
		diag("     got: %s\n#    want: %s", got == NULL ? "(null)" : got,
		    want == NULL ? "(null)" : want);
	return same;
}

static inline int TAP_PRINTF(6, 7) tap_is_mem(const void *got, const void *want, size_t size_bytes,
    const char *file, int line, const char *fmt, ...)
{
	const unsigned char *g = got, *w = want;
	size_t i = 0;
	va_list ap;

	while (g != NULL && w != NULL && i < size_bytes && g[i] == w[i])
		i++;
	va_start(ap, fmt);
	tap_vresult(i == size_bytes, file, line, fmt, ap);
	va_end(ap);
	if (i != size_bytes)
		diag("first difference at byte %zu of %zu", i, size_bytes);
	return i == size_bytes;
}

/*
 * The assertions. Each takes a printf format that names what is promised, and
 * returns true when it held. is_mem compares size_bytes bytes.
 */
#define ok(cond, ...) tap_result((cond) ? 1 : 0, __FILE__, __LINE__, __VA_ARGS__)
#define is_int(got, want, ...) \
	tap_is_int((long long)(got), (long long)(want), __FILE__, __LINE__, __VA_ARGS__)
#define is_str(got, want, ...) tap_is_str((got), (want), __FILE__, __LINE__, __VA_ARGS__)
#define is_mem(got, want, size_bytes, ...) \
	tap_is_mem((got), (want), (size_bytes), __FILE__, __LINE__, __VA_ARGS__)

/* One assertion that cannot be made here; the reason is shown. */
static inline void skip(const char *reason)
{
	if (tap_must_run()) {
		tap_result(0, __FILE__, __LINE__, "must run, but was skipped: %s", reason);
		return;
	}
	tap_state.ran++;
	printf("ok %d # SKIP %s\n", tap_state.ran, reason);
	fflush(stdout);
	diag("skipped: %s", reason);
}

/* The whole program cannot run here: call before the first assertion. */
static inline void __attribute__((noreturn)) skip_all(const char *reason)
{
	if (tap_must_run()) {
		tap_result(0, __FILE__, __LINE__, "must run, but was skipped: %s", reason);
		printf("1..%d\n", tap_state.ran);
		exit(1);
	}
	printf("1..0 # SKIP %s\n", reason);
	exit(0);
}

/* The test itself is broken (no memory, no scratch file): stop everything. */
#define BAIL(...) \
	do { \
		printf("Bail out! " __VA_ARGS__); \
		printf(" (%s:%d)\n", __FILE__, __LINE__); \
		exit(255); \
	} while (0)

/* Print the plan. Returns the exit status for main: 0, or 1 on any failure. */
static inline int done_testing(void)
{
	if (tap_state.ran == 0)
		tap_result(0, __FILE__, __LINE__, "a test program must assert something");
	printf("1..%d\n", tap_state.ran);
	fflush(stdout);
	return tap_state.failed == 0 ? 0 : 1;
}

#endif
