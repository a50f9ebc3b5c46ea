#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Fault checks by injection on a kernel driver: libinject changes one behaviour
# at a time of the device that is named. Needs one that works, so that it is
# the lab that runs this, in a guest; prints TAP.
# usage: lab_inject.sh [DEVICE]
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/inject.sh"

inject_all "${1-rxe0}" ""
