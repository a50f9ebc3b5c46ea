#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The reports of a run: each is valid by the rules of its format, and all agree,
# for a run with as many verdicts as one run can have.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2

FAULT=model:cell:RC/INIT-RTR/PATH_MTU=optional
cat >profile <<'END'
modify/rc/init-rtr/missing/PATH_MTU OK <skips> the "check" & more https://example.org/?a=1&b=2
modify/rc/init-rtr/missing/AV any a # stale \ line https://example.org/2
END
printf 'max_mcast_grp = 0\n' >limits

# A run with passes, deviations, expected deviations, stale lines of the profile
# and missing claims.
cases=(modify/rc/init-rtr modify/rc/reset-init 'mcast/*' 'life*/*')
known=()
for id in "${cases[@]}"; do
	"$IBVET" list -d model "$id" >/dev/null 2>&1 && known+=("$id")
done
run "$IBVET" run -d model -d "$FAULT" --limits limits --expect profile \
	--out mixed "${known[@]}"
is "$status" 1 "a run with failures: exit status"
cp "$TMP/out" console

cat >check.py <<'END'
import collections
import json
import re
import sys
import xml.etree.ElementTree

folder, schema, console, ktap, strict = sys.argv[1:6]
fails = {"deviates", "fixed", "inconclusive", "crashed", "hung", "host-lost"}
if strict == "strict":
    fails.add("non-strict")
errors = {"inconclusive", "crashed", "hung", "host-lost"}
number = 0


def ok(good, name, got=None):
    global number
    number += 1
    print("ok" if good else "not ok", name)
    if not good and got is not None:
        print("#", got)


def schema_holds():
    import jsonschema
    rules = json.load(open(schema))
    jsonschema.Draft7Validator.check_schema(rules)
    found = list(jsonschema.Draft7Validator(rules).iter_errors(results))
    ok(not found, "results.json keeps its schema", found[:3])
    short = dict(results, cases=results["cases"][:1])
    for key in results:
        broken = {k: v for k, v in short.items() if k != key}
        ok(not jsonschema.Draft7Validator(rules).is_valid(broken),
           "the schema asks for " + key)


results = json.load(open(folder + "/results.json"))
cases = results["cases"]
count = collections.Counter(c["verdict"] for c in cases)
failed = sum(n for v, n in count.items() if v in fails)
schema_holds()
summary = dict(results["summary"])
ok(summary.pop("total") == len(cases), "the summary has every case")
ok({v: n for v, n in summary.items() if n} == dict(count),
   "the summary agrees with the cases", (summary, count))
for target in results["targets"]:
    of = collections.Counter(c["verdict"] for c in cases
                             if c["target"] == target["target"])
    ok(all(target["summary"][v] == of[v] for v in summary),
       "the summary agrees with the cases of " + target["target"])
ok(all(c["rule"] and c["sources"] for c in cases if c["verdict"] == "deviates"),
   "a deviation has a rule and its sources")
ok(all(not c["repro"] or open(folder + "/" + c["repro"]).read()
       for c in cases), "the file of each reproducer exists")

suites = xml.etree.ElementTree.parse(folder + "/junit.xml").getroot()
tests = suites.findall("./testsuite/testcase")
ok(len(tests) == len(cases) == int(suites.get("tests")),
   "junit.xml has every case")
ok([t.get("name") for t in tests] == [c["id"] for c in cases],
   "junit.xml names the cases by id")
for tag, want in (("failure", failed - sum(count[v] for v in errors)),
                  ("error", sum(count[v] for v in errors)),
                  ("skipped", count["unsupported"] + count["expected"])):
    found = suites.findall("./testsuite/testcase/" + tag)
    ok(len(found) == want, "junit.xml: %d %s" % (want, tag), len(found))
    name = {"failure": "failures", "error": "errors"}.get(tag, tag)
    ok(sum(int(s.get(name)) for s in suites) == int(suites.get(name)) == want,
       "junit.xml: the suites count each " + tag)
    ok(all(t.get("message") for t in found), "junit.xml: each %s has a message" % tag)

