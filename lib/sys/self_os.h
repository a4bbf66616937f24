/* How the system tells a program where its file is. */
#ifndef SBX_SYS_SELF_OS_H
#define SBX_SYS_SELF_OS_H

const char *self_os_name(void); /* a path that leads to it, maybe through links; NULL; static */

#endif
