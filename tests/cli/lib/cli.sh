# shellcheck shell=sh
# shellcheck disable=SC2034 # the scripts use what is set here
# What the tests of sbx and sbx-run share: who calls, which backends this machine has, a project
# folder a caller, and a look at what a run left behind. Source it instead of tap.sh.
# Must not decide that a backend may be missing: usable.t does, in one place.

# Beside /tmp, of which a view has its own: a project there would show in it.
TMPDIR=/var/tmp
. "$SBX_ROOT/tests/lib/tap.sh"
unset TMPDIR

sbx=$SBX_BUILD/sbx-run
[ -x "$sbx" ] || bail "$sbx is not built"
lib=$SBX_ROOT/tests/cli/lib
tools=$SBX_BUILD/tests/lib
: "$tools"
# The system's own python3: a version manager's would cost more than the run that is tested.
py=/usr/bin/python3
[ -x "$py" ] || py=python3

# Root tests as root and as the ordinary user; an ordinary user as himself. CLI_CALLERS names other
# callers, CLI_DENY what the kernel shall not have (deny.c): see tests/places/denied.t.
callers=user
if tap_is_root; then
	callers=${CLI_CALLERS:-root user}
	tap_make_user
fi
user_home >/dev/null
mkdir -p "$tmp/caller-home" "$tmp/p-root" "$tmp/p-user" "$tmp/p-userns"
HOME=$tmp/caller-home
export HOME
! tap_is_root || chown "$tap_user:" "$tmp/p-user" "$tmp/p-userns"
who=${callers%% *}
cd "$tmp/p-$who" || bail 'no project folder'

# as WHO [NAME=VALUE...] COMMAND...: a program, run by root or by the ordinary user, who may be the
# root of a user namespace of his own.
as() {
	as_who=$1
	shift
	# shellcheck disable=SC2086 # words
	set -- ${CLI_DENY:+"$tools/deny" "$CLI_DENY" --} env "$@"
	case $as_who in
	root) "$@" ;;
	userns) as_user unshare --user --map-root-user -- "$@" ;;
	# a stand-in for the tool of macOS is named in the caller's environment
	*) as_user ${SBX_SANDBOX_EXEC:+"SBX_SANDBOX_EXEC=$SBX_SANDBOX_EXEC"} "$@" ;;
	esac
}

# owner WHO: "UID:GID" of a caller's files, as they are outside of any namespace of his.
owner() {
	if [ "$1" = root ] || ! tap_is_root; then
		echo "$(id -u):$(id -g)"
	else
		echo "$(id -u "$tap_user"):$(id -g "$tap_user")"
	fi
}

# is_portable: the build is the one that makes do without what only Linux has (TARGET=portable).
is_portable() {
	[ "${SBX_TARGET:-linux}" = portable ]
}

# use_stand_in: a program that stands in for sandbox-exec: it checks the profile as that would,
# keeps it as $stand_in/profile and runs the command.
use_stand_in() {
	stand_in=$tmp/stand-in
	mkdir -p "$stand_in"
	chmod 0777 "$stand_in"
	cp "$tools/sbpl" "$stand_in/sandbox-exec" || bail 'the stand-in is not built'
	: >"$stand_in/profile"
	chmod 0666 "$stand_in/profile"
	export SBX_SANDBOX_EXEC="$stand_in/sandbox-exec"
}

case " ${SBX_BACKENDS:-} " in
*' sandbox_exec '*) use_stand_in ;;
esac

# usable WHO BACKEND
usable() {
	as "$1" "$sbx" -b "$2" -- true >/dev/null 2>&1
}

# each_caller FUNCTION: call it with $who set, in a project folder of that caller.
each_caller() {
	for who in $callers; do
		cd "$tmp/p-$who" || bail 'no project folder'
		"$@"
	done
}

# need_hog: ./hog in the project of each caller.
need_hog() {
	[ -x "$tools/hog" ] || bail "$tools/hog is not built"
	for caller in $callers; do
		cp "$tools/hog" "$tmp/p-$caller/hog"
	done
}

# short_timeout: a limit of time in $short, in ms in $short_ms: long enough for a command to be under way
# on a busy machine, where the sanitizer build is slow to start.
short_timeout() {
	short_ms=500
	[ "${SBX_MODE:-release}" = release ] || short_ms=3000
	short=${short_ms}ms
}

# each_run FUNCTION: once for each caller and each backend that he can use, with $who, $backend and
# $at (for names of assertions) set. ONLY="a b" takes these backends alone; so does SBX_BACKENDS,
# of the environment, for a whole script.
each_run() {
	for who in $callers; do
		cd "$tmp/p-$who" || bail 'no project folder'
		for backend in ${ONLY:-${SBX_BACKENDS:-native landlock namespace bubblewrap}}; do
			case " ${SBX_BACKENDS:-$backend} " in
			*" $backend "*) ;;
			*) continue ;;
			esac
			eval "each_usable=\${usable_${who}_$backend:-}"
			if [ -z "$each_usable" ]; then
				each_usable=no
				! usable "$who" "$backend" || each_usable=yes
				eval "usable_${who}_$backend=$each_usable"
			fi
			at="$who, $backend"
			[ "$each_usable" = no ] || "$@"
		done
	done
	cd "$tmp/p-${callers%% *}" || bail 'no project folder'
}

