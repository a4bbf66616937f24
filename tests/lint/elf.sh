#!/bin/sh
# elf.sh BINARY [MAX_BYTES]: the release binary is what it claims to be: static (no interpreter, no
# needed library), position independent, RELRO with immediate binding, no executable stack, no
# text relocation, none that its own start-up code passes over, stripped, small.
# Must not run the binary: it may be of another architecture.
set -eu
export LC_ALL=C

binary=$1
size_max_bytes=${2:-300000}
status=0

complain() {
	printf '%s: %s\n' "$binary" "$1"
	status=1
}

# must WHAT PATTERN / must_not WHAT PATTERN: over what readelf says.
must() {
	printf '%s\n' "$facts" | grep -Eq -e "$2" || complain "$1"
}
must_not() {
	! printf '%s\n' "$facts" | grep -Eq -e "$2" || complain "$1"
}

facts=$(readelf -W -h -l -d -S "$binary")
must 'is not position independent' '^ *Type: *DYN '
must_not 'asks for an interpreter' '^ *INTERP '
must_not 'needs a shared library' '\(NEEDED\)'
must 'has no GNU_STACK header' '^ *GNU_STACK '
must_not 'has an executable stack' '^ *GNU_STACK .*RWE'
must 'has no RELRO' '^ *GNU_RELRO '
must 'does not bind at once' 'BIND_NOW|FLAGS_1.*NOW'
must_not 'has text relocations' 'TEXTREL'
must_not 'has a writable and executable segment' '^ *LOAD .* RWE '
must_not 'is not stripped' '\.symtab|\.debug_'
# musl's rcrt1 adds the load address (R_*_RELATIVE) and nothing else: any other stays undone.
by_name=$(readelf -W -r "$binary" | awk '$3 ~ /^R_/ && $3 !~ /_RELATIVE$/ { n++ } END { print n + 0 }')
[ "$by_name" = 0 ] || complain "has $by_name relocations that a static program does not do"
size_bytes=$(wc -c <"$binary")
[ "$size_bytes" -le "$size_max_bytes" ] ||
	complain "$size_bytes bytes, more than $size_max_bytes"
exit "$status"
