#!/bin/sh
# The speed table: paired runs (A B C A B C …) against what is installed, medians and ratios. Absolute times mean
# nothing on a shared machine; the ratios are what the promises are about. ROUNDS=n for more or fewer.
# Prints only; a promise that is not met is marked, and with BENCH_STRICT=1 makes the exit status 1.
# shellcheck disable=SC2086 # $rules and $bwrap_args are one argument a line: IFS splits them
set -u
LC_ALL=C
export LC_ALL
# A /tmp in memory, as most systems have it by now: before it makes a new inode, ext4 looks at each one that was deleted
# in the last five seconds, and a loop of runs with a temporary folder each would measure that.
if [ "$(id -u)" = 0 ] && [ "${BENCH_TMP:-}" != private ] && [ "${SBX_BUILD#/tmp/}" = "$SBX_BUILD" ]; then
	exec env BENCH_TMP=private unshare -m sh -c 'mount -t tmpfs -o mode=1777 tmpfs /tmp && exec "$@"' sh "$0" "$@"
fi
rounds=${ROUNDS:-200}
run=$SBX_BUILD/sbx-run
spawn=$SBX_BUILD/tests/bench/spawn
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
mkdir "$dir/project" "$dir/many"
cp "$SBX_BUILD/tests/bench/floor" "$dir/project/floor"
cp "$SBX_BUILD/tests/bench/floor" "$dir/many/floor"
cd "$dir/project" || exit 1
missed=0

# table FILE: the lines of spawn, with the ratio to the line labelled like $2
table() {
	awk -F'\t' -v base="$2" '
		{ label[NR] = $1; wall[NR] = $2; low[NR] = $3; cpu[NR] = $4; rss[NR] = $5; if ($1 == base) b = $2 }
		END {
			printf "  %-34s %9s %9s %9s %9s\n", "", "p50 ms", "p10 ms", "/ " base, "peak KiB"
			for (i = 1; i <= NR; i++)
				printf "  %-34s %9.3f %9.3f %9.2f %9d\n", label[i], wall[i], low[i], wall[i] / b, rss[i]
		}' "$1"
}
# promise FILE A B LIMIT TEXT: p50(A) <= LIMIT * p50(B); RELATION=least turns it round
promise() {
	awk -F'\t' -v a="$2" -v b="$3" -v limit="$4" -v text="$5" -v relation="${RELATION:-most}" '
		$1 == a { x = $2 } $1 == b { y = $2 }
		END {
			if (x == "" || y == "") { printf "  not measured: %s\n", text; exit 0 }
			r = x / y
			good = relation == "most" ? r <= limit : r >= limit
			printf "  %s: %s (at %s %s, measured %.2f)\n", good ? "kept" : "MISSED", text,
				relation, limit, r
			exit !good
		}' "$1" || missed=1
}
have() { command -v "$1" >/dev/null 2>&1; }

bwrap_less() { # the same folders and namespaces
	set -- bwrap --unshare-all --die-with-parent --new-session --cap-drop ALL --proc /proc --dev /dev --tmpfs /tmp \
		--tmpfs "$HOME" --bind "$PWD" "$PWD" --chdir "$PWD"
	for f in /usr /bin /sbin /lib /lib32 /lib64 /etc /opt; do
		if [ -L "$f" ]; then
			set -- "$@" --symlink "$(readlink "$f")" "$f"
		elif [ -d "$f" ]; then
			set -- "$@" --ro-bind "$f" "$f"
		fi
	done
	printf '%s\n' "$@"
}

# What bubblewrap is asked for to give the same: what sbx hides of /proc, and the sizes and names it sets. No option of
# it gives Landlock rules, and the filter is left out, which is in its favour.
bwrap_same() {
	bwrap_less
	printf '%s\n' --hostname sandbox --size 67108864 --tmpfs /dev/shm --remount-ro /
	for f in /proc/sys /proc/sysrq-trigger /proc/irq /proc/bus /proc/fs; do
		[ ! -e "$f" ] || printf '%s\n' --ro-bind "$f" "$f"
	done
	set -- kcore keys kmsg timer_list sched_debug
	[ "$(id -u)" != 0 ] || set -- "$@" slabinfo vmallocinfo pagetypeinfo kpagecount kpageflags kpagecgroup allocinfo
	for f; do
		[ ! -e "/proc/$f" ] || printf '%s\n' --ro-bind /dev/null "/proc/$f"
	done
}

IFS='
'
bwrap_args=$(bwrap_same)
bwrap_fewer=$(bwrap_less)
# the paths that the landlock backend has rules for, so that its floor opens the same ones
rules=$("$run" -b landlock --explain -- ./floor true | sed -n '/^landlock rules:/,/^[a-z]/s/^  \(.*\): .*/\1/p')

echo "== start of a static program, $rounds rounds, uid $(id -u), $(uname -sr)"
set -- "bare spawn" ./floor true \
	@@ "clone3 floor" ./floor ns "$PWD/floor" true \
	@@ "sbx-run -b namespace" "$run" -b namespace -- ./floor true \
	@@ "sbx-run" "$run" -- ./floor true \
	@@ "sbx-run -b native" "$run" -b native -- ./floor true \
	@@ "landlock floor" ./floor landlock $rules -- "$PWD/floor" true \
	@@ "sbx-run -b landlock" "$run" -b landlock -- ./floor true
