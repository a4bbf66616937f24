/* Writing to stdout and to result files, with the one rule: a reader that is gone is
 * ERR_STDOUT_GONE, no message. */
#ifndef SBX_APPLETS_OUT_H
#define SBX_APPLETS_OUT_H

#include <sys/types.h>

#include "../lib/base/buf.h"
#include "../lib/base/err.h"

int out_text(const char *text, struct err *e);
int out_buf(const struct buf *b, struct err *e);
int out_copy_file(
    const char *from, const char *to, mode_t mode, struct err *e); /* to must not exist */

#endif
