# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Runs each of rdma-core's tests in its own process on a virtual device, and
compares the verdicts with a list. Exit status 1: a verdict differs.

usage: pyverbs_virtual.py [--write] IBVET DEVICE FOLDER LIST: the program, the
virtual device (its name or a device file), the unpacked package, and the list.
--write writes the verdicts to LIST instead, below the comments of LIST.
"""
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pyverbs import read_log

SECONDS = 30  # after which a test counts as hanging


def environment(folder):
    return {**os.environ, "PYTHONPATH": f"{folder}/modules",
            "PYTHONDONTWRITEBYTECODE": "1"}


def test_names(folder):
    words = subprocess.run(
        [sys.executable, f"{folder}/tests/run_tests.py", "--list-tests"],
        env=environment(folder), text=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL).stdout.split()
    return sorted({name for name in words if name.startswith("tests.")})


def attempt(ibvet, device, folder, name):
    """Returns the verdict of a test, and why it was skipped."""
    log = Path(f"{folder}/{os.getpid()}-{name}.log")
    with log.open("w") as out:
        try:
            status = subprocess.run(
                [ibvet, "exec", "--device", device, "--", sys.executable,
                 f"{folder}/tests/run_tests.py", "--dev", "mlx5_0", "-v", name],
                env=environment(folder), stdout=out, stderr=out, cwd=folder,
                stdin=subprocess.DEVNULL, timeout=SECONDS).returncode
        except subprocess.TimeoutExpired:
            status = None
    results = list(read_log(log))
    log.unlink()
    if status is None:
        return "hang", ""
    if status < 0 or status >= 128 or len(results) != 1:
        return "crash", ""
    _, verdict, reason = results[0]
    return ("fail" if verdict in ("FAIL", "ERROR") else verdict), reason


def read_list(path):
    """Returns the expected verdict by name of the test."""
    lines = (line.split("#")[0].split(None, 2)
             for line in path.read_text().splitlines())
    return {line[0]: line[1] for line in lines if line}


def differences(results, expected):
    for name in sorted({*results, *expected}):
        got, want = results.get(name, ("no test",))[0], expected.get(name, "none")
        if got != want:
            yield f"{name}: {got}; expected: {want}"


def main():
    arguments = sys.argv[1:]
    write = arguments[:1] == ["--write"]
    ibvet, device, folder, path = arguments[write:]
    ibvet = str(Path(ibvet).resolve())
    tests = test_names(folder)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip(tests, pool.map(
            lambda name: attempt(ibvet, device, folder, name), tests)))
    counts = Counter(verdict for verdict, _ in results.values())
    print(", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))
    if write:
        head = [line for line in Path(path).read_text().splitlines(True)
                if line.startswith("#")] if Path(path).exists() else []
        Path(path).write_text("".join(head) + "".join(
            f"{name} {verdict}{'  # ' + why if why else ''}\n"
            for name, (verdict, why) in sorted(results.items())))
        return 0
    differ = list(differences(results, read_list(Path(path))))
    print(*differ, sep="\n", end="\n" if differ else "")
    return 1 if differ else 0


sys.exit(main())