if have bwrap; then
	set -- "$@" @@ "bwrap" $bwrap_args ./floor true \
		@@ "bwrap, folders and namespaces" $bwrap_fewer ./floor true
	if "$run" -b bubblewrap -- ./floor true 2>/dev/null; then
		set -- "$@" @@ "sbx-run -b bubblewrap" "$run" -b bubblewrap -- ./floor true
	fi
fi
"$spawn" "$rounds" "$@" >"$dir/start" || exit 1
table "$dir/start" bwrap
promise "$dir/start" "sbx-run -b namespace" bwrap 0.45 "-b namespace against bwrap"
promise "$dir/start" "sbx-run -b namespace" "clone3 floor" 3 "-b namespace against the clone3 floor"
promise "$dir/start" "sbx-run" "sbx-run -b namespace" 1.05 "auto against -b namespace"
promise "$dir/start" "sbx-run -b landlock" "landlock floor" 1.5 "-b landlock against its floor"

slow=$((rounds / 10 > 5 ? rounds / 10 : 5))
if have firejail || have podman; then
	echo "== slower peers, $slow rounds"
	set -- "sbx-run -b namespace" "$run" -b namespace -- ./floor true
	if have firejail && firejail --quiet --noprofile --net=none true 2>/dev/null; then
		set -- "$@" @@ firejail firejail --quiet --noprofile --net=none ./floor true
	fi
	if have podman && [ -n "${BENCH_IMAGE:-}" ]; then
		set -- "$@" @@ podman podman --runtime runc run --rm --network none --ulimit nofile=1024:1024 \
			--ulimit nproc=4096:4096 "$BENCH_IMAGE" true
	fi
	"$spawn" "$slow" "$@" >"$dir/slow" && table "$dir/slow" "sbx-run -b namespace"
fi

echo "== 1 GiB of output, 5 rounds"
gib=1073741824
cat >"$dir/cat.sh" <<-END
	#!/bin/sh
	"$PWD/floor" write $gib | cat >/dev/null
END
chmod +x "$dir/cat.sh"
"$spawn" 5 "into cat >/dev/null" "$dir/cat.sh" \
	@@ "sbx-run --json, 1 MiB kept" "$run" --json -b namespace -- ./floor write $gib \
	@@ "sbx-run streaming to /dev/null" "$run" -b namespace -- ./floor write $gib >"$dir/output" || exit 1
table "$dir/output" "into cat >/dev/null"
# 0.7 x the speed is 1 / 0.7 x the time
promise "$dir/output" "sbx-run --json, 1 MiB kept" "into cat >/dev/null" 1.43 "capture of 1 GiB against cat"
awk -F'\t' '
	$1 ~ /^sbx-run/ && $5 > 6144 { bad = 1; print "  MISSED: peak memory of " $1 ": " $5 " KiB" }
	END { if (!bad) print "  kept: peak memory of the runner under 6 MiB"; exit bad }' "$dir/output" || missed=1

echo "== project root of 200,000 files, $rounds rounds"
(cd "$dir/many" && awk 'BEGIN { for (i = 0; i < 200; i++) { system("mkdir d" i) } }' &&
	for d in d*; do
		(cd "$d" && awk 'BEGIN { for (i = 0; i < 1000; i++) { f = "f" i; printf "" >f; close(f) } }')
	done)
"$spawn" "$rounds" "small root" "$run" -b namespace -- ./floor true \
	@@ "200,000 files" "$run" -b namespace --root "$dir/many" -- ./floor true >"$dir/files" || exit 1
table "$dir/files" "small root"
promise "$dir/files" "200,000 files" "small root" 1.1 "no measurable cost of a large root"

if have bwrap && [ "$(id -u)" = 0 ]; then
	echo "== in a mount namespace with 5,000 mounts, $slow rounds"
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare -m sh -c '
		mkdir "$1/m" && mount -t tmpfs -o size=64m tmpfs "$1/m" || exit 1
		i=0
		while [ $i -lt 5000 ]; do mkdir "$1/m/$i"; i=$((i + 1)); done
		i=0
		while [ $i -lt 5000 ]; do mount --bind "$1/m/$i" "$1/m/$i" || exit 1; i=$((i + 1)); done
		shift
		exec "$@"
	' sh "$dir" "$spawn" "$slow" "clone3 floor" ./floor ns "$PWD/floor" true \
		@@ "sbx-run -b namespace" "$run" -b namespace -- ./floor true \
		@@ "bwrap" $bwrap_args ./floor true >"$dir/mounts" && {
		table "$dir/mounts" bwrap
		promise "$dir/mounts" "sbx-run -b namespace" bwrap 0.6 "5,000 mounts, -b namespace against bwrap"
	}
fi
[ "${BENCH_STRICT:-0}" = 0 ] || exit "$missed"
exit 0
