#!/bin/sh
# The one place that says which backends must work here: the other tests take those that do.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

for who in $callers; do
	cd "$tmp/p-$who" || bail 'no project folder'
	for backend in native landlock namespace bubblewrap; do
		sandbox -- true
		if [ "$rc" = 125 ]; then
			isnt "$backend" native "native is never refused ($who)"
			like "$err" "^sbx-run: ." "$who, $backend: a refusal has its reason"
			skip "$who, $backend: $err"
		else
			is "$rc:$out$err" 0: "$who, $backend: usable, and silent about it"
		fi
	done
	for backend in ns bwrap; do
		sandbox -- true
		unlike "$err" 'unknown backend' "$who, $backend: an alias is known"
	done
	for backend in podman docker container; do # tests/container
		sandbox -- true
		is "$rc" 125 "$who, $backend: not without an image"
		like "$err" '^sbx-run: .' "$who, $backend: and it says so"
	done
	for backend in sandbox_exec sandbox-exec seatbelt; do # sandbox_exec.t
		sandbox -- true
		is "$rc" 125 "$who, $backend: not on this system"
		like "$err" '^sbx-run: sandbox-exec is a program of macOS' "$who, $backend: said"
	done
	run as "$who" "$sbx" -- sh -c 'exit 7'
	is "$rc" 7 "$who: auto runs a command"
done
done_testing
