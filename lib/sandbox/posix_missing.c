/* Elsewhere than on Linux every program has the same loader, and it is always there. */
#include "missing_os.h"

void missing_os_interpreter(const char *head, size_t len, char *interp, size_t size)
{
	(void)head, (void)len, (void)interp, (void)size;
}
