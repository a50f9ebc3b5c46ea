#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet report --kcidb: a run with nearly every verdict, against its results.json.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2

cat >profile <<'END'
modify/rc/init-rtr/missing/PATH_MTU OK a known deviation https://example.org/1
modify/rc/init-rtr/missing/AV any a stale line https://example.org/2
END
printf 'max_mcast_grp = 0\n' >limits
"$IBVET" run -d model -d model:cell:RC/INIT-RTR/PATH_MTU=optional --limits limits \
	--expect profile --out run 'modify/rc/init-rtr/*' 'mcast/*' 'query/*' \
	program/rc-connected-pair >/dev/null
is $? 1 "a run with failures: exit status"

# Verdicts that the model does not bring
python3 - <<'END'
import json
lines = [json.loads(line) for line in open("run/journal.jsonl")]
passed = [e for e in lines if e["event"] == "end" and e["verdict"] == "pass"
          and e["id"].startswith("query/") and e["t"] == 0]
for event, verdict in zip(passed[::5], ("crashed", "hung", "inconclusive", "non-strict", "host-lost")):
    event["verdict"] = verdict
    event["observed"] = "what was seen"
with open("run/journal.jsonl", "w") as file:
    file.writelines(json.dumps(e) + "\n" for e in lines if e["event"] != "finish")
END
run "$IBVET" run --resume run
is "$status" 1 "its reports are written again"

kcidb() { run "$IBVET" report "$@"; }

kcidb run --kcidb mylab -o kcidb.json
is "$status$out$err" 0 "--kcidb writes a file and prints nothing"

# Prints "ok" for each check of the submission against results.json.
checks() { # FILE FOLDER STRICT
	python3 - "$@" "$SRC/tests/shell/cli/kcidb.schema.json" <<'END'
import collections, json, sys
path, folder, strict, schema = sys.argv[1:]
data = json.load(open(path))
results = json.load(open(folder + "/results.json"))


def ok(good, what, seen=""):
    print("%s - %s" % ("ok" if good else "not ok", what))
    if not good:
        print("# " + str(seen)[:2000])


try:
    import jsonschema
    jsonschema.Draft7Validator(json.load(open(schema))).validate(data)
    ok(True, "the submission keeps the schema")
except ImportError:
    print("# python3-jsonschema is missing: the schema is not checked")
try:
    import kcidb_io
    ok(kcidb_io.schema.LATEST.is_compatible(data), "kcidb-io takes it")
except ImportError:
    pass

accuses = {"deviates", "crashed", "hung", "host-lost", "expected"} | (
    {"non-strict"} if strict == "yes" else set())
of = collections.defaultdict(list)
for c in results["cases"]:
    of[c["target"], c["rule"] or "without-rule"].append(c)


def status(cases):
    verdicts = {c["verdict"] for c in cases}
    for name, some in (("FAIL", accuses), ("ERROR", {"inconclusive", "fixed"}),
                       ("PASS", {"pass", "non-strict"})):
        if verdicts & some:
            return name
    return "SKIP"


tests = {}
for test in data["tests"]:
    if "rule" in test["misc"]:
        tests[test["environment"]["misc"]["device"], test["misc"]["rule"]] = test
ok(tests.keys() == of.keys(), "a test for each rule of each device",
   set(tests) ^ set(of))
wrong = [(k, t["status"], status(of[k])) for k, t in tests.items() if t["status"] != status(of[k])]
ok(not wrong, "each status follows from the verdicts", wrong)
seen = {c["verdict"] for c in results["cases"]}
ok(len(seen) == 10, "all verdicts occur", seen)
ok({t["status"] for t in tests.values()} == {"FAIL", "ERROR", "PASS", "SKIP"}, "and all statuses",
   {t["status"] for t in tests.values()})
wrong = [k for k, t in tests.items()
         if [(c["id"], c["verdict"], c.get("expected"), c.get("observed"))
             for c in t["misc"]["not_passed"]] !=
         [(c["id"], c["verdict"], c["expected"], c["observed"])
          for c in of[k] if c["verdict"] != "pass"][:100]]
ok(not wrong, "the cases that did not pass can be read back", wrong)
wrong = [k for k, t in tests.items() if {v: n for v, n in t["misc"]["counts"].items() if n} !=
         dict(collections.Counter(c["verdict"] for c in of[k]), total=len(of[k]))]
ok(not wrong, "and how many there are of each verdict", wrong)
wrong = [k for k, t in tests.items()
         if abs(t["duration"] - sum(c["duration_us"] for c in of[k]) / 1e6) > 1e-6]
ok(not wrong, "and how long they took", wrong)
ids = [x["id"] for kind in ("checkouts", "builds", "tests", "issues", "incidents") for x in data[kind]]
ok(len(ids) == len(set(ids)), "no id comes twice")
builds = {b["id"] for b in data["builds"]}
ok(all(b["checkout_id"] in {c["id"] for c in data["checkouts"]} for b in data["builds"]),
   "each build has its checkout")
ok({t["build_id"] for t in data["tests"]} == builds, "each test has its build")
known = {c["link"] for c in results["cases"] if c["verdict"] == "expected"}
ok({i.get("report_url") for i in data["issues"]} == known, "a known deviation is an issue")
ok({i["test_id"] for i in data["incidents"]} ==
   {tests[k]["id"] for k in of if any(c["verdict"] == "expected" for c in of[k])},
   "its rule's test has an incident")
END
}
checked() { # FILE FOLDER STRICT
	while IFS= read -r line; do
		case $line in
		"ok - "*) ok "$1: ${line#ok - }" true ;;
		"not ok - "*) ok "$1: ${line#not ok - }" false ;;
		*) diag "${line#\# }" ;;
		esac
	done < <(checks "$@" 2>&1 || echo "not ok - all checks ran")
}
checked kcidb.json run no
value() { # EXPRESSION [FILE]
	python3 -c 'import json, sys; d = json.load(open(sys.argv[2])); print(eval(sys.argv[1]))' \
		"$1" "${2-kcidb.json}"
}
is "$(value 'len(d["issues"]), d["issues"][0]["comment"], d["issues"][0]["culprit"]')" \
	"(1, 'a known deviation', {'code': True})" "an issue has the reason of the profile"
