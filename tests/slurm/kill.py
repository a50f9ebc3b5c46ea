#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Kills jobs, slurmd and slurmctld of a lab's night at random instants.

    kill.py SRC BUILD OUT N [SEED]

Starts a Slurm with six hosts, and a night with a stand-in device for each, which waits
as a device does, so that a night lasts for minutes. Kills N times; what Slurm does not
requeue, `ibvet fleet start` starts again. In the end each case has one verdict, and each
device's run equals one that was not disturbed.
"""
import collections
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

SRC, BUILD, OUT, N = sys.argv[1:5]
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else 1
N = int(N)
HOSTS = 6
OUT = os.path.realpath(OUT)
IBVET = OUT + "/ibvet"
SLURM = OUT + "/slurm"
LAB = OUT + "/lab.yaml"
NIGHT = OUT + "/lab/nights/kills"
CLUSTER = SRC + "/tests/slurm/cluster"
os.environ["SLURM_CONF"] = SLURM + "/slurm.conf"
os.environ["SLURMD_TIMEOUT"] = "10"


def call(*argv):
    return subprocess.run(argv, capture_output=True, text=True)


def fail(why):
    print("kill.py: " + why)
    sys.exit(1)


def queue(form="%i|%T|%r"):
    out = call("squeue", "-h", "-r", "-o", form)
    return [] if out.returncode else out.stdout.split("\n")[:-1]


def end_process(pid):
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


def runs():
    """Processes of the night's runs, without their workers."""
    parents = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            line = open("/proc/%s/cmdline" % pid).read()
            if line.startswith("ibvet\0run\0") and NIGHT in line:
                stat = open("/proc/%s/stat" % pid).read()
                parents[int(pid)] = int(stat.rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    return [pid for pid, parent in parents.items() if parent not in parents]


def kill_run():
    pids = runs()
    return bool(pids) and end_process(random.choice(pids))


def kill_daemon(name):
    try:
        pid = int(open("%s/%s.pid" % (SLURM, name)).read())
    except (OSError, ValueError):
        return False
    if SLURM not in open("/proc/%d/cmdline" % pid).read():
        return False
    end_process(pid)
    time.sleep(random.uniform(0.1, 2))
    call(CLUSTER, "start", SLURM, name)
    return True


def kill_slurmd():
    return kill_daemon("n%02d" % random.randint(1, HOSTS))


def kill_slurmctld():
    return kill_daemon("slurmctld")


def of_running(*command):
    running = [li.split("|")[0] for li in queue() if "|RUNNING|" in li]
    return bool(running) and not call(*command, random.choice(running)).returncode


def cancel():
    return of_running("scancel")


def requeue():
    return of_running("scontrol", "requeue")


def hurry():
    """Does what else takes two minutes, or an administrator. Slurm puts off a requeued
    job, and holds a job and drains its host if the slurmd died at the job's start."""
    for li in queue("%A|%T|%r"):
        job, state, why = li.split("|", 2)
        if state == "PENDING" and why == "BeginTime":
            call("scontrol", "update", "jobid=" + job, "starttime=now")
        if "held" in why:
            call("scontrol", "release", job)
    for host in call("sinfo", "-h", "-N", "-t", "drain", "-o", "%N").stdout.split():
        call("scontrol", "update", "nodename=" + host, "state=resume")


def fleet(*arguments):
    return call(IBVET, "fleet", *arguments, LAB, "--night", "kills")


def ended():
    out = fleet("status").stdout
    m = re.search(r"(\d+) of (\d+) shards? ha", out)
    if not m:
        fail("status says: " + out)
    return int(m.group(1)), int(m.group(2))


def submit():
    out = fleet("start")
    # Slurm may be down, and the job that collects may be at work.
    if out.returncode and not re.search("squeue|sbatch|scancel|at work", out.stderr):
        fail("start: " + out.stderr)


def write_lab():
    with open(IBVET, "w") as f:
        f.write("#!/bin/sh\nLD_PRELOAD=%s/libfakeverbs.so exec %s/ibvet \"$@\"\n"
                % (BUILD, BUILD))
    os.chmod(IBVET, 0o755)
    with open(LAB, "w") as f:
        f.write("folder: %s/lab\nname: kill\nibvet: %s\n"
                "devices: [{device: fake0, shards: 8, time: 10h, jobs: 2, profile: full}]\n"
                % (OUT, IBVET))


def kill_all():
    kills, tries = collections.Counter(), 0
    ways = [kill_run, kill_run, cancel, requeue, kill_slurmd, kill_slurmctld]
    last = time.time()
    while sum(kills.values()) < N:
        way = random.choice(ways)
        tries += 1
        done, shards = ended() if tries % 5 == 0 else (0, 1)
        if done == shards:
            fail("the night ended after %d kills: kill more often" % sum(kills.values()))
        if way():
            kills[way.__name__] += 1
        time.sleep(random.uniform(0.2, 1.5))
        hurry()
        if not any("kill/kills/n" in li for li in queue("%j")):
            submit()
            last = time.time()
        if time.time() - last > 1800:
            fail("the queue does not move")
    return kills


def finish():
    limit = time.time() + 3600
    while time.time() < limit:
        done, shards = ended()
        if done == shards:
            return
        hurry()
        if not any("kill/kills/n" in li for li in queue("%j")):
            submit()
        time.sleep(1)
    fail("the night does not end")


def check():
    whole = OUT + "/whole"
    call(IBVET, "run", "-d", "fake0", "--profile", "full", "--out", whole)
    out = fleet("collect", "--now")
    if out.returncode:
        fail("collect: status %d: %s%s" % (out.returncode, out.stdout, out.stderr))
    for i in range(1, HOSTS + 1):
        run = "%s/n%02d-fake0/run" % (NIGHT, i)
        diff = call(IBVET, "diff", whole, run)
        if diff.returncode or "Not compared" in diff.stdout:
            fail("n%02d: %s" % (i, diff.stdout))
        ends = collections.Counter(
            e["id"] for e in map(json.loads, open(run + "/journal.jsonl"))
            if e["event"] == "end" and e.get("n", -1) >= 0)
        if max(ends.values()) != 1:
            fail("n%02d: a case has two verdicts" % i)


def main():
    random.seed(SEED)
    os.makedirs(OUT, exist_ok=True)
    if call(CLUSTER, "up", SLURM, str(HOSTS)).returncode:
        fail("no Slurm can be started here")
    try:
        write_lab()
        submit()
        kills = kill_all()
        print("kills: " + ", ".join("%d %s" % (n, way) for way, n in sorted(kills.items())),
              flush=True)
        finish()
        check()
    finally:
        call(CLUSTER, "down", SLURM)
    print("each case has one verdict, that of a run which was not disturbed")


main()
