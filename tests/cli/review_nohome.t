#!/bin/sh
# Where HOME is no folder, or one that cannot be made in the view, the command runs all the same.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

mkdir -p "$tmp/homes"
: >"$tmp/homes/file"
ln -s nowhere "$tmp/homes/dangling"
chmod -R a+rwX "$tmp/homes"

# Places at which a folder for HOME cannot be made.
impossible() {
	for home in /opt/nonexistent /opt/non/existent /usr/nonexistent /nonexistent /etc/passwd \
		/proc/self /dev/null "$tmp/homes/none" "$tmp/homes/file/below" \
		"$tmp/homes/dangling"; do
		run as "$who" "HOME=$home" "$sbx" -b "$backend" -- sh -c \
			'echo ran; test -n "$HOME" && test -w "${TMPDIR:-/tmp}"'
		is "$rc:$out:$err" 0:ran: "$at: HOME=${home#"$tmp/"}"
	done
	is "$(ls -A; ls "$tmp/homes" | tr '\n' ' ')" 'dangling file ' \
		"$at: nothing was made for it"
	# A file that is a HOME, in a folder of the system: one of our own for a moment.
	if tap_is_root && [ -d /opt ]; then
		set -- env "HOME=/opt/file"
		[ "$who" = root ] || set -- setpriv "--reuid=$tap_user" "--regid=$tap_user" \
			--clear-groups env HOME=/opt/file
		# shellcheck disable=SC2016 # the inner shell's
		run unshare --mount -- sh -c 'mount --make-rprivate / && mount -t tmpfs none /opt &&
			: >/opt/file && mkdir /opt/folder && ln -s /opt/folder /opt/link && exec "$@"' sh \
			"$@" "$sbx" -b "$backend" -- echo ran
		is "$rc:$out:$err" 0:ran: "$at: HOME=/opt/file"
	fi
}
ONLY='native landlock namespace bubblewrap' each_run impossible
done_testing
