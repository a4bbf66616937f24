#!/bin/sh
# Policy files, what is required, plans that are only printed, and filters of one's own.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python

# policy TEXT: the policy file.
policy() {
	printf '%s' "$1" >"$tmp/policy.json"
	chmod 0644 "$tmp/policy.json"
}

files() {
	policy '{"backend": "'"$backend"'", "timeout": "400ms", "env_mode": "clear",
		"env": ["A=1", "B=2"], "$schema": "x", "comment": "y"}'
	run as "$who" "$sbx" --policy "$tmp/policy.json" --json --env C=3 -- /usr/bin/env
	ok "$at: the file's words, and the command line adds to lists" result \
		"backend == '$backend'" '{b"A=1", b"B=2", b"C=3"} <= set(out.split(b"\n"))'
	run as "$who" "$sbx" --policy "$tmp/policy.json" -- /bin/sleep 20
	is "$rc" 124 "$at: the file's timeout"
	run as "$who" "$sbx" -t 1m --policy "$tmp/policy.json" -- /bin/sleep 1
	is "$rc" 0 "$at: the command line's timeout wins, wherever it stands"
	policy '{"sandbox_backend": "'"$backend"'", "max_output_bytes": 5}'
	run as "$who" "$sbx" --policy "$tmp/policy.json" --json -- echo 1234567
	ok "$at: keys of other products" result "backend == '$backend'" 'output_truncated' \
		'stdout_bytes == 8'
	policy '{"memory_limit_mb": 64}'
	run as "$who" "$sbx" -b native --policy "$tmp/policy.json" -- sh -c 'ulimit -v'
	is "$out" 65536 "$at: memory_limit_mb"
}
each_run files

# hide and require are promises of the file: no option takes them back.
promises() {
	mkdir -p secret
	echo secret >secret/f
	policy '{"hide": ["'"$PWD"'/secret"], "require": ["seccomp"]}'
	for option in '' "--rw $PWD/secret" "--ro $PWD/secret/f" "--bind $PWD/secret:$PWD/secret" \
		"--tmpfs $PWD/secret"; do
		# shellcheck disable=SC2086 # words
		sandbox --policy "$tmp/policy.json" $option -- cat secret/f
		is "$out" '' "$at: hide of the file holds against: $option"
	done
	sandbox --policy "$tmp/policy.json" --require view --seccomp none -- touch canary
	is "$rc:$out" 125: "$at: require of the file holds against --seccomp none"
	like "$err" '^sbx-run: .*seccomp' "$at: and seccomp is named"
	ok "$at: nothing was run" test ! -e canary
	sandbox --policy "$tmp/policy.json" --best-effort --seccomp none -- touch canary
	is "$rc" 125 "$at: and against --best-effort"
	rm -rf secret canary
}
ONLY='namespace bubblewrap' callers=${callers%% *} each_run promises

# Relative paths begin at the file's folder, wherever the caller is and whatever way he names it.
placed() {
	as "$who" mkdir -p w/conf other
	as "$who" ln -sfn w/conf lk
	echo secret >w/secret
	echo '{"root": "..", "cwd": "conf", "hide": ["../secret"], "stdin": "p.json"}' >w/conf/p.json
	for place in . w w/conf other /; do
		case $place in
		.) file=w/conf/p.json ;;
		w) file=./conf/p.json ;;
		w/conf) file=p.json ;;
		other) file=../lk/p.json ;;
		/) file=$PWD/w/conf/p.json ;;
		esac
		# shellcheck disable=SC2016 # the inner shell's
		run as "$who" sh -c 'cd "$1" && shift && exec "$@"' sh "$place" \
			"$sbx" -b "$backend" --policy "$file" -- sh -c 'pwd; head -c 7; cat ../secret'
		is "$out" "$PWD/w/conf${newline}{\"root\"" "$at: from $place: the file's places"
		like "$err" 'secret' "$at: from $place: what it hides is hidden"
		run as "$who" sh -c 'cd "$1" && shift && exec "$@"' sh "$place" \
			"$sbx" -b "$backend" --root "$PWD/w" -- cat "$PWD/w/secret"
		is "$out" secret "$at: from $place: control"
	done
	# a descriptor has no folder
	echo '{"hide": ["secret"]}' >w/conf/p.json
	# shellcheck disable=SC2016 # the inner shell's
	run as "$who" sh -c 'cd w && exec "$@" <conf/p.json' sh \
		"$sbx" -b "$backend" --policy /dev/stdin -- cat secret
	isnt "$rc:$out" 0:secret "$at: a descriptor's paths begin at the current folder"
	unlike "$err" '^sbx-run' "$at: and that file can be read"
	rm -rf w other lk
}
newline='
'
ONLY='namespace bubblewrap' callers=${callers%% *} each_run placed

