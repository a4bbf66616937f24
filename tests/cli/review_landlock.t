#!/bin/sh
# Without namespaces the command shares the machine with everything of its user: sockets with a
# path, other terminals, other processes' limits and priorities, the network. What Landlock has no
# rule for must be kept away by other means.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python

mkdir -p "$tmp/outside"
# The sandbox has another /tmp; a project lies elsewhere.
public=$(mktemp -d /tmp/review.XXXXXX) || bail 'no folder in /tmp'
chmod 0755 "$public"
trap 'rm -rf -- "$public"; tap_cleanup' EXIT

# start COMMAND...: in the background as $who; sets $pid, which is that of COMMAND itself.
start() {
	rm -f .pid
	# shellcheck disable=SC2016 # the inner shell's
	as "$who" sh -c 'echo $$ >.pid; exec "$@"' sh "$@" &
	reap $!
	within 20 test -s .pid || bail "not started: $*"
	pid=$(cat .pid)
	rm -f .pid
	reap "$pid"
}

# Sockets of the host that say in a file who reached them.
cat >"$tmp/serve.py" <<'PY'
import os, select, socket, sys
log = open(sys.argv[1], "a", buffering=1)
names = {}
os.umask(0)
def serve(name, s):
    s.listen() if s.type != socket.SOCK_DGRAM else None
    names[s] = name
for place in sys.argv[2:]:
    for kind in ("stream", "dgram", "seqpacket"):
        s = socket.socket(socket.AF_UNIX, getattr(socket, "SOCK_" + kind.upper()))
        s.bind(place + "/" + kind)
        serve(kind, s)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 0))
serve("udp", s)
print(s.getsockname()[1], flush=True)
while True:
    for s in select.select(list(names), [], [])[0]:
        s.recv(100) if s.type == socket.SOCK_DGRAM else s.accept()[0].close()
        log.write(names[s] + "\n")
PY
# reach PLACE PORT: try each way to each of them, and say what works.
reach='import socket, sys
place, port = sys.argv[1], int(sys.argv[2])
U, S, D, Q = socket.AF_UNIX, socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET
def pair_sends():
    a, b = socket.socketpair(U, D)
    a.sendto(b"x", place + "/dgram")
def pair_connects():
    a, b = socket.socketpair(U, D)
    a.connect(place + "/dgram")
    a.send(b"x")
ways = {
    "stream": lambda: socket.socket(U, S).connect(place + "/stream"),
    "seqpacket": lambda: socket.socket(U, Q).connect(place + "/seqpacket"),
    "dgram": lambda: socket.socket(U, D).sendto(b"x", place + "/dgram"),
    "pair-sends": pair_sends,
    "pair-connects": pair_connects,
    "udp": lambda: socket.socket(socket.AF_INET, D).sendto(b"x", ("127.0.0.1", port)),
    "udp6": lambda: socket.socket(socket.AF_INET6, D).sendto(b"x", ("::ffff:127.0.0.1", port)),
}
done = []
for name, way in ways.items():
    try:
        way()
        done.append(name)
    except OSError:
        pass
print(*done)'

sockets() {
	rm -f "$tmp/outside"/* "$public"/* "$tmp/port"
	: >"$tmp/log"
	"$py" -I -S "$tmp/serve.py" "$tmp/log" "$tmp/outside" "$public" >"$tmp/port" &
	reap $!
	within 20 test -s "$tmp/port" || bail 'no listener'
	port=$(cat "$tmp/port")
	backend=native
	sandbox -- "$py" -I -S -c "$reach" "$public" "$port"
	like "$out" '^stream seqpacket dgram pair-sends pair-connects udp' \
		"$who: control: native reaches all of them"
	ok "$who: control: and they say so" within 10 \
		"$py" -I -S -c 'import sys; assert len(open(sys.argv[1]).readlines()) >= 6' "$tmp/log"
	sandbox -- "$py" -I -S -c "$reach" "$tmp/outside" "$port"
	like "$out" '^stream seqpacket dgram pair-sends pair-connects udp' \
		"$who: control: also those outside of /tmp"
	within 10 "$py" -I -S -c 'import sys; assert len(open(sys.argv[1]).readlines()) >= 12' \
		"$tmp/log"
	sleep 0.1
	backend=landlock
	for place in "$tmp/outside" "$public"; do
		for net in none host; do
			: >"$tmp/log"
			sandbox --net "$net" -- "$py" -I -S -c "$reach" "$place" "$port"
			is "$rc:$(printf '%s' "$out" | sed 's/udp6*//g; s/ *$//')" 0: \
				"$who: --net $net: none of them in ${place##*/} is reached"
			sleep 0.1
			is "$(grep -v udp "$tmp/log")" '' "$who: --net $net: and they saw nobody"
		done
	done
	sandbox -- "$py" -I -S -c 'import socket
a, b = socket.socketpair()
a.send(b"pair")
print(b.recv(9).decode())'
	is "$rc:$out" 0:pair "$who: socketpair works"
	# No other option opens the network again.
	printf '{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[]}\n' >all.json
	sandbox --seccomp all.json -- true
	is "$rc" 0 "$who: control: an own list that allows everything"
	for list in none all.json; do
		: >"$tmp/log"
		sandbox --seccomp "$list" -- "$py" -I -S -c "$reach" "$public" "$port"
		unlike "$out" udp "$who: --seccomp $list: no datagram is sent"
		sandbox --best-effort --seccomp "$list" -- "$py" -I -S -c "$reach" "$public" "$port"
		unlike "$out" udp "$who: --seccomp $list --best-effort: nor then"
		sleep 0.1
		is "$(grep udp "$tmp/log")" '' "$who: --seccomp $list: and none came"
	done
	rm -f all.json
}

