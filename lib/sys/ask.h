/*
 * Asking a helper program: run it to its end, with nothing on its stdin, and keep what it said. For
 * short questions whose answer is needed before anything else can be done; it waits, so its bound
 * is always given.
 */
#ifndef SBX_SYS_ASK_H
#define SBX_SYS_ASK_H

#include <stdint.h>

#include "../base/buf.h"
#include "../base/err.h"

enum ask_until {
	ASK_UNTIL_ANSWERED, /* or the bound */
	ASK_UNTIL_SIGNAL, /* or we are told to end (loop_ending_signal()): errnum EINTR */
};

/*
 * argv[0] is an absolute path; env is all of its environment. stdout goes to out and stderr to
 * said, up to their caps; what is more is read and dropped. Returns the exit status as a shell
 * counts (128+n after a signal), or -1: it could not be started, or did not end within timeout_ms
 * (errnum ETIMEDOUT) and was killed with its process group. A program that it left behind and that
 * keeps stdout open is not waited for.
 */
int ask_program(char *const *argv, char *const *env, uint64_t timeout_ms, enum ask_until until,
    struct buf *out, struct buf *said, struct err *e);

#endif
