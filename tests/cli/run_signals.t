#!/bin/sh
# Signals to sbx-run: forwarded to the command, the second one kills, stop and go on, nohup.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python

# ready: the command in the background has printed its first line.
ready() {
	within 20 grep -qs ready "$tmp/.bg.out" || fail "$at: the command did not start"
}

forwarded() {
	for name in TERM INT HUP QUIT USR1 USR2 CONT WINCH; do
		begin -- sh -c "trap 'echo got $name; exit 9' $name; echo ready
			while :; do sleep 0.05; done"
		ready
		kill "-$name" "$pid"
		end
		is "$rc:$(printf '%s' "$out" | tr '\n' ,)" "9:ready,got $name" \
			"$at: SIG$name is forwarded"
	done
	begin --json -- sh -c 'echo ready; exec sleep 30'
	sleep 0.5
	within 20 sh -c "pgrep -P $pid >/dev/null"
	kill -TERM "$pid"
	end
	cp "$tmp/.bg.out" "$tmp/.out"
	is "$rc" 143 "$at: a command that TERM ends: status"
	ok "$at: a command that TERM ends: result" result 'signal == 15' 'exit_code == 143' \
		'reason in ("signal", "cancelled")' 'stdout == "ready\n"'
}
callers=${callers%% *} each_run forwarded

twice() {
	begin --json -- sh -c 'trap "" INT TERM; : >ready; while :; do sleep 0.05; done'
	within 20 test -e ready
	sleep 0.4 # until it is known to have started
	kill -INT "$pid"
	sleep 0.4
	ok "$at: one INT that the command ignores ends nothing" kill -0 "$pid"
	start=$(now_ms)
	kill -INT "$pid"
	end
	cp "$tmp/.bg.out" "$tmp/.out"
	is "$rc" 137 "$at: a second INT kills: status"
	ok "$at: a second INT kills at once" test $(($(now_ms) - start)) -lt 1800
	ok "$at: a second INT: result" result 'reason == "cancelled"' 'signal == 9' \
		'timed_out is False'
	rm -f ready
}
each_run twice

# A signal that comes before the command runs is not lost.
early() {
	for delay in 0 0.002 0.005 0.01; do
		begin -- sleep 25
		sleep "$delay"
		kill -TERM "$pid"
		within 10 sh -c "! kill -0 $pid 2>/dev/null" ||
			{ fail "$at: TERM after $delay s was lost"; kill -KILL "$pid"; }
		end
		is "$rc" 143 "$at: TERM after $delay s: status"
	done
	begin --json -- sleep 25
	kill -TERM "$pid"
	end
	is "$rc" 143 "$at: TERM at once, with --json: status"
	if [ -s "$tmp/.bg.out" ]; then # it may have come before sbx-run could handle any
		cp "$tmp/.bg.out" "$tmp/.out"
		ok "$at: its result" result 'reason == "cancelled"' 'timed_out is False'
	fi
}
each_run early

# state PID: R, S, T …
state() {
	sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null
}

is_state() {
	[ "$(state "$1")" = "$2" ]
}

stopped() {
	nap="77.$$"
	begin -- sh -c "echo ready; sleep $nap; echo end; exit 6"
	ready
	within 10 pgrep -f "^sleep $nap" >/dev/null
	inner=$(pgrep -f "^sleep $nap")
	kill -TSTP "$pid"
	ok "$at: TSTP stops sbx-run" within 10 is_state "$pid" T
	ok "$at: TSTP stops the command" within 10 is_state "$inner" T
	kill -CONT "$pid"
	ok "$at: CONT wakes the command" within 10 is_state "$inner" S
	ok "$at: CONT wakes sbx-run" within 10 is_state "$pid" S
	kill -KILL "$inner"
	end
	is "$rc:$(printf '%s' "$out" | tr '\n' ,)" 6:ready,end "$at: and on it goes"
}
each_run stopped

# What the caller ignores stays ignored, in sbx-run and in the command.
ignored() {
	rm -f .pid "$tmp/.bg.out"
	# shellcheck disable=SC2016 # the inner shell's
	as "$who" sh -c 'trap "" HUP; echo $$ >.pid; exec "$@"' sh "$sbx" -b "$backend" -- \
		sh -c 'echo ready; sleep 1; echo end; exit 7' >"$tmp/.bg.out" 2>"$tmp/.bg.err" &
	job=$!
	reap "$job"
	ready
	pid=$(cat .pid)
	kill -HUP "$pid"
	end
	is "$rc:$(printf '%s' "$out" | tr '\n' ,)" 7:ready,end "$at: HUP under nohup"
	rm -f .pid
	run as "$who" sh -c 'trap "" HUP USR1; exec "$@"' sh "$sbx" -b "$backend" -- \
		sed -n 's/^SigIgn:\t*//p' /proc/self/status
	is "$((0x$out & 0x201))" 513 "$at: the command ignores what the caller ignored"
	run as "$who" sed -n 's/^Sig\(Ign\|Blk\):\t*//p' /proc/self/status
	own=$out # whoever runs the tests may ignore some
	run as "$who" "$sbx" -b "$backend" -- sed -n 's/^Sig\(Ign\|Blk\):\t*//p' /proc/self/status
	is "$out" "$own" "$at: and nothing else, and nothing is blocked"
	run as "$who" "$py" -I -S -c 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
os.execv(sys.argv[1], sys.argv[1:])' "$sbx" -b "$backend" -- \
		sed -n 's/^SigBlk:\t*//p' /proc/self/status
	is "$((0x$out))" 2048 "$at: the caller's mask arrives"
	run as "$who" sh -c 'umask 027; exec "$@"' sh "$sbx" -b "$backend" -- \
		sh -c 'umask; : >f; stat -c %a f; rm f'
	is "$(printf '%s' "$out" | tr '\n' ,)" 0027,640 "$at: so does the umask"
}
each_run ignored

# SIGCHLD ignored by the caller (a careless parent) must not break waiting.
chld() {
	run as "$who" sh -c 'trap "" CHLD; exec "$@"' sh "$sbx" -b "$backend" -- sh -c 'exit 8'
	is "$rc:$err" 8: "$at: SIGCHLD ignored by the caller"
	run as "$who" "$py" -I -S -c 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
os.execv(sys.argv[1], sys.argv[1:])' "$sbx" -b "$backend" -t 20s -- sh -c 'exit 9'
	is "$rc:$err" 9: "$at: every signal blocked by the caller"
}
each_run chld
done_testing
