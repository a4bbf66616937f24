#!/bin/sh
# table.sh [--fix]: the README's table of kernels and initramfs, from real boots. Prints it, or with
# --fix puts it between the marks of README.md. Every boot asserts that its rows are there, so none
# can be invented or go stale. All kernels give the same rows: those of one are enough.
set -eu
cd "$(dirname -- "$0")/../.."
rows=$(mktemp)
trap 'rm -f -- "$rows" "$rows.md"' EXIT
export SBX_ROOT="$PWD" SBX_PLACES_TABLE="$rows"
for script in x86_64-6.12 degraded; do
	# What the README does not tell yet is the one fault that is expected here.
	"tests/vm/$script.t" 2>/dev/null </dev/null |
		grep '^not ok' | grep -v ': the README tells it$' >&2 || :
done
{
	printf '| place | `auto` takes | missing |\n|---|---|---|\n'
	awk '!seen[$0]++' "$rows"
} >"$rows.md"
if [ "${1:-}" != --fix ]; then
	cat -- "$rows.md"
	exit
fi
awk -v table="$rows.md" '
	/^<!-- kernels -->$/ { print; while ((getline line < table) > 0) print line; skip = 1 }
	/^<!-- end -->$/ { skip = 0 }
	!skip { print }' README.md >"$rows"
cat -- "$rows" >README.md
