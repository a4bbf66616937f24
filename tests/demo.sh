#!/bin/sh
# demo.sh: what `make demo` shows: what this machine can enforce, commands that run in the sandbox,
# things that are refused there, limits, and a SandboxResult. Each step knows the exit status that
# it expects; the last line counts the surprises, and the exit status follows it.
# Must not change anything outside its own scratch folder.
set -u

build=${SBX_BUILD:?set by make demo}
run=$build/sbx-run
scratch=$(mktemp -d /var/tmp/sbx-demo.XXXXXX) || exit 1
trap 'rm -rf -- "$scratch"' EXIT
trap 'exit 130' HUP INT TERM
mkdir "$scratch/project" && cd "$scratch/project" || exit 1
printf 'a file of the project\n' >notes.txt
surprises=0

heading() {
	printf '\n== %s\n' "$1"
}

# print_command WORD...: as a person would type it.
print_command() {
	printf '$'
	for word; do
		case $word in
		"$run") printf ' sbx-run' ;;
		*[!A-Za-z0-9_./:=,@+-]*) printf " '%s'" "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	printf '\n'
}

# show WANT COMMAND...: run it; WANT is the exit status, or "denied" for any but 0.
show() {
	want=$1
	shift
	print_command "$@"
	"$@" >"$scratch/out" 2>&1 </dev/null
	status=$?
	awk '{ print "  " $0 }' "$scratch/out"
	case $want:$status in
	denied:0)
		surprises=$((surprises + 1))
		printf '  -> exit status 0: NOT denied, see the probe above\n'
		;;
	denied:*) printf '  -> denied (exit status %d)\n' "$status" ;;
	"$status:$status") printf '  -> exit status %d\n' "$status" ;;
	*)
		surprises=$((surprises + 1))
		printf '  -> exit status %d, expected %s\n' "$status" "$want"
		;;
	esac
}

heading 'what this machine can enforce'
"$build/sbx-probe" || printf '  -> exit status %d\n' "$?"

# The words below are for the shell inside the sandbox, not for this one.
# shellcheck disable=SC2016
{
	heading 'a command runs: the project folder is writable, the status is its own'
	show 0 "$run" -- sh -c 'cat notes.txt; echo made inside >made.txt; ls'
	show 0 cat made.txt
	show 3 "$run" -- sh -c 'exit 3'

	heading 'what is refused'
	show denied "$run" -- touch /usr/bin/planted
	show denied "$run" -- cat /etc/shadow
	show denied "$run" -- chmod 4755 notes.txt
	show denied "$run" -- mount -t tmpfs none .
	show denied "$run" -- unshare --user true
	show denied "$run" -- bash -c 'exec 3<>/dev/tcp/192.0.2.1/80'

	heading 'secrets of the caller do not get in'
	export DEMO_API_TOKEN=not-for-the-sandbox
	show 0 "$run" -- sh -c 'echo "the token is ${DEMO_API_TOKEN:-absent}"'

	heading 'limits: the time is up, the output is cut'
	show 124 "$run" -t 500ms -- sleep 60
	show 0 "$run" --max-output 64 -- sh -c 'head -c 100000 /dev/zero | tr "\0" x'

	heading 'a SandboxResult'
	show 3 "$run" --json -t 10s -- sh -c 'echo to stdout; echo to stderr >&2; exit 3'
}

printf '\n%d surprises\n' "$surprises"
[ "$surprises" = 0 ]
