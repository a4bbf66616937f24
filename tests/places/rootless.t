#!/bin/sh
# In containers that an ordinary user's podman starts: root inside is that user outside.
. "${SBX_ROOT:-$(dirname -- "$0")/../..}/tests/places/lib.sh"

engine_rootless_ready || skip_all "$engine_why"
place_tools || skip_all "$engine_why"
place_scratch "$tmp/scratch.tar"
engine_import rootless localhost/scratch:1 "$tmp/scratch.tar" || bail "$engine_why"

place rootless scratch namespace uts_ns,proc
place rootless scratch namespace uts_ns,proc --user 65534:65534
place rootless scratch namespace uts_ns,proc --userns keep-id
place rootless scratch landlock "$no_namespaces" --cap-drop ALL --read-only
place rootless scratch namespace - --privileged
done_testing
