# shellcheck shell=sh
# The tests of the command line's view and root once more on a kernel that lacks some calls, and
# in a user namespace: source it, then call `denied CALLER`. Each script asserts by itself what must
# hold with every backend that still works there; here it counts that it ran and found no fault.
SBX_ROOT=${SBX_ROOT:-$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)}
. "$SBX_ROOT/tests/lib/tap.sh"
tap_is_root || skip_all 'other callers are made by root'

deny=$SBX_BUILD/tests/lib/deny

# refused NUMBER: what the kernel says to a system call with arguments that it must
# refuse in any case: an errno.
refused() {
	perl -e 'syscall($ARGV[0] + 0, -1, 0, 0, 0); print $! + 0' "$1"
}

# control WORD NUMBER ERRNO: the call is there without deny and gone with it (errno(3)).
control() {
	isnt "$(refused "$2")" "$3" "control: $1 is there"
	# shellcheck disable=SC2016 # perl's variables
	is "$("$deny" "$1" -- perl -e 'syscall($ARGV[0] + 0, -1, 0, 0, 0); print $! + 0' "$2")" \
		"$3" "control: $1 is denied"
}

# suite CALLER WORDS SCRIPT: one script in that world.
suite() {
	run env CLI_CALLERS="$1" CLI_DENY="$2" "$SBX_ROOT/tests/cli/$3.t"
	suite_ok=$(printf '%s\n' "$out" | grep '^ok ' | grep -vc '# SKIP')
	ok "$1${2:+ without $2}: $3" test "$rc" = 0 -a "$suite_ok" -ge 50 ||
		diag "$suite_ok hold; $(printf '%s\n' "$out" | grep '^not ok' | head -n 5)"
}

denied() {
	control openat2 437 38
	control clone3 435 38
	control landlock 444 95
	control mountapi 442 38
	for words in '' openat2,clone3 landlock mountapi userns openat2,clone3,landlock,mountapi; do
		# root and user without any are what tests/cli does
		[ "$1:$words" != "$1:" ] || [ "$1" = userns ] || continue
		for script in run_view run_root; do
			suite "$1" "$words" "$script"
		done
	done
	done_testing
}
