/*
 * Container engines, podman and docker: which one is used, what is known of it, and questions to
 * it. What an engine says of itself is asked once and kept in the state folder until its program or
 * its configuration changes: asking costs a third of a second. Every question has a bound.
 */
#ifndef SBX_SANDBOX_ENGINE_H
#define SBX_SANDBOX_ENGINE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "../base/buf.h"
#include "../base/err.h"
#include "../base/str.h"
#include "sandbox.h"

enum engine_kind { ENGINE_PODMAN, ENGINE_DOCKER };

struct engine {
	enum engine_kind kind;
	char program[PATH_MAX];
	char version[32]; /* "": not known */
	char arch[16];	  /* of its machine, as uname(2) has it */
	bool is_rootless;
	bool has_user_ns; /* containers get ids of their own */
	bool is_machine;  /* podman's virtual machine: may have to be started */
	bool is_cached;	  /* nothing was asked now */
};

const char *engine_name(enum engine_kind kind);
/*
 * Find the program. wanted: "podman" or "docker", then it must be that one; NULL: SBX_RUNTIME or
 * MCP_BRIDGE_RUNTIME (a name, or an absolute path that ends in one), which must be there; without
 * those podman, else docker. ERR_REFUSED: there is none. Runs nothing.
 */
int engine_find(struct engine *en, const char *wanted, const struct sandbox_request *rq,
    struct err *e);
/* What an engine's client needs of the caller's environment, and no more. */
int engine_environment(const struct sandbox_request *rq, bool may_pull, struct strv *env,
    struct err *e);
/* Fill what the engine says of itself, from state_dir/engine or by asking. ERR_REFUSED with the
 * remedy: it does not work; ERR_SETUP: no answer within timeout_ms. */
int engine_look(struct engine *en, char *const *env, const char *state_dir, uint64_t timeout_ms,
    struct err *e);
/* Of what in env says where an engine keeps its containers: another number, another engine, though
 * the program be the same. */
uint64_t engine_place(char *const *env);
/* What was kept of it is of no use any more: ask next time. */
void engine_forget(const struct engine *en, const char *state_dir);

/*
 * Ask the engine: its program with these words (NULL at the end, at most 15). Its status, or -1
 * with e: no answer within the bound, or we are told to end. out and said: LIMIT_SMALL_FILE
 * buffers, or NULL.
 */
int engine_ask(const struct engine *en, char *const *env, uint64_t timeout_ms, struct buf *out,
    struct buf *said, struct err *e, ...) __attribute__((sentinel));
/* The same for what must not be left half done: also when we are told to end, it has its time. */
int engine_tell(const struct engine *en, char *const *env, uint64_t timeout_ms, struct buf *said,
    struct err *e, ...) __attribute__((sentinel));

/* podman info or docker info as JSON; for engine_look() and its test. */
int engine_parse_info(struct engine *en, const char *text, size_t len, struct err *e);

/* A value of the environment under both its names, SBX_name first; NULL. */
const char *engine_setting(const struct sandbox_request *rq, const char *name);
#define ENGINE_SETTING_MAX 48
/* The same, and the name that it was found by. */
const char *engine_setting_named(
    const struct sandbox_request *rq, const char *name, char full[static ENGINE_SETTING_MAX]);
/* SBX_STATE_DIR, MCP_BRIDGE_STATE_DIR, else ~/MCPs; the caller frees it. */
char *engine_state_dir(const struct sandbox_request *rq, const char *home, struct err *e);
/*
 * What lies there is believed, so nobody else may be able to write it: it, and the folders of it
 * that we use, are the caller's own. What is not there yet is good. ERR_REFUSED with the remedy.
 */
int engine_state_check(const char *state_dir, struct err *e);

#define ENGINE_ASK_MS 10000U

#endif
