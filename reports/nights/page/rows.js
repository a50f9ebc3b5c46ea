/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Rows of strips. The strip of a row takes the keyboard: the arrows move over the
   nights, Enter opens the night. The readout at the foot of the page says what is
   under the pointer or the keyboard. */

const readout = el("p", {id: "readout", role: "status"});

function say(row, night) {
	const text = row.label + ", " + nights[night] + ": " +
		cellText(row.n[night], row.n[night] > 0 && row.worst
			? row.worst[night] : undefined);
	readout.textContent = text;
	readout.hidden = false;
	row.strip.setAttribute("aria-valuenow", night + 1);
	row.strip.setAttribute("aria-valuetext", text);
}

/* Moves the line over all rows of the list to a night. */
function pointAt(row, night) {
	const list = row.node.closest(".strips");
	row.at = night;
	if (list)
		list.style.setProperty("--at", (night + .5) / nights.length);
	if (list)
		list.classList.add("pointed");
	say(row, night);
}

function nightUnder(strip, event) {
	const rect = strip.getBoundingClientRect();
	const night = Math.floor((event.clientX - rect.left) / rect.width *
		nights.length);
	return Math.min(Math.max(night, 0), nights.length - 1);
}

function onRowKey(row, event) {
	const by = {ArrowLeft: -1, h: -1, ArrowRight: 1, l: 1}[event.key];
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	if (by)
		pointAt(row, Math.min(Math.max(row.at + by, 0),
			nights.length - 1));
	else if (event.key === "Enter")
		go(row.open(row.at));
	else
		return;
	event.preventDefault();
	event.stopPropagation();
}

function listen(row) {
	const strip = row.strip;
	strip.addEventListener("pointermove", (event) =>
		pointAt(row, nightUnder(strip, event)));
	strip.addEventListener("click", (event) =>
		go(row.open(nightUnder(strip, event))));
	strip.addEventListener("focus", () => pointAt(row, row.at));
	strip.addEventListener("keydown", (event) => onRowKey(row, event));
}

/* Makes a row. `what` has label (a text), head (its elements), n, worst, tail,
   open (night => address) and what drawing() takes. */
function stripRow(what) {
	const row = Object.assign({}, what,
		{at: what.at >= 0 ? what.at : nights.length - 1});
	row.strip = el("div.cells", {tabindex: 0, role: "slider",
		"aria-label": what.label, "aria-valuemin": 1,
		"aria-valuemax": nights.length, "aria-valuenow": row.at + 1,
		"aria-valuetext": nights[row.at] + ": " + cellText(what.n[row.at])},
	drawing(what.n, what.worst, what));
	row.node = el("div.row", {class: "row " + (what.kind || "")},
		el("div.head", what.head), row.strip, el("div.tail", what.tail));
	listen(row);
	return row.node;
}

const axisRow = () => el("div.row.axis-row", el("div.head"), axis(),
	el("div.tail"));

/* A container of rows, with the axis above them */
const stripList = (...rows) => el("div.strips", axisRow(), rows);

const nightLink = (view, device, night, more) => link(view, device.label,
	Object.assign({}, more, {night: nights[night]}));
const cellLink = (strip, night) =>
	nightLink("cell", strip.device, night, {rule: strip.rule.id});
const runLink = (device, night) => nightLink("run", device, night);
const ruleLink = (rule) => link("rule", rule.id);

const statusText = {"new": "new", failing: "fails", flaky: "flaky",
	fixed: "fixed", past: "held lately"};

/* Says since when a strip fails; one that is new may have failed by other cases
   before. */
function sinceText(strip) {
	if (!strip.since && strip.device.runs[0])
		return " on all nights";
	const night = shortNight(nights[strip.since]);
	return strip.status === "new" && strip.since < strip.device.latest
		? " cases, since " + night : " since " + night;
}

function stripTail(strip) {
	const absent = strip.device.latest < nights.length - 1;
	if (strip.since < 0 && strip.flags & IS_MOVED)
		return el("span.quiet", "fails by another rule");
	if (isStale(strip))
		return el("span.quiet", "has not run lately");
	return [el("span.status.s-" + strip.status, statusText[strip.status]),
		strip.since >= 0 && el("span.quiet", sinceText(strip)),
		absent && el("span.quiet", ", absent")];
}

/* A row for a rule of a device, named by the device or by the rule */
const ruleRow = (strip, named, at) => stripRow({
	label: strip.device.label + ", " + ruleName(strip.rule), at,
	head: named === "device"
		? a(runLink(strip.device, strip.device.latest), el("b",
			strip.device.host), " " + strip.device.name)
		: a(ruleLink(strip.rule), code(ruleName(strip.rule))),
	n: strip.n, worst: strip.worst, changes: strip.device.changes,
	fresh: strip.status === "new", tail: stripTail(strip),
	open: (night) => cellLink(strip, night)});

/* A row for all rules of a device */
const deviceRow = (device, at) => stripRow({label: device.label, at,
	kind: "whole",
	head: a(runLink(device, device.latest), el("b", device.host), " " +
		device.name),
	n: device.n, worst: device.worst, changes: device.changes,
	fresh: device.strips.some((s) => s.status === "new"),
	tail: device.latest < nights.length - 1
		? el("span.quiet", "no run since " + shortNight(nights[device.latest]))
		: el("span", el("b", number(device.n[device.latest])), " fail of " +
			number(device.runs[device.latest].cases)),
	open: (night) => runLink(device, night)});
