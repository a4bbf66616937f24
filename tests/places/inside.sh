#!/bin/sh
# inside.sh: runs in the place that is tested, a container of any image or the machine itself, and
# tries everything that sbx says of it. $tools holds the tools, $out takes what came of it, $marker
# is a folder that no view shows, $sbx the folder of sbx and its links. One file a run; judged
# outside. Nothing here may rely on the place: no /tmp, no /etc, no program but the tools.
set -u
: "${tools:=/tools}" "${out:=/out}" "${marker:=/marker}" "${sbx:=}"

run() { # NAME COMMAND...
	run_name=$1
	shift
	"$@" >"$out/$run_name.json" 2>"$out/$run_name.err" </dev/null
	echo "$?" >"$out/$run_name.rc"
}

export FACTS_MARKER="$marker/file"
if [ "${view:-yes}" = no ]; then # the native backend has none to change
	run auto "$tools/facts" "$sbx/sbx-run" --json --
	run probe "$sbx/sbx-probe" --json
	run strict "$sbx/sbx-run" --strict --json -- "$tools/facts" --inside
	exit
fi
run auto "$tools/facts" "$sbx/sbx-run" --json --ro "$tools" --
for backend in namespace bubblewrap landlock; do
	run "$backend" "$tools/facts" "$sbx/sbx-run" -b "$backend" --json --ro "$tools" --
done
run native "$tools/facts" "$sbx/sbx-run" -b native --json --
run probe "$sbx/sbx-probe" --json
run strict "$sbx/sbx-run" --strict --json --ro "$tools" -- "$tools/facts" --inside
run memory "$sbx/sbx-run" --memory 64m --json --ro "$tools" -- "$tools/facts" --inside
run pids "$sbx/sbx-run" --pids 20 --json --ro "$tools" -- "$tools/busybox" sh -c \
	'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
		"$1" sleep 1 & done; wait; echo all' sh "$tools/busybox"
run nested "$sbx/sbx-run" --json --ro "$tools" --ro "$marker" --ro "$sbx/sbx" -- "$tools/facts" \
	"$sbx/sbx" run --json --ro "$tools" --
# The project root is at its own path, whatever else is there or not.
# shellcheck disable=SC2016 # the inner shell's
run project "$sbx/sbx-run" --json --root "$out/project" --ro "$tools" -- "$tools/busybox" sh -c \
	'echo made >made && "$1"/busybox pwd && (echo x >"$2"/escaped) 2>/dev/null; :' sh \
	"$tools" "$out"

# What is left behind: processes of this container but our own, also where all of the machine's can
# be seen, and temporary folders.
left() {
	for process in /proc/[0-9]*; do
		[ "${process#/proc/}" != $$ ] || continue
		"$tools/busybox" cmp -s "$process/cgroup" /proc/self/cgroup || continue
		"$tools/busybox" tr '\000' ' ' <"$process/cmdline"
		echo
	done
	"$tools/busybox" find /tmp /var/tmp /dev/shm -name 'sbx-*'
}
: >"$out/left"
[ "$out" != /out ] || left >"$out/left" 2>/dev/null
echo ended >"$out/ended"
