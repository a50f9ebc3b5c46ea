# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Stands between ibvet and its agent. Something happens at the first line that
# REGEX finds, with "> " before lines to the agent and "< " before its own. With
# FILE it happens only if FILE exists, which is then removed.
#
# usage: peer_proxy.py IBVET REGEX ACTION FILE|- agent
#	die	kill the agent
#	hang	stop forwarding lines
#	stop	stop the agent (SIGSTOP)
#	say:TEXT	the line becomes TEXT, in which \0 and \L are a byte of 0
#		and 40,000 letters
import os
import re
import signal
import subprocess
import sys
import threading
import time

IBVET, REGEX, ACTION, FILE = sys.argv[1:5]
PARENT = os.getppid()
agent = subprocess.Popen([IBVET, "agent"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
lock = threading.Lock()
happened = []


def happens(way, line):
    if happened or not re.search(REGEX, way + line.decode()):
        return False
    if FILE != "-":
        try:
            os.unlink(FILE)
        except FileNotFoundError:
            return False
    happened.append(True)
    return True


def forward(way, source, sink):
    for line in source:
        with lock:
            if happens(way, line):
                if ACTION == "die":
                    agent.kill()
                    os._exit(7)
                while ACTION == "hang" and os.getppid() == PARENT:
                    time.sleep(0.2)
                if ACTION == "hang":
                    agent.kill()
                    os._exit(7)
                if ACTION == "stop":
                    agent.send_signal(signal.SIGSTOP)
                else:
                    text = ACTION.removeprefix("say:").encode() + b"\n"
                    line = text.replace(b"\\0", b"\0").replace(b"\\L", b"x" * 40000)
        try:
            sink.write(line)
            sink.flush()
        except BrokenPipeError:
            return


up = threading.Thread(target=forward, args=("> ", sys.stdin.buffer, agent.stdin))
up.daemon = True
up.start()
down = threading.Thread(target=forward, args=("< ", agent.stdout, sys.stdout.buffer))
down.daemon = True
down.start()
up.join() if ACTION == "hang" else None
while up.is_alive() and agent.poll() is None:
    time.sleep(0.005)
if not up.is_alive():
    try:
        agent.stdin.close()
    except BrokenPipeError:
        pass
    agent.wait()
down.join()
os._exit(agent.returncode)
