#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Prints the words that zsh offers for each command line, in a line. A zsh on a terminal
# of its own gets the line and the key that lists completions.
#
# usage: completion.py FOLDER-OF-_ibvet LINE...
import os
import pty
import re
import select
import sys
import time


def start(folder):
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb", PS1="", LISTMAX="0", LINES="2000")
        os.execvp("zsh", ["zsh", "-f", "-i"])
    setup = "\n".join([
        "stty -echo cols 300 rows 2000",
        "unsetopt zle_bracketed_paste prompt_cr prompt_sp",
        "fpath=(%s $fpath)" % folder,
        "autoload -Uz compinit && compinit -u -D",
        "zstyle ':completion:*' list-separator '#'",
        # The words alone, and the line is not changed.
        "compadd() { builtin compadd \"$@\"; local -a found; "
        "builtin compadd -O found \"$@\"; print -rl -- $found >>$WORDS }",
        "complete-words() { zle list-choices }",
        "zle -N complete-words && bindkey '^X' complete-words",
        "print -r -- ready",
    ])
    os.write(terminal, (setup + "\n").encode())
    return pid, terminal


def read_until(terminal, text, seconds=20):
    got, end = "", time.time() + seconds
    while text not in got and time.time() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            got += os.read(terminal, 65536).decode(errors="replace")
    return got


def complete(terminal, words, line):
    """Returns the words that are offered for the line, and empties the line."""
    open(words, "w").close()
    os.write(terminal, line.encode() + b"\x18")
    before, end = -1, time.time() + 20
    # It has ended when words came and no more come.
    while time.time() < end:
        time.sleep(0.3)
        size = os.path.getsize(words)
        if size and size == before:
            break
        before = size
    os.write(terminal, b"\x15")
    with open(words) as file:
        return sorted(set(file.read().split()))


folder = sys.argv[1]
words = os.environ["WORDS"] = os.path.join(folder, "words")
pid, terminal = start(folder)
read_until(terminal, "\nready")
for line in sys.argv[2:]:
    print(" ".join(complete(terminal, words, line)))
os.kill(pid, 9)
os.waitpid(pid, 0)
