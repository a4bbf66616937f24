#!/bin/sh
# Attacks on files: 41-43, 53, 56-58, 60, 62-64, 85-87.
. "${SBX_ROOT:-$(dirname -- "$0")/../..}/tests/escape/lib.sh"

numbers=41,42,53,60,62,64,85,86

# --- controls --------------------------------------------------------------------------------

build_folders root
wrap='setpriv --groups 4,24 --'
hidden=$work/ro/hidden
control root 42,41,53,56,57,60,62,63,64,85,86 <<'END'
56.inodes-of-tmp counted in millions or not at all
56.inodes-of-dev/shm counted in millions or not at all
56.inodes-of-dev counted in millions or not at all
56.inodes-of-/ counted in millions or not at all
56.inodes-of- counted in millions or not at all
60.getcwd the host's own paths are never unreachable
62/etc/security/limits.conf not installed
62/etc/resolv.conf not there
62/lib64/ld-linux-x86-64.so.2 another architecture
64.dev-fuse no such device here
85.mkdir mkdir(2) ignores the bit
85.mkdirat mkdir(2) ignores the bit
85.fchmodat2 a kernel before 6.6
85.fchmodat2-fd a kernel before 6.6
86/etc/gshadow not there
86/etc/shadow- not there
86/etc/ssh/ssh_host_rsa_key not there
86/etc/ssh/ssh_host_ed25519_key not there
86/etc/ssh/ssh_host_ecdsa_key not there
86/etc/sudoers not there
86/etc/security/opasswd not there
86.readable-refused no attack: a world-readable file must be readable
END
wrap=''
hidden=''
isnt "$(find "$work/project" -name 's-*' -perm /6000)" '' 'control: 85 set-id files are left behind'
rm -rf "$work/project"/s-*
rm -f "$work/outside/new-42" "$work/outside/new-42b" "$work/outside/new-42c" "$work/outside/missing"

