#!/bin/sh
# Limits for effect: processor time, processes, file sizes, descriptors, share of the processors;
# what is said when one cannot be kept, and what reason a result has. Wall-clock time and memory have
# scripts of their own.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python
need_hog

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
