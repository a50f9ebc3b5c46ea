#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Fault checks by injection, without hardware: libinject changes one behaviour
# at a time of the device that fakeverbs stands in for.
. "$(dirname "$0")/../lib.sh"
INJECT_WITHOUT=kernel # the stand-in device has none
. "$SRC/tests/inject/inject.sh"

inject_all fake0 "$BUILD/libfakeverbs.so" --healthy
