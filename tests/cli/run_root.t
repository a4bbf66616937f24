#!/bin/sh
# The project root and the working folder: which folders can be one, what happens in others.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

# refuse PATTERN WHAT ARG...: 125, one line, nothing run.
refuse() {
	refuse_pattern=$1 refuse_what=$2
	shift 2
	sandbox "$@"
	is "$rc:$out" 125: "$at: $refuse_what"
	like "$err" "^sbx-run: .*$refuse_pattern" "$at: $refuse_what: what is said"
	one_line "$err" "$at: $refuse_what"
}

good() {
	as "$who" mkdir -p sub/deep
	ln -sfn "$PWD/sub" link
	ln -sfn "$tmp/p-$who" "$tmp/to-$who"
	sandbox -- pwd
	is "$rc:$out" "0:$PWD" "$at: the current folder"
	sandbox --root sub -- sh -c 'pwd; : >f'
	is "$rc:$out" "0:$PWD/sub" "$at: --root, relative"
	ok "$at: --root is the writable folder" test -e sub/f
	sandbox --root "$tmp/to-$who" -- sh -c 'pwd -P; echo "$PWD"'
	is "$(printf '%s' "$out" | tr '\n' ,)" "$PWD,$PWD" "$at: a link to the root: its real path"
	sandbox -C sub/deep -- pwd
	is "$rc:$out" "0:$PWD/sub/deep" "$at: -C, relative to the root"
	sandbox --root sub -C deep -- pwd
	is "$rc:$out" "0:$PWD/sub/deep" "$at: --root and -C"
	sandbox -C "$PWD/sub" -- sh -c 'pwd; ls ..'
	is "$rc:$(printf '%s' "$out" | head -n 1)" "0:$PWD/sub" "$at: -C, absolute"
	sandbox -C link -- pwd
	is "$rc:$out" "0:$PWD/sub" "$at: -C through a link inside the root"
	refuse 'none' 'a root that is missing' --root none -- true
	refuse 'none' 'a -C that is missing' -C none -- true
	: >plain
	refuse 'plain: .*not a folder' 'a root that is a file' --root plain -- true
	refuse 'plain: .*not a folder' 'a -C that is a file' -C plain -- true
	refuse 'outside' 'a -C above the root' -C .. -- true
	refuse 'outside' 'a -C elsewhere' -C /usr -- true
	ln -sfn /usr out
	refuse 'outside' 'a -C through a link that leads out' -C out -- true
	rm -rf sub link plain out
}
each_run good

# / and such: refused by name, replaced by an empty folder when met by chance.
bad() {
	for folder in / /usr /etc /proc /proc/self /sys /dev /run /var /tmp /home \
		/usr/share "$HOME_OF"; do
		refuse "--root $folder" "--root $folder" --root "$folder" -- true
	done
	for folder in / /tmp /usr/share "$HOME_OF"; do
		cd "$folder" || bail "cd $folder"
		sandbox --json -- sh -c 'pwd -P; ls -A; : >f && ls'
		ok "$at: from $folder: an empty private folder" result \
			'out.endswith(b"\nf\n")' 'out.count(b"\n") == 2' 'exit_code == 0'
		like "$err" '^sbx-run: warning: .*--root' "$at: from $folder: one notice"
		one_line "$err" "$at: from $folder"
		ok "$at: from $folder: nothing is written there" test ! -e "$folder/f"
	done
	cd / || bail 'cd /'
	refuse 'project root' 'a -C where there is no root' -C usr -- true
	sandbox -q -- true
	is "$rc:$err" 0: "$at: -q: no notice"
	cd "$tmp/p-$who" || bail 'no project folder'
}
for who in $callers; do
	HOME_OF=$tmp/caller-home
	[ "$who" = root ] || HOME_OF=$tmp/home
	callers=$who ONLY='landlock namespace bubblewrap' each_run bad
done

# --rw by name makes them possible.
named() {
	sandbox --root "$HOME_OF" --rw "$HOME_OF" -- sh -c 'pwd; : >made'
	is "$rc:$out" "0:$HOME_OF" "$at: HOME as the root, with --rw"
	ok "$at: it is the real one" test -e "$HOME_OF/made"
	rm -f "$HOME_OF/made"
}
HOME_OF=$tmp/home
[ "${callers%% *}" != root ] || HOME_OF=$tmp/caller-home
callers=${callers%% *} ONLY='landlock namespace bubblewrap' each_run named

# native hides nothing: there a root only says where -C may lead.
everywhere() {
	cd / || bail 'cd /'
	sandbox -- pwd
	is "$rc:$out:$err" 0:/: "$at: / is where the command runs"
	cd "$tmp/p-$who" || bail 'no project folder'
}
ONLY=native each_run everywhere

# Folders that are not there any more, or cannot be named.
gone() {
	mkdir -p lost
	run as "$who" sh -c 'cd lost && rmdir ../lost && "$@"' sh "$sbx" -b "$backend" -- true
	is "$rc:$out" 125: "$at: a deleted folder"
	like "$err" '^sbx-run: .*deleted' "$at: a deleted folder: what is said"
	one_line "$err" "$at: a deleted folder"
	if tap_is_root && [ "$who" = root ] && [ "$backend" != bubblewrap ] &&
		[ "${SBX_MODE:-release}" = release ]; then
		# Outside of our root: getcwd(3) says "(unreachable)".
		mkdir -p jail/bin jail/inner
		cp "$SBX_BUILD/sbx" jail/bin/sbx-run
		run "$py" -c 'import os, sys
os.open("jail", os.O_RDONLY)
os.chroot("jail")
os.execv("/bin/sbx-run", ["sbx-run", "-b", sys.argv[1], "--", "/bin/sbx-run", "--version"])
' "$backend"
		is "$rc:$out" 125: "$at: an unreachable folder"
		like "$err" '^sbx-run: .*reach' "$at: an unreachable folder: what is said"
		rm -rf jail
	fi
}
each_run gone

# A root below which the caller cannot go back up; and one that he cannot read.
if tap_is_root; then
	who=user
	for backend in namespace landlock native; do
		usable user "$backend" || continue
		at="user, $backend"
		mkdir -p "$tmp/closed/open"
		chown "$tap_user:" "$tmp/closed/open"
		chmod 0711 "$tmp/closed"
		cd "$tmp/closed/open" || bail 'no folder'
		sandbox -- sh -c 'pwd; : >f; ls'
		is "$rc:$(printf '%s' "$out" | tr '\n' ,)" "0:$tmp/closed/open,f" \
			"$at: below a folder that cannot be read"
		rm -rf f
		chmod 0700 "$tmp/closed"
		run as_user "$sbx" -b "$backend" --root "$tmp/closed/open" -- true
		is "$rc" 125 "$at: a root that cannot be reached"
		like "$err" "^sbx-run: .*closed.*Permission denied" \
			"$at: a root that cannot be reached: what is said"
		cd "$tmp/p-user" || bail 'no project folder'
	done
fi
nothing_left 'no temporary folder is left'
done_testing
