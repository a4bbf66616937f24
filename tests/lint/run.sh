#!/bin/sh
# run.sh RELEASE VENDOR: every lint over this tree; all of them run, any finding fails.
# Must not build: the Makefile made the release binary and the analyzed objects.
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
release=$1
vendor=$2
failed=''

lint() {
	name=$1
	shift
	if "$@"; then
		printf 'lint %-9s ok\n' "$name"
	else
		printf 'lint %-9s FAILED\n' "$name"
		failed="$failed $name"
	fi
}

lint floors "$here/floors.sh" "$root"
lint banned "$here/banned.sh" "$root"
lint text "$here/text.sh" "$root"
lint headers "$here/headers.sh" "$root" "$vendor"
lint elf "$here/elf.sh" "$release/sbx"
lint docs "$here/docs.sh" "$root" "$release"
lint shell "$here/shell.sh" "$root"
lint cppcheck "$here/cppcheck.sh" "$root"
lint tidy "$here/tidy.sh" "$root" "$vendor"
[ -z "$failed" ] || {
	printf 'lint failed:%s\n' "$failed"
	exit 1
}
