#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet diff reports every change between the results.json of two runs, and
# nothing else.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2

FAULT=model:cell:RC/INIT-RTR/PATH_MTU=optional
CHOICE=model:choose:modify/mask/reserved-bit=EINVAL
RACE=model:choose:choice/leave-sqd-draining=EINVAL
ids=(modify/rc/init-rtr modify/rc/rts-sqd modify/rc/sqd-rts
	modify/rc/rts-rts mcast xrcd)

made() { # FOLDER ARGUMENTS: a run of those cases
	local dir=$1
	shift
	"$IBVET" run --out "$dir" "$@" "${ids[@]}" >"$dir.out" 2>&1
}

cat >known <<'END_OF_FILE'
modify/rc/init-rtr/missing/PATH_MTU OK skips it https://example.org/1
END_OF_FILE
printf 'max_mcast_grp = 0\n' >no-groups
made healthy -d model
made again -d model
made faulty -d $FAULT
made excused -d $FAULT --expect known
made stale -d model --expect known
made choosy -d $CHOICE
made racy -d $RACE
made poor -d model --limits no-groups
made both -d model -d $FAULT

# check.py finds the changes independently, from the results.
cat >check.py <<'END_OF_FILE'
import json
import sys

was_dir, is_dir, found = sys.argv[1:4]
options = sys.argv[4:]
diff = json.load(open(found))
fails = {"deviates", "inconclusive", "crashed", "hung", "host-lost"}


def load(folder):
    cases = json.load(open(folder + "/results.json"))["cases"]
    return {c["id"]: c for c in cases}


def kind(a, b):
    a, b = a["verdict"], b["verdict"]
    if b == "unsupported":
        return None if a == b else "newly-unsupported"
    if b in fails or (b == "fixed" and a not in fails | {"expected", "fixed"}):
        return None if a in fails else "newly-failing"
    if b == "expected":
        return None if a == b else "newly-expected"
    if a in fails | {"expected"} or (a == "fixed" and b == "pass"):
        return "newly-fixed"
    if b == "non-strict":
        return None if a == b else "newly-non-strict"
    if a == "non-strict":
        return "no-longer-non-strict"
    return "newly-supported" if a == "unsupported" else None


was, now = load(was_dir), load(is_dir)
want = {i: kind(was[i], now[i]) for i in was if i in now}
want = {i: k for i, k in want.items() if k}
got = {c["id"]: c["kind"] for c in diff["changes"]}
assert len(got) == len(diff["changes"]), "a case is told twice"
if "races" in options:
    assert set(got.values()) == {"by-chance"}, set(got.values())
    want = {i: "by-chance" for i in want}
assert got == want, list(set(got.items()) ^ set(want.items()))[:5]
for c in diff["changes"]:
    for side, cases in (("was", was), ("is", now)):
        for key in ("verdict", "rule", "expected", "observed"):
            mine, its = c[side][key], cases[c["id"]][key]
            if c[side]["verdict"] == "unsupported":
                its = cases[c["id"]].get("claim") if key == "observed" else its
            assert mine == its, (c["id"], side, key, mine, its)
count = {}
for c in diff["changes"]:
    count[c["kind"]] = count.get(c["kind"], 0) + 1
assert count == {k: n for k, n in diff["summary"].items() if n}
assert sum(r["cases"] for r in diff["rules"]) == len(diff["changes"])
same = sum(t["same"] for t in diff["targets"])
assert same + len(got) == len(set(was) & set(now))
print(" ".join(sorted("%s:%d" % i for i in count.items())) or "nothing")
END_OF_FILE

changes() { # WAS IS STATUS REGEX [races]
	run "$IBVET" diff --json "$1" "$2"
	is "$status" "$3" "$1 and $2: exit status"
	cp "$TMP/out" "$1-$2.diff"
	run python3 check.py "$1" "$2" "$1-$2.diff" "${@:5}"
	is "$status" 0 "$1 and $2: diff reports what the results say" || diag "$err"
	like "$out" "^$4$" "$1 and $2: $4"
}

