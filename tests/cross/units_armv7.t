#!/bin/sh
# The unit tests on armv7.
. "$SBX_ROOT/tests/cross/lib/cross.sh"
. "$SBX_ROOT/tests/cross/lib/units.sh"

[ "$host_arch" != armv7 ] || { pass 'this machine is one: the group unit runs them'; done_testing; }
units armv7
done_testing
