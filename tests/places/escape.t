#!/bin/sh
# Attacks in containers, where /proc is masked and much is refused already: each number that works
# there without a sandbox (the control) must be blocked with one, and so must be the others.
. "${SBX_ROOT:-$(dirname -- "$0")/../..}/tests/places/lib.sh"

command -v busybox >/dev/null 2>&1 || skip_all 'busybox is missing (apt-get install busybox-static)'
numbers=1,2,3,4,5,7,8,9,11,12,14,15,16,17,18,19,21,22,23,30,31,33,34,35,36,37,38,39,40,13
numbers=$numbers,41,42,53,60,62,64,65,66,67,68,70,85,86
canary=SBX$(od -An -N12 -tx1 /dev/urandom | tr -d ' \n')

# Root's private files of the image.
place_busybox "$tmp/image.tar"
mkdir -p "$tmp/private/etc" "$tmp/private/opt"
for file in etc/sbx-canary opt/sbx-canary etc/shadow; do
	printf '%s\n' "$canary" >"$tmp/private/$file"
done
tar -C "$tmp/private" --owner=0 --group=0 --mode=0600 -rf "$tmp/image.tar" etc/sbx-canary \
	opt/sbx-canary etc/shadow

# attack_in ENGINE NAME OPTION...: one container; leaves its files in $work/out.
attack_in() {
	attack_engine=$1
	attack_name=$2
	shift 2
	work=$(mktemp -d "$tmp/work.XXXXXX")
	mkdir "$work/out"
	cp "$SBX_BUILD/tests/escape/attack" "$places/attack.sh" "$work/"
	chmod -R 0777 "$work"
	[ "$attack_engine" != rootless ] || chown -R "$tap_user:" "$work"
	engine_run "$attack_engine" -e "ESCAPE_TOKEN=$canary" -v "$work:/arena" "$@" \
		localhost/escape:1 sh /arena/attack.sh "$numbers" "$attack_name" >"$work/log" 2>&1
}

# escape ENGINE BACKENDS WORKING OPTION...: WORKING are the numbers that this place does not stop
# by itself.
escape() {
	escape_engine=$1
	backends=$2
	working=$3
	shift 3
	place_label="$escape_engine${*:+ $*}"
	attack_in "$escape_engine" control "$@"
	assert_judged perl "$places/judge.pl" controls "$place_label: control" \
		"$work/out/control.lines" "$working"
	for backend in $backends; do
		attack_in "$escape_engine" "$backend" "$@"
		label="$place_label: $backend"
		assert_judged perl "$SBX_ROOT/tests/escape/judge.pl" sandbox "$label" \
			"$work/out/$backend.lines" "$work/out/$backend.result" "$numbers"
		is "$(cat "$work/outside/canary")" unchanged "$label: files outside are unchanged"
		is "$(find "$work/root" -perm /6000 ! -name set-uid)" '' \
			"$label: no set-id file is left"
		unlike "$(cat "$work/out/$backend.lines" "$work/out/$backend.result")" "$canary" \
			"$label: the secret is nowhere"
		is "$(cat "$work/out/$backend.stderr" | grep -v warning:)" '' \
			"$label: sbx-run has no error to tell"
	done
}

# Both engines leave these alone; podman allows user namespaces, so mounts within them too.
common=1,3,4,5,7,8,9,15,17,19,21,23,35,40,41,42,53,65,67,68,85
as_root=$common,13,37,38,39,60,62,86

if engine_podman_ready; then
	engine_import podman localhost/escape:1 "$tmp/image.tar" || bail "$engine_why"
	escape podman 'namespace landlock' "$as_root,2,11,12,14,18,22"
	escape podman namespace "$common,2,11,12,13,14,18,22" --user 65534:65534
else
	skip "podman: $engine_why"
fi
if engine_rootless_ready; then
	engine_import rootless localhost/escape:1 "$tmp/image.tar" || bail "$engine_why"
	escape rootless 'namespace landlock' "$common,2,11,12,13,14,18,22,62,86"
else
	skip "rootless: $engine_why"
fi
if engine_docker_start; then
	engine_import docker localhost/escape:1 "$tmp/image.tar" || bail "$engine_why"
	escape docker landlock "$as_root,16"
	escape docker landlock "$common,16" --user 65534:65534
	# Where the old root cannot be dropped, it must be out of reach all the same.
	escape docker namespace "$as_root,11,12,14,16,18,22" --cap-add SYS_ADMIN
else
	skip "docker: $engine_why"
fi
done_testing
