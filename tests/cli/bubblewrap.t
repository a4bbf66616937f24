#!/bin/sh
# What only the bubblewrap backend has: a bwrap between us and the command. That it is found, named
# when it is missing, understood when it fails, never believed: a bwrap that does less than it was
# asked for must not run anything. What all backends share is tested with all of them (run_*.t).
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need bwrap bubblewrap
need_python
backend=bubblewrap
real=$(command -v bwrap)

# fake NAME: stdin as a program called bwrap in a folder of its own, $fake.
fake() {
	fake=$tmp/$1
	mkdir -p "$fake"
	{ printf '#!/bin/sh\nreal=%s\n' "$real"; cat; } >"$fake/bwrap"
	chmod 0755 "$fake/bwrap"
}

# with_fake ARG...: sbx-run with that bwrap.
with_fake() {
	run as "$who" "SBX_BWRAP=$fake/bwrap" "$sbx" -b bubblewrap "$@"
}

# refused NAME ERE: nothing ran, 125, one line that says so.
refused() {
	is "$rc" 125 "$who: $1: 125"
	like "$err" "^sbx-run: .*$2" "$who: $1: what is said"
	one_line "$err" "$who: $1"
	ok "$who: $1: nothing was run" test ! -e canary
	rm -f canary
}

# ---- the real one ----

whole() {
	sandbox --json -- true
	ok "$who: every layer" result 'backend == "bubblewrap"' 'layers["missing"] == []' \
		'{"user_ns", "pid_ns", "net_ns"} <= set(layers["applied"])' \
		'{"view", "proc", "seccomp", "landlock"} <= set(layers["applied"])'
	sandbox --strict -- true
	is "$rc" 0 "$who: --strict is content"
	sandbox --net host --json -- true
	ok "$who: --net host: no such layer" result 'exit_code == 0' \
		'"net_ns" not in layers["applied"]'

	# The first process inside is ours and shows nothing of itself; the command has three
	# descriptors.
	# shellcheck disable=SC2016 # the inner shell's
	sandbox -- sh -c 'cat /proc/1/comm; cat /proc/1/environ /proc/1/maps; echo x >/proc/1/fd/3
		ls /proc/self/fd | tr "\n" " "'
	like "$out" '^sbx-init$' "$who: the first process is ours"
	is "$(printf '%s\n' "$err" | grep -c 'ermission denied')" 3 "$who: its state cannot be read"
	like "$out" '^0 1 2 3 $' "$who: 0, 1, 2, and the folder that is being listed"
	sandbox --user 0:0 -- sh -c 'id -u; echo x >/.sbx/sbx-init; /.sbx/sbx-init'
	like "$out" '^0$' "$who: another user inside"
	like "$err" 'started by sbx itself' "$who: our program does nothing for the command"
	like "$err" 'sbx-init: (Read-only|Permission|Text)' "$who: and cannot be changed by it"
}
each_caller whole

# Nothing of the command is in bwrap's arguments, which every user of the machine can see.
private() {
	nap=31$$.25
	begin --env "SBXVAR=sbxcanary$$" -- sh -c "sleep $nap; : sbxsecret$$"
	ok "$who: control: the command is there" within 20 sh -c "pgrep -f '^sleep $nap' >/dev/null"
	outer=$(pgrep -P "$(pgrep -P "$pid")")
	ok "$who: control: bwrap is there" grep -q -- '--as-pid-1' "/proc/$outer/cmdline"
	unlike "$(tr '\0' ' ' <"/proc/$outer/cmdline")" "sbxsecret$$" \
		"$who: arguments are not in bwrap's"
	is "$(wc -c <"/proc/$outer/environ")" 0 "$who: its environment is empty"
	if tap_is_root; then
		inner=$(pgrep -P "$outer")
		kept=$(find "/proc/$inner/fd" -name '[3-9]*' -printf '%f %l\n' | sed 's/:.*//')
		is "$kept" '3 socket' "$who: the first process keeps nothing of the command's"
	fi
	kill -TERM "$pid"
	end
	is "$rc" 143 "$who: and SIGTERM reaches the command"
}
each_caller private

