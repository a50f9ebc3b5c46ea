#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet profile writes a profile of few lines that expects exactly what it measured.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2

ids=(modify/rc modify/uc/init-rtr srq)

# A device with deviations: the profile has at most as many lines as given, a run
# with the profile passes, and no line matches a case that did not deviate.
measures() { # FAULT LINES
	local fault=$1 most=$2 name=${1//[:\/]/.}
	run "$IBVET" profile -d "$fault" -o "$name" --profile quick \
		--out "$name.run" "${ids[@]}"
	is "$status" 0 "$fault: profile writes a profile" || diag "$err"
	like "$out" "$name: [0-9]+ lines for [1-9][0-9]* deviations" \
		"$fault: profile says how many lines and deviations"
	local lines
	lines=$(grep -cv '^#\|^\[\|^$' "$name")
	ok "$fault: $lines lines, no more than $most" test "$lines" -le "$most"
	like "$(<"$name")" $'\n\\[driver = [^]]*\\]\n' "$fault: the profile has a section for this driver"
	run "$IBVET" run -d "$fault" --expect "$name" --out "$name.again" \
		"${ids[@]}"
	is "$status" 0 "$fault: a run with the profile has no failure"
	run python3 exact.py "$name.run/results.json" "$name"
	is "$status" 0 "$fault: no line matches a measured case that did not deviate" || diag "$err"
	# Nor does a line match a case that was not measured.
	"$IBVET" list -d "$fault" modify srq >"$name.ids"
	run python3 apart.py "$name.run/results.json" "$name" "$name.ids"
	is "$status" 0 "$fault: no line matches a case that was not measured" || diag "$err"
	run "$IBVET" diff "$name.run" "$name.again"
	unlike "$out" 'Newly failing' "$fault: nothing newly fails"
}

cat >exact.py <<'END_OF_FILE'
import fnmatch
import json
import re
import sys

cases = json.load(open(sys.argv[1]))["cases"]
lines = [li.split() for li in open(sys.argv[2])
         if li.strip() and li[0] not in "#["]


def ids_of(pattern):
    """Returns the regular expression of the ids that a pattern selects."""
    globs = fnmatch.translate(pattern) if "*" in pattern else "(?!)"
    return "%s(?:/.*)?|%s" % (re.escape(pattern), globs)


for pattern, outcome in ((li[0], li[1]) for li in lines):
    selected = re.compile(ids_of(pattern)).fullmatch
    hit = [c for c in cases if selected(c["id"])]
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
selected = re.compile("|".join(ids_of(li[0]) for li in lines)).fullmatch
for case in open(sys.argv[3]).read().split():
    assert case in run or not selected(case), case
END_OF_FILE

# Cases of RATE_LIMIT, which this device does not claim on RC, stand between those
# that deviate: no pattern may match them.
measures model:cell:RC/INIT-RTR/PATH_MTU=optional 20
measures model:pair:RESET-INIT 200
measures model:B139 40

run "$IBVET" profile -d model -o none --profile quick --out none.run srq
is "$status" 0 "a device without deviations: exit status"
is "$(grep -cv '^#\|^\[\|^$' none)" 0 "a device without deviations: the profile has no lines"
run "$IBVET" run -d model --expect none --out none.again srq
is "$status" 0 "a profile without lines can be read"

# An existing file is refused before anything is measured.
echo mine >mine
refuses "a profile that exists already" 3 'mine exists already: .*--force' \
	"$IBVET" profile -d model -o mine srq
is "$(<mine)" mine "the existing profile is unchanged"
run "$IBVET" profile -d model -o mine --force --profile quick --out f srq
is "$status" 0 "--force replaces an existing profile"
like "$(<mine)" 'measured' "--force: the new profile is there"
refuses "no device" 3 'name the device with -d and the profile with -o' \
	"$IBVET" profile -o x
refuses "no file" 3 'name the device with -d and the profile with -o' \
	"$IBVET" profile -d model
refuses "no such device" 3 'nosuch0' "$IBVET" profile -d nosuch0 -o x
refuses "no such case" 3 'selects no case' "$IBVET" profile -d model -o x nope
refuses "a folder with a run" 3 'holds a run already' \
	"$IBVET" profile -d model -o x --out f srq
run "$IBVET" profile -d model -o nowhere/x --out g --profile quick srq
is "$status" 2 "a profile that cannot be written: exit status"
like "$err" 'nowhere/x.new: No such file' "a profile that cannot be written: the file is named"
is "$(find . -name 'x*')" "" "a refused profile leaves no file"

# --strict: the profile also expects non-strict verdicts
CHOICE=model:choose:modify/mask/reserved-bit=EINVAL
run "$IBVET" profile -d $CHOICE -o strict --strict --profile quick \
	--out strict.run modify/rc
is "$status" 0 "--strict: exit status"
like "$(<strict)" ' non-strict ' "--strict: non-strict verdicts have lines"
run "$IBVET" run -d $CHOICE --strict --expect strict --out strict.again modify/rc
is "$status" 0 "--strict: a run with the profile has no failure"

# A deviation that occurs at times only
FAULT=model:cell:RC/INIT-RTR/PATH_MTU=optional
ID=modify/rc/init-rtr/missing/PATH_MTU
echo "$ID OK? the check is skipped at times https://example.org/1" >times
run "$IBVET" run -d model --expect times --out well $ID
is "$status" 0 "at times: a line is not stale when the case passes"
run "$IBVET" run -d $FAULT --expect times --out badly $ID
is "$status" 0 "at times: a line expects the deviation when the case deviates"
run "$IBVET" diff well badly
is "$status" 0 "at times: pass and deviation are no change for diff"
like "$out" 'Decided by chance' "at times: diff lists the case as decided by a race"
ok "at times: results.json says so" grep -q '"at_times":true' badly/results.json

# A line that expects another outcome is named.
echo "$ID ENOMEM another errno https://example.org/1" >wrong
run "$IBVET" run -d $FAULT --expect wrong --out unlike $ID
is "$status" 1 "another outcome than the line says is not expected"
like "$out" 'profile +wrong:1 expects ENOMEM: correct this line' \
	"the run names the line that expects another outcome"

done_testing
