# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Kills the lab's guest at random times of a run, in turns by a kernel panic and by
# killing QEMU. Continues the run in a new guest each time and compares the
# verdicts with those of an undisturbed run.
#
# usage: kill_lab.py PROJECT OUT INSTANTS [ARGUMENT OF lab/lab...]
import json
import os
import random
import signal
import subprocess
import sys

PROJECT, OUT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
INSTANTS = int(sys.argv[3])
RUN = sys.argv[4:] + ["--time", "0", "modify/rc/init-rtr",
                      "modify/ud/reset-init", "query", "port"]
IBVET = os.environ.get("IBVET", PROJECT + "/build/ibvet")
MARK = "the machine has its time"
WRAPPER = OUT + "/ibvet"


def write_wrapper(end):
    """Writes the script that the guest runs as ibvet: ends the guest later."""
    with open(WRAPPER, "w") as file:
        file.write('#!/bin/bash\n%s\nexec "%s" "$@"\n' % (end, IBVET))
    os.chmod(WRAPPER, 0o755)


def lab(args):
    return subprocess.Popen([PROJECT + "/lab/lab"] + args,
                            env=dict(os.environ, IBVET=WRAPPER),
                            stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def qemu_of(pid):
    with open("/proc/%d/comm" % pid) as file:
        if file.read().startswith("qemu"):
            return pid
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        for child in file.read().split():
            found = qemu_of(int(child))
            if found:
                return found
    return None


# Waits until this guest has written to the journal, on a slow machine too
BEGUN = """size() { stat -c %%s "$LAB_OUT/journal.jsonl" 2>/dev/null || echo 0; }
began=$(size)
{
	until [ "$(size)" -gt "$began" ]; do sleep 0.1; done
	sleep %.3f
	%s
} &"""


def live(args, instant):
    """Runs one guest. Returns True if the guest died before the run ended."""
    panics = instant % 2 == 0
    delay = random.uniform(0, 4)
    write_wrapper(BEGUN % (delay, "echo c >/proc/sysrq-trigger" if panics
                           else 'echo "%s" >&2' % MARK))
    process = lab(args)
    said = ""
    for line in process.stderr:
        said += line
        if MARK in line:
            os.kill(qemu_of(process.pid), signal.SIGKILL)
    process.wait()
    return "(host lost)" in said


def verdicts(folder):
    with open(folder + "/results.json") as file:
        return [(c["id"], c["verdict"]) for c in json.load(file)["cases"]]


def compare(folder, died):
    got, want = verdicts(folder), dict(verdicts(OUT + "/whole"))
    lost = [v for _, v in got if v == "host-lost"]
    other = [(i, v, want.get(i)) for i, v in got
             if v != "host-lost" and v != want.get(i)]
    print("%s: the machine died %d times, %d cases of %d lost" %
          (folder, died, len(lost), len(got)))
    if len(lost) > died:
        sys.exit("more cases were lost than machines")
    if len(got) != len(want) or {i for i, _ in got} != set(want):
        sys.exit("%d cases for %d" % (len(got), len(want)))
    if other:
        sys.exit("other verdicts (case, now, undisturbed): %s" % other[:5])


os.makedirs(OUT)
random.seed()
write_wrapper("")
if lab(["--out", OUT + "/whole"] + RUN).wait() not in (0, 1):
    sys.exit("an undisturbed run failed")
instant = turn = compared = 0
while instant < INSTANTS:
    folder = "%s/killed-%d" % (OUT, turn)
    args, died = ["--out", folder] + RUN, 0
    while instant < INSTANTS and live(args, instant):
        died += 1
        instant += 1
        if os.path.exists(folder + "/journal.jsonl"):
            args = ["--resume", folder]
        else:
            folder += "-again"
            args = ["--out", folder] + RUN
    write_wrapper("")
    if args[0] == "--resume" and lab(args).wait() not in (0, 1):
        sys.exit("%s does not go on" % folder)
    if args[0] == "--resume":
        compare(folder, died)
        compared += died
    turn += 1
if not compared:
    sys.exit("no machine died while its run was under way")