lines = open(folder + "/results.tap").read().split("\n")
ok(lines[0] == "TAP version 14", "results.tap is TAP 14")
ok(lines[1] == "1..%d" % len(cases), "results.tap: the plan has every case")
points = [li for li in lines if re.match(r"(not )?ok ", li)]
ok([int(re.match(r"(?:not )?ok (\d+) - ", p).group(1)) for p in points] ==
   list(range(1, len(cases) + 1)), "results.tap: the points are numbered")
todo = re.compile(r" # TOD[O] ")
ok(sum(p.startswith("not ok") and not todo.search(p) for p in points) == failed,
   "results.tap fails what results.json fails")
ok(sum(bool(todo.search(p)) for p in points) == count["expected"],
   "results.tap: an expected deviation has the directive for expected failures")
ok(sum(" # SKIP " in p for p in points) == count["unsupported"],
   "results.tap: a missing claim is a SKIP")

lines = open(ktap).read().split("\n")
ok(lines[0] == "KTAP version 1", "KTAP begins with its version")
ok(lines[1] == "1..%d" % len(results["targets"]), "KTAP: the plan has a test for each target")
points = [li for li in lines if re.match(r"  (not )?ok \d+ ", li)]
ok(len(points) == len(cases), "KTAP has every case", len(points))
ok(sum(p.startswith("  not ok") for p in points) == failed,
   "KTAP fails what results.json fails")
ok(sum(" # XFAIL " in p for p in points) == count["expected"],
   "KTAP: an expected deviation is an XFAIL")
ok(sum(bool(re.match(r"(not )?ok \d+ ", li)) for li in lines) ==
   len(results["targets"]), "KTAP: a line for each target")

text = open(console).read()
wide = [li for li in text.split("\n")
        if len(li) > 100 and " " in re.sub("^ +(program +)?", "", li)]
ok(not wide, "the console is at most 100 columns wide, paths apart", wide[:2])
ok("\x1b" not in text, "the console has no colours without a terminal")
ok(len(re.findall(r"^(?:%s)  \S" % "|".join(fails), text, re.M)) ==
   min(failed, 20), "the console shows up to 20 failures")
ok(("and %d more failures, see " % (failed - 20) in text) == (failed > 20),
   "the console says how many more failures there are")

events = [json.loads(li) for li in open(folder + "/journal.jsonl")]
ends = [e for e in events if e["event"] == "end"]
begun = [(e["t"], e["n"]) for e in events if e["event"] == "begin"]
ok([(e["id"], e["verdict"]) for e in ends] ==
   [(c["id"], c["verdict"]) for c in cases], "the journal has every case")
ok(sorted(begun) == sorted((e["t"], e["n"]) for e in ends
                           if e["verdict"] != "unsupported"),
   "the journal has a begin event for each case that ran")
finish = events[-1]
ok(finish["event"] == "finish" and
   finish["summary"] == results["summary"] and
   finish["coverage"] == results["coverage"], "the journal ends with the sums")
for name, part in results["coverage"].items():
    if name != "types":
        ok(0 <= part["tried"] <= part["total"] > 0, "coverage of " + name, part)
        ok(all(t["coverage"][name]["tried"] <= part["tried"]
               for t in results["targets"]), "coverage of each target is part of " + name)
END

agree() { # FOLDER CONSOLE KTAP STRICT
	python3 check.py "$1" "$SRC/reports/results.schema.json" "$2" "$3" \
		"$4" >checked 2>&1
	local status=$?
	while read -r line; do
		case $line in
		ok*) result 0 "$1: ${line#ok }" ;;
		"not ok"*) result 1 "$1: ${line#not ok }" ;;
		*) diag "$line" ;;
		esac
	done <checked
	result $status "$1: check.py ends with status 0"
}

run "$IBVET" run -d model -d "$FAULT" --limits limits --expect profile \
	--out ktap --ktap "${known[@]}"
cp "$TMP/out" ktap.out
agree mixed console ktap.out lax
for verdict in pass deviates expected fixed unsupported; do
	ok "the run holds: $verdict" grep -q "\"verdict\":\"$verdict\"" \
		mixed/journal.jsonl
done

