#!/bin/sh
# The landlock backend where no usual place can hold its temporary folder, as in a container whose
# file systems are all read-only.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
tap_is_root || skip_all 'read-only mounts are made by root'

backend=landlock
usable root landlock || skip_all 'landlock does not work here'
mkdir "$tmp/own"

# shut ARG...: sbx-run where only the project and $tmp/own can be written.
shut() {
	# shellcheck disable=SC2016 # the inner shell's
	run unshare --mount -- sh -c '
		mount --bind /var/tmp /var/tmp && mount --bind "$1" "$1" && mount --bind "$2" "$2" &&
		mount -o remount,bind,ro /var/tmp && mount -t tmpfs -o ro none /dev/shm &&
		mount -t tmpfs -o ro none /tmp || exit 99
		cd "$1" && shift 2 && exec "$@"' sh "$tmp/p-root" "$tmp/own" "$@"
}

shut sh -c ': >/tmp/x || : >/var/tmp/x || : >/dev/shm/x'
isnt "$rc" 0 'control: nothing can be written in the usual places'
isnt "$rc" 99 'control: and that was made so'

# shellcheck disable=SC2016
shut "$sbx" -b landlock -- sh -c 'echo "${TMPDIR-none} $HOME"; echo made >made; cat made'
is "$rc:$(printf '%s' "$out" | tr '\n' ,)" '0:none /,made' 'without: the command runs'
like "$err" '^sbx-run: warning: .*the command gets no temporary folder' 'without: and it is told'
ok 'without: the project can be written' test -s made

shut "$sbx" -b landlock --explain -- true
is "$rc" 0 'without: --explain'
like "$out" 'notice: .*no temporary folder' 'without: --explain tells it'

# shellcheck disable=SC2016
shut env "TMPDIR=$tmp/own" "$sbx" -b landlock -- sh -c 'echo "$TMPDIR"; echo x >"$TMPDIR/x"'
is "$rc:$err" 0: 'a TMPDIR of the caller is the last resort'
like "$out" "^$tmp/own/sbx-" 'and it is a private folder in it'
is "$(ls -A "$tmp/own")" '' 'of which nothing is left'

# An earlier command may have put anything there.
mkdir -p "$tmp/p-root/own"
shut env "TMPDIR=$tmp/p-root/own" "$sbx" -b landlock -- true
like "$err" 'the command gets no temporary folder' 'but not a TMPDIR in the project'
nothing_left 'no temporary folder is left'
done_testing
