# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Makes the tables of docs/suites.md from reports/suites/explained.def.

usage: suites.py DEF MD > NEW: prints MD with the rows between each line
"<!-- explained SUITE DRIVER -->" and the next empty line replaced.
"""
import re
import sys
from pathlib import Path

STRING = r'"(?:[^"\\]|\\.)*"'
ROW = re.compile(r"^EXPLAINED\((\w+),\s*(" + STRING + r"),\s*(\w+),(.*?)\)$",
                 re.M | re.S)
HEAD = ["| tests | what happens | whose fault, and why |", "| --- | --- | --- |"]


def text(literals):
    """Returns what adjacent string literals of C say."""
    return "".join(part[1:-1].replace('\\"', '"').replace("\\\\", "\\")
                   for part in re.findall(STRING, literals))


def arguments(rest):
    """Splits at the commas between literals."""
    return [text(part) for part in
            re.findall(r"(?:\s*" + STRING + r")+", rest)]


def short(tests):
    """A name without its class if the test before it has the same class."""
    names, last = [], ""
    for test in tests.split():
        owner, name = test.rsplit(".", 1)
        names.append(f"`{name if owner == last else test}`")
        last = owner
    return ", ".join(names)


def rows(table, suite, driver):
    for found in ROW.finditer(table):
        if (found[1], text(found[2])) != (suite, driver):
            continue
        _row, _finding, tests, happens, says = arguments(found[4])
        yield f"| {short(tests)} | {happens} | {says} |"


def main():
    table, page = (Path(path).read_text() for path in sys.argv[1:])
    out, skipping = [], False
    for line in page.splitlines():
        marker = re.match(r"<!-- explained (\w+) (\w+) -->", line)
        if skipping and line:
            continue
        skipping = bool(marker)
        out.append(line)
        if marker:
            out += [*HEAD, *rows(table, marker[1], marker[2])]
    print("\n".join(out))


main()
