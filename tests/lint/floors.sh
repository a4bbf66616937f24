#!/bin/sh
# floors.sh [ROOT]: a file includes its own folder and lower floors only; folders on one floor
# never see each other; cJSON is seen by lib/json alone and BearSSL by lib/net alone.
# Must know every folder: a new one is put on its floor here.
set -eu

cd "${1:-$(dirname -- "$0")/../..}"
status=0

complain() {
	printf '%s\n' "$*"
	status=1
}

floor_of() {
	case $1 in
	lib/base | lib/assets) echo 0 ;;
	lib/json | lib/sys) echo 1 ;;
	lib/policy | lib/net | lib/frame) echo 2 ;;
	lib/sandbox | lib/mcp) echo 3 ;;
	lib/bridge) echo 4 ;;
	lib/code) echo 5 ;;
	applets) echo 6 ;;
	*) echo unknown ;;
	esac
}

# check_include FILE LINE NAME: a quoted include, relative to the file or to the top.
check_include() {
	from=$(dirname -- "$1")
	target=$from/$3
	[ -f "$target" ] || target=$3
	if [ ! -f "$target" ]; then
		complain "$1:$2: includes $3, which is not in the tree"
		return
	fi
	to=$(dirname -- "$(realpath --relative-to=. -- "$target")")
	[ "$from" != "$to" ] || return 0
	from_floor=$(floor_of "$from")
	to_floor=$(floor_of "$to")
	case $from_floor$to_floor in
	*unknown*) complain "$1:$2: no floor is known for $from or $to" ;;
	*) [ "$to_floor" -lt "$from_floor" ] ||
		complain "$1:$2: $from (floor $from_floor) includes $to (floor $to_floor)" ;;
	esac
}

list=$(mktemp)
trap 'rm -f -- "$list"' EXIT
find lib applets -name '*.[ch]' -exec grep -Hn '^[[:space:]]*#[[:space:]]*include' {} + |
	sed -n 's/^\([^:]*\):\([0-9]*\):[^"<]*\(["<]\)\([^">]*\)[">].*/\1 \2 \3 \4/p' |
	sort >"$list"
while read -r file line kind name; do
	case $name in
	*cJSON*) [ "$(dirname -- "$file")" = lib/json ] ||
		complain "$file:$line: only lib/json may see cJSON" ;;
	bearssl*) [ "$(dirname -- "$file")" = lib/net ] ||
		complain "$file:$line: only lib/net may see BearSSL" ;;
	*) [ "$kind" = '<' ] || check_include "$file" "$line" "$name" ;;
	esac
done <"$list"
exit "$status"