changes healthy again 0 nothing
changes healthy faulty 1 'newly-failing:[0-9]+'
changes faulty healthy 1 'newly-fixed:[0-9]+'
changes faulty excused 1 'newly-expected:1'
changes excused faulty 1 'newly-failing:1'
changes healthy excused 1 'newly-expected:1 newly-failing:[0-9]+'
changes healthy stale 1 'newly-failing:1'
changes stale excused 1 'newly-expected:1 newly-failing:[0-9]+'
changes excused stale 1 'newly-fixed:[0-9]+'
changes healthy choosy 1 'newly-non-strict:[0-9]+'
changes choosy healthy 1 'no-longer-non-strict:[0-9]+'
changes choosy faulty 1 'newly-failing:[0-9]+ no-longer-non-strict:[0-9]+'
changes healthy poor 1 'newly-unsupported:[0-9]+'
changes poor healthy 1 'newly-supported:[0-9]+'
changes healthy racy 0 'by-chance:[0-9]+' races
changes racy healthy 0 'by-chance:[0-9]+' races
ok "each of them keeps the schema" python3 -c 'import json, jsonschema, sys
rules, *diffs = (json.load(open(path)) for path in sys.argv[1:])
jsonschema.Draft7Validator.check_schema(rules)
for diff in diffs:
    jsonschema.validate(diff, rules)' "$SRC/reports/diff.schema.json" ./*.diff

# A race that did not come may reveal another permitted outcome.
mkdir -p revealed
sed '/"verdict":"non-strict"/s,"rule":"[^"]*","rule":"choice/iwarp-end-event",' \
	racy/journal.jsonl >revealed/journal.jsonl
run "$IBVET" diff racy revealed
is "$status" 0 "another permitted outcome in place of a race is no change"
sed '/"verdict":"non-strict"/s/non-strict/deviates/' revealed/journal.jsonl >failing.jsonl
mkdir -p failing && mv failing.jsonl failing/journal.jsonl
run "$IBVET" diff racy failing
is "$status" 1 "a deviation in place of a race is a change"

# The text form has the same changes.
run "$IBVET" diff healthy faulty
is "$status" 1 "text: a change gives exit status 1"
like "$out" 'Newly failing: [0-9]+' "text: a heading for each kind"
like "$out" $'\n +[0-9]+  modify/table/missing\n' "text: the rule of the change is named"
like "$out" $'missing/PATH_MTU\n +pass -> deviates \(expected EINVAL; observed 0\)' \
	"text: the case has both outcomes"
like "$out" "target +model -> $FAULT" "text: the environment has both targets"
is "$(printf '%s\n' "$out" | awk 'length > 100')" "" "text: no line is longer than 100 columns"
run "$IBVET" diff healthy again
unlike "$out" 'Environment' "the time of a run is no change"
like "$out" 'did not change, 0 changed' "text: nothing changed"

# The same verdict with another outcome: another errno, choice or call
edited() { # FOLDER SED: a copy of `faulty` with another journal
	mkdir -p "$1" && sed -e "$2" faulty/journal.jsonl >"$1/journal.jsonl"
}
edited other 's/"observed":"0"/"observed":"ENOMEM"/'
run "$IBVET" diff faulty other
is "$status" 1 "another errno is a change"
like "$out" 'Another outcome with the same verdict: [1-9]' "another errno has a heading of its own"
like "$out" 'is   deviates \(expected EINVAL; observed ENOMEM\)' "another errno: both outcomes are shown"
edited crash1 's/"verdict":"deviates"/"verdict":"crashed"/; s/"observed":"0"/"observed":"oops at ffff88810234 of 1234"/'
edited crash2 's/"verdict":"deviates"/"verdict":"crashed"/; s/"observed":"0"/"observed":"oops at ffff9990abcd of 77"/'
run "$IBVET" diff crash1 crash2
is "$status" 0 "other addresses and numbers in a crash are no change"
run "$IBVET" diff faulty crash1
is "$status" 1 "a crash instead of a deviation is a change"
edited renamed 's/"id":"modify\/rc\/rts-rts\/minimal"/"id":"modify\/rc\/rts-rts\/new"/'
run "$IBVET" diff faulty renamed
is "$status" 1 "a renamed case is a change"
like "$out" $'first run did not have: 1\n' "a renamed case: the new id is listed"
like "$out" $'second run does not have: 1\n' "a renamed case: the old id is listed"

