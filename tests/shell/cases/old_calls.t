#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Calls that no header of libibverbs declares any more, on a library that has them
# and on a library that lacks them.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"

run fake "$IBVET" run -d fake0 --strict --out "$TMP/fake" 'open/query-xrc-rcv-old/*'
is "$status" 0 "a library with ibv_open_xrc_domain: nothing deviates"
like "$out" '4 cases: 4 pass' "the old query is tried in four states"

if has_vendor mlx5; then
	run "$IBVET" run -d "virtual:connectx-7" --out "$TMP/today" \
		'open/query-xrc-rcv-old/*'
	is "$status" 77 "a library without ibv_open_xrc_domain: exit status"
	like "$out" '4 cases: 4 unsupported' "a library without ibv_open_xrc_domain: unsupported"
	like "$(cat "$TMP/today/results.tap")" 'ibv_open_xrc_domain in libibverbs' \
		"results.tap names the missing symbol"
else
	skip "a library without ibv_open_xrc_domain" "ibvet is built without mlx5"
fi

export_and_run open/query-xrc-rcv-old/rts
export_and_run open/query-xrc-rcv-old/reset
if has_vendor mlx5; then
	run "$IBVET" exec -- "$TMP/case"
	is "$status" 77 "a reproducer exits with 77 if the library lacks the call"
	like "$out" 'no ibv_open_xrc_domain in libibverbs' "the reproducer names the missing symbol"
fi

done_testing
