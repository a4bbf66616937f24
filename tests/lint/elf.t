#!/bin/sh
# elf.sh accepts the release binary and refuses binaries that are not what it promises.
. "$SBX_ROOT/tests/lib/tap.sh"

need gcc gcc
need readelf binutils
elf=$SBX_ROOT/tests/lint/elf.sh
printf 'int main(void) { return 0; }\n' >"$tmp/x.c"

# refuses PATTERN NAME FLAG...: a program linked with these flags is refused for this reason.
refuses() {
	pattern=$1
	name=$2
	shift 2
	gcc -o "$tmp/x" "$tmp/x.c" "$@" || bail "cannot link with $*"
	run "$elf" "$tmp/x"
	is "$rc" 1 "$name: refused"
	like "$out" "$pattern" "$name: says why"
}

[ ! -e "$SBX_BUILD/sbx" ] || {
	run "$elf" "$SBX_BUILD/sbx"
	is "$rc:$out" 0: 'the release binary keeps every promise'
	run "$elf" "$SBX_BUILD/sbx" 1000
	like "$out" 'bytes, more than 1000' 'a binary over its size is refused'
}
printf 'int x; int *const p = &x; void _start(void) { while (p) ; }\n' >"$tmp/bare.c"
gcc -static-pie -nostdlib -s -Wl,-z,relro,-z,now,-z,noexecstack -fPIE -o "$tmp/good" "$tmp/bare.c" ||
	bail 'cannot link static-pie'
run "$elf" "$tmp/good" 2000000
is "$rc:$out" 0: 'a static-pie program is accepted'
refuses 'relocations that a static program does not do' 'an indirect function' -s -static-pie
refuses 'asks for an interpreter' 'a dynamic program' -s -pie -Wl,-z,now
refuses 'needs a shared library' 'a shared libc' -s -pie
refuses 'is not position independent' 'a fixed address' -s -static -no-pie
refuses 'has an executable stack' 'an executable stack' -s -static-pie -Wl,-z,execstack
refuses 'has no RELRO' 'no RELRO' -s -static-pie -Wl,-z,norelro
refuses 'does not bind at once' 'lazy binding' -s -pie -Wl,-z,lazy
refuses 'is not stripped' 'symbols' -static-pie
done_testing
