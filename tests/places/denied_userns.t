#!/bin/sh
# The command line on kernels that lack system calls, started in a user namespace of an ordinary user.
. "${SBX_ROOT:-$(dirname -- "$0")/../..}/tests/places/denied.sh"
denied userns
