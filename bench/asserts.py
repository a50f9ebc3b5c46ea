# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Runs a unittest script and prints the number of assertions at the end: calls of
assert methods by tests, without the calls between these methods.

usage: asserts.py SCRIPT [ARGUMENT...]
"""
import atexit
import functools
import os
import runpy
import sys
import unittest

made = 0
within = 0
main_process = os.getpid()


def counted(method):
    @functools.wraps(method)
    def call(*arguments, **named):
        global made, within
        made += not within
        within += 1
        try:
            return method(*arguments, **named)
        finally:
            within -= 1
    return call


def say():
    if os.getpid() == main_process:  # not in processes that tests started
        print(f"{made} assertions", file=sys.stderr)


for name in dir(unittest.TestCase):
    if name.startswith("assert"):
        setattr(unittest.TestCase, name, counted(getattr(unittest.TestCase, name)))
atexit.register(say)
del sys.argv[0]
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
runpy.run_path(sys.argv[0], run_name="__main__")
