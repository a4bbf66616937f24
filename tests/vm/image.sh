#!/bin/sh
# image.sh BUILD IMAGE UNIT...: the initramfs of the virtual machines: sbx with its links, the guest as
# /init and as a command, the limits' victim, unit tests. No shell, no libraries, no folder that is empty.
# Must not depend on who runs it: every file belongs to root inside.
set -eu
export LC_ALL=C
umask 022

build=$1
image=$2
shift 2
command -v cpio >/dev/null 2>&1 || {
	echo 'tests/vm/image.sh: cpio is missing: apt-get install cpio' >&2
	exit 1
}
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
trap 'exit 130' HUP INT TERM

mkdir "$scratch/tree" "$scratch/tree/bin"
cp -- "$build/tests/vm/guest/guest" "$build/tests/lib/hog" "$build/tests/lib/deny" "$scratch/tree/bin/"
cp -P -- "$build"/sbx "$build"/sbx-* "$scratch/tree/bin/"
mkdir "$scratch/tree/unit"
for unit; do
	"${STRIP:-strip}" -o "$scratch/tree/unit/$unit" "$build/tests/unit/$unit" 2>/dev/null ||
		cp -- "$build/tests/unit/$unit" "$scratch/tree/unit/"
done
ln -s bin/guest "$scratch/tree/init"
chmod 0755 "$scratch"/tree/bin/*
(cd "$scratch/tree" && find . | sort | cpio --quiet -o -H newc -R 0:0 --reproducible) >"$scratch/cpio"
gzip -n -9 <"$scratch/cpio" >"$image.tmp"
mv -f -- "$image.tmp" "$image"