# A change of the environment is shown but is no change of the results.
edited newer 's/"kernel":"[^"]*"/"kernel":"99.1"/'
run "$IBVET" diff faulty newer
is "$status" 0 "another kernel alone is no change"
like "$out" $'\n  kernel +[^\n]+ -> 99.1\n' "another kernel is shown"

# Cases that one of the runs did not reach or did not select
edited cut '/"event":"done"/d; /"id":"mcast/d'
run "$IBVET" diff faulty cut
is "$status" 0 "cases that the second run did not reach are no change"
like "$out" 'Not compared: [1-9][0-9]* cases that the second' "diff counts the cases that the second run did not reach"
run "$IBVET" diff cut faulty
is "$status" 0 "cases that the first run did not reach are no change"
like "$out" 'Not compared: [1-9][0-9]* cases that the first' "diff counts the cases that the first run did not reach"
edited lost '/"id":"mcast/d; s/"cases":[0-9]*/"cases":5/'
run "$IBVET" diff faulty lost
is "$status" 1 "cases that a finished run lacks are a change"
"$IBVET" run -d $FAULT --out part 'modify/rc/init-rtr' >/dev/null 2>&1
run "$IBVET" diff faulty part
is "$status" 0 "cases that the second run did not select are no change"
run "$IBVET" diff part faulty
is "$status" 0 "cases that the first run did not select are no change"
"$IBVET" run -d $FAULT --out full --profile full modify/rc/init-rtr/missing \
	>/dev/null 2>&1
run "$IBVET" diff faulty full
is "$status" 0 "cases of another profile are no change"
made seeded -d model --seed 9
run "$IBVET" diff healthy seeded
is "$status" 0 "cases of another seed are no change"

# Targets
run "$IBVET" diff both both --from model --to $FAULT
is "$status" 1 "--from and --to: two targets of one run differ"
like "$out" 'Newly failing' "--from and --to: the two targets are compared"
run "$IBVET" diff both both
is "$status" 0 "targets with the same name are compared"
run "$IBVET" diff both healthy
is "$status" 1 "a target that the second run lacks is a change"
like "$out" 'is a target of the first run only' "diff names the target that the second run lacks"
run "$IBVET" diff both faulty --from $FAULT
is "$status" 0 "--from chooses one of several targets"

refuses "one run" 3 'two runs' "$IBVET" diff healthy
refuses "three runs" 3 'arguments' "$IBVET" diff healthy healthy healthy
refuses "no run" 3 'nowhere/journal.jsonl: No such file' \
	"$IBVET" diff healthy nowhere
mkdir empty && echo '{}' >empty/journal.jsonl
refuses "an empty journal" 3 'empty/journal.jsonl: the journal does not begin' \
	"$IBVET" diff empty healthy
refuses "an empty journal of the second run" 3 'empty/journal.jsonl: the journal does not begin' \
	"$IBVET" diff healthy empty
refuses "no such target" 3 '--from: both has no target "x"; its targets are: model' \
	"$IBVET" diff both healthy --from x
refuses "several targets" 3 'both has several targets' \
	"$IBVET" diff both healthy --to model

# The table of diff has 30 bytes a case, here 12 MiB. The limit is twice that and
# includes the memory that python held before it became ibvet.
python3 - <<'END_OF_FILE'
import os
head = open("healthy/journal.jsonl").read().split("\n")[:2]
line = ('{"event":"end","t":0,"n":%d,"id":"modify/rc/init-rtr/value/%d",'
        '"verdict":"pass","sentence":"s","us":1,"rule":"value/read-back"}\n')
n = 400000
for name in "big", "gib":
    os.mkdir(name)
    with open(name + "/journal.jsonl", "w") as f:
        f.write("\n".join(head) + "\n")
        order = range(n) if name == "big" else reversed(range(n))
        for i in order:
            f.write(line % (i, i))
END_OF_FILE
peak() { # ARGUMENTS: the most memory that a comparison held, in MiB
	python3 - "$IBVET" diff "$@" <<'END_OF_FILE'
import resource
import subprocess
import sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
END_OF_FILE
}
big=$(peak big gib)
diag "peak memory for 400000 cases: $big MiB"
ok "diff compares 400000 cases in less than 26 MiB" test "$big" -lt 26
run "$IBVET" diff big gib
like "$out" '400000 cases did not change, 0 changed' "diff compares cases in another order"

done_testing
