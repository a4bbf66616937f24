# shellcheck shell=sh
# What the tests of places share: images of this build, one way to start a container with the
# tools in it, and the judging of what it left. Source it first.
SBX_ROOT=${SBX_ROOT:-$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)}
. "$SBX_ROOT/tests/lib/tap.sh"
. "$SBX_ROOT/tests/lib/engine.sh"

places=$SBX_ROOT/tests/places
tap_is_root || skip_all 'the engines are started by root'

# place_tools: what a container gets at /tools.
place_tools() {
	tools=$tmp/tools
	mkdir -p "$tools" "$tmp/marker"
	engine_has busybox busybox-static || return 1
	cp /bin/busybox "$SBX_BUILD/tests/lib/facts" "$places/inside.sh" "$tools/" || return 1
	echo marker >"$tmp/marker/file"
	chmod -R a+rX "$tools" "$tmp/marker"
}

# place_scratch TARFILE: an image FROM scratch: sbx, its links, and nothing else.
place_scratch() {
	scratch=$(mktemp -d "$tmp/scratch.XXXXXX")
	chmod 0755 "$scratch"
	cp "$SBX_BUILD/sbx" "$scratch/sbx"
	ln -s sbx "$scratch/sbx-run"
	ln -s sbx "$scratch/sbx-probe"
	tar -C "$scratch" --owner=0 --group=0 -cf "$1" .
}

# place_busybox TARFILE: the same beside busybox, with the usual folders.
place_busybox() {
	engine_rootfs "$1" sbx="$SBX_BUILD/sbx" sbx-run="$SBX_BUILD/sbx" \
		sbx-probe="$SBX_BUILD/sbx" || bail "$engine_why"
}

# What Landlock alone cannot give.
# shellcheck disable=SC2034 # for the scripts
no_namespaces='user_ns,mount_ns,pid_ns,net_ns,ipc_ns,uts_ns,cgroup_ns,proc,metadata'

# engine_run ENGINE ARG...: a container that is gone afterwards; never for longer than some minutes.
engine_run() {
	engine_name=$1
	shift
	case $engine_name in
	podman) timeout -k 5 300 podman run --rm --network none "$@" ;;
	rootless) engine_as_user timeout -k 5 300 podman run --rm --network none "$@" ;;
	docker) timeout -k 5 300 docker run --rm --network none "$@" ;;
	esac </dev/null
}

# assert_judged COMMAND...: what a judge says, one line each: "0 NAME", "1 NAME" or "# TEXT".
assert_judged() {
	"$@" >"$tmp/judged" || fail "judge: $*"
	while IFS= read -r judged; do
		case $judged in
		'# '*) diag "${judged#\# }" ;;
		*) tap_result "${judged%% *}" "${judged#* }" ;;
		esac
	done <"$tmp/judged"
}

# new_out OWNER: $out, the folder that a place fills.
new_out() {
	out=$(mktemp -d "$tmp/out.XXXXXX")
	mkdir "$out/project"
	chmod -R 0777 "$out"
	chown -R "$1:" "$out"
}

# judge_place LABEL BACKEND MISSING: what inside.sh left in $out. The README has a row for it; with
# SBX_PLACES_TABLE=FILE the row is added to FILE.
judge_place() {
	assert_judged perl "$places/judge.pl" "$1" "$out" "$2" "$3"
	tell_place "$1"
}

tell_place() {
	place_row=$(perl "$places/judge.pl" row "$1" "$out")
	[ -z "${SBX_PLACES_TABLE:-}" ] || printf '%s\n' "$place_row" >>"$SBX_PLACES_TABLE"
	ok "$1: the README tells it" grep -qxF -e "$place_row" "$SBX_ROOT/README.md"
}

# place ENGINE IMAGE BACKEND MISSING [OPTION...]: everything of inside.sh in one container.
place() {
	place_engine=$1
	place_image=$2
	place_backend=$3
	place_missing=$4
	shift 4
	label="$place_engine, $place_image${*:+: $*}"
	place_owner=root
	if [ "$place_engine" = rootless ]; then
		label="rootless podman, $place_image${*:+: $*}"
		place_owner=$tap_user
	fi
	new_out "$place_owner"
	engine_run "$place_engine" -v "$tools:/tools:ro" -v "$out:/out" -v "$tmp/marker:/marker:ro" \
		"$@" "localhost/$place_image:1" /tools/busybox sh /tools/inside.sh >"$out/log" 2>&1
	judge_place "$label" "$place_backend" "$place_missing"
}
