#!/bin/sh
# A kernel without system call filters: what only they would keep is refused when it was asked for,
# and told as missing when it was not.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

need_python
deny=$tools/deny
[ -x "$deny" ] || bail "$deny is not built"
echo '{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[]}' >"$tmp/list.json"
make_socket='import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)'

# unfiltered ARG...: sandbox where prctl and seccomp(2) take no filter.
unfiltered() {
	run as "$who" "$deny" seccomp -- "$sbx" -b "$backend" "$@"
}

# refused NAME: one line, nothing run.
refused() {
	is "$rc" 125 "$at: $1: refused"
	one_line "$err" "$at: $1"
	ok "$at: $1: nothing was run" test ! -e ran
	rm -f ran
}

each_backend() {
	unfiltered --json -- true
	ok "$at: seccomp is told as missing" result 'exit_code == 0' \
		'"seccomp" in [m["layer"] for m in layers["missing"]]' '"seccomp" not in layers["applied"]'
	unfiltered --strict -- touch ran
	refused --strict
	unfiltered --require seccomp -- touch ran
	refused '--require seccomp'
	like "$err" 'required layer seccomp is missing' "$at: --require seccomp: which says why"
	unfiltered --seccomp "$tmp/list.json" -- touch ran
	refused '--seccomp FILE'
	like "$err" -- '--seccomp' "$at: --seccomp FILE: which says why"
	sandbox -q --seccomp "$tmp/list.json" -- true
	[ "$backend" = native ] || is "$rc" 0 "$at: control: a kernel with filters takes the list"
}

# Landlock alone takes TCP away at best.
landlock_net() {
	sandbox -- "$py" -c "$make_socket"
	isnt "$rc" 0 "$at: control: with filters there is no socket"
	unfiltered --json -- "$py" -c "$make_socket"
	ok "$at: the network is told as not taken away" result 'exit_code == 0' \
		'[m for m in layers["missing"] if m["layer"] == "net_ns" and "no seccomp filters" in m["why"]]'
	unfiltered --net none -- touch ran
	refused '--net none'
	like "$err" 'cannot take the network away' "$at: --net none: which says why"
	unfiltered -q --best-effort --net none -- true
	is "$rc" 0 "$at: control: --best-effort accepts that"
}

each_run each_backend
ONLY=landlock each_run landlock_net
done_testing
