#!/bin/sh
# cov.sh DIR: run the unit tests of a coverage build and print the lines covered, file by file.
# Must not count test code or third-party code.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
dir=$1
export SBX_ROOT="$root" SBX_BUILD="$dir"
cd "$root"
find "$dir" -name '*.gcda' -exec rm -f {} +
for source in tests/unit/*.c; do
	"$dir/tests/unit/$(basename -- "$source" .c)" >/dev/null ||
		echo "cov: $source fails" >&2
done
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
# From the .gcno files, so that a file which no test reaches counts as well.
find "$dir/lib" "$dir/applets" -name '*.gcno' 2>/dev/null | sort | while read -r data; do
	gcov -n -s "$root" -r -o "$data" "$data" 2>/dev/null
done | awk '
	/^File / { file = $2; gsub("\047", "", file) }
	/^Lines executed/ && file ~ /\.c$/ {
		split($0, part, /[:% ]+/)
		percent = part[3]; lines = part[5]
		printf "%6.1f %%  %5d lines  %s\n", percent, lines, file
		covered += percent * lines / 100; total += lines; file = ""
	}
	END { if (total) printf "%6.1f %%  %5d lines  all\n", 100 * covered / total, total }'
