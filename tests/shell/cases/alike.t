#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Traffic whose requests are nearly alike (tests/programs/traffic.py). A device
# that conforms passes every program; seeded faults deviate.
. "$(dirname "$0")/../lib.sh"

mkdir "$TMP/programs"
cd "$TMP/programs" || exit 1
ok "traffic.py writes the programs" python3 "$SRC/tests/programs/traffic.py" . 3000 1
run "$IBVET" replay -d model --out "$TMP/healthy" *.ibv
is "$status" 0 "the healthy model: no program deviates"
like "$out" '3000 cases: 3000 pass' "the healthy model: every program passes"
run "$IBVET" replay -d model:skip:poll/order --out "$TMP/order" *.ibv
like "$status $out" '^1 .* [0-9]{3,4} deviates' "a device that completes out of order deviates"
run "$IBVET" replay -d model:add:WC.wc0.byte_len=1@start_poll --out "$TMP/length" *.ibv
like "$status $out" '^1 .* [0-9]{3,4} deviates' "a device that reports a wrong byte_len deviates"

done_testing
