#!/bin/sh
# fetch.sh DIR NAME...: bring third-party sources that sources.lock pins to DIR/src/NAME.
# fetch.sh --pinned DIR: print the pinned files that are here already (for `make dist`).
# A file with a pinned checksum in vendor/dist/ is used first (no network needed); else the
# package comes through apt, with a private configuration made from the system's own sources.
# apt checks the archive's signature, this script the pins. Safe to run again and side by side:
# everything is unpacked in a scratch folder and renamed into place.
# Must not change the system's apt state and must not need root or dpkg-dev.
set -eu
unset LIBRARY_PATH CPATH C_INCLUDE_PATH LD_LIBRARY_PATH
export LC_ALL=C
umask 022

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
prog=vendor/fetch.sh
by_hand='put the files that vendor/sources.lock names into vendor/dist/'
scratch=''
. "$here/apt.sh"

die() {
	printf '%s: %s\n' "$prog" "$*" >&2
	exit 1
}

note() {
	printf '%s: %s\n' "$prog" "$*" >&2
}

# need_tool COMMAND PACKAGE
need_tool() {
	command -v "$1" >/dev/null 2>&1 || die "$1 is missing: apt-get install $2"
}

sha256_of() {
	sha256sum -- "$1" | cut -d' ' -f1
}

# read_lock NAME: set version suite package code upstream patches from the line of NAME.
read_lock() {
	line=$(awk -v n="$1" '$1 == n' "$here/sources.lock")
	[ -n "$line" ] || die "$1 is not in vendor/sources.lock"
	# shellcheck disable=SC2086 # the columns are words
	set -- $line
	version=$2 suite=$3 package=$4 code=$5 upstream=$6 patches=$7
}

# find_pinned SHA256...: print the file in vendor/dist/ or the download folder that has one of them.
find_pinned() {
	for file in "$here"/dist/* "$out"/dl/*; do
		[ -f "$file" ] || continue
		sum=$(sha256_of "$file")
		for want; do
			[ "$sum" != "$want" ] || { printf '%s\n' "$file"; return 0; }
		done
	done
	return 1
}

# download WORD...: `apt-get WORD... package=version`, with the pinned version or the suite's own.
download() {
	apt_get "$@" "$package=$version" && return 0
	apt_get update ||
		die "cannot reach the Debian archive for $package ($(apt_error)):" \
			"check the network, or $by_hand"
	apt_get "$@" "$package=$version" && return 0
	[ "${SBX_STRICT_PINS:-0}" != 1 ] ||
		die "$package $version is gone from $suite: pin a newer one in vendor/sources.lock"
	apt_get "$@" "$package" || die "cannot download $package from $suite: $(apt_error)"
}

# accept FILE PIN...: FILE has one of the pinned checksums.
accept() {
	sum=$(sha256_of "$1")
	shift
	for want; do
		[ "$sum" != "$want" ] || return 0
	done
	return 1
}

# newer FILE: FILE is not the pinned one but was signed by the archive.
newer() {
	[ "${SBX_STRICT_PINS:-0}" != 1 ] ||
		die "$(basename -- "$1") is not the pinned file: see vendor/sources.lock"
	note "$package $version is gone from $suite; took $(basename -- "$1"), vouched for by the" \
		"archive's signature only. To pin it, see vendor/sources.lock: $(sha256_of "$1")"
}

# get_source: set orig_file and patches_file (empty where there are no patches).
get_source() {
	orig_file=$(find_pinned "$code" "$upstream") || orig_file=''
	patches_file=''
	[ "$patches" = - ] || patches_file=$(find_pinned "$patches") || patches_file=''
	[ -z "$orig_file" ] || [ "$patches" != - ] || return 0
	[ -z "$orig_file" ] || [ -z "$patches_file" ] || return 0
	need_tool apt-get apt
	apt_setup deb-src
	download source --download-only
	for file in "$scratch"/get/*; do
		case $file in
		*.asc) ;;
		*.orig.tar.*)
			accept "$file" "$code" "$upstream" ||
				die "$(basename -- "$file") does not have the pinned checksum"
			orig_file=$out/dl/$(basename -- "$file")
			mv -f -- "$file" "$orig_file"
			;;
		*.debian.tar.*)
			[ "$patches" != - ] || continue
			accept "$file" "$patches" || newer "$file"
			patches_file=$out/dl/$(basename -- "$file")
			mv -f -- "$file" "$patches_file"
			;;
		esac
	done
	[ -n "$orig_file" ] || die "apt gave no orig tarball of $package"
	[ "$patches" = - ] || [ -n "$patches_file" ] || die "apt gave no patches of $package"
}

# unpack_source: the tarball with Debian's patches into $scratch/new.
unpack_source() {
	get_source
	tar -xf "$orig_file" -C "$scratch/new" --strip-components=1 --no-same-owner
	[ -n "$patches_file" ] || return 0
	mkdir "$scratch/debian"
	tar -xf "$patches_file" -C "$scratch/debian" --strip-components=1 --no-same-owner
	[ -f "$scratch/debian/patches/series" ] || return 0
	sed 's/[ \t]*#.*//; /^[ \t]*$/d' "$scratch/debian/patches/series" >"$scratch/series"
	while read -r patch _; do
		patch -d "$scratch/new" -p1 -N -s --fuzz=0 --no-backup-if-mismatch \
			<"$scratch/debian/patches/$patch" >"$scratch/patch.log" 2>&1 ||
			die "$package: $patch does not apply: $(head -n 1 "$scratch/patch.log")"
	done <"$scratch/series"
}

