#!/bin/sh
# The engines that the other scripts stand on: each starts, runs an image, and leaves nothing.
. "$SBX_ROOT/tests/lib/tap.sh"
. "$SBX_ROOT/tests/lib/engine.sh"

engine_rootfs "$tmp/image.tar" sbx-run="$SBX_BUILD/sbx" || skip_all "$engine_why"

# engine ENGINE READY COMMAND...: make it ready, import an image, and run a file of it.
engine() {
	name=$1
	if ! "$2"; then
		skip "$name: $engine_why"
		return 0
	fi
	shift 2
	ok "$name imports an image" engine_import "$name" localhost/box:1 "$tmp/image.tar" ||
		diag "$engine_why"
	run "$@" run --rm --network none localhost/box:1 /sbx-run --version
	like "$rc:$out" '^0:sbx' "$name runs a file of the image" || diag "$err"
}

engine podman engine_podman_ready timeout 60 podman
engine rootless engine_rootless_ready engine_as_user timeout 60 podman
engine docker engine_docker_start timeout 60 docker
daemon=$engine_dockerd
engine_docker_stop
engine_podman_stop
engine_rootless_stop
is "$(grep -c "$tmp/" /proc/self/mountinfo)" 0 'nothing stays mounted'
if [ -n "$daemon" ]; then
	ok 'the Docker engine has ended' sh -c "! kill -0 $daemon 2>/dev/null"
fi
run pgrep -f "$tmp/"
is "$out" '' 'no process of an engine is left'
done_testing
