/*
 * What this machine can really enforce, found out by doing it: each layer in a child of its own,
 * each backend by a real run. Nothing is concluded from a version number or from the presence of a
 * file; those only explain a refusal.
 */
#ifndef SBX_SANDBOX_PROBE_H
#define SBX_SANDBOX_PROBE_H

#include <stdbool.h>

#include "../base/buf.h"
#include "../base/err.h"
#include "../policy/layers.h"

#define PROBE_TEXT 256

struct probe_row {
	const char *name; /* of the layer or backend; static */
	bool works;
	char evidence[PROBE_TEXT]; /* what was done and what came of it */
	char reason[PROBE_TEXT];   /* why it does not work; "" */
	char remedy[PROBE_TEXT];   /* what the user can do; "" */
};

#define PROBE_BACKENDS 8

struct probe_report {
	char kernel[PROBE_TEXT]; /* uname */
	unsigned uid;
	bool is_container_like; /* a seccomp filter or a user namespace is on us already */
	int landlock_abi;
	struct probe_row layers[LAYER_COUNT];
	struct probe_row backends[PROBE_BACKENDS];
	size_t backend_count;
	struct probe_row choice; /* name: what auto takes; works: without a missing layer; reason:
				    what is missing */
	uint32_t choice_applied; /* layers of that run */
};

/*
 * only: a backend by name; then the others are not tried. NULL: all. self_path: this program, as a
 * path. env: the caller's, of which the runs see the variables that are meant for sbx (SBX_...).
 */
int probe_run(struct probe_report *r, const char *only, const char *self_path, char *const *env,
    struct err *e);
/*
 * probe_engine.c: rows of the container backends (of `one` alone where that is given), each with a
 * second to answer. run: a real run, where the caller has named an image; NULL: there is none.
 */
struct sandbox_backend;
int probe_engines(struct probe_report *r, const struct sandbox_backend *one, const char *self_path,
    char *const *env,
    int (*run)(const char *backend, const char *self_path, char *const *env, struct probe_row *row,
	struct err *e),
    struct err *e);
int probe_put_text(const struct probe_report *r, bool want_colour, struct buf *out, struct err *e);
int probe_put_json(const struct probe_report *r, struct buf *out, struct err *e);

#endif
