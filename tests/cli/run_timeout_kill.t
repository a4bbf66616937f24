#!/bin/sh
# The wall-clock limit and commands that do not go: they ignore SIGTERM, are stopped, have left
# their session.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python
short_timeout

stubborn() {
	sandbox --json -t "$short" --kill-grace 200ms -- \
		sh -c 'trap "" TERM; while :; do sleep 0.1; done'
	is "$rc" 124 "$at: --kill-grace and a command that ignores TERM: status"
	ok "$at: it is killed after the grace" result 'timed_out' 'reason == "wall_timeout"' \
		'exit_code == 137' 'signal == 9' "duration_ms >= $short_ms + 200"
	sandbox --json -t "$short" --kill-grace 0 -- sh -c 'trap "exit 9" TERM; sleep 5 & wait'
	ok "$at: --kill-grace 0 kills at once" result 'timed_out' 'exit_code == 137'
	sandbox --json -t "$short" -- sh -c 'kill -STOP $$; sleep 77.2'
	is "$rc" 124 "$at: -t and a stopped command"
	ok "$at: it is woken to end" result 'timed_out' 'exit_code == 143'
	sandbox -t "$short" -- sh -c 'setsid sleep 77.3 & (sleep 77.3 &) ; echo x; sleep 77.3'
	is "$rc:$out:$err" 124:x: "$at: -t and descendants: status and output, nothing said"
	ok "$at: none of them is left" is_gone '^sleep 77\.3'
}
callers=${callers%% *} each_run stubborn
[ "$callers" = user ] || ONLY='native namespace' callers=user each_run stubborn
nothing_left 'no control group and no temporary folder is left'
done_testing
