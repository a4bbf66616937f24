/* The error object: filling, wrapping, cutting, and the kind table. */
#include "lib/base/err.h"

#include <errno.h>

#include "lib/base/str.h"
#include "tap.h"

/* The tail of a message, for comparing what must survive a cut. */
static const char *tail(const struct err *e, size_t n)
{
	size_t len = strlen(e->msg);

	return e->msg + (len > n ? len - n : 0);
}

static void test_fill(void)
{
	struct err e = ERR_INIT;

	is_int(err_exit_status(&e), 0, "a fresh object means exit status 0");
	is_int(err_set(&e, ERR_USAGE, "bad %s %d", "thing", 7), -1, "err_set returns -1");
	is_str(e.msg, "bad thing 7", "err_set formats");
	is_int(e.kind, ERR_USAGE, "err_set keeps the kind");
	is_int(e.errnum, 0, "err_set has no errno");
	is_int(err_sys(&e, ERR_IO, ENOENT, "open %s", "x"), -1, "err_sys returns -1");
	is_str(e.msg, "open x: No such file or directory", "err_sys names the cause");
	is_int(e.errnum, ENOENT, "err_sys keeps errno");
	is_int(err_wrap(&e, "mount %s", "/proc"), -1, "err_wrap returns -1");
	is_str(e.msg, "mount /proc: open x: No such file or directory",
	       "err_wrap puts its text in front");
	is_int(e.kind, ERR_IO, "err_wrap leaves the kind");
	is_int(e.errnum, ENOENT, "err_wrap leaves errno");
	err_set(&e, ERR_USAGE, "again: %s", e.msg);
	is_str(e.msg, "again: mount /proc: open x: No such file or directory",
	       "an argument may be the message itself");
	err_wrap(&e, "%s", e.msg);
	ok(str_starts_with(e.msg, "again: mount /proc") && str_ends_with(e.msg, "directory"),
	   "err_wrap may be given the message itself");
	err_clear(&e);
	ok(e.kind == ERR_NONE && e.errnum == 0 && !e.msg[0], "err_clear empties");
	is_int(err_set(NULL, ERR_IO, "x"), -1, "err_set takes NULL");
	is_int(err_sys(NULL, ERR_IO, EIO, "x"), -1, "err_sys takes NULL");
	is_int(err_wrap(NULL, "x"), -1, "err_wrap takes NULL");
	err_clear(NULL);
}

static void test_cut(void)
{
	struct err e = ERR_INIT;
	char text[3000];

	memset(text, 'a', sizeof(text));
	text[ERR_MSG_MAX - 1] = '\0';
	err_set(&e, ERR_IO, "%s", text);
	is_int(strlen(e.msg), ERR_MSG_MAX - 1, "a message that just fits is whole");
	ok(!str_ends_with(e.msg, "..."), "and carries no mark");
	text[ERR_MSG_MAX - 1] = 'a';
	text[ERR_MSG_MAX] = '\0';
	err_set(&e, ERR_IO, "%s", text);
	is_int(strlen(e.msg), ERR_MSG_MAX - 1, "one byte more is cut");
	is_str(tail(&e, 4), "a...", "and marked");
	text[ERR_MSG_MAX] = 'a';
	text[sizeof(text) - 1] = '\0';
	err_sys(&e, ERR_IO, EACCES, "open %s", text);
	is_int(strlen(e.msg), ERR_MSG_MAX - 1, "a long path is cut");
	is_str(tail(&e, 23), "aaa...: Permission denied" + 2, "and its cause survives");
	err_wrap(&e, "%s", text);
	is_int(strlen(e.msg), ERR_MSG_MAX - 1, "a long context on a full message fits");
	ok(strstr(e.msg, "...: open aaa") != NULL,
	   "the context is cut, the start of the cause is there");
	err_wrap(&e, "first");
	ok(str_starts_with(e.msg, "first: aaa"), "a short context is whole on a full message");
	is_str(tail(&e, 4), "a...", "the end is cut then");
	err_set(&e, ERR_IO, "cause");
	err_wrap(&e, "%s", text);
	is_str(tail(&e, 10), "...: cause", "a long context leaves a short cause whole");
	is_int(strlen(e.msg), ERR_MSG_MAX - 1, "and fills the room");
}

