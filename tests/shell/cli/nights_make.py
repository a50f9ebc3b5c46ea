#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Makes a history of twelve nights of six devices from the runs model/ and bad/.

usage: nights_make.py IBVET DB
"""

import json
import os
import subprocess
import sys

IBVET, DB = sys.argv[1:]
DEVICES = [("node1", "mlx5_0"), ("node1", "mlx5_1"), ("node2", "mlx5_0"),
           ("node3", "rxe0"), ("node4", "mlx5_0"), ("<b>node5</b>", "mlx5_0")]

events = [json.loads(line) for line in open("model/journal.jsonl")]
RUN = next(e for e in events if e["event"] == "run")
TARGET = next(e for e in events if e["event"] == "target")
ENDS = [e for e in events if e["event"] == "end"]
PROGRAMS = [e["program"] for e in map(json.loads, open("bad/journal.jsonl"))
            if e["event"] == "end" and "program" in e]
MISSING = [e["id"] for e in ENDS if e.get("rule") == "modify/table/missing"]
CLOSURE = [e["id"] for e in ENDS if e.get("rule") == "query/closure"]


def fails(night, host, name):
    """Returns the verdicts of the cases that fail."""
    if (host, name) == ("node1", "mlx5_0") and night >= 8:
        return dict.fromkeys(MISSING[:3], "deviates")
    if (host, name) == ("node1", "mlx5_1") and 4 <= night <= 6:
        return dict.fromkeys(MISSING[:2], "deviates")
    if host == "node2" and night == 11:
        return {MISSING[0]: "deviates"}
    if host == "node3" and night in (2, 5, 7, 11):
        return {CLOSURE[0]: "deviates"}
    if host == "node4" and night == 6:
        return {MISSING[0]: "crashed"}
    if "node5" in host and night >= 8:
        return {MISSING[5]: "deviates"}
    return {}


def rule(night, host):
    """Returns another name of the rule, which got its name on night 10."""
    return "old/name" if "node5" in host and night < 10 else None


def absent(night, host):
    return host == "node2" and 3 <= night <= 5 or host == "node4" and night == 11


def end(event, verdict, rule):
    event = dict(event, verdict=verdict, program=PROGRAMS[0], rule=rule or event.get("rule"))
    if verdict == "crashed":
        event.pop("rule", None)
        return dict(event, observed="SIGSEGV in poll_cq")
    return dict(event, expected="EINVAL", observed="0")


def write(file, event):
    file.write(json.dumps(event, separators=(",", ":")) + "\n")


def write_run(night, host, name):
    folder = f"runs/n{night:02}-{host.strip('<>b/')}-{name}"
    failing = fails(night, host, name)
    # On night 5 the time was over after four cases, none of which failed before.
    ends = ENDS if (night, name) != (5, "mlx5_1") else \
        [e for e in ENDS if e["id"] not in MISSING][:4]
    firmware = "28.2" if (host, name) == ("node1", "mlx5_0") and night >= 8 else "28.1"
    os.makedirs(folder)
    with open(folder + "/journal.jsonl", "w") as file:
        write(file, dict(RUN, targets=[name], time=f"2026-11-{night + 1:02}T01:00:00Z",
                         environment=dict(RUN["environment"], host=host, kernel="6.13"
                                          if (night, host) == (11, "node2") else "6.12")))
        write(file, dict(TARGET, name=name, kind="libibverbs", environment=dict(
            TARGET["environment"], device=name, firmware=firmware)))
        for event in ends:
            verdict = failing.get(event["id"])
            write(file, end(event, verdict, rule(night, host)) if verdict else event)
        write(file, {"event": "done", "t": 0, "not_run": 6 if ends is not ENDS else 0})
    return folder


for night in range(12):
    runs = [write_run(night, *device) for device in DEVICES if not absent(night, device[0])]
    subprocess.run([IBVET, "history", DB, "add", "--night", f"n{night:02}", *runs],
                   check=True, stdout=subprocess.DEVNULL)
