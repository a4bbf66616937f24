/* Steps of the command's child that each system has its own calls for. Raw: -1 with errno. */
#ifndef SBX_SANDBOX_STAGE_OS_H
#define SBX_SANDBOX_STAGE_OS_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

int stage_os_become(uid_t uid, gid_t gid); /* for good, and without supplementary groups */
int stage_os_drop_groups(void); /* Linux */
int stage_os_set_limit(int resource, const struct rlimit *limit);
int stage_os_no_new_privs(void);
/* Another control group namespace, if the command has one of these (CLONE_NEW...). */
int stage_os_begin_cgroup_ns(uint64_t namespaces);

#endif
