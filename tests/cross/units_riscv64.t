#!/bin/sh
# The unit tests on riscv64.
. "$SBX_ROOT/tests/cross/lib/cross.sh"
. "$SBX_ROOT/tests/cross/lib/units.sh"

[ "$host_arch" != riscv64 ] || { pass 'this machine is one: the group unit runs them'; done_testing; }
units riscv64
done_testing
