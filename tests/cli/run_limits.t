#!/bin/sh
# Limits for effect: time, processor time, memory, processes, file sizes, descriptors, share of the
# processors; what is said when one cannot be kept, and what reason a result has.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python
[ -x "$tools/hog" ] || bail "$tools/hog is not built"
for caller in $callers; do
	cp "$tools/hog" "$tmp/p-$caller/hog"
done

# Long enough for a command to be under way on a busy machine, where the sanitizer build is slow to start.
short_ms=500
[ "${SBX_MODE:-release}" = release ] || short_ms=3000
short=${short_ms}ms

wall() {
	sandbox --json -t "$short" -- sleep 77.1
	is "$rc" 124 "$at: -t: status"
	ok "$at: -t: result" result 'timed_out' 'reason == "wall_timeout"' 'exit_code == 143' \
		'signal == 15' "duration_ms >= $short_ms" 'error_message == ""'
	sandbox --json -t "$short" -- sh -c 'trap "exit 9" TERM; echo partial; sleep 5 & wait'
	is "$rc" 124 "$at: -t and a command that exits on TERM: status"
	ok "$at: -t: the command's own exit and what it printed are kept" result 'timed_out' \
		'exit_code == 9' 'signal is None' 'stdout == "partial\n"'
	sandbox --json -t "$short" --kill-grace 200ms -- \
		sh -c 'trap "" TERM; while :; do sleep 0.1; done'
	is "$rc" 124 "$at: --kill-grace and a command that ignores TERM: status"
	ok "$at: it is killed after the grace" result 'timed_out' 'reason == "wall_timeout"' \
		'exit_code == 137' 'signal == 9' "duration_ms >= $short_ms + 200"
	sandbox --json -t "$short" --kill-grace 0 -- sh -c 'trap "exit 9" TERM; sleep 5 & wait'
	ok "$at: --kill-grace 0 kills at once" result 'timed_out' 'exit_code == 137'
	sandbox --json -t "$short" -- sh -c 'kill -STOP $$; sleep 77.2'
	is "$rc" 124 "$at: -t and a stopped command"
	ok "$at: it is woken to end" result 'timed_out' 'exit_code == 143'
	sandbox --json -t 0 -- sleep 0.3
	ok "$at: -t 0 is no limit" result 'not timed_out' 'exit_code == 0'
	sandbox --json -t 1m -- sh -c 'exit 4'
	ok "$at: -t that is not reached" result 'not timed_out' 'exit_code == 4'
	sandbox -t "$short" -- sh -c 'setsid sleep 77.3 & (sleep 77.3 &) ; echo x; sleep 77.3'
	is "$rc:$out:$err" 124:x: "$at: -t and descendants: status and output, nothing said"
	ok "$at: none of them is left" is_gone '^sleep 77\.3'
}
callers=${callers%% *} each_run wall
[ "$callers" = user ] || ONLY='native namespace' callers=user each_run wall

cpu() {
	sandbox --json --cpu-time 150ms -t 60s -- sh -c 'while :; do :; done'
	is "$rc" 124 "$at: --cpu-time: status"
	ok "$at: --cpu-time: result" result 'not timed_out' 'reason == "cpu_timeout"' \
		'100 <= cpu_user_ms + cpu_system_ms < 5000'
	sandbox --json --cpu-time 200ms -- sleep 0.5
	ok "$at: sleeping costs nothing" result 'exit_code == 0' 'reason == "exit"'
}
callers=${callers%% *} each_run cpu
[ "$callers" = user ] || ONLY='native namespace' callers=user each_run cpu

cpu_of_many() {
	sandbox --json --cpu-time 400ms -t 60s -- sh -c \
		'for i in 1 2 3; do (while :; do :; done) & done; wait'
	is "$rc" 124 "$at: --cpu-time of several processes together"
	ok "$at: --cpu-time of several processes: result" result 'reason == "cpu_timeout"'
	sandbox --json --cpu-time 1 --kill-grace 500ms -t 60s -- sh -c \
		'trap "" TERM XCPU; while :; do :; done'
	is "$rc" 124 "$at: --cpu-time and a command that ignores it all"
	ok "$at: is killed" result 'reason == "cpu_timeout"' 'signal == 9'
}
ONLY='landlock namespace' callers=${callers%% *} each_run cpu_of_many

