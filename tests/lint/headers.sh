#!/bin/sh
# headers.sh [ROOT [VENDOR]]: each header compiles alone and twice, under the project's warnings.
# Must not depend on the order in which sources happen to include things.
set -eu
unset LIBRARY_PATH CPATH C_INCLUDE_PATH LD_LIBRARY_PATH

cd "${1:-$(dirname -- "$0")/../..}"
vendor=${2:-build/vendor}
status=0
list=$(mktemp)
trap 'rm -f -- "$list"' EXIT
find lib applets tests/lib -name '*.h' | sort >"$list"
while read -r header; do
	printf '#include "%s"\n#include "%s"\nextern int headers_lint;\n' "$header" "$header" |
		"${CC:-gcc}" -fsyntax-only -std=gnu11 -Wall -Wextra -Wpedantic -Wshadow -Wformat=2 \
			-Wconversion -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wswitch-enum \
			-Werror -isystem "$vendor/src/headers/$(uname -m)" \
			-isystem "$vendor/src/cjson" -I. -x c - || {
		printf '%s: does not compile alone\n' "$header"
		status=1
	}
done <"$list"
exit "$status"
