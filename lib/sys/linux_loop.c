/* Linux: ppoll(2). */
#include <time.h>

#include "loop_os.h"

int loop_os_wait(struct pollfd *polls, size_t count, int64_t timeout_us, const sigset_t *mask)
{
	struct timespec ts = { timeout_us / 1000000, (long)(timeout_us % 1000000) * 1000 };

	return ppoll(polls, (nfds_t)count, timeout_us < 0 ? NULL : &ts, mask);
}
