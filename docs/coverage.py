#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Prints docs/coverage.md: for each statement of docs/statements.txt the rules
that say it, the cases that check it, and the devices that run those cases.

usage: coverage.py [-s STATEMENTS] [-k FILE] [--faults] IBVET

The cases and the claims of each device come from "ibvet list --json". Exit
status 1, and a line for each fault, if the statements name a rule or a case
that does not exist, or if a covered statement has no case. --faults seeds the
fault of each statement into the model instead, and expects that one of the
statement's cases finds it. -k keeps the lists of cases in FILE, or takes them
from there.
"""
import argparse
import fnmatch
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SRC = Path(__file__).resolve().parent.parent
STATES = ("covered", "partly", "open", "cannot")
NEEDED = {"covered": ("rules", "fault"), "partly": ("lacks",),
          "open": ("lacks",), "cannot": ("why",)}

# A model that makes everything of vendors too, and has a second device
MODEL = ["-L", SRC / "tests/devices/mlx5.dev", "--second", "model"]

# The name in the table, and the arguments of "ibvet list"
DEVICES = (
    ("model", ["-d", "model", *MODEL]),
    ("rxe", ["-L", SRC / "tests/devices/rxe-6.1.dev", "--second", "model"]),
    ("siw", ["-L", SRC / "tests/devices/siw-6.1.dev", "--second", "model"]),
    ("mlx5", ["-d", "virtual:mlx5"]),
    ("cx6dx", ["-d", "virtual:connectx-6-dx"]),
    ("cx5roce", ["-d", "virtual:connectx-5-roce"]),
)

MOST_IDS = 250  # of one run, which takes 256 at most
SAMPLES = (6, 50)  # how many cases a seeded fault is tried on first

HEAD = """# Statements and what checks them

Made by `docs/coverage.py` from [statements.txt](statements.txt); do not edit.
`tests/shell/house/coverage.t` holds it against the rules and cases.

Five documents about queue pairs, read sentence by sentence. A statement is

- **covered** if a case fails on a device that breaks it: `docs/coverage.py
  --faults` seeds such a fault for each into the model,
- **partly** covered if some devices that break it pass,
- **open** if no case checks it yet,
- one that verbs **cannot** show, with the reason.

