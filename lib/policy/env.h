/*
 * The environment that the command gets: which names and values pass, which are dropped and by what
 * rule, and redaction of secrets for logs. Pure: takes an environment block, gives another one.
 * Values of dropped entries are never stored.
 */
#ifndef SBX_POLICY_ENV_H
#define SBX_POLICY_ENV_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/buf.h"
#include "../base/err.h"
#include "../base/str.h"
#include "policy.h"

struct env_dropped {
	char *name; /* owned, printable form; "(malformed)" for an entry without a name */
	/*
	 * static: "code injection", "outside handle", "secret name", "secret value",
	 * "not in allow list", "cleared", "unset", "duplicate", "malformed"
	 */
	const char *rule;
};

struct env_block {
	struct strv env; /* NAME=VALUE, no duplicate names, in order of names */
	struct env_dropped *dropped; /* malformed ones first, then in order of names */
	size_t dropped_count;
};

/*
 * Apply p->env_mode, env_files, env_set, env_unset to host_env (NULL-terminated). An explicit --env
 * or --env-file entry passes the rules; --env NAME takes the host's value (absent: nothing, no
 * error); --unset-env wins over everything. Later entries win, --env over files. Malformed (no '=',
 * empty name) and duplicate host entries (the first wins, as getenv does) are dropped and listed.
 * Errors: ERR_USAGE for an unreadable or malformed env file ("FILE:LINE: …"), a bad --env name;
 * no message has a value in it, and out is empty then.
 */
int env_build(const struct policy *p, char *const *host_env, struct env_block *out, struct err *e);
void env_block_fini(struct env_block *b);

/* Set or replace one variable of a block (HOME, TMPDIR, PWD as they are inside). */
int env_put(struct strv *env, const char *name, const char *value, struct err *e);
const char *env_get(const struct strv *env, const char *name);

/*
 * The rule that would drop this entry in scrub mode; NULL if it passes. value may be NULL (name
 * only). A *_proxy variable passes with userinfo: env_build() takes that off.
 */
const char *env_drop_rule(const char *name, const char *value);
bool env_is_secret_value(const char *value);

/*
 * A printable line of argv for L3 logs and --explain: secrets by value, NAME=VALUE words with a
 * secret name and the word after an option with a secret name (--token X, --password=X) become
 * [redacted]; quoted so that a reader can see words. A word is cut after 1 KiB; words that do not
 * fit the cap of out are counted at the end, which is no error.
 */
int env_put_redacted_argv(struct buf *out, char *const *argv, struct err *e);
/* Keep only absolute PATH entries for which exists() is true; in place. exists may be NULL. */
void env_filter_path(char *path_value, bool (*exists)(const char *dir, void *ctx), void *ctx);

/*
 * Zero the process's own environment block (strings in place) so that /proc/PID/environ shows
 * nothing; envp (environ, or main's) is empty afterwards.
 */
void env_wipe_own(char **envp);

#endif
