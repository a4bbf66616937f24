#!/bin/sh
# What macOS gets, compiled for Linux, with a stand-in for sandbox-exec: scripts of tests/cli.
. "$SBX_ROOT/tests/macos/lib/portable.sh"
scripts status output signals
done_testing