# Frames carry what argv of bwrap could not.
large() {
	# shellcheck disable=SC2016,SC2046 # the inner shell's; words
	sandbox -- sh -c 'echo $#' x $(seq 10000)
	is "$rc:$out" 0:10000 "$who: 10,000 arguments"
	bytes=$(printf 'a\377\376\001\n"b')
	# shellcheck disable=SC2016
	sandbox -- sh -c 'printf %s "$1"' x "$bytes"
	is "$out" "$bytes" "$who: arguments of any bytes"
	i=0
	while [ $i -lt 40 ]; do
		printf 'BIG%d=' $i
		head -c 50000 /dev/zero | tr '\000' x
		echo
		i=$((i + 1))
	done >big.env
	sandbox --env-file big.env -- sh -c 'env | grep ^BIG | wc -c'
	is "$rc:$out" 0:2000270 "$who: an environment of 2 MB"
	i=0
	while [ $i -lt 30 ]; do
		printf 'HUGE%d=' $i
		head -c 120000 /dev/zero | tr '\000' x
		echo
		i=$((i + 1))
	done >big.env
	run as "$who" sh -c 'ulimit -s 1024; exec "$@"' sh \
		"$sbx" -b bubblewrap --env-file big.env -- true
	refused 'an environment that the kernel refuses' 'arguments and environment of this size'
	rm -f big.env
}
each_caller large

# The file that we run from may be gone, or lie where nobody inside can see it.
gone() {
	mkdir -p "$tmp/gone"
	cp "$SBX_BUILD/sbx" "$tmp/gone/sbx-run"
	run as "$who" "$tmp/gone/sbx-run" -b bubblewrap -- echo hi
	is "$rc:$out" 0:hi "$who: our program lies in no folder of the view"
	as "$who" cp "$tmp/gone/sbx-run" .
	# shellcheck disable=SC2016 # the inner shell's
	run as "$who" bash -c 'exec 9<sbx-run; rm sbx-run
		exec -a sbx-run /proc/self/fd/9 -b bubblewrap -- echo hi'
	is "$rc:$out" 0:hi "$who: our program was deleted"
}
each_caller gone

# ---- bwrap is missing, or fails ----

missing() {
	fake=/nonexistent
	with_fake -- touch canary
	refused 'no bwrap' 'bubblewrap is not installed.*apt-get install bubblewrap'
	with_fake --json -- touch canary
	ok "$who: no bwrap: as a result" result 'reason == "launch_error"' \
		'"bubblewrap" in error_message' 'stderr == ""'
	rm -f canary

	fake says <<'EOF'
echo "bwrap: setting up uid map: Permission denied" >&2
echo "second line" >&2
exit 1
EOF
	with_fake -- touch canary
	refused 'a bwrap that fails' 'bwrap: setting up uid map: Permission denied .*AppArmor'
	fake old <<'EOF'
echo "bwrap: Unknown option --size" >&2
exit 1
EOF
	with_fake -- touch canary
	refused 'a bwrap that is too old' 'Unknown option --size .*0\.8\.0'
	fake silent <<'EOF'
exit 0
EOF
	with_fake -- touch canary
	refused 'a bwrap that does nothing and is content' 'without starting anything'
	fake prints <<'EOF'
echo hello; touch /dev/null; exit 0
EOF
	with_fake -- touch canary
	refused 'a bwrap that prints on stdout' 'without starting anything'
	is "$out" '' "$who: its stdout is not the command's"
	fake killed <<'EOF'
kill -KILL $$
EOF
	with_fake -- touch canary
	refused 'a bwrap that is killed' 'without starting anything'
	fake background <<'EOF'
sleep 1717.5 & exit 0
EOF
	start=$(now_ms)
	with_fake -- touch canary
	refused 'a bwrap that leaves something running' 'without starting anything'
	ok "$who: it is not waited for" test $(($(now_ms) - start)) -lt 10000
	ok "$who: nor left" is_gone 'sleep 1717.5'
	fake hangs <<'EOF'
sleep 1718.5
EOF
	with_fake -t 500ms --json -- touch canary
	is "$(field timed_out)" True "$who: a bwrap that hangs: the timeout counts"
	ok "$who: a bwrap that hangs: nothing is left" is_gone 'sleep 1718.5'
	ok "$who: a bwrap that hangs: nothing was run" test ! -e canary
	fake escapes <<'EOF'
printf 'bwrap: \033[31mred\033[0m \377\n' >&2; exit 1
EOF
	with_fake -- touch canary
	refused 'a bwrap with control bytes in its message' 'bwrap: \\x1B\[31mred'
	mkdir -p "$tmp/folder/bwrap"
	fake=$tmp/folder
	with_fake -- touch canary
	refused 'a folder called bwrap' 'bubblewrap is not installed'
}
each_caller missing

# ---- a bwrap that does not do what it was asked for ----

# Every word of bwrap's arguments on a line in "words"; then the real one with what is left of them.
edit() {
	fake "$1" <<EOF
for word; do printf '%s\n' "\$word"; done | { $2; } >"\${0%/*}/words.\$\$"
IFS='
'
set -f
exec "\$real" \$(cat "\${0%/*}/words.\$\$")
EOF
	chmod 0777 "$tmp/$1"
}

