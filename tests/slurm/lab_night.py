#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Two nights of a whole lab under a real Slurm of this machine.

    lab_night.py SRC BUILD OUT [PROFILE [ID...]]

Twenty hosts have two devices each: two of the forty are stand-ins, whose cases wait as
those of a device, the others are models. The first night finds nothing new. Then one
stand-in gets another firmware and the other one a fault: only that is told. With IDs
the stand-ins have only these cases.
"""
import json
import os
import re
import subprocess
import sys
import time

SRC, BUILD, OUT = sys.argv[1:4]
PROFILE = sys.argv[4] if len(sys.argv) > 4 else "full"
IDS = sys.argv[5:]
# A second device of a host: a model that takes another permitted outcome
OTHER = "model:choose:choice/false-cur-state=CLAIMED"
HOSTS = 20
OUT = os.path.realpath(OUT)
SLURM, LAB, IBVET = OUT + "/slurm", OUT + "/lab.yaml", OUT + "/ibvet"
CLUSTER = SRC + "/tests/slurm/cluster"
os.environ["SLURM_CONF"] = SLURM + "/slurm.conf"


def call(*argv):
    return subprocess.run(argv, capture_output=True, text=True)


def check(what, good, seen=""):
    print(("ok: " if good else "FAILED: ") + what + ("" if good else ": %s" % seen), flush=True)
    if not good:
        sys.exit(1)


def write_files():
    with open(IBVET, "w") as f:
        f.write('#!/bin/sh\n[ -e "%s/$SLURMD_NODENAME.env" ] && . "%s/$SLURMD_NODENAME.env"\n'
                'LD_PRELOAD=%s/libfakeverbs.so exec %s/ibvet "$@"\n' % (OUT, OUT, BUILD, BUILD))
    os.chmod(IBVET, 0o755)
    with open(LAB, "w") as f:
        f.write("folder: %s/lab\nibvet: %s\npartition: rdma\nprofile: %s\ntell: cat >>%s/told\n"
                "devices:\n  - {device: fake0, hosts: [n07, n13], time: 10h, shards: 2%s}\n"
                "  - {device: model, shards: 1}\n"
                "  - {device: '%s', hosts: ['n0[!7]', 'n1[!3]', n20], shards: 1}\n"
                % (OUT, IBVET, PROFILE, OUT,
                   ", ids: [%s]" % ", ".join(IDS) if IDS else "", OTHER))


def night(name):
    """Starts a night and waits for its last job, which collects. Returns the exit status
    of collect, and what was told."""
    before = len(told())
    began = time.time()
    out = call(IBVET, "fleet", "start", LAB, "--night", name)
    check("night %s: start" % name, out.returncode == 0, out.stderr)
    while call("squeue", "-h").stdout or not os.path.exists(
            "%s/lab/nights/%s/night.json" % (OUT, name)):
        time.sleep(1)
    print("night %s: %.0f s; %s" % (name, time.time() - began, call(
        IBVET, "history", OUT + "/lab/history.db", "nights").stdout.strip().split("\n")[-1]))
    out = call(IBVET, "fleet", "collect", LAB, "--night", name)
    return out.returncode, told()[before:], out.stdout


def told():
    try:
        return open(OUT + "/told").read()
    except FileNotFoundError:
        return ""


def first_night():
    status, mail, out = night("one")
    result = json.load(open(OUT + "/lab/nights/one/night.json"))
    check("40 devices have a whole result", [d["whole"] for d in result["devices"]] == [True] * 40,
          out)
    print("%d cases" % sum(d["cases"] for d in result["devices"]))
    check("the first night: status 0, nothing is told", (status, mail) == (0, ""), out)


def second_night():
    with open(OUT + "/new.dev", "w") as f:
        f.write("fw = 28.40.1000\n")
    with open(OUT + "/n07.env", "w") as f:
        f.write("export FAKE_LIMITS=%s/new.dev\n" % OUT)
    with open(OUT + "/n13.env", "w") as f:
        f.write("export FAKE_MUTANT=errno:cq/size/over=EFAULT\n")
    status, mail, out = night("two")
    check("the second night: status 1", status == 1, out)
    check("the first line names device, rule and night: " + mail.split("\n")[0],
          re.match(r"n13 fake0: \S+ deviates since two, \d+ cases? in all$",
                   mail.split("\n")[0]), mail)
    others = [li for li in mail.split("\n") if re.match(r"  n\d+ ", li)
              and not li.startswith("  n13 fake0")]
    check("nothing else is told", not others, mail)


def main():
    os.makedirs(OUT, exist_ok=True)
    if call(CLUSTER, "up", SLURM, str(HOSTS)).returncode:
        sys.exit("lab_night.py: no Slurm can be started here")
    try:
        write_files()
        first_night()
        second_night()
    finally:
        call(CLUSTER, "down", SLURM)


main()
