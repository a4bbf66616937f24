#!/bin/sh
# Bad input: one clear line on stderr, the right status, nothing run, nothing left; with --json a
# SandboxResult whose error_message is that line.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python

# bad STATUS PATTERN WORD...: the words in front of a command that would leave a canary.
bad() {
	bad_status=$1 bad_pattern=$2
	shift 2
	bad_words=$*
	run as "$who" "$sbx" "$@" -- touch canary
	bad_ok=yes
	[ "$rc" = "$bad_status" ] || bad_ok="status $rc"
	[ -z "$out" ] || bad_ok="stdout: $out"
	[ "$(printf '%s\n' "$err" | wc -l)" = 1 ] || bad_ok="not one line: $err"
	printf '%s\n' "$err" | grep -Eq -e "^sbx-run: .*$bad_pattern" || bad_ok="says: $err"
	[ ! -e canary ] || bad_ok='the command was run'
	rm -f canary
	is "$bad_ok" yes "$who: $bad_words"
}

# bad_json: the same once more with --json in front.
bad_json() {
	bad_status=$1
	shift
	run as "$who" "$sbx" --json "$@" -- touch canary
	is "$rc" "$bad_status" "$who: --json $*"
	ok "$who: --json $*: a result" result 'reason == "launch_error"' 'exit_code == 1' \
		'stdout == "" and stderr == ""' 'duration_ms >= 0' 'timed_out is False'
	is "$err" "sbx-run: $(field error_message)" "$who: --json $*: the same line"
	ok "$who: --json $*: nothing was run" test ! -e canary
}

options() {
	bad 125 "unknown option '--nonsense'" --nonsense
	bad 125 "unknown option '--nonsense=3'" --nonsense=3
	bad 125 "unknown option '--jso'.*did you mean --json" --jso
	bad 125 "unknown option '-z'" -z
	bad 125 "unknown option" -qz
	bad 125 '--json: takes no value' --json=yes
	bad 125 '--backend: the value is empty' --backend=
	for value in x '' -5 1..2 5kk 12parsec 0x10 99999999999999999999 ' 5' 1e3 ½; do
		bad 125 '--timeout: ' "--timeout=$value"
		bad 125 '--memory: ' "--memory=$value"
	done
	for value in x '' -1 1.5 1k 99999999999999999999; do
		bad 125 '--pids: ' "--pids=$value"
		bad 125 '--nofile: ' "--nofile=$value"
	done
	bad 125 '--max-output: ' --max-output=x
	bad 125 '--max-output: ' --max-output=2g
	bad 125 '--fsize: ' --fsize=-1
	bad 125 '--cpus: ' --cpus=x
	bad 125 '--cpus: ' --cpus=-1
	bad 125 '--cpus: ' --cpus=0.001
	bad 125 '--kill-grace: ' --kill-grace=never
	bad 125 '--cpu-time: ' --cpu-time=never
	bad 125 '--net: ' --net=internet
	bad 125 '--env-mode: ' --env-mode=some
	bad 125 '--user: ' --user=root
	bad 125 '--user: ' --user=-1
	bad 125 '--user: ' --user=1:
	bad 125 '--user: ' --user=4294967295
	bad 125 '--require: .*nonsense' --require=view,nonsense
	bad 125 '--require: ' --require=
	bad 125 'unknown backend "nonsense".*namespace' -b nonsense
	bad 125 'docker|an image' -b docker
	bad 125 '--bind: ' --bind=/usr
	bad 125 '--bind: ' --bind=/usr:relative
	bad 125 '--bind: ' --bind=/usr:/a/../b
	bad 125 '--bind: ' --bind=:/a
	bad 125 '--bind: .*:ro' --bind=/usr:/a:rw
	bad 125 '--tmpfs: ' --tmpfs=/a:big
	bad 125 '--tmpfs: ' --tmpfs=relative
	bad 125 '--hide: ' --hide=
	bad 125 '--ro: ' --ro=
	bad 125 '--explain and --print-seccomp' --explain --print-seccomp
	bad 125 '--strict and --best-effort' --strict --best-effort
	bad 125 '--rlimit-as: ' --rlimit-as
	bad 125 '--env: ' --env=
	bad 125 '--env: ' --env==value
	bad 125 '--unset-env: ' --unset-env=
	bad 125 '--unset-env: ' --unset-env=A=B
	run as "$who" "$sbx" --timeout
	is "$rc:$out" 125: "$who: a value that is missing at the end"
	like "$err" '^sbx-run: --timeout: a value is missing' "$who: a missing value: what is said"
	run as "$who" "$sbx"
	is "$rc:$out" 125: "$who: no words at all"
	one_line "$err" "$who: no words at all"
	bad_json 125 --nonsense
	bad_json 125 --tty
	bad_json 125 --timeout=x
	bad_json 125 -b nonsense
}
callers=${callers%% *} each_caller options

