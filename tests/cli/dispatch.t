#!/bin/sh
# sbx itself: how an applet is found, what sbx answers alone, and the installing of links.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

one=$SBX_BUILD/sbx

# --- finding the applet ---------------------------------------------------------------------

run "$one" run -b native -- sh -c 'exit 7'
is "$rc" 7 'sbx run'
run "$one" sbx-run -b native -- sh -c 'exit 8'
is "$rc" 8 'sbx sbx-run'
run "$SBX_BUILD/sbx-run" -b native -- sh -c 'exit 9'
is "$rc" 9 'a link called sbx-run'
ln -s "$one" "$tmp/other"
run "$tmp/other" run -b native -- sh -c 'exit 10'
is "$rc" 10 'any other name acts as sbx'
ln -s "$one" "$tmp/run"
run "$tmp/run" -b native -- sh -c 'exit 11'
is "$rc" 11 'a link called run is the applet'
run "$one" run --help
like "$out" '^[Uu]sage: sbx-run ' 'sbx run --help is that of the applet'
run "$one" nonsense -b native
is "$rc:$out" 127: 'an unknown applet'
like "$err" '^sbx: .*"nonsense".*sbx-bridge.*sbx-mcp.*sbx-run' 'names those that there are'
one_line "$err" 'an unknown applet'
run "$one" ''
is "$rc" 127 'an empty applet name'
run "$one" --nonsense
is "$rc:$out" 125: 'an unknown option of sbx'
like "$err" '^sbx: .*--nonsense' 'is named'
run "$one" sbx
is "$rc" 127 'sbx is no applet of itself'

# Since Linux 5.18 the kernel makes an empty argv one empty word; before, argc is 0.
cat >"$tmp/noargs.c" <<'C'
#include <unistd.h>
int main(int argc, char **argv)
{
	char *const none[] = { NULL };
	char *const empty[] = { "", NULL };

	execve(argv[1], argc > 2 ? empty : none, none);
	return 99;
}
C
if gcc -w -o "$tmp/noargs" "$tmp/noargs.c" 2>/dev/null; then
	run "$tmp/noargs" "$one"
	is "$rc" 0 'no argv at all: sbx says how it is used'
	like "$out" '^usage: sbx' 'no argv at all: usage'
	run "$tmp/noargs" "$one" empty
	is "$rc" 0 'an empty argv[0]'
else
	skip 'gcc is missing (apt-get install gcc)'
fi

# --- what sbx answers ------------------------------------------------------------------------

run "$one"
is "$rc:$err" 0: 'sbx alone'
like "$out" '^usage: sbx ' 'shows its usage'
run "$one" --list
is "$rc:$err" 0: '--list'
for name in sbx-run sbx-mcp sbx-bridge sbx-probe; do
	like "$out" "^$name\$" "--list has $name"
