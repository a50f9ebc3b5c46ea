#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Traffic in which little tells requests apart (traffic_programs.py): a device that
# conforms is not blamed for it, and one that does not is.
. "$(dirname "$0")/../lib.sh"

mkdir "$TMP/programs"
cd "$TMP/programs" || exit 1
ok "programs" python3 "$SRC/tests/programs/traffic.py" . 3000 1
run "$IBVET" replay -d model --out "$TMP/healthy" *.ibv
is "$status" 0 "the model is not blamed"
like "$out" '3000 cases: 3000 pass' "and all that it does is the best"
run "$IBVET" replay -d model:skip:poll/order --out "$TMP/order" *.ibv
like "$status $out" '^1 .* [0-9]{3,4} deviates' "completions out of order are found"
run "$IBVET" replay -d model:add:WC.wc0.byte_len=1@start_poll --out "$TMP/length" *.ibv
like "$status $out" '^1 .* [0-9]{3,4} deviates' "as are lengths of nothing that came"

done_testing
