# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""kcov_table.py HUNT POINTS: what a hunt of ibvet fuzz reached by when, and of
which of the kernel's functions, as tables in Markdown. POINTS says how many
points each function has: lines of "FOLDER FUNCTION POINTS"."""

import collections
import csv
import glob
import json
import os
import re
import sys

SHOWN = ["pairs", "cells", "rules", "kernel_points", "kept"]
MISSED = 10  # functions that are named
REPORT = re.compile(r"KASAN|BUG:|Oops|WARNING:|Kernel panic|lockdep")


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("| " + " | ".join("---" for _ in head) + " |")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def by_time(rows):
    """The last line of each time of which there are so many seconds"""
    last = float(rows[-1]["seconds"])
    for until in [t for t in (10, 60, 300, 600, 1800) if t < last - 1] + [last]:
        row = [r for r in rows if float(r["seconds"]) <= until + 0.1]
        if row:
            yield [f"{until:.0f} s", row[-1]["programs"]] + [
                row[-1][name] for name in SHOWN]


def functions_of(path):
    """By folder and name, in the order of the file"""
    of = collections.defaultdict(dict)
    for line in open(path):
        folder, name, points = line.split()
        of[folder][name] = int(points)
    return of


def reached_of(hunt):
    path = os.path.join(hunt, "kernel-functions.csv")
    if not os.path.exists(path):
        return {}
    reached = collections.Counter()
    for row in csv.DictReader(open(path)):
        reached[row["function"]] += int(row["points"])
    return reached


def by_folder(of, reached):
    """A name that several have is of the first of them"""
    counted = set()
    for folder, mine in of.items():
        seen = [name for name in mine
                if reached.get(name) and name not in counted]
        counted.update(seen)
        yield [folder, sum(min(reached[name], mine[name]) for name in seen),
               sum(mine.values()), len(seen), len(mine)]


def missed(of, reached, hunt):
    """The largest functions of the hunt's own driver that never ran"""
    driver = os.path.basename(hunt).split("-")[0]
    never = [(n, name) for name, n in of[driver].items()
             if not reached.get(name)]
    return [name for _, name in sorted(never, reverse=True)[:MISSED]]


def findings(hunt):
    for case in json.load(open(os.path.join(hunt, "results.json")))["cases"]:
        yield [case["verdict"], case["id"],
               case.get("observed", "").replace("|", "/")[:160]]


def deaths(hunt):
    """What guests that died said last"""
    for path in sorted(glob.glob(os.path.join(hunt, "console*"))):
        for line in open(path, errors="replace"):
            if REPORT.search(line):
                yield [os.path.basename(path), line.strip()[:160]]


def main(hunt, points):
    rows = list(csv.DictReader(open(os.path.join(hunt, "coverage.csv"))))
    of, reached = functions_of(points), reached_of(hunt)
    print(f"### {os.path.basename(hunt)}\n")
    table(["after", "programs"] + [name.replace("_", " ") for name in SHOWN],
          by_time(rows))
    if reached:
        table(["folder", "points", "of", "functions", "of"],
              by_folder(of, reached))
        print("Of the driver never: " + ", ".join(missed(of, reached, hunt)) +
              "\n")
    found, died = list(findings(hunt)), list(deaths(hunt))
    if found:
        table(["verdict", "finding", "observed"], found)
    else:
        print("Nothing was found.\n")
    if died:
        table(["console", "report"], died)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        main(sys.argv[1].rstrip("/"), sys.argv[2])
    except (OSError, ValueError, KeyError, IndexError) as error:
        sys.exit(f"kcov_table.py: {error}")
