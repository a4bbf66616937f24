#!/bin/sh
# The sandbox_exec backend from end to end, with a stand-in that checks the profile as sandbox-exec
# does and runs the command. What a profile says is asked of a reader of its own (sbpl).
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python
use_stand_in
backend=sandbox_exec
profile=$stand_in/profile

# says OPERATION ARG WANT NAME: what the last profile says.
says() {
	is "$("$tools/sbpl" ask "$1" "$2" <"$profile")" "$3" "$4"
}

# refused WHAT PATTERN: the last run was refused in one line and ran nothing.
refused() {
	is "$rc:$out" 125: "$who: $1: refused"
	like "$err" "$2" "$who: $1: says why"
	one_line "$err" "$who: $1"
	ok "$who: $1: nothing was run" test ! -e canary
	rm -f canary
}

# ---- the program ----

not_here() {
	run as "$who" -u SBX_SANDBOX_EXEC "$sbx" -b "$1" -- touch canary
	refused "$1 without a sandbox-exec" 'a program of macOS: no sandbox-exec in /.*-b namespace'
}
if [ -z "$(PATH=/usr/local/sbin:/usr/sbin:/sbin:$PATH command -v sandbox-exec)" ]; then
	who=${callers%% *}
	[ "$who" != root ] || for name in sandbox_exec sandbox-exec seatbelt; do not_here "$name"; done
fi

found() {
	mkdir -p "$tmp/path"
	cp "$stand_in/sandbox-exec" "$tmp/path/"
	run as "$who" SBX_SANDBOX_EXEC= "PATH=$tmp/path:$PATH" "$sbx" -b seatbelt -- touch canary
	refused 'one in the PATH of the caller only' 'no sandbox-exec at SBX_SANDBOX_EXEC'
	run as "$who" SBX_SANDBOX_EXEC=sandbox-exec "$sbx" -b seatbelt -- touch canary
	refused 'a name that is no path' 'no sandbox-exec at SBX_SANDBOX_EXEC sandbox-exec'
	run as "$who" "$sbx" -b seatbelt -- touch canary
	is "$rc$err" 0 "$who: control: the one that is named"
	ok "$who: control: it ran" test -e canary
	rm -f canary
}
each_caller found

# ---- profiles ----

compatible() {
	sandbox -- true
	is "$rc$err" 0 "$who: the compatible profile is taken"
	is "$(cat "$profile")" '(version 1)(deny network*)(allow default)' \
		"$who: and it is the one of old"
	says network-outbound 192.0.2.1 deny "$who: no network"
	says file-write-data /etc/passwd allow "$who: the rest as it is"
	sandbox --net host -- true
	is "$(cat "$profile")" '(version 1)(allow default)' "$who: --net host denies nothing"
}
each_caller compatible

