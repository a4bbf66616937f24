#!/bin/sh
# A symbolic link on the way to a place does not make a mount land somewhere else than where the
# command finds that place: it is there, or the run is refused.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

linked() {
	for kind in up absolute; do
		find . -mindepth 1 -delete
		as "$who" mkdir -p real/sub
		target=$PWD/real
		[ "$kind" = absolute ] ||
			target=../../../../../../../../../../../../../../../../../../../..$PWD/real
		as "$who" ln -s "$target" lnk
		printf 'good\n' | as "$who" tee real/sub/f >/dev/null
		sandbox -- sh -c 'echo evil >lnk/sub/f'
		is "$rc:$(cat real/sub/f)" 0:evil "$at, $kind: control: the link can be written through"
		echo good >real/sub/f
		sandbox --ro lnk/sub -- sh -c 'echo evil >lnk/sub/f; echo evil >real/sub/f; true'
		is "$(cat real/sub/f)" good "$at, $kind: --ro: it cannot (status $rc)"
		sandbox --ro "$PWD/lnk/sub/f" -- sh -c 'echo evil >lnk/sub/f; echo evil >real/sub/f; true'
		is "$(cat real/sub/f)" good "$at, $kind: --ro of a file: it cannot (status $rc)"
		sandbox --hide "$PWD/lnk/sub/f" -- sh -c 'cat lnk/sub/f real/sub/f; true'
		is "$out" '' "$at, $kind: --hide: it cannot be read (status $rc)"
		sandbox --tmpfs "$PWD/lnk/sub" -- sh -c 'cat lnk/sub/f; echo x >lnk/sub/new; true'
		is "$out:$(ls real/sub)" :f "$at, $kind: --tmpfs is private (status $rc)"
		sandbox --bind "/etc:$PWD/lnk/sub:ro" -- \
			sh -c 'ls lnk/sub/passwd; echo x >lnk/sub/new; true'
		case $rc:$out in
		125:) pass "$at, $kind: --bind is refused" ;;
		*) is "$out" lnk/sub/passwd "$at, $kind: --bind is there" ;;
		esac
		is "$(ls real/sub)" f "$at, $kind: --bind: nothing is made on the host"
	done
	find . -mindepth 1 -delete
}
ONLY='namespace bubblewrap' each_run linked
done_testing
