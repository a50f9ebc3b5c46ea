# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Prints the results of rdma-core's tests by area, each beside the verdicts of
ibvet's cases, and the finding that explains each failed test.

usage: pyverbs.py LOG AREAS [RESULTS]: the output of unittest, the table
pyverbs.areas, and results.json of a run of ibvet on the same device. Exit status:
0 if a finding explains each failed test, 1 if not, 2 if the log is cut.
"""
import json
import re
import sys
from collections import Counter, defaultdict
from fnmatch import fnmatch
from pathlib import Path

HEAD = re.compile(r"^(test_\w+) \(tests\.(\w+\.\w+)[.)]")
WORD = (r"""(ok|FAIL|ERROR|skipped ['"](.*)['"]|"""
        r"expected failure|unexpected success)$")
VERDICT = re.compile(r"\.\.\. (?:.*\s)?" + WORD)
ALONE = re.compile(WORD)  # on its own line, after output of the test
GOOD = ("ok", "expected failure")


def read_log(path):
    """Yields the name and the verdict of each test, and why it was skipped."""
    name = None
    for line in path.read_text(errors="replace").splitlines():
        head = HEAD.match(line)
        if head:
            if name:
                yield name, "no verdict", ""
            name = f"{head[2]}.{head[1]}"
        end = name and (VERDICT.search(line) or ALONE.match(line))
        if end:
            yield name, end[1].split()[0] if end[2] else end[1], end[2] or ""
            name = None
        if line.startswith("====="):
            return


def read_areas(path):
    """Returns the lines AREA (name, tests, ids) and KNOWN (test, kernel, finding)."""
    areas, known = [], []
    for line in path.read_text().splitlines():
        word = line.split()
        if word and word[0] == "AREA":
            areas.append((word[1], word[2], [] if word[3:] == ["-"] else word[3:]))
        elif word and word[0] == "KNOWN":
            known.append(tuple(word[1:4]))
    return areas, known


def kernel_of(log):
    found = re.search(r"^Linux (?:version )?(\S+)", log, re.M)
    return found[1] if found else ""


def verdicts(cases, ids):
    """Counts the verdicts of the cases whose ids match."""
    count = Counter(case["verdict"] for case in cases
                    if any(fnmatch(case["id"], wanted) for wanted in ids))
    return ", ".join(f"{n} {verdict}" for verdict, n in count.most_common())


def show(area, tests, ids, cases):
    count = Counter(verdict for _, verdict, _ in tests)
    print(f"{area}: " + ", ".join(f"{n} {verdict}" for verdict, n in
                                  count.most_common()))
    for (verdict, reason), n in Counter(
            (verdict, reason) for _, verdict, reason in tests
            if verdict not in GOOD).most_common():
        names = [name for name, *rest in tests if rest == [verdict, reason]]
        print(f"    {verdict}: {', '.join(names[:3])}"
              f"{f' and {n - 3} more' if n > 3 else ''}"
              f"{f': {reason[:90]}' if reason else ''}")
    if not ids:
        print("    ibvet: no cases for this area")
    elif cases is not None:
        print(f"    ibvet {' '.join(ids)}: {verdicts(cases, ids) or 'no case'}")


def main():
    log, table = Path(sys.argv[1]), Path(sys.argv[2])
    cases = json.loads(Path(sys.argv[3]).read_text())["cases"] if sys.argv[3:] else None
    areas, known = read_areas(table)
    text = log.read_text(errors="replace")
    tests = list(read_log(log))
    by_area, ids = defaultdict(list), {}
    for test in tests:
        name, _, wanted = next((a for a in areas if fnmatch(test[0], a[1])),
                               ("other", "", []))
        by_area[name].append(test)
        ids.setdefault(name, wanted)
    for area, area_tests in by_area.items():
        show(area, area_tests, ids[area], cases)
    ran = re.search(r"^Ran (\d+) tests? in", text, re.M)
    bad = [name for name, verdict, _ in tests
           if verdict in ("FAIL", "ERROR", "no verdict", "unexpected success")]
    explained = {name: finding for name in bad for test, kernel, finding in known
                 if fnmatch(name, test) and fnmatch(kernel_of(text), kernel)}
    for name in bad:
        print(f"{name}: {explained.get(name, 'FAILED, and no finding explains why')}")
    if not ran or int(ran[1]) != len(tests):
        print(f"the log is cut: it has verdicts of {len(tests)}"
              f"{f' of {ran[1]}' if ran else ''} tests")
        return 2
    print(f"{len(tests)} tests: " + ", ".join(
        f"{n} {verdict}" for verdict, n in
        Counter(verdict for _, verdict, _ in tests).most_common()))
    return 1 if set(bad) - set(explained) else 0


if __name__ == "__main__":
    sys.exit(main())
