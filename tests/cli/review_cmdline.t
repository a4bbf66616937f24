#!/bin/sh
# The runner's own arguments are not the command's to read: they hold values of --env and the names
# of what is hidden.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

read_all='for f in /proc/1/cmdline /proc/[0-9]*/cmdline /proc/[0-9]*/environ /proc/[0-9]*/comm
do cat "$f" 2>/dev/null | tr "\000" " "; done; echo read'

arguments() {
	mkdir -p conf
	: >conf/hidden-name
	# Told in two words, for this text is an argument of the command itself otherwise.
	rm -f file.env
	sandbox --env REVIEW_TOKEN=abc-value -- sh -c 'echo "$REVIEW_TOKEN"'
	is "$rc:$out" 0:abc-value "$at: control: the command itself has the variable"
	sandbox --env REVIEW_TOKEN=abc-value --hide conf/hidden-name --tmpfs "$PWD/conf-private" -- true
	set -- --env REVIEW_TOKEN=abc-value --hide conf/hidden-name --ro /usr/share
	sandbox "$@" --unset-env REVIEW_TOKEN -- sh -c "$read_all"
	is "$rc" 0 "$at: it runs"
	like "$out" '^.*read$' "$at: control: command lines were read"
	like "$out" 'for f in' "$at: control: its own among them"
	unlike "$out" 'abc-value' "$at: the value of --env is in none of them"
	unlike "$out" 'hidden-name' "$at: nor the name of what is hidden"
	sandbox "$@" -- sh -c 'tr "\000" " " </proc/1/cmdline'
	unlike "$out" 'abc-value|hidden-name' "$at: /proc/1/cmdline says nothing"
	rm -rf conf
}
ONLY='namespace bubblewrap' each_run arguments

# Outside it is the caller's own command line: he wrote it there. But the guardian has none of it.
outside() {
	begin --env REVIEW_TOKEN=abc-value -- sh -c 'sleep 30; :'
	within 10 pgrep -P "$pid" >/dev/null || bail 'no guardian'
	found=''
	for child in $(pgrep -P "$pid"); do
		found="$found $(tr '\000' ' ' <"/proc/$child/cmdline")"
	done
	unlike "$found" 'abc-value' "$at: nor does the guardian carry it"
	kill "$pid"
	end
}
ONLY='native landlock namespace bubblewrap' each_run outside
done_testing
