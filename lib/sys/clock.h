/* Monotonic time for deadlines and durations (clock_gettime(2)); wall-clock time is nobody's
 * business here. */
#ifndef SBX_SYS_CLOCK_H
#define SBX_SYS_CLOCK_H

#include <stdint.h>

uint64_t clock_now_us(void); /* microseconds since some fixed point */
uint64_t clock_now_ms(void);

#endif