# prove of Debian 12 does not know TAP version 14; results.tap uses nothing that is
# new in version 14.
sed 's/^TAP version 14$/TAP version 13/' mixed/results.tap >mixed.tap
run prove --exec cat mixed.tap
is "$status" 1 "prove reads results.tap and finds failures"
like "$out" 'Failed [0-9]+/[0-9]+ subtests' "prove counts the failures"
unlike "$out" 'Parse errors' "prove has no parse error"

run "$IBVET" run -d model -d "$FAULT" --limits limits --expect profile \
	--out tap --tap "${known[@]}"
is "$(sed -e 's/[0-9]* us//' "$TMP/out" | md5sum)" "$(md5sum <tap/results.tap)" \
	"--tap prints the lines of results.tap"

# More failures than the console shows and than repro/ holds
run "$IBVET" run -d model:pair:RESET-INIT --out many modify/rc
cp "$TMP/out" many.out
"$IBVET" run -d model:pair:RESET-INIT --out many2 --ktap modify/rc >many.ktap
agree many many.out many.ktap lax
is "$(find many/repro -name '*.ibv' | wc -l)" 200 "repro/ keeps 200 programs"
like "$out" 'more cases without a program in repro/' "the console says that repro/ lacks programs"

# Non-strict: an outcome that is permitted but not the best
choice=$("$IBVET" run -d model:choose:modify/mask/reserved-bit=EINVAL \
	--out choice modify/rc; echo "status $?")
like "$choice" 'status 0' "a permitted outcome is no failure"
like "$choice" 'Permitted, but not the best' "the console lists permitted outcomes by row"
like "$choice" 'modify/mask/reserved-bit' "the console has the row's id"
run "$IBVET" run -d model:choose:modify/mask/reserved-bit=EINVAL --strict \
	--out strict modify/rc
is "$status" 1 "--strict makes a permitted outcome a failure"
cp "$TMP/out" strict.out
"$IBVET" run -d model:choose:modify/mask/reserved-bit=EINVAL --strict \
	--out strict2 --ktap modify/rc >strict.ktap
agree strict strict.out strict.ktap strict

# A damaged journal: an end event of a target that the run does not have
"$IBVET" run -d model --out damaged modify/rc/init-rtr/minimal >/dev/null
sed -i '/"event":"finish"/d' damaged/journal.jsonl
echo '{"event":"end","t":5,"n":1,"id":"strange","verdict":"pass"}' \
	>>damaged/journal.jsonl
run "$IBVET" run --resume damaged
is "$status" 0 "a case of an unknown target: exit status"
is "$(cat damaged/results.tap)" $'TAP version 14\n1..1\nok 1 - model: modify/rc/init-rtr/minimal' \
	"a case of an unknown target is in no report"

# Colours on a terminal, unless NO_COLOR is set
if command -v script >/dev/null; then
	color() {
		script -qec "$IBVET run -d $FAULT --out $1 modify/rc/init-rtr" \
			/dev/null
	}
	like "$(TERM=xterm NO_COLOR='' color colored)" $'\033\\[31m' \
		"colours on a terminal"
	unlike "$(TERM=xterm NO_COLOR=1 color plain)" $'\033\\[3' \
		"NO_COLOR is respected"
fi

# --- A test for each rule -----------------------------------------------------