# reopen_stdio COMMAND...: 87, with files of the caller behind 0, 1 and 2.
reopen_stdio() {
	printf 'input of the caller\n' >"$work/out/in"
	printf 'log of the caller\n' >"$work/out/log"
	printf 'errors of the caller\n' >"$work/out/errors"
	chown "$(owner_of "$world"):" "$work/out"/*
	{
		world_run "$world" "$@"
		rc=$?
		"$attack" flags 3>"$work/out/flags"
	} <"$work/out/in" >>"$work/out/log" 2>>"$work/out/errors"
}

world=root
reopen_stdio "$attack" 87 "yranac=$yranac"
isnt "$(cat "$work/out/in")" 'input of the caller' 'control: 87 the input is overwritten'
isnt "$(head -n 1 "$work/out/log")" 'log of the caller' 'control: 87 the log is overwritten'
isnt "$(cat "$work/out/flags")" '0 0 0' 'control: 87 the descriptors are made non-blocking'

# --- inside ----------------------------------------------------------------------------------

extra_options() {
	case $1 in
	namespace | bubblewrap) echo "--hide $work/ro/hidden" ;;
	esac
}

hidden_runs() {
	# The same with a path that is hidden inside a visible tree, and seen by a second name.
	hidden=$work/ro/hidden
	attack_in "$1" "$2" 53 --hide "$hidden"
	hidden=''
	unlike "$(cat "$lines" "$work/out/stderr" "$result")" "$canary" \
		"$label: 53 the content is nowhere"
	sbx "$1" "$2" --ro "$work/ro" --hide "$work/ro/hidden" -- \
		/bin/cat "$work/ro/alias/secret" "$work/ro/hidden/secret"
	unlike "$(cat "$lines")" "$canary" "$label: 53 nor by a second mount of the same folder"
	if [ "$2" = namespace ]; then
		attack_in "$1" "$2" 56 --tmpfs "$work/project/mnt:8m"
	else # bwrap limits bytes, not inodes, as the README says
		sbx "$1" "$2" --tmpfs "$work/project/mnt:8m" -- /bin/sh -c 'head -c 9437184 /dev/zero >mnt/fill'
		isnt "$rc" 0 "$label: 56 a tmpfs has its size"
	fi
}

extra_asserts() {
	label="$2 as $1"
	case $2 in
	namespace | bubblewrap) hidden_runs "$1" "$2" ;;
	*)
		sbx "$1" "$2" --ro "$work/ro" --hide "$work/ro/hidden" -- /bin/true
		is "$rc" 125 "$label: 53 hiding inside a visible tree is refused"
		;;
	esac
	label="$2 as $1"
	# Stated in the README: there is no mode that forbids running code from memory.
	sbx "$1" "$2" -- "$work/project/attack" 63
	like "$(cat "$lines")" '^succeeded: 63' "$label: 63 running a memfd is allowed"

	attack_in "$1" "$2" 57 --fsize 1m
	file_size_reason "$1" "$2"

	sbx "$1" "$2" -- /bin/sh -c 'echo made >made; mkdir made.d; ln -s x made.l'
	caller=$(owner_of "$1")
	is "$(stat -c %U:%G "$work/project/made" "$work/project/made.d" "$work/project/made.l" | sort -u)" \
		"$caller:$(id -gn "$caller")" "$label: 58 files belong to the caller"
	rm -rf "$work/project/made" "$work/project/made.d" "$work/project/made.l"
	# shellcheck disable=SC2016 # the inner shell's
	sbx "$1" "$2" -- /bin/sh -c 'cd && echo made >.attack-62'
	is "$(find /root "$tap_home" -maxdepth 1 -name .attack-62)" '' \
		"$label: 62 HOME is not the host's"
	stdio_run "$1" "$2"
}

file_size_reason() {
	sbx "$1" "$2" --fsize 1m -- "$work/project/attack" 57 die=yes "root=$work/project" \
		"yranac=$yranac"
	is "$(result_field reason)" file_limit "$label: 57 the reason is file_limit"
	ok "$label: 57 the file is not larger" test "$(stat -c %s "$work/project/big")" -le 1048576
	rm -f "$work/project/big"
}

stdio_run() {
	reopen_stdio "$sbx_run" -b "$2" --root "$work/project" -- "$work/project/attack" 87 \
		"yranac=$yranac"
	is "$(cat "$work/out/in")" 'input of the caller' "$label: 87 the input is unchanged"
	is "$(head -n 1 "$work/out/log")" 'log of the caller' "$label: 87 the log only grows"
	is "$(head -n 1 "$work/out/errors")" 'errors of the caller' "$label: 87 so is the error log"
	is "$(cat "$work/out/flags")" '0 0 0' "$label: 87 the descriptors still block"
	like "$(cat "$work/out/log")" '^blocked: 87' "$label: 87 no file is within reach"
}

# A root caller has groups to lose.
before_world() {
	case $1 in
	root | root-no-*) wrap='setpriv --groups 4,24 --' ;;
	esac
}

after_world() {
	wrap=''
}

attack_everywhere "$numbers"
for world in root user; do
	build_folders "$(owner_of "$world")"
	label="native as $world"
	attack_in "$world" native 57 --fsize 1m
	file_size_reason "$world" native
	stdio_run "$world" native
done

# --- 42 and 43: the runner itself is led out -------------------------------------------------

# race_with COMMAND...: runs it while two names change places all the time.
start_race() {
	build_folders "$1"
	ln -s "$work/outside" "$work/project/evil"
	sub_inode=$(stat -c %i "$work/project/sub")
	"$attack" race "a=$work/project/sub" "b=$work/project/evil" &
	racer=$!
}

stop_race() {
	kill "$racer" 2>/dev/null
	wait "$racer" 2>/dev/null
	:
}

start_race root
for _ in $(seq 300); do
	(cd "$work/project/sub" && "$attack" where mark=raced) >/dev/null 2>&1
	[ ! -e "$work/outside/raced" ] || break
done
ok 'control: 42 the race leads out of the project' test -e "$work/outside/raced"
stop_race

for backend in namespace landlock bubblewrap; do
	for world in root user; do
		label="$backend as $world"
		start_race "$(owner_of "$world")"
		helpers=$racer
		: >"$work/out/inodes"
		for _ in $(seq 20); do
			world_run "$world" "$sbx_run" -b "$backend" --root "$work/project" \
				-C "$work/project/sub" -- "$work/project/attack" where mark=raced \
				>>"$work/out/inodes" 2>/dev/null
			[ "$backend" != landlock ] || continue
			world_run "$world" "$sbx_run" -b "$backend" --root "$work/project" \
				--tmpfs "$work/project/sub/t" --bind "$work/ro:$work/project/sub/b" -- \
				"$work/project/attack" where >/dev/null 2>&1
		done
		is "$(grep -vc "^inode=$sub_inode\$" "$work/out/inodes")" 0 \
			"$label: 42 the working folder is the real one or the run is refused"
		assert_host "$label: 42 racing"
		stop_race
		helpers=''
	done
done

build_folders root
ln -s "$work/outside" "$work/project/dst"
mkdir "$work/project/dst/new" && rmdir "$work/outside/new"
is $? 0 'control: 43 the link leads a mkdir out of the project'
for backend in namespace bubblewrap; do
	for world in root user; do
		build_folders "$(owner_of "$world")"
		for to in "$work/outside" ../outside /proc/1/root/etc /oldroot / /etc \
			../../../../../../etc; do
			ln -sfn "$to" "$work/project/dst"
			for option in "--tmpfs $work/project/dst/new" \
				"--bind $work/ro:$work/project/dst/new" \
				"--tmpfs $work/project/dst/new/deep"; do
				# shellcheck disable=SC2086 # two words
				world_run "$world" timeout 20 "$sbx_run" -b "$backend" \
					--root "$work/project" $option -- /bin/true >"$lines" 2>&1
				rc=$?
				[ "$rc" = 0 ] || [ "$rc" = 125 ] ||
					fail "$backend as $world: 43 $to $option: status $rc"
			done
			for place in "$work/outside/new" /etc/new /new /oldroot; do
				[ ! -e "$place" ] ||
					fail "$backend as $world: 43 $to made $place on the host"
			done
		done
		assert_host "$backend as $world: 43 links as mount destinations"
	done
done

done_testing
