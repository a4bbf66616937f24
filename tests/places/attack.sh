#!/bin/sh
# attack.sh NUMBERS control|BACKEND: runs in a container, with busybox and the attack program: builds
# things worth attacking below /arena and attacks them, without a sandbox (control) or in one of that
# backend. Leaves /arena/out/NAME.lines and NAME.result, which the test outside judges: what runs
# here may be deceived.
set -u
numbers=$1
name=$2
secret=$ESCAPE_TOKEN
yranac=$(printf '%s' "$secret" | rev)
umask 022

build_folders() {
	rm -rf /arena/project /arena/ro /arena/outside
	mkdir -p /arena/project/mnt /arena/project/sub /arena/ro/rmdir /arena/ro/hidden /arena/outside
	for file in write trunc-open trunc rename rename-out rename-over exchange unlink link meta; do
		echo content >"/arena/ro/$file"
	done
	/arena/attack mark-xattr file=/arena/ro/meta
	for folder in /arena/outside /arena/ro/hidden; do
		printf '%s\n' "$secret" >"$folder/secret"
		cp /arena/attack "$folder/tool"
		ln -s secret "$folder/link"
	done
	echo unchanged >/arena/outside/canary
	ln -s /arena/outside/canary /arena/project/to-canary
	ln -s /arena/outside /arena/project/to-outside
	ln -s /arena/outside/secret /arena/project/to-secret
	ln -s /arena/outside/missing /arena/project/to-missing
	ln -s /arena/ro /arena/project/to-ro
	cp /arena/attack /arena/project/attack
	cp /arena/attack /arena/project/set-uid
	chmod 4755 /arena/project/set-uid
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
	rm -f /arena/out/victim /arena/out/listener
	/arena/attack victim info=/arena/out/victim root=/arena/project secret=/arena/outside/secret \
		"yranac=$yranac" ipc_key=0x5b7 mq=/sbx-places-mq &
	helpers=$!
	: >/arena/out/heard
	/arena/attack listen info=/arena/out/listener log=/arena/out/heard net=no \
		abstract=sbx-places-abstract /arena/outside/socket &
	helpers="$helpers $!"
	wait_for /arena/out/victim
	wait_for /arena/out/listener
	read -r victim_word scratch_word </arena/out/victim
}

stop_helpers() {
	# shellcheck disable=SC2086 # a list of numbers
	kill $helpers
	wait
	rm -f /arena/outside/socket*
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
	set -- /sbx-run -b "$name" --root /arena/project --ro /arena/ro -t 60 \
		--result "/arena/out/$name.result" --
	;;
esac
/arena/attack fds "$@" /arena/project/attack "$numbers" root=/arena/project ro=/arena/ro \
	outside=/arena/outside secret=/arena/outside/secret hidden=/arena/outside \
	"secret_inode=$(stat -c %i /arena/outside/secret)" "$victim_word" "$scratch_word" \
	ipc_key=0x5b7 mq=/sbx-places-mq binary=/sbx "yranac=$yranac" \
	abstract=sbx-places-abstract dns_name=secret.attacker.example \
	etc_canary=/etc/sbx-canary opt_canary=/opt/sbx-canary \
	small=/arena/project/mnt "pid1=$(cat /proc/1/comm)" \
	>"/arena/out/$name.lines" 2>"/arena/out/$name.stderr" </dev/null
echo "$?" >"/arena/out/$name.status"
# Where the attacks had their way nothing may be as it was.
[ "$name" = control ] && exit 0
stop_helpers
