#!/bin/sh
# What a command sees of files, and every option that changes it.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

host=$tmp/host
new_host() {
	rm -rf "$host"
	mkdir -p "$host/a/b/c" "$host/other" "$host/secret"
	echo one >"$host/a/file"
	echo two >"$host/a/b/file"
	echo three >"$host/a/b/c/file"
	echo other >"$host/other/file"
	echo secret >"$host/secret/file"
	ln -s a "$host/link"
	ln -s a/file "$host/file-link"
	ln -s nowhere "$host/dangling"
	chmod -R a+rwX "$host"
}

usual() {
	new_host
	sandbox -- sh -c "echo data >f && cat f && ls $host"
	isnt "$rc" 0 "$at: a folder that was not given is not there"
	like "$out" '^data' "$at: the root can be written"
	is "$(cat f)" data "$at: and the host sees it"
	is "$(stat -c %u:%g f)" "$(owner "$who")" \
		"$at: files belong to the caller"
	rm -f f
	for folder in /usr /etc /bin; do
		sandbox -- sh -c "echo x >$folder/sbx-canary"
		isnt "$rc" 0 "$at: $folder is read-only"
		ok "$at: $folder: nothing was made" test ! -e "$folder/sbx-canary"
	done
	sandbox -- sh -c 'ls /home /root /run /var/lib /var/log /mnt /srv /boot /sys 2>/dev/null'
	[ "$backend" = landlock ] || is "$out" '' "$at: other places of the host are absent"
	sandbox -- sh -c ': >"${TMPDIR:-/tmp}/canary" && ls "${TMPDIR:-/tmp}"'
	is "$out" canary "$at: the temporary folder is private and empty"
	ok "$at: the host's has nothing of it" test ! -e /tmp/canary
	sandbox -- sh -c 'echo x >/dev/null && head -c 4 /dev/zero | wc -c &&
		head -c 1 /dev/urandom | wc -c && ! echo x >/dev/full &&
		ls /dev/fd/0 >/dev/null && echo y >/dev/stdout'
	is "$rc:$(printf '%s' "$out" | tr -d ' ' | tr '\n' ,)" '0:4,1,y' \
		"$at: /dev has what it needs"
}
ONLY='landlock namespace bubblewrap' each_run usual

given() {
	new_host
	sandbox --ro "$host/a" -- sh -c "cat $host/a/file $host/a/b/file; echo x >$host/a/file"
	isnt "$rc" 0 "$at: --ro cannot be written"
	is "$(printf '%s' "$out" | tr '\n' ,)" one,two "$at: --ro can be read, with all below"
	is "$(cat "$host/a/file")" one "$at: --ro: the file is what it was"
	sandbox --rw "$host/a" -- sh -c "echo new >$host/a/file && mkdir $host/a/made"
	is "$rc:$(cat "$host/a/file")" 0:new "$at: --rw can be written"
	ok "$at: --rw: made outside" test -d "$host/a/made"
	sandbox --ro "$host/other/file" -- cat "$host/other/file"
	is "$rc:$out" 0:other "$at: --ro of a file"
	sandbox --ro "$host/a" --rw "$host/a/b" -- \
		sh -c "echo x >$host/a/b/file; echo y >$host/a/file; true"
	is "$(cat "$host/a/b/file"):$(cat "$host/a/file")" x:new "$at: --rw inside --ro"
	sandbox --rw "$host/a/b" --ro "$host/a" -- \
		sh -c "echo z >$host/a/b/file; echo y >$host/a/file; true"
	is "$(cat "$host/a/b/file"):$(cat "$host/a/file")" z:new "$at: the order does not matter"
	sandbox --ro "$host/link" -- sh -c "cat $host/link/b/c/file"
	is "$rc:$out" 0:three "$at: --ro of a link to a folder"
	sandbox --ro "$host/file-link" -- sh -c "cat $host/file-link"
	is "$rc:$out" 0:new "$at: --ro of a link to a file"
	sandbox --ro ../host/a -- cat "$host/a/b/c/file"
	is "$rc:$out" 0:three "$at: a relative --ro starts at the caller's folder"
}
ONLY='landlock namespace bubblewrap' each_run given

