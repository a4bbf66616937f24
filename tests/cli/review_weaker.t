#!/bin/sh
# auto goes on to the next backend where one cannot work on this machine, never because the machine
# is full for a moment: whoever fills it must not get a weaker sandbox.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python
need prlimit util-linux

# judge WHAT: the best backend with all its layers, or a refusal; sets $verdict.
judge() {
	verdict=$("$py" -I -S -c 'import json, sys
r = json.load(open(sys.argv[1]))
lost = sorted({m["layer"] for m in r["layers"]["missing"]} - set(sys.argv[3].split()))
print("other " + r["backend"] if r["backend"] in ("bubblewrap", "landlock", "native")
      else "refused" if r["reason"] == "launch_error"
      else "without " + " ".join(lost) if lost else "whole")' res.json "$1" "$usual" 2>&1)
	case $rc:$verdict in
	125:refused | 0:whole) pass "$who: $1: $verdict" ;;
	*) fail "$who: $1: status $rc, $verdict" ;;
	esac
}

full() {
	rm -f res.json
	run as "$who" "$sbx" -q --result res.json -- true
	if [ "$(RESULT=res.json field backend)" != namespace ]; then
		skip "$who: auto takes another backend here anyway"
		return 0
	fi
	usual=$("$py" -I -S -c 'import json, sys
print(*[m["layer"] for m in json.load(open("res.json"))["layers"]["missing"]])')
	seen=''
	for path in /usr/bin:/bin /nonexistent; do
		for nth in 1 2 3 4 5; do
			rm -f res.json
			# A leak check makes processes of its own.
			run as "$who" ASAN_OPTIONS=detect_leaks=0 "PATH=$path" "$tools/failnth" \
				"$nth" -- "$sbx" -q --result res.json -- /bin/true
			judge "process $nth cannot be made, PATH=$path"
			seen="$seen $verdict"
		done
	done
	like "$seen" refused "$who: control: some of these calls matter"
	like "$seen" whole "$who: control: and others come too late to"
	seen=''
	for files in 6 8 9 10 11 12 13 14 15 16 18 20 22 24 40; do
		rm -f res.json
		run as "$who" prlimit "--nofile=$files" "$sbx" -q --result res.json -- /bin/true
		# With so few files not even the result can be written.
		[ -s res.json ] || { is "$rc" 125 "$who: $files open files: refused"; continue; }
		judge "$files open files"
		seen="$seen $verdict"
	done
	like "$seen" refused "$who: control: few files are too few"
	like "$seen" whole "$who: control: and more are enough"
	rm -f res.json
}
each_caller full

# RLIMIT_NPROC counts all of a user's processes: take one that has no others.
if tap_is_root; then
	who=number
	id=$((200000 + $$))
	mkdir "$tmp/p-number"
	chown "$id:$id" "$tmp/p-number"
	cd "$tmp/p-number" || bail 'no project folder'
	seen=''
	usual=''
	for processes in 0 1 2 3 8; do
		rm -f res.json
		run setpriv "--reuid=$id" "--regid=$id" --clear-groups env HOME=/nonexistent \
			ASAN_OPTIONS=detect_leaks=0 prlimit "--nproc=$processes" \
			"$sbx" -q --result res.json -- /bin/true
		judge "$processes processes"
		seen="$seen $verdict"
	done
	like "$seen" refused "control: few processes are too few"
	like "$seen" whole "control: and more are enough"
else
	skip 'a user of his own needs root'
fi
done_testing
