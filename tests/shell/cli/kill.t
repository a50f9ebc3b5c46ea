#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# A run survives the death of its workers, of ibvet, or of the machine with a part
# of the journal, at random times. tests/nightly tries more times.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2

kills=8
long_tests && kills=20
python3 "$SRC/tests/shell/cli/kill.py" "$IBVET" $kills 1
