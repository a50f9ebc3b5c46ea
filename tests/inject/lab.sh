#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Fault checks by injection on a kernel driver: libinject changes one behaviour
# of the named device at a time. The lab runs this in a guest, because it needs a
# working device. A guest is slow: programs that start often are read from a copy,
# and only every second change of kind `other` is made. inject.t makes all of them
# on the stand-in device. Prints TAP.
# usage: lab.sh [DEVICE]
. "$(dirname "$0")/../shell/lib.sh"
INJECT_EVERY=${INJECT_EVERY-2}
INJECT_NOT='^old_' # calls that its libibverbs has no more
. "$(dirname "$0")/inject.sh"

cp "$IBVET" "$INJECT_LIB" "$TMP" || exit 2
IBVET=$TMP/${IBVET##*/} INJECT_LIB=$TMP/${INJECT_LIB##*/}

inject_all "${1-rxe0}" ""
