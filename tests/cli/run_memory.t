#!/bin/sh
# The limit of memory for effect: kept by a control group, by RLIMIT_AS, or refused.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python
need_hog

# Kept by a control group: only where we may make one.
has_group() {
	as "$who" "$sbx" -b native --require memory -m 64m -- true 2>/dev/null &&
		as "$who" "$sbx" -b landlock -m 64m -- true 2>/dev/null
}

memory_kept() {
	sandbox --json -- ./hog mem 64m
	ok "$at: control: without a limit the hog has its share" result 'exit_code == 0' \
		'stdout == "mem 67108864\n"' 'peak_memory_bytes > 60000000'
	sandbox --json -m 32m -- ./hog mem 64m
	is "$rc" 137 "$at: -m: killed"
	ok "$at: -m: result" result 'reason == "oom"' 'signal == 9' 'oom_kills >= 1' \
		'"memory" in applied' '16 << 20 < peak_memory_bytes <= 33 << 20'
	sandbox --json -m 64m -- ./hog mem 8m
	ok "$at: -m: enough for what needs less" result 'exit_code == 0' 'reason == "exit"' \
		'oom_kills == 0'
	for least in 1 4k 1023k; do
		sandbox -m $least -- true
		is "$rc:$err" '125:sbx-run: --memory: at least 1m' "$at: -m $least"
	done
	sandbox -m 1m -- ./none
	is "$rc" 127 "$at: -m 1m: the way into the sandbox has enough"
	sandbox --json -m 32m -- sh -c './hog mem 64m; exit 0'
	ok "$at: -m: a child's end is a counter, no reason" result 'exit_code == 0' \
		'reason == "exit"' 'oom_kills >= 1'
	sandbox --json -m 64m -- sh -c 'for i in 1 2 3 4; do "$0" -I -S -c "
import time; b = bytearray(24 << 20); time.sleep(1)" & done; wait; exit 3' "$py"
	ok "$at: -m: several processes together" result 'oom_kills >= 1' 'reason == "oom"'
	sandbox --json -m 32m -- sh -c 'kill -KILL $$'
	ok "$at: -m: a SIGKILL of another origin is no oom" result 'reason == "signal"' \
		'signal == 9' 'oom_kills == 0'
}

memory_native() {
	sandbox --json -m 64m -- ./hog mem 64m
	ok "$at: -m: RLIMIT_AS refuses" result 'exit_code == 10' \
		'"memory" in applied or "memory" in missing'
	sandbox --json -m 64m -- ./hog mem 8m
	ok "$at: -m: enough for what needs less" result 'exit_code == 0'
	sandbox -m 64m -- sh -c 'ulimit -v'
	is "$out" 65536 "$at: -m: RLIMIT_AS"
}

memory_refused() {
	sandbox -m 64m -- touch canary
	is "$rc" 125 "$at: -m cannot be kept"
	like "$err" '^sbx-run: --memory .*--best-effort' "$at: -m: why and what to do"
	one_line "$err" "$at: -m cannot be kept"
	ok "$at: nothing was run" test ! -e canary
	sandbox --json -m 48m --best-effort -- ./hog mem 200m
	ok "$at: -m --best-effort: not said to be kept" result '"memory" not in applied' \
		'missing["memory"]' 'exit_code != 0'
	sandbox --json -m 48m --best-effort -- sh -c 'exit 3'
	ok "$at: -m --best-effort: what needs less runs" result 'exit_code == 3'
	like "$err" "^sbx-run: warning: backend $backend, without memory \\(.+\\)\$" \
		"$at: -m --best-effort: one warning names it"
	one_line "$err" "$at: -m --best-effort"
	sandbox --json -m 48m --best-effort -- sh -c \
		'for i in 1 2 3 4 5 6; do ./hog mem 16m >/dev/null & done; sleep 2; wait; exit 4'
	ok "$at: -m --best-effort: the sum over the tree is sampled" result \
		'"memory" not in applied' 'reason in ("oom", "exit")'
}

memory() {
	case $who:$backend in
	user:native | user:sandbox_exec) memory_native ;;
	*:native | *:sandbox_exec) ;;
	*) if [ "$groups" = yes ]; then memory_kept; else memory_refused; fi ;;
	esac
}

for who in $callers; do
	groups=no
	! has_group || groups=yes
	if [ "$who:$groups" = root:no ]; then
		skip 'root cannot make control groups here'
	fi
	callers=$who each_run memory
done
rlimit_as() {
	sandbox --rlimit-as -m 64m --best-effort -- sh -c 'ulimit -v'
	is "$out" 65536 "$at: --rlimit-as"
	sandbox --rlimit-as -- true
	is "$rc" 125 "$at: --rlimit-as needs --memory"
}
ONLY=namespace each_run rlimit_as
nothing_left 'no control group and no temporary folder is left'
done_testing
