# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Checks that the run of each change of libinject fails, and that a case deviates
by the rule of inject.def because of the change; prints TAP.

The folder is the one that tests/inject/inject.sh fills: the table of changes, the
run of the unchanged device and a run for each change. With --healthy, the
unchanged device must not deviate. Without --healthy, a change is skipped if the
unchanged device deviates in all its cases. At least --least changes must be
found, and --least-of-each of each kind except `other`.
"""
import argparse
import json
import sys
from collections import Counter
from pathlib import Path

HEALTHY = ("pass", "non-strict")
BY_ITSELF = ("deviates", "expected")  # "expected" if a profile has the deviation
LACKS = ("unsupported",)  # the device lacks what the case needs
parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("--healthy", action="store_true")
parser.add_argument("--least", type=int, default=20)
parser.add_argument("--least-of-each", type=int, default=3)
args = parser.parse_args()
folder = args.folder
caught = Counter()
tests = 0
failed = 0


def test(good, name, why):
    global tests, failed
    tests += 1
    print(f"{'ok' if good else 'not ok'} {tests} - {name}")
    if not good:
        failed += 1
        for line in why:
            print(f"# {line}")


def status(run):
    return int((folder / f"{run}.status").read_text())


def cases(run):
    """Returns the cases of a run by id; empty if the run has no results."""
    path = folder / run / "results.json"
    if not path.exists():
        return {}
    return {case["id"]: case for case in json.loads(path.read_text())["cases"]}


def log(run):
    return (folder / f"{run}.log").read_text().splitlines()[-10:]


def describe(case):
    return f"{case['id']}: {case['verdict']} {case['rule']}"


def matches(pattern, rule):
    """Returns True if the pattern is the rule, or ends in / and is its prefix."""
    return rule == pattern or (pattern.endswith("/")
                               and (rule or "").startswith(pattern))


def finds(case, healthy, rule):
    """Returns True if the case deviates by the rule because of the change.

    If the unchanged device deviates in this case too, the deviation with the
    change must be in an earlier call.
    """
    before = healthy.get(case["id"])
    if (before is None or case["verdict"] != "deviates"
            or not matches(rule, case["rule"])):
        return False
    return before["verdict"] in HEALTHY or (
        before["verdict"] in BY_ITSELF and case["call"] < before["call"])


def hidden(now, healthy):
    """Returns True if each case deviates in the same call and by the same rule as
    on the unchanged device: then the change cannot show."""
    def end(case):
        return case["verdict"], case["rule"], case.get("call")

    return now and all(case["verdict"] in BY_ITSELF and name in healthy
                       and end(case) == end(healthy[name])
                       for name, case in now.items())


healthy = cases("healthy")
wrong = [describe(case) for case in healthy.values()
         if case["verdict"] not in HEALTHY
         and (args.healthy or case["verdict"] not in BY_ITSELF + LACKS)]
deviates = any(case["verdict"] == "deviates" for case in healthy.values())
test(healthy and not wrong and status("healthy") == int(deviates),
     f"{len(healthy)} cases on the unchanged device", wrong[:20] or log("healthy"))
for line in (folder / "table").read_text().splitlines():
    name, _, rule, what, kind = line.split("\t")
    caught[kind] += 0
    now = cases(name)
    finders = [case for case in now.values() if finds(case, healthy, rule)]
    if not finders and not args.healthy and hidden(now, healthy):
        test(True, f"{name}: {what} # SKIP the device itself deviates first", [])
        continue
    caught[kind] += bool(finders)
    test(finders and status(name) == 1, f"{name}: {what}",
         [f"no case deviates by {rule}; exit status {status(name)}",
          *([describe(case) for case in now.values()][:20] or log(name))])
count = sum(caught.values())
test(count >= args.least, f"at least {args.least} changes are found",
     [f"found: {count}"])
for kind in sorted(set(caught) - {"other"}):
    test(caught[kind] >= args.least_of_each,
         f"at least {args.least_of_each} changes of kind {kind} are found",
         [f"found: {caught[kind]}"])
print(f"1..{tests}")
sys.exit(1 if failed else 0)