# Compares KTAP, JUnit and OpenMetrics by rule with results.json of the same cases.
by_rule() { # FOLDER KTAP JUNIT METRICS
	python3 - "$@" <<'END'
import collections, json, re, sys, xml.etree.ElementTree
folder, ktap, junit, metrics = sys.argv[1:]
fails = {"deviates", "crashed", "hung", "inconclusive", "host-lost", "fixed"}


def ok(good, what, seen=""):
    print("%s - %s" % ("ok" if good else "not ok", what))
    if not good:
        print("# " + str(seen))


results = json.load(open(folder + "/results.json"))
of = collections.defaultdict(collections.Counter)
for c in results["cases"]:
    of[c["target"], c["rule"] or "without-rule"][c["verdict"]] += 1
bad = {k for k, n in of.items() if any(n[v] for v in fails)}
skipped = {k for k, n in of.items() if k not in bad
           and not n["pass"] and not n["non-strict"]}

lines = open(ktap).read().split("\n")
points = [re.match(r"  (not ok|ok) (\d+) (\S+)( # (SKIP|XFAIL) .+)?$", li) for li in lines]
points = [p for p in points if p]
ok(sorted(p.group(3) for p in points) == sorted(r for _, r in of),
   "KTAP by rule: a test for each rule of each target", len(points))
ok(sum(p.group(1) == "not ok" for p in points) == len(bad) > 0,
   "KTAP by rule: a rule fails if one of its cases does")
ok(sum(p.group(5) is not None for p in points) == len(skipped) > 0,
   "KTAP by rule: a rule without a judged case is skipped")
plans = [int(li[5:]) for li in lines if li.startswith("  1..")]
ok(plans == [sum(t == target["target"] for t, _ in of) for target in results["targets"]],
   "KTAP by rule: the plan of each target")
first = next(i for i, li in enumerate(lines) if li.startswith("  not ok"))
ok(re.match(r"  # \d+ of \d+ cases?: \S+: expected .*; observed ", lines[first - 3]) and
   lines[first - 2].startswith("  # rule: ") and
   lines[first - 1].startswith("  # again: ibvet run -d "),
   "KTAP by rule: a failing rule has its case, its sentence and its command",
   lines[first - 3:first])

suites = xml.etree.ElementTree.parse(junit).getroot()
tests = suites.findall("./testsuite/testcase")
ok(sorted(t.get("name") for t in tests) == sorted(r for _, r in of),
   "JUnit by rule: a test for each rule of each target")
for tag, want in (("failure", len(bad)), ("skipped", len(skipped))):
    found = suites.findall("./testsuite/testcase/" + tag)
    name = {"failure": "failures"}.get(tag, tag)
    ok(len(found) == want == sum(int(s.get(name)) for s in suites),
       "JUnit by rule: %d %s" % (want, tag), len(found))
ok(all("again: ibvet run" in f.text for f in suites.iter("failure")),
   "JUnit by rule: a failure has the command that runs the case again")

text = open(metrics).read()
value = dict(re.findall(r"^(\w+\{.*\}) (\d+)$", text, re.M))
ok(text.endswith("# EOF\n") and all(
   re.match(r'# (TYPE|HELP|UNIT) |# EOF$|\w+(\{(\w+="([^"\\]|\\.)*",?)+\})? \d+$', li)
   for li in text.split("\n")[:-1]), "OpenMetrics: each line has its form")
ok(all(int(value['ibvet_rule_failing_cases{device="%s",rule="%s"}' % k]) ==
       sum(n[v] for v in fails) for k, n in of.items()),
   "OpenMetrics: failing cases of each rule")
ok(all(int(value['ibvet_cases{device="%s",verdict="%s"}' % (t["target"], v)]) == n
       for t in results["targets"] for v, n in t["summary"].items() if v != "total"),
   "OpenMetrics: cases of each verdict")
END
}

devices=(-d model -d model:cell:RC/INIT-RTR/QKEY=optional)
part=('modify/rc/init-rtr/*' 'device/*' 'port/*' program/rc-connected-pair) # the last has no rule
for form in ktap=rules junit=rules metrics; do
	run "$IBVET" run "${devices[@]}" --out "rules-$form" "--$form" "${part[@]}"
	is "$status" 1 "--$form: exit status"
	cp "$TMP/out" "$form.out"
done
checked_by() { # FUNCTION ARGUMENT...
	while IFS= read -r line; do
		case $line in
		"ok - "*) ok "${line#ok - }" true ;;
		"not ok - "*) ok "${line#not ok - }" false ;;
		*) diag "${line#\# }" ;;
		esac
	done < <("$@")
}
checked_by by_rule rules-ktap=rules ktap=rules.out junit=rules.out metrics.out
refuses "--junit of cases" 3 '"cases" is not "rules"' \
	"$IBVET" run -d model --junit=cases --out x "${part[@]}"
refuses "two forms" 3 'exclude each other' \
	"$IBVET" run -d model --metrics --ktap=rules --out x "${part[@]}"

done_testing
