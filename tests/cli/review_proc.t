#!/bin/sh
# Where the kernel refuses a fresh /proc (a part of the outer one is covered, as in containers), the
# outer one is what a command may get: never writable, its private parts masked, and the layer named
# as missing. It writes nothing but this sandbox's own names and values that are there already.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need unshare util-linux

# A mount namespace in which a fresh /proc is too revealing (mount_namespaces(7)).
cover='mount --make-rprivate / && mount --bind /dev/null /proc/version && exec "$@"'
worlds=userns
! tap_is_root || worlds='root user userns'

# covered WORLD COMMAND...
covered() {
	covered_world=$1
	shift
	case $covered_world in
	root) run unshare --mount --uts -- sh -c "$cover" sh "$@" ;;
	user)
		run unshare --mount -- sh -c "$cover" sh setpriv "--reuid=$tap_user" \
			"--regid=$tap_user" --clear-groups env "HOME=$tmp/home" "$@"
		;;
	userns) run as_user unshare --user --map-root-user --mount -- sh -c "$cover" sh "$@" ;;
	esac
}

fresh='unshare --user --map-root-user --mount --pid --fork mount -t proc none /proc'
# What an attack could do; safe where it works: the domain name is that of a namespace, swappiness
# keeps its value, and nothing is ever written to the last two.
cat >"$tmp/attack" <<'SH'
echo ran
(echo review >/proc/sys/kernel/domainname) 2>/dev/null && echo wrote domainname
now=$(cat /proc/sys/vm/swappiness)
(echo "$now" >/proc/sys/vm/swappiness) 2>/dev/null && echo wrote swappiness
(exec 9>>/proc/sysrq-trigger) 2>/dev/null && echo opened sysrq-trigger
(exec 9>>/proc/sys/kernel/printk) 2>/dev/null && echo opened printk
true
SH
cat >"$tmp/masks" <<'SH'
for name in kcore keys kmsg timer_list sched_debug; do
	[ ! -e "/proc/$name" ] || [ "$(stat -c %t:%T "/proc/$name")" = 1:3 ] || echo "open $name"
done
while read -r _ _ _ _ place options _; do
	case $place:$options in
	/proc:ro | /proc:ro,*) ;;
	/proc:*) echo "mounted $options" ;;
	esac
done </proc/self/mountinfo
true
SH
chmod 0644 "$tmp/attack" "$tmp/masks"
attack=$(cat "$tmp/attack")
masks=$(cat "$tmp/masks")

for world in $worlds; do
	who=user
	[ "$world" != root ] || who=root
	cd "$tmp/p-$who" || bail 'no project folder'
	run as "$who" sh -c "$fresh"
	is "$rc" 0 "$world: control: a fresh /proc can be had"
	covered "$world" sh -c "$fresh"
	isnt "$rc" 0 "$world: control: and not where a part of it is covered"
	if [ "$world" = root ]; then
		covered root "$sbx" -b native -- sh -c "$attack"
		like "$out" '^wrote domainname' "$world: control: native can write /proc/sys"
		like "$out" '^wrote swappiness' "$world: control: also what is the whole machine's"
	fi
	for backend in auto namespace bubblewrap landlock; do
		at="$world, $backend"
		rm -f res.json
		covered "$world" "$sbx" -q -b "$backend" --result res.json -- sh -c "$attack"
		if [ "$rc" = 125 ]; then
			is "$out" '' "$at: refused, nothing was run"
			isnt "$backend" auto "$at: auto gives what it can"
			continue
		fi
		is "$rc:$out" 0:ran "$at: nothing of /proc can be written"
		RESULT=res.json ok "$at: proc is named as missing" result '"proc" in missing' \
			'"proc" not in applied'
		case $(RESULT=res.json field backend) in
		namespace | bubblewrap)
			covered "$world" "$sbx" -q -b "$backend" -- sh -c "$masks"
			is "$rc:$out" 0: "$at: its private parts are masked and it is read-only"
			;;
		esac
		for option in --strict --require=proc; do
			covered "$world" "$sbx" -b "$backend" "$option" -- echo ran
			is "$rc:$out" 125: "$at: $option refuses"
			like "$err" '^sbx-run: .*proc|^sbx-run: .*missing' "$at: $option: and says why"
		done
	done
done
done_testing
