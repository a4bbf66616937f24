#!/bin/sh
# The caller's folders in a container: the project at /workspace as the caller's own, read-only on demand, mounts of
# each kind, and what is refused.
. "$SBX_ROOT/tests/lib/tap.sh"
. "$SBX_ROOT/tests/lib/engine.sh"

engine_rootfs "$tmp/image.tar" || skip_all "$engine_why"

files() {
	dir=$tmp/files-$engine
	mkdir -p "$dir/project/sub" "$dir/data" "$dir/cache"
	echo data >"$dir/data/file"
	ln -s "$dir/data" "$dir/project/link"
	owner=$(id -un)
	if [ "$engine" = rootless ]; then
		tap_is_root && chown -R "$tap_user:" "$dir" && owner=$tap_user
	fi
	cd "$dir/project" || bail cd
	run engine_sbx -- sh -c 'pwd; ls -A'
	is "$rc:$out" '0:/workspace' "$engine: without --root the folder is empty and private"
	run engine_sbx --root "$dir/project" -- sh -c 'pwd; ls -A; echo made >file; mkdir folder; id -u'
	is "$rc:$(printf '%s' "$out" | tr '\n' ' ')" "0:/workspace link sub $(id -u "$owner")" "$engine: --root"
	is "$(stat -c %U:%a "$dir/project/file")" "$owner:644" "$engine: a file made inside is the caller's"
	run engine_sbx -C sub -- sh -c 'pwd; echo $PWD; ls ..; echo x >x'
	is "$(printf '%s' "$out" | tr '\n' ' ')" '/workspace/sub /workspace/sub file folder link sub' \
		"$engine: -C, a folder of the current one"
	ok "$engine: and it is the same folder" test -e "$dir/project/sub/x"
	run engine_sbx --root "$dir/project" --root-ro -- sh -c 'cat file; echo no >file'
	is "$out:$(cat "$dir/project/file")" 'made:made' "$engine: --root-ro"
	like "$err" 'Read-only file system' "$engine: --root-ro cannot be written"
	run engine_sbx --ro "$dir/data" --rw "$dir/cache" --bind "$dir/data:/elsewhere:ro" --tmpfs /scratch:1m -- \
		sh -c "cat $dir/data/file /elsewhere/file; echo x >/scratch/x
			touch /elsewhere/x $dir/data/x; ls /scratch"
	is "$(printf '%s' "$out" | tr '\n' ' ')" 'data data x' "$engine: --ro, --bind and --tmpfs"
	is "$(find "$dir/data" | wc -l)" 2 "$engine: nothing was written where it must not be"
	# only the caller may write there, so run as him
	run engine_sbx --user "$(id -u "$owner"):$(id -g "$owner")" --root "$dir/project" --rw "$dir/cache" -- \
		touch "$dir/cache/x"
	is "$rc" 0 "$engine: --rw"
	ok "$engine: --rw is the host's folder" test -e "$dir/cache/x"
	run engine_sbx --user 1234:1235 -- id
	like "$out" '^uid=1234.* gid=1235' "$engine: --user"
	run engine_sbx --root "$dir/project" -- sh -c 'cp /bin/busybox tool; chmod 4755 tool; ls -l tool'
	like "$err" 'Operation not permitted' "$engine: no set-id file for the host"
	is "$(find "$dir" -perm /6000)" '' "$engine: and there is none"
	run engine_sbx --ro "$dir/project/link" -- true
	is "$rc" 125 "$engine: a link that a command may have made is refused"
	like "$err" 'symbolic link' "$engine: and named"
	run engine_sbx --ro "$dir/nosuch" -- true
	like "$rc:$err" '125:.*No such file' "$engine: what is not there is not made"
	ok "$engine: (it is not)" test ! -e "$dir/nosuch"
	run engine_sbx --root / -- true
	like "$rc:$err" '125:.*cannot be a project root' "$engine: the whole system is no project"
	cd / || bail cd
}

engine_each files

# What is refused before any engine is asked.
run env SBX_RUNTIME=nosuch "$SBX_BUILD/sbx-run" -b container --image x -- true
like "$rc:$err" '125:.*SBX_RUNTIME: podman or docker' 'an engine that is none'
run env SBX_RUNTIME=/nonexistent/podman "$SBX_BUILD/sbx-run" -b container --image x -- true
like "$rc:$err" '125:.*/nonexistent/podman was asked for and is not installed' 'a forced engine that is missing'
run env MCP_BRIDGE_RUNTIME=/nonexistent/docker "$SBX_BUILD/sbx-run" -b container --image x -- true
like "$rc:$err" '125:.*/nonexistent/docker was asked for' 'the same by the other name'
run "$SBX_BUILD/sbx-run" -b podman -- true
like "$rc:$err" '125:.*needs an image: --image NAME' 'no image'
run "$SBX_BUILD/sbx-run" -b namespace --image x -- true
like "$rc:$err" '125:.*--image is for containers' 'an image for a backend that has none'
run "$SBX_BUILD/sbx-run" -b podman --image x --net host -- true
like "$rc:$err" '125:.*--net host' '--net host'
run "$SBX_BUILD/sbx-run" -b podman --image x -t 121 -- true
like "$rc:$err" '125:.*at most 120 s' 'a timeout above the ceiling'
for setting in RUNTIME=x MEMORY=x PIDS=x CPUS=x TIMEOUT=x MAX_TIMEOUT=x CONTAINER_USER=x; do
	for by in SBX MCP_BRIDGE; do
		run env "${by}_$setting" "$SBX_BUILD/sbx-run" -b container --image x -- true
		like "$rc:$err" "125:sbx-run: ${by}_${setting%=x}: " "a wrong ${by}_${setting%=x} is told by that name"
	done
done
done_testing
