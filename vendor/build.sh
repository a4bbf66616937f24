#!/bin/sh
# build.sh musl|bearssl SRC OUT: build one fetched library from source into OUT.
# Takes from the environment: CC, AR, RANLIB, CFLAGS, and for musl TARGET (its triple).
# OUT appears whole or not at all. Called by the Makefile, whose job slots it shares.
# Must not touch SRC (both modes and all architectures share it) or the network.
set -eu
unset LIBRARY_PATH CPATH C_INCLUDE_PATH LD_LIBRARY_PATH
export LC_ALL=C
umask 022
# Share the caller's job slots, not the variables of its command line.
MAKEFLAGS=${MAKEFLAGS:-}
MAKEFLAGS=${MAKEFLAGS%% -- *}
unset MAKEOVERRIDES
export MAKEFLAGS

# `make -n`, -t and -q reach this script too (its recipe line shares job slots): nothing is to
# be done then.
case ${MAKEFLAGS%% *} in
-*) ;;
*[nqt]*) exit 0 ;;
esac

name=$1
src=$2
out=$3
new=$out.new.$$
trap 'rm -rf -- "$new"' EXIT
trap 'exit 130' HUP INT TERM
rm -rf -- "$new"
mkdir -p "$new/obj"
# No path of this machine may reach the object files: two folders, the same bytes.
flags="$CFLAGS -ffile-prefix-map=$src=$name -ffile-prefix-map=$new=$name-out"

# quietly COMMAND...: the output of a third-party build matters only when it fails.
quietly() {
	"$@" >"$new/log" 2>&1 || {
		tail -n 20 "$new/log" >&2
		printf 'vendor/build.sh: %s does not build with %s\n' "$name" "$CC" >&2
		exit 1
	}
}

build_musl() {
	cd "$new/obj"
	quietly "$src/configure" --srcdir="$src" --prefix=/ --includedir=/include --libdir=/lib \
		--target="$TARGET" --disable-shared --disable-wrapper \
		CC="$CC" AR="$AR" RANLIB="$RANLIB" CFLAGS="$flags"
	quietly "${MAKE:-make}" DESTDIR="$new" install
}

build_bearssl() {
	mkdir "$new/lib"
	cd "$src"
	quietly "${MAKE:-make}" lib BUILD="$new/obj" CC="$CC" AR="$AR" CFLAGS="$flags"
	mv "$new/obj/libbearssl.a" "$new/lib/"
}

case $name in
musl) build_musl ;;
bearssl) build_bearssl ;;
*)
	printf 'vendor/build.sh: no rule for %s\n' "$name" >&2
	exit 2
	;;
esac
cd /
for lib in "$new"/lib/lib*.a; do
	[ -s "$lib" ] || {
		printf 'vendor/build.sh: %s: the build left no library\n' "$name" >&2
		exit 1
	}
done
rm -rf -- "$new/obj" "$new/log"
touch "$new/.built"
rm -rf -- "$out"
mv -T -- "$new" "$out"
