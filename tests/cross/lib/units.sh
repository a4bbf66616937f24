# shellcheck shell=sh
# units ARCH: the unit tests, built for that processor, under an emulator of user programs. What a
# machine lacks is a skip in them, and an emulator lacks much: so a skip is none here, but a failure
# is, unless it is the emulator's and written down below. Source it after cross.sh.

# emulators_own UNIT: assertions (extended regular expression) that tell of the emulator.
emulators_own() {
	case $1 in
	# its threads are counted as processes of the group, and take processor time
	cgroup) echo ' - (pids|cpu): ' ;;
	# the kernel's block of arguments is the emulator's
	env) echo ' - our own block shows nothing' ;;
	*) echo '^nothing' ;;
	esac
}

# is_whole TAP: it has a plan, of as many assertions as there are.
is_whole() {
	printf '%s\n' "$1" | awk '/^(not )?ok / { n++ } /^1\.\./ { plan = substr($0, 4) }
		END { exit !(n > 0 && plan == n) }'
}

units() {
	can_emulate "$1" || skip_all "$why"
	units_build=$(build_of "$1")
	units_count=0
	for units_source in "$SBX_ROOT"/tests/unit/*.c; do
		units_name=$(basename -- "$units_source" .c)
		units_program=$units_build/tests/unit/$units_name
		[ -x "$units_program" ] || { fail "$1: $units_name was not built"; continue; }
		if [ "$units_name" = become ]; then # the namespace of emulated knows one user only
			run "$(qemu_of "$1")" "$units_program"
		else
			SECONDS_MAX=500 emulated "$1" env SBX_MUST_RUN=0 SBX_BUILD="$units_build" \
				"$units_program"
		fi
		units_failed=$(printf '%s\n' "$out" | grep '^not ok' |
			grep -vE -e "$(emulators_own "$units_name")")
		if is_whole "$out" && [ "$rc" -le 1 ] && [ -z "$units_failed" ]; then
			pass "$1: $units_name"
		else
			fail "$1: $units_name: status $rc"
			diag "$units_failed"
			diag "$err"
		fi
		units_count=$((units_count + 1))
	done
	ok "$1: $units_count unit tests" test "$units_count" -gt 30
}
