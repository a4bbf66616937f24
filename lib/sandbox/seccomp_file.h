/*
 * Filter lists as JSON, in the form that container engines use (OCI runtime spec, "linux.seccomp",
 * and the superset of it that their default profiles are written in). What is read is checked
 * strictly: an unknown key, action, operator or type is an error with its place, since a condition
 * that silently went missing would widen a rule.
 */
#ifndef SBX_SANDBOX_SECCOMP_FILE_H
#define SBX_SANDBOX_SECCOMP_FILE_H

#include <stddef.h>

#include "../base/buf.h"
#include "../base/err.h"
#include "../sys/linux_seccomp.h"

/*
 * Append the rules of a file to r (fresh from seccomp_rules_init(); its default action becomes that
 * of the file). Engines' own extras: groups for other architectures or newer kernels are left out,
 * and so are groups that need a capability, as there is none inside; groups for lack of one apply.
 * Names that this architecture does not have are skipped, as engines do; numbers outside the table
 * stay ENOSYS. "architectures" and "flags" are checked for sanity only. Refused: actions that need
 * a supervisor (NOTIFY, TRACE) and one argument compared twice in a group, which engines understand
 * in different ways. Errors: ERR_USAGE "FILE:LINE:COLUMN: ..."; r may then hold a part of the
 * rules.
 */
int seccomp_file_load(const char *root, const char *path, struct seccomp_rules *r, struct err *e);
/* The same from memory; where names the text in messages. */
int seccomp_file_parse(const char *text, size_t len, const char *where, struct seccomp_rules *r,
    struct err *e);

/*
 * The rules as such a list, valid input of seccomp_file_parse(). Operators that the format lacks
 * become several entries. Engines do not know "first match wins": rules of one call must not
 * contradict each other there (the built-in ones only differ in the error number).
 */
int seccomp_put_oci_json(const struct seccomp_rules *r, struct buf *out, struct err *e);

#endif
