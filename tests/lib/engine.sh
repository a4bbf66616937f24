# shellcheck shell=sh
# Container engines for tests: source it after tap.sh. Nothing is shared with the machine's own
# engines or with another test: storage, state, locks and sockets live in $tmp, and are gone at
# the end of the script however it ends.
#
#	. "$SBX_ROOT/tests/lib/tap.sh"
#	. "$SBX_ROOT/tests/lib/engine.sh"
#	engine_podman_ready || skip_all "$engine_why"
#	engine_rootfs "$tmp/image.tar"                     # busybox; more files: NAME=FILE...
#	engine_import podman localhost/box:1 "$tmp/image.tar"
#	timeout 60 podman run --rm --network none localhost/box:1 true
#
# It sets: CONTAINERS_CONF, CONTAINERS_STORAGE_CONF and CONTAINERS_REGISTRIES_CONF (podman, for
# this user), DOCKER_HOST (docker) and, when something cannot be had, $engine_why.
# Every engine call of a test belongs under `timeout`.

: "${tmp:?source tap.sh first}" "${tap_user:?}"
engine_why=''
: "$engine_why"
engine_dockerd=''
engine_docker_dir=''
engine_podman_dir=''
engine_user_dir=''

# engine_conf DIR: containers.conf and storage.conf whose every path is below DIR.
# crun refuses hybrid cgroups and systemd may not be there: runc and cgroupfs are the pair that
# works everywhere. A machine without CAP_SYS_RESOURCE cannot raise podman's default limits.
# Locks in shared memory would be the other tests' too (each fresh store frees all of them).
engine_conf() {
	mkdir -p "$1/run" "$1/tmp" "$1/graph" "$1/volumes"
	cat >"$1/containers.conf" <<EOF
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
tmp_dir = "$1/tmp"
volume_path = "$1/volumes"
EOF
	cat >"$1/storage.conf" <<EOF
[storage]
driver = "overlay"
graphroot = "$1/graph"
rootless_storage_path = "$1/graph"
runroot = "$1/run"
EOF
	# The real file, if there is one, asks registries for a name without one.
	printf 'unqualified-search-registries = []\n' >"$1/registries.conf"
}

# engine_podman_ready: podman of the calling user with an own store in $tmp.
engine_podman_ready() {
	engine_has podman podman && engine_has runc runc || return 1
	engine_podman_dir=$tmp/podman
	engine_conf "$engine_podman_dir"
	export CONTAINERS_CONF="$engine_podman_dir/containers.conf"
	export CONTAINERS_STORAGE_CONF="$engine_podman_dir/storage.conf"
	export CONTAINERS_REGISTRIES_CONF="$engine_podman_dir/registries.conf"
	at_exit engine_podman_stop
	engine_try timeout -k 5 60 podman info
}

# engine_podman_stop: containers, mounts and files of engine_podman_ready.
engine_podman_stop() {
	[ -n "$engine_podman_dir" ] || return 0
	timeout -k 5 60 podman rm --all --force --time 0 >/dev/null 2>&1 </dev/null
	engine_unmount "$engine_podman_dir"
	engine_podman_dir=''
}

# engine_rootless_ready: the same for the ordinary user of as_user; then `engine_as_user podman …`.
engine_rootless_ready() {
	engine_has podman podman && engine_has runc runc && engine_has newuidmap uidmap || return 1
	user_home >/dev/null
	engine_user_dir=$tmp/rootless
	engine_conf "$engine_user_dir"
	mkdir -p "$engine_user_dir/xdg"
	chmod 0700 "$engine_user_dir/xdg"
	! tap_is_root || chown -R "$tap_user:" "$engine_user_dir"
	at_exit engine_rootless_stop
	engine_try engine_as_user timeout -k 5 60 podman info
}

# engine_as_user COMMAND [ARG...]: as_user, with the variables that podman needs.
engine_as_user() {
	as_user "XDG_RUNTIME_DIR=$engine_user_dir/xdg" \
		"CONTAINERS_CONF=$engine_user_dir/containers.conf" \
		"CONTAINERS_STORAGE_CONF=$engine_user_dir/storage.conf" \
		"CONTAINERS_REGISTRIES_CONF=$engine_user_dir/registries.conf" "$@"
}

