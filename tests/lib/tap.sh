# shellcheck shell=sh
# TAP for shell tests (POSIX sh and bash): source it, assert, end with done_testing.
# The plan is computed at the end; a script that ends without done_testing fails,
# and so does one that asserted nothing. With SBX_MUST_RUN=1 a skip is a failure.
#
#	#!/bin/sh
#	. "$SBX_ROOT/tests/lib/tap.sh"
#	run "$SBX_BUILD/sbx-run" -- false       # sets $rc $out $err
#	is "$rc" 1 "the status of the command is passed on"
#	ok "the file exists" test -e "$tmp/file" # NAME first, then a command to run
#	like "$err" '^sbx-run: ' "errors carry the name"   # extended regular expression
#	done_testing
#
# It sets: $tmp (scratch folder, removed at the end; others can pass through it),
# $SBX_BUILD and $SBX_ROOT (defaults: this source tree). It never leaves behind a
# process whose pid was given to `reap PID`; `at_exit FUNCTION` undoes the rest.

SBX_ROOT=${SBX_ROOT:-$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)}
SBX_BUILD=${SBX_BUILD:-$SBX_ROOT/build/release}
export SBX_ROOT SBX_BUILD
# Libraries of the machine's owner must not change what is tested.
unset LIBRARY_PATH CPATH C_INCLUDE_PATH LD_LIBRARY_PATH
umask 022

tap_ran=0
tap_failed=0
tap_done=0
tap_pids=''
tap_exits=''
tap_user=sbxtest
tap_home=''
tmp=$(mktemp -d "${TMPDIR:-/tmp}/sbx-test.XXXXXX") || exit 1
chmod 0755 "$tmp"
: "$tmp"

diag() {
	printf '%s\n' "$*" | sed 's/^/# /' >&2
}

# tap_result 0|1 NAME: one line; a '#' or a newline in a name would be a directive.
tap_result() {
	tap_ran=$((tap_ran + 1))
	tap_name=$(printf '%s' "$2" | tr '#\n' '__')
	if [ "$1" = 0 ]; then
		printf 'ok %d - %s\n' "$tap_ran" "$tap_name"
		return 0
	fi
	tap_failed=$((tap_failed + 1))
	printf 'not ok %d - %s\n' "$tap_ran" "$tap_name"
	diag "failed: $tap_name ($0)"
	return 1
}

pass() {
	tap_result 0 "$1"
}

fail() {
	tap_result 1 "$1"
}

