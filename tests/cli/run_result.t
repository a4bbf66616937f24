#!/bin/sh
# The SandboxResult: every field and its type, on stdout, in a file and through a descriptor.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python

fields() {
	sandbox --json -- sh -c 'echo out; echo err >&2; exit 3'
	is "$rc:$err" 3: "$at: the status is the command's, and stderr is ours"
	ok "$at: fields" result 'exit_code == 3' 'stdout == "out\n"' 'stderr == "err\n"' \
		'timed_out is False' 'output_truncated is False' 'error_message == ""' \
		'reason == "exit"' 'signal is None' "backend == '$backend'" \
		'stdout_bytes == 4' 'stderr_bytes == 4' 'stdout_omitted is None' \
		'stderr_omitted is None'
	ok "$at: measures" result '0 <= duration_ms < 60000' 'cpu_user_ms is not None' \
		'cpu_system_ms is not None' 'peak_memory_bytes > 65536' \
		'peak_memory_bytes < 2**33'
	ok "$at: without a control group its counters are null" result 'oom_kills is None' \
		'pids_refused is None' 'peak_pids is None'
	sandbox --json -- sh -c 'sleep 0.4'
	ok "$at: duration is in milliseconds" result '400 <= duration_ms < 30000'
	sandbox --json -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'
	ok "$at: processor time is measured" result 'cpu_user_ms + cpu_system_ms >= 30'
	# The smallest possible result.
	sandbox --json -- true
	ok "$at: nothing printed" result 'stdout == ""' 'stderr == ""' 'exit_code == 0'
	sandbox --json -- printf 'a\0b\t"\\\1\177\n'
	ok "$at: control characters, NUL and quotes" result 'out == b"a\0b\t\"\\\1\177\n"' \
		'"stdout_encoding" not in globals()'
	sandbox --json -- printf 'h\303\251llo \360\237\230\200'
	ok "$at: UTF-8 is text" result 'stdout == "h\u00e9llo \U0001F600"'
	sandbox --json -- sh -c 'printf "\377\376binary"; printf "text" >&2'
	ok "$at: what is no UTF-8 is base64" result 'stdout_encoding == "base64"' \
		'out == b"\xff\xfebinary"' 'stderr == "text"' '"stderr_encoding" not in globals()'
	sandbox --json -- sh -c 'printf "\303"; printf "\355\240\200" >&2'
	ok "$at: half a character and a surrogate are no UTF-8" result 'out == b"\xc3"' \
		'err == b"\xed\xa0\x80"' 'stdout_encoding == "base64"' \
		'stderr_encoding == "base64"'
}
each_run fields

layers() {
	sandbox --json -- true
	case $backend in
	native | sandbox_exec)
		have='{"env", "rlimits", "die_with_runner"}'
		! is_portable || have='{"env", "rlimits"}'
		ok "$at: layers" result "set(applied) == $have" \
			'{"view", "seccomp", "pid_ns", "net_ns", "landlock"} <= set(missing)'
		;;
	landlock)
		ok "$at: layers" result '{"view", "landlock", "seccomp", "capabilities",
			"no_new_privs", "env", "rlimits", "die_with_runner"} <= set(applied)' \
			'{"pid_ns", "ipc_ns", "metadata", "mount_ns", "user_ns"} <= set(missing)'
		;;
	namespace)
		ok "$at: layers" result 'missing == {}' 'set(applied) == {"user_ns", "mount_ns",
			"pid_ns", "net_ns", "ipc_ns", "uts_ns", "cgroup_ns", "view", "proc",
			"metadata", "landlock", "seccomp", "capabilities", "no_new_privs", "env",
			"rlimits", "die_with_runner"}'
		;;
	*)
		ok "$at: layers" result '{"mount_ns", "pid_ns", "net_ns", "view", "seccomp",
			"capabilities", "no_new_privs"} <= set(applied)'
		;;
	esac
	sandbox --json --net host -- true
	ok "$at: a network that was asked for is no missing layer" result \
		'"net_ns" not in missing' '"net_ns" not in applied'
	sandbox --json --env-mode inherit -- true
	ok "$at: an environment that was asked for is none either" result \
		'"env" not in missing' '"env" not in applied'
}
each_run layers

dropped() {
	run as "$who" AWS_SECRET_ACCESS_KEY=hunter2 GITHUB_TOKEN=ghp_x LD_PRELOAD= MONKEY=1 \
		"$sbx" --json -b "$backend" -- env
	ok "$at: names of what was dropped, no values" result \
		'{"AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "LD_PRELOAD"} <= set(env_dropped)' \
		'"MONKEY" not in env_dropped' 'all(isinstance(n, str) for n in env_dropped)' \
		'b"MONKEY=1\n" in out' 'b"hunter2" not in out'
	unlike "$out" 'hunter2|ghp_x' "$at: no value anywhere in the result"
}
each_run dropped

