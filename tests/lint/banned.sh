#!/bin/sh
# banned.sh [ROOT]: functions that no source may call, and what lib/ leaves to main:
# printing (but for lib/base/log.c), ending the process; fork belongs to lib/sys.
# Comments and strings do not count. Must not need the code to compile.
set -eu

cd "${1:-$(dirname -- "$0")/../..}"
everywhere='strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|atoll|strtok|system|popen|alloca'
in_lib='printf|vprintf|puts|putchar|perror|exit|abort|err|errx|warn|warnx'
forks='fork|vfork|posix_spawn|posix_spawnp|daemon'
status=0

# code FILE: the file without comments and strings, line numbers kept.
code() {
	awk '{
		out = ""
		for (i = 1; i <= length($0); i++) {
			c = substr($0, i, 1); two = substr($0, i, 2)
			if (comment) { if (two == "*/") { comment = 0; i++ } continue }
			if (two == "/*") { comment = 1; i++; continue }
			if (two == "//") break
			if (c == "\"" || c == "\047") {
				for (i++; i <= length($0) && substr($0, i, 1) != c; i++)
					if (substr($0, i, 1) == "\\") i++
				out = out c c
				continue
			}
			out = out c
		}
		print out
	}' "$1"
}

# forbid FILE WORDS WHY
forbid() {
	found=$(code "$1" | grep -nE "(^|[^A-Za-z0-9_.>])($2)[[:space:]]*\(" | cut -d: -f1)
	for line in $found; do
		text=$(sed -n "${line}p" "$1" | tr -s '\t ' ' ')
		printf '%s:%s: %s:%s\n' "$1" "$line" "$3" "$text"
		status=1
	done
}

list=$(mktemp)
trap 'rm -f -- "$list"' EXIT
find lib applets tests -name '*.[ch]' | sort >"$list"
while read -r file; do
	case $file in
	tests/escape/*) ;; # attacks use what attackers use
	*) forbid "$file" "$everywhere" 'banned function' ;;
	esac
	case $file in
	lib/base/log.c) ;;
	lib/*) forbid "$file" "$in_lib" 'only main prints and exits' ;;
	esac
	case $file in
	lib/sys/*) ;;
	lib/* | applets/*) forbid "$file" "$forks" 'only lib/sys makes processes' ;;
	esac
done <"$list"
exit "$status"
