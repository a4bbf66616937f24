#!/bin/sh
# Exit statuses of sbx-run: the command's own, and those that say why there was none.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python

own_statuses() {
	bad=''
	codes='0 1 124 127 137 255'
	[ "$backend" != native ] || codes='0 1 2 3 63 64 65 123 124 125 126 127 128 129 130 254 255'
	for code in $codes; do
		sandbox -- sh -c "exit $code"
		[ "$rc:$err" = "$code:" ] || bad="$bad $code->$rc"
	done
	is "$bad" '' "$at: the command's own status is passed on"
	bad=''
	signals='2 9 11 12 15'
	[ "$backend" != native ] || signals='1 2 3 6 7 8 9 10 11 12 13 14 15'
	for signo in $signals; do
		sandbox -- sh -c "kill -$signo \$\$; sleep 5"
		[ "$rc:$err" = "$((128 + signo)):" ] || bad="$bad $signo:$rc:$err"
	done
	is "$bad" '' "$at: 128 and the signal after a signal"
	sandbox --json -- sh -c 'kill -USR1 $$; sleep 5'
	is "$rc" 138 "$at: the same with --json"
	ok "$at: the signal is in the result" result 'exit_code == 138' 'signal == 10' \
		'reason == "signal"'
	sandbox --json -- sh -c 'exit 138'
	ok "$at: 138 by exit is no signal" result 'exit_code == 138' 'signal is None' \
		'reason == "exit"'
	# 124..127 of the command itself are told apart by the result alone.
	sandbox --json -- sh -c 'exit 127'
	ok "$at: 127 of the command is an exit" result 'exit_code == 127' 'error_message == ""' \
		'reason == "exit"'
}
each_run own_statuses

# refused STATUS PATTERN WHAT: the last run had this status and one line that matches; the same
# with --json, where that line is error_message.
refused() {
	is "$rc:$out" "$1:" "$at: $3"
	like "$err" "$2" "$at: $3: what is said"
	one_line "$err" "$at: $3"
}

not_run() {
	sandbox -- ./no-such-command
	refused 127 '^sbx-run: \./no-such-command: No such file' 'a path that is not there'
	sandbox -- no-such-command-anywhere
	refused 127 '^sbx-run: no-such-command-anywhere: .*not found' 'a name that is not in PATH'
	sandbox -- ./no/such/folder/command
	refused 127 '^sbx-run: .*/command: ' 'a path in a folder that is not there'
	sandbox --json -- ./no-such-command
	is "$rc" 127 "$at: not found, with --json"
	ok "$at: not found is a launch error" result 'exit_code == 1' 'reason == "launch_error"' \
		'"./no-such-command" in error_message' 'stderr == ""' 'signal is None'
	is "sbx-run: $(field error_message)" "$err" "$at: and stderr says the same"
	echo 'echo never' >plain
	chmod 0644 plain
	sandbox -- ./plain
	refused 126 '^sbx-run: \./plain: Permission denied' 'a file that is not executable'
	mkdir -p folder
	sandbox -- ./folder
	refused 126 '^sbx-run: \./folder: is a folder' 'a folder'
	sandbox -- /usr
	refused 126 '^sbx-run: /usr: is a folder' 'a system folder'
	printf '\001\002garbage' >garbage
	chmod 0755 garbage
	sandbox -- ./garbage
	refused 126 '^sbx-run: \./garbage: Exec format error' 'a file of no known format'
	printf '#!/no/such/interpreter\n' >orphan
	chmod 0755 orphan
	sandbox -- ./orphan
	refused 127 '^sbx-run: .*orphan: .*interpreter /no/such/interpreter' \
		'a script whose interpreter is missing'
	printf '#!./garbage2\n' >noslash
	chmod 0755 noslash
	sandbox -- ./noslash
	refused 127 '^sbx-run: .*noslash: ' 'a script whose interpreter is a relative path'
	printf 'echo from a script without its line; exit 33\n' >bare
	chmod 0755 bare
	sandbox -- ./bare
	refused 126 '^sbx-run: \./bare: Exec format error' 'a script without #!, as execve(2) says'
	printf '#!/bin/sh\nexit 34\n' >script
	chmod 0755 script
	sandbox -- ./script
	is "$rc:$err" 34: "$at: a script with #!"
	sandbox -- ''
	is "$rc" 125 "$at: an empty command"
	one_line "$err" "$at: an empty command"
	sandbox --
	refused 125 '^sbx-run: no command' 'no command'
	rm -rf plain folder garbage orphan noslash bare script
}
each_run not_run

