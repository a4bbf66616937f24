/*
 * Rules about the names and the values of variables, for env.c and env_redact.c. Pure functions on
 * text. They answer with the rule's name and never keep or copy a value.
 */
#ifndef SBX_POLICY_ENV_RULES_H
#define SBX_POLICY_ENV_RULES_H

#include <stdbool.h>
#include <stddef.h>

/* What a result or --env-report says; static. */
#define ENV_RULE_INJECTION "code injection"
#define ENV_RULE_HANDLE "outside handle"
#define ENV_RULE_SECRET_NAME "secret name"
#define ENV_RULE_SECRET_VALUE "secret value"

/* -- env_rules.c: names -- */

/* Something a variable may be called by us: not empty, no '=', no blank or control byte. */
bool env_name_is_valid(const char *name, size_t len);
/* One of the names that pass in every mode but clear. */
bool env_name_is_kept(const char *name);
/* A word of it says secret: API_KEY, my-token, dbPassword; not MONKEY, AUTHOR, PWD. */
bool env_name_is_secret(const char *name, size_t len);
/* http_proxy, ALL_PROXY, …: passes without its userinfo. */
bool env_name_is_proxy(const char *name);
/* The rule that drops this name; NULL if none. Kept names are not asked. */
const char *env_name_rule(const char *name);

/* -- env_value.c: values -- */

/* What stands behind "user:password@" of a proxy's value; value itself if there is no userinfo. */
const char *env_proxy_host(const char *value);
/*
 * Somewhere in text a NAME that says secret is given a value: in command lines, scripts, headers
 * and JSON. Broader than env_is_secret_value(), for logs, where too much costs nothing.
 */
bool env_text_has_assignment(const char *text);

#endif
