#!/bin/sh
# sbx-probe: what it says of a named backend, of limits and groups of an ordinary user, and of an engine
# that does not answer.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

probe=$SBX_BUILD/sbx-probe
# LeakSanitizer ends a program that may not ptrace itself, as ours may not in a sandbox.
if [ "${SBX_MODE:-release}" = asan ]; then
	pass 'the release build runs these'
	done_testing
fi

# --- a backend that is used by name only -----------------------------------------------------

if [ -z "$(PATH=/usr/local/sbin:/usr/sbin:/sbin:$PATH command -v sandbox-exec)" ]; then
	run env -u SBX_SANDBOX_EXEC "$probe" -b sandbox_exec
	is "$rc" 1 '-b sandbox_exec without a sandbox-exec'
	like "$out" '^  sandbox_exec +no ' 'has its row'
	like "$out" 'why: sandbox-exec is a program of macOS' 'and its reason'
else
	skip 'this machine has a sandbox-exec'
fi
(
	use_stand_in
	run "$probe" -b seatbelt
	like "$rc:$out" '^  sandbox_exec +yes  ran a command'
	[ "$rc" = 0 ]
) >"$tmp/stand-in.out" 2>&1
is "$?" 0 '-b seatbelt with a stand-in' || diag "$(cat "$tmp/stand-in.out")"
run "$probe" -b native
is "$rc:$(printf '%s\n' "$out" | sed -n '/^backends/,/^$/s/^  \([a-z_]*\) .*/\1/p')" 0:native '-b native: one row'
run "$probe" -b nonsense
is "$rc:$out" 125: '-b of none'

# --- limits and groups -----------------------------------------------------------------------

for who in $callers; do
	run as "$who" "$probe"
	lacking=$(printf '%s\n' "$out" | sed -n '/^backends/q; s/^  \(memory\|pids\|cpu\) *no .*/ \1/p' | tr -d '\n')
	want=''
	[ -z "$lacking" ] || want="limits that cannot be kept:$lacking"
	is "$(printf '%s\n' "$out" | sed -n '/^auto takes/s/.*; //p')" "$want" "$who: auto: the limits without a yes"
done
is_portable || ! tap_is_root || ! command -v setpriv >/dev/null || for groups in 65534 65534,4 4; do
	run setpriv --reuid 65534 --regid 65534 --groups "$groups" "$probe" -b native
	case $groups in
	65534) unlike "$out" 'other groups stay' 'a user without other groups' ;;
	*) like "$out" "^  user_ns .*; the caller's other groups stay" "a user with the groups $groups" ;;
	esac
done

# --- an engine that does not answer ----------------------------------------------------------

mkdir "$tmp/bin"
cat >"$tmp/bin/docker" <<'SH'
#!/bin/sh
echo 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?' >&2
exit 1
SH
chmod 0755 "$tmp/bin/docker"
run env -u SBX_IMAGE SBX_RUNTIME="$tmp/bin/docker" SBX_STATE_DIR="$tmp/state" "$probe" -b container
is "$rc" 1 '-b container: an engine that does not answer'
like "$out" 'why: docker does not work here: Cannot connect .* Is the ….*docker info' 'what it said ends at a word'
done_testing
