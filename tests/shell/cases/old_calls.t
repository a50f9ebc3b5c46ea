#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Calls that no header of libibverbs declares any more: where a library has them,
# and where it has not.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"

run fake "$IBVET" run -d fake0 --strict --out "$TMP/fake" 'open/query-xrc-rcv-old/*'
is "$status" 0 "a library that has them"
like "$out" '4 cases: 4 pass' "a case for each state"

run "$IBVET" run -d "virtual:connectx-7" --out "$TMP/today" \
	'open/query-xrc-rcv-old/*'
is "$status" 77 "a library of today"
like "$out" '4 cases: 4 unsupported' "the cases cannot be tried"
like "$(cat "$TMP/today/results.tap")" 'ibv_open_xrc_domain in libibverbs' \
	"the symbol is named"

export_and_run open/query-xrc-rcv-old/rts
export_and_run open/query-xrc-rcv-old/reset
run "$IBVET" exec -- "$TMP/case"
is "$status" 77 "without them a reproducer says so"
like "$out" 'no ibv_open_xrc_domain in libibverbs' "and names the symbol"

done_testing
