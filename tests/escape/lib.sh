# shellcheck shell=sh
# What all escape tests share: a throwaway host, things worth attacking on it, one way to run
# attacks outside (the positive control) and inside each backend, and a look at the host afterwards.
# Source it first: it starts the script again inside namespaces of its own, so that an attack that
# gets out meets that host and not the machine. It must not weaken a check to make it pass.

SBX_ROOT=${SBX_ROOT:-$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)}
export SBX_ROOT

if [ "${ESCAPE_INSIDE:-0}" != 1 ] && [ "$(id -u)" = 0 ]; then
	# The canary is a secret of the runner's environment; pid 1 of this host has it too.
	ESCAPE_TOKEN=SBX$(od -An -N12 -tx1 /dev/urandom | tr -d ' \n')
	export ESCAPE_INSIDE=1 ESCAPE_TOKEN
	exec unshare --mount --pid --fork --kill-child --mount-proc --ipc --uts --net -- "$0" "$@"
fi

. "$SBX_ROOT/tests/lib/tap.sh"
tap_is_root || skip_all 'a throwaway host to attack needs root'

escape=$SBX_ROOT/tests/escape
tools=$SBX_BUILD/tests
deny=$tools/lib/deny
sbx_run=$SBX_BUILD/sbx-run
[ -x "$sbx_run" ] || skip_all "$sbx_run is not built"
command -v bwrap >/dev/null 2>&1 || skip_all 'bwrap is missing (apt-get install bubblewrap)'
tap_make_user
user_home >/dev/null

# A test that was killed could not clean up.
find /var/tmp /etc /opt /usr/lib -maxdepth 1 -name 'sbx-escape*.*' -mmin +60 -exec rm -rf -- {} +
find /sys/fs/cgroup -name 'escape.*' -type d -mmin +60 -exec rmdir -- {} + 2>/dev/null
# Beside /tmp, since the view has a /tmp of its own: the project lies at its own path.
work=$(mktemp -d /var/tmp/sbx-escape.XXXXXX) || bail 'no work folder'
chmod 0755 "$work"
attack=$work/attack
cp "$tools/escape/attack" "$attack" || bail 'the attack program is not built'
canary=$ESCAPE_TOKEN
yranac=$(printf '%s' "$canary" | rev)
sbx_hash=$(sha256sum <"$SBX_BUILD/sbx")
host_name=$(hostname)
# A name that is unique on the machine, where our own pid is 1.
host_tag=${work##*.}
etc_canary=/etc/sbx-escape-canary.$host_tag
opt_canary=/opt/sbx-escape-canary.$host_tag
usr_canary=/usr/lib/sbx-escape-canary.$host_tag

# Groups of our own below the present ones, so that what a runner leaves is known to be ours. Only
# version 1: a group of version 2 may not hold processes and groups with controllers at once.
enter_groups() {
	escape_groups=''
	while IFS=: read -r _ group_names group_path; do
		group_dir=/sys/fs/cgroup/${group_names#name=}$group_path
		case $group_names in
		memory | pids | freezer | cpuacct) ;;
		*) continue ;;
		esac
		[ -e "$group_dir/tasks" ] || continue
		mkdir "$group_dir/escape.$host_tag" 2>/dev/null || continue
		escape_groups="$escape_groups $group_dir/escape.$host_tag"
		echo $$ >"$group_dir/escape.$host_tag/cgroup.procs" || bail "no group in $group_dir"
	done </proc/self/cgroup
}

leave_groups() {
	for group_dir in $escape_groups; do
		echo $$ >"${group_dir%/*}/cgroup.procs"
		rmdir "$group_dir"
	done 2>/dev/null
}

enter_groups

escape_cleanup() {
	leave_groups
	umount -l "$work/ro/alias" 2>/dev/null
	rm -f -- "$etc_canary" "$opt_canary" "$usr_canary"
	rm -rf -- "$work"
}
# tap.sh has its own trap; what it does comes after ours.
trap 'escape_status=$?; escape_cleanup; (exit "$escape_status"); tap_cleanup' EXIT

for escape_file in "$etc_canary" "$opt_canary" "$usr_canary"; do
	(umask 077 && printf '%s\n' "$canary" >"$escape_file")
done

# --- the things to attack --------------------------------------------------------------------

