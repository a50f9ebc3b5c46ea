#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet profile: what it writes expects exactly what it measured, in few lines.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2

ids=(modify/rc modify/uc/init-rtr srq)

# For a device with deviations: as many lines as expected, a run with them is as
# expected, and no line matches a case that did not deviate by its rule.
measures() { # FAULT LINES
	local fault=$1 most=$2 name=${1//[:\/]/.}
	run "$IBVET" profile -d "$fault" -o "$name" --profile quick \
		--out "$name.run" "${ids[@]}"
	is "$status" 0 "$fault: all that it does can be expected" || diag "$err"
	like "$out" "$name: [0-9]+ lines for [1-9][0-9]* deviations" \
		"$fault: it says how many"
	local lines
	lines=$(grep -cv '^#\|^\[\|^$' "$name")
	ok "$fault: $lines lines, no more than $most" test "$lines" -le "$most"
	like "$(<"$name")" $'\n\\[driver = [^]]*\\]\n' "$fault: about this device"
	run "$IBVET" run -d "$fault" --expect "$name" --out "$name.again" \
		"${ids[@]}"
	is "$status" 0 "$fault: a run with the profile is as expected"
	run python3 exact.py "$name.run/results.json" "$name"
	is "$status" 0 "$fault: nothing else is matched" || diag "$err"
	# Nor is what exists and was not measured.
	"$IBVET" list -d "$fault" modify srq >"$name.ids"
	run python3 apart.py "$name.run/results.json" "$name" "$name.ids"
	is "$status" 0 "$fault: nor what was not measured" || diag "$err"
	run "$IBVET" diff "$name.run" "$name.again"
	unlike "$out" 'Newly failing' "$fault: nothing newly fails"
}

cat >exact.py <<'END_OF_FILE'
import fnmatch
import json
import sys

cases = json.load(open(sys.argv[1]))["cases"]
lines = [li.split() for li in open(sys.argv[2])
         if li.strip() and li[0] not in "#["]


def matches(pattern, case):
    return (case == pattern or case.startswith(pattern + "/") or
            ("*" in pattern and fnmatch.fnmatchcase(case, pattern)))


for pattern, outcome in ((li[0], li[1]) for li in lines):
    hit = [c for c in cases if matches(pattern, c["id"])]
    assert hit, pattern + " matches nothing"
    for c in hit:
        assert c["verdict"] == "deviates", (pattern, c["id"], c["verdict"])
        assert outcome == "rule:" + c["rule"], (pattern, c["id"], outcome)
assert len(set(map(tuple, lines))) == len(lines)
assert all(li[-1] == "why://not-explained-yet" for li in lines)
END_OF_FILE

sed -e '/^for pattern/,$d' exact.py >apart.py
cat >>apart.py <<'END_OF_FILE'
run = {c["id"] for c in cases}
for case in open(sys.argv[3]).read().split():
    for li in lines:
        assert case in run or not matches(li[0], case), (li[0], case)
END_OF_FILE

measures model:cell:RC/INIT-RTR/PATH_MTU=optional 12
measures model:pair:RESET-INIT 120
measures model:B139 40

run "$IBVET" profile -d model -o none --profile quick --out none.run srq
is "$status" 0 "a device without deviations"
is "$(grep -cv '^#\|^\[\|^$' none)" 0 "has a profile without lines"
run "$IBVET" run -d model --expect none --out none.again srq
is "$status" 0 "which can be read"

# Nothing is overwritten unasked, and before anything is measured
echo mine >mine
refuses "a file that is there" 3 'mine exists already: .*--force' \
	"$IBVET" profile -d model -o mine srq
is "$(<mine)" mine "it is left alone"
run "$IBVET" profile -d model -o mine --force --profile quick --out f srq
is "$status" 0 "--force writes over it"
like "$(<mine)" 'measured' "it does"
refuses "no device" 3 'name the device with -d and the profile with -o' \
	"$IBVET" profile -o x
refuses "no file" 3 'name the device with -d and the profile with -o' \
	"$IBVET" profile -d model
refuses "no such device" 3 'nosuch0' "$IBVET" profile -d nosuch0 -o x
refuses "no such case" 3 'selects no case' "$IBVET" profile -d model -o x nope
refuses "a folder with a run" 3 'holds a run already' \
	"$IBVET" profile -d model -o x --out f srq
run "$IBVET" profile -d model -o nowhere/x --out g --profile quick srq
is "$status" 2 "a file that cannot be written"
like "$err" 'nowhere/x.new: No such file' "is named"
is "$(find . -name 'x*')" "" "nothing is left behind"

# --strict: what is permitted, and not the best
CHOICE=model:choose:modify/mask/reserved-bit=EINVAL
run "$IBVET" profile -d $CHOICE -o strict --strict --profile quick \
	--out strict.run modify/rc
is "$status" 0 "--strict: measured"
like "$(<strict)" ' non-strict ' "--strict: choices have lines"
run "$IBVET" run -d $CHOICE --strict --expect strict --out strict.again modify/rc
is "$status" 0 "--strict: a run with the profile is as expected"

# A deviation that comes at times only
FAULT=model:cell:RC/INIT-RTR/PATH_MTU=optional
ID=modify/rc/init-rtr/missing/PATH_MTU
echo "$ID OK? the check is skipped at times https://example.org/1" >times
run "$IBVET" run -d model --expect times --out well $ID
is "$status" 0 "at times: a line is not stale when the case passes"
run "$IBVET" run -d $FAULT --expect times --out badly $ID
is "$status" 0 "at times: and expects the deviation when it comes"
run "$IBVET" diff well badly
is "$status" 0 "at times: no change"
like "$out" 'Decided by a race' "at times: though it is told"
ok "at times: results.json says so" grep -q '"at_times":true' badly/results.json

# Which line is wrong about a case
echo "$ID ENOMEM another errno https://example.org/1" >wrong
run "$IBVET" run -d $FAULT --expect wrong --out unlike $ID
is "$status" 1 "another outcome than the line says is not expected"
like "$out" 'profile +wrong:1 expects ENOMEM of it: correct that line' \
	"the line is named"

done_testing