disobeyed() {
	edit nothing cat
	with_fake -- touch canary
	is "$rc$err" 0 "$who: control: through a wrapper"
	ok "$who: control: it ran" test -e canary
	rm -f canary
	edit net 'grep -v "^--unshare-net$"'
	with_fake -- touch canary
	refused 'without its network namespace' 'no net namespace'
	edit ipc 'grep -v "^--unshare-ipc$"'
	with_fake -- touch canary
	refused 'without its ipc namespace' 'no ipc namespace'
	edit uts 'sed "/^--unshare-uts$/d; /^--hostname$/,+1d"'
	with_fake -- touch canary
	refused 'without its uts namespace' 'no uts namespace'
	edit pid 'sed "/^--unshare-pid$/d; /^--as-pid-1$/d"'
	with_fake -- touch canary
	refused 'without its pid namespace' 'first process of a sandbox'
	edit filter 'sed "/^--seccomp$/,+1d"'
	with_fake -- touch canary
	refused 'without the filter' 'did not install the system call filter'
	edit writable 'sed "s/^--ro-bind$/--bind/"'
	with_fake -- touch canary
	refused 'read-only folders writable' 'is not read-only; nothing was run'
	edit root 'sed "/^--remount-ro$/,+1d"'
	with_fake -- touch canary
	refused 'the root writable' '/dev is not read-only'
	edit sys 'sed "/^--ro-bind$/{N;/\/proc\//{N;d}}"'
	with_fake -- touch canary
	refused 'parts of /proc writable' '/proc/sys is not read-only'
	edit masks 'sed "/^--ro-bind$/{N;N;/\/proc\/keys/d}"'
	with_fake -- touch canary
	[ ! -e /proc/keys ] || refused 'a file of /proc not masked' '/proc/keys is not hidden'
	mkdir -p place other
	echo secret >place/secret
	edit nothing cat
	with_fake --hide place/secret -- touch canary
	is "$rc" 0 "$who: control: a hidden file"
	rm -f canary
	at=$PWD/place/secret
	edit unhidden "sed '\\|^/dev/null\$|{N;s|.*\\n$at\$|/etc/hostname\\n$at|}'"
	with_fake --hide place/secret -- touch canary
	refused 'a hidden file not hidden' 'place/secret is not hidden'
	edit moved "sed 's|^$PWD\$|$PWD/other|'"
	with_fake -- touch canary
	refused 'another folder in place of the project' 'is not the file|change to'
	edit caps 'sed "s/^--cap-drop$/--cap-add/"'
	with_fake -- sh -c 'grep -h ^CapEff /proc/self/status'
	like "$rc:$out" '^0:CapEff:.0000000000000000$' \
		"$who: capabilities that bwrap leaves are dropped"
	rm -rf place other
}
each_caller disobeyed

# The same paths again, changed while bwrap starts: what was a folder is a link by then.
replaced() {
	as "$who" mkdir -p place/deep
	echo secret >place/deep/key
	fake swaps <<EOF
cd '$PWD' && mv place/deep place/real && ln -s real place/deep
exec "\$real" "\$@"
EOF
	with_fake --hide place/deep -- sh -c 'cat place/real/key; touch canary'
	refused 'a hidden folder replaced by a link' 'is not hidden|[Ss]ymbolic|symlink'
	unlike "$out" secret "$who: and its content was not shown"
	rm -rf place
	as "$who" mkdir -p place/deep
	fake leads <<EOF
mv '$PWD/place/deep' '$PWD/place/real' && ln -s '$tmp' '$PWD/place/deep'
exec "\$real" "\$@"
EOF
	with_fake --bind place/deep:/mnt/x -- touch canary
	refused 'a visible folder replaced by a link to the outside' '/mnt/x is not the file'
	with_fake --bind place/real:/mnt/x -- test -d /mnt/x
	is "$rc" 0 "$who: control: a folder that nobody replaced"
	rm -rf place
	as "$who" mkdir -p inner
	cd inner || return
	fake renames <<EOF
mv '$PWD' '$PWD.old' && mkdir '$PWD'
exec "\$real" "\$@"
EOF
	with_fake -- touch canary
	cd "$tmp/p-$who" || return
	is "$rc" 125 "$who: the project folder replaced: 125"
	like "$err" 'is not the file|deleted|replaced' "$who: the project folder replaced: said"
	is "$(find inner inner.old -type f)" '' "$who: the project folder replaced: nothing was run"
	rm -rf inner inner.old
}
each_caller replaced

