/*
 * Programs of other people that a backend starts: found where systems have their programs, never in
 * the caller's PATH, which may hold folders of projects (a virtual environment's bin) that an
 * earlier sandboxed command could write.
 */
#ifndef SBX_SANDBOX_TOOL_H
#define SBX_SANDBOX_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox.h"

struct tool_kind {
	const char *name;     /* "bwrap" */
	const char *variable; /* of the caller's environment, that names another one: "SBX_BWRAP" */
	const char *missing;  /* begins the message when there is none: "bubblewrap is not
				 installed" */
	const char *remedy;   /* ends it, in brackets */
};

/*
 * Its absolute path into path[size], without running it. Found by itself, it must be such that
 * nobody but root, and no sandboxed program, can have put it there; one that is named is taken as
 * it is, but must be an absolute path of a program. is_set_id (may be NULL): it is set-user-id to
 * somebody else. ERR_REFUSED.
 */
int tool_find(const struct sandbox_request *rq, const struct tool_kind *kind, char *path,
    size_t size, bool *is_set_id, struct err *e);

#endif
