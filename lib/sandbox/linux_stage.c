/* Linux: system calls of this process alone, as libc would tell threads that it does not have. */
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stage_os.h"

/* On 32-bit ARM the calls of the plain names take 16-bit ids: there user 65536 would be root. */
#ifdef SYS_setresuid32
enum { SET_GROUPS = SYS_setgroups32, SET_GID = SYS_setresgid32, SET_UID = SYS_setresuid32 };
#else
enum { SET_GROUPS = SYS_setgroups, SET_GID = SYS_setresgid, SET_UID = SYS_setresuid };
#endif

int stage_os_drop_groups(void)
{
	return (int)syscall(SET_GROUPS, 0, NULL);
}

int stage_os_become(uid_t uid, gid_t gid)
{
	return stage_os_drop_groups() != 0 || syscall(SET_GID, gid, gid, gid) != 0 ||
			       syscall(SET_UID, uid, uid, uid) != 0 ?
		   -1 :
		   0;
}

/* prlimit(2): musl's setrlimit(3) brings the code that would tell other threads. */
int stage_os_set_limit(int resource, const struct rlimit *limit)
{
	return prlimit(0, resource, limit, NULL);
}

int stage_os_no_new_privs(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
}

int stage_os_begin_cgroup_ns(uint64_t namespaces)
{
	return (namespaces & CLONE_NEWCGROUP) == 0 ? 0 : unshare(CLONE_NEWCGROUP);
}
