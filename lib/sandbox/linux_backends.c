/* Linux: the backends, in the order in which auto tries them. */
#include <stddef.h>

#include "plan.h"

const struct sandbox_backend *const sandbox_backends[] = { &backend_namespace, &backend_bubblewrap,
	&backend_landlock, &backend_native, NULL };
/* Containers ask for an image, so none is ever a fallback; sandbox_exec needs a stand-in here. */
const struct sandbox_backend *const sandbox_named_backends[] = { &backend_podman, &backend_docker,
	&backend_container, &backend_sandbox_exec, NULL };
const struct sandbox_backend_elsewhere sandbox_backends_elsewhere[] = {
	{ NULL, NULL },
};
const char sandbox_backends_here[] = "auto, namespace, bubblewrap, landlock, native, podman, "
				     "docker or container";
