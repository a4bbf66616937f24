#!/bin/sh
# text.sh [ROOT]: what every file of the project keeps to: at most 100 columns (a tab is 8) in code,
# 120 in shell scripts, no blanks at line ends, no mark of unfinished work, a C file opens with a comment;
# the build names no host: where packages come from is the machine's own configuration.
# Must not judge Markdown, corpora or other data.
set -eu

cd "${1:-$(dirname -- "$0")/../..}"
list=$(mktemp)
found=$(mktemp)
trap 'rm -f -- "$list" "$found"' EXIT
find Makefile applets lib vendor tests .ci -type f \
	\( -name '*.[ch]' -o -name '*.sh' -o -name '*.t' -o -name '*.pm' -o -name '*.def' \
	-o -name Makefile -o -name run \) ! -path 'vendor/dist/*' 2>/dev/null | sort >"$list"
while read -r file; do
	case $file in
	*.sh | *.t) columns=120 ;;
	*) columns=100 ;;
	esac
	expand -- "$file" | awk -v file="$file" -v columns="$columns" '
		length($0) > columns { print file ":" NR ": " length($0) " columns" }'
	awk -v file="$file" '
		/[ \t\r]$/ { print file ":" NR ": blank at the end of the line" }
		/(^|[^A-Za-z])(TODO|FIXME|XXX|HACK)([^A-Za-z0-9]|$)/ && file !~ /\/lint\// {
			print file ":" NR ": mark of unfinished work" }
		NR == 1 && file ~ /\.[ch]$/ && !/^\/\*/ {
			print file ":1: opens without a comment" }' "$file"
	case $file in
	Makefile | vendor/* | tests/lib/* | .ci/*)
		awk -v file="$file" '
			/[a-z]:\/\/[a-z]/ { print file ":" NR ": names a host" }' "$file" ;;
	esac
done <"$list" >"$found"
cat "$found"
[ ! -s "$found" ]