# sandbox ARG...: sbx-run as $who with $backend; sets rc, out, err.
sandbox() {
	run as "$who" "$sbx" -b "$backend" "$@"
}

# begin ARG...: the same in the background: $job to wait for, $pid of sbx-run itself; its output is
# in $tmp/.bg.out and $tmp/.bg.err. Reaped at the end in any case.
begin() {
	rm -f .pid
	# A shell starts what is in the background with INT and QUIT ignored.
	# shellcheck disable=SC2016 # the inner shell's
	as "$who" env --default-signal=INT,QUIT sh -c 'echo $$ >.pid; exec "$@"' sh \
		"$sbx" -b "$backend" "$@" >"$tmp/.bg.out" 2>"$tmp/.bg.err" &
	job=$!
	reap "$job"
	within 20 test -s .pid || bail 'sbx-run was not started'
	pid=$(cat .pid)
	rm -f .pid
	reap "$pid"
}

has_ended() {
	! kill -0 "$1" 2>/dev/null
}

# end: wait for it, a minute at most; sets rc, out, err.
end() {
	rc=0
	within 60 has_ended "$job" || kill -KILL "$pid"
	wait "$job" || rc=$?
	out=$(cat "$tmp/.bg.out")
	err=$(cat "$tmp/.bg.err")
}

# result EXPRESSION...: what sbx-run --json printed is a whole SandboxResult of which each of these
# (Python, over its fields) holds. RESULT=FILE looks at that file instead.
result() {
	"$py" -I -S "$lib/result.py" "${RESULT:-$tmp/.out}" "$@"
}

# field NAME: print one field of it.
field() {
	"$py" -I -S -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' \
		"${RESULT:-$tmp/.out}" "$1"
}

need_python() {
	command -v "$py" >/dev/null 2>&1 || skip_all 'python3 is missing (apt-get install python3)'
}

# one_line TEXT NAME: exactly one line, from sbx-run.
one_line() {
	is "$(printf '%s\n' "$1" | grep -c .)" 1 "$2: one line" || diag "$1"
}

# within SECONDS COMMAND...: the command succeeds before that time is over.
within() {
	within_end=$(($(date +%s) + $1))
	shift
	until "$@"; do
		[ "$(date +%s)" -lt "$within_end" ] || return 1
		sleep 0.05
	done
}

# no_process PATTERN: nobody runs a command line that matches (zombies have none).
no_process() {
	! pgrep -f -- "$1" >/dev/null
}

# is_gone PATTERN: the same, given a moment.
is_gone() {
	within 10 no_process "$1" || { pgrep -af -- "$1" | sed 's/^/# left: /' >&2; return 1; }
}

# now_ms: for durations.
now_ms() {
	echo $(($(date +%s%N) / 1000000))
}

# temp_folders: what the landlock backend may have left on this machine, all runs together.
temp_folders() {
	find /tmp /var/tmp /dev/shm -maxdepth 1 -name 'sbx-????????????????' 2>/dev/null
}

# cgroup_folders [PID]: control groups of the sbx-run with this pid, or of all of them.
cgroup_folders() {
	find /sys/fs/cgroup -type d -name "sbx-${1:-[0-9]*}-*" 2>/dev/null
}

no_cgroups() {
	[ -z "$(cgroup_folders "$1")" ]
}

all_gone() {
	for all_gone_path; do
		[ ! -e "$all_gone_path" ] || return 1
	done
}

left_before=" $(temp_folders | tr '\n' ' ') $(cgroup_folders | tr '\n' ' ') "

# is_used PATH: it belongs to a run that goes on: its sbx-run lives, or a process has it as TMPDIR.
is_used() {
	case $1 in
	*/cgroup/*) is_used_pid=${1##*/sbx-}; kill -0 "${is_used_pid%%-*}" 2>/dev/null ;;
	*) grep -aqs -e "=$1" /proc/[0-9]*/environ ;;
	esac
}

none_left() {
	for none_path; do
		[ ! -e "$none_path" ] || is_used "$none_path" || return 1
	done
}

# nothing_left NAME: the temporary folders and control groups that came since the start and are
# there now go away or are another program's, which may make some too: each gets a while.
nothing_left() {
	nothing_new=''
	for nothing_path in $(temp_folders; cgroup_folders); do
		case $left_before in
		*" $nothing_path "*) ;;
		*) nothing_new="$nothing_new $nothing_path" ;;
		esac
	done
	# shellcheck disable=SC2086 # names without blanks
	ok "$1" within 15 none_left $nothing_new
}
