#!/bin/sh
# What is told of a command in a container is what is told of it anywhere else: its status and signal, not found, not
# executable, timeouts, limits, output; and what an engine cannot do is one line.
. "$SBX_ROOT/tests/lib/tap.sh"
. "$SBX_ROOT/tests/lib/engine.sh"

engine_rootfs "$tmp/image.tar" hog="$SBX_BUILD/tests/lib/hog" || skip_all "$engine_why"

# field NAME: of the result object in $out
field() {
	printf '%s' "$out" | sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"
}

statuses() {
	run engine_sbx -q -- sh -c 'echo out; echo err >&2; exit 7'
	is "$rc:$out:$err" '7:out:err' "$engine: status, stdout and stderr of the command"
	run engine_sbx -- nosuch
	is "$rc" 127 "$engine: a missing command"
	like "$err" 'nosuch: command not found' "$engine: and the line for it"
	run engine_sbx -- /etc/passwd
	is "$rc" 126 "$engine: a file that is no program"
	# shellcheck disable=SC2016 # for the shell inside
	run engine_sbx --json -- sh -c 'kill -SEGV $$'
	is "$rc:$(field reason):$(field signal):$(field exit_code)" '139:signal:11:139' "$engine: a signal"
	run engine_sbx --image localhost/nosuch:1 -- true
	is "$rc" 125 "$engine: a missing image is sbx's own failure"
	like "$err" 'nosuch.*--pull missing' "$engine: and says what to do"
	run engine_sbx --json --image localhost/nosuch:1 -- true
	is "$(field reason):$(field exit_code)" 'launch_error:1' "$engine: the result of a missing image"
	# shellcheck disable=SC2046 # many words
	run engine_sbx -- sh -c 'echo $#' $(seq 10000)
	is "$rc:$out" '0:9999' "$engine: ten thousand arguments"
}

streams() {
	run sh -c 'printf "a\0b\377c" | "$@" | od -An -tx1' sh "$tmp/sbx" -- cat
	is "$out" ' 61 00 62 ff 63' "$engine: stdin to stdout, every byte"
	run engine_sbx --json -- sh -c 'printf "\377"'
	is "$(field stdout):$(field stdout_encoding)" '/w==:base64' "$engine: bytes that are no text"
	run engine_sbx --json -o 1000 -- /hog out 3000000
	is "$rc:$(field output_truncated):$(field stdout_bytes)" '0:true:3000000' "$engine: more output than is kept"
	run engine_sbx --json -o 1000 --kill-on-output -- /hog out 300000000
	is "$(field reason)" output_limit "$engine: --kill-on-output"
	run sh -c 'head -c 3000000 /dev/zero | "$@"' sh "$tmp/sbx" -- sh -c 'head -c 5; exec 0<&-; sleep 0.3; echo end'
	like "$rc:$out" '^0:end$' "$engine: a command that reads no more of a long stdin"
	run engine_sbx -- sh -c 'sleep 300 & echo started'
	is "$rc:$out" '0:started' "$engine: what is left behind holds nothing up"
	run sh -c '"$@" | head -c 10' sh "$tmp/sbx" -- sh -c 'yes'
	is "$out" 'y
y
y
y
y' "$engine: nobody reads our output any more"
	run sh -c '"$@" | { sleep 1; wc -c; }' sh "$tmp/sbx" -- head -c 5000000 /dev/zero
	is "$(printf '%s' "$out" | tr -d ' ')" 5000000 "$engine: a slow reader gets all of it" || diag "$err"
}

timeouts() {
	run engine_sbx --json -t 1 -- sleep 100
	is "$rc:$(field reason):$(field timed_out)" '124:wall_timeout:true' "$engine: the time is up"
	run engine_sbx --json -t 1 --kill-grace 300ms -- sh -c 'trap "" TERM; while :; do sleep 1; done'
	is "$rc:$(field reason):$(field signal)" '124:wall_timeout:9' "$engine: also for one that ignores SIGTERM"
	run engine_sbx --json -t 1 -- sh -c 'trap "echo bye; exit 3" TERM; sleep 100 & wait'
	is "$(field reason):$(field exit_code):$(field stdout)" 'wall_timeout:3:bye\n' \
		"$engine: the grace is the command's"
	run engine_sbx --json -t 20 --cpu-time 300ms -- sh -c 'while :; do :; done'
	is "$rc:$(field reason)" '124:cpu_timeout' "$engine: processor time"
	# the stalled reader takes nothing while the time runs out: the command ends all the same
	run sh -c '"$@" | { sleep 4; wc -c >/dev/null; }; echo done' sh "$tmp/sbx" -t 1 -- sh -c 'yes'
	is "$out" 'done' "$engine: a reader that stalls does not stop the clock"
}

limits() {
	if [ "$engine" = rootless ] && [ -d /sys/fs/cgroup/memory ]; then
		# cgroup v1: the engine warns and goes on; that is no limit
		run engine_as_user SBX_IMAGE=localhost/box:1 timeout 60 "$SBX_BUILD/sbx-run" -b podman -- true
		is "$rc" 125 "$engine: a limit that the engine does not keep is refused"
		like "$err" '^sbx-run: --memory is not in force .* --best-effort' "$engine: and says which"
		run engine_as_user timeout 60 podman run --rm --memory 32m --network none localhost/box:1 true
		is "$rc" 0 "$engine: the engine itself only warns"
		run engine_sbx --json -- true
		like "$out" '"missing":\[.*"memory".*"pids"' "$engine: --best-effort names what is missing"
		like "$out" '"peak_pids":null' "$engine: and counts nothing of others"
		return 0
	fi
	run engine_sbx --json -m 32m -- /hog mem 100000000
	is "$rc:$(field reason):$(field oom_kills)" '137:oom:1' "$engine: the memory limit"
	run engine_sbx --json -m 32m -- /hog tmpfs /tmp 60000000
	like "$(field reason):$rc" '^oom:|^exit:[1-9]' "$engine: memory in a tmpfs counts"
	is "$(ls oom "${SBX_STATE_DIR:-/nonexistent}/run" 2>/dev/null)" '' \
		"$engine: and the engine's mark of it lies nowhere"
	mkdir -p "$tmp/planted"
	ln -sf "$tmp/outside-$engine" "$tmp/planted/oom"
	cd "$tmp/planted" || bail cd
	run engine_sbx --json --root . -m 32m -- /hog mem 100000000
	is "$(field reason)" oom "$engine: out of memory in a project with a link of that name"
	ok "$engine: which is not followed" test ! -e "$tmp/outside-$engine"
	if [ "$engine" = podman ]; then
		engine_bare run --rm --network none --memory 32m --memory-swap 32m localhost/box:1 /hog mem 100000000
		ok "$engine: control: the engine, started there, follows it" test -e "$tmp/outside-$engine"
	fi
	cd "$OLDPWD" || bail cd
	run engine_sbx --json --pids 8 -- /hog procs 20
	is "$(field reason)" pids_limit "$engine: the number of processes"
	run engine_sbx --json --cpus 0.5 -- true
	like "$out" '"applied":\[.*"memory","pids","cpu"' "$engine: limits that were read back inside"
	run engine_sbx --json -- sh -c 'exit 3'
	is "$(field peak_pids | grep -c '[0-9]')" 1 "$engine: what the container used is counted"
}

engine_tests() {
	engine_program "$tmp/sbx" # for pipes
	statuses
	streams
	timeouts
	limits
	is "$(engine_bare ps -aq)" '' "$engine: no container is left"
}

engine_each engine_tests
done_testing