strict() {
	rm -rf p link
	mkdir -p p/keep p/deep/er/secret "$tmp/data-$who" "$tmp/cache-$who"
	echo secret >p/deep/er/secret/key
	chmod -R a+rwX .
	# shellcheck disable=SC2016
	sandbox --root p --hide p/deep/er/secret --ro "$tmp/data-$who" --ro p/keep \
		--rw "$tmp/cache-$who" -- sh -c 'echo "$PWD $HOME $TMPDIR"; ls -A "$TMPDIR"
			test -w "$TMPDIR" && echo writable'
	is "$rc$err" 0 "$who: the strict profile is taken"
	root=$(realpath p)
	temp=$(printf '%s\n' "$out" | sed -n '1s/.* //p')
	home=$(as "$who" sh -c 'realpath "$HOME"')
	is "$out" "$root $temp $temp
writable" "$who: the root, a private empty folder as HOME and TMPDIR"
	ok "$who: which is gone" test ! -e "$temp"
	says file-read-data /usr/lib/x allow "$who: the system can be read"
	says file-write-data /usr/lib/x deny "$who: and not written"
	says file-write-create /etc/x deny "$who: nothing is made there"
	says file-link /usr/lib/x deny "$who: nor gets it another name"
	says file-write-create "$root/x" allow "$who: the root can be written"
	says file-write-create "$temp/x" allow "$who: so can the temporary folder"
	says file-write-create "$root-x/y" deny "$who: not its neighbour"
	says file-read-data "$home/.ssh/id" deny "$who: the caller's home cannot be read"
	says file-read-data /Users/other/x deny "$who: nor other homes"
	says file-read-data /private/tmp/x deny "$who: nor other temporary files"
	says file-write-data "$tmp/cache-$who/x" allow "$who: --rw"
	says file-read-data "$tmp/data-$who/x" allow "$who: --ro can be read"
	says file-write-data "$tmp/data-$who/x" deny "$who: and not written"
	says file-link "$tmp/data-$who/x" deny "$who: nor linked to where writing is allowed"
	says file-write-data "$root/keep/x" deny "$who: --ro inside the root"
	says file-read-data "$root/deep/er/secret/key" deny "$who: --hide: no content"
	says file-read-metadata "$root/deep/er/secret" deny "$who: --hide: no names"
	says file-clone "$root/deep/er/secret/key" deny "$who: --hide: no copy"
	for pinned in "$root" "$root/keep" "$root/deep" "$root/deep/er" "$root/deep/er/secret"; do
		says file-write-unlink "$pinned" deny "$who: ${pinned#"$root"} cannot be moved away"
	done
	says file-write-unlink "$root/other" allow "$who: control: what lies beside can"
	says file-write-setugid "$root/x" deny "$who: no set-id bits"
	says network-outbound 192.0.2.1 deny "$who: no network"
	says network-outbound /var/run/docker.sock deny "$who: no socket of other programs"
	says network-outbound "$root/own.sock" allow "$who: control: one of its own"
	for service in com.apple.pasteboard.1 com.apple.xpc.launchd.domain.user \
		com.apple.coreservices.appleevents com.apple.SecurityServer; do
		says mach-lookup "$service" deny "$who: no $service"
	done
	says mach-lookup com.apple.system.opendirectoryd.libinfo allow "$who: control: user names"
	for operation in appleevent-send lsopen job-creation; do
		says "$operation" x deny "$who: no $operation"
	done
	says signal other deny "$who: no signals to others"
	says signal same-sandbox allow "$who: control: to its own"
	sandbox --root p --net host -- true
	says network-outbound 192.0.2.1 allow "$who: --net host: the network"
	says network-outbound /var/run/docker.sock deny "$who: --net host: still no sockets of others"
	rm -rf p
}
each_caller strict

# ---- hostile names ----

# A path is data: for each of many names the profile has the rules of an innocent one, with that
# name in them, or there is no profile. Control: the same name put in without care adds a rule.
hostile() {
	run "$py" -I -S "$lib/hostile_paths.py" "$sbx" "$tools/sbpl" "$PWD"
	is "$rc" 0 'no name of a file adds a rule' || diag "$out$err"
	like "$out" '^control: injected' 'control: without care it would'
	like "$out" '^taken: [1-9][0-9]+ refused: [1-9][0-9]+$' 'names of both kinds were tried'
}
who=${callers%% *}
cd "$tmp/p-$who" || bail 'no project folder'
hostile

# ---- what it cannot do ----

cannot() {
	sandbox --net loopback -- touch canary
	refused '--net loopback' 'loopback of its own'
	sandbox --tmpfs /scratch -- touch canary
	refused '--tmpfs' 'mount anything: --tmpfs /scratch'
	sandbox --bind /usr:/mnt -- touch canary
	refused '--bind' 'another path: --bind /mnt'
	echo '{"defaultAction":"SCMP_ACT_ALLOW"}' >list.json
	sandbox --seccomp list.json -- touch canary
	refused '--seccomp' 'filter system calls'
	rm -f list.json
	sandbox --strict -- touch canary
	refused '--strict' 'required layer .* is missing'
	sandbox --require view --root . -- touch canary
	refused '--require view' 'required layer view is missing: .*can be read'
	sandbox --root / -- touch canary
	refused 'the whole system as the root' 'folder of the system.*--root DIR'
	run as "$who" sh -c 'exec "$0" -b seatbelt --root "$HOME" -- touch canary' "$sbx"
	refused 'home as the root' 'home folder'
	ln -s /etc link
	sandbox --root . --ro link -- touch canary
	refused 'a link of the project' 'link: leads through a symbolic link'
	rm -f link
	[ "$who" = root ] || {
		sandbox --user 1:1 -- touch canary
		refused 'another user' 'become another user'
	}
}
each_caller cannot

