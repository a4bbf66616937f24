#!/bin/sh
# Where no process can be a subreaper: what is found at the end of a run and what is not, and that
# the latter is told. On the portable build, whose guardian is the one of macOS.
[ ! -x "$SBX_BUILD-portable/sbx-run" ] || SBX_BUILD=$SBX_BUILD-portable
SBX_TARGET=portable
SBX_BACKENDS='native sandbox_exec'
. "$SBX_ROOT/tests/cli/lib/cli.sh"
case $SBX_BUILD in
*-portable) ;;
*) skip_all 'no portable build: make TARGET=portable' ;;
esac
need_python

serial=$(($$ % 30000 + 1000))
new_sleep() {
	serial=$((serial + 1))
	nap="7$serial.5"
}

count() {
	pgrep -fc "^sleep $nap"
}

# An orphan that stayed in the session of the command, and its children, are found.
in_session() {
	new_sleep
	sandbox -- sh -c "(sh -c 'sleep $nap & sleep $nap & wait' &) ; sleep 0.3; echo hi"
	is "$rc:$out" 0:hi "$at: orphans in the session"
	ok "$at: none of them is left" is_gone "^sleep $nap"
	new_sleep
	begin -- sh -c "(sleep $nap &); sleep $nap & exec sleep $nap"
	within 20 sh -c "[ \$(pgrep -fc '^sleep $nap') = 3 ]"
	is "$(count)" 3 "$at: control: three processes run"
	kill -KILL "$pid"
	end
	ok "$at: SIGKILL of sbx-run: none of them is left" is_gone "^sleep $nap"
	new_sleep
	begin --json -- sh -c "(sleep $nap &); sleep $nap & exec sleep $nap"
	within 20 sh -c "[ \$(pgrep -fc '^sleep $nap') = 3 ]"
	guardian=$(pgrep -P "$pid" | head -n 1)
	kill -KILL "$guardian"
	end
	ok "$at: SIGKILL of the guardian: none of them is left" is_gone "^sleep $nap"
	RESULT=$tmp/.bg.out
	ok "$at: and it is told" result 'reason == "launch_error"' '"killed" in error_message'
	unset RESULT
	new_sleep
	sandbox -t 500ms -- sh -c "trap '' TERM; (trap '' TERM; sleep $nap &); sleep $nap; sleep $nap"
	is "$rc" 124 "$at: the time is up"
	ok "$at: the time is up: nothing is left" is_gone "^sleep $nap"
}
each_run in_session

# One that has left both is not, and the layer that would say so is missing, with the reason.
apart() {
	new_sleep
	sandbox -- sh -c "(setsid sh -c 'sleep $nap & exec true' &) ; sleep 0.3; echo hi"
	is "$rc:$out" 0:hi "$at: a daemon"
	is "$(count)" 1 "$at: control: it is what cannot be found (or this test says too little)"
	pkill -KILL -f "^sleep $nap"
	sandbox --json -- true
	ok "$at: told as missing" result '"die_with_runner" not in layers["applied"]' \
		'[m["why"] for m in layers["missing"] if m["layer"] == "die_with_runner"][0].count("session")'
	sandbox --require die_with_runner -- touch canary
	is "$rc" 125 "$at: --require die_with_runner: refused"
	like "$err" 'required layer die_with_runner is missing: .*session' "$at: and why"
	ok "$at: nothing was run" test ! -e canary
}
each_run apart

# ---- which backends there are ----

backends() {
	for name in namespace ns bubblewrap bwrap landlock; do
		run as "$who" "$sbx" -b "$name" -- touch canary
		is "$rc:$out" 125: "$who: $name: refused"
		like "$err" "backend $name is for Linux only; use auto, sandbox_exec, native" \
			"$who: $name: said"
		ok "$who: $name: nothing was run" test ! -e canary
	done
	run as "$who" "$sbx" --json -- true
	ok "$who: auto takes sandbox_exec" result 'backend == "sandbox_exec"'
	run as "$who" SBX_SANDBOX_EXEC= "$sbx" --json -- true
	ok "$who: and native where there is none" result 'backend == "native"' 'exit_code == 0'
	run as "$who" SBX_SANDBOX_EXEC= "$sbx" -- true
	like "$err" 'backend native, without .*no sandbox-exec' "$who: with a line that says so"
	mkdir -p "$tmp/nested"
	cat >"$tmp/nested/sandbox-exec" <<'EOS'
#!/bin/sh
echo 'sandbox-exec: sandbox_apply: Operation not permitted' >&2
exit 71
EOS
	chmod 0755 "$tmp/nested/sandbox-exec"
	run as "$who" "SBX_SANDBOX_EXEC=$tmp/nested/sandbox-exec" "$sbx" -- sh -c 'cat; echo ran' <<'EOS'
data
EOS
	is "$rc:$out" "0:data
ran" "$who: in a sandbox already: native, and stdin is whole"
	like "$err" 'backend native, without .*do not nest' "$who: and it is told why"
	run as "$who" "$sbx" -- no-such-command
	is "$rc" 127 "$who: a command that is not there is no reason to go on"
	run as "$who" "${sbx%-run}-probe" --json
	ok "$who: the probe" "$py" -I -S -c 'import json, sys
r = json.load(open(sys.argv[1]))
names = {b["name"]: b["works"] for b in r["backends"]}
assert names["sandbox_exec"] and names["native"], names
assert "namespace" not in names and "landlock" not in names, names
layers = {l["name"]: l for l in r["layers"]}
assert layers["rlimits"]["works"] and not layers["view"]["works"], layers
assert layers["view"]["reason"], layers["view"]' "$tmp/.out"
}
each_caller backends

limits() {
	for option in '--pids 10' '--cpus 1'; do
		# shellcheck disable=SC2086 # words
		sandbox $option -- touch canary
		is "$rc" 125 "$at: $option: refused"
		like "$err" 'cannot be kept here: this system has no control groups; --best-effort' \
			"$at: $option: why"
		ok "$at: $option: nothing was run" test ! -e canary
	done
	sandbox -m 64m -- sh -c 'ulimit -v'
	is "$out" 65536 "$at: -m: each process by itself"
	sandbox --cpu-time 1s -t 20s --json -- sh -c 'while :; do :; done'
	ok "$at: --cpu-time" result 'reason == "cpu_timeout"'
	sandbox --print-seccomp
	like "$out" 'clone' "$at: the filter can be printed, for an engine's machine"
}
each_run limits
done_testing
