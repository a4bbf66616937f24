/* Elsewhere than on Linux: the backends, in the order in which auto tries them. */
#include <stddef.h>

#include "plan.h"

const struct sandbox_backend *const sandbox_backends[] = { &backend_sandbox_exec, &backend_native,
	NULL };
const struct sandbox_backend *const sandbox_backends_by_name[] = { NULL };
const struct sandbox_backend_elsewhere sandbox_backends_elsewhere[] = {
	{ "namespace ns bubblewrap bwrap landlock", "is for Linux only" },
	{ "podman docker container", "is not in this version of sbx" },
	{ NULL, NULL },
};
const char sandbox_backends_here[] = "auto, sandbox_exec or native";
