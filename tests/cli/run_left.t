#!/bin/sh
# Nothing is left and nothing is waited for: background children, daemons, holders of our pipes,
# zombies, and the end of sbx-run itself by SIGKILL in each of its phases.
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
	new_sleep
	quick 'a session of its own' 0:hi -- sh -c "setsid sleep $nap & echo hi"
	new_sleep
	quick 'a daemon, forked twice' 0:hi -- \
		sh -c "(setsid sh -c 'sleep $nap & exec sleep $nap' &) ; echo hi"
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

holders_json() {
	new_sleep
	start=$(now_ms)
	sandbox --json -- sh -c "sleep $nap & echo hi"
	ok "$at: with --json: result" result 'stdout == "hi\n"' 'reason == "exit"' \
		'exit_code == 0' 'duration_ms < 8000'
	ok "$at: with --json: the holder is dead" is_gone "sleep $nap"
}
each_run holders
each_run holders_json

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
each_run many

# --- SIGKILL of sbx-run --------------------------------------------------------------------------

# clean WHAT: no process of this test, no control group of that sbx-run, no temporary folder.
clean() {
	ok "$at: $1: no process is left" is_gone "sleep $nap"
	ok "$at: $1: no control group is left" within 10 no_cgroups "$pid"
	# shellcheck disable=SC2086 # names without blanks
	[ -z "$folders" ] || ok "$at: $1: no temporary folder is left" within 10 all_gone $folders
}

limits() {
	limit=''
	[ "$who" != root ] || [ "$backend" = bubblewrap ] || limit='-m 256m --pids 50'
}

killed() {
	limits
	new_sleep
	# shellcheck disable=SC2086 # words
	begin $limit -- sh -c "setsid sleep $nap & (sleep $nap &); echo \"\$TMPDIR\"; exec sleep $nap"
	within 20 sh -c '[ -s "$1" ] && [ "$(pgrep -fc "^sleep '"$nap"'")" = 3 ]' sh "$tmp/.bg.out"
	is "$(pgrep -fc "^sleep $nap")" 3 "$at: control: three processes run"
	[ -z "$limit" ] || isnt "$(cgroup_folders "$pid")" '' "$at: control: a control group is there"
	folders=''
	case $(cat "$tmp/.bg.out") in
	*/sbx-*/tmp) folders=$(dirname "$(head -n 1 "$tmp/.bg.out")") ;;
	esac
	[ "$backend" != landlock ] || ok "$at: control: a temporary folder is there" test -d "$folders"
	kill -KILL "$pid"
	end
	is "$rc" 137 "$at: SIGKILL while it runs"
	clean 'SIGKILL while it runs'

	# While output is drained: the command has ended, its children hold the pipes.
	new_sleep
	# shellcheck disable=SC2086 # words
	begin $limit -- sh -c "i=0; while [ \$i -lt 20 ]; do sleep $nap & i=\$((i+1)); done; echo \"\$TMPDIR\""
	within 10 test -s "$tmp/.bg.out"
	folders=''
	case $(cat "$tmp/.bg.out") in
	*/sbx-*/tmp) folders=$(dirname "$(head -n 1 "$tmp/.bg.out")") ;;
	esac
	kill -KILL "$pid" 2>/dev/null
	end
	clean 'SIGKILL while it drains'
}
each_run killed

# While it starts: at ever later moments, so that some fall into each step.
starting() {
	limits
	new_sleep
	pids=''
	for delay in 0 0.001 0.002 0.004 0.006 0.008 0.010 0.013 0.017 0.025; do
		# shellcheck disable=SC2086 # words
		begin $limit -- sleep "$nap"
		sleep "$delay"
		kill -KILL "$pid"
		end
		pids="$pids $pid"
	done
	folders=''
	for pid in $pids; do
		no_cgroups "$pid" || within 10 no_cgroups "$pid" || break
	done
	clean 'SIGKILL while it starts'
}
each_run starting
nothing_left 'SIGKILL while it starts: no temporary folder is left'

# The same for a runner whose whole process group is killed, as terminals and supervisors do.
group() {
	new_sleep
	rm -f .pid
	# shellcheck disable=SC2016 # the inner shell's
	as "$who" setsid sh -c 'echo $$ >.pid; exec "$@"' sh "$sbx" -b "$backend" -- \
		sh -c "setsid sleep $nap & exec sleep $nap" >/dev/null 2>&1 &
	job=$!
	within 20 sh -c '[ "$(pgrep -fc "^sleep '"$nap"'")" = 2 ]'
	pid=$(cat .pid)
	kill -KILL "-$pid"
	wait "$job" 2>/dev/null
	folders=''
	clean 'SIGKILL of its process group'
	rm -f .pid
}
each_run group

# And the guardian's own end: the run fails, nothing is left.
orphaned() {
	new_sleep
	begin --json -- sh -c "setsid sleep $nap & exec sleep $nap"
	within 20 sh -c '[ "$(pgrep -fc "^sleep '"$nap"'")" = 2 ]'
	guardian=$(pgrep -P "$pid" | head -n 1)
	kill -KILL "$guardian"
	end
	cp "$tmp/.bg.out" "$tmp/.out"
	ok "$at: SIGKILL of the guardian: a result" result 'exit_code != 0'
	folders=''
	clean 'SIGKILL of the guardian'
}
each_run orphaned
nothing_left 'no control group and no temporary folder is left'
done_testing
