#!/bin/sh
# tests/vm/kernel.sh with a stand-in for apt: a kernel is brought once, as a whole or not at all,
# and what cannot be had is told in one line that the tests of machines then show.
. "$SBX_ROOT/tests/lib/tap.sh"

need ar binutils
need xz xz-utils
# A machine for every kernel.
is "$(cd "$SBX_ROOT/tests/vm" && find . -name '*.t' -type l | sed 's|^./||; s|\.t$||' | sort)" \
	"$(awk '/^[a-z]/ { print $1 "-" $2 }' "$SBX_ROOT/tests/vm/kernels.lock" | sort)" \
	'every kernel of kernels.lock has its script'

project=$tmp/project
vm=$tmp/out
mkdir -p "$project/tests/vm" "$project/vendor" "$tmp/bin" "$tmp/served"
cp "$SBX_ROOT/tests/vm/kernel.sh" "$project/tests/vm/"
cp "$SBX_ROOT/vendor/apt.sh" "$project/vendor/"
printf '# a comment\ntoy 6.12 nosuite toyarch linux-image-toy\nother 6.12 nosuite toyarch none\n' \
	>"$project/tests/vm/kernels.lock"

# It serves $tmp/served and notes what it was asked for.
cat >"$tmp/bin/apt-get" <<'SH'
#!/bin/sh
echo "$*" >>"$LOG"
case "$*" in
*update*) [ -z "$OFFLINE" ] || { echo 'E: no network in this test'; exit 100; } ;;
*download*) cp "$SERVED"/*.deb . ;;
esac
SH
cat >"$tmp/bin/apt-cache" <<'SH'
#!/bin/sh
case "$*" in
*pkgnames*) echo "$NAMES" | tr ' ' '\n' ;;
*) printf 'Package: linux-image-toy\nDepends: initramfs, linux-image-%s (= 1)\n' "$RELEASE" ;;
esac
SH
chmod +x "$tmp"/bin/*
export LOG="$tmp/log" SERVED="$tmp/served" NAMES='' RELEASE=6.12.3-toy OFFLINE=''

# serve PATH: a package that holds one kernel image.
serve() {
	rm -rf "$tmp/deb"
	mkdir -p "$tmp/deb/root/$(dirname "$1")"
	echo "image $1" >"$tmp/deb/root/$1"
	tar -C "$tmp/deb/root" -cJf "$tmp/deb/data.tar.xz" ./"$1"
	rm -f "$SERVED"/*.deb
	(cd "$tmp/deb" && ar rc "$SERVED/toy.deb" data.tar.xz)
}

bring() {
	: >"$LOG"
	run env PATH="$tmp/bin:$PATH" "$project/tests/vm/kernel.sh" "$vm" toy
}

if [ -z "$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null)" ]; then
	skip_all 'this machine has no apt sources'
fi

serve boot/vmlinuz-6.12.3-toy
bring
is "$rc:$err" 0: 'a kernel is brought'
is "$(cat "$vm/toy-6.12/vmlinuz")" 'image boot/vmlinuz-6.12.3-toy' 'it is the image of the package'
is "$(cat "$vm/toy-6.12/release")" 6.12.3-toy 'with its release'
like "$(cat "$LOG")" 'download linux-image-6.12.3-toy' 'from the package that the meta package names'
ok 'no kernel of another architecture' test ! -e "$vm/other-6.12"
is "$(find "$vm" -name 'tmp.*' -o -name lists)" '' 'nothing else is left'
bring
is "$rc:$(cat "$LOG")" 0: 'a second time asks nobody'

sed -i 's/linux-image-toy/linux-image-toy2/' "$project/tests/vm/kernels.lock"
NAMES='linux-binary-6.12.3-toy linux-binary-6.12.3-toyish'
serve usr/lib/modules/6.12.3-toy/vmlinuz
bring
is "$rc:$(cat "$vm/toy-6.12/vmlinuz")" '0:image usr/lib/modules/6.12.3-toy/vmlinuz' \
	'a changed line brings it again, from where newer kernels lie'
like "$(cat "$LOG")" 'download linux-binary-6.12.3-toy$' 'which is a package of its own'

# refused PATTERN NAME: one line, kept for the tests of machines; what was there stays.
refused() {
	is "$rc" 1 "$2: fails"
	is "$(printf '%s\n' "$err" | wc -l)" 1 "$2: says one line"
	like "$(cat "$vm/toy-6.12.why")" "$1" "$2: and keeps it"
	is "$(find "$vm" -name 'tmp.*')" '' "$2: no scratch folder is left"
}

sed -i 's/toy2/toy3/' "$project/tests/vm/kernels.lock"
OFFLINE=1
bring
refused 'cannot reach the Debian archive .no network' 'no network'
ok 'no network: what was there stays' test -s "$vm/toy-6.12/vmlinuz"
OFFLINE=''
RELEASE=6.1.9-toy
bring
refused 'is 6.1.9-toy, not 6.12' 'an older series'
RELEASE=6.13.1-toy NAMES=''
serve boot/none
bring
like "$err" 'has 6.13.1-toy by now, taken for 6.12' 'a newer series is taken, and said so'
like "$(cat "$vm/toy-6.12.why")" 'no kernel image in toy.deb' 'a package without a kernel is told'
SBX_STRICT_PINS=1
export SBX_STRICT_PINS
bring
refused 'is 6.13.1-toy, not 6.12' 'a newer series with SBX_STRICT_PINS=1'
done_testing
