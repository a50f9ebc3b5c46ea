#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Decides which C files are compiled together, for IBVET_TOGETHER.

usage: together.py LIST   prints "FILE GROUP" for each file of LIST that has a group

Most of what a compiler does for a short file is to start and to read headers. The
files of a group come from one top folder. No two of them give a name of their own (a
static function or variable, a macro, a tag, an enumerator) to different things, and
no macro or variable of one is a word of another. The order of LIST decides, so the
groups change only when files do.
"""
import collections
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADERS = {}
MOST = 12  # files of a group: an edit compiles them all

TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
DIRECTIVE = re.compile(r'^[ \t]*#(?:\\\n|[^\n])*', re.M)
BODY = re.compile(r'\{[^{}]*\}')
WORD = re.compile(r'[A-Za-z_]\w*')
DEFINE = re.compile(r'^[ \t]*#[ \t]*define[ \t]+(\w+)', re.M)
UNDEF = re.compile(r'^[ \t]*#[ \t]*undef[ \t]+(\w+)', re.M)
FEATURE = re.compile(r'^#define (_\w+_SOURCE)\b', re.M)
INCLUDED = re.compile(r'^#include "([^"]+)"', re.M)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include\b.*$', re.M)
ATTRIBUTE = re.compile(r'__attribute__\(\(.*?\)\)\s*')
STATIC = re.compile(r'^static\s([^;=(\[]*)([;=(\[])', re.M)
FUNCTION = re.compile(r'\b(\w+)\(')
TAG = re.compile(r'\b(?:struct|union|enum)\s+(\w+)\s*\{')
ENUM = re.compile(r'\benum\s*\w*\s*\{([^}]*)\}')
ENUMERATOR = re.compile(r'(?:^|,)\s*(\w+)')


class Source:
    """The names and the words of a file, and what it includes gives."""

    def __init__(self, path):
        with open(path, encoding='utf-8') as f:
            text = f.read()
        self.path = path
        self.features = frozenset(FEATURE.findall(text))
        self.given = {}
        for name in INCLUDED.findall(text):
            self.given.update(given_by(path, name))
        text = TEXT.sub(' ', INCLUDE.sub('', text))
        self.words = set(WORD.findall(text)) - self.features
        macros = set(DEFINE.findall(text)) | set(UNDEF.findall(text))
        macros -= self.features
        self.own = macros | set(TAG.findall(text))
        for body in ENUM.findall(text):
            self.own.update(ENUMERATOR.findall(body))
        outside = outside_braces(ATTRIBUTE.sub('', DIRECTIVE.sub('', text)))
        self.functions = set(FUNCTION.findall(outside))
        self.alone = macros
        for declaration, end in STATIC.findall(outside):
            name = WORD.findall(declaration)[-1]
            self.own.add(name)
            if end != '(':
                self.alone.add(name)


def header(path):
    """Returns what a header of the project and those it includes give: name to file."""
    if path not in HEADERS:
        HEADERS[path] = {}  # for headers that include each other
        source = Source(path)
        own = dict.fromkeys(source.own | source.functions, path)
        HEADERS[path] = {**source.given, **own}
    return HEADERS[path]


def given_by(path, name):
    for folder in (os.path.dirname(path), ROOT, os.path.join(ROOT, 'harness')):
        found = os.path.normpath(os.path.join(folder, name))
        if found.endswith('.h') and os.path.exists(found):
            return header(found)
    return {}


def outside_braces(text):
    n = 1
    while n:
        text, n = BODY.subn(' ', text)
    return text


class Group:
    def __init__(self, name, features):
        self.name = name
        self.features = features
        self.own = set()
        self.alone = set()
        self.words = set()
        self.given = {}
        self.files = []

    def takes(self, file):
        return (len(self.files) < MOST and self.features == file.features and
                not self.own & file.own and
                not self.own & file.given.keys() and
                not self.given.keys() & file.own and
                all(self.given.get(n, h) == h for n, h in file.given.items()) and
                not self.alone & file.words and not self.words & file.alone)

    def add(self, file):
        self.files.append(file)
        self.own |= file.own
        self.alone |= file.alone
        self.words |= file.words
        self.given.update(file.given)


def group(paths):
    folders = collections.defaultdict(list)
    for path in paths:
        file = Source(path)
        folder = os.path.relpath(path, ROOT).split(os.sep)[0]
        groups = folders[folder]
        for g in groups:
            if g.takes(file):
                break
        else:
            g = Group(f'{folder}_{len(groups)}', file.features)
            groups.append(g)
        g.add(file)
    return [g for groups in folders.values() for g in groups if len(g.files) > 1]


def main():
    with open(sys.argv[1], encoding='utf-8') as names:
        for g in group(names.read().split()):
            for file in g.files:
                print(file.path, g.name)


main()
