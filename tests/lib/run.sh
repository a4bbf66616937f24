#!/bin/sh
# run.sh RELEASE ASAN GROUP[-PREFIX]...: run groups of test programs under prove, then print
# "N passed, N failed, N skipped" on a line of its own; fails when anything failed.
# Groups: unit (C programs of both builds), fuzz (corpora, sanitizer build), asan (the cli scripts
# on the sanitizer build), every folder of tests/ that holds *.t scripts; "all" is all of them.
# Must not build anything: the Makefile did that.
set -u
unset LIBRARY_PATH CPATH C_INCLUDE_PATH LD_LIBRARY_PATH
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
umask 022

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
release=$1
asan=$2
shift 2
scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/sbx-run.XXXXXX") || exit 1
chmod 0755 "$scratch"
trap 'rm -rf -- "$scratch"' EXIT
trap 'exit 130' HUP INT TERM
export SBX_TALLY="$scratch/tally"
: >"$SBX_TALLY"

# as_nobody COMMAND...: what an ordinary user can do here.
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# Root also tests as an ordinary user, who may be unable to enter a checkout under /root:
# then the tests run from a copy that everybody can read.
stage_if_private() {
	[ "$(id -u)" = 0 ] || return 0
	if as_nobody test -r "$root/tests/lib/tap.sh" && as_nobody test -r "$release/."; then
		return 0
	fi
	echo "# an ordinary user cannot enter $root: the tests run from a copy" >&2
	mkdir -p "$scratch/tree" "$scratch/release" "$scratch/asan"
	for entry in "$root"/* "$root"/.[!.]*; do
		case $entry in
		*/build | */.git | */'*' | */'.[!.]*') ;;
		*) cp -a "$entry" "$scratch/tree/" ;;
		esac
	done
	copy_programs "$release" "$scratch/release"
	copy_programs "$asan" "$scratch/asan"
	for other in "$release"-*/; do
		other=${other%/}
		mkdir -p "$scratch/release${other#"$release"}"
		copy_programs "$other" "$scratch/release${other#"$release"}"
	done
	chmod -R go=u,go-w "$scratch/tree" "$scratch"/release* "$scratch/asan"
	root=$scratch/tree release=$scratch/release asan=$scratch/asan
}

# copy_programs FROM TO: sbx, its links and the test programs, without the object files.
copy_programs() {
	[ -e "$1/sbx" ] || return 0
	cp -a "$1"/sbx* "$1/licenses" "$2/"
	[ ! -d "$1/tests" ] || cp -a "$1/tests" "$2/"
}

# run_prove JOBS PROGRAM...: a hanging program must not hang the whole run.
run_prove() {
	jobs=$1
	shift
	before=$(wc -l <"$SBX_TALLY")
	(cd "$root" && PERL5LIB=tests/lib/perl prove --formatter SbxTally --timer \
		-j "$jobs" --exec 'env -u PERL5LIB timeout -k 10 600' "$@") </dev/null
	status=$?
	# Each prove leaves its line; one that could not even start is a failure.
	[ "$(wc -l <"$SBX_TALLY")" -gt "$before" ] || echo '0 1 0' >>"$SBX_TALLY"
	[ "$status" = 0 ] || failed=1
}

# sources DIR PREFIX SUFFIX: names of the matching files of the tree, without the suffix.
sources() {
	for file in "$root/tests/$1/$2"*"$3"; do
		[ ! -f "$file" ] || basename -- "$file" "$3"
	done
}

# collect_group GROUP PREFIX: print the programs of a group, one a line.
collect_group() {
	case $1 in
	unit)
		sources unit "$2" .c | while read -r name; do
			printf '%s\n' "$release/tests/unit/$name" "$asan/tests/unit/$name"
		done
		;;
	fuzz) sources fuzz "fuzz_$2" .c | sed "s|^|$asan/tests/fuzz/|" ;;
	# backwards: the longest are among run_*, and one that starts last is waited for alone
	cli | asan) sources cli "$2" .t | sort -r | sed 's|.*|tests/cli/&.t|' ;;
	*) sources "$1" "$2" .t | sed "s|.*|tests/$1/&.t|" ;;
	esac
}

# link_helpers: the sanitizer build is tested with the same static helper programs.
link_helpers() {
	for kind in lib escape bench; do
		mkdir -p "$asan/tests/$kind"
		sources "$kind" '' .c | while read -r name; do
			ln -sfn "$release/tests/$kind/$name" "$asan/tests/$kind/$name"
		done
	done
}

# run_group GROUP[-PREFIX][+GROUP...]: several are one pool of programs.
run_group() {
	group=${1%%[-+]*}
	programs=$(printf '%s\n' "$1" | tr '+' '\n' | while read -r one; do
		case $one in
		*-*) collect_group "${one%%-*}" "${one#*-}" ;;
		*) collect_group "$one" '' ;;
		esac
	done)
	if [ -z "$programs" ]; then
		[ "$all" = 1 ] || { echo "run.sh: no tests in $1" >&2; failed=1; }
		return
	fi
	echo "== $1"
	export SBX_ROOT="$root" SBX_BUILD="$release" SBX_MODE=release
	# scripts wait most of their time: for a timeout, for a process to end
	jobs=6
	case $group in
	unit | fuzz | lint) jobs=2 ;;
	container | places) jobs=4 ;; # they wait for less of it, and what compiles for little
	cross | dist | macos | vm) jobs=3 ;;
	escape) jobs=1 ;; # its controls attack this machine, and so each other
	asan)
		export SBX_BUILD="$asan" SBX_MODE=asan
		link_helpers
		;;
	esac
	old_ifs=$IFS
	IFS='
'
	set -f
	# shellcheck disable=SC2086 # one word a line
	set -- $programs
	set +f
	IFS=$old_ifs
	run_prove "$jobs" "$@"
}

failed=0
all=0
command -v prove >/dev/null 2>&1 || {
	echo 'run.sh: prove is missing: apt-get install perl (or: make deps)' >&2
	exit 1
}
case " $* " in
*' all '*)
	all=1
	# One pool of what compiles and emulates, the longest first, one of what starts containers;
	# folders that are not named here come by themselves.
	set -- unit fuzz cli asan dist+vm+cross+macos container+places
	for dir in "$root"/tests/*/; do
		dir=$(basename -- "$dir")
		case $dir in
		cli | container | cross | dist | macos | places | vm) ;;
		*) [ -z "$(sources "$dir" '' .t)" ] || set -- "$@" "$dir" ;;
		esac
	done
	;;
esac
stage_if_private
for name; do
	run_group "$name"
done
awk -v failed="$failed" '
	{ p += $1; f += $2; s += $3 }
	END {
		if (failed && !f) f = 1
		if (!p && !f) f = 1
		printf "\n%d passed, %d failed, %d skipped\n", p, f, s
		exit f > 0
	}' "$SBX_TALLY"
