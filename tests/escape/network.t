#!/bin/sh
# Attacks on the network and on the host's sockets: 65 (with its second half, 66), 67, 68, 70.
. "${SBX_ROOT:-$(dirname -- "$0")/../..}/tests/escape/lib.sh"

numbers=65,66,67,68,70
log=$work/out/heard

# A host whose sockets and name server are ours: /run and resolv.conf in this mount namespace only.
mount -t tmpfs none /run
mkdir -p /run/podman /run/containerd /run/libvirt /run/systemd/resolve /run/user /run/nscd \
	/run/mysqld
mkdir -p /tmp/tmux-attack
printf 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n' >"$work/resolv.conf"
[ -e /etc/resolv.conf ] && mount --bind "$work/resolv.conf" /etc/resolv.conf

start_listener() {
	: >"$log"
	chmod 0666 "$log"
	rm -f "$work/out/listener"
	find /run /tmp/tmux-attack -type s -delete
	"$attack" listen "info=$work/out/listener" "log=$log" net=yes abstract=sbx-escape-abstract \
		"$work/outside/socket" /run/docker.sock /run/podman/podman.sock \
		/run/containerd/containerd.sock /run/libvirt/libvirt-sock /run/systemd/private \
		/run/user/bus /run/nscd/socket /run/mysqld/mysqld.sock \
		/run/systemd/resolve/io.systemd.Resolve \
		/tmp/tmux-attack/default &
	helpers=$!
	wait_for "$work/out/listener"
}

stop_listener() {
	kill "$helpers" 2>/dev/null
	wait "$helpers" 2>/dev/null
	helpers=''
	rm -f "$work/outside"/socket*
}

families=''
for family in $(seq 3 46); do
	families="$families
65.family-$family a kernel without this family"
done
for protocol in $(seq 1 22); do
	families="$families
65.netlink-$protocol a kernel without this protocol"
done

build_folders root
start_listener
control root "$numbers" <<END
$families
65.inet-sctp a kernel without SCTP
65.inet-sctp-seq a kernel without SCTP
65.inet-udplite gone since Linux 7.1, or not configured
65.inet-mptcp a kernel without MPTCP
65.inet6-mptcp a kernel without MPTCP
65.inet-dccp a kernel without DCCP
65.inet-l2tp a kernel without L2TP
65.inet-smc a kernel without SMC
65.high-family a kernel without AF_PACKET
65.high-protocol a kernel without MPTCP
65.pair-tipc a kernel without TIPC
66.udp-224.0.0.251-5353 no route for multicast
66.interfaces a namespace of the test has lo only
70.mdns no route for multicast
70.getaddrinfo the listener hears but does not answer
END
sleep 0.2
for kind in 'tcp 0.0.0.0 443' 'udp 0.0.0.0 53' 'tcp 0.0.0.0 53' 'tcp 0.0.0.0 853' 'tcp :: 8053' \
	'unix sbx-escape-abstract' 'unix sbx-escape-abstract.dgram' 'unix /run/docker.sock.seq'; do
	like "$(cat "$log")" "^$kind\$" "control: the listener heard $kind"
done
stop_listener

# heard: what the listener noted since the last call. The tools of the host that look names up ask
# nscd by themselves.
heard() {
	sleep 0.05
	sort -u "$log" | grep -v '^unix /run/nscd/socket$' | tr '\n' ';'
	: >"$log"
}

# Silence on the host's side; then the same with --net host, where the network must be reached: the
# refusal before came from the layer and not from the test.
extra_asserts() {
	unpromised=$(result_field layers | sed -n 's|.*"layer":"view".*|^unix [/]|p')
	is "$(heard | tr ';' '\n' | grep -v "${unpromised:-^\$}")" '' \
		"$label: the host's sockets heard nothing"
	sbx "$1" "$2" --net host -- "$work/project/attack" 66
	like "$(cat "$lines")" '^succeeded: 66.tcp-1.1.1.1-443 ' \
		"$label: with --net host it is reached"
	heard >/dev/null
}

before_world() {
	start_listener
}

after_world() {
	stop_listener
}

attack_everywhere "$numbers"
rm -rf /tmp/tmux-attack

done_testing
