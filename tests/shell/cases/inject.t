#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Checks by fault injection, without hardware: libinject changes one behaviour
# of the stand-in device (libfakeverbs) at a time, and a run must find each. If this is
# no long test, one change in four of most kinds is made.
. "$(dirname "$0")/../lib.sh"
long_tests || INJECT_EVERY=4
INJECT_WITHOUT=kernel # the stand-in device has no kernel driver
. "$SRC/tests/inject/inject.sh"

inject_all fake0 "$BUILD/libfakeverbs.so" --healthy
