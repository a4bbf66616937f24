#!/bin/sh
# SIGKILL of sbx-run in each of its phases, of its process group and of its guardian: no process, no
# control group and no temporary folder is left.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python

# Each test has its own number of seconds to sleep, so that its processes can be told.
serial=$(($$ % 30000 + 1000))
new_sleep() {
	serial=$((serial + 1))
	nap="8$serial.5"
}

# clean WHAT: no process of this test, no control group of that sbx-run, no temporary folder.
clean() {
	ok "$at: $1: no process is left" is_gone "sleep $nap"
	ok "$at: $1: no control group is left" within 3 no_cgroups "$pid"
	# shellcheck disable=SC2086 # names without blanks
	[ -z "$folders" ] || ok "$at: $1: no temporary folder is left" within 10 all_gone $folders
}

limits() {
	limit=''
	[ "$who" != root ] || [ "$backend" = bubblewrap ] || limit='-m 256m --pids 50'
}

# find_folder: the private temporary folder that the command printed, where it has one on the host.
find_folder() {
	folders=$(sed -n 's,^\(/[a-z/]*/sbx-[0-9a-f]\{16\}\).*,\1,p' "$tmp/.bg.out")
}

killed() {
	limits
	new_sleep
	# shellcheck disable=SC2086 # words
	begin $limit -- \
		sh -c "setsid sleep $nap & (sleep $nap &); echo \"\$TMPDIR\"; exec sleep $nap"
	within 20 sh -c '[ -s "$1" ] && [ "$(pgrep -fc "^sleep '"$nap"'")" = 3 ]' sh "$tmp/.bg.out"
	is "$(pgrep -fc "^sleep $nap")" 3 "$at: control: three processes run"
	[ -z "$limit" ] ||
		isnt "$(cgroup_folders "$pid")" '' "$at: control: a control group is there"
	find_folder
	[ "$backend" != landlock ] ||
		ok "$at: control: a temporary folder is there" test -d "$folders"
	kill -KILL "$pid"
	end
	is "$rc" 137 "$at: SIGKILL while it runs"
	clean 'SIGKILL while it runs'

	# While output is drained: the command has ended, its children hold the pipes.
	new_sleep
	# shellcheck disable=SC2086 # words
	begin $limit -- \
		sh -c "for i in 0 1 2 3 4 5 6 7 8 9 a b; do sleep $nap & done; echo \"\$TMPDIR\""
	within 10 test -s "$tmp/.bg.out"
	find_folder
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
	for delay in 0 0.002 0.004 0.007 0.011 0.017; do
		# shellcheck disable=SC2086 # words
		begin $limit -- sleep "$nap"
		sleep "$delay"
		kill -KILL "$pid"
		end
		pids="$pids $pid"
	done
	ok "$at: SIGKILL while it starts: no process is left" is_gone "sleep $nap"
	# Between the making of a group and the birth of the process that would remove it there is a
	# moment; the next run removes what was left in it.
	# shellcheck disable=SC2086 # words
	sandbox $limit -- true
	for pid in $pids; do
		within 3 no_cgroups "$pid" || break
	done
	is "$(cgroup_folders "$pid")" '' "$at: SIGKILL while it starts: no control group is left"
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

# A guardian that was stopped is woken by the runner's end.
stopped() {
	limits
	new_sleep
	# shellcheck disable=SC2086 # words
	begin $limit -- sh -c "setsid sleep $nap & echo \"\$TMPDIR\"; exec sleep $nap"
	within 20 sh -c '[ -s "$1" ] && [ "$(pgrep -fc "^sleep '"$nap"'")" = 2 ]' sh "$tmp/.bg.out"
	find_folder
	guardian=$(pgrep -P "$pid" | head -n 1)
	kill -STOP "$guardian"
	ok "$at: control: the guardian is stopped" within 5 grep -q '^State:.T' "/proc/$guardian/status"
	kill -KILL "$pid"
	end
	clean 'SIGKILL beside a stopped guardian'
	kill -CONT "$guardian" 2>/dev/null
}
each_run stopped

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
