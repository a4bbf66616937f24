/*
 * Everything that a run will do, decided before anything is done: made once a backend is tried,
 * read by the guardian (which gets it by fork), printable. And the backends: one constant struct
 * each, in order of preference.
 */
#ifndef SBX_SANDBOX_PLAN_H
#define SBX_SANDBOX_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../sys/linux_cgroup.h"
#include "../sys/linux_landlock.h"
#include "../sys/linux_mount.h"
#include "../sys/linux_seccomp.h"
#include "sandbox.h"
#include "view.h"

struct container;
struct guard;
struct jw;
struct plan;

struct plan_rule {  /* one Landlock rule, by path as the command sees it; below the pinned root by
		       its descriptor */
	char *path; /* owned */
	enum landlock_access access;
};

struct sandbox_backend {
	const char *name;
	const char *aliases; /* space-separated, "" for none */
	uint32_t layers;     /* LAYER_BIT()s that it gives where the kernel does */
	/* MAY: a cheap reason why it cannot work here at all, before anything is started. 0 or -1
	 * with e. */
	int (*available)(const struct sandbox_request *rq, struct err *e);
	/* MUST: fill what is its own in the plan; refuse what it cannot do (ERR_REFUSED, with the
	 * remedy). */
	int (*plan)(struct plan *plan, struct err *e);
	/* MAY: in the guardian, before the command is made. 0 or -1 with e. */
	int (*setup)(struct guard *g, struct err *e);
	/*
	 * The guardian's command is a tool that runs our own init inside (inner.h): plan() sets
	 * argv to the tool's, and setup() opens what that needs.
	 */
	bool has_inner_init;
	/*
	 * The command is started by a tool that is given our own program as the last step (exec.h):
	 * plan() sets argv to the tool's; everything else is as if there were no tool.
	 */
	bool has_exec_step;
	/*
	 * With has_inner_init: the tool is a container engine. All that it passes on is its own
	 * stdin and stdout, which carry the frames and in them the command's; what it starts is no
	 * child of ours; it keeps the limits; what is there to be run is the image's business.
	 */
	bool is_container;
	/* MAY: what this backend makes of a policy before anything else is done with it: its own
	 * defaults, and what it refuses at once. p is a copy whose pointers are borrowed. */
	int (*defaults)(struct policy *p, const struct sandbox_request *rq, struct err *e);
	/* MAY: in the guardian, after everything was killed. is_tool_done: the tool ended by
	 * itself. */
	void (*cleanup)(struct guard *g, bool is_tool_done);
	/* MAY: the tool ended without starting anything and said `line` on stderr: fill e, with the
	 * remedy. */
	void (*explain)(const char *line, struct err *e);
};

/* What an inner init makes sure of before it runs the command: what a tool says it did is not taken
 * for done. */
enum plan_check_kind {
	CHECK_SAME, /* path is file number ino of device dev, so mounted there and not elsewhere */
	CHECK_MOUNTED,   /* path is not on the file system of its parent */
	CHECK_READ_ONLY, /* path is on a read-only mount */
	CHECK_NO_EXEC,   /* nothing on this mount can be executed */
	CHECK_HIDDEN,    /* path is no link and cannot be opened */
};
struct plan_check {
	char *path; /* owned; as seen inside */
	enum plan_check_kind kind;
	uint64_t dev, ino; /* SAME */
};

/* In order of preference of auto; NULL at the end. And those that are used by name only. */
extern const struct sandbox_backend *const sandbox_backends[];
extern const struct sandbox_backend *const sandbox_named_backends[];
/* Names of the contract whose backends are not in this binary: said as such, never taken for
 * another one. NULL at the end. */
struct sandbox_backend_elsewhere {
	const char *name; /* and aliases, space-separated */
	const char *why;  /* "is for Linux only" */
};
extern const struct sandbox_backend_elsewhere sandbox_backends_elsewhere[];
extern const char sandbox_backends_here[]; /* for messages: "auto, ... or native" */
extern const struct sandbox_backend backend_namespace, backend_bubblewrap, backend_landlock,
    backend_native, backend_sandbox_exec, backend_podman, backend_docker, backend_container;
/* NULL with e: unknown (names the known ones) or one that arrives later. "auto" is no backend:
 * *is_auto. */
const struct sandbox_backend *sandbox_backend_find(const char *name, bool *is_auto, struct err *e);
/* What the backend (NULL: auto) makes of the policy before it is planned; refuses what only another
 * kind of backend has. */
int sandbox_complete_policy(const struct sandbox_backend *b, struct policy *p,
    const struct sandbox_request *rq, struct err *e);

