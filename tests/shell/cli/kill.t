#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Whatever dies, and whenever: worker, ibvet, or the machine with a part of the
# journal. tests/nightly does the same at more instants.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2

python3 "$SRC/tests/shell/cli/kill.py" "$IBVET" 20
