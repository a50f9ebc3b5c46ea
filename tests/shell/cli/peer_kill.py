# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs over --peer, with models or virtual devices at both ends, in which an agent, ibvet or the pipe
# between them is killed, or an agent is stopped, at a random instant. The run that
# --resume ends has each case once, loses no more cases than processes that had one,
# and leaves no process behind.
#
# usage: peer_kill.py IBVET OUT ROUNDS [SEED [DEVICE]]
import json
import os
import random
import signal
import subprocess
import sys
import time

IBVET, OUT, ROUNDS = sys.argv[1], os.path.abspath(sys.argv[2]), int(sys.argv[3])
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 32)
DEVICE = sys.argv[5] if len(sys.argv) > 5 else "model"
JOBS = 3
THERE, PIPE = OUT + "/there", OUT + "/pipe"
COMMAND = OUT + "/peer"
FEW = DEVICE != "model" and not os.environ.get("LONG_TESTS")
SELECTION = ["pair/rc"] if FEW else ["pair", "link"]
LEAST = 40 if FEW else 100
KINDS = ["agent", "ibvet", "pipe", "stop"]


def make_command():
    """Makes the command of --peer: an agent between two processes that copy."""
    os.makedirs(OUT)
    os.symlink(os.path.abspath(IBVET), THERE)
    os.symlink(subprocess.check_output(["which", "cat"], text=True).strip(), PIPE)
    with open(COMMAND, "w") as file:
        file.write('#!/bin/sh\n"%s" - | "%s" "$@" | "%s" -\n' % (PIPE, THERE, PIPE))
    os.chmod(COMMAND, 0o755)


def start(args):
    # A stopped agent holds the standard error that it has inherited.
    with open(OUT + "/stderr", "w") as file:
        return subprocess.Popen([IBVET, "run"] + args,
                                stdout=subprocess.DEVNULL, stderr=file)


def first_run(folder):
    return start(["-d", DEVICE, "--peer", COMMAND, "--jobs", str(JOBS),
                  "--out", folder] + SELECTION)


def processes(name):
    """Returns the processes whose first argument is `name`."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as file:
                if file.read().split(b"\0")[0].decode() == name:
                    found.append(int(pid))
        except OSError:
            pass
    return found


def victims(kind, run):
    if kind == "ibvet":
        return [run.pid]
    return processes(PIPE if kind == "pipe" else THERE)


def strike(kind, run, delay):
    """Kills or stops a process of the kind. Returns False if there is none."""
    time.sleep(delay)
    pids = victims(kind, run)
    if run.poll() is not None or not pids:
        return False
    try:
        os.kill(random.choice(pids),
                signal.SIGSTOP if kind == "stop" else signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def has_begun(folder):
    """Returns True if the first line of the journal is whole. A run that is killed
    before that has nothing to go on with: its folder takes a new run."""
    try:
        with open(folder + "/journal.jsonl") as file:
            return file.readline().endswith("\n")
    except FileNotFoundError:
        return False


def finish(folder, run):
    """Waits for the run, and resumes it until it has its results."""
    run.wait()
    for _ in range(3):
        if os.path.exists(folder + "/results.json"):
            return
        run = (start(["--resume", folder])
               if has_begun(folder) else
               first_run(folder))
        run.wait()
    if not os.path.exists(folder + "/results.json"):
        with open(OUT + "/stderr") as file:
            sys.exit("%s does not end: %s" % (folder, file.read()))


def let_go():
    """A process that is stopped does not see the end of its pipe before it goes on."""
    for pid in processes(THERE):
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass


def left_behind():
    end = time.time() + 20
    while time.time() < end:
        left = processes(THERE) + processes(PIPE)
        if not left:
            return []
        time.sleep(0.05)
    return left


def verdicts(folder):
    with open(folder + "/results.json") as file:
        return [(c["id"], c["verdict"]) for c in json.load(file)["cases"]]


def check(folder, want, struck):
    got = verdicts(folder)
    lost = [c for c in got if c[1] != want.get(c[0])]
    if sorted(i for i, _ in got) != sorted(want):
        sys.exit("%s: %d cases for %d" % (folder, len(got), len(want)))
    # Of a run that is killed the cases under way are lost.
    if len(lost) > (JOBS if struck else 0):
        sys.exit("%s: other verdicts: %s" % (folder, lost))
    left = left_behind()
    if left:
        sys.exit("%s: processes are left: %s" % (folder, left))
    return len(lost)


random.seed(SEED)
make_command()
began = time.time()
first_run(OUT + "/whole").wait()
length = time.time() - began
whole = dict(verdicts(OUT + "/whole"))
passes = list(whole.values()).count("pass")
if passes < LEAST or set(whole.values()) - {"pass", "unsupported"}:
    sys.exit("the undisturbed run: %d cases, %s" % (len(whole), set(whole.values())))
hits, lost_cases = dict.fromkeys(KINDS, 0), 0
for number in range(ROUNDS):
    victim, out = KINDS[number % len(KINDS)], "%s/%d" % (OUT, number)
    process = first_run(out)
    hit = strike(victim, process, random.uniform(0, length))
    hits[victim] += hit
    finish(out, process)
    let_go()
    lost_cases += check(out, whole, hit)
if not sum(hits.values()):
    sys.exit("no process was under way when it was to be killed")
print("seed %d: %s; %d cases lost" %
      (SEED, ", ".join("%s %d" % (k, n) for k, n in hits.items()), lost_cases))
