#!/bin/sh
# HOME is what it is by whatever name, and without a name: a folder that holds it is no project.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

real=$tmp/homes/real
mkdir -p "$real/project" "$tmp/homes/other"
ln -s real "$tmp/homes/link"
ln -s "$tmp/homes/link" "$tmp/homes/links"
echo own >"$real/key"
chmod -R a+rwX "$tmp/homes"

# is_private WHAT [NAME=VALUE...]: what runs in the current folder gets an empty one instead.
is_private() {
	private_what=$1
	shift
	run as "$who" env "$@" "$sbx" -b "$backend" -- sh -c 'pwd -P; ls -A; cat key; : >made'
	isnt "$(printf '%s' "$out" | head -n 1)" "$PWD" "$at: $private_what: another folder"
	is "$(printf '%s\n' "$out" | wc -l | tr -d ' ')" 1 "$at: $private_what: which is empty"
	like "$err" '^sbx-run: warning: .*--root' "$at: $private_what: one notice"
	ok "$at: $private_what: nothing is written to it" test ! -e made
	rm -f made
}

same() {
	cd "$tmp/homes/other" || bail 'no folder'
	run as "$who" "HOME=$tmp/homes/link" "$sbx" -b "$backend" -- pwd -P
	is "$rc:$out:$err" "0:$PWD:" "$at: control: another folder is a project"
	cd "$real/project" || bail 'no folder'
	run as "$who" "HOME=$tmp/homes/link" "$sbx" -b "$backend" -- pwd -P
	is "$rc:$out:$err" "0:$PWD:" "$at: control: and so is one below HOME"
	cd "$real" || bail 'no folder'
	is_private 'HOME itself' "HOME=$real"
	is_private 'HOME by a link' "HOME=$tmp/homes/link"
	is_private 'HOME by a link to a link' "HOME=$tmp/homes/links"
	is_private 'HOME with dots' "HOME=$tmp/homes/other/../real/."
	run as "$who" "HOME=$tmp/homes/link" "$sbx" -b "$backend" --root "$real" -- cat key
	is "$rc:$out" 125: "$at: HOME by a link: --root is refused"
	cd "$tmp/homes" || bail 'no folder'
	is_private 'the folder above it' "HOME=$tmp/homes/link"
}
ONLY='landlock namespace bubblewrap' each_run same

# Without HOME, or with one that says nothing, the user's entry in passwd(5) counts.
unset_home() {
	passwd_home=$(getent passwd "$(as "$who" id -u)" | cut -d : -f 6)
	if [ ! -d "$passwd_home" ] || [ "$passwd_home" = / ] || ! cd "$passwd_home" 2>/dev/null; then
		skip "$at: no home folder in passwd"
		return 0
	fi
	for home in unset empty relative; do
		case $home in
		unset) set -- -u HOME ;;
		empty) set -- HOME= ;;
		relative) set -- HOME=some ;;
		esac
		run as "$who" env "$@" "$sbx" -b "$backend" -- sh -c 'pwd -P; ls -A; : >review-made'
		isnt "$(printf '%s' "$out" | head -n 1)" "$passwd_home" "$at: HOME $home: another folder"
		is "$(printf '%s\n' "$out" | wc -l | tr -d ' ')" 1 "$at: HOME $home: which is empty"
		ok "$at: HOME $home: nothing is written to it" test ! -e review-made
		rm -f review-made
	done
	cd "$tmp/p-$who" || bail 'no project folder'
	run as "$who" env -u HOME "$sbx" -b "$backend" -- pwd -P
	is "$rc:$out" "0:$PWD" "$at: control: without HOME a project is one"
}
ONLY='landlock namespace bubblewrap' each_run unset_home
done_testing
