#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Prints the value of an expression over the data of a page over nights.

usage: nights_data.py PAGE EXPRESSION
"""

import base64
import json
import re
import sys
import zlib

PAGE, EXPRESSION = sys.argv[1:]
text = open(PAGE).read()


def blocks(kind):
    found = re.findall(f'<script type="text/plain" class="{kind}"[^>]*>([^<]*)<', text)
    return [json.loads(zlib.decompress(base64.b64decode(block))) for block in found]


data = blocks("data")[0]
nights = data["nights"]
rules = [rule[0] for rule in data["rules"]]
labels = [d["host"] + " " + d["name"] for d in data["devices"]]
devices = dict(zip(labels, data["devices"]))
all_cases = sum(blocks("cases"), [])
programs = sum(blocks("programs"), [])


def number(label, rule):
    return next(i for i, strip in enumerate(data["strips"])
                if labels[strip[0]] == label and rules[strip[1]] == rule)


def strip(label, rule):
    n = data["strips"][number(label, rule)][3]
    return {n[i]: (n[i + 1], data["verdicts"][n[i + 2]]) for i in range(0, len(n), 3)}


def flags(label, rule):
    return data["strips"][number(label, rule)][2]


def cases(label, rule):
    return all_cases[number(label, rule)]


print(eval(EXPRESSION))
