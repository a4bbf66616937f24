/* macOS: the dynamic linker knows (dyld(3)). */
#include <limits.h>
#include <mach-o/dyld.h>
#include <stddef.h>
#include <stdint.h>

#include "self_os.h"

const char *self_os_name(void)
{
	static char path[PATH_MAX];
	uint32_t size = sizeof path;

	return _NSGetExecutablePath(path, &size) == 0 ? path : NULL;
}
