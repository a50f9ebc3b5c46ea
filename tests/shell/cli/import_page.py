# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Looks at the pages of `ibvet import` in a browser."""

from browser_test import count, has, is_, page, run_parts, text, view


def beside_a_run():
    page.open("page.html")
    has(text("#suites"), "Failures that nobody explains: 4", "the first screen has the failures")
    is_(count("#suites table"), 2, "unknown and explained failures have a table each")
    has(text("#suites"), "no case of the run deviated", "the page says what the run knows of a row")
    page.go("#rule=choice/post-send-early")
    has(view(), "choice/post-send-early", "the link of a row leads to the rule")


def narrow():
    page.look(400, 800)
    page.open("page.html")
    is_(page.run("document.documentElement.scrollWidth <= innerWidth"), True,
        "a narrow page does not scroll sideways")
    page.look(1400, 900)


run_parts(beside_a_run, narrow)
