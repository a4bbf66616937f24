/* splice(2), where the system has it. */
#ifndef SBX_SANDBOX_PUMP_OS_H
#define SBX_SANDBOX_PUMP_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

bool pump_os_can_splice(void);
bool pump_os_is_pty_master(int fd, dev_t rdev);
ssize_t pump_os_splice(
    int in_fd, int out_fd, size_t len); /* never blocks on a pipe; -1 with errno */

#endif
