#!/bin/sh
# However sbx ends, no container of it goes on: after a timeout, a signal, SIGKILL of the runner, of the guardian, of
# the engine's client and of all of them together. What was left over, the next run clears away, and it touches nothing
# that somebody still looks after.
. "$SBX_ROOT/tests/lib/tap.sh"
. "$SBX_ROOT/tests/lib/engine.sh"

need pgrep procps
engine_rootfs "$tmp/image.tar" || skip_all "$engine_why"

# alive WORD: processes of a command that sleeps for WORD seconds
alive() {
	pgrep -f "^sleep $1\$" | wc -l
}

containers() {
	engine_bare ps -aq | wc -l
}

# monitors: podman's processes beside a container, which also has one that was never started
monitors() {
	pgrep -f "^[^ ]*conmon .*$tmp/" | wc -l
}

# until_is WANT COMMAND...: its output becomes WANT in a while; what it is at the end.
until_is() {
	want=$1
	shift
	for _ in $(seq 150); do
		got=$("$@")
		[ "$got" != "$want" ] || break
		sleep 0.2
	done
	echo "$got"
}

# start: a run in the background with a command that can be found by the number of its seconds
start() {
	seconds=$((seconds + 1))
	"$tmp/sbx" -t 100 -- sleep "$seconds" 2>"$tmp/err" &
	runner=$!
	is "$(until_is 1 alive "$seconds")" 1 "$engine: $1: the command runs" || diag "$(cat "$tmp/err")"
	guardian=$(pgrep -P "$runner" | head -n 1)
	client=$(pgrep -P "$guardian" | head -n 1)
	: "$client"
}

# ends NAME: nothing of it is left
ends() {
	wait "$runner" 2>/dev/null
	status=$?
	is "$(until_is 0 alive "$seconds")" 0 "$engine: $1: the command is gone"
	is "$(until_is 0 containers)" 0 "$engine: $1: the container is gone"
}

runs() {
	ls "$engine_state/run"
}

kills() {
	for who in runner guardian client 'runner guardian' 'runner guardian client'; do
		start "SIGKILL of $who"
		for one in $who; do
			eval "kill -KILL \$$one"
		done
		ends "SIGKILL of $who"
	done
	for signal in 15 1; do
		start "signal $signal"
		kill -"$signal" "$runner"
		ends "signal $signal"
		is "$status" $((128 + signal)) "$engine: signal $signal: and the status says so"
	done
	for delay in 0.05 0.08 0.1 0.11 0.12 0.13 0.14 0.15 0.17; do
		"$tmp/sbx" -t 100 -- sleep 100 2>"$tmp/err" &
		runner=$!
		sleep "$delay"
		kill -TERM "$runner"
		wait "$runner"
		is "$?" 143 "$engine: SIGTERM during the start, after $delay s: status"
	done
	is "$(containers)" 0 "$engine: SIGTERM during the start: no container"
	is "$(until_is 0 monitors)" 0 "$engine: and nothing that looks after one"
}

sweeps() {
	# whatever the kills above left is gone with the next run
	run engine_sbx -- true
	is "$rc:$(runs)" '0:' "$engine: a run clears away what others left"
	# a container whose owner is gone; as if guardian and engine had been killed at once
	left=sbx-0123456789abcdef
	mkdir -p "$engine_state/run/$left"
	: >"$engine_state/run/$left/lock"
	printf %s "$(command -v "${engine#rootless}" || command -v podman)" >"$engine_state/run/$left/engine"
	[ "$engine" != rootless ] || chown -R "$tap_user:" "$engine_state/run/$left"
	engine_bare run -d --name "$left" --label "sbx=$left" --network none localhost/box:1 sleep 1000 >/dev/null
	engine_bare run -d --name not-ours --network none localhost/box:1 sleep 1000 >/dev/null
	is "$(containers)" 2 "$engine: control: two containers run"
	# one that is looked after, and one that is
	exec 9>"$engine_state/run/$left/lock"
	flock 9
	run engine_sbx -- true
	is "$rc:$(containers)" '0:2' "$engine: a container whose owner's lock is held is left alone"
	exec 9>&-
	run engine_sbx -- true
	is "$rc:$(containers):$(runs)" '0:1:' "$engine: one whose owner is gone is removed"
	is "$(engine_bare ps --format '{{.Names}}')" not-ours "$engine: another one is nobody's business"
	engine_bare kill not-ours >/dev/null
	engine_bare rm -f not-ours >/dev/null 2>&1
}

seconds=$((100000 + $$ % 10000 * 100))
killed() {
	if [ "$engine" = rootless ]; then
		engine_state=$tap_home/state
	fi
	engine_program "$tmp/sbx"
	kills
	sweeps
}

engine_each killed
done_testing
