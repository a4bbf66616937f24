#!/bin/sh
# Nothing that stands on the other side of our descriptors can hold the runner: a reader that never
# reads, a FIFO without another side, a file that must not grow.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python

# stuck.py HOW SBX BACKEND...: start all of them at once, say "BACKEND KIND STATUS" of each, where
# "hung" is the status of what had to be killed.
cat >"$tmp/stuck.py" <<'PY'
import os, pty, signal, socket, subprocess, sys, time
how, sbx, backends = sys.argv[1], sys.argv[2], sys.argv[3:]

def fill(fd):
    os.set_blocking(fd, False)
    try:
        while True:
            os.write(fd, b"x" * 4096)
    except BlockingIOError:
        pass
    os.set_blocking(fd, True)

def make(kind):
    if kind == "socketpair":
        a, b = socket.socketpair()
        return a.detach(), b.detach()
    if kind == "pty":
        return pty.openpty()
    return os.pipe()

keep, runs = [], []
for backend in backends:
    for kind in ("socketpair", "pty", "pipe", "stderr"):
        ours, theirs = make(kind)
        keep.append(ours)
        out = err = subprocess.DEVNULL
        if kind == "stderr":
            err = theirs
        else:
            out = theirs
        redirect = " >&2" if kind == "stderr" else ""
        if how == "timeout":
            argv = ["-t", "1s", "--kill-grace", "0", "--", "sh", "-c", "yes" + redirect]
        else: # the command itself ends at once, what it wrote cannot go anywhere
            fill(theirs)
            argv = ["--", "sh", "-c", "echo hi" + redirect]
        p = subprocess.Popen([sbx, "-q", "-b", backend] + argv, stdin=subprocess.DEVNULL,
                             stdout=out, stderr=err)
        os.close(theirs)
        runs.append((backend, kind, p))
if how == "term":
    time.sleep(1)
    for backend, kind, p in runs:
        if p.poll() is None:
            p.terminate()
end = time.monotonic() + (5 if how == "timeout" else 3)
while time.monotonic() < end and any(p.poll() is None for _, _, p in runs):
    time.sleep(0.02)
for backend, kind, p in runs:
    status = p.poll()
    if status is None:
        p.kill()
        p.wait()
        status = "hung"
    print(backend, kind, status)
PY

stuck() {
	list=''
	for backend in native landlock namespace bubblewrap; do
		! usable "$who" "$backend" || list="$list $backend"
	done
	# shellcheck disable=SC2086 # words without blanks
	run as "$who" "$py" -I -S "$tmp/stuck.py" timeout "$sbx" $list
	printf '%s\n' "$out" >"$tmp/lines"
	while read -r backend kind status; do
		is "$status" 124 "$who, $backend: -t ends it though nobody reads ($kind)"
	done <"$tmp/lines"
	# shellcheck disable=SC2086
	run as "$who" "$py" -I -S "$tmp/stuck.py" term "$sbx" $list
	printf '%s\n' "$out" >"$tmp/lines"
	while read -r backend kind status; do
		isnt "$status" hung "$who, $backend: SIGTERM ends it after the command ended ($kind)"
	done <"$tmp/lines"
}
each_caller stuck

# bounded ARG...: sbx-run, which is killed after five seconds (status 137).
bounded() {
	run as "$who" timeout -s KILL 5 "$sbx" -b "$backend" "$@"
}

fifos() {
	as "$who" mkfifo fifo
	bounded --stdin fifo -- sh -c ': >ran; cat'
	is "$rc:$out" 125: "$at: --stdin of a FIFO without a writer is refused at once"
	like "$err" '^sbx-run: .*fifo' "$at: --stdin of a FIFO: and named"
	bounded --result fifo -- sh -c ': >ran'
	is "$rc:$out" 125: "$at: --result to a FIFO without a reader is refused at once"
	like "$err" '^sbx-run: .*fifo' "$at: --result to a FIFO: and named"
	ok "$at: nothing was run" test ! -e ran
	(cat fifo >"$tmp/read" 2>/dev/null) &
	reader=$!
	reap "$reader"
	bounded --stdin fifo -- true
	isnt "$rc" 137 "$at: control: also with another side nothing hangs"
	rm -f fifo ran
}
each_run fifos

# A limit of the caller's: SIGXFSZ would end us without a word. Messages go through a pipe.
limited() {
	status=0
	text=$( (
		: >"$tmp/limited" || exit 99
		ulimit -f 0
		exec 9>>"$tmp/limited"
		rc=0
		as "$who" "$sbx" -b "$backend" -- echo hi 2>&1 >&9 || rc=$?
		exit "$rc"
	) ) || status=$?
	ok "$at: ulimit -f 0: ended by itself (status $status)" test "$status" -lt 128
	isnt "$status" 0 "$at: ulimit -f 0: what could not be written is no success"
	like "$text" '^sbx-run: .' "$at: ulimit -f 0: and a line says so"
	is "$(wc -c <"$tmp/limited" | tr -d ' ')" 0 "$at: ulimit -f 0: control: nothing was written"
}
each_run limited
done_testing