# ok NAME COMMAND [ARG...]: holds when the command (or shell function) succeeds.
ok() {
	tap_ok_name=$1
	shift
	[ $# -gt 0 ] || { fail "$tap_ok_name (ok needs: NAME COMMAND...)"; return 1; }
	if "$@"; then
		tap_result 0 "$tap_ok_name"
	else
		tap_result 1 "$tap_ok_name" || { diag "command: $*"; return 1; }
	fi
}

# is GOT WANT NAME
is() {
	if [ "$1" = "$2" ]; then
		tap_result 0 "$3"
	else
		tap_result 1 "$3" || { diag "     got: $1"; diag "    want: $2"; return 1; }
	fi
}

# isnt GOT UNWANTED NAME
isnt() {
	if [ "$1" != "$2" ]; then
		tap_result 0 "$3"
	else
		tap_result 1 "$3" || { diag "     got: $1, which it must not be"; return 1; }
	fi
}

# like GOT ERE NAME: some line of GOT matches.
like() {
	if printf '%s\n' "$1" | grep -Eq -e "$2"; then
		tap_result 0 "$3"
	else
		tap_result 1 "$3" || { diag "     got: $1"; diag "   match: $2"; return 1; }
	fi
}

# unlike GOT ERE NAME: no line of GOT matches.
unlike() {
	if printf '%s\n' "$1" | grep -Eq -e "$2"; then
		tap_result 1 "$3" || { diag "     got: $1"; diag "no match: $2"; return 1; }
	else
		tap_result 0 "$3"
	fi
}

# run COMMAND [ARG...]: never fails; sets rc, out and err (NUL bytes are lost).
# The bytes themselves are in $tmp/.out and $tmp/.err.
run() {
	rc=0
	"$@" >"$tmp/.out" 2>"$tmp/.err" || rc=$?
	out=$(tr -d '\000' <"$tmp/.out")
	err=$(tr -d '\000' <"$tmp/.err")
	: "$rc" "$out" "$err"
}

# skip REASON: one assertion that cannot be made here.
skip() {
	if [ "${SBX_MUST_RUN:-0}" = 1 ]; then
		fail "must run, but was skipped: $1"
		return 1
	fi
	tap_ran=$((tap_ran + 1))
	printf 'ok %d # SKIP %s\n' "$tap_ran" "$1"
	diag "skipped: $1"
}

# skip_all REASON: the whole script cannot run here; before the first assertion.
skip_all() {
	if [ "${SBX_MUST_RUN:-0}" = 1 ]; then
		fail "must run, but was skipped: $1"
		done_testing
	fi
	printf '1..0 # SKIP %s\n' "$1"
	tap_done=1
	exit 0
}

# need COMMAND PACKAGE: skip the whole script unless the command is there.
need() {
	command -v "$1" >/dev/null 2>&1 || skip_all "$1 is missing (apt-get install $2)"
}

bail() {
	printf 'Bail out! %s\n' "$1"
	tap_done=1
	exit 255
}

# reap PID: kill and collect this background process at the end of the script.
reap() {
	tap_pids="$tap_pids $1"
}

# at_exit FUNCTION: called at the end of the script, however it ends, before $tmp is removed;
# the last one given comes first.
at_exit() {
	tap_exits="$1 $tap_exits"
}

done_testing() {
	[ "$tap_ran" -gt 0 ] || fail 'a test script must assert something'
	printf '1..%d\n' "$tap_ran"
	tap_done=1
	[ "$tap_failed" = 0 ] || exit 1
	exit 0
}

tap_is_root() {
	[ "$(id -u)" = 0 ]
}

# The ordinary user that root tests as. Made once, under a lock: tests run side by side.
tap_make_user() {
	id "$tap_user" >/dev/null 2>&1 && return 0
	(
		flock 9
		id "$tap_user" >/dev/null 2>&1 ||
			useradd -m -d "/var/lib/$tap_user" -s /bin/sh "$tap_user"
	) 9>"/tmp/.$tap_user.lock" || bail "cannot make the user $tap_user"
}

# user_home: print the clean HOME of the ordinary user (a fresh folder, its own).
# Call `user_home >/dev/null` once in the main shell if the path is needed early.
user_home() {
	tap_make_home
	printf '%s\n' "$tap_home"
}

tap_make_home() {
	[ -z "$tap_home" ] || return 0
	tap_home=$tmp/home
	mkdir -p "$tap_home"
	if tap_is_root; then
		tap_make_user
		chown "$tap_user:" "$tap_home"
	fi
	chmod 0700 "$tap_home"
}

# as_user COMMAND [ARG...]: run as an ordinary user with a small environment, a clean HOME and
# no supplementary groups, in the current folder. An ordinary user runs it as himself.
# COMMAND is a program, not a function; NAME=VALUE words may stand before it.
as_user() {
	tap_make_home
	set -- "HOME=$tap_home" PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 \
		"SBX_BUILD=$SBX_BUILD" "SBX_ROOT=$SBX_ROOT" \
		"SBX_MUST_RUN=${SBX_MUST_RUN:-0}" "$@"
	if tap_is_root; then
		setpriv "--reuid=$tap_user" "--regid=$tap_user" --clear-groups \
			env -i "USER=$tap_user" "LOGNAME=$tap_user" "$@"
	else
		env -i "USER=$(id -un)" "LOGNAME=$(id -un)" "$@"
	fi
}

tap_cleanup() {
	tap_status=$?
	trap - EXIT
	for tap_exit in $tap_exits; do
		"$tap_exit"
	done
	for tap_pid in $tap_pids; do
		kill -KILL "$tap_pid" 2>/dev/null && wait "$tap_pid" 2>/dev/null
	done
	rm -rf -- "$tmp"
	if [ "$tap_done" = 0 ]; then
		diag "ended without done_testing after $tap_ran assertions"
		exit 254
	fi
	exit "$tap_status"
}
trap tap_cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
