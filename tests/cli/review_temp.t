#!/bin/sh
# The private temporary folder that stands in for /tmp where there is no mount namespace is removed
# at the end, whatever the command made of it and whenever the runner was killed.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python

cat >"$tmp/nest" <<'SH'
cd "$TMPDIR" && pwd -P || exit 1
for _ in 1 2 3 4 5 6 7 8; do
	mkdir -p d/d/d/d/d && cd d/d/d/d/d && : >f || exit 1
done
for _ in 1 2 3 4 5 6 7 8; do
	for _ in 1 2 3 4 5; do
		chmod "$1" . && cd .. || exit 1
	done
done
find . -type d | wc -l | tr -d ' '
SH
nest=$(cat "$tmp/nest")

nested() {
	for mode in 0555 0111 0755; do
		sandbox -- sh -c "$nest" sh "$mode"
		folder=$(printf '%s\n' "$out" | head -n 1)
		like "$folder" '/sbx-[0-9a-f]+$' "$at: mode $mode: control: a folder of its own"
		[ "$mode" = 0111 ] || like "$out" '^41$' "$at: mode $mode: control: forty deep"
		ok "$at: mode $mode: it is removed" within 5 test ! -e "$folder"
		rm -rf "$folder"
	done
	# Files that cannot be removed because the folder itself is closed.
	sandbox -- sh -c 'cd "$TMPDIR" && pwd -P && : >f && mkdir -p d/e && : >d/e/f &&
		chmod 0 d/e d .'
	folder=$(printf '%s\n' "$out" | head -n 1)
	like "$folder" '/sbx-[0-9a-f]+$' "$at: closed at the top: control: a folder of its own"
	ok "$at: closed at the top: it is removed" within 5 test ! -e "$folder"
	rm -rf "$folder"
}
ONLY=landlock each_run nested

# SIGKILL from the first instruction of the runner to the end of a run of a tenth of a second.
killed() {
	sandbox -- sh -c 'echo "$TMPDIR"'
	ok "$at: control: a run has a folder" test -n "$out"
	run as "$who" "$py" -I -S -c 'import random, subprocess, sys, time
random.seed(10)
for i in range(20):
    p = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    time.sleep(i * 0.001 if i < 12 else random.random() * 0.1)
    p.kill()
    p.wait()
    print(p.returncode)' "$sbx" -b "$backend" -- \
		sh -c 'mkdir "$TMPDIR/d"; : >"$TMPDIR/d/f"; sleep 0.1'
	like "$(printf '%s' "$out" | tr '\n' ' ')" '-9 -9 -9' "$at: control: most of them were killed"
	is "$rc:$(printf '%s\n' "$out" | wc -l | tr -d ' ')" 0:20 "$at: twenty runs"
}
ONLY=landlock each_run killed

# And at the exact moments at which a process is made: the guardian, the command, its child.
precise() {
	for nth in 1 2 3; do
		run as "$who" "$tools/failnth" -k "$nth" -- "$sbx" -q -b "$backend" -- \
			sh -c 'mkdir "$TMPDIR/d"; true'
		is "$rc:$err" 137: "$at: control: killed when process $nth was made"
	done
}
ONLY=landlock each_run precise
nothing_left 'no temporary folder is left of twenty killed runs'
done_testing
