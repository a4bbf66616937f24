#!/bin/sh
# --tty: a terminal of the command's own that is relayed to ours.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python

# on_tty SCRIPT ARG...: sbx-run on a terminal, see terminal.py.
on_tty() {
	tty_script=$1
	shift
	run as "$who" "$py" -I -S "$lib/terminal.py" "$tty_script" "$sbx" -b "$backend" "$@"
}

relayed() {
	on_tty '' --tty -- sh -c 'tty >/dev/null && stty size && echo plain; exit 3'
	like "$out" '^24 80$' "$at: it is a terminal of our size"
	like "$out" '^plain$' "$at: its output is relayed"
	like "$out" '^status: 3$' "$at: its status too"
	like "$out" '^mode: same$' "$at: our terminal is as it was"
	on_tty 'wait ready;size 40 132;wait sized' --tty -- sh -c \
		'trap "stty size; echo sized; exit 4" WINCH; echo ready
			while :; do sleep 0.05; done'
	like "$out" '^40 132$' "$at: a new size of ours is its own"
	like "$out" '^status: 4$' "$at: a new size: status"
	on_tty 'wait ready;send hello\n;wait got' --tty -- sh -c \
		'echo ready; read line; echo "got <$line>"; exit 5'
	like "$out" '^got <hello>$' "$at: what we type it reads"
	is "$(printf '%s\n' "$out" | grep -c '^hello$')" 1 "$at: and it is echoed once"
	on_tty 'wait ready;send \x03' --tty -- sh -c 'trap "echo INT; exit 6" INT; echo ready
		while :; do sleep 0.05; done'
	like "$out" '^status: 6$' "$at: ^C interrupts the command"
	like "$out" '^mode: same$' "$at: ^C: our terminal is as it was"
	on_tty 'wait ready;send \x04' --tty -- sh -c 'echo ready; cat; exit 7'
	like "$out" '^status: 7$' "$at: ^D is its end of input"
	on_tty 'wait ready;send \x1c' --tty -- sh -c 'echo ready; ulimit -c 0; exec sleep 20'
	like "$out" '^status: 131$' "$at: ^\\ quits the command"
	on_tty '' --tty -- sh -c 'head -c 300000 /dev/zero | tr "\0" x; echo; exit 8'
	is "$(printf '%s' "$out" | tr -cd x | wc -c)" 300000 "$at: much output is not lost"
}
each_run relayed

# Our terminal is put back whatever ends the run.
restored() {
	on_tty 'wait ready;kill TERM' --tty -- sh -c 'echo ready; exec sleep 30'
	like "$out" '^mode: same$' "$at: put back after TERM"
	like "$out" '^status: 143$' "$at: TERM ends it"
	on_tty '' --tty -t 500ms -- sleep 30
	like "$out" '^mode: same$' "$at: put back after a timeout"
	like "$out" '^status: 124$' "$at: the timeout ends it"
	on_tty '' --tty -- no-such-command
	like "$out" '^mode: same$' "$at: put back when there is no command"
	like "$out" '^status: 127$' "$at: no command"
	like "$out" '^sbx-run: no-such-command: ' "$at: the message is a whole line"
	on_tty 'wait ready;kill INT;sleep 0.3;kill INT' --tty -- sh -c 'trap "" INT TERM; echo ready
		while :; do sleep 0.05; done'
	like "$out" '^mode: same$' "$at: put back after a second INT"
	on_tty '' --tty -- sh -c 'stty raw -echo; exit 9'
	like "$out" '^mode: same$' "$at: what the command does to its own terminal stays there"
	like "$out" '^status: 9$' "$at: its own terminal: status"
	# one that leaves its session and its parent at once may be missed where nobody adopts orphans
	holder='setsid sleep 78.5'
	! is_portable || holder='sleep 78.5'
	on_tty '' --tty -- sh -c "$holder & echo hi"
	like "$out" '^hi$' "$at: a background holder of the terminal"
	like "$out" '^status: 0$' "$at: a background holder: it ends"
	ok "$at: a background holder: is dead" is_gone '^sleep 78\.5'
}
ONLY='native namespace bubblewrap' callers=${callers%% *} each_run restored

# Without --tty the command has no terminal, also when we have one.
none() {
	on_tty '' -- sh -c 'test -t 0 || test -t 1 || test -t 2 || echo none; exit 3'
	like "$out" '^none$' "$at: no terminal without --tty"
	on_tty '' -- sh -c 'echo x >/dev/tty'
	unlike "$out" '^x$' "$at: and no controlling one: /dev/tty cannot be opened"
	on_tty 'wait ready;send line\n' -- sh -c 'echo ready; read line; echo "got <$line>"'
	like "$out" '^got <line>$' "$at: a terminal of ours is relayed as stdin"
	like "$out" '^mode: same$' "$at: our terminal is as it was"
	rc=0
	as "$who" "$sbx" -b "$backend" --tty -- touch canary </dev/null >"$tmp/.out" \
		2>"$tmp/.err" || rc=$?
	is "$rc" 125 "$at: --tty without a terminal"
	one_line "$(cat "$tmp/.err")" "$at: --tty without a terminal"
	like "$(cat "$tmp/.err")" '^sbx-run: .*terminal' \
		"$at: --tty without a terminal: what is said"
	ok "$at: nothing was run" test ! -e canary
	on_tty '' --tty --json -- touch canary
	like "$out" 'exclude each other' "$at: --tty and --json"
	ok "$at: nothing was run" test ! -e canary
	: >input
	for from in null input; do
		on_tty '' --tty --stdin "$from" -- touch canary
		like "$out" '^sbx-run: --tty and --stdin exclude each other' "$at: --tty and --stdin $from"
		like "$out" '^status: 125$' "$at: --tty and --stdin $from: refused"
		ok "$at: --tty and --stdin $from: nothing was run" test ! -e canary
	done
	rm -f input
	on_tty '' --tty --stdin inherit -- echo relayed
	like "$out" '^relayed$' "$at: --tty and --stdin inherit"
}
callers=${callers%% *} each_run none

# TIOCSTI: a command must not type into our terminal. The control is the terminal itself.
typed() {
	cat >sti.py <<'PY'
import fcntl, sys, termios
for fd in (0, 1, 2):
    try:
        fcntl.ioctl(fd, termios.TIOCSTI, b"x")
        print("typed")
    except OSError as e:
        print("refused", e.errno)
PY
	on_tty '' --tty -- "$py" -I -S sti.py
	case $backend in
	native | sandbox_exec) ;;
	*) unlike "$out" '^typed' "$at: TIOCSTI is refused" ;;
	esac
	on_tty '' -- "$py" -I -S sti.py
	unlike "$out" '^typed' "$at: nor can it reach ours"
	rm -f sti.py
}
callers=${callers%% *} each_run typed
done_testing