*Cases* counts those of the quick and of the full profile on the device that
runs most of them, on the day when this table was made. *Runs on* names the devices whose claims permit at least one
case: `rxe` and `siw` of Linux 6.1 (in the lab), the virtual devices `mlx5`
(`virtual:mlx5`, a ConnectX-5 on InfiniBand), `cx6dx`
(`virtual:connectx-6-dx`) and `cx5roce` (`virtual:connectx-5-roce`) through the
real libmlx5; *model* if none of them does. Every case runs on the model.
"""


class Statement:
    def __init__(self, ident, state, text):
        self.id, self.state, self.text = ident, state, text
        self.fields = {}

    def words(self, name):
        return self.fields.get(name, "").split()


class Document:
    def __init__(self, name, title):
        self.id, self.title = name, title
        self.fields = {}
        self.statements = []


def read_statements(path, faults):
    """Returns the documents, each with its statements."""
    documents, last, field = [], None, None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        document = re.match(r"document (\w+) (.+)", line)
        head = re.match(r"((\w+)/\d+) (\w+) (.+)", line)
        member = re.match(r"    (\w+):\s+(.+)", line)
        if document:
            last, field = Document(*document.groups()), None
            documents.append(last)
        elif head and documents and head[2] == documents[-1].id:
            last, field = Statement(head[1], head[3], head[4]), None
            documents[-1].statements.append(last)
            if head[3] not in STATES:
                faults.append(f"{head[1]}: unknown state {head[3]}")
        elif member and last:
            field = member[1]
            last.fields[field] = member[2]
        elif line.startswith("    ") and last and field:
            last.fields[field] += " " + line.strip()
        elif line.startswith("    ") and last:
            last.text += " " + line.strip()
        else:
            faults.append(f"line {number}: neither statement nor field: {line}")
    return documents


def rule_ids():
    """Returns the ids of the rules of the contract and of the vendors."""
    ids = set()
    for path in [*SRC.glob("harness/contract/rules/*.def"),
                 *SRC.glob("vendor-*/rules.def")]:
        ids.update(re.findall(r'^ROW\(\w+,\s*"[^"]*",\s*"([^"]+)"',
                              path.read_text(), re.M))
    return ids


def run(*command):
    return subprocess.run([str(word) for word in command], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


class Cases:
    """The cases of each device that it supports, by profile, id and rule."""

    def __init__(self, ibvet):
        self.known = defaultdict(set)  # all ids, by each of their parts
        self.quick, self.full = {}, {}
        self.about = defaultdict(set)  # by device and rule
        self.found, self.seen = {}, {}
        for device, words in DEVICES:
            self.full[device] = set(self.read(device, run(
                ibvet, "list", "--json", "--profile", "full", *words)))
            self.quick[device] = {self.seen.get(ident, ident) for ident in run(
                ibvet, "list", *words).splitlines()}

    def read(self, device, text):
        """Yields the ids that the device supports."""
        for case in json.loads(f"[{text.strip()}]".replace("\n", ",")):
            ident = self.seen.setdefault(case["id"], case["id"])
            if ident is case["id"]:
                for part in ident.split("/"):
                    self.known[part].add(ident)
            if not case["needs"]:
                self.about[device, case["rule"]].add(ident)
                yield ident

    def matching(self, pattern):
        """Returns the ids that a pattern of ibvet selects."""
        if pattern not in self.found:
            matches = re.compile(
                f"{fnmatch.translate(pattern)}|{re.escape(pattern)}/").match
            fixed = [part for part in pattern.split("/")
                     if not re.search(r"[*?[]", part)]
            among = min((self.known[part] for part in fixed), key=len)
            self.found[pattern] = {ident for ident in among if matches(ident)}
        return self.found[pattern]

    def of(self, statement):
        """Returns the cases of a statement, for each device that has some."""
        found = {}
        for device, _ in DEVICES:
            here = set()
            for pattern in statement.words("cases"):
                here |= self.matching(pattern) & self.full[device]
            if not statement.words("cases"):
                for rule in statement.words("rules"):
                    here |= self.about[device, rule]
            if here:
                found[device] = here
        return found


def list_cases(ibvet, file):
    """Returns the cases that ibvet lists, or those that the file keeps."""
    if file and file.exists():
        return pickle.loads(file.read_bytes())
    cases = Cases(ibvet)
    if file:
        file.write_bytes(pickle.dumps(cases))
    return cases


def check(statement, cases, rules, faults):
    """Adds a line to faults for each wrong word of the statement."""
    for rule in statement.words("rules"):
        if rule not in rules:
            faults.append(f"{statement.id}: no rule {rule}")
    for pattern in statement.words("cases"):
        if not cases.matching(pattern):
            faults.append(f"{statement.id}: {pattern} matches no case")
    for needed in NEEDED.get(statement.state, ()):
        if needed not in statement.fields:
            faults.append(f"{statement.id}: {statement.state} without {needed}")
    if statement.state == "covered" and not statement.cases:
        faults.append(f"{statement.id}: covered, but no case is about it")


def run_cases(ibvet, fault, options, ids):
    with tempfile.TemporaryDirectory() as out:
        return subprocess.run(
            [ibvet, "run", "-d", f"model:{fault}", *options, "--profile",
             "full", "--out", f"{out}/run", *ids],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def samples(ids):
    """Yields lists of ids: few of them first, since most faults are found at
    once, at last all of them."""
    for most in SAMPLES:
        if len(ids) > most:
            yield ids[::-(-len(ids) // most)]
    for first in range(0, len(ids), MOST_IDS):
        yield ids[first:first + MOST_IDS]


def tries(statement, cases):
    """Yields options of ibvet and ids of cases, until one finds the fault.
    Packets and joins need an Ethernet port, which the other model has."""
    found = sorted(statement.cases.get("model", ()))
    quick = [i for i in found if i in cases.quick["model"]]
    slow = [i for i in found if i not in cases.quick["model"]]
    ids = sorted(i for pattern in statement.words("cases")
                 for i in cases.matching(pattern))
    packets = [i for i in ids
               if i.startswith(("packet/", "rss/", "mcast/join/"))]
    vendors = [i for i in ids if re.match("mlx5/(loopback|rss|tunnel)/", i)]
    for options, among in ((MODEL, quick), (MODEL, slow),
                           (["-i", "2"], packets),
                           ([*MODEL[:2], "-i", "2"], vendors)):
        yield from ((options, sample) for sample in samples(among))


def finds_fault(statement, cases, ibvet):
    """Returns a line if no case of the statement finds its seeded fault."""
    fault, status = statement.fields["fault"], 0
    for options, ids in tries(statement, cases):
        status = run_cases(ibvet, fault, options, ids)
        if status == 1:
            return None
    return f"{statement.id}: no case finds {fault} (exit status {status})"


def try_faults(statements, cases, ibvet):
    seeded = [s for s in statements if "fault" in s.fields]
    missed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for line in pool.map(lambda s: finds_fault(s, cases, ibvet), seeded):
            if line:
                missed += 1
                print(line, flush=True)
    print(f"seeded faults: {len(seeded)}, not found: {missed}")
    return 1 if missed else 0


def numbers(statement, cases):
    """Returns how many cases the device has that has the most."""
    if not statement.cases:
        return ""
    quick = max(len(found & cases.quick[device])
                for device, found in statement.cases.items())
    return f"{quick} / {max(map(len, statement.cases.values()))}"


def devices(statement):
    if not statement.cases:
        return ""
    return ", ".join(d for d in statement.cases if d != "model") or "model"


def row(*cells):
    return "| " + " | ".join(cells) + " |"


def remark(statement):
    for name, words in (("why", "Cannot be shown"), ("lacks", "Lacks"),
                        ("note", "Note")):
        if name in statement.fields:
            return f"<br>*{words}:* {statement.fields[name].rstrip('.')}."
    return ""


def print_counts(documents):
    total = Counter()
    print(row("document", "statements", *STATES))
    print(row("---", *["---:"] * (1 + len(STATES))))
    for document in documents:
        count = Counter(s.state for s in document.statements)
        total += count
        print(row(f"[{document.title}](#{document.id})",
                  str(sum(count.values())), *(str(count[s]) for s in STATES)))
    print(row("all", str(sum(total.values())), *(str(total[s]) for s in STATES)))


def print_document(document, cases):
    print(f'\n<a name="{document.id}"></a>\n\n## {document.title}\n')
    print(f"Read at: {document.fields.get('where', '')}.\n")
    print(row("id", "statement", "state", "rules", "cases", "runs on"))
    print(row(*["---"] * 6))
    for s in document.statements:
        print(row(s.id, s.text + remark(s), s.state,
                  ", ".join(f"`{rule}`" for rule in s.words("rules")),
                  numbers(s, cases), devices(s)))


def main():
    parser = argparse.ArgumentParser(
        description="Prints docs/coverage.md.")
    parser.add_argument("-s", "--statements", type=Path,
                        default=SRC / "docs/statements.txt")
    parser.add_argument("-k", "--keep", type=Path)
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("ibvet", type=Path)
    args = parser.parse_args()

    faults = []
    documents = read_statements(args.statements, faults)
    statements = [s for d in documents for s in d.statements]
    for ident, n in Counter(s.id for s in statements).items():
        if n > 1:
            faults.append(f"{ident}: twice")
    cases = list_cases(args.ibvet, args.keep)
    rules = rule_ids()
    for s in statements:
        s.cases = cases.of(s)
        check(s, cases, rules, faults)
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 1
    if args.faults:
        return try_faults(statements, cases, args.ibvet)
    print(HEAD)
    print_counts(documents)
    for document in documents:
        print_document(document, cases)
    return 0


if __name__ == "__main__":
    sys.exit(main())