# Where nothing can be hidden a hide is refused, also with --best-effort, which is for limits.
unhidden() {
	policy '{"hide": ["'"$PWD"'/secret"]}'
	echo secret >secret
	sandbox --best-effort -- cat secret
	is "$rc:$out" 0:secret "$at: control: without the file it can be read"
	sandbox --policy "$tmp/policy.json" --best-effort -- cat secret
	is "$rc:$out" 125: "$at: hide of the file holds against --best-effort"
	like "$err" '^sbx-run: the native backend cannot .*--hide' "$at: and is named"
	rm -f secret
}
ONLY=native callers=${callers%% *} each_run unhidden

# A second file would take the place of the first one.
only_one() {
	policy '{"require": ["view"]}'
	echo '{}' >"$tmp/empty.json"
	for first in "--policy $tmp/policy.json" "-qt 5s --policy=$tmp/policy.json"; do
		for second in "--policy $tmp/empty.json" "--net host --policy=$tmp/empty.json"; do
			# shellcheck disable=SC2086 # words
			sandbox $first $second -- touch canary
			is "$rc:$out" 125: "$who: $first $second"
			one_line "$err" "$who: $first $second"
			ok "$who: nothing was run" test ! -e canary
		done
	done
	sandbox --json --policy "$tmp/policy.json" --policy "$tmp/empty.json" -- true
	ok "$who: two files: the result" result '"only one file" in error_message'
	sandbox --policy "$tmp/empty.json" --env --policy=x --env=--policy -- touch canary
	is "$rc:$err" 0: "$who: control: one file, and values that look like more"
	rm -f canary
}
ONLY=native callers=${callers%% *} each_run only_one

required() {
	case $backend in
	namespace) have=pid_ns,view lack='' ;;
	landlock) have=view,landlock,seccomp lack=pid_ns ;;
	native | sandbox_exec) have=env,rlimits lack=view ;;
	*) have=view,pid_ns lack='' ;;
	esac
	sandbox --require "$have" -- sh -c 'exit 3'
	is "$rc:$err" 3: "$at: --require of what is there"
	sandbox --require memory -- touch canary
	is "$rc" 125 "$at: --require of a limit that nobody set"
	[ -n "$lack" ] || return 0
	for option in "--require $lack" "--require $have,$lack" --strict; do
		# shellcheck disable=SC2086 # words
		sandbox $option -- touch canary
		is "$rc:$out" 125: "$at: $option"
		like "$err" '^sbx-run: required layer [a-z_]+ is missing: .+nothing was run' \
			"$at: $option: which and why"
		one_line "$err" "$at: $option"
		ok "$at: $option: nothing was run" test ! -e canary
	done
	sandbox --json --require "$lack" -- true
	ok "$at: --require in the result" result 'reason == "launch_error"' \
		"'$lack' in error_message"
}
each_run required

strict() {
	sandbox --strict -- sh -c 'exit 3'
	is "$rc:$err" 3: "$at: --strict with everything"
	sandbox --strict --seccomp none -- touch canary
	is "$rc" 125 "$at: --strict without seccomp"
	ok "$at: nothing was run" test ! -e canary
	sandbox --strict --best-effort -- true
	is "$rc" 125 "$at: --strict and --best-effort exclude each other"
}
ONLY=namespace each_run strict

