#!/bin/sh
# cppcheck.sh [ROOT]: cppcheck over lib/ and applets/.
# Must not look at system headers: the compiler does that better.
set -eu

cd "${1:-$(dirname -- "$0")/../..}"
command -v cppcheck >/dev/null 2>&1 || {
	echo 'cppcheck.sh: cppcheck is missing: apt-get install cppcheck'
	exit 1
}
# unknownMacro: a macro of a system header would stop the file; the compiler knows them all.
# varFuncNullUB: NULL is a pointer in both C libraries, musl and glibc.
cppcheck --quiet -j 2 --std=c11 --language=c --enable=warning,portability,performance \
	--error-exitcode=1 --inline-suppr --suppress=missingInclude \
	--suppress=missingIncludeSystem --suppress=unmatchedSuppression \
	--suppress=unknownMacro --suppress=varFuncNullUB \
	-D__linux__ -D__x86_64__ -D__LP64__ -D__ELF__ -DSBX_VERSION='"0"' -I. \
	lib applets 2>&1
