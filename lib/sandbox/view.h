/*
 * The file system view of a run as a list of operations: pure data, made from the policy and a few
 * facts about the host, printed by --explain, executed by the namespace backend, turned into
 * arguments by bubblewrap and into rules by landlock. The list is in the order of execution:
 * parents before what lies inside them, hidden paths last.
 */
#ifndef SBX_SANDBOX_VIEW_H
#define SBX_SANDBOX_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"
#include "../base/err.h"
#include "../policy/policy.h"

enum view_kind {
	VIEW_BIND,    /* src at dst with everything mounted below it */
	VIEW_SYMLINK, /* dst is a link whose text is src */
	VIEW_PROC,
	VIEW_DEV,   /* the minimal /dev with pts and shm */
	VIEW_TMPFS, /* empty, writable */
	VIEW_HIDE,  /* dst becomes an empty, unreadable thing of its type */
};

struct view_op {
	enum view_kind kind;
	char *src;           /* owned; BIND: path outside; SYMLINK: link text */
	char *dst;           /* owned; absolute, no "." ".." or "//" */
	uint64_t size_bytes; /* TMPFS */
	bool is_read_only;
	bool is_system; /* a system folder: root's private files in it are hidden from a root caller
			 */
	bool is_asked;  /* named by the policy, not a default of the view */
	bool is_beneath; /* BIND: src lies below the project root, where a sandboxed program may
			    have made links: it is opened without following any */
	bool is_root;    /* the project root: src is pinned by a descriptor */
	bool may_create; /* the mount point may be made: it lies on a tmpfs of ours, never in a
			    folder of the host */
};

struct view {
	struct view_op *ops; /* owned */
	size_t count;
	size_t alloc;
};

struct view_facts { /* what the plan needs to know about the host, gathered by view_look() or by a
		       test */
	const char *root;         /* real path; NULL: none, use private_root */
	const char *private_root; /* where an empty private folder stands in for the root */
	const char *home;         /* absolute */
	const char *cwd;          /* the caller's folder: relative paths of the policy start here */
	char *system[64]; /* owned; system folders that exist; a symlink as "PATH\nTARGET" */
	size_t system_count;
	char *resolv_conf; /* owned; real path of /etc/resolv.conf where that is outside the system
			      folders; NULL */
};

/* is_etc_list: of /etc only entries that are known to hold no secrets, and not /opt: for a root
   caller, to whom every file is readable, where ids cannot be mapped away. */
int view_look(struct view_facts *f, bool is_etc_list, struct err *e);
void view_facts_fini(struct view_facts *f);
int view_plan(struct view *v, const struct policy *p, const struct view_facts *f, struct err *e);
void view_fini(struct view *v);
/* The operation whose dst is path or the nearest folder above it; NULL: the root itself. */
const struct view_op *view_covering(const struct view *v, const char *path, size_t before);
/* Does the view show something below path (not path itself)? */
bool view_has_below(const struct view *v, const char *path);
/* Is what the host has at path part of the view (a bind, through any links)? */
bool view_shows(const struct view *v, const char *path);
bool view_path_is_below(const char *path, const char *dir); /* equal counts */
int view_put_text(const struct view *v, struct buf *out, struct err *e);

/* Absolute and lexically clean: relative ones below base. NULL: no memory, or ".." above "/". */
char *view_clean_path(const char *base, const char *path, struct err *e);

#endif
