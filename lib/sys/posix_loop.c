/*
 * Elsewhere than on Linux: pselect(2), which also knows devices, with sets of bits of our own, as a
 * number may be beyond FD_SETSIZE (on macOS _DARWIN_UNLIMITED_SELECT lets it). An end or an error
 * shows as "readable" or "writable": the next call on the descriptor tells which.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>

#include "loop_os.h"

#define LOOP_FD_MAX 65536U

/* Words as the system's own fd_set has them; the same bit either way on a little-endian machine. */
struct loop_bits {
	_Alignas(fd_set) unsigned char byte[LOOP_FD_MAX / 8];
};

static void loop_set(struct loop_bits *b, int fd)
{
	b->byte[fd / 8] |= (unsigned char)(1U << (fd % 8));
}

static bool loop_has(const struct loop_bits *b, int fd)
{
	return (b->byte[fd / 8] >> (fd % 8) & 1) != 0;
}

static int loop_collect(
    const struct pollfd *polls, size_t count, struct loop_bits *in, struct loop_bits *out)
{
	int end = 0;

	for (size_t i = 0; i < count; i++)
		if (polls[i].fd >= end)
			end = polls[i].fd + 1;
	if (end > (int)LOOP_FD_MAX) {
		errno = EMFILE;
		return -1;
	}
	memset(in->byte, 0, ((size_t)end + 63) / 64 * 8);
	memset(out->byte, 0, ((size_t)end + 63) / 64 * 8);
	for (size_t i = 0; i < count; i++) {
		if (polls[i].fd < 0)
			continue;
		if ((polls[i].events & POLLIN) != 0)
			loop_set(in, polls[i].fd);
		if ((polls[i].events & POLLOUT) != 0)
			loop_set(out, polls[i].fd);
	}
	return end;
}

int loop_os_wait(struct pollfd *polls, size_t count, int64_t timeout_us, const sigset_t *mask)
{
	static struct loop_bits in, out; /* no threads here */
	struct timespec ts = { timeout_us / 1000000, (long)(timeout_us % 1000000) * 1000 };
	int end = loop_collect(polls, count, &in, &out), ready = 0;

	if (end < 0)
		return -1;
	if (pselect(end, (fd_set *)(void *)&in, (fd_set *)(void *)&out, NULL,
		timeout_us < 0 ? NULL : &ts, mask) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		polls[i].revents = 0;
		if (polls[i].fd < 0)
			continue;
		if ((polls[i].events & POLLIN) != 0 && loop_has(&in, polls[i].fd))
			polls[i].revents |= POLLIN;
		if ((polls[i].events & POLLOUT) != 0 && loop_has(&out, polls[i].fd))
			polls[i].revents |= POLLOUT;
		ready += polls[i].revents != 0;
	}
	return ready;
}