# unpack_headers: kernel headers for every architecture into $scratch/new/ARCH.
# An .deb is an ar archive (deb(5)): no dpkg is needed.
unpack_headers() {
	deb=$(find_pinned "$code") || {
		need_tool apt-get apt
		apt_setup deb
		download download
		deb=$(find "$scratch/get" -name '*.deb' | head -n 1)
		[ -n "$deb" ] || die "apt gave no file for $package"
		accept "$deb" "$code" || newer "$deb"
		mv -f -- "$deb" "$out/dl/"
		deb=$out/dl/$(basename -- "$deb")
	}
	mkdir "$scratch/deb" "$scratch/root"
	(cd "$scratch/deb" && ar x "$deb")
	tar -xf "$scratch"/deb/data.tar.* -C "$scratch/root" --no-same-owner
	for pair in x86_64:x86_64-linux-gnu aarch64:aarch64-linux-gnu armv7:arm-linux-gnueabihf \
		riscv64:riscv64-linux-gnu; do
		to=$scratch/new/${pair%%:*}
		mkdir "$to"
		# asm is a chain of symbolic links into usr/lib: take the files.
		cp -rL "$scratch/root/usr/include/${pair#*:}/asm" "$to/asm"
		ln -s ../common/linux ../common/asm-generic "$to/"
	done
	mkdir "$scratch/new/common"
	cp -r "$scratch/root/usr/include/linux" "$scratch/root/usr/include/asm-generic" \
		"$scratch/new/common/"
}

# fetch NAME: DIR/src/NAME appears whole or not at all.
fetch() {
	read_lock "$1"
	mkdir -p "$out/src" "$out/dl"
	scratch=$(mktemp -d "$out/tmp.XXXXXX")
	mkdir "$scratch/get" "$scratch/new"
	case $1 in
	headers) unpack_headers ;;
	*) unpack_source ;;
	esac
	# Old time stamps would make the files look older than their rules.
	find "$scratch/new" -type f -exec touch {} +
	touch "$scratch/new/.fetched"
	rm -rf -- "$out/src/$1"
	mv -T -- "$scratch/new" "$out/src/$1"
	rm -rf -- "$scratch"
	scratch=''
}

# list_pinned: the files that an offline build needs; fails unless all of them are here.
list_pinned() {
	names=$(awk '/^[a-z]/ { print $1 }' "$here/sources.lock")
	for name in $names; do
		read_lock "$name"
		find_pinned "$code" "$upstream" || die "no pinned file of $package is here"
		[ "$patches" = - ] || find_pinned "$patches" ||
			die "the patches of $package that are here are not the pinned ones"
	done
}

[ $# -ge 2 ] || die 'usage: vendor/fetch.sh DIR NAME... | --pinned DIR'
if [ "$1" = --pinned ]; then
	out=$2
	list_pinned
	exit
fi
mkdir -p "$1"
out=$(CDPATH='' cd -- "$1" && pwd)
shift
need_tool tar tar
need_tool xz xz-utils
need_tool patch patch
need_tool ar binutils
need_tool flock util-linux
trap '[ -z "$scratch" ] || rm -rf -- "$scratch"' EXIT
trap 'exit 130' HUP INT TERM
# One at a time: the packages of one suite share apt's lists.
exec 9>"$out/.lock"
flock 9
for name; do
	fetch "$name"
done
