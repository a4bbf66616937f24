#!/bin/sh
# Each analyzer, as this project calls it, finds a planted fault and is silent without it.
. "$SBX_ROOT/tests/lib/tap.sh"

lints=$SBX_ROOT/tests/lint
mkdir -p "$tmp/tree/lib/base" "$tmp/tree/applets" "$tmp/tree/.ci" "$tmp/tree/tests"
bad=$tmp/tree/lib/base/bad

good_c='/* A file of a test. */
#include <stdlib.h>
int base_get(int n);
int base_get(int n)
{
	return abs(n);
}'

# probe NAME FILE TEXT PATTERN COMMAND...: silent without the fault, fails with it.
probe() {
	name=$1
	file=$2
	text=$3
	pattern=$4
	shift 4
	rm -f "$bad".*
	printf '%s\n' "$good_c" >"$tmp/tree/lib/base/good.c"
	run "$@"
	is "$rc" 0 "$name: nothing to say about good code"
	printf '%s\n' "$text" >"$file"
	run "$@"
	isnt "$rc" 0 "$name: fails on a fault"
	like "$out$err" "$pattern" "$name: names the fault"
}

leak='/* A file of a test. */
#include <stdlib.h>
int base_leak(int n);
int base_leak(int n)
{
	char *p = malloc(8);

	if (p == NULL || n > 3)
		return -1;
	free(p);
	return p[0];
}'

beyond='/* A file of a test. */
int base_beyond(int n);
int base_beyond(int n)
{
	int a[3] = {n, n, n};

	return a[3];
}'

if command -v shellcheck >/dev/null 2>&1; then
	# shellcheck disable=SC2016 # the fault is the text
	probe shell "$bad.sh" '#!/bin/sh
cd $1
rm $2/*' SC2164 "$lints/shell.sh" "$tmp/tree"
else
	skip 'shellcheck is missing (apt-get install shellcheck)'
fi
if command -v cppcheck >/dev/null 2>&1; then
	probe cppcheck "$bad.c" "$beyond" 'arrayIndexOutOfBounds' "$lints/cppcheck.sh" "$tmp/tree"
else
	skip 'cppcheck is missing (apt-get install cppcheck)'
fi
if command -v clang-tidy >/dev/null 2>&1; then
	probe clang-tidy "$bad.c" "$leak" 'unix.Malloc' "$lints/tidy.sh" "$tmp/tree"
	probe clang-tidy "$bad.c" '/* A file of a test. */
#include <fcntl.h>
int base_open(void);
int base_open(void)
{
	return open("/", O_RDONLY);
}' 'android-cloexec-open' "$lints/tidy.sh" "$tmp/tree"
else
	skip 'clang-tidy is missing (apt-get install clang-tidy)'
fi
# gcc -fanalyzer with the flags of the Makefile's own analyze mode.
cp "$SBX_ROOT/Makefile" "$tmp/tree/"
cp -R "$SBX_ROOT/vendor" "$tmp/tree/"
vendor=${SBX_VENDOR:-$SBX_ROOT/build/vendor}
if [ -e "$vendor/src/headers/.fetched" ]; then
	probe analyze "$bad.c" "$leak" 'analyzer-use-after-free' make -C "$tmp/tree" \
		-o vendor/sources.lock -o vendor/fetch.sh VENDOR="$vendor" BUILD="$tmp/b" analyze
else
	skip 'the kernel headers were not fetched yet (run make first)'
fi
done_testing
