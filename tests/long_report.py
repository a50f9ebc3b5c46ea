# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Makes the journal of a run of as many cases as are asked for: those of a real
# run of one target, over and over, each time under ids of their own.
#
# usage: long_journal.py RUN CASES FOLDER
import os
import re
import sys


def pattern(line):
    """A line with its number and the end of its id left open."""
    line = line.replace("%", "%%")
    line = re.sub(r'"n":[0-9]+', '"n":%d', line, count=1)
    return re.sub(r'"id":"[^"]*', r'\g<0>/%d', line, count=1)


def read(folder):
    """Lines before the first case, of each case, behind the last one."""
    before, cases, behind = [], [], []
    begun = ""
    with open(folder + "/journal.jsonl", encoding="utf-8") as file:
        for line in file:
            if line.startswith('{"event":"begin"'):
                begun = pattern(line)
            elif line.startswith('{"event":"end"') and '"n":' in line:
                cases.append((begun, pattern(line)))
                begun = ""
            elif line.startswith(('{"event":"run"', '{"event":"target"',
                                  '{"event":"coverage"')):
                before.append(line)
            elif line.startswith('{"event":"done"'):
                behind.append(line)
    return before, cases, behind


def write(before, cases, behind, count, folder):
    os.makedirs(folder)
    with open(folder + "/journal.jsonl", "w", encoding="utf-8") as file:
        file.writelines(before)
        for n in range(0, count, len(cases)):
            turn = n // len(cases)
            lines = []
            for i, (begin, end) in enumerate(cases[:count - n]):
                if begin:
                    lines.append(begin % (n + i, turn))
                lines.append(end % (n + i, turn))
            file.writelines(lines)
        file.writelines(behind)


write(*read(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
