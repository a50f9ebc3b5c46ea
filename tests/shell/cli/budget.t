#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet run --time: a run that is cut off has tried a little of everything,
# says what it left out, and --resume runs exactly that.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2

cases() { # FOLDER: "target id verdict" of each case, in the order of the run
	python3 -c 'import json, sys
for case in json.load(open(sys.argv[1] + "/results.json"))["cases"]:
    print(case["target"], case["id"], case["verdict"])' "$1"
}

not_run() { # FOLDER: a number for each target
	python3 -c 'import json, sys
for t in json.load(open(sys.argv[1] + "/results.json"))["targets"]:
    print(t["not_run"])' "$1"
}

for bad in x -1 0.001 nan 1e9 ''; do
	refuses "--time=$bad" 3 'is not a number of seconds' \
		"$IBVET" run -d model "--time=$bad"
done

# --- The order ---------------------------------------------------------------

part=modify/rc
"$IBVET" run -d model --out whole --time 0 "$part" >/dev/null
is "$?" 0 "without a limit"
is "$(not_run whole)" 0 "nothing is left out"
is "$(cases whole | cut -d' ' -f2 | sort | md5sum)" \
	"$("$IBVET" list -d model "$part" | sort | md5sum)" \
	"each case that is listed runs, once"
is "$(python3 -c 'import json
cases = json.load(open("whole/results.json"))["cases"]
pair = lambda case: case["id"].split("/")[2]
for of, first in (lambda case: case["rule"], 200), (pair, 1200):
    print(set(map(of, cases[:first])) == set(map(of, cases)))')" \
	"True
True" "all rows come within the first 200 cases, all pairs soon after"

# --- Cut off -----------------------------------------------------------------

total=$(cases whole | wc -l)
run "$IBVET" run -d model --out cut --time 0.01 "$part"
is "$status" 0 "the status is that of what ran"
left=$(not_run cut)
ran=$(cases cut | wc -l)
ok "some cases ran, $ran, and some did not, $left" \
	[ "$ran" -ge 1 ] && [ "$left" -ge 1 ]
is "$((ran + left))" "$total" "together they are all"
is "$(cases cut)" "$(cases whole | sed -n "1,${ran}p")" "the first ones ran"
like "$out" "$ran of $total cases ran in the time given; the rest: ibvet run --resume cut --time 0" \
	"the console says so, and how to run the rest"
is "$(grep '^1\.\.' cut/results.tap)" "1..$ran" "the plan of TAP is of these"
like "$(tail -n 1 cut/results.tap)" "^# model: $ran of $total cases ran" \
	"and TAP says so at its end"
like "$(<cut/junit.xml)" "name=\"cases_not_run\" value=\"$left\"" \
	"JUnit has the number"
run "$IBVET" run -d model --ktap --time 0.01 "$part"
like "$out" "# [0-9]+ of $total cases ran" "KTAP has it"

run "$IBVET" run --resume cut --time 0
is "$status" 0 "the rest runs on request"
is "$(cases cut | md5sum)" "$(cases whole | md5sum)" "to the same results"
is "$(not_run cut)" 0 "and nothing is left out any more"
ok "nothing is said any more" \
	test -z "$(grep 'in the time given' <<<"$out"; grep 'in the time given' cut/results.tap)"

run "$IBVET" run -d model --out steps --time 0.01 "$part"
first=$(cases steps | wc -l)
run "$IBVET" run --resume steps
ok "without --time a resumed run has as much time again" \
	[ "$(cases steps | wc -l)" -gt "$first" ]
is "$(cases steps | sort | uniq -d)" "" "no case runs twice"

FAULT=model:cell:RC/INIT-RTR/PATH_MTU=optional
run "$IBVET" run -d model -d "$FAULT" --out two --time 0.02 "$part"
is "$(not_run two | awk '$1 > 0' | wc -l)" 2 "targets share the time"
run "$IBVET" run --resume two --time 0
is "$status" 1 "a deviation that a short run did not reach is found later"
is "$(cases two | wc -l)" "$((2 * total))" "and both targets ran all"

run "$IBVET" replay -d model --out replayed two/repro/*.ibv
is "$(not_run replayed)" 0 "replay has no limit"

done_testing