is "$(value '[(t["status"], t["comment"]) for t in d["tests"] if t["path"] == "ibvet.complete"]')" \
	"[('PASS', 'All chosen cases ran.'), ('PASS', 'All chosen cases ran.')]" "all cases ran"
is "$(value '{t["path"] for t in d["tests"]} >= {"ibvet.modify.table.missing", "ibvet.without-rule"}')" True \
	"a rule's id is a path"
is "$(value '{t["origin"] for t in d["tests"]}, d["builds"][0]["id"]')" \
	"({'mylab'}, 'mylab:kernel-$(uname -r)-$(uname -m)')" "origin and kernel"
like "$(value '[t["log_excerpt"] for t in d["tests"] if t["status"] == "FAIL"][0]')" \
	'^[0-9]+ of [0-9]+ cases?: [^ ]+: expected ' "a failing test tells its first case"

# The same run is the same rows, also after it was killed and went on.
kcidb run --kcidb mylab -o again.json
ok "a second submission is the same" cmp kcidb.json again.json
cp -r run moved
kcidb moved --kcidb mylab -o moved.json
is "$(value '[t["id"] for t in d["tests"]]' moved.json)" "$(value '[t["id"] for t in d["tests"]]')" \
	"ids do not depend on the folder"
"$IBVET" run -d model --out whole 'query/*' >/dev/null
cp -r whole killed
head -n 40 whole/journal.jsonl >killed/journal.jsonl
kcidb killed --kcidb mylab -o killed.json
is "$(value '[t["status"] for t in d["tests"] if t["path"] == "ibvet.complete"]' killed.json)" \
	"['MISS']" "a run that was killed is not complete"
"$IBVET" run --resume killed >/dev/null
kcidb whole --kcidb mylab -o whole.json
kcidb killed --kcidb mylab -o resumed.json
is "$(value 'sorted((t["id"], t["status"]) for t in d["tests"])' resumed.json)" \
	"$(value 'sorted((t["id"], t["status"]) for t in d["tests"])' whole.json)" \
	"when it has gone on, it is the run it would have been"
is "$(value 'len({t["id"] for t in d["tests"]} & {t["id"] for t in json.load(open("whole.json"))["tests"]})')" 0 \
	"another run has other ids"
sed '1s/"strict": *false/"strict":true/' run/journal.jsonl >moved/journal.jsonl
kcidb moved --kcidb mylab -o strict.json
checked strict.json moved yes

kcidb run whole --kcidb mylab --build maestro:abc -o both.json
is "$(value '{t["build_id"] for t in d["tests"]}, d["builds"], d["checkouts"]' both.json)" \
	"({'maestro:abc'}, [], [])" "--build names the build"
is "$(value 'len(d["tests"])' both.json)" \
	"$(($(value 'len(d["tests"])') + $(value 'len(d["tests"])' whole.json)))" "several runs are one submission"
kcidb run --kcidb mylab -o -
is "$out" "$(<kcidb.json)" "-o - prints it"

refuses "no file" 3 'name the file with -o' "$IBVET" report run --kcidb mylab
refuses "no origin" 3 '"My Lab" is no origin' "$IBVET" report run --kcidb 'My Lab' -o x.json
refuses "a build without an origin" 3 '"abc" is not ORIGIN:ID' "$IBVET" report run --kcidb mylab --build abc -o x.json
refuses "--build alone" 3 '--build belongs to --kcidb' "$IBVET" report run --build a:b -o x.html
refuses "--kcidb of a catalogue" 3 'leave out --catalogue' "$IBVET" report --catalogue --kcidb mylab -o x.json
refuses "--kcidb of no run" 3 'nope/journal.jsonl' "$IBVET" report nope --kcidb mylab -o x.json
is "$(ls x.* 2>/dev/null)" "" "a refused submission leaves no file"
if [ -w /dev/full ]; then
	refuses "a full disk" 2 'cannot write standard output' sh -c '"$1" report run --kcidb mylab -o - >/dev/full' sh "$IBVET"
fi

done_testing
