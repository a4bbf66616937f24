#!/bin/sh
# The folder above the project is somebody else's, who exchanges the project for another one while
# the sandbox starts: what is shown is the folder that was meant, or the run is refused.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python

exchanged() {
	place=$tmp/exchange-$who
	mkdir -p "$place/one" "$place/two"
	echo secret >"$place/two/secret"
	echo own >"$place/one/own"
	chmod -R a+rwX "$place"
	cat >"$tmp/exchange.py" <<'PY'
import ctypes, sys, time
libc = ctypes.CDLL(None, use_errno=True)
one, two = ((sys.argv[1] + name).encode() for name in ("/one", "/two"))
EXCHANGE = 2
end = time.monotonic() + 20
n = 0
while time.monotonic() < end:
    if libc.renameat2(-100, one, -100, two, EXCHANGE) != 0:
        sys.exit("renameat2: %d" % ctypes.get_errno())
    n += 1
    if n == 1:
        open(sys.argv[2], "w").write("moves")
    time.sleep(0.0002)
PY
	rm -f "$tmp/moves"
	# Before they move: then a start may be refused.
	list=''
	for backend in landlock namespace bubblewrap; do
		! usable "$who" "$backend" || list="$list $backend"
	done
	# The project by its descriptor: it is always the folder in which the caller stands.
	cd "$place/one" || bail 'no project'
	backend=native
	sandbox -- cat ../two/secret
	is "$out" secret "$who: control: native reads what lies beside the project"
	"$py" -I -S "$tmp/exchange.py" "$place" "$tmp/moves" &
	mover=$!
	reap "$mover"
	within 10 test -s "$tmp/moves" || bail 'nothing moves'
	for backend in $list; do
		runs=100
		[ "$backend:${SBX_MODE:-release}" = landlock:release ] || runs=15
		# One process that starts them all: a hundred shells would take too long.
		run as "$who" "$py" -I -S -c 'import collections, subprocess, sys
seen = collections.Counter()
for i in range(int(sys.argv[1])):
    r = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    seen["secret" if b"secret" in r.stdout else
         "refused" if r.returncode == 125 else "ran"] += 1
print(*(seen[name] for name in ("secret", "ran", "refused")))' \
			"$runs" "$sbx" -q -b "$backend" -- sh -c \
			"cat secret ../one/secret ../two/secret $place/one/secret $place/two/secret"
		is "${out%% *}" 0 "$who, $backend: of $runs starts none reads the other folder" ||
			diag "read it, ran without, refused: $out"
		# shellcheck disable=SC2086 # three numbers
		set -- $out
		is $(($1 + $2 + $3)) "$runs" "$who, $backend: control: so many there were"
	done
	ok "$who: control: the folders moved all the time" kill -0 "$mover"
	kill "$mover"
	wait "$mover" 2>/dev/null
	cd "$tmp/p-$who" || bail 'no project folder'
}
each_caller exchanged
done_testing
