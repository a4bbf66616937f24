#!/bin/sh
# licenses.sh ROOT VENDOR NAME...: print the notices of what the binary contains: of the project in
# ROOT and of the fetched sources NAME... in VENDOR. The text that all of them share is printed once;
# a source whose text is another one stops the build, so that somebody looks at it.
# Must not contain a licence text itself: they come from the sources.
set -eu
export LC_ALL=C

root=$1
vendor=$2
shift 2

# text_of NAME: its file.
text_of() {
	case $1 in
	sbx) echo "$root/LICENSE" ;;
	musl) echo "$vendor/src/musl/COPYRIGHT" ;;
	bearssl) echo "$vendor/src/bearssl/LICENSE.txt" ;;
	cjson) echo "$vendor/src/cjson/LICENSE" ;;
	*)
		printf 'vendor/licenses.sh: no rule for %s\n' "$1" >&2
		exit 1
		;;
	esac
}

# permission_of FILE: the first permission, from its first to its last words.
permission_of() {
	awk '/^Permission is hereby granted/ { on = 1 } on && !done { print }
		on && /SOFTWARE\.$/ { done = 1 }' "$1"
}

# words_of: one word a line, without what differs between copies of one text.
words_of() {
	tr -s ' \t\n' '\n\n\n' | sed 's/[^A-Za-z,.]//g; /^$/d'
}

version_of() {
	case $1 in
	sbx) ;;
	*) awk -v n="$1" '$1 == n { print " " $2 }' "$root/vendor/sources.lock" ;;
	esac
}

ours=$(permission_of "$root/LICENSE")
[ -n "$ours" ] || { echo 'vendor/licenses.sh: no permission in LICENSE' >&2; exit 1; }
echo 'This program contains:'
for name in sbx "$@"; do
	file=$(text_of "$name")
	[ "$(permission_of "$file" | words_of)" = "$(printf '%s\n' "$ours" | words_of)" ] || {
		printf 'vendor/licenses.sh: the licence of %s is not the one of LICENSE: %s\n' \
			"$name" "$file" >&2
		exit 1
	}
	printf '\n%s%s\n' "$name" "$(version_of "$name")"
	# The lines above the permission that claim a copyright.
	sed '/^Permission is hereby granted/,$d' "$file" | grep '^Copyright' | sed 's/^/    /'
done
printf '\nEach of them under this licence:\n\n%s\n' "$ours"
case " $* " in
*' musl '*)
	# up to what needs no notice: its header and start-up files
	printf '\nmusl adds:\n\n'
	sed -n '/^In addition, permission/q; /^Portions of this software/,$p' "$vendor/src/musl/COPYRIGHT"
	;;
esac
