/* Finding a backend by name. Which there are is the system's: linux_backends.c,
 * posix_backends.c. */
#include <string.h>

#include "plan.h"

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
		found = choose_from(sandbox_named_backends, name);
	if (found != NULL)
		return found;
	for (size_t i = 0; sandbox_backends_elsewhere[i].name != NULL; i++)
		if (choose_has_word(sandbox_backends_elsewhere[i].name, name)) {
			(void)err_set(e, ERR_REFUSED, "backend %s %s; use %s", name,
			    sandbox_backends_elsewhere[i].why, sandbox_backends_here);
			return NULL;
		}
	(void)err_set(
	    e, ERR_USAGE, "unknown backend \"%s\": use %s", name, sandbox_backends_here);
	return NULL;
}

int sandbox_complete_policy(const struct sandbox_backend *b, struct policy *p,
    const struct sandbox_request *rq, struct err *e)
{
	const char *option = p->image != NULL    ? "--image" :
			     p->pull != NULL     ? "--pull" :
			     p->is_root_read_only ? "--root-ro" :
						    NULL;

	if ((b == NULL || !b->is_container) && option != NULL)
		return err_set(e, ERR_USAGE,
		    "%s is for containers: use -b podman, docker or container", option);
	return b == NULL || b->defaults == NULL ? 0 : b->defaults(p, rq, e);
}
