#!/bin/sh
# The tool of a backend is a program of the machine's owner: a bwrap that somebody could plant in a
# project (folders of virtual environments are in PATH) is never started: it would run outside.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

mkdir -p "$tmp/outside"
chmod 0777 "$tmp/outside"
canary=$tmp/outside/canary

planted() {
	rm -rf venv link "$canary"
	mkdir -p venv/bin
	printf '#!/bin/sh\n: >%s\nexec /usr/bin/bwrap "$@"\n' "$canary" >venv/bin/bwrap
	chmod 0755 venv/bin/bwrap
	ln -s venv link
	run as "$who" venv/bin/bwrap --version
	ok "$who: control: what is planted leaves its mark" test -e "$canary"
	for folder in "$PWD/venv/bin" "$PWD/link/bin" venv/bin "$PWD/./venv/../venv/bin"; do
		name=${folder#"$PWD/"}
		rm -f "$canary"
		run as "$who" "PATH=$folder:/usr/bin:/bin" "$sbx" -b bubblewrap -- echo ran
		ok "$who: bubblewrap, $name: not started" test ! -e "$canary"
		case $rc:$out in
		125:) like "$err" '^sbx-run: .' "$who: bubblewrap, $name: refused with a reason" ;;
		*) is "$rc:$out" 0:ran "$who: bubblewrap, $name: the machine's own one is" ;;
		esac
		rm -f "$canary"
		run as "$who" "PATH=$folder:/usr/bin:/bin" "$tools/deny" userns -- "$sbx" -q -- echo ran
		ok "$who: auto without user namespaces, $name: not started" test ! -e "$canary"
		rm -f "$canary"
		run as "$who" "PATH=$folder" "$tools/deny" userns -- "$sbx" -q -- true
		ok "$who: and where PATH has nothing else, $name" test ! -e "$canary"
	done
	# From a folder below the root, and with a second writable folder.
	mkdir -p sub other/bin
	cp venv/bin/bwrap other/bin/
	rm -f "$canary"
	run as "$who" "PATH=$PWD/other/bin:/usr/bin:/bin" "$sbx" -b bubblewrap --root sub \
		--rw "$PWD/other" -- true
	ok "$who: bubblewrap, a folder of --rw: not started" test ! -e "$canary"
	# sbx-probe tries each backend for real.
	rm -f "$canary"
	run as "$who" "PATH=$PWD/venv/bin:/usr/bin:/bin" "$SBX_BUILD/sbx-probe"
	ok "$who: sbx-probe: not started" test ! -e "$canary"
	rm -rf venv link sub other "$canary"
}
each_caller planted
done_testing