places() {
	: >plain
	bad 125 'none' --root none
	bad 125 'none' -C none
	bad 125 'plain: .*not a folder' --root plain
	bad 125 'plain: .*not a folder' -C plain
	bad 125 'none' --env-file none
	bad 125 "$PWD" --env-file "$PWD"
	bad 125 '/dev/null' --env-file /dev/null
	bad 125 'none' --stdin none
	bad 125 'none' --ro none
	bad 125 'none' --bind "$PWD/none:/data"
	bad 125 'none' --seccomp none.json
	bad 125 'none' --policy none
	bad 125 "$PWD" --policy "$PWD"
	mkfifo fifo
	bad 125 'fifo' --policy fifo
	bad 125 'fifo' --env-file fifo
	if [ "$who" = user ] && tap_is_root; then
		: >"$tmp/private"
		chmod 0600 "$tmp/private"
		bad 125 'private: Permission denied' --env-file "$tmp/private"
		bad 125 'private: Permission denied' --policy "$tmp/private"
		bad 125 'private: Permission denied' --stdin "$tmp/private"
	fi
	printf 'A=1\nno equals sign\n' >env-file
	bad 125 'env-file:2' --env-file env-file
	printf 'A=1\n=nothing\n' >env-file
	bad 125 'env-file:2' --env-file env-file
	bad_json 125 --root none
	bad_json 125 -C plain
	bad_json 125 --env-file none
	bad_json 125 --bind "$PWD/none:/data"
	bad_json 125 --stdin none
	rm -f plain fifo env-file
}
each_caller places

# policy WHERE PATTERN TEXT: a policy file that is wrong at that line and column.
policy() {
	printf '%b' "$3" >policy.json
	bad 125 "policy.json:$1: .*$2" --policy policy.json
}

policies() {
	policy 1:2 'unknown key "nonsense"' '{"nonsense": 1}'
	policy 3:2 'unknown key "timeot"' '{\n "backend": "native",\n "timeot": 1\n}'
	policy 2:13 'timeout' '{\n "timeout": [1]\n}'
	policy 1:13 'timeout' '{"timeout": true}'
	policy 1:13 'timeout' '{"timeout": "soon"}'
	policy 1:13 'timeout' '{"timeout": null}'
	policy 1:16 'best-effort|best_effort' '{"best_effort":1}'
	policy 1:10 'env' '{"env": [1]}'
	policy 1:13 'backend' '{"backend": 3}'
	policy '[0-9]+:[0-9]+' 'duplicate' '{"pids": 1, "pids": 2}'
	policy '[0-9]+:[0-9]+' 'memory' '{"memory": 1, "memory_limit_mb": 2}'
	policy '[0-9]+:[0-9]+' '' '{"pids": 1'
	policy '[0-9]+:[0-9]+' '' '{"pids": 1,}'
	policy '[0-9]+:[0-9]+' '' '{"pids": 01}'
	policy '[0-9]+:[0-9]+' '' '{"pids": 1} x'
	policy '[0-9]+:[0-9]+' '' ''
	policy '1:1' 'object' '[]'
	policy '1:1' 'object' '"x"'
	policy '[0-9]+:[0-9]+' '' '{"root": "\0377"}'
	policy '[0-9]+:[0-9]+' 'NUL|zero|u0000' '{"root": "a\\u0000b"}'
	policy '1:2' 'json' '{"json": true}'
	policy '1:2' 'policy' '{"policy": "x"}'
	head -c 1200000 /dev/zero | tr '\0' ' ' >policy.json
	bad 125 'policy.json: larger' --policy policy.json
	"$py" -c 'print("{\"env\": " + "[" * 100000 + "]" * 100000 + "}")' >policy.json
	bad 125 'policy.json:1' --policy policy.json
	printf '{"timeout": true}' >policy.json
	bad_json 125 --policy policy.json
	rm -f policy.json
}
callers=${callers%% *} each_caller policies

# Control bytes of a word do not reach the terminal.
printable() {
	escape=$(printf '\033[31mred')
	for words in "--$escape" "--timeout=$escape" "-b$escape" "--net=$escape" "--root=$escape" \
		"--ro=$escape" "--env-file=$escape" "--policy=$escape" "--result=/no/$escape"; do
		run as "$who" "$sbx" "$words" -- touch canary
		is "$rc" 125 "$who: escape sequences in ${words%%=*}"
		ok "$who: are not printed" sh -c '! grep -q "$(printf "\033")" "$1"' sh "$tmp/.err"
	done
	run as "$who" "$sbx" -b native -- "./$escape"
	is "$rc" 127 "$who: escape sequences in the command"
	ok "$who: are not printed" sh -c '! grep -q "$(printf "\033")" "$1"' sh "$tmp/.err"
	run as "$who" "$sbx" -b native -- "$(printf 'two\nlines')"
	one_line "$err" "$who: a line break in the command"
}
callers=${callers%% *} each_caller printable
nothing_left 'no control group and no temporary folder is left'
done_testing
