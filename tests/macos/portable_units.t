#!/bin/sh
# What macOS gets, compiled for Linux: the unit tests of its files.
. "$SBX_ROOT/tests/lib/tap.sh"

units=$SBX_BUILD-portable/tests/unit
[ -d "$units" ] || skip_all 'no portable build: make TARGET=portable units'
for source in "$SBX_ROOT"/tests/unit/*.c; do
	name=$(basename -- "$source" .c)
	[ -x "$units/$name" ] || continue # of files that it leaves out: see the Makefile
	# what macOS does not have is left out there too: no machine could run it
	run env -u SBX_MUST_RUN timeout -k 5 200 "$units/$name"
	is "$rc" 0 "$name" || diag "$(printf '%s\n' "$out" | grep '^not ok')
$err"
done
for name in loop fd proc pump run_many sandbox_exec; do
	ok "$name was among them" test -x "$units/$name"
done
done_testing
