#!/bin/sh
# dist.sh VENDOR ARCHIVE NAME: pack this source tree and the pinned third-party tarballs
# (in vendor/dist/) as ARCHIVE, whose top folder is NAME. It builds with no network.
# The same tree gives the same bytes: sorted, no owner, one fixed time.
# Must not take in anything that was built.
set -eu
unset LIBRARY_PATH CPATH C_INCLUDE_PATH LD_LIBRARY_PATH
export LC_ALL=C
umask 022

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
vendor=$1
archive=$2
name=$3
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
trap 'exit 130' HUP INT TERM

files=$("$root/vendor/fetch.sh" --pinned "$vendor")
mkdir "$scratch/$name"
for entry in .ci .gitignore LICENSE Makefile README.md applets lib tests vendor; do
	cp -R "$root/$entry" "$scratch/$name/"
done
rm -rf -- "$scratch/$name/vendor/dist"
mkdir "$scratch/$name/vendor/dist"
printf '%s\n' "$files" | while read -r file; do
	cp -- "$file" "$scratch/$name/vendor/dist/"
done
# 2000-01-01: old enough for every rule of the Makefile.
tar --sort=name --mtime=@946684800 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
	--format=gnu -C "$scratch" -cf "$scratch/archive.tar" "$name"
xz -6 -T1 -c "$scratch/archive.tar" >"$archive.tmp"
mv -f -- "$archive.tmp" "$archive"
printf '%s\n' "$archive"
