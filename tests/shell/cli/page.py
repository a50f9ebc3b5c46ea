# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Checks the pages of page.t in a browser; prints "ok NAME" or "not ok NAME"."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import CONTRAST  # noqa: E402
from browser_test import (VIEW, count, has, is_, ok, page, run_parts,  # noqa: E402
                          text, view)

CASE = "#case=modify/rc/init-rtr/missing/PATH_MTU"


def type_into(selector, words):
    page.run(f"(() => {{ const f = document.querySelector({selector!r});"
             f"f.value = {words!r};"
             "f.dispatchEvent(new Event('input', {bubbles: true})); })()")
    page.run("new Promise((done) => setTimeout(done, 200))")


def narrow_enough(name):
    wide, room = page.run("[document.documentElement.scrollWidth, innerWidth]")
    ok(wide <= room, name, wide, room)


def overview():
    page.open("mixed/report.html")
    is_(count("section.target"), 2, "overview: each device has a section")
    faulty = "section[data-column='1']"
    look = text(faulty + " .look")
    has(look, "Failures", "overview: failures come first")
    has(look, "A transition that lacks one of its required attributes is "
        "refused.", "overview: failures show the sentence of the broken rule")
    has(text(faulty), "Known deviations that the profile expects: 1",
        "overview: expected deviations are counted apart")
    page.run("document.querySelector('.look .ids a').click()")
    page.wait("!" + VIEW + "hidden")
    has(page.run("location.hash"), "#case=", "overview: a failure links to its case")


def state_map():
    page.go("#map=rc&target=1")
    is_(count("table.map tbody tr"), 7, "the map has seven rows")
    is_(count("table.map tbody td"), 49, "the map has 49 cells")
    is_(count("table.map td.legal"), 22, "the map shows the 22 transitions that the table allows on RC")
    page.go("#map=rc/init-rtr&target=1")
    cell = text("table.map td.chosen")
    has(cell, "allowed", "a cell of the map has its meaning in words")
    has(text("table.map td.chosen a .v-deviates"), " of ",
        "a cell of the map counts the verdicts of its cases")
    is_(count("table.attributes tr.required"), 7,
        "a cell lists the required attributes")
    is_(count("table.attributes tr.optional"), 4, "a cell lists the optional attributes")
    is_(count("table.attributes tbody tr"), 22, "a cell lists all attributes")
    row = page.run("[...document.querySelectorAll('table.attributes tr')]"
                   ".find((r) => r.innerText.startsWith('PATH_MTU')).innerText")
    has(row, "deviates", "an attribute has the verdict of its cases")
    told = page.run(
        "[...document.querySelectorAll('table.attributes tr')]"
        ".filter((r) => r.innerText.startsWith('AV'))"
        ".flatMap((r) => [...r.querySelectorAll('.v')])"
        ".map((v) => parseInt(v.innerText)).reduce((x, y) => x + y)")
    page.run("[...document.querySelectorAll('table.attributes tr')]"
             ".find((r) => r.innerText.startsWith('AV'))"
             ".querySelector('td a').click()")
    page.wait("document.querySelector('table.cases')")
    is_(page.run("listed.length"), told, "an attribute links to as many cases as it counts")
    page.go("#map=ud/init-rtr&target=1")
    is_(count("table.attributes tr.required"), 1, "UD requires STATE alone")


