#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Sends that wait and complete between two calls (tests/programs/waiting.py). A
# device that conforms passes at whatever time a send completes; a device whose
# sends never complete deviates.
. "$(dirname "$0")/../lib.sh"

mkdir "$TMP/programs"
cd "$TMP/programs" || exit 1
ok "waiting.py writes the programs" python3 "$SRC/tests/programs/waiting.py" . 3000 1
for percent in 5 25 100; do
	run "$IBVET" replay -d "model:ends:$percent" --out "$TMP/$percent" *.ibv
	unlike "$out" ' deviates' "$percent % of the waiting sends complete before each call: nothing deviates"
	like "$out" '3000 cases: 2[4-9][0-9]{2} pass' "$percent % of the waiting sends complete before each call: most programs pass"
done
run "$IBVET" replay -d model:skip:retry/no-receive --out "$TMP/for-ever" *.ibv
like "$status $out" '^1 .* [0-9]{3} deviates' "sends that never complete deviate"
run "$IBVET" replay -d model:ends:25 --out "$TMP/duplicate" \
	"$SRC/tests/programs/duplicate-then-given-up.ibv"
like "$status $out" '^0 .*1 case: 1 non-strict' \
	"a duplicate may pass in front of a send that was given up"
for device in model model:ends:25 model:ends:30 model:ends:100; do
	run "$IBVET" replay -d "$device" --out "$TMP/seldom-$device" \
		"$SRC"/tests/programs/{alternate,duplicate}-*.ibv
	like "$out" ' 9 cases: [0-9]+ pass, ([0-9]+ non-strict, )?1 inconclusive' \
		"$device: a duplicate may end before a change of state, path or peer"
done
refuses "a share above 100 %" 3 "unknown seeded fault 'ends:101'" \
	"$IBVET" replay -d model:ends:101 --out "$TMP/none" 00001.ibv

done_testing
