# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Checks the page of nights.t in a browser; prints "ok NAME" or "not ok NAME"."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import CONTRAST  # noqa: E402
from browser_test import (count, has, is_, ok, page, run_parts, text,  # noqa: E402
                          view)

CELL = "#cell=node1%20mlx5_0&rule=modify/table/missing&night=n08"


def readout():
    return text("#readout")


def front():
    page.open("nights.html")
    has(text("#first"), "1 rule fails on 1 device", "the first screen has what is new")
    has(text(".fresh > li"), "Changed since the run before: kernel 6.12 \u2192 6.13",
        "and what changed in the environment")
    page.run("document.querySelector('.fresh a').click()")
    page.wait("document.querySelector('article')")
    is_(page.run("location.hash"), "#cell=node2%20mlx5_0&rule=modify/table/missing&night=n11",
        "it leads to the night of the rule")


def the_list():
    page.open("nights.html")
    is_(count(".row.whole"), 6, "the list has a row for each device")
    is_(page.run("[...document.querySelectorAll('.row.whole .head')].map((h) => h.innerText)"
                 ".join()"), "<b>node5</b> mlx5_0,node1 mlx5_0,node1 mlx5_1,node2 mlx5_0,"
        "node3 rxe0,node4 mlx5_0", "in the order of their names")
    is_(page.run("strips.map((s) => s.device.host + ' ' + s.status).sort().join()"),
        "<b>node5</b> failing,<b>node5</b> past,node1 failing,node1 flaky,node2 new,node3 flaky,"
        "node4 flaky",
        "each strip is new, failing, flaky, fixed or past")
    is_(page.run("[...document.querySelectorAll('.group h3')].map((h) => h.innerText)[0]"),
        "modify/table/missing 4 devices", "the most urgent group is first")
    is_(page.run("[...document.querySelectorAll('.group .row:not(.axis-row) .tail')].map((t) => t.innerText)[0]"),
        "new since n11", "and its most urgent strip")
    is_(count(".row.whole .fresh"), 1, "a device with news is marked")
    is_(page.run("document.querySelectorAll('.row.whole')[1]"
                 ".querySelectorAll('.change').length"), 1, "a change of firmware has a line")
    page.run("document.getElementById('show-flaky').click()")
    is_(page.run("[...document.querySelectorAll('.group .status')].map((s) => s.innerText).join()"),
        "flaky,flaky,flaky", "a filter by status")
    has(page.run("location.hash"), "show=flaky", "the filter is in the address")
    page.go("#list&by=device&q=node1")
    is_(count(".group"), 2, "a search for a device, by device")
    page.go("#list&q=closed+list*")
    is_(count(".group"), 0, "a search that nothing matches")
    page.go("#list")


def pointer():
    row = "document.querySelectorAll('.row.whole .cells')[1]"
    page.run(f"""(() => {{ const strip = {row}, box = strip.getBoundingClientRect();
        strip.dispatchEvent(new PointerEvent('pointermove', {{bubbles: true,
        clientX: box.left + box.width * 8.5 / 12}})); }})()""")
    is_(readout(), "node1 mlx5_0, n08: 3 cases fail (deviates)",
        "the readout says what is under the pointer")
    page.run(f"""(() => {{ const strip = {row}, box = strip.getBoundingClientRect();
        strip.dispatchEvent(new MouseEvent('click', {{bubbles: true,
        clientX: box.left + box.width * 8.5 / 12}})); }})()""")
    page.wait("document.querySelector('article')")
    is_(page.run("location.hash"), "#run=node1%20mlx5_0&night=n08", "a click opens the run")


def cell():
    page.open("nights.html", CELL)
    got = view()
    for part, name in (
            ("A transition that lacks one of its required attributes is refused.", "sentence"),
            ("3 cases fail (deviates)", "number of cases"), ("EINVAL", "expectation"),
            ("runs/n08-node1-mlx5_0", "folder of the run"),
            ("modify_qp qp0", "program of the first case"),
            ("ibvet run -d mlx5_0 modify/uc/init-rtr/missing/", "command"),
            ("firmware: 28.1 \u2192 28.2", "change of the environment"),
            ("The same rule on other devices", "other devices")):
        has(got, part, "a night has its " + name)
    has(page.run("document.querySelector('.case a').href"), "/runs/n08-node1-mlx5_0/report.html"
        "#case=modify/uc/init-rtr/missing/", "a case leads to the report of its run")
    is_(page.run("[pathBetween('/a/b', '/a/c/d'), pathBetween('/a', '/a/c'), pathBetween('/a', '/b')]"
                 ".join()"), "../c/d,c,../b", "from a server it is named from the page's folder")
    is_(count(".case"), 3, "a night has its cases")
    is_(count(".case[open] .case-body > *"), 2, "the first case is open, once")
    page.run("document.querySelectorAll('.case summary')[1].click()")
    page.wait("document.querySelectorAll('.case[open] pre.program').length === 2")
    ok(True, "another case opens with its program")
    page.go(CELL.replace("n08", "n07"))
    has(view(), "No case failed by this rule", "a night on which the rule held")
    page.go("#cell=node1%20mlx5_1&rule=modify/table/missing&night=n05")
    has(view(), "did not run", "a night on which the cases did not run")
    page.go("#cell=node4%20mlx5_0&night=n06")
    has(view(), "SIGSEGV in poll_cq", "a crash without a rule")
    page.go("#cell=node2%20mlx5_0&rule=modify/table/missing&night=n04")
    has(view(), "The device had no run", "a night without a run")
    page.go("#cell=node9&night=n04")
    has(view(), "This page has no such night", "an unknown device")


