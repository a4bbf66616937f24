#!/bin/sh
# inside.sh: runs in a container of any image that holds sbx. Tools are in /tools (read-only), /out
# takes what came of it, /marker is a folder that no view shows. One file a run; judged outside.
# Nothing here may rely on the image: no /tmp, no /etc, no other program.
set -u

run() { # NAME COMMAND...
	run_name=$1
	shift
	"$@" >"/out/$run_name.json" 2>"/out/$run_name.err" </dev/null
	echo "$?" >"/out/$run_name.rc"
}

export FACTS_MARKER=/marker/file
run auto /tools/facts /sbx-run --json --ro /tools --
for backend in namespace bubblewrap landlock; do
	run "$backend" /tools/facts /sbx-run -b "$backend" --json --ro /tools --
done
run native /tools/facts /sbx-run -b native --json --
run probe /sbx-probe --json
run strict /sbx-run --strict --json --ro /tools -- /tools/facts --inside
run memory /sbx-run --memory 64m --json --ro /tools -- /tools/facts --inside
run nested /sbx-run --json --ro /tools --ro /marker --ro /sbx -- /tools/facts \
	/sbx run --json --ro /tools --
# The project root is at its own path, whatever else is there or not.
run project /sbx-run --json --root /out/project --ro /tools -- /tools/busybox sh -c \
	'echo made >made && /tools/busybox pwd && ! echo x 2>/dev/null >/out/escaped'

# What is left behind: processes of this container but our own, also where all of the machine's can
# be seen, and temporary folders.
for process in /proc/[0-9]*; do
	[ "${process#/proc/}" != $$ ] || continue
	/tools/busybox cmp -s "$process/cgroup" /proc/self/cgroup || continue
	/tools/busybox tr '\000' ' ' <"$process/cmdline"
	echo
done >/out/left 2>/dev/null
/tools/busybox find /tmp /var/tmp /dev/shm -name 'sbx-*' >>/out/left 2>/dev/null
echo ended >/out/ended
