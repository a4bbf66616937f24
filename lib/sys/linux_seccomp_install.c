/* Putting a compiled filter on this process: seccomp(2) by prctl(2). */
#include <errno.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "linux_seccomp.h"

int seccomp_install(const struct sock_fprog *prog)
{
	if (prctl(PR_SET_SECCOMP, (unsigned long)SECCOMP_MODE_FILTER, prog, 0UL, 0UL) != 0)
		return -errno;
	return 0;
}

int seccomp_available(void)
{
	/* the program is read first of all, so EFAULT means that filters are there: seccomp(2) */
	if (prctl(PR_SET_SECCOMP, (unsigned long)SECCOMP_MODE_FILTER, NULL, 0UL, 0UL) == 0 ||
	    errno == EFAULT)
		return 0;
	return -errno;
}
