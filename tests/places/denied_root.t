#!/bin/sh
# The command line on kernels that lack system calls, started by root.
. "${SBX_ROOT:-$(dirname -- "$0")/../..}/tests/places/denied.sh"
denied root
