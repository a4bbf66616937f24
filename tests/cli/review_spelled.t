#!/bin/sh
# One place has many names: a project or a folder that is named through a symbolic link is what the link leads to,
# and what is hidden, read-only or refused by one name is so by all. A link that an earlier command left in the
# project is refused, however the project is named.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

# lay_out: a project with a planted link, a store beside it, and links to both
lay_out() {
	cd "$tmp/p-$who" && rm -rf x || bail "no folder of $who"
	as "$who" mkdir -p x/proj/hooks x/store/sub x/d
	as "$who" sh -c 'cd x && echo key >store/key && echo sub >store/sub/f && echo orig >proj/hooks/pre &&
		echo SPELLED=yes >store/.env && ln -s proj plink && ln -s store slink && ln -s ../store proj/data &&
		ln -s /etc/hostname d/key'
	x=$tmp/p-$who/x
	cd "$x/proj" || bail 'no project'
}

# opens NAME ARG...: the command runs and prints "key".
opens() {
	name=$1
	shift
	sandbox -q "$@"
	is "$rc:$out" 0:key "$at: control: $name"
}

# keeps NAME ARG...: it does not print it: refused, or not found or not readable inside.
keeps() {
	name=$1
	shift
	sandbox -q "$@"
	isnt "$rc" 0 "$at: $name"
	unlike "$out" key "$at: $name: nothing of it is seen"
}

hidden() {
	lay_out
	case $backend in
	landlock) ;; # cannot hide what is shown, and says so
	*)
		opens 'a folder by the name of a link' --ro "$x/slink" -- cat "$x/slink/key"
		opens 'the same under another name' --bind "$x/slink:/data" -- cat /data/key
		opens 'a folder over another' --bind "$x/store:$x/d:ro" -- cat "$x/d/key"
		;;
	esac
	keeps '--hide by the name of the link' --ro "$x/slink" --hide "$x/slink/key" -- cat "$x/slink/key"
	keeps '--hide by the real name' --ro "$x/slink" --hide "$x/store/key" -- cat "$x/slink/key"
	keeps '--hide by the real name of what has another inside' --bind "$x/slink:/data" --hide "$x/store/key" -- \
		cat /data/key
	keeps '--hide of what the host has a link at' --bind "$x/store:$x/d:ro" --hide "$x/d/key" -- cat "$x/d/key"
	echo '{"hide": ["'"$x/slink/key"'"]}' >"$tmp/hide.json"
	keeps 'hide of a policy file' --policy "$tmp/hide.json" --ro "$x/slink" -- cat "$x/slink/key"
	keeps '--hide of a folder above what is shown' --hide "$x/store" --ro "$x/store/sub" -- cat "$x/store/sub/f"
	sandbox -q --hide "$x" -- true
	is "$rc" 125 "$at: --hide of a folder above the project is refused"
	like "$err" 'the project root lies in it' "$at: which says why"
}

planted() {
	lay_out
	[ "$backend" = bubblewrap ] ||
		opens 'what the link leads to' --root "$x/proj" --ro "$x/store" -- cat "$x/store/key"
	keeps 'a planted link, --root by a link' --root "$x/plink" --ro "$x/plink/data" -- cat "$x/plink/data/key"
	like "$err" 'leads through a symbolic link' "$at: which says why"
	cd "$x/plink" || bail 'no link'
	keeps '--rw of it' --rw "$x/plink/data" -- sh -c "echo evil >>'$x/plink/data/key'"
	keeps '--stdin of it' --stdin "$x/plink/data/key" -- cat
	sandbox -q --result "$x/plink/data/out.json" -- true
	isnt "$rc" 0 "$at: --result into it"
	ok "$at: nothing was made there" test ! -e "$x/store/out.json"
	cd "$x/proj" || bail 'no project'
	for env_file in ../proj/data/.env hooks/../data/.env "$x/plink/data/.env"; do
		sandbox -q --env-file "$env_file" -- printenv SPELLED
		is "$rc:$out" 125: "$at: --env-file $env_file"
	done
	cd / || bail 'no root'
	for spelled in proj plink; do
		sandbox -q --root "$x/$spelled" --env-file "$x/$spelled/data/.env" -- printenv SPELLED
		is "$rc:$out" 125: "$at: --env-file of $spelled from elsewhere"
	done
	cd "$x/proj" || bail 'no project'
	is "$(cat "$x/store/key")" key "$at: the store is as it was"
	sandbox -q --env-file "$x/slink/.env" -- printenv SPELLED
	is "$rc:$out" 0:yes "$at: control: a link that is nobody's project is followed"
}

read_only() {
	lay_out
	sandbox -q --root "$x/plink" -- sh -c 'echo new >hooks/pre'
	is "$rc:$(cat hooks/pre)" 0:new "$at: control: the project is writable"
	for spelled in "$x/plink/hooks" "$x/proj/hooks" hooks; do
		sandbox -q --root "$x/plink" --ro "$spelled" -- sh -c 'echo evil >hooks/pre'
		isnt "$rc" 0 "$at: --ro $spelled, --root by a link"
		sandbox -q --rw "$x/slink" --ro "$x/store/sub" -- sh -c "echo evil >'$x/slink/sub/f'"
		isnt "$rc" 0 "$at: --ro below an --rw by a link"
	done
	is "$(cat hooks/pre):$(cat "$x/store/sub/f")" new:sub "$at: nothing was written"
}

ONLY='landlock namespace bubblewrap' each_run hidden
ONLY='landlock namespace bubblewrap' each_run planted
ONLY='landlock namespace bubblewrap' each_run read_only
done_testing