done
is "$(printf '%s\n' "$out" | sort)" "$out" '--list is sorted'
unlike "$out" 'init' '--list has no applet that is not for people'
run "$one" --version
is "$rc:$err" 0: '--version'
like "$out" '^sbx [0-9]+\.[0-9]+\.[0-9]+$' '--version has a number'
version=${out#sbx }
run "$sbx" --version
is "$rc:$out" "0:sbx-run $version" 'the applet has the same version'
for applet in bridge mcp; do
	run "$one" "$applet" --some --thing
	is "$rc:$out" 125: "sbx-$applet: not built yet"
	like "$err" "^sbx-$applet: not built yet" "sbx-$applet says so"
done
for command in "$one --help" "$sbx --help" "$sbx -h"; do
	# shellcheck disable=SC2086 # two words
	run $command
	is "$rc:$err" 0: "$command"
	is "$(printf '%s\n' "$out" | awk 'length($0) > 80')" '' "$command fits 80 columns"
	unlike "$out" "$(printf '\t')" "$command has no tabs"
done
run "$one" --help
is "$(printf '%s\n' "$out" | grep -c '^  sbx-[bm].*(not built yet)$')" 2 '--help: what is not built yet'
run "$sbx" --help
for option in backend root cwd ro rw bind tmpfs hide net timeout kill-grace cpu-time memory pids \
	fsize nofile max-output kill-on-output env env-file unset-env env-mode env-report stdin \
	tty user json result require strict best-effort explain print-seccomp seccomp policy \
	cpus; do
	like "$out" "^ .*--$option( |\$|,)" "--help has --$option"
done
unlike "$out" 'sandbox.backend|memory.limit.mb' '--help leaves out what is for policy files only'
for what in man completion markdown; do
	run "$one" "--show-$what" sbx-run
	is "$rc:$err" 0: "--show-$what"
	like "$out" 'kill-grace|kill\\-grace' "--show-$what has the options"
done
run "$one" --show-asset
is "$rc:$err" 0: '--show-asset alone lists'
for asset in $out; do
	run "$one" --show-asset "$asset"
	is "$rc" 0 "--show-asset $asset"
	file=$SBX_ROOT/lib/assets/$asset
	[ "$asset" != licenses ] || file=$SBX_BUILD/licenses
	ok "--show-asset $asset prints the file's bytes" cmp "$tmp/.out" "$file"
done
run "$one" --show-asset licenses
like "$out" '^This program contains:$' 'the notices of what is built in'
for part in sbx musl cjson; do
	like "$out" "^$part( |\$)" "the notice of $part"
done
run "$one" --show-asset no-such-thing
is "$rc:$out" 125: '--show-asset of an unknown name'
like "$err" 'no-such-thing' 'is named'

# --- installing ------------------------------------------------------------------------------

mkdir "$tmp/hard" "$tmp/soft"
run "$one" --install "$tmp/hard"
is "$rc:$out$err" 0: '--install'
for name in $("$one" --list); do
	ok "--install: $name is the same file" test "$tmp/hard/$name" -ef "$tmp/hard/sbx"
done
ok '--install copies the program' cmp "$one" "$tmp/hard/sbx"
ok '--install: no file is left half-way' test -z "$(find "$tmp/hard" -name '.*' -type f)"
run "$tmp/hard/sbx-run" -b native -- sh -c 'exit 12'
is "$rc" 12 'an installed link works'
run "$one" --install "$tmp/hard"
is "$rc:$out$err" 0: '--install again'
run "$tmp/hard/sbx" --install "$tmp/hard"
is "$rc:$out$err" 0: '--install by the installed program'
ok 'it is still there' test -x "$tmp/hard/sbx"
run "$one" --install -s "$tmp/soft"
is "$rc:$out$err" 0: '--install -s'
is "$(readlink "$tmp/soft/sbx-run")" sbx '--install -s makes relative links'
run "$one" --install "$tmp/soft"
is "$rc" 0 '--install over symbolic links'
ok 'hard links have replaced them' test ! -L "$tmp/soft/sbx-run"
run "$one" --install -s "$tmp/hard"
is "$rc" 0 '--install -s over hard links'
ok 'symbolic links have replaced them' test -L "$tmp/hard/sbx-run"
mkdir "$tmp/foreign"
echo mine >"$tmp/foreign/sbx-run"
run "$one" --install "$tmp/foreign"
is "$rc" 125 '--install over a foreign file is refused'
like "$err" "^sbx: .*$tmp/foreign/sbx-run" 'and the file is named'
is "$(cat "$tmp/foreign/sbx-run")" mine 'and it is still what it was'
mkdir "$tmp/program"
echo mine >"$tmp/program/sbx"
run "$one" --install "$tmp/program"
is "$rc" 0 '--install replaces an older sbx'
ok 'with this one' cmp "$one" "$tmp/program/sbx"
mkdir -p "$tmp/folder/sbx-run"
run "$one" --install "$tmp/folder"
is "$rc" 125 '--install over a folder is refused'
like "$err" "sbx-run" 'and it is named'
run "$one" --install "$tmp/no/such/folder"
is "$rc" 125 '--install into a folder that is missing'
one_line "$err" '--install into a folder that is missing'
like "$err" "--install: $tmp/no/such/folder: No such file" 'is named'
run "$one" --install -s "$tmp/program/sbx"
like "$rc:$err" "^125:sbx: --install: $tmp/program/sbx: Not a directory" '--install into a file'
run "$one" --install
is "$rc" 125 '--install without a folder'
run "$one" --install "$tmp/hard" "$tmp/soft"
is "$rc" 125 '--install with two folders'

# --- make install ----------------------------------------------------------------------------

# make_install DESTDIR ARG...: of what is built, as the release build of a folder of its own.
mkdir "$tmp/b"
ln -s "$SBX_BUILD" "$tmp/b/release"
make_install() {
	to=$1
	shift
	run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$SBX_ROOT" -o all BUILD="$tmp/b" DESTDIR="$to" \
		PREFIX=/usr "$@" install
}

# has_pages DESTDIR: the manual pages and completions, as files that everybody can read.
has_pages() {
	for applet in sbx-run sbx-probe; do
		page=$1/usr/share/man/man1/$applet.1
		completion=$1/usr/share/bash-completion/completions/$applet
		head -n 1 "$page" | grep -q '^\.TH "' && grep -q '^\.SH OPTIONS' "$page" || return 1
		grep -q "^complete .* $applet\$" "$completion" || return 1
		[ "$(stat -c %a "$page" "$completion" | sort -u)" = 644 ] || return 1
	done
}

if command -v make >/dev/null 2>&1; then
	(umask 077; make_install "$tmp/d"; printf '%s' "$rc:$out$err" >"$tmp/made")
	is "$(cat "$tmp/made")" 0: 'make install'
	ok 'make install: the program' cmp "$one" "$tmp/d/usr/bin/sbx"
	ok 'make install: manual pages and completion' has_pages "$tmp/d"
	for name in $("$one" --list); do
		is "$(readlink "$tmp/d/usr/bin/$name")" sbx "make install: the link $name"
	done
	# A program for another processor cannot print them: this machine's own does.
	other=riscv64
	[ "$(uname -m)" != riscv64 ] || other=x86_64
	mkdir "$tmp/b/release-$other"
	echo foreign >"$tmp/b/release-$other/sbx"
	make_install "$tmp/cross" ARCH=$other
	is "$rc:$out$err:$(cat "$tmp/cross/usr/bin/sbx")" 0::foreign 'make install for another processor'
	ok 'make install for another processor: manual pages and completion' has_pages "$tmp/cross"
	rm "$tmp/b/release"
	make_install "$tmp/none" ARCH=$other
	is "$rc:$out" 0: 'make install for another processor, with no program for this one'
	like "$err" '^sbx: no manual pages and no completion: ' 'says that there are no pages'
	one_line "$err" 'make install without pages'
	ok 'and makes none' test ! -e "$tmp/none/usr/share"
else
	skip 'make is missing (apt-get install make)'
fi

# --- stdout that does not take it -------------------------------------------------------------

for command in --help --list --version; do
	rc=0
	"$one" "$command" >/dev/full 2>"$tmp/.err" || rc=$?
	is "$rc" 125 "$command to a full device"
	like "$(cat "$tmp/.err")" '^sbx: .*[Nn]o space' "$command to a full device says so"
	rc=0
	"$one" "$command" >&- 2>"$tmp/.err" || rc=$?
	ok "$command with stdout closed does not fail oddly" test "$rc" -le 125
	rc=$( { { "$one" "$command" 2>/dev/null; echo "$?" >&3; } | true; } 3>&1)
	ok "$command into a pipe that nobody reads: 0 or 141, not $rc" \
		sh -c '[ "$1" = 0 ] || [ "$1" = 141 ]' sh "$rc"
done
rc=0
"$one" >&- 2>&- <&- || rc=$?
ok 'all three descriptors closed' test "$rc" -le 125
done_testing
