# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Writes the journal of a run of CASES cases by repeating the cases of a real run
# of one target, each time under new ids. Then makes the reports and fails if they
# need more than SECONDS, more than MIB of memory, or more than TIMES the
# processor time that zlib needs to pack the journal. The last limit holds on any
# machine.
#
# usage: long_report.py IBVET RUN CASES FOLDER SECONDS MIB [TIMES]
import os
import re
import shutil
import subprocess
import sys
import time
import zlib

SAMPLE = 1 << 24
POINTS = re.compile(r',"points":\[[^]]*\]')


def pattern(line):
    """Returns a line as a format with its number and the end of its id open."""
    line = line.replace("%", "%%")
    line = re.sub(r'"n":[0-9]+', '"n":%d', line, count=1)
    return re.sub(r'"id":"[^"]*', r'\g<0>/%d', line, count=1)


def read(folder):
    """Returns the lines before the first case, the lines of each case, and the
    lines behind the last case. Only the first copy of an "end" line keeps its
    points, which say what the run reached for the first time."""
    before, cases, behind = [], [], []
    begun = ""
    with open(folder + "/journal.jsonl", encoding="utf-8") as file:
        for line in file:
            if line.startswith('{"event":"begin"'):
                begun = pattern(line)
            elif line.startswith('{"event":"end"') and '"n":' in line:
                cases.append((begun, pattern(line),
                              pattern(POINTS.sub("", line))))
                begun = ""
            elif line.startswith(('{"event":"run"', '{"event":"target"')):
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
            for i, (begin, first, end) in enumerate(cases[:count - n]):
                if begin:
                    lines.append(begin % (n + i, turn))
                lines.append((end if turn else first) % (n + i, turn))
            file.writelines(lines)
        file.writelines(behind)
    return count


def report(ibvet, folder):
    """Returns exit status, seconds, processor seconds and peak memory in MiB."""
    begin = time.time()
    process = subprocess.Popen([ibvet, "run", "--resume", folder],
                               stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return (process.returncode, time.time() - begin,
            usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def pack(folder):
    """Returns the processor seconds to pack the journal, estimated from a part."""
    with open(folder + "/journal.jsonl", "rb") as file:
        text = file.read(SAMPLE)
        size = os.fstat(file.fileno()).st_size
    begin = time.process_time()
    zlib.compress(text, 6)
    return (time.process_time() - begin) * size / len(text)


def aside(work):
    """Returns the number that work() returns. Runs work() in a child: memory of
    this process would count as memory of the reports."""
    begin, end = os.pipe()
    child = os.fork()
    if not child:
        os.write(end, str(work()).encode())
        os._exit(0)
    os.close(end)
    os.waitpid(child, 0)
    with os.fdopen(begin) as answer:
        return float(answer.read())


def count(folder):
    with open(folder + "/junit.xml", encoding="utf-8") as file:
        return int(re.search(r'tests="(\d+)"', file.read(4096)).group(1))


IBVET, RUN, CASES, FOLDER = sys.argv[1:5]
SECONDS, MIB, TIMES = map(float, (sys.argv[5:] + ["inf"])[:3])
aside(lambda: write(*read(RUN), int(CASES), FOLDER))
size = os.path.getsize(FOLDER + "/journal.jsonl") / 1e6
packed = aside(lambda: pack(FOLDER))
status, took, processor, peak = report(IBVET, FOLDER)
packed = (packed + aside(lambda: pack(FOLDER))) / 2
counted = count(FOLDER)
shutil.rmtree(FOLDER)
print("%s cases, a journal of %.0f MB: %.1f s (%.0f MB/s), %.1f s of a "
      "processor (%.2f times what packing takes), %.0f MiB" %
      (CASES, size, took, size / took, processor, processor / packed, peak))
if status not in (0, 1) or counted != int(CASES):
    sys.exit("exit status %d, %d cases in junit.xml" % (status, counted))
if took > SECONDS or peak > MIB:
    sys.exit("more than %g s, or %g MiB" % (SECONDS, MIB))
if processor > TIMES * packed:
    sys.exit("more than %g times what packing the journal takes" % TIMES)