layers() {
	sandbox --json -- true
	ok "$who: layers" result 'backend == "sandbox_exec"' \
		'"env" in layers["applied"] and "rlimits" in layers["applied"]' \
		'not {"view", "net_ns", "seccomp", "no_new_privs"} & set(layers["applied"])' \
		'all(m["why"] for m in layers["missing"])' \
		'[m["why"] for m in layers["missing"] if m["layer"] == "view"][0].count("--root")' \
		'[m["why"] for m in layers["missing"] if m["layer"] == "net_ns"][0].count("profile")'
	sandbox --explain -- true
	like "$out" '^profile:$' "$who: --explain has the profile"
	like "$out" '^  \(version 1\)\(deny network\*\)\(allow default\)$' "$who: as it is"
	like "$out" "^tool: .*/sandbox-exec -p .* --sbx-exec true\$" "$who: and the tool"
	sandbox --explain --json -- true
	ok "$who: --explain --json too" "$py" -I -S -c 'import json, sys
assert json.load(open(sys.argv[1]))["profile"].startswith("(version 1)")' "$tmp/.out"
}
each_caller layers

# ---- a tool that does not do what it was asked for ----

tool() {
	mkdir -p "$tmp/$1"
	cat >"$tmp/$1/sandbox-exec"
	chmod 0755 "$tmp/$1/sandbox-exec"
	tool=$tmp/$1/sandbox-exec
}

with_tool() {
	run as "$who" "SBX_SANDBOX_EXEC=$tool" "$sbx" -b sandbox_exec "$@"
}

disobeyed() {
	tool nested <<'EOF'
#!/bin/sh
echo 'sandbox-exec: sandbox_apply: Operation not permitted' >&2
exit 71
EOF
	with_tool -- touch canary
	refused 'a sandbox around us' 'sandbox_apply: .*do not nest'
	tool silent <<'EOF'
#!/bin/sh
exit 0
EOF
	with_tool -- touch canary
	refused 'a tool that does nothing' 'ended with status 0 before the command'
	tool killed <<'EOF'
#!/bin/sh
kill -KILL $$
EOF
	with_tool -- touch canary
	refused 'a tool that is killed' 'ended with status 137 before the command'
	tool holds <<'EOF'
#!/bin/sh
sleep 20 &
exit 0
EOF
	with_tool -- touch canary
	refused 'a tool that leaves a process behind' 'ended with status 0 before the command'
	tool hangs <<'EOF'
#!/bin/sh
exec sleep 3131
EOF
	with_tool -t 500ms -- touch canary
	is "$rc:$out" 124: "$who: a tool that hangs: the time is up"
	ok "$who: a tool that hangs: nothing was run" test ! -e canary
	ok "$who: a tool that hangs: it is gone" is_gone '^sleep 3131'
	# whoever has the option, but not the pipe, gets nothing run
	run as "$who" "$sbx" --sbx-exec touch canary
	refused 'the exec step without sbx' 'is for sbx itself'
}
each_caller disobeyed

# The pipe of the exec step is not the command's, and neither is anything else.
descriptors() {
	# shellcheck disable=SC2016
	sandbox -- sh -c 'for n in 0 1 2 3 4 5 6 7 8 9 64; do
		[ ! -e /proc/$$/fd/$n ] || printf "%s " $n; done'
	is "$rc:$out" '0:0 1 2 ' "$who: the command has 0, 1 and 2"
}
each_caller descriptors
done_testing
