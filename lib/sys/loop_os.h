/* Waiting for descriptors and signals at once, atomically: ppoll(2) on Linux, pselect elsewhere. */
#ifndef SBX_SYS_LOOP_OS_H
#define SBX_SYS_LOOP_OS_H

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

/* timeout_us < 0: no limit; mask NULL: as it is. As poll(2): count of ready entries, 0 after the
 * time, -1 with errno. */
int loop_os_wait(struct pollfd *polls, size_t count, int64_t timeout_us, const sigset_t *mask);

#endif
