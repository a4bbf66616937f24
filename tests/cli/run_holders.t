#!/bin/sh
# Nothing is left and nothing is waited for: background children, daemons, holders of our pipes,
# zombies, and processes that multiply while they are killed.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python

# Each test has its own number of seconds to sleep, so that its processes can be told.
serial=$(($$ % 30000 + 1000))
new_sleep() {
	serial=$((serial + 1))
	nap="8$serial.5"
}

# quick WHAT WANT ARG...: the run returns long before its holder would, with this status and output,
# and the holder is dead.
quick() {
	quick_what=$1 quick_want=$2
	shift 2
	start=$(now_ms)
	sandbox "$@"
	quick_ms=$(($(now_ms) - start))
	is "$rc:$out" "$quick_want" "$at: $quick_what"
	ok "$at: $quick_what: returns soon ($quick_ms ms)" test "$quick_ms" -lt 8000
	ok "$at: $quick_what: the holder is dead" is_gone "sleep $nap"
}

holders() {
	new_sleep
	quick 'a background child that holds both streams' 3:hi -- \
		sh -c "sleep $nap & echo hi; exit 3"
	# what nobody can find there is told in the layers: tests/macos/orphans.t
	is_portable || apart
	new_sleep
	quick 'stderr alone is held' 0:hi -- sh -c "sleep $nap >/dev/null & echo hi"
	new_sleep
	quick 'nothing is held' 0:hi -- sh -c "sleep $nap >/dev/null 2>&1 <&- & echo hi"
	new_sleep
	quick 'a stopped holder' 0:hi -- \
		sh -c "sleep $nap & kill -STOP \$!; echo hi"
	new_sleep
	quick 'a holder that ignores signals' 0:hi -- \
		sh -c "(trap '' TERM HUP INT; sleep $nap; sleep $nap) & echo hi"
}

apart() {
	new_sleep
	quick 'a session of its own' 0:hi -- sh -c "setsid sleep $nap & echo hi"
	new_sleep
	quick 'a daemon, forked twice' 0:hi -- \
		sh -c "(setsid sh -c 'sleep $nap & exec sleep $nap' &) ; echo hi"
}

holders_json() {
	new_sleep
	start=$(now_ms)
	sandbox --json -- sh -c "sleep $nap & echo hi"
	ok "$at: with --json: result" result 'stdout == "hi\n"' 'reason == "exit"' \
		'exit_code == 0' 'duration_ms < 8000'
	ok "$at: with --json: the holder is dead" is_gone "sleep $nap"
}
each_run holders
callers=${callers%% *} each_run holders_json

# Somebody outside of the tree holds the pipe: a descriptor that went over a socket.
passed() {
	new_sleep
	cat >keep.py <<'PY'
import array, os, socket, sys, time
s = socket.socket(socket.AF_UNIX)
if sys.argv[1] == "hold":
    s.bind("sock"); s.listen(1); c, _ = s.accept()
    c.recvmsg(1, socket.CMSG_SPACE(4)); c.send(b"y"); time.sleep(20)
else:
    s.connect("sock")
    s.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1]))])
    s.recv(1); print("hi")
PY
	rm -f sock
	as "$who" "$py" -I -S keep.py hold &
	reap $!
	within 10 test -S sock
	start=$(now_ms)
	sandbox -- "$py" -I -S keep.py pass
	is "$rc:$out" 0:hi "$at: a descriptor that was passed on to a stranger"
	ok "$at: returns soon" test $(($(now_ms) - start)) -lt 8000
	rm -f sock keep.py
}
# In the other backends a socket of the host cannot be reached.
ONLY=native each_run passed

# Many children, and zombies that nobody waits for.
many() {
	new_sleep
	sandbox -- "$py" -I -S -c "
import os, sys
for i in range(60):
    if os.fork() == 0:
        if i % 3 == 0:
            os._exit(0)
        os.setsid() if i % 3 == 1 else None
        os.execvp('sleep', ['sleep', '$nap'])
print('hi')"
	is "$rc:$out" 0:hi "$at: sixty children, a third of them zombies"
	ok "$at: none of them is left" is_gone "sleep $nap"
	# Processes that multiply while they are killed: 2^8 at most, each in a session of its own.
	sandbox -t 500ms --kill-grace 0 -- "$py" -I -S -c "
import os, time
for depth in range(8):
    if os.fork() == 0:
        os.setsid()
    time.sleep(0.05)
os.execvp('sleep', ['sleep', '$nap'])"
	is "$rc" 124 "$at: a small fork storm"
	ok "$at: none of it is left" is_gone "sleep $nap"
}
is_portable || callers=${callers%% *} each_run many
is_portable || ONLY='native landlock' callers=user each_run many
nothing_left 'no control group and no temporary folder is left'
done_testing
