/*
 * What a process does to itself inside new namespaces: identity maps, loopback, host name,
 * capabilities. Raw system calls, no allocation: 0 or -errno.
 */
#ifndef SBX_SYS_LINUX_NS_H
#define SBX_SYS_LINUX_NS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * In the first process of a new user namespace: map inside_uid/gid to the ids that the caller had
 * outside (user_namespaces(7): one line, the writer's own id, setgroups denied first). Needs /proc
 * and a dumpable process.
 */
int ns_map_self(uid_t inside_uid, uid_t outside_uid, gid_t inside_gid, gid_t outside_gid);
/* A descriptor of a user namespace that maps every id to itself except 0, which it does not map:
 * for an idmapped mount on which files of root belong to nobody. Needs CAP_SETUID in the host's
 * user namespace. fd or -errno. */
int ns_open_rootless_userns(void);
int ns_loopback_up(void);
int ns_set_hostname(const char *name);
/*
 * Drop every capability: bounding and ambient sets, securebits locked so that uid 0 means nothing
 * (capabilities(7)), then the process sets. What the caller may not do is left as it is where it
 * does not matter without the rest.
 */
int ns_drop_capabilities(void);
/*
 * Only the process sets: for a process of ours that will not exec. keep: a capability that stays
 * permitted but is not in effect until ns_raise_capability(); -1: none.
 */
int ns_clear_capabilities(int keep);
int ns_raise_capability(int cap);
bool ns_has_capability(int cap); /* in the effective set */

#endif
