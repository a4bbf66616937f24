#!/bin/sh
# What the command reads, and that the caller's own descriptors stay as they were.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python
"$py" -I -S -c 'import sys
for i in range(300000): sys.stdout.write("%07d\n" % i)' >"$tmp/big"
chmod 0644 "$tmp/big"

# fed COMMAND...: as sandbox, with the caller's stdin from $from.
fed() {
	rc=0
	as "$who" "$sbx" -b "$backend" "$@" <"$from" >"$tmp/.out" 2>"$tmp/.err" || rc=$?
	out=$(head -c 200 "$tmp/.out")
}

kinds() {
	from=$tmp/big
	fed -- cat
	ok "$at: a file in, the same bytes out" cmp "$tmp/big" "$tmp/.out"
	is "$rc" 0 "$at: a file in: status"
	as "$who" cat "$tmp/big" | as "$who" "$sbx" -b "$backend" -- cat >"$tmp/.out"
	ok "$at: a pipe in, the same bytes out" cmp "$tmp/big" "$tmp/.out"
	fed -- sh -c 'exit 3'
	is "$rc" 3 "$at: a command that never reads"
	fed -- sh -c 'exec <&-; sleep 0.3; exit 4'
	is "$rc" 4 "$at: a command that closes its stdin"
	fed -- head -n 1
	is "$rc:$out" 0:0000000 "$at: a command that reads a little"
	yes | as "$who" "$sbx" -b "$backend" -- head -n 2 >"$tmp/.out"
	is "$(tr '\n' , <"$tmp/.out")" y,y, "$at: an input without end"
	from=/dev/null
	fed -- sh -c 'wc -c; exit 5'
	is "$rc:$(printf '%s' "$out" | tr -d ' ')" 5:0 "$at: /dev/null"
	rc=0
	as "$who" "$sbx" -b "$backend" -- sh -c 'cat; exit 6' <&- >"$tmp/.out" || rc=$?
	is "$rc:$(cat "$tmp/.out")" 6: "$at: a stdin that is closed"
	from=$tmp/big
	fed --stdin null -- sh -c 'cat; exit 7'
	is "$rc:$out" 7: "$at: --stdin null"
	fed --json -- cat
	ok "$at: null is the default with --json" result 'stdout == ""' 'exit_code == 0'
	fed --json --stdin inherit -- head -n 1
	ok "$at: --stdin inherit with --json" result 'stdout == "0000000\n"'
	from=/dev/null
	fed --stdin "$tmp/big" -- cat
	ok "$at: --stdin FILE" cmp "$tmp/big" "$tmp/.out"
	mkfifo fifo
	(cat "$tmp/big" >fifo) &
	reap $!
	from=fifo
	fed -- cat
	ok "$at: a FIFO" cmp "$tmp/big" "$tmp/.out"
	rm -f fifo
}
each_run kinds

# An input that stays open does not keep a run that has ended.
open_input() {
	mkfifo open
	sleep 30 >open &
	reap $!
	start=$(now_ms)
	from=open
	fed -- sh -c 'exit 8'
	is "$rc" 8 "$at: an input that stays open: status"
	ok "$at: an input that stays open: at once" test $(($(now_ms) - start)) -lt 9000
	rm -f open
}
callers=${callers%% *} each_run open_input

# The command gets no descriptor of the caller's, and the caller's keep their flags.
flags() {
	cat >flags.py <<'PY'
import fcntl, os, subprocess, sys
command = sys.argv[1:]
r, w = os.pipe()
i, o = os.pipe()
extra = os.open("/etc/passwd", os.O_RDONLY)
os.set_inheritable(extra, True)
before = [fcntl.fcntl(fd, fcntl.F_GETFL) for fd in (r, w, i, o)]
os.write(o, b"line\n")
p = subprocess.Popen(command, stdin=i, stdout=w, stderr=w, close_fds=False)
seen = []
def look():
    now = [fcntl.fcntl(fd, fcntl.F_GETFL) for fd in (r, w, i, o)]
    if now != before:
        seen.append(now)
os.set_blocking(r, True)
text = b""
while b"ready" not in text:
    text += os.read(r, 4096)
    look()
os.close(o)
p.wait()
before.pop()
now = [fcntl.fcntl(fd, fcntl.F_GETFL) for fd in (r, w, i)]
os.close(w)
text += os.read(r, 65536)
print("changed" if now != before or seen else "same", p.returncode, text.decode().split())
PY
	run as "$who" "$py" -I -S flags.py "$sbx" -b "$backend" -- sh -c 'echo ready; cat; exit 3'
	is "$rc:$out" "0:same 3 ['ready', 'line']" "$at: descriptors of the caller keep their flags"
	run as "$who" "$py" -I -S flags.py "$sbx" -b "$backend" -- \
		sh -c 'echo ready; ls /proc/self/fd 2>/dev/null; exit 3'
	[ "$backend" = bubblewrap ] ||
		is "$rc:$out" "0:same 3 ['ready', '0', '1', '2', '3']" \
			"$at: no descriptor of the caller's arrives"
	rm -f flags.py
	echo keep >mine
	as "$who" "$sbx" -b "$backend" -- sh -c 'echo gone >/proc/self/fd/0; true' \
		<mine >/dev/null 2>&1
	is "$(cat mine)" keep "$at: a file on stdin cannot be opened for writing through /proc"
	printf 'keep\n' >"$tmp/mine-out"
	as "$who" "$sbx" -b "$backend" -- sh -c ': >/proc/self/fd/1; true' \
		>>"$tmp/mine-out" 2>/dev/null </dev/null
	is "$(head -n 1 "$tmp/mine-out")" keep "$at: nor can one on stdout be emptied"
	rm -f mine
}
each_run flags

# Reading on where the command stopped is the caller's right only for what was not taken: a file
# given whole is relayed whole.
shared() {
	as "$who" sh -c 'head -c 8 >/dev/null; "$@"' sh "$sbx" -b "$backend" -- head -n 1 \
		<"$tmp/big" >"$tmp/.out"
	is "$(cat "$tmp/.out")" 0000001 "$at: a file is read from where it stands"
}
ONLY=native callers=${callers%% *} each_run shared
done_testing
