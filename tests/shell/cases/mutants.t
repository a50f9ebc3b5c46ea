#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The suite itself under test: the quick profile finds every seeded fault of
# the model, none by a crash, and nothing in the healthy one.
. "$(dirname "$0")/../lib.sh"

found() { # FAMILY LEAST
	run "$IBVET" mutants --survivors --family "$1"
	is "$status" 0 "$1: every fault is found"
	is "$(grep SURVIVED "$TMP/out")" "" "$1: none survives"
	diag "$(grep "^# $1:" "$TMP/out")"
	like "$out" "# $1: ([0-9]+) of" "$1: counts are printed"
	[ "${BASH_REMATCH[1]:-0}" -ge "$2" ]
	result $? "$1: at least $2 faults"
}

found museum 75
found families 3900
found cells 5000
found vendors 1000

ok "the healthy model: nothing deviates, nothing is non-strict" \
	"$IBVET" run -d model --strict --out "$TMP/healthy"

# Every cell and every pair is accounted for: found, or hidden for a reason.
run "$IBVET" mutants --undistinguished --family cells
hidden=$(wc -l <"$TMP/out")
is "$(grep -vc $'\t.' "$TMP/out")" 0 "each hidden cell has a reason"
run "$IBVET" mutants --family cells
is "$((hidden + $(wc -l <"$TMP/out")))" $((49 * 6 * 22 * 2 + 49)) \
	"all cells and pairs are accounted for"

run "$IBVET" mutants --kill B008 'cell:rc/INIT-RTR/AV=optional'
is "$status" 0 "faults can be named"
like "$out" $'^B008\t(deviates|non-strict)\t' "the case that finds it is named"

run "$IBVET" mutants --kill ignore:CAP
is "$status" 1 "a fault that survives is a failure"
like "$out" $'^ignore:CAP\tSURVIVED' "and is named"

refuses "no such fault" 3 'unknown seeded fault .nonsense:1' \
	"$IBVET" mutants --kill nonsense:1
refuses "no such family" 3 'museum, families, cells' \
	"$IBVET" mutants --family some
refuses "no such fault to run" 3 'unknown seeded fault' \
	"$IBVET" run -d model:nonsense --out "$TMP/run"

run "$IBVET" mutants
is "$(cut -f1 "$TMP/out" | sort | uniq -d)" "" "no two faults of one name"
is "$(grep -c '^B[0-9]' "$TMP/out")" 75 "the museum is listed"

done_testing
