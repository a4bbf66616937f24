#!/bin/sh
# The whole suite on every kernel for x86_64.
. "$SBX_ROOT/tests/lib/tap.sh"
. "$SBX_ROOT/tests/vm/boot.sh"

for kernel in $(vm_kernels x86_64); do
	vm_boot x86_64 "$kernel" full
done
done_testing
