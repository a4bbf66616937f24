#!/bin/sh
# The whole suite on the machine that the name of the script tells, ARCH-KERNEL.t: every kernel of
# kernels.lock has a link of that name to this file.
. "$SBX_ROOT/tests/lib/tap.sh"
. "$SBX_ROOT/tests/vm/boot.sh"

machine=$(basename -- "$0" .t)
vm_boot "${machine%%-*}" "${machine#*-}" full
done_testing
