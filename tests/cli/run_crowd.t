#!/bin/sh
# Two hundred runs, twenty at a time: each has its own status and output, and nothing is left.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

crowd() {
	as "$who" mkdir -p crowd
	# shellcheck disable=SC2016 # the inner shell's
	seq 1 "$1" | as "$who" xargs -P 20 -I N sh -c '
		sh -c "\"\$@\" >crowd/N.out 2>crowd/N.err; echo \$? >crowd/N.rc" sh "$@"' sh \
		"$sbx" -b "$backend" -- sh -c 'echo "word N"; exit $((N % 200))'
	bad=''
	n=0
	while [ $n -lt "$1" ]; do
		n=$((n + 1))
		read -r status <crowd/$n.rc || status=none
		read -r word <crowd/$n.out || word=none
		[ "$status:$word" = "$((n % 200)):word $n" ] && [ ! -s crowd/$n.err ] ||
			bad="$bad $n:$status:$word:$(head -c 100 crowd/$n.err)"
	done
	is "$bad" '' "$at: $1 runs, twenty at a time"
	rm -rf crowd
}
for backend in native landlock bubblewrap; do
	ONLY=$backend callers=${callers%% *} each_run crowd 40
done
ONLY=namespace callers=${callers%% *} each_run crowd 200
callers=user ONLY=namespace each_run crowd 40

# The same with limits, which are groups of the kernel's.
limited() {
	seq 1 30 | xargs -P 10 -I N sh -c '"$@" || echo "bad N"' sh \
		"$sbx" -b "$backend" -m 64m --pids 20 -- true >"$tmp/bad" 2>&1
	is "$(cat "$tmp/bad")" '' "$at: thirty runs with limits"
}
if tap_is_root; then
	callers=root ONLY='landlock namespace' each_run limited
fi
nothing_left 'nothing is left of them'
done_testing
