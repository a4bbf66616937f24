/* Monotonic clock readings. */
#include "clock.h"

#include <time.h>

uint64_t clock_now_us(void)
{
	struct timespec ts = { 0, 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &ts); /* cannot fail with this clock */
	return (uint64_t)ts.tv_sec * 1000000U + (uint64_t)ts.tv_nsec / 1000U;
}

uint64_t clock_now_ms(void)
{
	return clock_now_us() / 1000U;
}