# Rootless podman leaves a process that holds its user namespace, and files of subordinate ids.
engine_rootless_stop() {
	[ -n "$engine_user_dir" ] || return 0
	engine_as_user timeout -k 5 60 podman rm --all --force --time 0 >/dev/null 2>&1 </dev/null
	engine_as_user timeout -k 5 60 podman unshare rm -rf "$engine_user_dir/graph" \
		>/dev/null 2>&1 </dev/null
	find "$engine_user_dir" -name pause.pid 2>/dev/null | while read -r engine_pid; do
		kill -KILL "$(cat "$engine_pid")" 2>/dev/null
	done
	engine_unmount "$engine_user_dir"
	engine_user_dir=''
}

# engine_docker_start [DIR]: a Docker engine of its own (root only). Bridge and firewall are left
# alone: every container runs with --network none.
# shellcheck disable=SC2120 # not every script has a DIR
engine_docker_start() {
	tap_is_root || { engine_why='a Docker engine is started by root only'; return 1; }
	engine_has dockerd docker.io && engine_has docker docker.io || return 1
	engine_docker_dir=${1:-$tmp/docker}
	# podman reads the client's configuration too, and fails where the named one is missing
	mkdir -p "$engine_docker_dir/config"
	printf '{}\n' | tee "$engine_docker_dir/daemon.json" >"$engine_docker_dir/config/config.json"
	export DOCKER_HOST="unix://$engine_docker_dir/sock"
	export DOCKER_CONFIG="$engine_docker_dir/config"
	at_exit engine_docker_stop
	dockerd --iptables=false --ip6tables=false --bridge=none --data-root "$engine_docker_dir/data" \
		--exec-root "$engine_docker_dir/exec" --pidfile "$engine_docker_dir/pid" \
		--cgroup-parent "/sbx-docker-$$" --exec-opt native.cgroupdriver=cgroupfs \
		--default-ulimit nofile=1024:1024 --config-file "$engine_docker_dir/daemon.json" \
		-H "$DOCKER_HOST" >"$engine_docker_dir/log" 2>&1 </dev/null &
	engine_dockerd=$!
	engine_tries=0
	until timeout -k 5 20 docker version >/dev/null 2>&1 </dev/null; do
		engine_tries=$((engine_tries + 1))
		if [ "$engine_tries" -gt 150 ] || ! kill -0 "$engine_dockerd" 2>/dev/null; then
			engine_why="dockerd does not start: $(tail -n 1 "$engine_docker_dir/log")"
			return 1
		fi
		sleep 0.2
	done
}

# engine_docker_stop: the engine ends its containerd; mounts and groups that it forgets go too.
engine_docker_stop() {
	[ -n "$engine_docker_dir" ] || return 0
	if [ -n "$engine_dockerd" ]; then
		timeout -k 5 30 sh -c 'docker ps -aq | xargs -r docker rm -f' >/dev/null 2>&1 </dev/null
		kill -TERM "$engine_dockerd" 2>/dev/null
		engine_tries=0
		while kill -0 "$engine_dockerd" 2>/dev/null && [ "$engine_tries" -lt 100 ]; do
			engine_tries=$((engine_tries + 1))
			sleep 0.1
		done
		kill -KILL "$engine_dockerd" 2>/dev/null
		wait "$engine_dockerd" 2>/dev/null
		find /sys/fs/cgroup -depth -type d -path "*/sbx-docker-$$*" -exec rmdir {} \; 2>/dev/null
	fi
	engine_unmount "$engine_docker_dir"
	engine_dockerd=''
	engine_docker_dir=''
}

# engine_rootfs TARFILE [NAME=FILE...]: an image of the static busybox and its links, /etc/passwd
# with root and nobody, the usual folders, and each FILE as /NAME with mode 0755.
engine_rootfs() {
	engine_tar=$1
	shift
	engine_has busybox busybox-static || return 1
	engine_root=$(mktemp -d "$tmp/rootfs.XXXXXX")
	chmod 0755 "$engine_root"
	mkdir -p "$engine_root/bin" "$engine_root/etc" "$engine_root/tmp" "$engine_root/proc" \
		"$engine_root/dev" "$engine_root/sys" "$engine_root/root"
	chmod 1777 "$engine_root/tmp"
	cp /bin/busybox "$engine_root/bin/busybox"
	for engine_name in $(/bin/busybox --list); do
		[ "$engine_name" = busybox ] || ln -s busybox "$engine_root/bin/$engine_name"
	done
	printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n' \
		>"$engine_root/etc/passwd"
	printf 'root:x:0:\nnogroup:x:65534:\n' >"$engine_root/etc/group"
	for engine_name; do
		mkdir -p "$engine_root/$(dirname -- "${engine_name%%=*}")"
		cp -L "${engine_name#*=}" "$engine_root/${engine_name%%=*}"
		chmod 0755 "$engine_root/${engine_name%%=*}"
	done
	tar -C "$engine_root" --owner=0 --group=0 -cf "$engine_tar" .
	rm -rf -- "$engine_root"
}