def run_and_rule():
    page.go("#run=node1%20mlx5_1&night=n05")
    got = view()
    has(got, "4, of which 0 fail; 6 had no time", "a run has its cases")
    has(got, "Rules that failed on other nights: 1", "and other rules")
    page.go("#run=%3Cb%3Enode5%3C/b%3E%20mlx5_0&night=n05")
    has(text("article h2"), "<b>node5</b>", "markup in a name is text")
    page.go("#rule=modify/table/missing")
    is_(count("article .strips .row:not(.axis-row)"), 4, "a rule has its devices")
    is_(page.run("[...document.querySelectorAll('tbody tr')].map((r) => r.innerText"
                 ".replaceAll('\\t', ' ')).join(';')"),
        "node2 mlx5_0 n10 n11 kernel 6.12 \u2192 6.13;<b>node5</b> mlx5_0 n09 n10 nothing;node1 mlx5_0 n07 n08 firmware 28.1 \u2192 28.2;"
        "node1 mlx5_1 n03 n04 nothing", "where it began, and what changed")
    has(view(), "ibvet history lab.db --bisect modify/table/missing", "the command that asks all nights")
    page.go("#rule=old/name")
    has(view(), "fails by another rule", "a rule that got another name")
    is_(page.run("page.window = 2, [isStale({n: [0, NO_CASE, NO_RUN]}),"
                 "isStale({n: [0, 0, NO_CASE]})].join()"), "true,false",
        "a rule whose cases did not run on the last nights does not fail")


def keyboard():
    page.open("nights.html")
    page.key("j")
    page.key("j")
    is_(readout(), "node1 mlx5_0, n11: 3 cases fail (deviates)", "key j: the next strip")
    for _ in range(4):
        page.key("h")
    is_(readout(), "node1 mlx5_0, n07: nothing failed", "key h: an earlier night")
    page.key("l")
    is_(page.run("document.activeElement.ariaValueText"),
        "node1 mlx5_0, n08: 3 cases fail (deviates)", "a strip tells its night to a screen reader")
    page.key("Enter")
    page.wait("document.querySelector('article')")
    is_(page.run("location.hash"), "#run=node1%20mlx5_0&night=n08", "Enter opens the night")
    page.key("h")
    page.wait("location.hash.endsWith('n07')")
    page.key("u")
    page.wait("document.querySelector('.list')")
    page.key("2")
    page.wait("location.hash.includes('by=device')")
    page.key("?")
    is_(page.run("document.getElementById('help').open"), True, "key ?: the help opens")
    page.run("document.getElementById('help').close()")
    page.key("/")
    is_(page.run("document.activeElement.id"), "find", "key /: focus on the search field")


def narrow_enough(name):
    wide, room = page.run("[document.documentElement.scrollWidth, innerWidth]")
    ok(wide <= room, name, wide, room)


def looks():
    for dark in (False, True):
        theme = "dark" if dark else "light"
        for hash, name in (("", "list"), (CELL, "night"), ("#rule=modify/table/missing", "rule")):
            page.look(1400, 900, dark)
            page.open("nights.html", hash)
            narrow_enough(f"{name}, {theme}: as wide as the window")
            ratio, where = page.run(CONTRAST)
            ok(ratio >= 4.5, f"{name}, {theme}: texts have a contrast of 4.5 and more", ratio, where)
            page.look(420, 900, dark)
            page.open("nights.html", hash)
            narrow_enough(f"{name}, {theme}: as wide as a narrow window")
    page.look(1400, 900)
    is_(page.run("[...document.querySelectorAll('input,select')].filter((f) =>"
                 "!f.labels.length && !f.ariaLabel).length"), 0, "each input field has a label")
    page.call("Emulation.setEmulatedMedia", media="print")
    page.open("nights.html")
    is_(page.run("getComputedStyle(document.querySelector('.bar')).display"), "none",
        "print has no bar")
    ok(page.run("document.querySelector('.row.whole svg').getBoundingClientRect().width > 200"),
       "print has the strips")
    page.call("Emulation.setEmulatedMedia", media="")


run_parts(front, the_list, pointer, cell, run_and_rule, keyboard, looks)
