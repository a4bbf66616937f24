#!/bin/sh
# In containers of a Docker engine. Its default filter refuses user namespaces, as Kubernetes' does:
# the place that the landlock backend is for.
. "${SBX_ROOT:-$(dirname -- "$0")/../..}/tests/places/lib.sh"

engine_docker_start || skip_all "$engine_why"
place_tools || skip_all "$engine_why"
place_scratch "$tmp/scratch.tar"
engine_import docker localhost/scratch:1 "$tmp/scratch.tar" || bail "$engine_why"
place_busybox "$tmp/busybox.tar"
engine_import docker localhost/busybox:1 "$tmp/busybox.tar" || bail "$engine_why"

place docker scratch landlock "$no_namespaces"
place docker scratch landlock "$no_namespaces" --user 65534:65534
place docker busybox landlock "$no_namespaces"
place docker scratch landlock "$no_namespaces" --cap-drop ALL
place docker scratch landlock "$no_namespaces" --cap-drop ALL --user 65534:65534 \
	--security-opt no-new-privileges
place docker scratch landlock "$no_namespaces" --read-only
# Nothing at all can be written but what is mounted: no temporary folder can be made.
place docker scratch landlock "$no_namespaces" --read-only --ipc none
like "$(cat "$out/auto.err")" 'the command gets no temporary folder' \
	"$label: the missing temporary folder is told"
place docker scratch landlock "$no_namespaces" --pid host
# The filter lets root with CAP_SYS_ADMIN do all but pivot_root.
place docker scratch namespace proc --cap-add SYS_ADMIN
place docker scratch namespace proc --security-opt seccomp=unconfined
place docker scratch namespace proc --security-opt seccomp=unconfined --user 65534:65534
place docker scratch namespace - --security-opt seccomp=unconfined \
	--security-opt systempaths=unconfined
done_testing