# A terminal of the same user, on which somebody else works.
terminals() {
	cat >"$tmp/terminal.py" <<'PY'
import os, pty, select, sys
master, slave = pty.openpty()
print(os.ttyname(slave), flush=True)
log = open(sys.argv[1], "wb", buffering=0)
while True:
    log.write(os.read(master, 1000))
PY
	rm -f "$tmp/tty"
	: >"$tmp/typed-$who"
	chmod 0666 "$tmp/typed-$who"
	start "$py" -I -S "$tmp/terminal.py" "$tmp/typed-$who" >"$tmp/tty"
	within 20 test -s "$tmp/tty" || bail 'no terminal'
	tty=$(cat "$tmp/tty")
	open='import os, sys
for mode in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
    try:
        fd = os.open(sys.argv[1], mode | os.O_NOCTTY | os.O_NONBLOCK)
        mode and os.write(fd, b"typed\n")
        print("opened")
    except OSError:
        print("refused")'
	backend=native
	sandbox -- "$py" -I -S -c "$open" "$tty"
	is "$(printf '%s' "$out" | tr '\n' ,)" opened,opened,opened \
		"$who: control: native opens another terminal"
	ok "$who: control: and what it writes is there" within 10 grep -q typed "$tmp/typed-$who"
	backend=landlock
	: >"$tmp/typed-$who"
	sandbox -- "$py" -I -S -c "$open" "$tty"
	is "$rc:$(printf '%s' "$out" | tr '\n' ,)" 0:refused,refused,refused \
		"$who: another terminal cannot be opened"
	sleep 0.1
	is "$(cat "$tmp/typed-$who")" '' "$who: and nothing is written to it"
}

# Limits, processors, scheduling of another process of the user.
others() {
	start setsid sleep 60
	ioprio='import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
IOPRIO_SET = {"x86_64": 251, "aarch64": 30, "riscv64": 30, "armv7l": 314}[os.uname().machine]
def ioprio(which, who):
    if libc.syscall(IOPRIO_SET, which, who, 2 << 13 | 4) != 0:
        raise OSError(ctypes.get_errno(), "ioprio_set")'
	state="$ioprio
import resource, sys
pid = int(sys.argv[1])
print(resource.prlimit(pid, resource.RLIMIT_NOFILE), os.sched_getaffinity(pid),
      os.sched_getscheduler(pid), os.getpriority(os.PRIO_PROCESS, pid),
      libc.syscall(IOPRIO_SET + 1, 1, pid))"
	before=$(as "$who" "$py" -I -S -c "$state" "$pid")
	isnt "$before" '' "$who: control: the state of another process can be told"
	# What the control does to others than its victim leaves them as they are.
	change="$ioprio"'
import errno, resource, sys
pid = int(sys.argv[1])
def limit():
    soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (max(soft - 1, 64), hard))
ways = {}
if pid != 0 and os.getuid() != 0: # 0 is the own user, that is all of his processes
    ways["priority-user"] = lambda: os.setpriority(os.PRIO_USER, 0, 0)
    ways["ioprio-user"] = lambda: ioprio(3, os.getuid())
ways["prlimit"] = limit
ways["affinity"] = lambda: os.sched_setaffinity(pid, [min(os.sched_getaffinity(0))])
ways["scheduler"] = lambda: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))
ways["priority"] = lambda: os.setpriority(os.PRIO_PROCESS, pid, 5)
ways["ioprio"] = lambda: ioprio(1, pid)
if pid != 0:
    ways["priority-group"] = lambda: os.setpriority(os.PRIO_PGRP, pid, 6)
    ways["ioprio-group"] = lambda: ioprio(2, pid)
done = []
for name, way in ways.items():
    try:
        way()
        done.append(name)
    except OSError as e:
        if e.errno != errno.EPERM:
            done.append(name + "=" + errno.errorcode[e.errno])
print(*done)'
	backend=landlock
	sandbox -- "$py" -I -S -c "$change" "$pid"
	is "$rc:$out" 0: "$who: another process cannot be limited or slowed down: EPERM"
	is "$(as "$who" "$py" -I -S -c "$state" "$pid")" "$before" "$who: it is what it was"
	sandbox -- "$py" -I -S -c "$change" 0
	is "$rc:$out" '0:prlimit affinity scheduler priority ioprio' "$who: the own one can"
	sandbox -- sh -c 'ulimit -n 50 && ulimit -n && nice -n 3 nice && nproc >/dev/null && echo yes'
	is "$rc:$(printf '%s' "$out" | tr '\n' ,)" 0:50,3,yes "$who: ulimit, nice and nproc work"
	# shellcheck disable=SC2034 # for sandbox
	backend=native
	start setsid sleep 60
	sandbox -- "$py" -I -S -c "$change" "$pid"
	like "$out" 'prlimit affinity scheduler priority ioprio priority-group ioprio-group$' \
		"$who: control: native does all of it"
	kill "$pid" 2>/dev/null
}

for who in $callers; do
	cd "$tmp/p-$who" || bail 'no project folder'
	if ! usable "$who" landlock; then
		skip "$who: no Landlock here"
		continue
	fi
	sockets
	terminals
	others
done
done_testing
