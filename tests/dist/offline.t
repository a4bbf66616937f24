#!/bin/sh
# What `make dist` hands out: the checksums are true, the programs run where they can, and the source
# archive, unpacked in another folder and built where there is no network, gives every byte of it
# again: first the native program with libraries from nothing, then all of the folder.
# The libraries of the other processors come from the checkout's vendor folder: a minute each.
TMPDIR=/var/tmp
. "$SBX_ROOT/tests/lib/tap.sh"

builds=${SBX_BUILDS:-$SBX_ROOT/build}
dist=$builds/dist
vendor=${SBX_VENDOR:-$builds/vendor}
[ -e "$dist/SHA256SUMS" ] || skip_all 'there is no build/dist (make dist)'
need unshare util-linux
need xz xz-utils

# --- the folder ------------------------------------------------------------------------------

set -- "$dist"/sbx-*.tar.xz
archive=$1
name=$(basename -- "$archive" .tar.xz)
native=$dist/sbx-linux-$(uname -m | sed 's/^armv[78].*/armv7/')
is "$(cd "$dist" && ls)" "SHA256SUMS
$name.cdx.json
$name.tar.xz
sbx-linux-aarch64
sbx-linux-armv7
sbx-linux-riscv64
sbx-linux-x86_64" 'what is in it, and nothing else'
run sh -c 'cd "$1" && sha256sum --quiet --strict -c SHA256SUMS' sh "$dist"
is "$rc:$out$err" 0: 'the checksums are true'
is "$(grep -c . "$dist/SHA256SUMS")" 6 'of every file'
mkdir "$tmp/copy"
cp "$dist"/* "$tmp/copy/"
printf x >>"$tmp/copy/sbx-linux-armv7"
run sh -c 'cd "$1" && sha256sum --quiet -c SHA256SUMS' sh "$tmp/copy"
isnt "$rc" 0 'control: a changed file is noticed'
run "$native" --version
is "$rc:$out" "0:sbx ${name#*-}" 'the native one runs'
run "$native" --show-asset licenses
is "$rc" 0 'and holds the notices of what it contains'
for source in musl cjson; do
	holder=$(grep -h '^Copyright' "$vendor/src/$source/COPYRIGHT" "$vendor/src/$source/LICENSE" 2>/dev/null |
		head -n 1)
	ok "$source: $holder" grep -qF "$holder" "$tmp/.out"
done
like "$out" 'Permission is hereby granted, free of charge' 'the permission'
like "$out" 'THE SOFTWARE IS PROVIDED "AS IS"' 'and the disclaimer'

# --- unpacked, with no network ---------------------------------------------------------------

# offline COMMAND...: in a network namespace with nothing in it.
offline() {
	if tap_is_root; then
		run timeout -k 10 500 unshare --net "$@"
	else
		run timeout -k 10 500 unshare --user --map-root-user --net "$@"
	fi
}

offline true
[ "$rc" = 0 ] || skip_all 'no network namespace can be made here'
tar -xf "$archive" -C "$tmp"
tree=$tmp/$name
ok 'the archive has one folder' test -f "$tree/Makefile"
is "$(find "$tree" -name '*.o' -o -name '*.pyc' -o -name .git)" '' 'and nothing that was built'
is "$(find "$tree" ! -type l -perm /022)" '' 'and nothing that others may write'

# Control: without the tarballs it is the network that is missed.
mv "$tree/vendor/dist" "$tmp/held"
offline make -C "$tree"
isnt "$rc" 0 'control: without the third-party tarballs it does not build'
like "$err" 'cannot reach the Debian archive|no Debian archive' 'control: since there is no network'
rm -rf "$tree/build"
mv "$tmp/held" "$tree/vendor/dist"

offline make -C "$tree"
is "$rc" 0 'make with no network' || diag "$err"
ok 'the native program has the same bytes' cmp "$tree/build/release/sbx" "$native"
ok 'control: its libraries were built there' test -e "$tree/build/vendor/$(basename "$native" |
	sed 's/sbx-linux-//')/musl/lib/libc.a"

offline make -C "$tree" dist "VENDOR=$vendor"
is "$rc" 0 'make dist with no network' || diag "$err"
for file in "$dist"/*; do
	ok "$(basename -- "$file"): the same bytes" cmp "$file" "$tree/build/dist/$(basename -- "$file")"
done

# --- what cannot be handed out -----------------------------------------------------------------

run "$tree/vendor/dist.sh" "$vendor" "$tmp/wrong" "$name" 'musl cjson' "armv7=$native"
isnt "$rc" 0 'a program of another processor is not handed out under this name'
like "$err" 'is not a program for armv7' 'and that is said'
ok 'and no folder is left' test ! -e "$tmp/wrong/dist"
if tap_is_root; then
	# A machine without the compilers of the others, where nobody may install them.
	mkdir "$tmp/few"
	ln -s /usr/bin/* "$tmp/few/"
	rm -f "$tmp"/few/*-linux-gnu*-gcc
	run as_user "PATH=$tmp/few" make -C "$tree" dist "BUILD=$tmp/home/build" "VENDOR=$vendor"
	isnt "$rc" 0 'without the compilers of the other processors it fails'
	for package in gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf gcc-riscv64-linux-gnu; do
		[ "$package" = "gcc-$(uname -m)-linux-gnu" ] ||
			like "$err" "apt-get install .*$package" "and names $package"
	done
else
	skip 'only root can be somebody who may not install'
fi
run make -C "$tree" dist CC=gcc
isnt "$rc" 0 'make dist CC=gcc is refused'
like "$err" '^sbx: make dist takes each processor' 'and says why'
done_testing