# auto says in one line what it could not give, unless told to be quiet; and strict refuses.
passed_over() {
	deny=$tools/deny
	for what in landlock userns; do
		run as "$who" "$deny" "$what" -- "$sbx" --json -- sh -c 'exit 3'
		[ "$rc" = 3 ] || { fail "$who: auto without $what: $err"; continue; }
		ok "$who: auto without $what: result" result 'missing' 'backend'
		like "$err" '^sbx-run: warning: backend [a-z]+, without [a-z_ ]+ \(.+\)$' \
			"$who: auto without $what: one warning"
		one_line "$err" "$who: auto without $what"
		run as "$who" "$deny" "$what" -- "$sbx" -q -- sh -c 'exit 3'
		is "$rc:$err" 3: "$who: auto without $what: -q"
		run as "$who" "$deny" "$what" -- "$sbx" --strict -- touch canary
		is "$rc" 125 "$who: auto without $what: --strict refuses"
		ok "$who: auto without $what: nothing was run" test ! -e canary
	done
	run as "$who" "$deny" userns,landlock -- "$sbx" -b landlock -- touch canary
	is "$rc" 125 "$who: a named backend that cannot work is an error"
	like "$err" '^sbx-run: .*Landlock' "$who: with its reason"
	ok "$who: nothing was run" test ! -e canary
}
each_caller passed_over

# Where the user may have no more namespaces it is said whose limit that is.
used_up() {
	# shellcheck disable=SC2016 # the inner shell's
	for n in 9999 0; do
		run as userns sh -c 'echo "$1" >/proc/sys/user/max_net_namespaces && shift && exec "$@"' sh $n \
			"$sbx" -b namespace -- echo ran
		[ "$n:$rc" != 9999:125 ] || { skip 'no namespaces in a namespace here'; return; }
		[ $n = 0 ] || is "$rc:$out" 0:ran 'control: enough namespaces'
	done
	is "$rc:$out" 125: 'no more namespaces'
	like "$err" '^sbx-run: make namespaces: .*/proc/sys/user/max_\*_namespaces' 'and why'
	one_line "$err" 'no more namespaces'
}
ONLY=namespace callers=${callers%% *} each_run used_up

# --- plans -----------------------------------------------------------------------------------

explained() {
	rm -f canary
	sandbox --explain -t 30s -m 1g --best-effort --env API_TOKEN=hunter2 -- touch canary
	is "$rc:$err" 0: "$at: --explain"
	for line in "backend: $backend" 'command: touch canary' "root: $PWD" 'network: ' \
		'limits:' '  timeout 30000 ms' '  memory 1073741824 bytes'; do
		like "$out" "^$line" "$at: --explain has: $line"
	done
	like "$out" 'API_TOKEN' "$at: --explain has names of variables"
	unlike "$out" hunter2 "$at: --explain has no values"
	sandbox --explain --json -- touch canary --token hunter2x
	is "$rc:$err" 0: "$at: --explain --json"
	ok "$at: --explain --json is JSON" "$py" -I -S -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert d["backend"] == sys.argv[2] and isinstance(d["view"], list), d
assert isinstance(d["layers"], list) and isinstance(d["environment"], list), d
assert d["limits"]["timeout_ms"] is None and d["root"] == sys.argv[3], d' \
		"$tmp/.out" "$backend" "$PWD"
	ok "$at: nothing was run" test ! -e canary
	sandbox --explain --root /no/such -- true
	is "$rc:$out" 125: "$at: --explain of what cannot be"
	one_line "$err" "$at: --explain of what cannot be"
	sandbox --explain -- no-such-command
	is "$rc" 0 "$at: --explain does not look for the command"
}
each_run explained

