#!/bin/sh
# shell.sh [ROOT]: shellcheck over every script of the project.
# SC1090, SC1091, SC2154: tests source tap.sh by $SBX_ROOT and use what it sets.
set -eu

cd "${1:-$(dirname -- "$0")/../..}"
command -v shellcheck >/dev/null 2>&1 || {
	echo 'shell.sh: shellcheck is missing: apt-get install shellcheck'
	exit 1
}
find lib vendor tests .ci -type f \( -name '*.sh' -o -name '*.t' -o -path '.ci/run' \) \
	! -path 'vendor/dist/*' 2>/dev/null | sort |
	xargs -r shellcheck -S warning -e SC1090,SC1091,SC2154
