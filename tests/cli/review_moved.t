#!/bin/sh
# A place that is hidden, read-only or private stays where it is: no folder above it can be moved
# away, and with it what another run or the host then finds under another name.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

# tree: every name and the content of every file below here.
tree() {
	find . -mindepth 1 | sort
	find . -type f -exec cat {} +
}

build() {
	find . -mindepth 1 -delete
	as "$who" sh -c 'mkdir -p conf .git/hooks a/b/c
		echo secret >conf/secret; echo secret >a/b/c/secret; echo good >.git/config
		echo good >.git/hooks/pre-commit; echo own >file'
	before=$(tree)
}

# rename(2) alone: mv would go on to copy.
move='rename $ARGV[0], $ARGV[1] or die "$!\n"; print "moved\n"'

# stuck WHAT FOLDER OPTION...: the folder cannot be moved, and the host's tree is what it was.
stuck() {
	stuck_what=$1 stuck_folder=$2
	shift 2
	sandbox "$@" -- perl -e "$move" "$stuck_folder" moved
	is "$out" '' "$at: $stuck_what: $stuck_folder stays"
	like "$err" '(busy|cross-device)' "$at: $stuck_what: the kernel refuses it"
	is "$(tree)" "$before" "$at: $stuck_what: $stuck_folder: the host's files are what they were"
}

moved() {
	build
	for folder in conf a .git; do
		sandbox -- perl -e "$move" "$folder" moved
		is "$rc:$out" 0:moved "$at: control: $folder can be moved"
		mv moved "$folder"
	done
	stuck '--hide of a file' conf --hide conf/secret
	sandbox --hide conf/secret -- mv conf moved
	isnt "$rc" 0 "$at: nor does mv do it"
	sandbox --hide conf/secret -- sh -c 'cat conf/secret moved/secret'
	is "$out" '' "$at: --hide: nor is it read by a second run"
	build
	for folder in a a/b a/b/c; do
		stuck '--hide, deep' "$folder" --hide a/b/c/secret
	done
	stuck '--hide of a folder' a --hide a/b/c
	build
	stuck '--ro' .git --ro .git/hooks --ro .git/config
	sandbox --ro .git/hooks --ro .git/config -- sh -c 'mv .git moved; mkdir -p .git/hooks
		echo evil >.git/config; echo evil >.git/hooks/pre-commit; rm -rf .git; true'
	is "$(cat .git/config .git/hooks/pre-commit 2>&1 | tr '\n' ,)" good,good, \
		"$at: --ro: no other .git takes its place"
	build
	stuck '--tmpfs' a --tmpfs "$PWD/a/b/c"
	build
	stuck '--bind' a/b --bind "/usr/share:$PWD/a/b/c:ro"
	build
	stuck 'the folder above, renamed within' a/b --hide a/b/c/secret --ro conf
	build
	# What lies beside it can be used as before.
	sandbox --hide conf/secret --ro .git/config -- sh -c 'echo x >conf/new && mv conf/new conf/n2 &&
		mv file conf/ && mv conf/file . && mkdir conf/d && rmdir conf/d && rm conf/n2 &&
		echo y >.git/index && rm .git/index && mkdir d && mv d e && rmdir e'
	is "$rc:$err" 0: "$at: beside it everything can be made, moved and removed"
	is "$(tree)" "$before" "$at: and no mount point is left"
	for path in nowhere conf/nowhere "$PWD/a/nowhere" nowhere/deep; do
		sandbox --hide "$path" -- sh -c ': >canary'
		is "$rc" 125 "$at: --hide $path: what is not there and could be made is refused"
		like "$err" '^sbx-run: .*nowhere' "$at: --hide $path: and named"
		ok "$at: --hide $path: nothing was run" test ! -e canary
	done
	rm -f canary
	sandbox --hide "$tmp/nowhere" -- echo ran
	is "$rc:$out" 0:ran "$at: --hide of what is not there elsewhere"
	find . -mindepth 1 -delete
}
ONLY='namespace bubblewrap' each_run moved
done_testing
