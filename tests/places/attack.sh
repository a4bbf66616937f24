#!/bin/sh
# attack.sh NUMBERS control|BACKEND: runs in a container, with busybox and the attack program: builds
# things worth attacking below /work and attacks them, without a sandbox (control) or in one of that
# backend. Leaves /work/out/NAME.lines and NAME.result, which the test outside judges: what runs
# here may be deceived.
set -u
numbers=$1
name=$2
secret=$ESCAPE_TOKEN
yranac=$(printf '%s' "$secret" | rev)
umask 022

build_folders() {
	rm -rf /work/root /work/ro /work/outside
	mkdir -p /work/root/mnt /work/root/sub /work/ro/rmdir /work/ro/hidden /work/outside
	for file in write trunc-open trunc rename rename-out rename-over exchange unlink link meta; do
		echo content >"/work/ro/$file"
	done
	/work/attack mark-xattr file=/work/ro/meta
	for folder in /work/outside /work/ro/hidden; do
		printf '%s\n' "$secret" >"$folder/secret"
		cp /work/attack "$folder/tool"
		ln -s secret "$folder/link"
	done
	echo unchanged >/work/outside/canary
	ln -s /work/outside/canary /work/root/to-canary
	ln -s /work/outside /work/root/to-outside
	ln -s /work/outside/secret /work/root/to-secret
	ln -s /work/outside/missing /work/root/to-missing
	ln -s /work/ro /work/root/to-ro
	cp /work/attack /work/root/attack
	cp /work/attack /work/root/set-uid
	chmod 4755 /work/root/set-uid
}

wait_for() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ -s "$1" ] && return 0
		sleep 0.1
	done
	echo "attack.sh: no $1" >&2
	exit 99
}

# Processes and sockets of the container that the command has nothing to do with.
start_helpers() {
	rm -f /work/out/victim /work/out/listener
	/work/attack victim info=/work/out/victim root=/work/root secret=/work/outside/secret \
		"yranac=$yranac" ipc_key=0x5b7 mq=/sbx-places-mq &
	helpers=$!
	: >/work/out/heard
	/work/attack listen info=/work/out/listener log=/work/out/heard net=no \
		abstract=sbx-places-abstract /work/outside/socket &
	helpers="$helpers $!"
	wait_for /work/out/victim
	wait_for /work/out/listener
	read -r victim_word scratch_word </work/out/victim
}

stop_helpers() {
	# shellcheck disable=SC2086 # a list of numbers
	kill $helpers
	wait
	rm -f /work/outside/socket*
}

build_folders
start_helpers
case $name in
control)
	# A shell stays as the parent: it is a target too.
	# shellcheck disable=SC2016 # the inner shell's
	set -- sh -c '"$@"; :' sh
	;;
*)
	set -- /sbx-run -b "$name" --root /work/root --ro /work/ro -t 60 \
		--result "/work/out/$name.result" --
	;;
esac
/work/attack fds "$@" /work/root/attack "$numbers" root=/work/root ro=/work/ro \
	outside=/work/outside secret=/work/outside/secret hidden=/work/outside \
	"secret_inode=$(stat -c %i /work/outside/secret)" "$victim_word" "$scratch_word" \
	ipc_key=0x5b7 mq=/sbx-places-mq binary=/sbx "yranac=$yranac" \
	abstract=sbx-places-abstract dns_name=secret.attacker.example \
	etc_canary=/etc/sbx-canary opt_canary=/opt/sbx-canary \
	small=/work/root/mnt "pid1=$(cat /proc/1/comm)" \
	>"/work/out/$name.lines" 2>"/work/out/$name.stderr" </dev/null
echo "$?" >"/work/out/$name.status"
# Where the attacks had their way nothing may be as it was.
[ "$name" = control ] && exit 0
stop_helpers
