/* Linux: /proc/self/exe, else what execve(2) was given (getauxval(3)). */
#include <stdint.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "self_os.h"

const char *self_os_name(void)
{
	static const char link[] = "/proc/self/exe";

	return access(link, F_OK) == 0 ? link : (const char *)(uintptr_t)getauxval(AT_EXECFN);
}
