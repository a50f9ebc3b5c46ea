# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs over two guests of the lab, of which one is killed at a random instant, as if
# its power went off. The lab goes on in new guests. The run that ends has each case
# once, loses no more cases than were under way, and leaves nothing behind.
#
# usage: kill_either.py LAB OUT ROUNDS [SEED]
import glob
import json
import os
import random
import signal
import subprocess
import sys
import time

LAB, OUT, ROUNDS = sys.argv[1], os.path.abspath(sys.argv[2]), int(sys.argv[3])
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 32)
JOBS = 8  # what ibvet runs at once on a live device
SELECTION = ["--time", "0", "pair/rc", "pair/uc"]
ROLES = {"first": "lab_role=", "second": "lab_role=-peer"}
LOST = {"host-lost", "crashed", "hung", "inconclusive"}


def start(arguments):
    log = open(OUT + "/log", "a")
    return subprocess.Popen([LAB, "--limit", "600"] + arguments, stdout=log, stderr=log,
                            start_new_session=True)


def first_run(folder):
    return start(["--topology", "two-vm", "--peer", "--reboots", "3", "--out", folder]
                 + SELECTION)


def guests(run):
    """Returns the words of the command line of each guest of a run, by process."""
    found = {}
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            with open("/proc/%d/cmdline" % pid, "rb") as file:
                words = file.read().decode().split("\0")
            if words[0].endswith("qemu-system-x86_64") and os.getsid(pid) == run.pid:
                found[pid] = " ".join(words).split()
        except OSError:
            pass
    return found


def shares():
    return set(glob.glob("/dev/shm/ibvet-lab.*"))


def strike(role, run, delay):
    """Kills a guest. Returns False if it does not run."""
    time.sleep(delay)
    for pid, words in guests(run).items():
        if ROLES[role] in words:
            os.kill(pid, signal.SIGKILL)
            return True
    return False


def finish(folder, run):
    """Waits for the run, and goes on with it until it has its results. A run that was
    killed before its first case has nothing to go on with and begins anew. Returns
    the folder of the results."""
    run.wait()
    for _ in range(3):
        if os.path.exists(folder + "/results.json"):
            return folder
        if os.path.exists(folder + "/journal.jsonl"):
            run = start(["--resume", folder])
        else:
            folder += "-anew"
            run = first_run(folder)
        run.wait()
    if not os.path.exists(folder + "/results.json"):
        sys.exit("%s does not end; see %s/log" % (folder, OUT))
    return folder


def verdicts(folder):
    with open(folder + "/results.json") as file:
        return [(c["id"], c["verdict"]) for c in json.load(file)["cases"]]


def check(folder, want, struck, left):
    got = verdicts(folder)
    if sorted(i for i, _ in got) != want:
        sys.exit("%s: %d cases for %d" % (folder, len(got), len(want)))
    lost = [c for c in got if c[1] in LOST]
    if len(lost) > (JOBS if struck else 0):
        sys.exit("%s: lost: %s" % (folder, lost))
    if left:
        sys.exit("%s: left behind: %s" % (folder, left))
    return len(lost)


random.seed(SEED)
os.makedirs(OUT)
began = time.time()
whole = verdicts(finish(OUT + "/whole", first_run(OUT + "/whole")))
length = time.time() - began
if len(whole) < 50 or any(verdict in LOST for _, verdict in whole):
    sys.exit("the undisturbed run: %d cases; see %s/log" % (len(whole), OUT))
ids = sorted(i for i, _ in whole)
hits, lost_cases = dict.fromkeys(ROLES, 0), 0
for number in range(ROUNDS):
    role, out = list(ROLES)[number % len(ROLES)], "%s/%d" % (OUT, number)
    before = shares()
    process = first_run(out)
    hit = strike(role, process, random.uniform(0, length))
    hits[role] += hit
    ended = finish(out, process)
    lost_cases += check(ended, ids, hit, list(guests(process)) + list(shares() - before))
    print("%s: %s guest %s" % (out, role, "killed" if hit else "was not there"), flush=True)
if not all(hits.values()):
    sys.exit("a guest was never killed: %s" % hits)
print("seed %d: %s; %d cases lost" %
      (SEED, ", ".join("%s guest %d" % h for h in hits.items()), lost_cases))
