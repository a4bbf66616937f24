#!/bin/sh
# What a command of an earlier run could have put into the project must not choose what the next run
# shows: symbolic links below the root are refused as sources, and as a part of a source.
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
}

sources() {
	build
	sandbox -b native -- cat data/file in.txt
	is "$rc:$(printf '%s' "$out" | tr '\n' ,)" 0:secret,secret \
		"$at: control: whoever follows these links gets there"
	refuse '--rw of a link' --rw data
	refuse '--ro of a link' --ro data
	refuse '--ro of a link, by its whole path' --ro "$PWD/data"
	refuse '--ro of a link to a file' --ro in.txt
	refuse '--rw through a link' --rw data/sub
	refuse '--ro through a link' --ro out/secret/file
	refuse '--ro through a relative link' --ro dir/up/sub
	refuse '--ro with dots' --ro dir/deep/../../data
	refuse '--bind of a link' --bind data:/data
	refuse '--bind of a link, read-only' --bind "$PWD/data:/data:ro"
	refuse '--bind through a link' --bind dir/up/sub:/data
	# From elsewhere, by name.
	cd "$tmp/outside" || bail 'no folder'
	rm -f "$tmp/p-$who/ran"
	sandbox --root "$tmp/p-$who" --ro "$tmp/p-$who/data" -- sh -c ': >ran'
	is "$rc" 125 "$at: --ro of a link below --root"
	ok "$at: --ro of a link below --root: nothing was run" test ! -e "$tmp/p-$who/ran"
	cd "$tmp/p-$who" || bail 'no project folder'
	if [ "$backend" != landlock ]; then
		sandbox --bind dir:/data --ro dir/deep -- cat /data/deep/plain dir/deep/plain
		is "$rc:$(printf '%s' "$out" | tr '\n' ,)" 0:plain,plain \
			"$at: control: plain folders can be shown"
	fi
}
ONLY='namespace bubblewrap landlock' each_run sources
done_testing
