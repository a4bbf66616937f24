/* The backends, in the order in which auto tries them, and finding one by name. */
#include <string.h>

#include "plan.h"

const struct sandbox_backend *const sandbox_backends[] = { &backend_namespace, &backend_bubblewrap,
	&backend_landlock, &backend_native, NULL };
const struct sandbox_backend *const sandbox_backends_by_name[] = { &backend_sandbox_exec, NULL };

/* Names of the contract whose backends are not in this binary: said as such, never taken for
 * another one. */
static const char *const elsewhere[] = { "podman", "docker", "container" };

static bool choose_has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = words; *p != '\0'; p += strspn(p, " ")) {
		size_t len = strcspn(p, " ");

		if (len == n && memcmp(p, word, n) == 0)
			return true;
		p += len;
	}
	return false;
}

static const struct sandbox_backend *choose_from(
    const struct sandbox_backend *const *list, const char *name)
{
	for (; *list != NULL; list++)
		if (strcmp((*list)->name, name) == 0 || choose_has_word((*list)->aliases, name))
			return *list;
	return NULL;
}

const struct sandbox_backend *sandbox_backend_find(const char *name, bool *is_auto, struct err *e)
{
	const struct sandbox_backend *found;

	*is_auto = name == NULL || strcmp(name, "auto") == 0;
	if (*is_auto)
		return NULL;
	found = choose_from(sandbox_backends, name);
	if (found == NULL)
		found = choose_from(sandbox_backends_by_name, name);
	if (found != NULL)
		return found;
	for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
		if (strcmp(elsewhere[i], name) == 0) {
			(void)err_set(e, ERR_REFUSED,
			    "backend %s is not in this version of sbx; use auto, namespace, "
			    "bubblewrap, "
			    "landlock or native",
			    name);
			return NULL;
		}
	(void)err_set(e, ERR_USAGE,
	    "unknown backend \"%s\": use auto, namespace, bubblewrap, landlock or native", name);
	return NULL;
}
