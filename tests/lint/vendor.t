#!/bin/sh
# vendor/fetch.sh without a network: pinned files are taken and patched, anything else is refused
# with one clear line and nothing is left behind.
. "$SBX_ROOT/tests/lib/tap.sh"

# A project of its own: one package "toy" with one patch.
toy=$tmp/project/vendor
mkdir -p "$toy/dist" "$tmp/toy-1.0" "$tmp/debian/patches"
cp "$SBX_ROOT/vendor/fetch.sh" "$SBX_ROOT/vendor/apt.sh" "$toy/"
printf 'old\n' >"$tmp/toy-1.0/file"
printf -- '--- a/file\n+++ b/file\n@@ -1 +1 @@\n-old\n+new\n' >"$tmp/debian/patches/CVE-1.patch"
printf '# a comment\n\nCVE-1.patch # why\n' >"$tmp/debian/patches/series"
tar -C "$tmp" -czf "$toy/dist/toy_1.0.orig.tar.gz" toy-1.0
tar -C "$tmp" -cJf "$toy/dist/toy_1.0-1.debian.tar.xz" debian
orig=$(sha256sum "$toy/dist/toy_1.0.orig.tar.gz" | cut -d' ' -f1)
patches=$(sha256sum "$toy/dist/toy_1.0-1.debian.tar.xz" | cut -d' ' -f1)

# lock SHA256 UPSTREAM PATCHES
lock() {
	printf 'toy 1.0-1 nosuite toy %s %s %s MIT\n' "$1" "$2" "$3" >"$toy/sources.lock"
}

# fetch: into an empty folder, with an apt-get that always fails as it does with no network.
mkdir "$tmp/bin"
printf '#!/bin/sh\necho "E: no network in this test" >&2\nexit 100\n' >"$tmp/bin/apt-get"
chmod +x "$tmp/bin/apt-get"
fetch() {
	rm -rf "$tmp/out"
	run env PATH="$tmp/bin:$PATH" "$toy/fetch.sh" "$tmp/out" toy
}

lock "$orig" - "$patches"
fetch
is "$rc:$err" 0: 'pinned files are taken without a network'
is "$(cat "$tmp/out/src/toy/file")" new 'the patch is applied'
ok 'the folder is marked complete' test -e "$tmp/out/src/toy/.fetched"
run "$toy/fetch.sh" --pinned "$tmp/out"
is "$(printf '%s\n' "$out" | wc -l)" 2 '--pinned lists both files'

lock 0000 "$orig" "$patches"
fetch
is "$rc" 0 "the author's own tarball is accepted as well"
lock "$orig" - -
fetch
is "$(cat "$tmp/out/src/toy/file")" old 'no patches are applied where none are pinned'

# one_line NAME PATTERN: it failed with one line that says this, and left nothing.
one_line() {
	isnt "$rc" 0 "$1: fails"
	is "$(printf '%s\n' "$err" | wc -l)" 1 "$1: says one line"
	like "$err" "$2" "$1: says what to do"
	is "$(ls "$tmp/out/src" 2>/dev/null)" '' "$1: nothing is unpacked"
	is "$(find "$tmp/out" -name 'tmp.*' 2>/dev/null)" '' "$1: no scratch folder is left"
}

lock "$(printf '%064d' 0)" - "$patches"
fetch
one_line 'a tarball with another checksum' 'vendor/dist'
lock "$orig" - "$(printf '%064d' 0)"
fetch
one_line 'patches with another checksum' 'vendor/dist'
printf 'broken\n' >"$tmp/toy-1.0/file"
tar -C "$tmp" -czf "$toy/dist/toy_1.0.orig.tar.gz" toy-1.0
lock "$(sha256sum "$toy/dist/toy_1.0.orig.tar.gz" | cut -d' ' -f1)" - "$patches"
fetch
one_line 'a patch that does not apply' 'CVE-1.patch does not apply'
rm -rf "$tmp/out"
run "$toy/fetch.sh" "$tmp/out" other
like "$err" 'other is not in vendor/sources.lock' 'an unknown name is refused'

# A machine without patch(1).
mkdir "$tmp/few"
for tool in sh dirname mkdir command tar xz ar flock sha256sum cut awk mktemp rm; do
	path=$(command -v "$tool") && case $path in /*) ln -sf "$path" "$tmp/few/$tool" ;; esac
done
rm -rf "$tmp/out"
run env PATH="$tmp/few" "$toy/fetch.sh" "$tmp/out" toy
one_line 'a missing tool' 'patch is missing: apt-get install patch'

# What stands in for apt: it serves whatever is in $tmp/served.
mkdir "$tmp/served"
cat >"$tmp/bin/apt-get" <<'SH'
#!/bin/sh
case "$*" in
*update*) exit 0 ;;
*toy=*) exit 100 ;;
esac
cp "$SERVED"/* .
SH
export SERVED="$tmp/served"
if [ -n "$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null)" ]; then
	mv "$toy"/dist/* "$tmp/served/"
	code=$(sha256sum "$tmp/served/toy_1.0.orig.tar.gz" | cut -d' ' -f1)
	printf 'old\n' >"$tmp/toy-1.0/file"
	tar -C "$tmp" -czf "$tmp/served/toy_1.0.orig.tar.gz" toy-1.0
	lock "$code" - "$patches"
	fetch
	one_line 'code from apt that is not the pinned one' 'does not have the pinned checksum'
	lock "$(sha256sum "$tmp/served/toy_1.0.orig.tar.gz" | cut -d' ' -f1)" - 0000
	fetch
	is "$rc" 0 'newer patches that the archive signed are taken'
	like "$err" "toy 1.0-1 is gone from nosuite; took toy_1.0-1.debian.tar.xz" 'and said so'
	export SBX_STRICT_PINS=1
	fetch
	one_line 'newer patches with SBX_STRICT_PINS=1' 'pin a newer one'
else
	skip 'this machine has no apt sources'
fi
done_testing