# engine_import podman|docker|rootless IMAGE TARFILE: make IMAGE of a file system.
engine_import() {
	case $1 in
	podman) engine_try timeout -k 5 120 podman import "$3" "$2" ;;
	rootless) engine_try engine_as_user timeout -k 5 120 podman import "$3" "$2" ;;
	docker) engine_try timeout -k 5 120 docker import "$3" "$2" ;;
	*) engine_why="engine_import: no engine called $1"; return 1 ;;
	esac
}

# engine_each FUNCTION: call it with podman, rootless and docker as $engine, each with the image
# localhost/box:1 of $tmp/image.tar; what cannot be had here is a skip. ENGINES="docker": only these.
engine_each() {
	for engine in ${ENGINES:-podman rootless docker}; do
		case $engine in
		podman) engine_podman_ready ;;
		rootless) engine_rootless_ready ;;
		docker) engine_docker_start ;;
		esac && engine_import "$engine" localhost/box:1 "$tmp/image.tar" || {
			skip "$engine: $engine_why"
			continue
		}
		engine_state=$tmp/state-$engine
		"$1"
	done
}

# engine_sbx [OPTION...] -- COMMAND...: sbx-run in a container of $engine, with an own state folder.
# Rootless podman cannot limit memory on cgroup v1: it runs with --best-effort.
engine_sbx() {
	if [ "$engine" = rootless ]; then
		engine_as_user "SBX_STATE_DIR=$tap_home/state" SBX_IMAGE=localhost/box:1 \
			timeout -k 5 120 "$SBX_BUILD/sbx-run" -b podman --best-effort "$@"
	else
		SBX_STATE_DIR=$engine_state SBX_IMAGE=localhost/box:1 \
			timeout -k 5 120 "$SBX_BUILD/sbx-run" -b "$engine" "$@"
	fi
}

# engine_program FILE: the same as a program of its own, for pipes and signals; it becomes sbx-run.
engine_program() {
	engine_as=''
	engine_options="-b $engine"
	echo '#!/bin/sh' >"$1"
	if [ "$engine" = rootless ]; then
		engine_options='-b podman --best-effort'
		! tap_is_root || engine_as="setpriv --reuid=$tap_user --regid=$tap_user --clear-groups --"
		engine_as_user "SBX_STATE_DIR=$tap_home/state" SBX_IMAGE=localhost/box:1 env |
			sed "s/^\([A-Za-z_]*\)=\(.*\)/export \1='\2'/" >>"$1"
	else
		echo "export SBX_STATE_DIR='$engine_state' SBX_IMAGE=localhost/box:1" >>"$1"
	fi
	echo "exec $engine_as '$SBX_BUILD/sbx-run' $engine_options" '"$@"' >>"$1"
	chmod 0755 "$1"
}

# engine_bare ARG...: the engine's own command.
engine_bare() {
	case $engine in
	rootless) engine_as_user timeout -k 5 60 podman "$@" ;;
	*) timeout -k 5 60 "$engine" "$@" ;;
	esac
}

# -- their own helpers ---------------------------------------------------------------------

engine_has() {
	command -v "$1" >/dev/null 2>&1 && return 0
	engine_why="$1 is missing (apt-get install $2)"
	return 1
}

# engine_try COMMAND [ARG...]: quiet; what it said last is the reason when it fails.
engine_try() {
	"$@" >"$tmp/.engine" 2>&1 </dev/null && return 0
	engine_why="$*: $(tail -n 1 "$tmp/.engine")"
	return 1
}

# engine_unmount DIR: everything mounted below, the deepest first.
engine_unmount() {
	awk -v dir="$1/" 'index($5, dir) == 1 { print $5 }' /proc/self/mountinfo | sort -r |
		while read -r engine_mount; do
			umount -l "$engine_mount" 2>/dev/null
		done
}
