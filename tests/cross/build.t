#!/bin/sh
# The binaries for the other processors: static and hardened like the native one, small, fit for every
# page size of that processor, without a path of this machine; and a missing compiler is named.
. "$SBX_ROOT/tests/cross/lib/cross.sh"

need readelf binutils
need make make
elf=$SBX_ROOT/tests/lint/elf.sh

# The linker of Debian 12 packs relocations on x86 only, and pads aarch64 to whole pages of 64 KiB, which
# it then grows by.
size_max_of() {
	case $1 in
	aarch64) echo 530000 ;;
	riscv64) echo 400000 ;;
	*) echo 350000 ;;
	esac
}

# The largest page that a kernel of that processor may use.
page_of() {
	case $1 in
	aarch64) echo 0x10000 ;;
	*) echo 0x1000 ;;
	esac
}

# An executable of another one, to see that the word is looked at.
word_of() {
	od -An -tu2 -j18 -N2 "$1" | tr -d ' '
}

for arch in $arches; do
	has_build "$arch" || { skip "$why"; continue; }
	sbx=$(build_of "$arch")/sbx
	is "$(word_of "$sbx")" "$(machine_of "$arch")" "$arch: a program for it"
	run "$elf" "$sbx" "$(size_max_of "$arch")"
	is "$rc:$out" 0: "$arch: static, position independent, RELRO, no executable stack, small"
	is "$(readelf -W -l "$sbx" | awk '$1 == "LOAD" { print $NF }' | sort -u)" "$(page_of "$arch")" \
		"$arch: segments are as far apart as its largest page"
	ok "$arch: control: its text can be searched" grep -aqF '/proc/self' "$sbx"
	ok "$arch: no path of this machine in it" \
		sh -c '! grep -aqF -e "$1" -e "$2" "$3"' sh "$builds" "$SBX_ROOT" "$sbx"
	for applet in sbx-run sbx-probe; do
		is "$(readlink "$(build_of "$arch")/$applet")" sbx "$arch: $applet"
	done
done

# A machine that has everything but that compiler.
mkdir "$tmp/few"
for arch in $arches; do
	has_build "$arch" || continue
	rm -f "$tmp"/few/*
	ln -s /usr/bin/* "$tmp/few/"
	rm -f "$tmp/few/$(triple_of "$arch")"-*
	run env PATH="$tmp/few" make -C "$SBX_ROOT" BUILD="$tmp/build" VENDOR="$builds/vendor" ARCH="$arch"
	isnt "$rc" 0 "$arch: no compiler: make fails"
	like "$err" "^sbx: $(triple_of "$arch")-gcc is missing: apt-get install gcc-$(triple_of "$arch")" \
		"$arch: no compiler: what to install"
done
run make -C "$SBX_ROOT" BUILD="$tmp/build" ARCH=pdp11
isnt "$rc" 0 'an unknown processor: make fails'
like "$err" 'ARCH=pdp11 is not one of x86_64 aarch64 armv7 riscv64' 'and names those there are'
done_testing
