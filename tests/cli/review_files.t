#!/bin/sh
# What a command of an earlier run could have put into the project must not choose what the next run
# reads as its input or overwrites with its result: links below the root are refused for both.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

build() {
	find . -mindepth 1 -delete
	rm -rf "$tmp/outside"
	mkdir -p "$tmp/outside/secret/sub"
	echo secret >"$tmp/outside/secret/file"
	echo secret >"$tmp/outside/secret/sub/file"
	echo keep >"$tmp/outside/keep"
	chmod -R a+rwX "$tmp/outside"
	as "$who" sh -c 'mkdir -p dir/deep && echo plain >plain && echo plain >dir/deep/plain'
	as "$who" ln -s "$tmp/outside/secret" data
	as "$who" ln -s "../../outside/secret" dir/up
	as "$who" ln -s "$tmp/outside/secret/file" in.txt
	as "$who" ln -s "$tmp/outside/keep" res.json
	as "$who" ln -s "$tmp/outside" out
	as "$who" ln -s "$tmp/outside/new" dangling.json
}

# refuse WHAT ARG...: 125, one line, nothing was run, nothing outside was touched.
refuse() {
	refuse_what=$1
	shift
	rm -f ran
	sandbox "$@" -- sh -c ': >ran; cat; cat /data/file data/file dir/up/file 2>/dev/null' </dev/null
	is "$rc:$out" 125: "$at: $refuse_what"
	like "$err" '^sbx-run: .' "$at: $refuse_what: it says why"
	ok "$at: $refuse_what: nothing was run" test ! -e ran
	is "$(cat "$tmp/outside/keep"):$(ls -A "$tmp/outside" | tr '\n' ,)" keep:keep,secret, \
		"$at: $refuse_what: nothing outside was touched"
	rm -f "$tmp/outside/new"
}

# Files that the runner itself opens.
files() {
	build
	sandbox --stdin plain -- cat
	is "$rc:$out" 0:plain "$at: control: --stdin of a plain file"
	refuse '--stdin of a link' --stdin in.txt
	refuse '--stdin of a link, by its whole path' --stdin "$PWD/in.txt"
	refuse '--stdin through a link' --stdin out/secret/file
	as "$who" touch plain.json
	for file in new.json plain.json "$PWD/dir/new.json"; do
		sandbox --result "$file" -- true
		is "$rc:$(grep -c '"exit_code":0' "$file")" 0:1 "$at: control: --result ${file##*/}"
	done
	refuse '--result through a link to a file' --result res.json
	refuse '--result, by its whole path' --result "$PWD/res.json"
	refuse '--result through a dangling link' --result dangling.json
	refuse '--result through a link to a folder' --result out/new
	refuse '--stdin of a folder' --stdin dir
	like "$err" 'folder|directory' "$at: --stdin of a folder: it says that it is one"
	find . -mindepth 1 -delete
}
each_run files
done_testing
