#!/bin/sh
# docs.sh ROOT RELEASE [--fix]: README.md says what the program says. The option tables in it are the program's own
# (--fix writes them anew), every reason and layer of the code is named, every file that it names is there, and the
# manual pages are made of valid man(7) source. Must not need anything but the built program.
set -u
root=$1
sbx=$2/sbx
readme=$root/README.md
bad=0

complain() {
	printf 'docs: %s\n' "$*" >&2
	bad=1
}

# render: README.md with each block between "<!-- options NAME -->" and "<!-- end -->" as the program prints it now
render() {
	while IFS= read -r line; do
		printf '%s\n' "$line"
		case $line in
		'<!-- options '*)
			name=${line#<!-- options }
			name=${name% -->}
			"$sbx" --show-markdown "$name" || return 1
			while IFS= read -r line && [ "$line" != '<!-- end -->' ]; do :; done
			printf '%s\n' "$line"
			;;
		esac
	done <"$readme"
}

[ -f "$readme" ] || {
	complain "there is no README.md"
	exit 1
}
fresh=$(mktemp) || exit 1
trap 'rm -f "$fresh"' EXIT
render >"$fresh" || complain "the option tables cannot be printed"
if [ "${3:-}" = --fix ]; then
	cp "$fresh" "$readme"
elif ! cmp -s "$fresh" "$readme"; then
	complain "the option tables in README.md differ from the program's: tests/lint/docs.sh $root $2 --fix"
fi
grep -c '^<!-- options ' "$readme" | grep -qx 2 || complain "README.md must hold the tables of sbx-run and sbx-probe"

names() { # names MACRO FILE: the lower-case names of an X-macro table
	sed -n "/^#define $1(X)/,/[^\\\\]\$/s/.*X([A-Z_]*, \([a-z_]*\)[,)].*/\1/p" "$2"
}
for name in $(names LAYERS "$root/lib/policy/layers.h") $(names REASONS "$root/lib/sandbox/sandbox.h"); do
	grep -q "\`$name\`" "$readme" || complain "README.md does not tell of \`$name\`"
done
# shellcheck disable=SC2016 # back quotes of Markdown
for path in $(grep -o '`\(lib\|applets\|tests\|vendor\)/[A-Za-z0-9_./-]*`' "$readme" | tr -d '`' | sort -u); do
	[ -e "$root/$path" ] || complain "README.md names $path, which is not there"
done
for applet in sbx-run sbx-probe; do
	"$sbx" --show-man "$applet" | grep -q '^\.TH ' || complain "no manual page of $applet"
done
exit "$bad"
