/* The backends, in the order in which auto tries them, and finding one by name. */
#include <string.h>

#include "plan.h"

const struct sandbox_backend *const sandbox_backends[] = { &backend_namespace, &backend_bubblewrap,
	&backend_landlock, &backend_native, NULL };

/* Each asks for an image, so none is ever a fallback. */
const struct sandbox_backend *const sandbox_named_backends[] = { &backend_podman, &backend_docker,
	&backend_container, NULL };

/* Names of the contract whose backends are not in this binary: said as such, never taken for
 * another one. */
static const char *const elsewhere[] = { "sandbox_exec", "sandbox-exec", "seatbelt" };

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
	const struct sandbox_backend *b;

	*is_auto = name == NULL || strcmp(name, "auto") == 0;
	if (*is_auto)
		return NULL;
	b = choose_from(sandbox_backends, name);
	if (b == NULL)
		b = choose_from(sandbox_named_backends, name);
	if (b != NULL)
		return b;
	for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
		if (strcmp(elsewhere[i], name) == 0) {
			(void)err_set(e, ERR_REFUSED,
			    "backend %s is not in this version of sbx; use auto, namespace, "
			    "bubblewrap, landlock, native, podman, docker or container",
			    name);
			return NULL;
		}
	(void)err_set(e, ERR_USAGE,
	    "unknown backend \"%s\": use auto, namespace, bubblewrap, landlock, native, podman, "
	    "docker or container",
	    name);
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
