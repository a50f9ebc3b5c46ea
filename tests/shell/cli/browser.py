# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Runs headless Chromium and drives it through its debugging pipe."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

# Returns the lowest contrast between a text and its ground, and the element.
CONTRAST = """(() => {
const part = (c) => { c /= 255;
	return c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; };
const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number);
	return .2126 * part(r) + .7152 * part(g) + .0722 * part(b); };
const ground = (n) => { for (; n; n = n.parentElement) {
	const c = getComputedStyle(n).backgroundColor;
	if (!/, 0\\)$/.test(c)) return c; } return "rgb(255, 255, 255)"; };
let worst = [21, ""];
for (const n of document.querySelectorAll("body *")) {
	if (![...n.childNodes].some((c) => c.nodeType === 3 && c.data.trim())
		|| !n.checkVisibility()) continue;
	const x = light(getComputedStyle(n).color), y = light(ground(n));
	const ratio = (Math.max(x, y) + .05) / (Math.min(x, y) + .05);
	if (ratio < worst[0]) worst = [ratio, n.tagName + "." + n.className];
}
return worst;
})()"""

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def program():
    return next((p for p in map(shutil.which, PROGRAMS) if p), None)


class Browser:
    """One page; messages of its console and exceptions are in `complaints`."""

    def __init__(self, width=1400, height=900, dark=False):
        self.home = tempfile.mkdtemp()
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()
        # Chromium reads commands from descriptor 3 and writes to 4.
        self.child = subprocess.Popen(
            ["sh", "-c", f'exec 3<&{to_read} 4>&{to_write} "$0" "$@"',
             program(), "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
             "--disable-extensions", "--disable-background-networking",
             "--remote-debugging-pipe", "--user-data-dir=" + self.home,
             "about:blank"],
            pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.complaints = []
        self.requests = []
        target = self.call("Target.createTarget", url="about:blank")
        self.session = self.call("Target.attachToTarget", flatten=True,
                                 targetId=target["targetId"])["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.look(width, height, dark)

    def look(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme",
             "value": "dark" if dark else "light"}])

    def message(self, until):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.back], [], [],
                                        max(0, until - time.time()))
            part = os.read(self.back, 1 << 20) if ready else b""
            if not part:
                raise TimeoutError("no answer from the browser")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get(
                "description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in (
                "error", "warning", "assert"):
            self.complaints.append(str(params["args"]))
        elif method == "Log.entryAdded":
            self.complaints.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        until = time.time() + 60
        while True:
            answer = self.message(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(answer["error"]["message"])
                return answer["result"]
            self.note(answer)

    def run(self, script):
        """Returns the value of an expression, or of the promise it returns."""
        answer = self.call("Runtime.evaluate", expression=script,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(script + ": " + json.dumps(
                answer["exceptionDetails"].get("exception", {}).get(
                    "description")))
        return answer["result"].get("value")

    def wait(self, script, seconds=30):
        until = time.time() + seconds
        while not self.run("Boolean(" + script + ")"):
            if time.time() > until:
                raise TimeoutError(script)
            time.sleep(0.02)

    def open(self, path, hash=""):
        """Opens a file; returns the milliseconds until its cases are shown."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate",
                  url="file://" + os.path.abspath(path) + hash)
        self.wait("document.documentElement?.dataset.ready !== undefined")
        return float(self.run("document.documentElement.dataset.ready"))

    def go(self, hash):
        """Follows a link within the page."""
        self.run("window.turn = drawn; location.hash = " + json.dumps(hash))
        self.wait("drawn > turn && document.documentElement.dataset.drawn "
                  "== drawn")

    def shoot(self, path, whole=False):
        shot = self.call("Page.captureScreenshot", format="png",
                         captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key,
                      text=key if kind == "keyDown" and len(key) == 1 else "")

    def close(self):
        os.close(self.to)
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        os.close(self.back)
        shutil.rmtree(self.home, ignore_errors=True)
