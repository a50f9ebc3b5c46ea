# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Kills ibvet or its worker at random times of a run, or damages the journal as a
# crash of the machine may. Then continues the run with --resume and compares the
# reports with those of an undisturbed run. Prints TAP.
#
# usage: kill.py IBVET INSTANTS JOBS [SEED]
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

IBVET, INSTANTS = os.path.abspath(sys.argv[1]), int(sys.argv[2])
JOBS = sys.argv[3]
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(10**6)
LOST = {"crashed", "host-lost"}
# The run has a deviation, a stale line of the profile and unsupported cases.
FAULT = "model:cell:RC/INIT-RTR/PATH_MTU=optional"
PROFILE = """modify/rc/init-rtr/missing/PATH_MTU any seeded https://example.org/1
modify/rc/init-rtr/missing/* EPERM never https://example.org/2
modify/rc/reset-init/* EPERM stale https://example.org/3
"""
RUN = (["-d", "model"] if INSTANTS > 20 else []) + [
       "-d", FAULT, "--expect", "profile", "--jobs", JOBS,
       "modify/rc/init-rtr", "modify/rc/reset-init", "query", "port"]
tests = 0


def ok(good, name, why=""):
    global tests
    tests += 1
    print("ok" if good else "not ok", tests, "-", name, flush=True)
    for line in str(why).split("\n") if why and not good else []:
        print("#", line[:400], file=sys.stderr)


def start(args):
    return subprocess.Popen([IBVET, "run"] + args, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def report(folder):
    with open(folder + "/results.json") as file:
        results = json.load(file)
    for case in results["cases"]:
        del case["duration_us"]
    return results


def key(case):
    return case["target"], case["id"]


def differs(folder, most_lost):
    """Returns the first difference to the undisturbed run, or None. Up to
    most_lost cases that were running may be lost."""
    got, want = report(folder), report("whole")
    lost = [c for c in got["cases"] if c["verdict"] in LOST]
    if lost:  # a line of many cases is not stale if one of its cases is lost
        for results in got, want:
            results["cases"] = [c for c in results["cases"]
                                if "*" not in c["id"]]
    if len(lost) > most_lost:
        return "%d cases are lost, at most %d may be" % (len(lost), most_lost)
    twice = len(got["cases"]) - len({key(c) for c in got["cases"]})
    if twice or len(got["cases"]) != len(want["cases"]):
        return "%d cases instead of %d, %d of them twice" % (
            len(got["cases"]), len(want["cases"]), twice)
    for a, b in zip(sorted(got["cases"], key=key),
                    sorted(want["cases"], key=key)):
        a.pop("beside", None)  # SIGKILL may be for want of memory
        if a != b and a["verdict"] not in LOST:
            return "%s\n%s" % (a, b)
    if not lost and got["summary"] != want["summary"]:
        return "%s\n%s" % (got["summary"], want["summary"])
    if not lost and got["coverage"] != want["coverage"]:
        return "the coverage differs"
    for case in got["cases"]:
        if case["repro"] and not os.path.getsize(folder + "/" + case["repro"]):
            return case["repro"] + " is empty"
    return None


def worker_of(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        children = file.read().split()
    return int(random.choice(children)) if children else None


def strike(process, whom, most):
    """Kills ibvet or its worker after a random time. Returns False if the run
    had ended before."""
    time.sleep(random.uniform(0, most))
    if process.poll() is not None:
        return False
    victim = process.pid if whom == "ibvet" else worker_of(process.pid)
    if victim:
        os.kill(victim, signal.SIGKILL)
    return victim is not None


def began(folder):
    try:
        with open(folder + "/journal.jsonl") as file:
            return file.read(9) == '{"event":'
    except FileNotFoundError:
        return False


def kill_ibvet(folder, limit):
    """Kills ibvet up to limit times until the run is whole; returns how often."""
    died = 0
    while True:
        args = ["--resume", folder] if began(folder) else \
            ["--out", folder] + RUN
        process = start(args)
        if died < limit and strike(process, "ibvet", 0.6 * took):
            died += 1
            process.wait()
            process.stderr.close()
            continue
        error = process.communicate()[1]
        if process.returncode not in (0, 1):
            ok(False, "%s: --resume continues the run" % folder, error)
        return died


def size_of(folder):
    try:
        return os.path.getsize(folder + "/journal.jsonl")
    except FileNotFoundError:
        return 0


def kill_workers(folder, limit):
    process = start(["--out", folder] + RUN)
    died = size = 0
    while died < limit and process.poll() is None:
        if size_of(folder) <= size:  # the supervisor gives up on workers that never run a case
            time.sleep(0.001)
        elif strike(process, "worker", took / 4):
            size = size_of(folder)
            died += 1
    error = process.communicate()[1]
    if process.returncode not in (0, 1):
        ok(False, "%s: --resume continues the run" % folder, error)
    return died


def kill_often(whom, how):
    died = turn = 0
    while died < INSTANTS:
        folder = "%s-%d" % (whom, turn)
        turn += 1
        here = how(folder, INSTANTS - died)
        died += here
        wrong = differs(folder, here)
        ok(not wrong, "%s killed %d times: only running cases are lost" % (whom, here),
           wrong)
        shutil.rmtree(folder)


def damage(text, way):
    """Returns the part of a journal that a crash of the machine may leave."""
    last = text.rindex(b"{\"event\":\"done\"")
    at = random.randrange(text.index(b"\n") + 1, len(text))
    block = at - at % 4096
    if way == "cut":
        return text[:at]
    if way == "without its last blocks":
        return text[:max(block, text.index(b"\n") + 1)]
    if way == "with zeros for its last blocks":
        return text[:at] + bytes(min(len(text) - at, 20000))
    # The done event is left: without it the last case may count as lost.
    at = min(at, last - 2)
    end = min(at + random.choice((100, 4096, 8192)), last - 1)
    if way == "with zeros for a line":
        at, end = text.rindex(b"\n", 0, at) + 1, text.index(b"\n", at)
    return text[:at] + bytes(end - at) + text[end:]


def crash_machine(way, most_lost):
    with open("whole/journal.jsonl", "rb") as file:
        text = file.read()
    wrong = None
    for i in range(INSTANTS // 4):
        os.mkdir("crash")
        shutil.copytree("whole/repro", "crash/repro")
        with open("crash/journal.jsonl", "wb") as file:
            file.write(damage(text, way))
        error = start(["--resume", "crash"]).communicate()[1]
        wrong = wrong or error or differs("crash", most_lost)
        if wrong:
            break
        shutil.rmtree("crash")
    ok(not wrong, "%d crashes leave the journal %s: the run goes on" %
       (INSTANTS // 4, way), wrong)


random.seed(SEED)
print("# seed", SEED)
with open("profile", "w") as file:
    file.write(PROFILE)
took = 9
for folder in "first", "whole":
    begin = time.time()
    process = start(["--out", folder] + RUN)
    process.communicate()
    took = min(took, time.time() - begin)
ok(process.returncode == 1, "an undisturbed run has failures")
found = {case["verdict"] for case in report("whole")["cases"]}
ok({"pass", "deviates", "expected", "fixed"} <= found | {"deviates"},
   "an undisturbed run has verdicts of several kinds", found)
kill_often("worker", kill_workers)
kill_often("ibvet", kill_ibvet)
crash_machine("cut", 1)
crash_machine("without its last blocks", 1)
crash_machine("with zeros for its last blocks", 1)
crash_machine("with zeros in the midst", 0)
crash_machine("with zeros for a line", 0)
print("1..%d" % tests)
