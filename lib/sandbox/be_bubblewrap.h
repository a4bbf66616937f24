/*
 * The bubblewrap backend's plan, for its test: a policy's view as arguments of bwrap(1). Pure but
 * for facts->look, which a test replaces. Options are those of bubblewrap 0.8.0; an older one is
 * told by what it says (be_bubblewrap.c).
 */
#ifndef SBX_SANDBOX_BE_BUBBLEWRAP_H
#define SBX_SANDBOX_BE_BUBBLEWRAP_H

#include "plan.h"

enum thing_type { THING_NONE, THING_FOLDER, THING_FILE, THING_LINK };

struct thing { /* what is at a path of the host */
	enum thing_type type;
	uint64_t dev, ino;
};

struct bubblewrap_facts {
	const char *program; /* absolute path of bwrap */
	bool is_set_id;	     /* then it refuses --size */
	/* is_followed: a link's target is looked at, so it is never a link. */
	struct thing (*look)(const char *path, bool is_followed);
};

/* Fill plan->tool and plan->checks from plan->view. -1: ERR_USAGE for what cannot be mounted. */
int bubblewrap_plan_argv(struct plan *plan, const struct bubblewrap_facts *facts, struct err *e);
/* One line of bwrap's stderr as an error: what it means, and what to do where that is known. */
void bubblewrap_explain(const char *line, struct err *e);

#endif
