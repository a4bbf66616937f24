/*
 * The part of our own data that only relocation writes (pointers of tables, the GOT): read-only
 * from here on. The dynamic loader does this for a dynamic program; in a static one nobody does,
 * whatever the header PT_GNU_RELRO in the file says.
 */
#ifndef SBX_SYS_RELRO_H
#define SBX_SYS_RELRO_H

#include "../base/err.h"

/* Once, first of all. May be called again, and where a loader has done it already. ERR_SETUP. */
int relro_protect(struct err *e);

#endif
