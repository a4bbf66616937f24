#!/bin/sh
# The table of system calls against the kernel's own headers, for every processor: each call that the
# headers number is in the table (else a sandboxed program would get ENOSYS for it), and each name in
# the table is a call of some processor (a misspelt one would be left out without a word).
. "$SBX_ROOT/tests/cross/lib/cross.sh"

need gcc gcc
headers=${SBX_VENDOR:-$builds/vendor}/src/headers
[ -e "$headers/.fetched" ] || skip_all 'the kernel headers were not fetched yet (run make first)'
table=$SBX_ROOT/lib/sys/linux_syscalls.def

# compiler_says ARCH: what a compiler for it predefines, as far as the headers ask.
compiler_says() {
	case $1 in
	x86_64) echo -D__x86_64__ -D__LP64__ ;;
	aarch64) echo -D__aarch64__ -D__LP64__ -D__AARCH64EL__ ;;
	armv7) echo -D__arm__ -D__ARM_EABI__ -D__ARMEL__ ;;
	riscv64) echo -D__riscv -D__riscv_xlen=64 -D__LP64__ ;;
	esac
	echo "-D__SIZEOF_POINTER__=$(($(bits_of "$1") / 8)) -D__SIZEOF_LONG__=$(($(bits_of "$1") / 8))"
}

# calls_of ARCH: names that the headers number, sorted. Not calls: the count, and where 32-bit ARM's
# ranges start; arm_sync_file_range is another name for the number of sync_file_range2.
calls_of() {
	# shellcheck disable=SC2046 # words
	echo '#include <asm/unistd.h>' |
		gcc -E -dM -undef $(compiler_says "$1") -nostdinc -isystem "$headers/$1" - |
		sed -n 's/^#define __\(ARM_\)\{0,1\}NR_\([A-Za-z0-9_]*\) .*/\2/p' |
		grep -vE '^(syscalls|SYSCALL_BASE|OABI_SYSCALL_BASE|BASE|SYSCALL_MASK|arm_sync_file_range)$' | sort -u
}

# check FILE: prints what is wrong with this table.
check() {
	sed -n 's/^SYSCALL\(_PRIVATE\)\{0,1\}(\([A-Za-z0-9_]*\), .*/\2/p' "$1" >"$tmp/listed"
	LC_ALL=C sort -c "$tmp/listed" 2>&1 || echo 'not sorted'
	for arch in $all_arches; do
		comm -23 "$tmp/calls.$arch" "$tmp/listed" | sed "s/^/$arch: not listed: /"
	done
	comm -13 "$tmp/calls" "$tmp/listed" | sed 's/^/no call of any processor: /'
	# each line stands under the #ifdef of its own name
	awk '/^#ifdef/ { guard = $2; next }
		/^SYSCALL/ {
			split($0, part, /[(,]/)
			want = (part[1] ~ /PRIVATE/ ? "__ARM_NR_" : "__NR_") part[2]
			if (guard != want) print "under the wrong #ifdef: " part[2]
		}' "$1"
}

export LC_ALL=C
for arch in $all_arches; do
	calls_of "$arch" >"$tmp/calls.$arch"
	ok "$arch: the headers number its calls" test "$(wc -l <"$tmp/calls.$arch")" -gt 300
done
ok 'armv7: calls with 64-bit times are among them' grep -q '^futex_time64$' "$tmp/calls.armv7"
ok 'riscv64: its own calls are among them' grep -q '^riscv_flush_icache$' "$tmp/calls.riscv64"
sort -u "$tmp"/calls.* >"$tmp/calls"
is "$(check "$table")" '' 'the table has all of them and nothing else'

# One number is one call: a multiplexer would carry its real call's arguments in memory.
for call in socketcall ipc syscall; do
	unlike "$(cat "$tmp/calls")" "^$call\$" "no processor has $call"
done

# Faults are seen.
grep -v '^SYSCALL(ppoll_time64,' "$table" >"$tmp/fault"
like "$(check "$tmp/fault")" '^armv7: not listed: ppoll_time64$' 'a missing call is seen'
sed 's/^SYSCALL(ptrace,/SYSCALL(ptrase,/' "$table" >"$tmp/fault"
like "$(check "$tmp/fault")" '^no call of any processor: ptrase$' 'a misspelt one is seen'
like "$(check "$tmp/fault")" '^under the wrong #ifdef: ptrase$' 'and so is its #ifdef'
done_testing
