#!/bin/sh
# Attacks on other processes: 1-9, 19, 21, 69 and kill(-1), which the attack program calls 99.
. "${SBX_ROOT:-$(dirname -- "$0")/../..}/tests/escape/lib.sh"

numbers=1,2,3,4,5,7,8,9,19,21
wrap="$attack fds"

build_folders root
start_victim root
control root "$numbers" <<'END'
8.pid1-write the file of a running process is busy
8.pid1-reopen the file of a running process is busy
8.parent-write the file of a running process is busy
8.parent-reopen the file of a running process is busy
21.file-capability the caller has uid 0 already
END
stop_victim
build_folders "$tap_user"
start_victim user
control user 21 <<'END'
21.capabilities an ordinary user has none to lose
END
# Secrets in argv, and a signal to everybody: the shell is parent and pid 1 of a host of its own.
unshare --pid --fork --kill-child --mount-proc sh -c '"$@"; :' sh "$attack" 6 "yranac=$yranac" x \
	"$canary" >"$lines"
judge control 'control as pid 1' "$lines" /dev/null
# shellcheck disable=SC2016 # the inner shell's variables
unshare --pid --fork --kill-child --mount-proc \
	sh -c 'sleep 60 & "$@"; sleep 0.1; kill -0 $! || echo gone' \
	sh "$attack" 99 >"$lines" 2>/dev/null
is "$(tail -n 1 "$lines")" gone 'control: kill(-1) reaches a neighbour'
stop_victim

assert_layers() {
	read -r must may <<-END
		$(expected_missing "$1" "$2")
	END
	judge layers "$label" "$result" "$must" "$may"
}

# Each in a run of its own: 6 has the canary inside by wish, 99 ends what is near.
extra_asserts() {
	case $1 in
	*-no-userns) ;; # what is left without is for the resource and the places tests to say
	*) assert_layers "$1" "$2" ;;
	esac
	attack_in "$1" "$2" 6 --env "ESCAPE_ARGUMENT=$canary"
	attack_in "$1" "$2" 99
	is "$(grep -c '99.kill-all' "$lines")/$rc/$(result_field reason)" 1/0/exit \
		"$label: the runner survives kill(-1) and reports"
}

attack_everywhere "$numbers"

# What native promises although it isolates nothing: environment and descriptors.
for world in root user; do
	build_folders "$(owner_of "$world")"
	start_victim "$world"
	attack_in "$world" native 5,9
	assert_layers "$world" native
	attack_in "$world" native 6 --env "ESCAPE_ARGUMENT=$canary"
	assert_host "$label"
	stop_victim
done

done_testing
