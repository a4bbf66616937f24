/* Elsewhere than on Linux: the backends, in the order in which auto tries them. */
#include <stddef.h>

#include "plan.h"

const struct sandbox_backend *const sandbox_backends[] = { &backend_sandbox_exec, &backend_native,
	NULL };
const struct sandbox_backend *const sandbox_named_backends[] = { &backend_podman, &backend_docker,
	&backend_container, NULL };
const struct sandbox_backend_elsewhere sandbox_backends_elsewhere[] = {
	{ "namespace ns bubblewrap bwrap landlock", "is for Linux only" },
	{ NULL, NULL },
};
const char sandbox_backends_here[] = "auto, sandbox_exec, native, podman, docker or container";
