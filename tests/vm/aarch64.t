#!/bin/sh
# The whole suite on every kernel for aarch64.
. "$SBX_ROOT/tests/lib/tap.sh"
. "$SBX_ROOT/tests/vm/boot.sh"

for kernel in $(vm_kernels aarch64); do
	vm_boot aarch64 "$kernel" full
done
done_testing
