#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet run --time: a run that runs out of time has tried a little of everything
# and reports how many cases it left out; --resume runs exactly these.
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
is "$?" 0 "--time 0 runs without a limit"
is "$(not_run whole)" 0 "--time 0: no case is left out"
is "$(cases whole | cut -d' ' -f2 | sort | md5sum)" \
	"$("$IBVET" list -d model "$part" | sort | md5sum)" \
	"--time 0: each case that list prints runs once"
is "$(python3 -c 'import json
cases = json.load(open("whole/results.json"))["cases"]
pair = lambda case: case["id"].split("/")[2]
for of, first in (lambda case: case["rule"], 200), (pair, 1200):
    print(set(map(of, cases[:first])) == set(map(of, cases)))')" \
	"True
True" "the first 200 cases try all rows, the first 1200 all pairs"

# --- Out of time -----------------------------------------------------------------

total=$(cases whole | wc -l)
run "$IBVET" run -d model --out cut --time 0.01 "$part"
is "$status" 0 "out of time: the exit status is that of the cases that ran"
left=$(not_run cut)
ran=$(cases cut | wc -l)
ok "some cases ran, $ran, and some did not, $left" \
	[ "$ran" -ge 1 ] && [ "$left" -ge 1 ]
is "$((ran + left))" "$total" "out of time: cases that ran and cases left out make all"
is "$(cases cut)" "$(cases whole | sed -n "1,${ran}p")" "out of time: the first cases of the order ran"
like "$out" "$ran of $total cases ran in the time given; to run the rest: ibvet run --resume cut --time 0" \
	"out of time: the console says so, and how to run the rest"
is "$(grep '^1\.\.' cut/results.tap)" "1..$ran" "out of time: the TAP plan counts the cases that ran"
like "$(tail -n 1 cut/results.tap)" "^# model: $ran of $total cases ran" \
	"out of time: TAP says so at its end"
like "$(<cut/junit.xml)" "name=\"cases_not_run\" value=\"$left\"" \
	"out of time: JUnit has the number of cases left out"
run "$IBVET" run -d model --ktap --time 0.01 "$part"
like "$out" "# [0-9]+ of $total cases ran" "out of time: KTAP says how many cases ran"

run "$IBVET" run --resume cut --time 0
is "$status" 0 "--resume runs the rest"
is "$(cases cut | md5sum)" "$(cases whole | md5sum)" "--resume: the results are those of one whole run"
is "$(not_run cut)" 0 "--resume: no case is left out any more"
ok "--resume: neither the console nor TAP speaks of a limit any more" \
	test -z "$(grep 'in the time given' <<<"$out"; grep 'in the time given' cut/results.tap)"

run "$IBVET" run -d model --out steps --time 0.01 "$part"
first=$(cases steps | wc -l)
run "$IBVET" run --resume steps
ok "without --time a resumed run has as much time again" \
	[ "$(cases steps | wc -l)" -gt "$first" ]
is "$(cases steps | sort | uniq -d)" "" "no case runs twice"

FAULT=model:cell:RC/INIT-RTR/PATH_MTU=optional
run "$IBVET" run -d model -d "$FAULT" --out two --time 0.02 "$part"
is "$(not_run two | awk '$1 > 0' | wc -l)" 2 "two targets share the time"
run "$IBVET" run --resume two --time 0
is "$status" 1 "--resume finds a deviation that the short run did not reach"
is "$(cases two | wc -l)" "$((2 * total))" "--resume runs all cases of both targets"

run "$IBVET" replay -d model --out replayed two/repro/*.ibv
is "$(not_run replayed)" 0 "replay has no time limit"

done_testing