static void test_cut_utf8(void)
{
	struct err e = ERR_INIT;
	char text[1000];
	size_t bad = 0;

	for (size_t shift = 0; shift < 4; shift++) {
		memset(text, 'x', shift);
		for (size_t i = shift; i + 4 < sizeof(text); i += 4)
			memcpy(text + i, "\xf0\x9f\x98\x80", 5);
		err_set(&e, ERR_IO, "%s", text);
		bad += !str_is_utf8(e.msg, strlen(e.msg)) || !str_ends_with(e.msg, "...");
		err_sys(&e, ERR_IO, EIO, "%s", text);
		bad += !str_is_utf8(e.msg, strlen(e.msg));
		err_wrap(&e, "%s", text);
		bad += !str_is_utf8(e.msg, strlen(e.msg));
	}
	is_int(bad, 0, "a cut never splits a UTF-8 sequence");
}

static void test_table(void)
{
	static const struct {
		enum err_kind kind;
		const char *name;
		int status;
		int rpc;
	} rows[] = {
		{ ERR_NONE, "ERR_NONE", 0, 0 },
		{ ERR_USAGE, "ERR_USAGE", 125, -32602 },
		{ ERR_SETUP, "ERR_SETUP", 125, -32603 },
		{ ERR_REFUSED, "ERR_REFUSED", 125, -32603 },
		{ ERR_IO, "ERR_IO", 125, -32603 },
		{ ERR_NOMEM, "ERR_NOMEM", 125, -32603 },
		{ ERR_INTERNAL, "ERR_INTERNAL", 125, -32603 },
		{ ERR_NOT_EXECUTABLE, "ERR_NOT_EXECUTABLE", 126, -32603 },
		{ ERR_NOT_FOUND, "ERR_NOT_FOUND", 127, -32603 },
		{ ERR_STDOUT_GONE, "ERR_STDOUT_GONE", 141, -32603 },
	};
	struct err e = ERR_INIT;

	is_int(sizeof(rows) / sizeof(rows[0]), ERR_KIND_COUNT, "every kind is checked here");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		e.kind = (int)rows[i].kind;
		is_str(err_kind_name(&e), rows[i].name, "name of kind %zu", i);
		is_int(err_exit_status(&e), rows[i].status, "exit status of %s", rows[i].name);
		is_int(err_rpc_code(&e), rows[i].rpc, "JSON-RPC code of %s", rows[i].name);
	}
	static const int broken[] = { -1, ERR_KIND_COUNT, 1000000, -2147483647 - 1 };
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		e.kind = broken[i];
		is_int(err_exit_status(&e), 125, "kind %d is never success", broken[i]);
		is_str(err_kind_name(&e), "ERR_INTERNAL", "kind %d is called internal", broken[i]);
	}
}

static void test_sanitize(void)
{
	struct err e;

	memset(&e, 0xff, sizeof(e));
	err_sanitize(&e);
	is_int(e.kind, ERR_INTERNAL, "a negative kind becomes internal");
	is_int(e.errnum, 0, "a negative errno becomes 0");
	is_int(strlen(e.msg), ERR_MSG_MAX - 1, "the message is terminated");
	memset(&e, 0, sizeof(e));
	err_sanitize(&e);
	is_int(e.kind, ERR_INTERNAL, "a record of zeros is no success");
	ok(e.msg[0], "and has a message");
	e.kind = ERR_KIND_COUNT;
	err_sanitize(&e);
	is_int(e.kind, ERR_INTERNAL, "a kind past the end becomes internal");
	err_sys(&e, ERR_NOT_FOUND, ENOENT, "exec x");
	struct err before = e;
	err_sanitize(&e);
	is_mem(&e, &before, offsetof(struct err, msg) + strlen(before.msg) + 1,
	       "a good record stays as it is");
}

int main(void)
{
	test_fill();
	test_cut();
	test_cut_utf8();
	test_table();
	test_sanitize();
	return done_testing();
}
