/* Linux: system calls of this process alone, as libc would tell threads that it does not have. */
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stage_os.h"

int stage_os_become(uid_t uid, gid_t gid)
{
	return syscall(SYS_setgroups, 0, NULL) != 0 || syscall(SYS_setresgid, gid, gid, gid) != 0 ||
			       syscall(SYS_setresuid, uid, uid, uid) != 0 ?
		   -1 :
		   0;
}

int stage_os_no_new_privs(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
}

int stage_os_begin_cgroup_ns(uint64_t namespaces)
{
	return (namespaces & CLONE_NEWCGROUP) == 0 ? 0 : unshare(CLONE_NEWCGROUP);
}