def case():
    page.open("mixed/report.html", CASE + "&target=1")
    got = view()
    for part, name in (
            ("without the required attribute PATH_MTU is refused", "sentence"),
            ("expected", "verdict"), ("EINVAL", "expectation"),
            ("modify/table/missing", "rule"),
            ("qp_state_table", "source"),
            ("<skips> the \"check\" & more", "reason in the profile"),
            ("pd0 = alloc_pd", "program"), ("this call decided", "trace"),
            ("dest_qp_num", "all attributes of a call"),
            ("ibvet run -d model:cell:RC/INIT-RTR/PATH_MTU=optional --limits "
             "limits modify/rc/init-rtr/missing/PATH_MTU", "command")):
        has(got, part, "a case has its " + name)
    has(page.run(VIEW + "textContent"), "#include <infiniband/verbs.h>",
        "a case has its C file")
    is_(page.run("document.querySelector('#view a[href^=http]').href"),
        "https://example.org/?a=1&b=2", "an address in the profile is a link")
    page.go("#case=modify/rc/init-rtr/minimal&target=0")
    got = view()
    has(got, "ibvet repro -d model --limits limits "
        "modify/rc/init-rtr/minimal -o case.c",
        "a case without a program in the journal has the command to get it")
    ok("this call decided" not in got, "a case without a program in the journal has no trace")
    page.go("#case=nope/nope")
    has(view(), "There is no case nope/nope", "the page says that a case is unknown")


def filters():
    page.go("#cases&verdict=deviates&target=1")
    shown = count("table.cases tbody tr")
    ok(shown > 5, "the list of cases takes a filter from the address", shown)
    is_(count("table.cases .v-deviates"), shown, "the list of cases: filter by verdict")
    page.go("#cases&type=uc")
    is_(page.run("listed.every((c) => c.id.includes('/uc'))"), True, "the list of cases: filter by type")
    ok(page.run("listed.length") > 100, "the list of cases: filter by type finds cases")
    type_into("#case-q", "modify/*/missing/PATH_MTU")
    is_(page.run("[...new Set(listed.map((c) => c.id))].join()"),
        "modify/uc/init-rtr/missing/PATH_MTU", "the list of cases: filter by glob")
    has(page.run("location.hash"), "q=modify/*/missing/PATH_MTU",
        "the list of cases: the filter is in the address")
    page.go("#cases&rule=modify/table/missing")
    ok(page.run("listed.length > 9 && listed.every((c) => "
                "ruleId(c.rule) === 'modify/table/missing')"), "the list of cases: filter by rule")
    page.go("#cases&target=0")
    ok(page.run("listed.every((c) => c.column === 0)"), "the list of cases: filter by device")
    page.go("#cases")
    is_(count("table.cases tbody tr"), 200, "a long list shows 200 cases first")
    page.run("document.querySelector('table.cases').parentNode.nextSibling"
             ".firstChild.click()")
    is_(count("table.cases tbody tr"), 400, "a long list shows 200 more on request")


def keyboard():
    page.go("#overview")
    page.key("/")
    is_(page.run("document.activeElement.id"), "find", "key /: focus on the search field")
    page.run("document.activeElement.blur()")
    page.key("3")
    page.wait("location.hash === '#rules'")
    page.key("4")
    page.wait("location.hash === '#cases' && listed.length > 0 && "
              "document.querySelector('table.cases')")
    page.key("j")
    page.key("j")
    is_(page.run("document.activeElement.innerText === listed[1].id"), True,
        "key j: down the list of cases")
    page.run("document.activeElement.click()")
    page.wait("document.querySelector('.steps a[rel=next]')")
    page.key("j")
    page.wait("document.querySelector('h2.id')?.innerText === listed[2].id")
    ok(True, "key j: from case to case")
    page.key("u")
    page.wait("document.querySelector('table.cases')")
    page.key("?")
    is_(page.run("document.getElementById('help').open"), True, "key ?: the help opens")
    page.run("document.getElementById('help').close()")


def landmarks():
    is_(page.run("[...document.querySelectorAll('header,main,nav')].length "
                 ">= 3 && document.documentElement.lang"), "en",
        "the page has landmarks and a language")
    is_(page.run("[...document.querySelectorAll('input,select')].filter((f) =>"
                 "!f.labels.length && !f.ariaLabel).length"), 0,
        "each input field has a label")
    is_(page.run("[...document.querySelectorAll('table')].filter((t) =>"
                 "!t.caption || !t.querySelector('th[scope]')).length"), 0,
        "each table has a caption and heads")


