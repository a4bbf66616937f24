/* Elsewhere than on Linux: for root setgid(2) and setuid(2) change the saved ids too. */
#include <errno.h>
#include <grp.h>
#include <unistd.h>

#include "stage_os.h"

int stage_os_become(uid_t uid, gid_t gid)
{
	return setgroups(1, &gid) != 0 || setgid(gid) != 0 || setuid(uid) != 0 ? -1 : 0;
}

int stage_os_set_limit(int resource, const struct rlimit *limit)
{
	return setrlimit(resource, limit);
}

int stage_os_no_new_privs(void)
{
	errno = ENOSYS;
	return -1;
}

int stage_os_begin_cgroup_ns(uint64_t namespaces)
{
	(void)namespaces;
	return 0;
}
