# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Kills ibvet, its worker, or what the disk has of the journal, at random
# instants of a run, goes on with --resume, and compares the reports with those
# of a run that nobody disturbed. Prints TAP.
#
# usage: kill.py IBVET INSTANTS [SEED]
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

IBVET, INSTANTS = os.path.abspath(sys.argv[1]), int(sys.argv[2])
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10**6)
LOST = {"crashed", "host-lost"}
# A deviation, a line of a profile that is stale, cases that are unsupported
FAULT = "model:cell:RC/INIT-RTR/PATH_MTU=optional"
PROFILE = """modify/rc/init-rtr/missing/PATH_MTU any seeded https://example.org/1
modify/rc/init-rtr/missing/* EPERM never https://example.org/2
modify/rc/reset-init/* EPERM stale https://example.org/3
"""
RUN = (["-d", "model"] if INSTANTS > 20 else []) + [
       "-d", FAULT, "--expect", "profile",
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
    """What is not as in the undisturbed run but for the cases that were under
    way, or None."""
    got, want = report(folder), report("whole")
    lost = [c for c in got["cases"] if c["verdict"] in LOST]
    if lost:  # which may be about a line of many cases: it is not stale then
        for results in got, want:
            results["cases"] = [c for c in results["cases"]
                                if "*" not in c["id"]]
    if len(lost) > most_lost:
        return "%d cases lost by %d" % (len(lost), most_lost)
    twice = len(got["cases"]) - len({key(c) for c in got["cases"]})
    if twice or len(got["cases"]) != len(want["cases"]):
        return "%d cases for %d, %d of them twice" % (
            len(got["cases"]), len(want["cases"]), twice)
    for a, b in zip(sorted(got["cases"], key=key),
                    sorted(want["cases"], key=key)):
        if a != b and a["verdict"] not in LOST:
            return "%s\n%s" % (a, b)
    if not lost and got["summary"] != want["summary"]:
        return "%s\n%s" % (got["summary"], want["summary"])
    if not lost and got["coverage"] != want["coverage"]:
        return "another coverage"
    for case in got["cases"]:
        if case["repro"] and not os.path.getsize(folder + "/" + case["repro"]):
            return case["repro"] + " is empty"
    return None


def worker_of(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        children = file.read().split()
    return int(children[0]) if children else None


def strike(process, whom, most):
    """Kills at an instant; False: the run had ended before."""
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
    """Kills ibvet until its run is whole; returns how often it died."""
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
            ok(False, "%s goes on" % folder, error)
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
        if size_of(folder) <= size:  # one that never ran a case gives up
            time.sleep(0.001)
        elif strike(process, "worker", took / 4):
            size = size_of(folder)
            died += 1
    error = process.communicate()[1]
    if process.returncode not in (0, 1):
        ok(False, "%s goes on" % folder, error)
    return died


def kill_often(whom, how):
    died = turn = 0
    while died < INSTANTS:
        folder = "%s-%d" % (whom, turn)
        turn += 1
        here = how(folder, INSTANTS - died)
        died += here
        wrong = differs(folder, here)
        ok(not wrong, "%s killed %d times: nothing else is lost" % (whom, here),
           wrong)
        shutil.rmtree(folder)


def damage(text, way):
    """What a crash of the machine leaves of a journal."""
    at = random.randrange(text.index(b"\n") + 1, len(text))
    block = at - at % 4096
    if way == "cut":
        return text[:at]
    if way == "without its last blocks":
        return text[:max(block, text.index(b"\n") + 1)]
    if way == "with zeros for its last blocks":
        return text[:at] + bytes(min(len(text) - at, 20000))
    end = min(at + random.choice((100, 4096, 8192)), len(text))
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
    ok(not wrong, "%d crashes leave the journal: %s" % (INSTANTS // 4, way), wrong)


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
ok(process.returncode == 1, "an undisturbed run")
found = {case["verdict"] for case in report("whole")["cases"]}
ok({"pass", "deviates", "expected", "fixed"} <= found | {"deviates"},
   "it has verdicts of several kinds", found)
kill_often("worker", kill_workers)
kill_often("ibvet", kill_ibvet)
crash_machine("cut", 1)
crash_machine("without its last blocks", 1)
crash_machine("with zeros for its last blocks", 1)
crash_machine("with zeros in the midst", 0)
crash_machine("with zeros for a line", 0)
print("1..%d" % tests)