# What only mounts can do.
mounted() {
	new_host
	sandbox --bind "$host/a:/data" -- sh -c 'cat /data/b/c/file && echo x >/data/file'
	is "$rc:$out:$(cat "$host/a/file")" 0:three:x "$at: --bind is writable"
	sandbox --bind "$host/a:/data:ro" -- sh -c 'cat /data/b/c/file; echo y >/data/file'
	is "$out:$(cat "$host/a/file")" three:x "$at: --bind :ro is not"
	isnt "$rc" 0 "$at: --bind :ro: the write failed"
	sandbox --bind "$host/other/file:/deep/er/file:ro" -- cat /deep/er/file
	is "$rc:$out" 0:other "$at: --bind of a file, folders are made for it"
	sandbox --bind "$host/a:/data" --bind "$host/other:/data/b" -- \
		sh -c 'ls /data; cat /data/b/file'
	is "$(printf '%s' "$out" | tr '\n' ,)" b,file,other "$at: --bind over a part of another"
	sandbox --tmpfs /scratch:1m -- sh -c 'ls -A /scratch
		head -c 600000 /dev/zero >/scratch/f &&
		! head -c 2000000 /dev/zero >/scratch/g'
	is "$rc:$out" 0: "$at: --tmpfs is empty and as large as asked"
	mkdir -p sub/deep
	echo kept >sub/f
	sandbox --tmpfs "$PWD/sub" -- sh -c 'ls -A sub; echo x >sub/g; cat sub/g'
	is "$rc:$out:$(ls sub | tr '\n' ,)" 0:x:deep,f, "$at: --tmpfs over a folder of the root"
	sandbox --ro "$PWD/sub" -- sh -c 'cat sub/f; echo x >sub/f; echo y >h'
	is "$out:$(cat sub/f):$(cat h)" kept:kept:y "$at: --ro inside the writable root"
	sandbox --ro "$PWD/sub/deep" -- \
		sh -c 'mv sub moved; mkdir -p sub/deep && echo x >sub/deep/g'
	is "$(ls -d moved sub/deep/g 2>/dev/null)" '' "$at: --ro: nor is it moved away"
	[ ! -e moved ] || { rm -rf sub; mv moved sub; }
	sandbox --ro "$PWD/sub/deep" --hide "$PWD/sub/f" -- \
		sh -c 'mv sub moved; mkdir -p sub/deep && echo x >sub/deep/g'
	is "$(ls -d moved sub/deep/g 2>/dev/null)" '' \
		"$at: a folder above such a place cannot be moved away"
	sandbox --hide "$PWD/sub" -- sh -c 'ls sub; cat sub/f; echo x >sub/f; echo ok'
	is "$out:$(cat sub/f)" ok:kept "$at: --hide of a folder"
	sandbox --hide "$PWD/sub/f" -- sh -c 'cat sub/f; echo x >sub/f; rm -f sub/f; ls -d sub/deep'
	is "$out:$(cat sub/f)" sub/deep:kept "$at: --hide of a file"
	sandbox --rw "$host/secret" --hide "$host/secret" -- cat "$host/secret/file"
	isnt "$rc" 0 "$at: --hide wins over --rw"
	is "$out" '' "$at: --hide wins: nothing was read"
	ln -sfn sub sublink
	sandbox --hide "$PWD/sublink" -- sh -c 'cat sub/f sublink/f'
	is "$out" '' "$at: --hide of a link hides what it leads to"
	sandbox --hide /usr/share -- ls -A /usr/share
	is "$out" '' "$at: --hide of a system folder"
	sandbox --hide "$host/not-there" -- true
	is "$rc" 0 "$at: --hide of what is not there"
	sandbox --hide "$PWD/not-there" -- true
	is "$rc" 125 "$at: --hide of what the command could make"
	ok "$at: --hide: nothing was made for it" test ! -e not-there
	is "$(ls -A)" "$(printf 'h\nhog\nsub\nsublink\n' | grep -v hog)" \
		"$at: no mount point is left in the root"
	rm -rf sub h sublink
	sandbox --ro "$host/a" --tmpfs "$host/a/b" -- sh -c "ls -A $host/a/b; cat $host/a/file"
	is "$rc:$out" 0:x "$at: --tmpfs inside --ro"
}
ONLY='namespace bubblewrap' each_run mounted

# refuse STATUS PATTERN WHAT ARG...: nothing runs, and the host is what it was.
refuse() {
	rm -f canary
	refuse_status=$1 refuse_pattern=$2 refuse_what=$3
	shift 3
	sandbox "$@" -- touch canary
	is "$rc:$out" "$refuse_status:" "$at: $refuse_what"
	like "$err" "^sbx-run: .*$refuse_pattern" "$at: $refuse_what: what is said"
	one_line "$err" "$at: $refuse_what"
	ok "$at: $refuse_what: nothing was run" test ! -e canary
}

refused() {
	new_host
	mkdir -p sub
	: >plain
	refuse 125 "$host/none" 'a source that is missing' --ro "$host/none"
	refuse 125 "$host/none" 'a source of --rw that is missing' --rw "$host/none"
	refuse 125 "$host/none" 'a source of --bind that is missing' --bind "$host/none:/data"
	refuse 125 "$host/nowhere" 'a dangling link as the source' --ro "$host/dangling"
	refuse 125 'file' 'a file over a folder' --bind "$host/other/file:$PWD/sub"
	refuse 125 'folder' 'a folder over a file' --bind "$host/a:$PWD/plain"
	refuse 125 'not-there' 'a mount point that would have to be made in the root' \
		--bind "$host/a:$PWD/not-there"
	ok "$at: and it was not made" test ! -e not-there
	refuse 125 'proc' 'a mount over /proc' --bind "$host/a:/proc"
	refuse 125 'proc' 'a mount in /proc' --tmpfs /proc/x
	refuse 125 '/' 'a mount over /' --bind "$host/a:/"
	refuse 125 '/' 'hiding /' --hide /
	ln -sfn sub link
	refuse 125 'link' 'a mount over a symbolic link' --bind "$host/a:$PWD/link"
	rm -rf sub plain link
}
ONLY='namespace bubblewrap' callers=${callers%% *} each_run refused

