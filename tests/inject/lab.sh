#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Fault checks by injection on a kernel driver: libinject changes one behaviour
# at a time of the device that is named. Needs one that works, so that it is
# the lab that runs this, in a guest; prints TAP. What is started often is read
# from a copy, and of the changes of no kind in particular every second is made:
# a guest is slow, and the stand-in device has them all (inject.t).
# usage: lab.sh [DEVICE]
. "$(dirname "$0")/../shell/lib.sh"
INJECT_EVERY=${INJECT_EVERY-2}
INJECT_NOT='^old_' # calls that its libibverbs has no more
. "$(dirname "$0")/inject.sh"

cp "$IBVET" "$INJECT_LIB" "$TMP" || exit 2
IBVET=$TMP/${IBVET##*/} INJECT_LIB=$TMP/${INJECT_LIB##*/}

inject_all "${1-rxe0}" ""
