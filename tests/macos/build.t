#!/bin/sh
# The programs for macOS, as far as a Linux machine can look at them: headers, libraries, symbols.
. "$SBX_ROOT/tests/lib/tap.sh"

py=/usr/bin/python3
[ -x "$py" ] || py=python3
need "$py" python3
macho=$SBX_ROOT/tests/macos/lib/macho.py
for processor in aarch64 x86_64; do
	[ -e "$SBX_BUILD-$processor-macos/sbx" ] ||
		skip_all "no build for macOS ($processor): make TARGET=$processor-macos"
done

check() {
	run "$py" -I -S "$macho" "$@"
}

# broken PROCESSOR PATTERN NAME EXPRESSION: with its bytes (data) changed it is refused.
broken() {
	"$py" -I -S - "$SBX_BUILD-$1-macos/sbx" "$tmp/broken" "$4" <<'PY'
import struct
import sys

source, target, expression = sys.argv[1:]
with open(source, "rb") as f:
    data = bytearray(f.read())


def command(kind, nth=0):
    at = 32
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        found, size = struct.unpack_from("<II", data, at)
        if found == kind:
            if nth == 0:
                return at
            nth -= 1
        at += size
    raise SystemExit(f"no command {kind:#x}")


exec(expression)
with open(target, "wb") as f:
    f.write(data)
PY
	check "$1" "$tmp/broken"
	is "$rc" 1 "$3: refused"
	like "$out" "$2" "$3: says why"
}

for processor in aarch64 x86_64; do
	check "$processor" "$SBX_BUILD-$processor-macos/sbx"
	is "$rc:$out$err" 0: "$processor: a program for macOS that needs libSystem alone"
	for link in sbx-run sbx-probe; do
		is "$(readlink "$SBX_BUILD-$processor-macos/$link")" sbx "$processor: $link"
	done
	size=$(wc -c <"$SBX_BUILD-$processor-macos/sbx")
	ok "$processor: small ($size bytes)" test "$size" -lt 450000
	# What only Linux has was left out by the list of files, not by luck.
	for word in --unshare-net max_user_namespaces cgroup.procs /proc/self/exe; do
		ok "$processor: nothing of $word" sh -c '! grep -aqF -e "$1" "$2"' sh "$word" \
			"$SBX_BUILD-$processor-macos/sbx"
	done
	ok "$processor: control: its own words are found" grep -aqF 'deny file-write-setugid' \
		"$SBX_BUILD-$processor-macos/sbx"
	ok "$processor: no path of this machine" sh -c '! grep -aqF -e "$1" "$2"' sh "$SBX_ROOT" \
		"$SBX_BUILD-$processor-macos/sbx"
done

other=x86_64
for processor in aarch64 x86_64; do
	check "$other" "$SBX_BUILD-$processor-macos/sbx"
	like "$out" 'another processor' "$processor is not $other"
	broken "$processor" 'no 64-bit Mach-O' "$processor: a 32-bit magic" 'data[0] = 0xce'
	broken "$processor" 'not position independent' "$processor: no PIE" \
		'struct.pack_into("<I", data, 24, struct.unpack_from("<I", data, 24)[0] & ~0x200000)'
	broken "$processor" 'executable stack' "$processor: an executable stack" \
		'struct.pack_into("<I", data, 24, struct.unpack_from("<I", data, 24)[0] | 0x20000)'
	broken "$processor" 'other libraries' "$processor: another library" \
		'at = command(0xc) + 24; data[at:at + 8] = b"/tmp/lib"'
	broken "$processor" 'not built for macOS' "$processor: another platform" \
		'struct.pack_into("<I", data, command(0x32) + 8, 2)'
	broken "$processor" 'newer system' "$processor: a newer system" \
		'struct.pack_into("<I", data, command(0x32) + 12, 15 << 16)'
	broken "$processor" 'writable and executable' "$processor: a segment with all rights" \
		'struct.pack_into("<I", data, command(0x19, 1) + 56, 7)'
	broken "$processor" 'uses system' "$processor: a shell" \
		'i = data.index(b"\0_socketpair\0"); data[i:i + 12] = b"\0_system\0\0\0\0"'
	other=aarch64
done
broken aarch64 'no signature' 'aarch64: no signature' \
	'struct.pack_into("<I", data, command(0x1d), 0x26)'
done_testing
