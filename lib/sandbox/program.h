/* Finding the tools that a backend runs. */
#ifndef SBX_SANDBOX_PROGRAM_H
#define SBX_SANDBOX_PROGRAM_H

#include <stddef.h>
#include <sys/stat.h>

/*
 * name in the folders where systems have their programs (PLAN_DEFAULT_PATH), not in the caller's
 * PATH, which may hold folders of projects (a virtual environment's bin) that an earlier sandboxed
 * command could write: an executable file that nobody but root, and no sandboxed program, can have
 * put there. path gets its absolute path, st what it is. 0, or -1: there is none.
 */
int program_find(const char *name, char *path, size_t size, struct stat *st);
/* The same for one that the user named by an absolute path, wherever it lies, whoever owns it. */
int program_check(const char *named, char *path, size_t size, struct stat *st);

#endif
