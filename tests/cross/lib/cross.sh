# shellcheck shell=sh
# What the tests of the other processors share: their names, their builds ($SBX_BUILDS/release-ARCH,
# made beforehand by `make crossed`), and an emulator of user programs to run them in.
# Source it instead of tap.sh. Must not register anything with the machine's own kernel tables.

# Beside /tmp, of which a view has its own.
TMPDIR=/var/tmp
. "$SBX_ROOT/tests/lib/tap.sh"
unset TMPDIR

builds=${SBX_BUILDS:-$(dirname -- "$SBX_BUILD")}
all_arches='x86_64 aarch64 armv7 riscv64'
host_arch=$(uname -m | sed 's/^armv[78].*/armv7/')
arches=$(printf '%s\n' $all_arches | grep -v "^$host_arch\$")
: "$arches"

# build_of ARCH: the folder of its release build.
build_of() {
	if [ "$1" = "$host_arch" ]; then
		printf '%s\n' "$builds/release"
	else
		printf '%s\n' "$builds/release-$1"
	fi
}

# triple_of ARCH, machine_of ARCH: of its compiler; its number in an ELF header (elf.h, EM_...).
triple_of() {
	case $1 in
	armv7) echo arm-linux-gnueabihf ;;
	*) echo "$1-linux-gnu" ;;
	esac
}
machine_of() {
	case $1 in
	x86_64) echo 62 ;;
	aarch64) echo 183 ;;
	armv7) echo 40 ;;
	riscv64) echo 243 ;;
	esac
}

# bits_of ARCH
bits_of() {
	case $1 in
	armv7) echo 32 ;;
	*) echo 64 ;;
	esac
}

# has_build ARCH: it was built; else the reason is in $why.
has_build() {
	why=''
	[ ! -x "$(build_of "$1")/sbx" ] || return 0
	command -v "$(triple_of "$1")-gcc" >/dev/null 2>&1 &&
		why="$1 was not built (make ARCH=$1 all units)" ||
		why="no compiler for $1 (apt-get install gcc-$(triple_of "$1" | tr _ -))"
	return 1
}

# qemu_of ARCH: the emulator's path.
qemu_of() {
	case $1 in
	armv7) command -v qemu-arm-static ;;
	*) command -v "qemu-$1-static" ;;
	esac
}

# octets NUMBER: as a 16-bit little-endian word, in the form that binfmt_misc reads.
octets() {
	printf '\\x%02x\\x%02x' $(($1 % 256)) $(($1 / 256))
}

# emulated ARCH COMMAND...: like run, as root of a user namespace in which the kernel starts programs
# of that processor by the emulator, as it does in a container that was made for another one. The
# registration is the namespace's own (Linux 6.7) and goes with it. Its status is 250 where this
# machine cannot do that.
emulated() {
	emulated_arch=$1
	shift
	class='\x02'
	[ "$(bits_of "$emulated_arch")" = 64 ] || class='\x01'
	magic="\\x7fELF$class\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00"
	magic="$magic\\x02\\x00$(octets "$(machine_of "$emulated_arch")")"
	mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
	# Signed return addresses by the emulator's own sum: the architecture's costs it most of its time.
	[ "$emulated_arch" != aarch64 ] || set -- env QEMU_CPU=max,pauth-impdef=on "$@"
	# shellcheck disable=SC2016 # the inner shell's
	run timeout -k 10 "${SECONDS_MAX:-120}" unshare --user --map-root-user --mount sh -c '
		entry=$1
		shift
		mount -t binfmt_misc none /proc/sys/fs/binfmt_misc 2>/dev/null || exit 250
		printf %s "$entry" >/proc/sys/fs/binfmt_misc/register || exit 250
		exec "$@"' sh ":sbx:M::$magic:$mask:$(qemu_of "$emulated_arch"):F" "$@"
}

# can_emulate ARCH: else the reason is in $why.
can_emulate() {
	has_build "$1" || return 1
	why="no emulator for $1 (apt-get install qemu-user-static)"
	qemu_of "$1" >/dev/null || return 1
	emulated "$1" "$(build_of "$1")/sbx" --version
	why="this kernel has no binfmt_misc of a user namespace (Linux 6.7): status $rc $err"
	: "$why"
	[ "$rc" = 0 ]
}
