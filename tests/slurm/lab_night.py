#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Two nights of a whole lab under a real Slurm of this machine.

    lab_night.py SRC BUILD OUT [PROFILE [ID...]]

Twenty hosts have two devices each. The first one of each is a model with a fault, on each
host another. The others are two stand-ins, whose cases wait as those of a device, virtual
devices, models that take another permitted outcome, and, where QEMU is installed, rxe in
a guest of the lab. The first night finds nothing new. Then one stand-in gets another
firmware and the other one a fault: only that is told. With IDs the stand-ins have only
these cases.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import time

SRC, BUILD, OUT = sys.argv[1:4]
PROFILE = sys.argv[4] if len(sys.argv) > 4 else "full"
IDS = sys.argv[5:]
# A second device of a host: a model that takes another permitted outcome
OTHER = "model:choose:choice/false-cur-state=CLAIMED"
HOSTS = 20
STAND_INS = ["n07", "n13"]
VIRTUAL = {"n01": "mlx5", "n02": "connectx-7", "n03": "connectx-6-dx", "n04": "connectx-5-roce",
           "n05": "all-claims", "n06": "all-claims-roce"}
GUEST = "n20"
GUEST_IDS = ["create", "query"]
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


def has_guest():
    return bool(shutil.which("qemu-system-x86_64"))


def write_program():
    """The program of the hosts: ibvet on the stand-in library, on the real one, or in a
    guest, which runs a whole shard."""
    with open(IBVET, "w") as f:
        f.write("""#!/bin/bash
[ -e "%(out)s/$SLURMD_NODENAME.env" ] && . "%(out)s/$SLURMD_NODENAME.env"
case "$SLURMD_NODENAME $*" in
"%(guest)s fleet shard "*-rxe0\ *)
	exec %(src)s/lab/lab --driver rxe --limit 7200 --out "$3/$4/shard-$5" -- %(build)s/ibvet "$@"
	;;
%(stand_ins)s) export LD_PRELOAD=%(build)s/libfakeverbs.so ;;
esac
exec %(build)s/ibvet "$@"
""" % {"out": OUT, "src": SRC, "build": BUILD, "guest": GUEST,
       "stand_ins": "|".join("%s\\ *" % host for host in STAND_INS)})
    os.chmod(IBVET, 0o755)


def faults():
    """As many names of seeded faults as there are hosts, of all families alike."""
    names = [li.split("\t")[0] for li in call(BUILD + "/ibvet", "mutants").stdout.split("\n") if li]
    return names[::len(names) // HOSTS][:HOSTS]


def devices():
    """Lists the devices of each host: two, but for the fault that each model has."""
    hosts = ["n%02d" % i for i in range(1, HOSTS + 1)]
    yield "{device: fake0, hosts: [%s], time: 10h, shards: 2%s}" % (
        ", ".join(STAND_INS), ", ids: [%s]" % ", ".join(IDS) if IDS else "")
    for host, fault in zip(hosts, faults()):
        yield "{device: 'model:%s', hosts: [%s], shards: 1}" % (fault, host)
    for host, name in VIRTUAL.items():
        yield "{device: 'virtual:%s', hosts: [%s], shards: 1}" % (name, host)
    if has_guest():
        yield "{device: rxe0, hosts: [%s], time: 2h, shards: 2, ids: [%s]}" % (
            GUEST, ", ".join(GUEST_IDS))
    others = set(hosts) - set(STAND_INS) - set(VIRTUAL) - ({GUEST} if has_guest() else set())
    yield "{device: '%s', hosts: [%s], shards: 1}" % (OTHER, ", ".join(sorted(others)))


def write_files():
    write_program()
    with open(LAB, "w") as f:
        f.write("folder: %s/lab\nibvet: %s\npartition: rdma\nprofile: %s\ntell: cat >>%s/told\n"
                "devices:\n" % (OUT, IBVET, PROFILE, OUT))
        f.writelines("  - %s\n" % one for one in devices())


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
