#!/bin/sh
# The wall-clock limit for effect: its status, its reason, and what of the command is kept.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python
short_timeout

wall() {
	sandbox --json -t "$short" -- sleep 77.1
	is "$rc" 124 "$at: -t: status"
	ok "$at: -t: result" result 'timed_out' 'reason == "wall_timeout"' 'exit_code == 143' \
		'signal == 15' "duration_ms >= $short_ms" 'error_message == ""'
	sandbox --json -t "$short" -- sh -c 'trap "exit 9" TERM; echo partial; sleep 5 & wait'
	is "$rc" 124 "$at: -t and a command that exits on TERM: status"
	ok "$at: -t: the command's own exit and what it printed are kept" result 'timed_out' \
		'exit_code == 9' 'signal is None' 'stdout == "partial\n"'
	sandbox --json -t 0 -- sleep 0.3
	ok "$at: -t 0 is no limit" result 'not timed_out' 'exit_code == 0'
	sandbox --json -t 1m -- sh -c 'exit 4'
	ok "$at: -t that is not reached" result 'not timed_out' 'exit_code == 4'
}
callers=${callers%% *} each_run wall
[ "$callers" = user ] || ONLY='native namespace' callers=user each_run wall
nothing_left 'no control group and no temporary folder is left'
done_testing