# A command that the host has and the view does not.
hidden_command() {
	mkdir -p "$tmp/elsewhere"
	printf '#!/bin/sh\nexit 35\n' >"$tmp/elsewhere/tool"
	chmod -R 0755 "$tmp/elsewhere"
	sandbox -- "$tmp/elsewhere/tool"
	refused 127 "not visible.*--ro $tmp/elsewhere/tool" 'a command that the view hides'
	run as "$who" PATH="$tmp/elsewhere:$PATH" "$sbx" -b "$backend" -- tool
	refused 127 "not visible.*--ro $tmp/elsewhere/tool" 'a name that only the host has'
	sandbox --ro "$tmp/elsewhere/tool" -- "$tmp/elsewhere/tool"
	is "$rc:$err" 35: "$at: and following the advice helps"
	cp /bin/true "$tmp/elsewhere/binary"
	sandbox -- "$tmp/elsewhere/binary"
	refused 127 "not visible.*--ro $tmp/elsewhere/binary" 'a program that the view hides'
	printf '#!%s/elsewhere/tool\n' "$tmp" >script
	chmod 0755 script
	sandbox -- ./script
	refused 127 "interpreter.*not visible.*--ro $tmp/elsewhere/tool" \
		'a script whose interpreter the view hides'
	rm -f script
}
ONLY='landlock namespace bubblewrap' each_run hidden_command

# The command is looked up in the PATH of the sandbox, not in ours.
lookup() {
	mkdir -p bin
	printf '#!/bin/sh\nexit 36\n' >bin/own-tool
	chmod 0755 bin/own-tool
	sandbox --env "PATH=$PWD/bin:/usr/bin:/bin" -- own-tool
	is "$rc" 36 "$at: PATH of --env counts"
	run as "$who" PATH="bin:/usr/bin:/bin" "$sbx" -b "$backend" -- own-tool
	is "$rc" 127 "$at: a relative entry of PATH is not taken"
	chmod 0644 bin/own-tool
	sandbox --env "PATH=$PWD/bin:/usr/bin:/bin" -- own-tool
	is "$rc" 126 "$at: found in PATH, but not executable"
	rm -rf bin
}
each_run lookup

# Options end at the first word that is none.
sandbox_words() {
	sandbox sh -c 'exit 41'
	is "$rc" 41 "$at: no -- is needed"
	sandbox echo --json -t x
	is "$rc:$out" '0:--json -t x' "$at: options behind the command are the command's"
	sandbox -- sh -c 'printf "%s|" "$@"' sh '' ' a  b ' '$(touch x)' '*' '--' "it's" 'a;b'
	is "$out" "| a  b |\$(touch x)|*|--|it's|a;b|" \
		"$at: words arrive as they are, through no shell"
}
each_run sandbox_words

# --- what the kernel takes, and what it does not ----------------------------------------------

