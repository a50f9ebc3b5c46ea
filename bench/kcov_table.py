# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""kcov_table.py HUNT POINTS: prints tables in Markdown of what a hunt of ibvet fuzz
reached over time, and of the kernel's functions that it reached. POINTS has the
number of points of each function, in lines "FOLDER FUNCTION POINTS"."""

import collections
import csv
import glob
import json
import os
import re
import sys

SHOWN = ["pairs", "cells", "rules", "kernel_points", "kept"]
MISSED = 10  # functions to name
REPORT = re.compile(r"KASAN|BUG:|Oops|WARNING:|Kernel panic|lockdep")


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("| " + " | ".join("---" for _ in head) + " |")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def by_time(rows):
    """Yields the last row before each of some times, and the last row of all."""
    last = float(rows[-1]["seconds"])
    for until in [t for t in (10, 60, 300, 600, 1800) if t < last - 1] + [last]:
        row = [r for r in rows if float(r["seconds"]) <= until + 0.1]
        if row:
            yield [f"{until:.0f} s", row[-1]["programs"]] + [
                row[-1][name] for name in SHOWN]


def functions_of(path):
    """Returns the points by folder and function, in the order of the file."""
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
    """Yields a row for each folder; a shared name counts for the first folder."""
    counted = set()
    for folder, mine in of.items():
        seen = [name for name in mine
                if reached.get(name) and name not in counted]
        counted.update(seen)
        yield [folder, sum(min(reached[name], mine[name]) for name in seen),
               sum(mine.values()), len(seen), len(mine)]


def missed(of, reached, hunt):
    """Returns the largest functions of the hunt's driver that never ran."""
    driver = os.path.basename(hunt).split("-")[0]
    never = [(n, name) for name, n in of[driver].items()
             if not reached.get(name)]
    return [name for _, name in sorted(never, reverse=True)[:MISSED]]


def findings(hunt):
    for case in json.load(open(os.path.join(hunt, "results.json")))["cases"]:
        yield [case["verdict"], case["id"],
               case.get("observed", "").replace("|", "/")[:160]]


def deaths(hunt):
    """Yields the kernel reports on the consoles of guests that died."""
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
        print("Functions of the driver that never ran: " +
              ", ".join(missed(of, reached, hunt)) + "\n")
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
