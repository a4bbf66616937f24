#!/bin/sh
# In containers of podman, started by root: the image holds sbx and its links, nothing else.
. "${SBX_ROOT:-$(dirname -- "$0")/../..}/tests/places/lib.sh"

engine_podman_ready || skip_all "$engine_why"
place_tools || skip_all "$engine_why"
place_scratch "$tmp/scratch.tar"
engine_import podman localhost/scratch:1 "$tmp/scratch.tar" || bail "$engine_why"
place_busybox "$tmp/busybox.tar"
engine_import podman localhost/busybox:1 "$tmp/busybox.tar" || bail "$engine_why"

# podman's filter refuses sethostname, and parts of /proc are masked.
place podman scratch namespace uts_ns,proc
place podman scratch namespace uts_ns,proc --user 65534:65534
place podman busybox namespace uts_ns,proc
# uid 0 cannot be mapped without CAP_SETFCAP.
place podman scratch landlock "$no_namespaces" --cap-drop ALL
place podman scratch namespace uts_ns,proc --cap-drop ALL --user 65534:65534
place podman scratch namespace uts_ns,proc --read-only
place podman scratch namespace uts_ns,proc --pid host
place podman scratch namespace proc --security-opt seccomp=unconfined
place podman scratch namespace - --security-opt seccomp=unconfined --security-opt unmask=ALL
place podman scratch namespace - --privileged
done_testing
