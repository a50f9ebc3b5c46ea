#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Checks that ibvet finds changes of libinject on a kernel driver. Runs in a guest
# of the lab. The guest is slow: ibvet and libinject are copied to a local file
# system, and only every second change of kind `other` is made.
# tests/shell/cases/inject.t makes all changes on the stand-in device. Prints TAP.
# usage: lab.sh [DEVICE]
. "$(dirname "$0")/../shell/lib.sh"
INJECT_EVERY=${INJECT_EVERY-2}
INJECT_NOT='^old_' # calls that the guest's libibverbs lacks
. "$(dirname "$0")/inject.sh"

cp "$IBVET" "$INJECT_LIB" "$TMP" || exit 2
IBVET=$TMP/${IBVET##*/} INJECT_LIB=$TMP/${INJECT_LIB##*/}

inject_all "${1-rxe0}" ""