viewed() {
	as "$who" mkdir -p sub
	sandbox --explain --ro /srv --hide "$PWD/sub" --tmpfs "$PWD/t:1m" -- true
	for line in 'bind ro /usr' "bind rw $PWD" 'bind ro /srv' "tmpfs $PWD/t 1048576" \
		"hide $PWD/sub" 'proc /proc' 'dev /dev' 'tmpfs /tmp'; do
		like "$out" "^  $line" "$at: --explain shows the view: $line"
	done
	sandbox --explain -- true
	first=$out
	sandbox --explain -- true
	is "$out" "$first" "$at: --explain says the same twice"
	rm -rf sub
}
ONLY=namespace each_run viewed

# --- filters ---------------------------------------------------------------------------------

filters() {
	sandbox --print-seccomp
	is "$rc:$err" 0: "$at: --print-seccomp needs no command"
	like "$out" 'ptrace' "$at: --print-seccomp names what is refused"
	sandbox --print-seccomp --json
	is "$rc:$err" 0: "$at: --print-seccomp --json"
	cp "$tmp/.out" "$tmp/filter.json"
	ok "$at: it is an OCI profile" "$py" -I -S -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert d["defaultAction"].startswith("SCMP_ACT_"), d
assert any("ptrace" in s["names"] for s in d["syscalls"]), d' "$tmp/filter.json"
	chmod 0644 "$tmp/filter.json"
	sandbox --seccomp "$tmp/filter.json" -- sh -c 'exit 3'
	is "$rc:$err" 3: "$at: it can be given back with --seccomp"
	sandbox --seccomp "$tmp/filter.json" --print-seccomp --json
	ok "$at: and printed again it is the same" cmp "$tmp/.out" "$tmp/filter.json"
	sandbox -- unshare -r true
	isnt "$rc" 0 "$at: control: the built-in filter refuses unshare"
	printf '%s' '{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["mkdir","mkdirat"],
		"action":"SCMP_ACT_ERRNO","errnoRet":38}]}' >"$tmp/own.json"
	chmod 0644 "$tmp/own.json"
	sandbox --seccomp "$tmp/own.json" -- sh -c 'mkdir d; ls'
	unlike "$out" '^d$' "$at: an own list refuses what it says"
	sandbox -- sh -c 'mkdir d && ls && rmdir d'
	like "$out" '^d$' "$at: control: without it that works"
	printf '%s' '{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["mkdir","mkdirat"],
		"action":"SCMP_ACT_KILL_PROCESS"}]}' >"$tmp/kill.json"
	chmod 0644 "$tmp/kill.json"
	sandbox --json --seccomp "$tmp/kill.json" -- mkdir d
	is "$rc" 159 "$at: SIGSYS"
	ok "$at: SIGSYS: reason" result 'reason == "seccomp"' 'signal == 31'
	sandbox --json --seccomp none -- true
	ok "$at: --seccomp none" result '"seccomp" in missing' '"seccomp" not in applied'
	for bad in '{' '[]' '{"defaultAction":"SCMP_ACT_NONSENSE"}' ''; do
		printf '%s' "$bad" >"$tmp/bad.json"
		chmod 0644 "$tmp/bad.json"
		sandbox --seccomp "$tmp/bad.json" -- touch canary
		is "$rc:$out" 125: "$at: a bad filter: $bad"
		one_line "$err" "$at: a bad filter: $bad"
		ok "$at: a bad filter: nothing was run" test ! -e canary
	done
	sandbox --seccomp "$tmp/none.json" -- true
	is "$rc" 125 "$at: a filter file that is missing"
	like "$err" 'none\.json' "$at: is named"
}
ONLY='landlock namespace bubblewrap' callers=${callers%% *} each_run filters
run "$sbx" --print-seccomp --seccomp none
is "$rc:$out" '0:no filter' '--print-seccomp --seccomp none'
run "$sbx" --print-seccomp --seccomp none --json
is "$rc:$out" '0:null' '--print-seccomp --seccomp none --json'
nothing_left 'no temporary folder is left'
done_testing