large() {
	cat >large.py <<'PY'
import os, resource, subprocess, sys
# The kernel takes a quarter of the stack limit, at most 6 MiB.
resource.setrlimit(resource.RLIMIT_STACK, (1 << 25, resource.getrlimit(resource.RLIMIT_STACK)[1]))
mode, command = sys.argv[1], sys.argv[2:]
env = dict(os.environ)
if mode == "argv":
    command += ["-c", 'echo "$#:${10000}"', "sh"] + ["word%d" % i for i in range(1, 10001)]
elif mode == "env":
    for i in range(20):
        env["BIG%d" % i] = "x" * 104857
    command += ["-c", 'echo "${#BIG0}:${#BIG19}"']
r = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
sys.stdout.buffer.write(r.stdout)
sys.stderr.buffer.write(r.stderr)
sys.exit(r.returncode if r.returncode >= 0 else 128 - r.returncode)
PY
	run as "$who" "$py" large.py argv "$sbx" -b "$backend" -- sh
	is "$rc:$out:$err" '0:10000:word10000:' "$at: 10,000 arguments"
	run as "$who" "$py" large.py env "$sbx" -b "$backend" -- sh
	is "$rc:$out:$err" '0:104857:104857:' "$at: an environment of 2 MB"
	run as "$who" "$py" large.py env "$sbx" --json -b "$backend" -- sh
	ok "$at: an environment of 2 MB with --json" result 'out == b"104857:104857\n"'
}
callers=${callers%% *} each_run large

# More than the kernel takes: the caller's own environment and --env together.
too_large() {
	"$py" -c 'print("HUGE=" + "x" * 140000)' >env-file
	sandbox --env-file env-file -- touch canary
	is "$rc:$out" 125: "$at: a variable that is larger than the kernel takes"
	one_line "$err" "$at: a variable that is too large"
	like "$err" 'kernel refuses|too (long|large)' "$at: and it says so"
	"$py" -c 'for i in range(70): print("HUGE%d=" % i + "x" * 120000)' >env-file
	sandbox --env-file env-file -- touch canary
	is "$rc:$out" 125: "$at: an environment of 8 MB"
	one_line "$err" "$at: an environment of 8 MB"
	ok "$at: nothing was run" test ! -e canary
	rm -f env-file
}
each_run too_large

# --- our own stdout is gone -------------------------------------------------------------------

gone() {
	start=$(now_ms)
	rc=$( { { as "$who" "$sbx" -b "$backend" -- yes 2>"$tmp/.err"; echo "$?" >&3; } |
		head -n 1 >/dev/null; } 3>&1)
	is "$rc" 141 "$at: 141 when nobody reads"
	is "$(cat "$tmp/.err")" '' "$at: and nothing is said"
	ok "$at: promptly" test $(($(now_ms) - start)) -lt 8000
	rc=$( { { as "$who" "$sbx" -b "$backend" --json -- sh -c 'sleep 0.3; echo x' \
		2>"$tmp/.err"; echo "$?" >&3; } | true; } 3>&1)
	is "$rc:$(cat "$tmp/.err")" 141: "$at: 141 when nobody reads the result"
	rc=0
	as "$who" "$sbx" -b "$backend" -- sh -c 'echo out; echo err >&2; exit 5' \
		>&- 2>"$tmp/.err" || rc=$?
	is "$rc:$(cat "$tmp/.err")" 5:err "$at: stdout closed from the start is no stdout"
	rc=0
	as "$who" "$sbx" -b "$backend" -- sh -c 'cat; echo err >&2; exit 6' \
		<&- >"$tmp/.out" 2>&- || rc=$?
	is "$rc:$(cat "$tmp/.out")" 6: "$at: stdin and stderr closed"
	rc=0
	as "$who" "$sbx" -b "$backend" -- sh -c 'exit 7' <&- >&- 2>&- || rc=$?
	is "$rc" 7 "$at: all three closed"
}
each_run gone

full() {
	rc=0
	as "$who" "$sbx" --json -b "$backend" -- echo x >/dev/full 2>"$tmp/.err" || rc=$?
	is "$rc" 125 "$at: a result that cannot be written"
	like "$(cat "$tmp/.err")" '^sbx-run: .*[Nn]o space' "$at: and why"
	rc=0
	as "$who" timeout 20 "$sbx" -b "$backend" -- sh -c 'echo x; exit 9' \
		>/dev/full 2>"$tmp/.err" || rc=$?
	ok "$at: output into a full device ends (status $rc)" test "$rc" -ne 124
	like "$(cat "$tmp/.err")" '^sbx-run: .*[Nn]o space' \
		"$at: and it is said that output was lost"
}
callers=${callers%% *} each_run full
done_testing
