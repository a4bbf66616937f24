#!/bin/sh
# kernel.sh DIR ARCH: bring the kernels of kernels.lock for ARCH to DIR/ARCH-KERNEL/: "vmlinuz" and
# its "release". What is there is kept until its line in kernels.lock changes. What cannot be had
# is told in DIR/ARCH-KERNEL.why, and the exit status is 1.
# Debian's packages come through a private apt (vendor/apt.sh) and are never installed.
set -eu
unset LIBRARY_PATH CPATH C_INCLUDE_PATH LD_LIBRARY_PATH
export LC_ALL=C
umask 022

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
by_hand=''
scratch=''
. "$root/vendor/apt.sh"

die() {
	printf '%s\n' "$*" >"$why"
	printf 'tests/vm/kernel.sh: %s %s: %s\n' "$arch" "$kernel" "$*" >&2
	exit 1
}

need_tool() {
	command -v "$1" >/dev/null 2>&1 || die "$1 is missing: apt-get install $2"
}

# newest_release: the kernel release that the meta package depends on.
newest_release() {
	apt-cache -q -c "$apt/apt.conf" show "$package" |
		sed -n 's/^Depends:.*linux-image-\([0-9][^ ,]*\).*/\1/p' | head -n 1
}

has_package() {
	[ -n "$(apt-cache -q -c "$apt/apt.conf" pkgnames "$1" | grep -Fx -- "$1")" ]
}

# unpack_image DEB: its kernel image as $scratch/vmlinuz. A .deb is an ar archive (deb(5)).
unpack_image() {
	mkdir -p "$scratch/deb" "$scratch/root"
	(cd "$scratch/deb" && rm -f -- * && ar x "$1") || die "$1 is no Debian package"
	tar -xf "$scratch"/deb/data.tar.* -C "$scratch/root" --no-same-owner --wildcards \
		'./boot/vmlinu[xz]-*' './usr/lib/modules/*/vmlinuz' 2>/dev/null || :
	image=$(find "$scratch/root" -type f -name 'vmlinu[xz]*' | head -n 1)
	[ -n "$image" ] || die "no kernel image in $(basename -- "$1")"
	mv -f -- "$image" "$scratch/vmlinuz"
}

# check_series: what moved on to a newer series is taken, and a line says so; an older one is not.
check_series() {
	case $release in
	"$kernel".*) return 0 ;;
	esac
	oldest=$(printf '%s\n' "$kernel" "$release" | sort -V | head -n 1)
	[ "$oldest" = "$kernel" ] && [ "${SBX_STRICT_PINS:-0}" != 1 ] ||
		die "$package of $suite is $release, not $kernel: see tests/vm/kernels.lock"
	printf 'tests/vm/kernel.sh: %s has %s by now, taken for %s; see tests/vm/kernels.lock\n' \
		"$suite" "$release" "$kernel" >&2
}

# fetch_kernel: newer kernels lie in linux-binary-RELEASE, and linux-image-RELEASE only names it.
fetch_kernel() {
	apt_setup deb "$debian"
	apt_get update || die "cannot reach the Debian archive ($(apt_error))"
	release=$(newest_release)
	[ -n "$release" ] || die "$package of $suite names no kernel"
	check_series
	name=linux-image-$release
	! has_package "linux-binary-$release" || name=linux-binary-$release
	apt_get download "$name" || die "cannot download $name of $suite: $(apt_error)"
	unpack_image "$(find "$scratch/get" -name '*.deb' | head -n 1)"
	printf '%s\n' "$release" >"$scratch/release"
	rm -rf -- "$apt"
}

# bring: as a whole or not at all; the lists of packages, larger than the kernel, are not kept.
bring() {
	scratch=$(mktemp -d "$out/tmp.XXXXXX")
	trap 'rm -rf -- "$scratch"' EXIT
	trap 'exit 130' HUP INT TERM
	mkdir "$scratch/get" "$scratch/new"
	fetch_kernel
	mv -- "$scratch/vmlinuz" "$scratch/release" "$scratch/new/"
	printf '%s\n' "$line" >"$scratch/new/.line"
	rm -rf -- "$place"
	mv -T -- "$scratch/new" "$place"
	rm -f -- "$why"
}

[ $# = 2 ] || { echo 'usage: tests/vm/kernel.sh DIR ARCH' >&2; exit 2; }
mkdir -p "$1"
out=$(CDPATH='' cd -- "$1" && pwd)
arch=$2
exec 9>"$out/.lock-$arch"
flock 9
status=0
grep "^$arch " "$root/tests/vm/kernels.lock" >"$out/.lines-$arch"
while read -r line; do
	# shellcheck disable=SC2086 # the columns are words
	set -- $line
	kernel=$2 suite=$3 debian=$4 package=$5
	place=$out/$arch-$kernel
	why=$place.why
	printf '%s\n' "$line" | cmp -s - "$place/.line" && continue
	# A shell of its own: one that cannot be had does not keep the others away.
	(need_tool apt-get apt && need_tool ar binutils && need_tool xz xz-utils && bring) </dev/null ||
		status=1
done <"$out/.lines-$arch"
exit "$status"
