/* What a program's file says of the one that loads it. */
#ifndef SBX_SANDBOX_MISSING_OS_H
#define SBX_SANDBOX_MISSING_OS_H

#include <stddef.h>

/* From the first len bytes of its file into interp[size]; untouched: none. */
void missing_os_interpreter(const char *head, size_t len, char *interp, size_t size);

#endif
