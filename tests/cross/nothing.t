#!/bin/sh
# Where nothing is to be had: an emulator of user programs knows no namespaces, no Landlock, no
# filters. sbx-run falls to native and says so, sbx-probe says the same, and what was named or
# required is refused by name, with nothing run. The control is the machine's own program in the same
# place, which finds more.
. "$SBX_ROOT/tests/cross/lib/cross.sh"

isolation='user_ns mount_ns pid_ns net_ns ipc_ns uts_ns cgroup_ns view proc metadata landlock seccomp'
py=/usr/bin/python3
[ -x "$py" ] || need python3 python3
mkdir "$tmp/project"
cd "$tmp/project" || bail 'no project folder'
# The machine's own bubblewrap is no part of what is tested.
export SBX_BWRAP="$tmp/no-such-bwrap"

# sbx ARG..., probe ARG...: of the processor $arch.
sbx() {
	emulated "$arch" "$(build_of "$arch")/sbx-run" "$@" </dev/null
}
probe() {
	emulated "$arch" "$(build_of "$arch")/sbx-probe" "$@" </dev/null
}

# refused PATTERN NAME: with 125, one line that says so, and the command was not run.
refused() {
	is "$rc:$(printf '%s\n' "$err" | grep -c .)" 125:1 "$arch: $2: refused with one line" || diag "$err"
	like "$err" "^sbx-run: .*$1" "$arch: $2: which says why"
	ok "$arch: $2: nothing was run" test ! -e ran
	rm -f ran
}

# words NAME: the layers that are not in $tmp/.out, a JSON object with rows or names at that key.
lacking() {
	"$py" -I -S -c '
import json, sys
rows = json.load(open(sys.argv[1]))[sys.argv[2]]
print(" ".join(r.get("layer") or r["name"] for r in rows if not r.get("works", False)))' "$tmp/.out" "$1"
}
field() {
	"$py" -I -S -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$tmp/.out" "$1"
}

# has_all TEXT WORD...
has_all() {
	has_text=$1
	shift
	for has_word; do
		case " $has_text " in
		*" $has_word "*) ;;
		*) return 1 ;;
		esac
	done
}

test_probe() {
	probe
	is "$rc" 0 "$arch: sbx-probe: native works, so 0"
	for layer in $isolation; do
		like "$out" "^ +$layer +no +[a-z_]+.*: " "$arch: sbx-probe: no $layer, and which step failed"
	done
	for backend in namespace landlock bubblewrap; do
		like "$out" "^ +$backend +no " "$arch: sbx-probe: no $backend"
	done
	like "$out" '^ +native +yes ' "$arch: sbx-probe: native"
	like "$out" '^auto takes: native, without user_ns .* landlock seccomp' "$arch: sbx-probe: auto takes it"
	probe --json
	# shellcheck disable=SC2086 # words
	ok "$arch: sbx-probe --json says the same" has_all "$(lacking layers)" $isolation
	probe -b namespace
	is "$rc" 1 "$arch: sbx-probe -b namespace"
	probe --require landlock
	is "$rc" 1 "$arch: sbx-probe --require landlock"
	# Control: the same place without the emulator.
	emulated "$arch" "$SBX_BUILD/sbx-probe"
	like "$out" '^ +(seccomp|landlock|user_ns) +yes ' "$arch: control: this machine's own finds more"
}

test_fall() {
	sbx -- sh -c 'echo hi; touch ran'
	is "$rc:$out" 0:hi "$arch: auto runs the command"
	ok "$arch: auto: in the project" test -e ran
	rm -f ran
	is "$(printf '%s\n' "$err" | grep -c .)" 1 "$arch: auto: one line"
	like "$err" '^sbx-run: .*native, without user_ns mount_ns .* landlock seccomp' "$arch: auto: what is missing"
	sbx -q --json -- sh -c 'exit 3'
	is "$rc:$(field backend)" 3:native "$arch: --json: native"
	# shellcheck disable=SC2086 # words
	ok "$arch: --json: what is missing" has_all "$("$py" -I -S -c '
import json, sys
layers = json.load(open(sys.argv[1]))["layers"]
assert not {m["layer"] for m in layers["missing"]} & set(layers["applied"])
assert all(m["why"] for m in layers["missing"])
print(" ".join(m["layer"] for m in layers["missing"]))' "$tmp/.out")" $isolation die_with_runner
}

# What is told by the child that becomes the command: it has a memory of its own here.
test_ends() {
	sbx -q -- "$tmp/no/such"
	is "$rc" 127 "$arch: no such command"
	like "$err" "^sbx-run: $tmp/no/such: No such file" "$arch: no such command: said so"
	sbx -q -- "$tmp/project"
	is "$rc" 126 "$arch: a folder as command"
	like "$err" '^sbx-run: .*is a folder' "$arch: a folder as command: said so"
	sbx -q -- sh -c 'kill -9 $$'
	is "$rc" 137 "$arch: killed"
	sbx -q -t 1s --kill-grace 100ms -- sh -c 'trap "" TERM; sleep 60 & sleep 60; sleep 60'
	is "$rc" 124 "$arch: timeout"
	sbx -q -- "$(build_of "$arch")/sbx" --version
	like "$rc:$out" '^0:sbx [0-9.]+$' "$arch: a program of that processor as command"
}

test_refused() {
	for backend in namespace landlock bubblewrap; do
		sbx -b "$backend" -- touch ran
		refused . "-b $backend"
	done
	sbx -b landlock -- touch ran
	like "$err" 'Landlock' "$arch: -b landlock: names it"
	sbx --strict -- touch ran
	refused 'required layer [a-z_]+ is missing' --strict
	for layer in $isolation; do
		sbx --require "$layer" -- touch ran
		refused "required layer $layer is missing" "--require $layer"
	done
	sbx -q --require env,rlimits -- true
	is "$rc" 0 "$arch: control: --require of what is there"
	sbx --net none -- touch ran
	refused '--net' '--net none'
	sbx --ro /usr -- touch ran
	refused '--ro' --ro
	sbx --best-effort --ro /usr -- touch ran
	refused '--ro' '--ro with --best-effort, which is for limits'
	sbx -q --best-effort --net none -- touch ran
	is "$rc" 0 "$arch: control: --best-effort accepts that"
	rm -f ran
	echo '{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[]}' >"$tmp/list.json"
	sbx --seccomp "$tmp/list.json" -- touch ran
	refused '--seccomp' '--seccomp FILE'
}

for arch in $arches; do
	can_emulate "$arch" || { skip "$why"; continue; }
	test_probe
	test_fall
	test_ends
	test_refused
done
done_testing
