# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""The checks of a page in a browser: prints "ok NAME" or "not ok NAME". The first
argument of the script is the folder of its pages."""

import os
import sys

from browser import Browser

os.chdir(sys.argv[1])
page = Browser()
VIEW = "document.getElementById('view')."


def ok(good, name, *got):
    print("ok" if good else "not ok", name, flush=True)
    if not good and got:
        print(*got)


def is_(got, want, name):
    ok(got == want, name, "got:", got, "want:", want)


def has(got, part, name):
    ok(part in got, name, "got:", got[:2000])


def text(selector):
    return page.run(f"document.querySelector({selector!r})?.innerText || ''")


def count(selector):
    return page.run(f"document.querySelectorAll({selector!r}).length")


def view():
    return page.run(VIEW + "innerText")


def run_parts(*parts):
    """Runs the parts of a test, then looks at what the browser complained of."""
    for part in parts:
        try:
            part()
        except Exception as error:  # go on with the other parts
            ok(False, part.__name__, repr(error), page.run("location.hash"), view()[:300])
    is_(page.complaints, [], "the browser's console has no message")
    is_([url for url in page.requests if not url.startswith(("file:", "about:"))],
        [], "the page fetches nothing from the network")
    page.close()
