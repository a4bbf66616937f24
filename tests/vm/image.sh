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

mkdir "$scratch/root" "$scratch/root/bin"
cp -- "$build/tests/vm/guest/guest" "$build/tests/lib/hog" "$build/tests/lib/deny" "$scratch/root/bin/"
cp -P -- "$build"/sbx "$build"/sbx-* "$scratch/root/bin/"
mkdir "$scratch/root/unit"
for unit; do
	"${STRIP:-strip}" -o "$scratch/root/unit/$unit" "$build/tests/unit/$unit" 2>/dev/null ||
		cp -- "$build/tests/unit/$unit" "$scratch/root/unit/"
done
ln -s bin/guest "$scratch/root/init"
chmod 0755 "$scratch"/root/bin/*
(cd "$scratch/root" && find . | sort | cpio --quiet -o -H newc -R 0:0 --reproducible) >"$scratch/cpio"
gzip -n -9 <"$scratch/cpio" >"$image.tmp"
mv -f -- "$image.tmp" "$image"
