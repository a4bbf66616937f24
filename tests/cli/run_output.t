#!/bin/sh
# Output: all of it when it streams, head and tail when it is captured, never a blocked command.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python
need_hog
for caller in $callers; do
	cat >"$tmp/p-$caller/say.py" <<'PY'
"""say.py SIZE[:SIZE]: that many numbered bytes on stdout and stderr, in turn."""
import os, sys
def text(n):
    return b"".join(b"%07d\n" % i for i in range(n // 8 + 1))[:n]
sizes = [int(s) for s in sys.argv[1].split(":")]
for fd, size in enumerate(sizes, 1):
    data = text(size)
    while data:
        data = data[os.write(fd, data[:65536]):]
PY
done

captured() {
	# the cap to the byte
	for size in 999 1000 1001; do
		sandbox --json -o 1000 -- "$py" -I -S say.py "$size"
		more=$((size > 1000))
		ok "$at: a cap of 1000 and $size bytes" result "output_truncated == bool($more)" \
			"stdout_bytes == $size" 'reason == "exit"' 'exit_code == 0' \
			"(stdout_omitted is None) == (not $more)" 'len(out) <= 1000' \
			'out.startswith(b"0000000\n0000001\n")'
	done
	sandbox --json -o 1000 -- "$py" -I -S say.py 100000
	ok "$at: head and tail" result 'stdout_omitted["at"] >= 250' \
		'out.endswith(b"%07d\n" % 12499)' '700 <= len(out) <= 1000' \
		'stdout_bytes == 100000' \
		'out[stdout_omitted["at"]:].split(b"\n")[1] > out[:stdout_omitted["at"]]'
	sandbox --json -o 1000 -- "$py" -I -S say.py 100000:200
	ok "$at: a quarter is kept for stderr" result 'len(err) == 200' 'stderr_omitted is None' \
		'len(out) + len(err) <= 1000' 'output_truncated'
	sandbox --json -o 1000 -- "$py" -I -S say.py 0:100000
	ok "$at: stderr alone" result 'out == b""' 'stderr_bytes == 100000' 'output_truncated' \
		'700 <= len(err) <= 1000' 'err.endswith(b"%07d\n" % 12499)'
	sandbox --json -o 1000 -- "$py" -I -S say.py 600:400
	ok "$at: both together at the cap" result 'not output_truncated' 'len(out) == 600' \
		'len(err) == 400'
	sandbox --json -o 1000 -- "$py" -I -S say.py 600:401
	ok "$at: both together above it" result 'output_truncated' 'stderr_bytes == 401'
	sandbox --json -o 0 -- "$py" -I -S say.py 5
	ok "$at: a cap of nothing" result 'output_truncated' 'out == b""' 'stdout_bytes == 5'
	sandbox --json -o 1 -- "$py" -I -S say.py 5:5
	ok "$at: a cap of one byte" result 'output_truncated' 'len(out) + len(err) <= 1'
}
callers=${callers%% *} each_run captured

characters() {
	for cap in 100 101 102 103; do
		sandbox --json -o "$cap" -- "$py" -I -S -c \
			'import sys; sys.stdout.buffer.write("\u20ac".encode() * 2000)'
		ok "$at: a cap of $cap cuts no character" result 'stdout.strip("\u20ac") == ""' \
			'"stdout_encoding" not in globals()' 'stdout_bytes == 6000' \
			"len(out) >= $cap - 30"
	done
	sandbox --json -o 1000 -- sh -c 'head -c 5000 /dev/zero | tr "\0" "\377"'
	ok "$at: what is no text is cut anywhere" result 'stdout_encoding == "base64"' \
		'set(out) == {255}'
	sandbox --json -- "$py" -I -S -c \
		'import os; [os.write(1, bytes([b])) for b in "a\u20ac\U0001F600".encode()]'
	ok "$at: characters that come byte by byte" result 'stdout == "a\u20ac\U0001F600"'
}
callers=${callers%% *} each_run characters

# Past the cap the command goes on, at full speed, to its own end.
large() {
	sandbox --json -- sh -c './hog out 64m; echo end; exit 3'
	is "$rc" 3 "$at: 64 MiB: the status is the command's"
	ok "$at: 64 MiB: result" result 'stdout_bytes == 67108868' 'out.endswith(b"end\n")' \
		'output_truncated' 'len(out) <= 1048576' 'len(out) >= 700000' 'reason == "exit"'
	as "$who" "$sbx" -b "$backend" -- sh -c './hog out 64m; exit 3' | wc -c >"$tmp/count"
	is "$(cat "$tmp/count")" 67108864 "$at: 64 MiB streamed: all of it"
	start=$(now_ms)
	sandbox --json -o 10k --kill-on-output -- sh -c 'trap "" TERM; yes'
	is "$rc" 137 "$at: --kill-on-output: killed"
	ok "$at: --kill-on-output: result" result 'reason == "output_limit"' 'output_truncated' \
		'len(out) <= 10240' 'out.startswith(b"y\ny\n")'
	ok "$at: --kill-on-output: at once" test $(($(now_ms) - start)) -lt 10000
	sandbox -o 1000 --kill-on-output -- yes
	is "$rc:$(wc -c <"$tmp/.out")" 137:1000 "$at: --kill-on-output when streaming"
	sandbox -o 1000 -- sh -c "'$py' -I -S say.py 5000; exit 4"
	is "$rc:$(wc -c <"$tmp/.out")" 4:1000 "$at: -o when streaming: what is more is dropped"
	is "$err" 'sbx-run: warning: --max-output: the last 4000 bytes were dropped' \
		"$at: -o when streaming: and that is told"
	sandbox -q -o 1000 --result r.json -- "$py" -I -S say.py 5000
	is "$rc:$err" 0: "$at: -o when streaming: -q"
	RESULT=r.json ok "$at: -o when streaming: result" result 'output_truncated' \
		'stdout_omitted == {"at": 1000, "bytes": 4000}' 'stderr_omitted is None'
	sandbox -o 1000 --result r.json -- sh -c "'$py' -I -S say.py 600; sleep 0.3
		'$py' -I -S say.py 0:5000"
	RESULT=r.json ok "$at: -o when streaming: both streams" result 'stdout_omitted is None' \
		'stderr_omitted == {"at": 400, "bytes": 4600}'
	like "$err" 'the last 4600 bytes were dropped$' "$at: -o when streaming: both streams, told"
	as "$who" "$sbx" -b "$backend" -o 1000 --result r.json -- "$py" -I -S say.py 100000 2>/dev/null |
		cat >"$tmp/count"
	RESULT=r.json ok "$at: -o when streaming into a pipe" result \
		'stdout_omitted == {"at": 1000, "bytes": 99000}'
	rm -f r.json
	sandbox -o 1000 -- "$py" -I -S say.py 1000
	is "$rc:$(wc -c <"$tmp/.out"):$err" 0:1000: "$at: -o when streaming: at the cap nothing is told"
	sandbox -o 1000 --kill-on-output -- "$py" -I -S say.py 1000
	is "$rc:$(wc -c <"$tmp/.out")" 0:1000 "$at: --kill-on-output at the cap is no reason"
}
callers=${callers%% *} each_run large

closed() {
	sandbox --json -- sh -c 'echo x; exec >&-; echo y >&2; sleep 0.3; echo z >&2; exit 5'
	ok "$at: stdout closed, and on it goes" result 'out == b"x\n"' 'err == b"y\nz\n"' \
		'exit_code == 5' 'duration_ms >= 300'
	sandbox --json -- sh -c 'echo x; exec >&- 2>&-; sleep 0.4; exit 6'
	ok "$at: both closed: its end is waited for" result 'exit_code == 6' 'duration_ms >= 400'
	sandbox --json -- sh -c 'exec >&- 2>&- <&-; sleep 0.4; : >f; exit 7'
	ok "$at: all three closed" result 'exit_code == 7'
	ok "$at: all three closed: it did its work" test -e f
	rm -f f
}
each_run closed

# Each stream keeps its order and loses nothing, however slow the reader.
streaming() {
	sandbox -- "$py" -I -S say.py 300000:300000
	"$py" -I -S say.py 300000 >"$tmp/want"
	ok "$at: both streams, all bytes, in order" cmp "$tmp/want" "$tmp/.out"
	ok "$at: stderr too" cmp "$tmp/want" "$tmp/.err"
	as "$who" "$sbx" -b "$backend" -- "$py" -I -S say.py 300000 2>"$tmp/.err" |
		"$py" -I -S -c 'import os, sys, time
data = b""
while True:
    if len(data) < 100000:
        time.sleep(0.01)
    piece = os.read(0, 3000)
    if not piece:
        break
    data += piece
sys.exit(data != open(sys.argv[1], "rb").read())' "$tmp/want"
	is $? 0 "$at: a slow reader gets it all"
	# The command ends long before its output is read.
	as "$who" "$sbx" -b "$backend" -- sh -c "'$py' -I -S say.py 120000; exit 8" |
		(sleep 1; wc -c) >"$tmp/count"
	is "$(cat "$tmp/count")" 120000 "$at: a reader that starts late gets it all"
	sandbox -- sh -c 'echo 1; echo 2 >&2; echo 3; echo 4 >&2'
	is "$(printf '%s' "$out$err" | tr '\n' ,)" 1,32,4 "$at: short lines of both"
	: >"$tmp/file"
	as "$who" "$sbx" -b "$backend" -- sh -c 'echo a; echo b' >>"$tmp/file"
	as "$who" "$sbx" -b "$backend" -- "$py" -I -S say.py 300000 >>"$tmp/file"
	is "$(wc -c <"$tmp/file")" 300004 "$at: into a file that is appended to"
}
callers=${callers%% *} each_run streaming

# A streaming run says each line when it is there, not at the end.
prompt() {
	begin -- sh -c 'echo now; sleep 20'
	ok "$at: output comes at once" within 10 grep -q now "$tmp/.bg.out"
	kill -KILL "$pid"
	end
}
callers=${callers%% *} each_run prompt
done_testing
