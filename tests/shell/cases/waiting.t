#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Sends that wait and end when nobody looks (waiting_programs.py): a device that
# conforms is not blamed whenever that is, and one that lets them wait for ever is.
. "$(dirname "$0")/../lib.sh"

mkdir "$TMP/programs"
cd "$TMP/programs" || exit 1
ok "programs" python3 "$SRC/tests/programs/waiting.py" . 3000 1
for percent in 5 25 100; do
	run "$IBVET" replay -d "model:ends:$percent" --out "$TMP/$percent" *.ibv
	unlike "$out" ' deviates' "of 100 sends $percent end before each call: nothing is wrong"
	like "$out" '3000 cases: 2[6-9][0-9]{2} pass' "and hardly any is not followed to the end"
done
run "$IBVET" replay -d model:skip:retry/no-receive --out "$TMP/for-ever" *.ibv
like "$status $out" '^1 .* [0-9]{3} deviates' "sends that never end are found"
refuses "a share of more than all" 3 "unknown seeded fault 'ends:101'" \
	"$IBVET" replay -d model:ends:101 --out "$TMP/none" 00001.ibv

done_testing
