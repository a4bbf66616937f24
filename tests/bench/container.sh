#!/bin/sh
# What sbx adds to a container engine: paired runs of the same image and the same options, with sbx and by the bare
# engine, medians and their difference. ROUNDS=n for more or fewer. Starts the engines itself, as the tests do.
# Prints only; a promise that is not met is marked, and with BENCH_STRICT=1 makes the exit status 1.
. "$SBX_ROOT/tests/lib/tap.sh"
. "$SBX_ROOT/tests/lib/engine.sh"

rounds=${ROUNDS:-40}
limit_ms=15
missed=0
run=$SBX_BUILD/sbx-run
spawn=$SBX_BUILD/tests/bench/spawn
export SBX_STATE_DIR="$tmp/state" SBX_IMAGE=localhost/box:1

# bare ENGINE: the engine's own words for the same container, one a line, without our program in it
bare() {
	"$run" --print-seccomp --json >"$tmp/seccomp.json"
	mkdir -p "$tmp/ipc"
	# shellcheck disable=SC2016 # the words are the program's own output
	"$run" -b "$1" --explain -- /bin/true | sed -n 's/^tool: //p' | tr ' ' '\n' | sed \
		-e "s|seccomp=.*/seccomp.json|seccomp=$tmp/seccomp.json|" \
		-e "s|src=[^,]*/ipc,|src=$tmp/ipc,|" \
		-e 's|^/ipc/sbx-init$|/bin/true|' -e 's|^stdio$||' -e "s|'||g" |
		awk '$0 == "--name" { getline; next } $0 != "" { print }'
}

measure() {
	engine=$1
	"$run" -b "$engine" -- /bin/true || return 1 # what the engine says of itself is known now
	old_ifs=$IFS
	IFS='
'
	# shellcheck disable=SC2046 # one word a line
	set -- $(bare "$engine")
	IFS=$old_ifs
	echo "== $engine, $rounds rounds"
	"$spawn" "$rounds" "bare" "$@" @@ "sbx-run" "$run" -b "$engine" -- /bin/true >"$tmp/table" || return 1
	awk -F'\t' -v limit="$limit_ms" '
		{
			printf "  %-12s p50 %7.1f ms   p10 %7.1f ms   processor %6.1f ms\n", $1, $2, $3, $4
			wall[$1] = $2
			cpu[$1] = $4
		}
		END {
			d = wall["sbx-run"] - wall["bare"]
			printf "  %s: added to the bare engine, at most %d ms, measured %.1f ms (processor: %.1f ms)\n",
				d <= limit ? "kept" : "MISSED", limit, d, cpu["sbx-run"] - cpu["bare"]
			exit d > limit
		}' "$tmp/table" || missed=1
}

engine_rootfs "$tmp/image.tar" || { echo "$engine_why"; exit 1; }
for name in podman docker; do
	case $name in
	podman) engine_podman_ready ;;
	docker) engine_docker_start ;;
	esac && engine_import "$name" "$SBX_IMAGE" "$tmp/image.tar" && measure "$name" ||
		echo "== $name: not measured: $engine_why"
done
tap_done=1
[ "${BENCH_STRICT:-0}" = 0 ] || exit "$missed"
exit 0
