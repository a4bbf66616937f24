#!/bin/sh
# table.sh [--fix] [FILE...]: the README's table "Where it runs" from real runs: of the tests of
# places on this build, and rows of the same form from FILE (other suites). Prints it, or with --fix
# puts it between the marks of README.md. Each test of a place asserts that its row is there, so a
# row can neither be invented nor go stale.
set -eu
cd "$(dirname -- "$0")/../.."
is_fix=0
[ "${1:-}" != --fix ] || { is_fix=1; shift; }
rows=$(mktemp)
trap 'rm -f -- "$rows" "$rows.md"' EXIT
export SBX_ROOT="$PWD" SBX_BUILD="${SBX_BUILD:-$PWD/build/release}" SBX_PLACES_TABLE="$rows"
for script in host podman rootless docker; do
	# What the README does not tell yet is the one fault that is expected here.
	"tests/places/$script.t" 2>/dev/null </dev/null |
		grep '^not ok' | grep -v ': the README tells it$' >&2 || :
done
{
	printf '| place | `auto` takes | missing |\n|---|---|---|\n'
	cat -- "$rows" "$@"
} >"$rows.md"
if [ "$is_fix" = 0 ]; then
	cat -- "$rows.md"
	exit
fi
awk -v table="$rows.md" '
	/^<!-- places -->$/ { print; while ((getline line < table) > 0) print line; skip = 1 }
	/^<!-- end -->$/ { skip = 0 }
	!skip { print }' README.md >"$rows"
cat -- "$rows" >README.md
