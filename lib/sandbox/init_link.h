/*
 * An inner init whose only way to the runner is the stdin and stdout that a container engine gave
 * it: reports are queued and sent as the engine takes them, and the command's own descriptors are
 * pipes of ours, carried in frames beside them (carry.h). The command never touches the engine's.
 */
#ifndef SBX_SANDBOX_INIT_LINK_H
#define SBX_SANDBOX_INIT_LINK_H

#include "../json/json.h"
#include "guard.h"

/* Take 0 and 1 for the frames, so that they are nobody else's: control_fd, report_fd, tell. */
int init_link_open(struct guard *g, struct err *e);
/* The command's pipes, and carrying what is in them; g->loop is there. */
int init_link_carry(struct guard *g, bool has_stdin, struct err *e);
/* Is the group that we are in the container's alone? Then what it counted is told at the end. */
void init_link_count_group(bool is_own);
/* A frame that is no order to a guardian. -1: the runner breaks the rules. */
int init_link_take(const struct json_node *frame, struct err *e);

#endif
