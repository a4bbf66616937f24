/* What the guardian does in another way on each system. */
#ifndef SBX_SANDBOX_GUARD_OS_H
#define SBX_SANDBOX_GUARD_OS_H

#include "guard.h"

/* For the command's --tty: fills pty_master_fd and pty_slave_fd, with the caller's window size. */
int guard_os_open_pty(struct guard *g, struct err *e);
/* Once the command runs: give up what neither ending it nor cleaning up needs; and take back what
 * cleaning up does. */
void guard_os_drop_rights(const struct guard *g);
void guard_os_regain_rights(const struct guard *g);
/* Of guard.c, for guard_start(), which is the system's. */
void guard_tell_record(struct guard *g, int pass_fd);
void guard_on_control(struct loop_watch *w, short revents);

#endif