destinations() {
	# while output streams
	sandbox --result r.json -- sh -c 'echo out; echo err >&2; exit 4'
	is "$rc:$out:$err" 4:out:err "$at: --result FILE leaves the streams alone"
	RESULT=r.json ok "$at: --result FILE" result 'exit_code == 4' 'stdout == ""' \
		'stdout_bytes == 4' 'stderr_bytes == 4' 'output_truncated is False'
	printf '%100000s' x >r.json
	sandbox --result r.json -- true
	RESULT=r.json ok "$at: --result FILE over a larger file" result 'exit_code == 0'
	rc=0
	as "$who" sh -c '"$@" 7>r.json' sh "$sbx" -b "$backend" --result fd:7 -- \
		sh -c 'echo out; ls -l /proc/self/fd 2>/dev/null | grep -c r.json; exit 5' \
		>"$tmp/.out" || rc=$?
	is "$rc:$(tr '\n' , <"$tmp/.out")" 5:out,0, \
		"$at: --result fd:N, which the command does not get"
	RESULT=r.json ok "$at: --result fd:N" result 'exit_code == 5'
	sandbox --json --result r.json -- echo x
	ok "$at: both: stdout" result 'stdout == "x\n"'
	ok "$at: both: the same in the file" cmp r.json "$tmp/.out"
	rm -f r.json
}
each_run destinations

bad_destinations() {
	for to in fd:99 fd:x fd:-1 fd:0 fd: fd:99999999999999999999 "$PWD" \
		"$PWD/no/such/r.json"; do
		rm -f canary
		rc=0
		as "$who" "$sbx" -b "$backend" --result "$to" -- touch canary \
			>"$tmp/.out" 2>"$tmp/.err" </dev/null || rc=$?
		err=$(cat "$tmp/.err")
		is "$rc" 125 "$at: --result $to is refused"
		one_line "$err" "$at: --result $to"
		like "$err" '^sbx-run: --result ' "$at: --result $to is named"
		ok "$at: --result $to: nothing was run" test ! -e canary
	done
	rc=0
	as "$who" "$sbx" -b "$backend" --result /dev/full -- true >"$tmp/.out" 2>"$tmp/.err" ||
		rc=$?
	is "$rc" 125 "$at: a result that cannot be written"
	like "$(cat "$tmp/.err")" '^sbx-run: --result .*[Nn]o space' "$at: says so"
	sandbox --json --result /dev/full -- echo ran
	is "$rc" 125 "$at: the same with --json"
	like "$err" '^sbx-run: --result .*[Nn]o space' "$at: the same with --json: says so"
	one_line "$err" "$at: the same with --json"
	ok "$at: stdout has the result all the same" result 'out == b"ran\n"' 'exit_code == 0'
	rc=0
	as "$who" "$sbx" -b "$backend" --json --result r.json -- echo ran >/dev/full 2>"$tmp/.err" || rc=$?
	is "$rc" 125 "$at: a full stdout"
	RESULT=r.json ok "$at: --result has it all the same" result 'out == b"ran\n"'
	rm -f r.json
}
ONLY=native each_run bad_destinations

# From / there is no project, of which a run has a notice: beside a refusal that is noise.
refused() {
	cd / || bail 'cd /'
	sandbox --require memory -- true
	is "$rc" 125 "$at: refused from /"
	one_line "$err" "$at: refused from /"
	sandbox -- no-such-command
	is "$rc" 127 "$at: not found from /"
	one_line "$err" "$at: not found from /"
}
each_run refused

# A signal to sbx-run, about when the command begins: what the result says is what the status says.
signalled() {
	for delay in 0 0.01 0.02 0.03 0.05; do
		begin --json -- sleep 25
		sleep "$delay"
		kill -TERM "$pid"
		end
		is "$rc" 143 "$at: TERM after $delay s: status"
		[ -s "$tmp/.bg.out" ] || continue # it came before sbx-run could handle any
		RESULT=$tmp/.bg.out ok "$at: TERM after $delay s: result" result \
			'reason == "cancelled"' 'error_message or (exit_code, signal) == (143, 15)'
	done
}
each_run signalled

# A folder of the command's: it must not choose what our result overwrites.
if tap_is_root; then
	who=user backend=native at='user, native'
	cd "$tmp/p-user" || bail 'no project folder'
	mkdir "$tmp/closed"
	chmod 0755 "$tmp/closed"
	sandbox --result "$tmp/closed/r.json" -- touch canary
	is "$rc" 125 "$at: --result in a folder that is not ours"
	ok "$at: nothing was run" test ! -e canary
fi
done_testing
