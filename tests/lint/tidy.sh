#!/bin/sh
# tidy.sh [ROOT [VENDOR]]: clang-tidy over lib/ and applets/ with the checks of clang-tidy.yml.
# Must not change a file.
set -eu
unset LIBRARY_PATH CPATH C_INCLUDE_PATH LD_LIBRARY_PATH

config=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)/clang-tidy.yml
cd "${1:-$(dirname -- "$0")/../..}"
vendor=${2:-build/vendor}
command -v clang-tidy >/dev/null 2>&1 || {
	echo 'tidy.sh: clang-tidy is missing: apt-get install clang-tidy'
	exit 1
}
# What clang-tidy counts ("N warnings generated") goes to stderr; findings to stdout.
# The headers of macOS are not here: its compiler looks at those files.
find lib applets -name '*.c' ! -name 'macos_*' | sort | xargs -r -P 2 -I '{}' clang-tidy --quiet \
	--config-file="$config" '{}' -- -std=gnu11 -D_GNU_SOURCE= -DSBX_VERSION='"0"' -I. \
	-isystem "$vendor/src/headers/$(uname -m)" -isystem "$vendor/src/cjson" \
	-isystem "$vendor/src/bearssl/inc" 2>/dev/null