# Warnings of bwrap are its own; the command's stderr is the command's.
mixed() {
	fake warns <<'EOF'
echo "bwrap: warning: something" >&2
exec "$real" "$@"
EOF
	with_fake -- sh -c 'echo mine >&2; exit 4'
	is "$rc:$err" 4:mine "$who: what bwrap says is not in the command's stderr"
	with_fake --json -- sh -c 'echo mine >&2'
	ok "$who: nor in the result's" result 'stderr == "mine\n"' 'error_message == ""'
}
each_caller mixed

# No mount point is made in the project, and none is left there.
places() {
	mkdir -p "$tmp/src-$who"
	for option in "--bind $tmp/src-$who:$PWD/new" "--tmpfs $PWD/new" "--ro $PWD/new"; do
		# shellcheck disable=SC2086 # words
		sandbox $option -- touch canary
		refused "$option" 'new'
		ok "$who: $option: no ghost in the project" test ! -e new
	done
}
each_caller places

# Whoever of the three between us and the command is killed: nothing is left, and it is told.
killed() {
	for victim in sbx-init bwrap guardian; do
		nap=32$$.$(printf %d "'$victim")
		begin --json -- sh -c "setsid sleep $nap & sleep $nap"
		within 20 sh -c "[ \$(pgrep -fc '^sleep $nap') = 2 ]"
		is "$(pgrep -fc "^sleep $nap")" 2 "$who: control: two processes run"
		guardian=$(pgrep -P "$pid" | head -n 1)
		bwrap=$(pgrep -P "$guardian" | head -n 1)
		case $victim in
		guardian) kill -KILL "$guardian" ;;
		bwrap) kill -KILL "$bwrap" ;;
		sbx-init) kill -KILL "$(pgrep -P "$bwrap" | head -n 1)" ;;
		esac
		end
		ok "$who: $victim killed: nothing is left" is_gone "^sleep $nap"
		RESULT=$tmp/.bg.out
		# the kernel kills all of bwrap's children: our init may still see that of the command
		ok "$who: $victim killed: told" result \
			'(reason, signal) == ("signal", 9) or (reason == "launch_error" and "killed" in error_message)'
		unset RESULT
	done
}
each_caller killed

# ---- auto ----

# Without user namespaces bwrap fails too; what it was given on stdin is not lost on the way.
fallback() {
	# shellcheck disable=SC2016
	run as "$who" sh -c 'echo data | "$@"' sh "$tools/deny" userns -- "$sbx" --json -- cat
	ok "$who: auto passes bubblewrap over, and stdin arrives" result 'backend == "landlock"' \
		'"user_ns" in [m["layer"] for m in layers["missing"]]'
	# shellcheck disable=SC2016
	run as "$who" sh -c 'echo data | "$@"' sh "$tools/deny" userns -- "$sbx" -q -- cat
	is "$rc:$out" 0:data "$who: auto: stdin is whole"
	run as "$who" "$tools/deny" userns -- "$sbx" -b bubblewrap -- touch canary
	refused 'no user namespaces' 'bwrap: .*-b landlock'
	run as "$who" SBX_BWRAP=/nonexistent/bwrap "$tools/deny" userns -- \
		"$sbx" -q --json -- /bin/true
	ok "$who: auto without a bwrap" result 'backend == "landlock"' 'exit_code == 0'
}
if [ -x "$tools/deny" ]; then
	who=user # root goes on without a user namespace
	cd "$tmp/p-user" || bail 'no project folder'
	fallback
else
	skip 'the helper that denies system calls is not built'
fi

# ---- set-user-id ----

# A kernel without unprivileged user namespaces has bwrap set-user-id: it refuses sizes then.
set_id() {
	who=user
	cd "$tmp/p-user" || return
	mkdir -p "$tmp/setid"
	cp "$real" "$tmp/setid/bwrap"
	chmod 4755 "$tmp/setid/bwrap"
	fake=$tmp/setid
	with_fake -- sh -c 'id -u; grep -h ^CapEff /proc/self/status'
	is "$rc" 0 'a set-user-id bwrap works'
	like "$out" '^CapEff:.0000000000000000$' 'and gives no rights'
	like "$err" 'set-user-id: .*no size limit' 'what it does not give is said'
	with_fake --tmpfs /scratch:1m -- touch canary
	refused '--tmpfs with a size' 'set-user-id .*--best-effort'
	with_fake -q --best-effort --tmpfs /scratch:1m -- test -d /scratch
	is "$rc" 0 'unless --best-effort'
}
if tap_is_root && ! findmnt -no OPTIONS -T "$tmp" | grep -q nosuid; then
	set_id
else
	skip 'a set-user-id bwrap needs root to make, on a file system that honours it'
fi

done_testing
