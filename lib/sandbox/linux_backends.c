/* Linux: the backends, in the order in which auto tries them. */
#include <stddef.h>

#include "plan.h"

const struct sandbox_backend *const sandbox_backends[] = { &backend_namespace, &backend_bubblewrap,
	&backend_landlock, &backend_native, NULL };
const struct sandbox_backend *const sandbox_backends_by_name[] = { &backend_sandbox_exec, NULL };
const struct sandbox_backend_elsewhere sandbox_backends_elsewhere[] = {
	{ "podman docker container", "is not in this version of sbx" },
	{ NULL, NULL },
};
const char sandbox_backends_here[] = "auto, namespace, bubblewrap, landlock or native";
