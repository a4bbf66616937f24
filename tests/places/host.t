#!/bin/sh
# On this machine itself: as root, as an ordinary user, in a user namespace of his, and on a kernel
# that lacks some calls; what sbx says of it against what is seen inside.
. "${SBX_ROOT:-$(dirname -- "$0")/../..}/tests/places/lib.sh"

deny=$SBX_BUILD/tests/lib/deny
tap_make_user
user_home >/dev/null
place_tools || skip_all "$engine_why"
mkdir "$tmp/bin"
cp "$SBX_BUILD/sbx" "$tmp/bin/sbx"
ln -s sbx "$tmp/bin/sbx-run"
ln -s sbx "$tmp/bin/sbx-probe"

# as_caller NAME COMMAND...: as whom.
as_caller() {
	caller_name=$1
	shift
	case $caller_name in
	root) "$@" ;;
	user) as_user "$@" ;;
	*) as_user unshare --user --map-root-user -- "$@" ;;
	esac
}

# inside CALLER [DENIED]: everything of inside.sh on this machine; sets $label and $out.
inside() {
	here_owner=$tap_user
	[ "$1" != root ] || here_owner=root
	label="a machine, $1${2:+: without $2}"
	new_out "$here_owner"
	# shellcheck disable=SC2086 # words
	(cd / && as_caller "$1" ${2:+"$deny" "$2" --} env "tools=$tools" "out=$out" \
		"marker=$tmp/marker" "sbx=$tmp/bin" "view=${view:-yes}" \
		sh "$tools/inside.sh") >"$out/log" 2>&1
}

# here CALLER BACKEND MISSING [DENIED]
here() {
	inside "$1" "${4:-}"
	judge_place "$label" "$2" "$3"
	is "$(pgrep -f "$tools/")" '' "$label: no process is left"
}

here root namespace -
here user namespace -
here 'user in a user namespace' namespace -
here root namespace - openat2,clone3,mountapi
here user namespace - openat2,clone3,mountapi
here root namespace landlock landlock
here user namespace landlock landlock
here root namespace user_ns userns
here user landlock "$no_namespaces" userns

# Nothing but native, which is never refused, and never taken for more than it is.
view=no inside user userns,landlock
assert_judged perl "$places/judge.pl" auto "$label" "$out" native \
	"$no_namespaces,view,landlock,seccomp,capabilities,no_new_privs"
is "$(cat "$out/strict.rc")" 125 "$label: --strict refuses"
like "$(cat "$out/strict.err")" 'required layer [a-z_]+ is missing: .' "$label: and says why"
tell_place "$label"
done_testing
