#!/bin/sh
# The tests of the command line as they are, in containers with default settings that have this
# machine's programs: each script takes the backends that work there, as root and as a user.
. "${SBX_ROOT:-$(dirname -- "$0")/../..}/tests/places/lib.sh"

tap_make_user # of the /etc/passwd that the containers get too

# machine_image TARFILE: folders to mount this machine's on, and its links.
machine_image() {
	machine=$(mktemp -d "$tmp/machine.XXXXXX")
	chmod 0755 "$machine"
	mkdir -p "$machine/usr" "$machine/etc" "$machine/run" "$machine/tmp" "$machine/var/tmp" \
		"$machine/home" "$machine/root"
	chmod 1777 "$machine/tmp" "$machine/var/tmp"
	for link in /bin /sbin /lib /lib32 /lib64 /libx32; do
		[ ! -L "$link" ] || cp -P "$link" "$machine$link"
	done
	tar -C "$machine" --owner=0 --group=0 -cf "$1" .
}

# in_machine ENGINE [OPTION...] -- COMMAND...: in a container with this machine's programs.
in_machine() {
	machine_engine=$1
	shift
	machine_options=''
	while [ "$1" != -- ]; do
		machine_options="$machine_options $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # options without blanks
	run engine_run "$machine_engine" -v /usr:/usr:ro -v /etc:/etc:ro -v "$SBX_ROOT:/src:ro" \
		-v "$SBX_BUILD:/build:ro" -e SBX_ROOT=/src -e SBX_BUILD=/build \
		-e PATH=/usr/sbin:/usr/bin:/sbin:/bin $machine_options localhost/machine:1 "$@"
}

# suite ENGINE SCRIPT: it holds, and asserts something with more than the native backend.
suite() {
	in_machine "$1" -- /bin/sh "/src/tests/cli/$2.t"
	suite_ok=$(printf '%s\n' "$out" | grep '^ok ' | grep -vc '# SKIP')
	ok "$1: $2" test "$rc" = 0 -a "$suite_ok" -ge 30 ||
		diag "status $rc, $suite_ok hold; $(printf '%s\n' "$out" | grep '^not ok' |
			head -n 5) $(printf '%s\n' "$err" | tail -n 5)"
}

# in_engine ENGINE BACKEND SCRIPT...: BACKEND must be among those that work there.
in_engine() {
	suite_engine=$1
	engine_import "$1" localhost/machine:1 "$tmp/machine.tar" || bail "$engine_why"
	in_machine "$1" -- /build/sbx-run -b "$2" -- /bin/true
	is "$rc" 0 "$1: $2 works there" || diag "$err"
	shift 2
	for script; do
		suite "$suite_engine" "$script"
	done
}

[ -L /bin ] || skip_all 'this machine keeps its programs outside of /usr'
machine_image "$tmp/machine.tar"
if engine_podman_ready; then
	in_engine podman namespace run_view run_root run_status run_env run_holders review_sources
	# What bubblewrap cannot do without is said in its own words, and what to do in ours.
	in_machine podman -- /build/sbx-run -q -b bubblewrap -- /bin/true
	is "$rc" 125 'podman: bubblewrap is refused'
	like "$err" "^sbx-run: bwrap: .*hostname.*-b namespace goes without" 'podman: with a remedy'
	in_machine podman --security-opt=seccomp=unconfined -- \
		/build/sbx-run -q -b bubblewrap -- /bin/true
	is "$rc" 125 'podman without its filter: bubblewrap is refused'
	like "$err" "^sbx-run: bwrap: .*proc.*-b namespace goes without" 'and with a remedy again'
	in_machine podman --security-opt=seccomp=unconfined --security-opt=unmask=ALL -- \
		/build/sbx-run --strict -b bubblewrap -- /bin/true
	is "$rc" 0 'podman without filter and masks: bubblewrap gives every layer' || diag "$err"
else
	skip "podman: $engine_why"
fi
if engine_docker_start; then
	in_engine docker landlock run_view run_root run_status run_env run_holders review_landlock
else
	skip "docker: $engine_why"
fi
done_testing