struct plan {
	const struct sandbox_request *rq;
	const struct policy *policy;
	const struct sandbox_backend *backend;
	char *cwd_outside;         /* the caller's folder; NULL: deleted or unreachable */
	char *root;                /* real path; NULL: an empty private folder */
	char *private_root;        /* where that is inside */
	int root_fd;               /* O_PATH, pins it; -1: none */
	char *cwd;                 /* real path inside */
	int cwd_fd;                /* O_PATH, pins cwd on the host; -1: none */
	char *home;                /* inside */
	char *home_outside;        /* the caller's, by its real path */
	char *notice;              /* one line for the user; NULL */
	char *const *argv;         /* of the guardian's command: the request's, or tool's */
	struct strv tool;          /* argv of the backend's tool; empty: none */
	char *profile;             /* sandbox_exec: the text of it, owned; NULL */
	struct strv tool_env;      /* its whole environment */
	uint64_t setup_ms;         /* how long the set-up may take; 0: LIMIT_SETUP_MS */
	struct container *container; /* owned: what a container backend needs beyond; NULL */
	struct plan_check *checks; /* owned */
	size_t check_count, check_alloc;
	bool is_filter_by_tool; /* the tool installs the filter, so our init checks that there is
				   one */
	unsigned builtin_flags; /* SECCOMP_BUILTIN_… of the built-in filter */
	bool is_filter_made_inside; /* our init compiles it for the kernel that it meets */
	struct env_block env;
	struct view_facts facts;
	struct view view;
	uint64_t namespaces; /* CLONE_NEW… to ask for */
	uint64_t
	    namespaces_optional; /* of these, the ones to go without where the kernel lacks them */
	uid_t uid;               /* ids inside */
	gid_t gid;
	uid_t outside_uid;
	gid_t outside_gid;
	bool want_setuid; /* native --user */
	uint32_t tty_size; /* in an inner init: of the caller's terminal, as tty_size() has it */
	bool want_capability_drop, want_no_new_privs, want_landlock;
	struct plan_rule *rules; /* owned: Landlock */
	size_t rule_count, rule_alloc;
	unsigned landlock_flags;  /* LANDLOCK_DENY_…, SCOPE_… */
	struct sock_fprog filter; /* owned; len 0: none */
	struct sock_fprog
	    outside_filter; /* owned; the same: what Landlock leaves open to a process without
			       namespaces, refused whatever the other filter is */
	uint64_t rlimit_as_bytes, rlimit_data_bytes; /* 0: not set */
	uint64_t rlimit_nproc;                       /* 0: not set */
	struct cgroup cgroup;
	bool is_memory_sampled; /* --best-effort without a cgroup: kill at the limit by sampling */
	bool want_temp;         /* a private temporary folder on the host (landlock):
				   temp_parent_fd/temp_name */
	int temp_parent_fd;
	char temp_name[32];
	char *temp_path;                     /* absolute */
	struct mount_source *system_sources; /* owned, one an op of the view: opened by a root
						caller before it gives its rights up, with uid 0
						mapped away; fd -1: none; NULL: no such caller */
	uint32_t required;                   /* layers without which nothing is run */
	uint32_t applied;       /* known before the start: limits kept by the control group */
	uint32_t missing;       /* known before the start */
	char *why[LAYER_COUNT]; /* owned */
	uint32_t generic;       /* of the missing ones, those whose reason says no more than that
				   the backend does not give them: a better one takes its place */
};

int plan_make(struct plan *plan, const struct sandbox_request *rq,
    const struct sandbox_backend *backend, struct err *e);
void plan_fini(struct plan *plan);
void plan_release(struct plan *plan); /* what is not memory: groups, folders, descriptors */
/* For a backend's plan(): the file system view. is_etc_list: only chosen entries of /etc and no
 * /opt (a root caller). */
int plan_build_view(struct plan *plan, bool is_etc_list, struct err *e);
/* A variable of the caller's environment; NULL: not set. */
const char *plan_host_env(const struct sandbox_request *rq, const char *name);
#define PLAN_DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
/* A layer will not be there; the first reason stays. */
void plan_miss(struct plan *plan, enum layer layer, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Why the kernel, or a filter around us, refused a layer: one line for people. */
void plan_put_refusal(char *text, size_t size, enum layer layer, int errnum);
void plan_close_sources(struct plan *plan); /* system_sources */
int plan_add_rule(struct plan *plan, const char *path, enum landlock_access access, struct err *e);
/*
 * Of a sandbox's /proc; each list ends with NULL, and no kernel has all of it. Folders whose
 * entries are not per process, to be read only; files that tell of the host's memory and keys or
 * act on it, to be masked; of those the ones that only root may read, also without capabilities: to
 * be masked where the caller is.
 */
extern const char *const plan_proc_read_only[];
extern const char *const plan_proc_masked[];
extern const char *const plan_proc_masked_for_root[];
/* The rules that say the view once more, where the view itself is made of mounts. */
int plan_add_view_rules(struct plan *plan, struct err *e);
int plan_add_check(struct plan *plan, enum plan_check_kind kind, const char *path, uint64_t dev,
    uint64_t ino, struct err *e);
/* Layers that a policy leaves to be had: limits that nobody asked for are none, nor is the absence
 * of a network or of variables that was not asked for. */
uint32_t plan_full_set(const struct policy *p);
int plan_put_text(const struct plan *plan, struct buf *out, struct err *e);
int plan_put_json(const struct plan *plan, struct buf *out, struct err *e);
/* Parts that a result has too: null for what there is not; and the layers, under `name`, with the
 * missing ones. */
void plan_put_json_str(struct jw *w, const char *name, const char *v);
void plan_put_json_number(struct jw *w, const char *name, bool has, uint64_t v);
void plan_put_json_layers(
    struct jw *w, const char *name, uint32_t layers, uint32_t missing, char *const *why);

#endif
