#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the suite itself: the quick profile finds every seeded fault of the model (of
# large families one in 32, if it is no long test), none by a crash, and finds nothing
# in the healthy model.
. "$(dirname "$0")/../lib.sh"

# All of them are run at once, so that the cases are made once. Nothing shows ignore:CAP.
faults() { # FAMILY LEAST N: one fault in N
	"$IBVET" mutants --family "$1" | cut -f1 >"$TMP/family"
	ok "$1: at least $2 faults" [ "$(wc -l <"$TMP/family")" -ge "$2" ]
	one_in "$3" <"$TMP/family" >>"$TMP/faults"
}

faults museum 75 1
faults families 6000 32
faults cells 5000 32
if has_vendor mlx5; then
	faults vendors 1600 32
else
	skip "faults of vendors" "ibvet is built without mlx5"
fi
# shellcheck disable=SC2046 # a list of names
run "$IBVET" mutants --survivors ignore:CAP $(<"$TMP/faults")
is "$(grep SURVIVED "$TMP/out")" $'ignore:CAP\tSURVIVED' "every fault but ignore:CAP is found"
is "$status" 1 "a fault that survives gives exit status 1"
diag "$(grep '^# .*found' "$TMP/out")"
like "$out" '# [a-z]+: ([0-9]+) of' "the counts are printed"
run "$IBVET" mutants --survivors B008
is "$status" 0 "faults that are all found give exit status 0"

# A promise that a call is granted must be able to fail: no contested rule permits
# a device to refuse that call.
run "$IBVET" mutants --excused
is "$status" 0 "no promise is excused by a contested rule"
is "$(tail -n 1 "$TMP/out")" "# 0 promises that a contested rule excuses" \
	"the number of excused promises is printed"

ok "the healthy model: nothing deviates, nothing is non-strict" \
	"$IBVET" run -d model --strict --out "$TMP/healthy"

# Each fault of a cell or a pair of states is found, or is listed with the reason
# why no call can show it.
run "$IBVET" mutants --undistinguished --family cells
hidden=$(wc -l <"$TMP/out")
is "$(grep -vc $'\t.' "$TMP/out")" 0 "each hidden cell has a reason"
run "$IBVET" mutants --family cells
is "$((hidden + $(wc -l <"$TMP/out")))" $((49 * 6 * 22 * 2 + 49)) \
	"every cell and pair is either found or hidden"

run "$IBVET" mutants --kill B008 'cell:rc/INIT-RTR/AV=optional'
is "$status" 0 "--kill takes names of faults"
like "$out" $'^B008\t(deviates|non-strict)\t' "the output names the case that finds a fault"

if long_tests; then
	run "$IBVET" mutants --kill ignore:CAP
	is "$status" 1 "--kill: a fault that survives gives exit status 1"
	like "$out" $'^ignore:CAP\tSURVIVED' "--kill: the output names the fault that survives"
fi

refuses "no such fault" 3 'unknown seeded fault .nonsense:1' \
	"$IBVET" mutants --kill nonsense:1
refuses "no such family" 3 'museum, families, cells' \
	"$IBVET" mutants --family some
refuses "no such fault to run" 3 'unknown seeded fault' \
	"$IBVET" run -d model:nonsense --out "$TMP/run"

run "$IBVET" mutants
is "$(cut -f1 "$TMP/out" | sort | uniq -d)" "" "no two faults have one name"
is "$(grep -c '^B[0-9]' "$TMP/out")" 75 "mutants lists the 75 faults of the museum"

done_testing
