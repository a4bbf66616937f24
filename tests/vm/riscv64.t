#!/bin/sh
# The whole suite on every kernel for riscv64.
. "$SBX_ROOT/tests/lib/tap.sh"
. "$SBX_ROOT/tests/vm/boot.sh"

for kernel in $(vm_kernels riscv64); do
	vm_boot riscv64 "$kernel" full
done
done_testing
