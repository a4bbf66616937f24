#!/bin/sh
# Attacks on the machine's resources: 25-27, 29, 88. Root has writable cgroups in most places, an
# ordinary user has none: then a limit is refused at the start, or what is not counted is named.
. "${SBX_ROOT:-$(dirname -- "$0")/../..}/tests/escape/lib.sh"

ways='anonymous shared children tmpfs dev-shm memfd sysv pipes sockets'
backends='namespace landlock bubblewrap native'

build_folders root

# --- controls --------------------------------------------------------------------------------

for how in $ways; do
	"$attack" 26 "how=$how" mib=96 "yranac=$yranac"
	rm -f /tmp/attack-fill /dev/shm/attack-fill
done >"$lines"
# The children of that way sleep for some seconds.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	[ -n "$(leftovers)" ] || break
	sleep 0.5
done
echo '26.tmpfs the /tmp of this host is no tmpfs: dev-shm stands for it' >"$work/known"
judge control 'control' "$lines" "$work/known"
unshare --pid --fork --kill-child "$attack" 25 max=200 >"$lines"
judge control 'control' "$lines" /dev/null
is "$(cat /proc/sys/kernel/core_pattern)" core 'control: 29 a core file would land in the folder'
(cd "$work/out" && "$attack" crash) >"$lines" 2>/dev/null
ok 'control: 29 a core file is written' test -n "$(find "$work/out" -name 'core*')"
rm -f "$work/out"/core*

# --- 25 --------------------------------------------------------------------------------------

# limit_refused: an explicit limit that cannot be kept: 125, a reason, and nothing was run.
limit_refused() {
	is "$rc/$(cat "$lines")" 125/ "$label: $1 is refused without --best-effort"
	like "$(result_field error_message)" "$1" "$label: and the reason names $1"
}

fork_bombs() {
	sbx "$1" "$2" --pids 48 -t 5 -- "$work/project/attack" 25 max=200
	# Without a cgroup only a user namespace of one's own counts the processes of one user.
	case $1/$2 in
	user/landlock | user/native)
		limit_refused pids
		return 0
		;;
	esac
	judge sandbox "$label" "$lines" "$result" 25
	sbx "$1" "$2" --pids 48 -t 1 --kill-grace 300ms -- /bin/sh -c 'b() { b | b & }; b; sleep 30'
	ok "$label: 25 a fork bomb ends in time ($elapsed_ms ms)" test "$elapsed_ms" -lt 5000
	assert_host "$label: 25"
}

# --- 26 and 88 -------------------------------------------------------------------------------

# memory_bomb WORLD BACKEND HOW [OPTION]: the limit is a third of the amount. Killed for it, told
# that there is no more, refused at the start, or named as not kept: anything but silently more.
memory_bomb() {
	bomb_how=$3
	bomb_world=$1
	bomb_backend=$2
	shift 3
	sbx "$bomb_world" "$bomb_backend" -m 32m -t 20 "$@" -- \
		"$work/project/attack" 26 "how=$bomb_how" mib=96 "yranac=$yranac"
	if [ "$rc" = 125 ] && [ "$bomb_world" != root ] && [ "${1:-}" = '' ]; then
		limit_refused memory
	elif [ -s "$lines" ]; then
		judge sandbox "$label: $bomb_how" "$lines" "$result" 26
	else
		like "$(result_field reason)" '^(oom|signal)$' "$label: $bomb_how: 26 killed for it"
	fi
}

memory_bombs() {
	for how in $ways; do
		memory_bomb "$1" "$2" "$how"
		if [ "$rc" = 125 ]; then
			break		# refused whatever the command does: once is enough
		fi
	done
	for how in anonymous children memfd shared; do
		[ "$1" = root ] || memory_bomb "$1" "$2" "$how" --best-effort
	done
	assert_host "$2 as $1: 26"
}

# Root's cgroup tells an out of memory from any other kill.
memory_reason() {
	sbx root "$1" -m 32m -t 20 -- "$work/project/attack" 26 how=children mib=96 "yranac=$yranac"
	sbx root "$1" -m 32m -t 20 -- "$work/project/attack" 26 how=shared mib=96 "yranac=$yranac"
	is "$(result_field reason)" oom "$label: 26 the reason is oom"
	ok "$label: 26 the peak was measured and is not above the limit" \
		test "$(result_field peak_memory_bytes)" -le 33554432
}

# --- 27 --------------------------------------------------------------------------------------

cpu_burns() {
	# RLIMIT_CPU counts a process with its threads, but eight processes one by one.
	how=threads=8
	[ "$1" != root ] || how=processes=8
	sbx "$1" "$2" --cpu-time 1s --kill-grace 200ms -t 20 -- "$work/project/attack" burn "$how"
	is "$rc/$(result_field reason)" 124/cpu_timeout "$label: 27 $how: the reason is told"
	ok "$label: 27 $how: in time ($elapsed_ms ms)" test "$elapsed_ms" -lt 8000
	assert_host "$label: 27"
}

# --- 29 --------------------------------------------------------------------------------------

# RLIMIT_CORE 1: 0 would not stop a core_pattern that is a pipe (core(5)).
core_dump() {
	sbx "$1" "$2" -- "$work/project/attack" crash
	is "$rc/$(result_field reason)/$(result_field signal)" 139/signal/11 \
		"$label: 29 the signal is told"
	is "$(find "$work/project" -name 'core*' | wc -l)" 0 "$label: 29 there is no core file"
	is "$(cat "$lines")" core-limit=1 "$label: 29 the hard limit is 1"
}

for world in root user; do
	build_folders "$(owner_of "$world")"
	for backend in $backends; do
		fork_bombs "$world" "$backend"
		memory_bombs "$world" "$backend"
		cpu_burns "$world" "$backend"
		core_dump "$world" "$backend"
		[ "$world/$backend" != "root/native" ] || continue
		[ "$world" != root ] || memory_reason "$backend"
	done
done

done_testing