landlock_refuses() {
	new_host
	mkdir -p sub
	refuse 125 'use -b namespace' '--bind to another path' --bind "$host/a:/data"
	refuse 125 'use -b namespace' '--tmpfs' --tmpfs /scratch
	refuse 125 'use -b namespace' '--hide in the root' --hide "$PWD/sub"
	refuse 125 'use -b namespace' '--ro in the root' --ro "$PWD/sub"
	refuse 125 'use -b namespace' '--hide of a system folder' --hide /usr/share
	refuse 125 'use -b namespace' '--net loopback' --net loopback
	refuse 125 'none' 'a source that is missing' --ro "$host/none"
	sandbox --hide "$host/secret" -- cat "$host/secret/file"
	isnt "$rc" 125 "$at: --hide of what is not visible anyway"
	sandbox --bind "$host/a:$host/a:ro" -- cat "$host/a/file"
	is "$rc:$out" 0:one "$at: --bind to the same path is --ro"
	rm -rf sub
}
ONLY=landlock callers=${callers%% *} each_run landlock_refuses

native_refuses() {
	for option in --ro=/usr --rw=/var --bind=/usr:/data --tmpfs=/scratch --hide=/srv \
		--net=none --net=loopback --seccomp=none; do
		refuse 125 'native.*use -b namespace' "$option" "$option"
		case $option in
		--net=*) lacks=net_ns ;;
		--seccomp=*) lacks='' ;;
		*)
			refuse 125 'native.*use -b namespace' "$option --best-effort" --best-effort "$option"
			continue
			;;
		esac
		sandbox --best-effort "$option" -- sh -c 'exit 3'
		is "$rc" 3 "$at: $option with --best-effort"
		is "${err%% (*}" "${lacks:+sbx-run: warning: backend native, without $lacks}" \
			"$at: $option with --best-effort: only that is told"
		sandbox -q --best-effort "$option" -- true
		is "$rc:$err" 0: "$at: $option with --best-effort and -q"
	done
	sandbox --net host -- true
	is "$rc" 0 "$at: --net host is what native gives"
}
ONLY=native callers=${callers%% *} each_run native_refuses

# --- who one is, and the network -----------------------------------------------------------------

identity() {
	sandbox -- sh -c 'id -u; id -g'
	is "$(printf '%s' "$out" | tr '\n' :)" "$(as "$who" id -u):$(as "$who" id -g)" \
		"$at: the caller's own number"
	case $who:$backend:${CLI_DENY:-} in
	*:namespace:*userns*) refuse 125 'user namespace' '--user' --user 4321 ;;
	root:native:* | *:namespace:*)
		sandbox --user 4321:8765 -- sh -c 'id -u; id -g; id -G; : >f'
		is "$(printf '%s' "$out" | tr '\n' :)" 4321:8765:8765 "$at: --user UID:GID"
		if [ "$backend" = namespace ]; then
			is "$(stat -c %u:%g f)" "$(owner "$who")" "$at: --user is only shown"
		else
			ok "$at: --user cannot write what is root's" test ! -e f
		fi
		rm -f f
		sandbox --user 4321 -- id -g
		is "$out" 4321 "$at: --user UID: the group is the same"
		;;
	user:native:* | *:landlock:*) refuse 125 '--user' '--user' --user 4321 ;;
	esac
}
each_run identity

# A listener of the machine's own 127.0.0.1, and what each kind of network says to it.
if command -v python3 >/dev/null 2>&1; then
	"$py" -c 'import socket, time
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
while True:
    s.accept()[0].close()' >"$tmp/port" &
	reap $!
	within 20 test -s "$tmp/port"
fi

network() {
	port=$(cat "$tmp/port")
	connect="import socket; socket.create_connection(('127.0.0.1', $port), 5); print('in')"
	own="import socket; s = socket.create_server(('127.0.0.1', 0)); \
c = socket.create_connection(s.getsockname(), 5); print('own')"
	sandbox --net host -- "$py" -I -S -c "$connect"
	is "$rc:$out" 0:in "$at: --net host reaches the machine"
	[ "$backend" != native ] || return 0
	sandbox -- "$py" -I -S -c "$connect"
	is "$out" '' "$at: none is the default"
	isnt "$rc" 0 "$at: and fails"
	sandbox --net none -- "$py" -I -S -c "$connect"
	isnt "$rc:$out" 0:in "$at: --net none does not reach it"
	[ "$backend" != landlock ] || return 0
	sandbox --net loopback -- "$py" -I -S -c "$connect"
	isnt "$rc:$out" 0:in "$at: --net loopback does not reach it either"
	sandbox --net loopback -- "$py" -I -S -c "$own"
	is "$rc:$out" 0:own "$at: --net loopback has a 127.0.0.1 of its own"
}
if [ -s "$tmp/port" ]; then
	each_run network
else
	skip 'python3 is missing (apt-get install python3)'
fi
done_testing
