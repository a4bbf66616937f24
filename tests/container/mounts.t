#!/bin/sh
# Mounts in the project are in force where the command sees the project, cannot be moved away and follow no link of it;
# and none hands the machine over. What each defence refuses is shown to work without it.
. "$SBX_ROOT/tests/lib/tap.sh"
. "$SBX_ROOT/tests/lib/engine.sh"

command -v python3 >/dev/null || skip_all 'python3 is missing'
engine_rootfs "$tmp/image.tar" || skip_all "$engine_why"

in_project() {
	run engine_sbx --root "$project" "$@"
}

# protected NAME OPTION...: the hook cannot be written at /workspace.
protected() {
	name=$1
	shift
	echo old >"$project/hooks/pre"
	in_project "$@" -- sh -c 'cat hooks/pre; echo evil >/workspace/hooks/pre'
	is "$out:$(cat "$project/hooks/pre")" old:old "$engine: $name"
	like "$err" 'Read-only file system' "$engine: and cannot be written"
}

read_only() {
	cd "$project" || bail cd
	protected '--ro, a name of the current folder' --ro hooks
	protected '--ro, a path' --ro "$project/hooks"
	protected '--ro, by another name of the project' --ro "$dir/link/hooks"
	protected '--ro, by another name of it' --ro "$dir/hooks"
	protected '--ro of a file' --ro hooks/pre
	protected 'a --bind that is read-only' --bind "$dir/link/hooks:$dir/link/hooks:ro"
	cd / || bail cd
	project=$dir/link protected 'a --root by another name' --ro "$dir/project/hooks"
	in_project --rw "$dir" --ro "$project/hooks" -- sh -c "echo evil >$project/hooks/pre"
	is "$(cat "$project/hooks/pre")" old "$engine: nor through a mount of what the project is in"
	in_project -- sh -c 'echo evil >/workspace/hooks/pre'
	is "$rc:$(cat "$project/hooks/pre")" 0:evil "$engine: control: without --ro it is written"
}

moved() {
	# shellcheck disable=SC2016 # for the shell inside
	move='mv a/b a/c && mkdir -p a/b/hooks && echo evil >a/b/hooks/pre'
	in_project --ro "$project/a/b/hooks" -- sh -c "$move"
	is "$(cat "$project/a/b/hooks/pre")" old "$engine: what lies above a mount is not moved away"
	like "$err" 'busy' "$engine: it is busy"
	in_project --ro "$project/a/b/hooks" -- sh -c 'mv a d && mkdir -p a/b/hooks && echo evil >a/b/hooks/pre'
	is "$(cat "$project/a/b/hooks/pre")" old "$engine: nor what lies above that"
	in_project --ro "$project/a/b/hooks" -- sh -c 'echo new >a/b/file'
	is "$rc:$(cat "$project/a/b/file")" 0:new "$engine: beside it can be written"
	in_project --ro "$project/a" --rw "$project/a/b/hooks" -- sh -c 'echo x >a/b/hooks/x; echo x >a/b/x'
	ok "$engine: a folder that can be written in one that cannot" test -e "$project/a/b/hooks/x"
	ok "$engine: (it cannot)" test ! -e "$project/a/b/x"
	in_project -- sh -c "$move"
	is "$rc:$(cat "$project/a/b/hooks/pre")" 0:evil "$engine: control: without a mount it is moved"
}

others() {
	in_project --tmpfs "$project/hooks" -- sh -c 'ls hooks; echo x >hooks/x'
	# whether it can be written there too is runc's: it gives it the owner and mode of the folder that it covers
	is "$out:$(ls "$project/hooks")" :pre "$engine: --tmpfs over a folder of the project"
	in_project --bind "$dir/data:$project/hooks" -- cat /workspace/hooks/file
	is "$out" data "$engine: --bind over one"
	in_project --root-ro --rw "$project/hooks" -- sh -c 'echo x >hooks/x; echo x >x'
	ok "$engine: --root-ro and a folder that can be written" test -e "$project/hooks/x"
	ok "$engine: and nothing else" test ! -e "$project/x"
	in_project --ro "$project" -- true
	like "$rc:$err" '125:.*--root-ro' "$engine: --ro of the whole project"
	in_project --tmpfs "$project/new/deep" -- true
	like "$rc:$err" '125:.*No such file' "$engine: a place that is not there"
	ok "$engine: and is not made" test ! -e "$project/new"
}

links() {
	ln -s "$dir/out" "$project/planted"
	for option in "--bind $dir/link/planted:/x" "--rw $dir/link/planted" "--rw $project/planted" \
		"--bind $dir/link/planted/below:/x"; do
		# shellcheck disable=SC2086 # words without blanks
		run engine_sbx --root "$dir/link" $option -- true
		like "$rc:$err" '125:.*leads through a symbolic link' "$engine: $option"
	done
	cd "$project" || bail cd
	run engine_sbx --bind "$dir/link/planted:/x" -- true
	like "$rc:$err" '125:.*leads through a symbolic link' "$engine: nor below the current folder"
	cd / || bail cd
	in_project --tmpfs "$project/planted" -- true
	like "$rc:$err" '125:.*ymbolic link' "$engine: nor as the place of a mount"
	engine_bare run --rm --network none --mount "type=bind,src=$dir/link/planted,dst=/x" localhost/box:1 \
		touch /x/made
	ok "$engine: control: the engine follows it" test -e "$dir/out/made"
	run engine_sbx --rw "$dir/outer" -- ls "$dir/outer"
	is "$rc:$out" 0:file "$engine: control: a link that no command could have made"
}

machine() {
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' \
		"$dir/engine/docker.sock" || bail socket
	for source in / /run /var/run /dev /proc /proc/1 /sys/kernel "$dir/engine" "$dir/engine/docker.sock"; do
		for option in --ro --rw; do
			run engine_sbx "$option" "$source" -- true
			like "$rc:$err" '125:.*hands the machine over; mount a subfolder' "$engine: $option $source"
		done
	done
	run engine_sbx --bind /:/x:ro -- true
	like "$rc:$err" '125:.*hands the machine over; mount a subfolder' "$engine: --bind /"
	run engine_sbx --root "$dir/engine" -- true
	like "$rc:$err" '125:.*hands the machine over; mount a subfolder' "$engine: a project with an engine's socket"
	run engine_bare run --rm --network none --mount "type=bind,src=$dir/engine,dst=/x,readonly" localhost/box:1 \
		test -S /x/docker.sock
	is "$rc" 0 "$engine: control: the engine shows it"
	run engine_sbx --ro "$dir/engine/sub" --root "$project" -- ls -A "$dir/engine/sub"
	is "$rc" 0 "$engine: control: a folder below it is mounted"
}

mounts() {
	dir=$tmp/mounts-$engine
	project=$dir/project
	mkdir -p "$project/hooks" "$project/a/b/hooks" "$dir/data" "$dir/out/below" "$dir/engine/sub"
	echo data >"$dir/data/file"
	echo old | tee "$project/a/b/hooks/pre" >"$project/hooks/pre"
	ln -s project "$dir/link"
	ln -s project/hooks "$dir/hooks"
	ln -s data "$dir/outer"
	[ "$engine" != rootless ] || ! tap_is_root || chown -Rh "$tap_user:" "$dir"
	read_only
	moved
	others
	links
	machine
}

engine_each mounts
done_testing