# build_folders OWNER: project/, ro/ (given read-only) and outside/ (not given).
build_folders() {
	umount -l "$work/ro/alias" 2>/dev/null
	rm -rf "$work/project" "$work/ro" "$work/outside"
	mkdir -p "$work/project/mnt" "$work/project/sub" "$work/ro/rmdir" "$work/ro/hidden" \
		"$work/ro/alias" "$work/outside"
	for name in write trunc-open trunc rename rename-out rename-over exchange unlink link \
		meta; do
		echo content >"$work/ro/$name"
	done
	"$attack" mark-xattr "file=$work/ro/meta" || bail 'no user xattr here'
	printf '%s\n' "$canary" >"$work/ro/hidden/secret"
	cp "$attack" "$work/ro/hidden/tool"
	ln -s secret "$work/ro/hidden/link"
	printf '%s\n' "$canary" >"$work/outside/secret"
	printf 'unchanged\n' >"$work/outside/canary"
	cp "$attack" "$work/outside/tool"
	ln -s secret "$work/outside/link"
	ln -s "$work/outside/canary" "$work/project/to-canary"
	ln -s "$work/outside" "$work/project/to-outside"
	ln -s "$work/outside/secret" "$work/project/to-secret"
	ln -s "$work/outside/missing" "$work/project/to-missing"
	ln -s "$work/ro" "$work/project/to-ro"
	cp "$attack" "$work/project/attack"
	chown -R "$1:" "$work/project" "$work/ro" "$work/outside"
	# What root may have left in somebody's project.
	mknod -m 0666 "$work/project/node-zero" c 1 5
	mknod -m 0666 "$work/project/node-disk" b 7 0
	for name in set-uid set-gid file-cap; do
		cp "$attack" "$work/project/$name"
	done
	if [ "$1" = root ]; then
		chown "$tap_user:$tap_user" "$work/project/set-uid" "$work/project/set-gid"
	fi
	chmod 4755 "$work/project/set-uid"
	chmod 2755 "$work/project/set-gid"
	"$attack" grant "file=$work/project/file-cap" || bail 'no file capabilities here'
	mount --bind "$work/ro/hidden" "$work/ro/alias"
	mkdir -p "$work/out"
	rm -f "$work/out"/*
	chown "$1:" "$work/out"
}

# wait_for FILE: a background helper is ready.
wait_for() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ -s "$1" ] && return 0
		sleep 0.1
	done
	bail "no $1"
}

# start_victim WORLD: a process of the same user, with the canary in memory that others can map.
start_victim() {
	rm -f "$work/out/victim"
	world_run "$1" "ESCAPE_TOKEN=$canary" "$attack" victim "info=$work/out/victim" \
		"root=$work/project" "secret=$work/outside/secret" "yranac=$yranac" ipc_key=0x5b7 \
		mq=/sbx-escape-mq &
	victim_job=$!
	wait_for "$work/out/victim"
	read -r victim_word scratch_word <"$work/out/victim"
	victim=${victim_word#victim=}
}

stop_victim() {
	kill "$victim" 2>/dev/null
	wait "$victim_job" 2>/dev/null
	victim=''
}

# owner_of WORLD: whose files the run's folders are.
owner_of() {
	case $1 in
	root | root-*) echo root ;;
	*) echo "$tap_user" ;;
	esac
}

# world_run WORLD [NAME=VALUE...] COMMAND...: as whom, and on what kernel.
world_run() {
	world=$1
	shift
	case $world in
	root) env "$@" ;;
	root-userns) env unshare --user --map-root-user -- env "$@" ;;
	root-no-*) "$deny" "${world#root-no-}" -- env "$@" ;;
	user) as_user "$@" ;;
	userns) as_user unshare --user --map-root-user -- env "$@" ;;
	userns-no-*)
		as_user unshare --user --map-root-user -- "$deny" "${world#userns-no-}" -- env "$@"
		;;
	no-*) as_user "$deny" "${world#no-}" -- env "$@" ;;
	*) bail "no world $world" ;;
	esac
}

# What every attack is told; the word order does not matter.
attack_params() {
	printf '%s\n' "root=$work/project" "ro=$work/ro" "outside=$work/outside" \
		"secret=$work/outside/secret" "hidden=${hidden:-$work/outside}" \
		"secret_inode=$(stat -c %i "${hidden:-$work/outside}/secret")" \
		"victim=${victim:-1}" "${scratch_word:-scratch=0}" ipc_key=0x5b7 mq=/sbx-escape-mq \
		"binary=$SBX_BUILD/sbx" "yranac=$yranac" abstract=sbx-escape-abstract \
		dns_name=secret.attacker.example "etc_canary=$etc_canary" "opt_canary=$opt_canary" \
		"small=$work/project/mnt" "pid1=$(cat /proc/1/comm)"
	# Root's own files below /usr are hidden by id mapping alone, as the README says.
	case ${run_backend:-control}:${run_world:-} in
	control:* | namespace:user | namespace:userns | namespace:userns-no-* | namespace:no-*)
		echo "usr_canary=$usr_canary" ;;
	namespace:root | namespace:root-no-openat2 | namespace:root-no-clone3 | namespace:root-no-landlock)
		echo "usr_canary=$usr_canary" ;;
	esac
}

# $wrap: words put before the runner, such as "attack fds" (none of ours holds a blank).
wrap=''

# control_run WORLD NUMBERS: the attacks without a sandbox; what root mounts goes away with it.
# shellcheck disable=SC2046,SC2086 # one word a line, no blanks
control_run() {
	control_world=$1
	control_numbers=$2
	run_backend=''
	control_jail=''
	[ "$control_world" != root ] || control_jail='unshare --mount --uts --'
	# A shell stays as the parent: it is a target too.
	world_run "$control_world" "ESCAPE_TOKEN=$canary" $control_jail $wrap sh -c '"$@"; :' sh \
		"$attack" "$control_numbers" $(attack_params) <"${stdin:-/dev/null}" >"$lines" \
		2>"$work/out/stderr"
}

# control WORLD NUMBERS <KNOWN: asserts that each attempt works, but those listed with a reason.
control() {
	cat >"$work/known"
	control_run "$1" "$2"
	judge control "control as $1" "$lines" "$work/known"
}

# escape_run WORLD BACKEND NUMBERS [OPTION...]: leaves $lines, $result and $rc.
lines=$work/out/lines
result=$work/out/result
# shellcheck disable=SC2046,SC2086
escape_run() {
	run_world=$1
	run_backend=$2
	run_numbers=$3
	shift 3
	rm -f "$result"
	rc=0
	# native has no view to change
	[ "$run_backend" = native ] || set -- --ro "$work/ro" "$@"
	world_run "$run_world" "ESCAPE_TOKEN=$canary" $wrap "$sbx_run" -b "$run_backend" \
		--root "$work/project" -t 60 --result "$result" "$@" -- \
		"$work/project/attack" "$run_numbers" $(attack_params) \
		<"${stdin:-/dev/null}" >"$lines" 2>"$work/out/stderr" || rc=$?
}

# Asserts what judge.pl says, one line each: "0 NAME" or "1 NAME".
assert_judged() {
	while IFS= read -r judged; do
		case $judged in
		'# '*) diag "${judged#\# }" ;;
		*) tap_result "${judged%% *}" "${judged#* }" ;;
		esac
	done <"$work/judged"
}

# judge ARG...: one verdict of judge.pl.
judge() {
	perl "$escape/judge.pl" "$@" >"$work/judged" || fail "judge.pl $1"
	assert_judged
}

# result_field NAME
result_field() {
	perl "$escape/judge.pl" field "$result" "$1"
}

# expected_missing WORLD BACKEND: "MUST MAY", what the result has to name and what else it may.
expected_missing() {
	case $2 in
	native)
		native_missing=user_ns,mount_ns,pid_ns,net_ns,ipc_ns,uts_ns,cgroup_ns,view,proc
		echo "$native_missing,metadata,landlock,seccomp" \
			capabilities,no_new_privs,die_with_runner
		;;
	landlock) echo "mount_ns,pid_ns,ipc_ns,metadata user_ns,net_ns,uts_ns,cgroup_ns,proc" ;;
	namespace | bubblewrap)
		case $1 in
		*no-landlock) echo 'landlock -' ;;
		*) echo '- -' ;;
		esac
		;;
	esac
}

# is_refusal_right WORLD BACKEND: yes, no, or maybe: must the backend refuse there?
is_refusal_right() {
	case $1/$2 in
	*no-landlock/landlock) echo yes ;;
	no-userns/namespace | no-userns/bubblewrap) echo yes ;;
	*-no-userns/namespace | *-no-userns/bubblewrap) echo maybe ;;
	*) echo no ;;
	esac
}

# attack_in WORLD BACKEND NUMBERS [OPTION...]: one sandbox start, one assertion a number.
attack_in() {
	label="$2 as $1"
	refusal=$(is_refusal_right "$1" "$2")
	escape_run "$@"
	if [ "$rc" = 125 ] && [ "$refusal" != no ]; then
		is "$(cat "$lines")" '' "$label: refused, nothing was run"
		isnt "$(result_field error_message)" '' "$label: the refusal gives its reason"
		return 0
	fi
	if [ "$refusal" = yes ]; then
		fail "$label: must be refused with 125, was $rc"
		return 0
	fi
	judge sandbox "$label" "$lines" "$result" "$3"
	[ ! -s "$work/out/stderr" ] || diag "$label: $(head -n 3 "$work/out/stderr")"
}

# sbx WORLD BACKEND [OPTION...] -- COMMAND...: a plain run; sets rc, elapsed_ms; the result is JSON.
sbx() {
	sbx_world=$1
	sbx_backend=$2
	shift 2
	rm -f "$result"
	rc=0
	begin_ms=$(date +%s%3N)
	world_run "$sbx_world" "ESCAPE_TOKEN=$canary" "$sbx_run" -b "$sbx_backend" \
		--root "$work/project" --result "$result" "$@" <"${stdin:-/dev/null}" >"$lines" \
		2>"$work/out/stderr" || rc=$?
	# shellcheck disable=SC2034 # for the caller
	elapsed_ms=$(($(date +%s%3N) - begin_ms))
	label="$sbx_backend as $sbx_world"
}

# The worlds in which every attack is tried.
worlds='root user userns root-userns'
for word in openat2 clone3 landlock mountapi userns; do
	worlds="$worlds root-no-$word no-$word userns-no-$word"
done

# attack_everywhere NUMBERS [WORLDS]: every world and every backend that isolates. A test may define
# anew what happens around a world, the extra options of a backend, and what follows a run.
attack_everywhere() {
	for world in ${2:-$worlds}; do
		build_folders "$(owner_of "$world")"
		start_victim "$world"
		before_world "$world"
		for backend in namespace landlock bubblewrap; do
			# shellcheck disable=SC2046 # words without blanks
			attack_in "$world" "$backend" "$1" $(extra_options "$backend")
			[ "$rc" = 125 ] || extra_asserts "$world" "$backend"
			assert_host "$backend as $world"
		done
		after_world "$world"
		stop_victim
	done
}

before_world() {
	:
}

after_world() {
	:
}

extra_options() {
	:
}

extra_asserts() {
	:
}

# --- the host afterwards ---------------------------------------------------------------------

# assert_host LABEL: canaries, name, binary, processes, cgroups.
assert_host() {
	host_wrong=''
	[ "$(cat "$work/outside/canary")" = unchanged ] || host_wrong="$host_wrong outside/canary"
	host_names=$(cd "$work/outside" && find . | grep -v '/socket' | sort | tr '\n' ' ')
	[ "$host_names" = '. ./canary ./link ./secret ./tool ' ] ||
		host_wrong="$host_wrong $host_names"
	[ "$(hostname)" = "$host_name" ] || host_wrong="$host_wrong hostname"
	[ "$(sha256sum <"$SBX_BUILD/sbx")" = "$sbx_hash" ] || host_wrong="$host_wrong sbx-binary"
	for host_path in /etc/ld.so.preload /etc/.attack-62 /usr/bin/.attack-62 /opt/.attack-62 \
		/.attack-62; do
		[ ! -e "$host_path" ] || host_wrong="$host_wrong $host_path"
	done
	if [ -n "${victim:-}" ] && ! kill -0 "$victim" 2>/dev/null; then
		host_wrong="$host_wrong victim"
	fi
	host_left=$(leftovers)
	if [ -n "$host_left" ]; then
		host_wrong="$host_wrong processes: $host_left"
		kill_leftovers
	fi
	host_groups=$(leftover_groups)
	[ -z "$host_groups" ] || host_wrong="$host_wrong cgroups: $host_groups"
	if [ -n "$(find "$work/project" -perm /6000 ! -name set-uid ! -name set-gid)" ]; then
		host_wrong="$host_wrong set-id file"
	fi
	is "$host_wrong" '' "$1: the host is unchanged and nothing is left"
}

# So that one failure is told once. The numbers are those of the throwaway host.
kill_leftovers() {
	leftovers | tr ';' '\n' | while read -r host_left_pid _; do
		kill -KILL "$host_left_pid" 2>/dev/null
	done
}

# What runners have left below our own groups; it may take them a moment to go.
leftover_groups() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		# shellcheck disable=SC2086 # a list of folders without blanks
		host_left_groups=$(find ${escape_groups:-/nonexistent} -mindepth 1 -type d \
			2>/dev/null)
		[ -n "$host_left_groups" ] || return 0
		sleep 0.1
	done
	printf '%s\n' "$host_left_groups" | tr '\n' ';'
}

# Every process of the throwaway host but this script, its subshells and its helpers. A runner that
# was killed leaves its children to init, which collects them in a moment.
leftovers() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		host_extra=$(ps -e -o pid=,stat=,args= | awk -v self=$$ \
			-v helpers="${helpers:-} ${victim:-}" '
			BEGIN {
				split(helpers, list, " ")
				for (i in list) mine[list[i]] = 1
			}
			{ pid = $1; is_zombie = $2 ~ /^Z/; $1 = $2 = ""; args[pid] = $0 }
			is_zombie || mine[pid] { delete args[pid] }
			/ps -e -o pid=,stat=|awk -v self=/ { delete args[pid] }
			END {
				script = args[self]
				for (pid in args) if (args[pid] != script) print pid args[pid]
			}')
		[ -n "$host_extra" ] || return 0
		sleep 0.1
	done
	printf '%s\n' "$host_extra" | tr '\n' ';'
}