files() {
	sandbox --json --fsize 64k -- dd if=/dev/zero of=f bs=1k count=200
	is "$rc" 153 "$at: --fsize: SIGXFSZ"
	ok "$at: --fsize: reason" result 'reason == "file_limit"' 'signal == 25'
	is "$(wc -c <f)" 65536 "$at: --fsize: the file is as large as it may be"
	rm -f f
	sandbox --fsize 0 -- sh -c 'echo out; echo x >f || echo no
		trap "" XFSZ; echo x >f || echo no'
	is "$(wc -c <f)" 0 "$at: --fsize 0: no file can be written"
	like "$out" out "$at: --fsize 0: pipes can"
	rm -f f
	sandbox --nofile 8 -- sh -c 'ulimit -n; ulimit -Hn'
	is "$rc:$(printf '%s' "$out" | tr '\n' ,)" 0:8,8 "$at: --nofile"
	sandbox --nofile 4 -- cat /dev/null
	is "$rc:$err" 0: "$at: --nofile 4 is enough to start a program"
	sandbox --nofile 2000000000 -- sh -c 'ulimit -n'
	is "$rc:$out:$err" "0:$(as "$who" sh -c 'ulimit -Hn'):" \
		"$at: --nofile above what we may have: the tighter limit stays"
	sandbox -- sh -c 'ulimit -c'
	ok "$at: no core files" test "$out" = 0 -o "$out" = 1
}
each_run files

# --- memory -----------------------------------------------------------------------------------

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

# --- processes and share of the processors ------------------------------------------------------

pids() {
	sandbox -- ./hog procs 30
	is "$rc:$out" '0:procs 30' "$at: control: thirty processes"
	sandbox --json --pids 12 -- ./hog procs 30
	if [ "$rc" = 125 ]; then
		isnt "$who" root "$at: --pids: root can keep it"
		isnt "$backend" namespace "$at: --pids: so can a namespace"
		ok "$at: --pids cannot be kept" result '"--pids" in error_message' \
			'"--best-effort" in error_message' 'reason == "launch_error"'
		sandbox --json --pids 12 --best-effort -- ./hog procs 30
		ok "$at: --pids --best-effort: runs, and says what is not kept" result \
			'missing["pids"]' '"pids" not in applied'
		return
	fi
	ok "$at: --pids: forks are refused" result 'exit_code == 10' '"pids" in applied' \
		'int(out.split()[1]) <= 12' 'int(out.split()[1]) >= 8'
	if [ "$who" = root ]; then
		ok "$at: --pids: result" result 'reason == "pids_limit"' 'pids_refused >= 1' \
			'peak_pids is None or peak_pids <= 12'
		sandbox --json --pids 12 -- sh -c './hog procs 30; exit 0'
		ok "$at: --pids: a child's failure is a counter" result 'reason == "exit"' \
			'pids_refused >= 1' 'exit_code == 0'
	fi
	sandbox --json --pids 12 -- ./hog procs 5
	ok "$at: --pids: enough for what needs less" result 'exit_code == 0' 'reason == "exit"'
}
each_run pids

cpus() {
	sandbox --cpus 0.2 -- true
	if [ "$rc" = 125 ]; then
		isnt "$who" root "$at: --cpus: root can keep it"
		like "$err" '^sbx-run: --cpus .*--best-effort' "$at: --cpus cannot be kept"
		return
	fi
	begin --json --cpus 0.2 -- ./hog cpu 1
	quota=''
	while [ -z "$quota" ] && kill -0 "$pid" 2>/dev/null; do
		for folder in $(cgroup_folders "$pid"); do
			[ ! -e "$folder/cpu.cfs_quota_us" ] ||
				quota=$(cat "$folder/cpu.cfs_quota_us" "$folder/cpu.cfs_period_us" \
					2>/dev/null | tr '\n' ' ')
			[ ! -e "$folder/cpu.max" ] || quota=$(cat "$folder/cpu.max" 2>/dev/null)
		done
	done
	end
	cp "$tmp/.bg.out" "$tmp/.out"
	ok "$at: --cpus 0.2: the group has it ($quota)" \
		sh -c 'set -- $1; [ $(($1 * 5)) = "$2" ]' sh "$quota"
	ok "$at: --cpus 0.2: result" result '"cpu" in applied' \
		'cpu_user_ms + cpu_system_ms <= 600'
	ok "$at: the group is gone" within 5 no_cgroups "$pid"
}
ONLY='landlock namespace bubblewrap' each_run cpus
nothing_left 'no control group and no temporary folder is left'
done_testing
