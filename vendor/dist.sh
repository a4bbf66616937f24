#!/bin/sh
# dist.sh VENDOR BUILD NAME "CONTAINED..." ARCH=BINARY...: fill BUILD/dist with what is handed out: the
# binaries as sbx-linux-ARCH, NAME.tar.xz (this source tree and the pinned third-party tarballs in
# vendor/dist: it builds with no network), NAME.cdx.json (what the binaries contain) and SHA256SUMS.
# The same tree gives the same bytes: sorted, no owner, one fixed time. The folder appears whole.
# Must not take in anything that was built, or a binary that is not of the processor it is named after.
set -eu
unset LIBRARY_PATH CPATH C_INCLUDE_PATH LD_LIBRARY_PATH
export LC_ALL=C
umask 022

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
vendor=$1
build=$2
name=$3
contained=$4
shift 4
new=$build/dist.new.$$
trap 'rm -rf -- "$new"' EXIT
trap 'exit 130' HUP INT TERM
rm -rf -- "$new"
mkdir -p "$new/tree/$name" "$new/dist"

# machine_of ARCH: its number in an ELF header (elf.h).
machine_of() {
	case $1 in
	x86_64) echo 62 ;;
	aarch64) echo 183 ;;
	armv7) echo 40 ;;
	riscv64) echo 243 ;;
	esac
}

put_binary() {
	machine=$(od -An -tu2 -j18 -N2 -- "$2" | tr -d ' ')
	[ "$machine" = "$(machine_of "$1")" ] || {
		printf 'vendor/dist.sh: %s is not a program for %s: make clean\n' "$2" "$1" >&2
		exit 1
	}
	cp -- "$2" "$new/dist/sbx-linux-$1"
	chmod 0755 "$new/dist/sbx-linux-$1"
}

put_archive() {
	files=$("$root/vendor/fetch.sh" --pinned "$vendor")
	for entry in .ci .gitignore LICENSE Makefile README.md applets lib tests vendor; do
		cp -R "$root/$entry" "$new/tree/$name/"
	done
	rm -rf -- "$new/tree/$name/vendor/dist"
	mkdir "$new/tree/$name/vendor/dist"
	printf '%s\n' "$files" | while read -r file; do
		cp -- "$file" "$new/tree/$name/vendor/dist/"
	done
	# 2000-01-01: old enough for every rule of the Makefile.
	tar --sort=name --mtime=@946684800 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
		--format=gnu -C "$new/tree" -cf "$new/archive.tar" "$name"
	xz -6 -T1 -c "$new/archive.tar" >"$new/dist/$name.tar.xz"
}

for pair; do
	put_binary "${pair%%=*}" "${pair#*=}"
done
put_archive
"$root/vendor/sbom.sh" "${name#*-}" "$contained" "$new"/dist/sbx-linux-* >"$new/dist/$name.cdx.json"
(cd "$new/dist" && sha256sum -- * >../SHA256SUMS && mv ../SHA256SUMS .)
rm -rf -- "$build/dist"
mv -T -- "$new/dist" "$build/dist"
find "$build/dist" -type f | sort