def looks():
    page.open("mixed/report.html")
    for dark in (False, True):
        for hash in ("#overview", "#map=rc/init-rtr", "#cases", "#rules",
                     CASE + "&target=1"):
            page.look(1400, 900, dark)
            page.go("#none" if hash == "#none" else hash)
            worst = page.run(CONTRAST)
            ok(worst[0] >= 4.5, f"{'dark' if dark else 'light'} {hash}: "
               "contrast", worst)
            page.look(400, 800, dark)
            narrow_enough(f"{'dark' if dark else 'light'} {hash}: fits a "
                          "narrow window")
    page.look(1400, 900)


def several():
    page.open("several.html")
    is_(count("section.target"), 4, "several runs: each device has a section")
    page.go("#rules&q=modify/table/missing")
    is_(count("table.rules thead th"), 7, "several runs: a matrix of rules")
    row = text("table.rules tbody tr")
    has(row, "deviates", "several runs: the matrix has verdicts in words")
    page.run("document.getElementById('rule-unlike').click()")
    ok(0 < count("table.rules tbody tr") < 40, "several runs: rules with different verdicts can be chosen")
    page.go(CASE + "&target=2")
    has(view(), "The same case elsewhere", "several runs: a case shows its verdicts in the other runs")


def lost():
    page.open("lost.html")
    has(text(".verdict"), "1 case took ibvet or the machine down",
        "the verdict says that the machine died")
    has(text(".target h2"), "<script>alert(1)</script>", "markup in a name is text")
    page.go(CASE)
    has(view(), "</script><script>alert(2)</script>",
        "markup in an outcome is text")
    has(view(), "WARNING: <i>at</i>", "markup in the kernel log is text")


def catalogue():
    page.open("catalogue.html")
    has(text("#first"), "Nothing here has run on a device",
        "the catalogue says that nothing has run")
    page.go("#rules")
    ok(count("table.rules tbody tr") > 300, "the catalogue has the rules")
    page.go("#rule=K-01")
    has(view(), "the IBTA lets any state move to ERR", "the catalogue finds a rule by its alias")
    has(view(), "siw", "the catalogue has the behaviour of drivers")
    page.go(CASE)
    has(view(), "pd0 = alloc_pd", "the catalogue's cases have programs")
    ok(count("#view .v") == 0, "the catalogue has no verdicts")
    page.go("#map=dci")
    is_(count("table.map tbody td"), 49, "the catalogue has vendors' types")


def changes():
    page.open("several.html", "#changes")
    has(view(), "Not compared", "changes: runs that cannot be compared have the reason")
    page.open("twice.html", "#changes")
    has(view(), "Nothing changed", "changes: a run does not differ from itself")
    page.open("fault.html", "#changes")
    got = view()
    has(got, "Newly failing", "changes: newly failing cases have a heading")
    has(got, "modify/rc/init-rtr/missing/PATH_MTU", "changes: newly failing cases are listed")
    has(got, "Differences in the environment", "changes: the environment is compared")
    page.open("good/report.html")
    is_(page.run("document.getElementById('to-changes').hidden"), True,
        "changes: the link is hidden with one run")


def large():
    times = [page.open("large.html") for _ in range(3)]
    is_(page.run("cases.length"), 50000, "a large page lists its cases")
    page.go("#case=" + page.run("cases[49999].id"))
    has(view(), "Run it again", "a large page opens its last case")
    page.go("#overview")
    has(text("#first"), "The programs of", "a large page says that it leaves out programs")
    print("# opens in", min(times), "ms")
    if os.getloadavg()[0] > os.cpu_count():
        print("# the machine is busy: the time does not count")
    else:
        ok(min(times) < 2000, "a large page opens in less than 2 s", times)


def fallback():
    page.call("Page.addScriptToEvaluateOnNewDocument",
              source="delete window.DecompressionStream")
    page.open("mixed/report.html", CASE + "&target=1")
    has(view(), "this call decided", "the page works without DecompressionStream")
    is_(page.run("typeof DecompressionStream"), "undefined", "the check ran without DecompressionStream")


run_parts(overview, state_map, case, filters, landmarks, looks, keyboard,
          several, lost, changes, catalogue, large, fallback)
