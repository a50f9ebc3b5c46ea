/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Draws strips. A strip has a column for each night: a bar for cases that fail,
   higher for more, of another form for crashes and hangs; a line at the foot for
   a night on which the rule held; nothing for a night without a run. */

const WIDE = 10, GAP = 1.6, HIGH = 30;

function svg(tag, attributes, ...children) {
	const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
	Object.entries(attributes).forEach(([k, v]) => node.setAttribute(k, v));
	node.append(...children);
	return node;
}

const box = (x, y, wide, high) => `M${x} ${y}h${wide}v${high}h${-wide}z`;
const column = (night, y, high) =>
	box(night * WIDE + GAP / 2, y, WIDE - GAP, high);

/* The height of a bar: 1, 10, 100 and 1,000 cases and more are four steps. */
const height = (n) =>
	8 + 16 * Math.min(1, Math.log10(Math.max(n, 1)) / 3);

const kinds = {"host-lost": "crash", crashed: "crash", hung: "crash",
	inconclusive: "unsure", fixed: "unsure"};
const kindOf = (verdict) => kinds[page.verdicts[verdict]] || "fail";

/* The bar of a crash has a hole: a reader can tell crashes without colour. */
function bar(kind, night, n) {
	const high = height(n), y = HIGH - high;
	const hole = kind !== "crash" ? ""
		: box(night * WIDE + GAP / 2 + 2.4, y + 2.5, WIDE - GAP - 4.8,
			Math.max(high - 5, 3));
	return column(night, y, high) + hole;
}

function mark(paths, night, n, worst) {
	const add = (kind, path) => (paths[kind] = (paths[kind] || "") + path);
	if (n > 0)
		add(kindOf(worst), bar(kindOf(worst), night, n));
	else if (n === NO_CASE)
		add("missed", column(night, HIGH - 12, 2));
	else if (n === 0)
		add("held", column(night, HIGH - 3, 3));
}

/* A line before the first night with another environment */
const change = (night) => box(night * WIDE - .7, 1, 1.4, HIGH - 1);

/* Every so many nights a line, and a name on the axis */
function ticks() {
	const step = Math.max(4, Math.ceil(nights.length / 8));
	const list = [];
	for (let i = nights.length - 1; i >= 0; i -= step)
		list.unshift(i);
	return list;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep",
	"Oct", "Nov", "Dec"];

/* "27 Nov" for a day; another name as it is, shortened */
function shortNight(name) {
	const day = /^\d{4}-(\d\d)-(\d\d)$/.exec(name);
	if (day)
		return Number(day[2]) + " " + months[Number(day[1]) - 1];
	return name.length > 9 ? name.slice(0, 8) + "\u2026" : name;
}

/* Draws `n` with `worst`. `more` may have changes (nights with another
   environment), fresh (the last night is new) and at (a night to mark). */
function drawing(n, worst, more) {
	const paths = {}, wide = nights.length * WIDE;
	const part = (kind, d) => svg("path", {class: kind, d,
		"fill-rule": "evenodd"});
	n.forEach((count, night) => mark(paths, night, count, worst[night]));
	const node = svg("svg", {class: "strip", viewBox: `0 0 ${wide} ${HIGH}`,
		preserveAspectRatio: "none", "aria-hidden": "true"},
	part("tick", ticks().map((i) => box(i * WIDE + 4.8, 0, .4, HIGH)).join("")),
	...Object.entries(paths).map(([kind, d]) => part(kind, d)));
	if (more.changes && more.changes.length)
		node.append(part("change", more.changes.map(change).join("")));
	if (more.fresh)
		node.append(svg("rect", {class: "fresh", y: .8, height: HIGH - 1.6,
			x: wide - WIDE + .4, width: WIDE - .8}));
	if (more.at >= 0)
		node.append(svg("rect", {class: "at", y: .8, height: HIGH - 1.6,
			x: more.at * WIDE, width: WIDE}));
	return node;
}

/* Says what a column shows. */
function cellText(n, verdict) {
	if (n === NO_RUN)
		return "no run";
	if (n === NO_CASE)
		return "the cases that failed before did not run";
	if (n === 0)
		return "nothing failed";
	return counted(n, "case fails", "cases fail") +
		(verdict === undefined ? "" : " (" + page.verdicts[verdict] + ")");
}

/* Returns the axis: names of nights above their columns. */
function axis() {
	const all = nights.length;
	return el("div.axis", {"aria-hidden": "true"}, ticks().map((i) =>
		el("span", {style: `left: ${(i + .5) / all * 100}%`,
			title: nights[i]}, shortNight(nights[i]))));
}

/* The key to the forms, drawn as the strips draw them */
function key() {
	const sample = (n, verdict, more) => {
		const node = svg("svg", {class: "strip sample",
			viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true"});
		const paths = {};
		mark(paths, 0, n, page.verdicts.indexOf(verdict));
		Object.entries(paths).forEach(([kind, d]) => node.append(
			svg("path", {class: kind, d, "fill-rule": "evenodd"})));
		if (more)
			node.append(svg("path", {class: "change", d: box(0, 1, 1.4, HIGH - 1)}));
		return node;
	};
	const entry = (text, ...samples) =>
		el("li", samples, " " + text);
	return el("ul.key-list", {"aria-label": "Key"},
		entry("nothing failed", sample(0)),
		entry("1, 30, 1,000 cases fail", sample(1, "deviates"),
			sample(30, "deviates"), sample(1000, "deviates")),
		entry("a crash or a hang among them", sample(30, "crashed")),
		entry("inconclusive", sample(30, "inconclusive")),
		entry("failed before, and did not run", sample(NO_CASE)),
		entry("blank: no run"),
		entry("another firmware, kernel, \u2026", sample(0, "", true)));
}
