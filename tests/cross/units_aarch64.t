#!/bin/sh
# The unit tests on aarch64.
. "$SBX_ROOT/tests/cross/lib/cross.sh"
. "$SBX_ROOT/tests/cross/lib/units.sh"

[ "$host_arch" != aarch64 ] || { pass 'this machine is one: the group unit runs them'; done_testing; }
units aarch64
done_testing
