/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Shows the view that the address selects. The first screen is above the list. */

const shown = {list: listView, cell: cellView, run: runView, rule: ruleView};
let drawn = 0;
let listPlace = 0; /* how far the list was scrolled */

function markTab() {
	const to = route();
	const tab = to.view in shown && to.view !== "list" ? ""
		: "#list&by=" + choiceOf(to.params).by;
	document.querySelectorAll("header nav a").forEach((node) =>
		node.getAttribute("href") === tab
			? node.setAttribute("aria-current", "page")
			: node.removeAttribute("aria-current"));
}

async function show() {
	const to = route(), view = document.getElementById("view");
	const turn = ++drawn, known = shown[to.view] || listView;
	const content = await known(to);
	if (turn !== drawn)
		return; /* meanwhile show() was called again */
	readout.hidden = true;
	document.getElementById("first").hidden = known !== listView ||
		to.params.has("q");
	view.hidden = false;
	view.replaceChildren(content);
	markTab();
	document.documentElement.dataset.drawn = turn;
}

async function moved(event) {
	const from = new URL(event.oldURL).hash.slice(1).split(/[&=]/)[0];
	if (!(from in shown) || from === "list")
		listPlace = window.scrollY;
	await show();
	const list = !(route().view in shown) || route().view === "list";
	window.scrollTo(0, list && from !== "list" && from in shown
		? listPlace : 0);
	document.getElementById("main").focus({preventScroll: true});
}

/* Returns what changed in the environment of a device before its last run. */
function lastChanges(device) {
	const before = nightBefore(device, device.latest);
	return before < 0 ? [] : changed(device, before, device.latest)
		.map((change) => JSON.stringify(change));
}

/* Adds to a rule that is new tonight what changed on how many of its devices. */
function tellChanges(item) {
	const links = [...item.querySelectorAll("a")];
	const count = new Map();
	for (const node of links) {
		const params = new URLSearchParams(node.getAttribute("href").slice(1));
		const device = deviceByLabel(params.get("cell"));
		for (const change of device ? lastChanges(device) : [])
			count.set(change, (count.get(change) || 0) + 1);
	}
	for (const [change, n] of count) {
		const [what, was, is] = JSON.parse(change);
		item.append(el("p.quiet", "Changed since the run before: " +
			what.replace(/_/g, " ") + " ", code(value(was)), " \u2192 ",
		code(value(is)), links.length > 1 && " on " +
			counted(n, "device", "devices")));
	}
}

/* The page ends with the first screen; the view goes below it. */
async function start() {
	const main = document.getElementById("main");
	startKeys();
	main.append(document.getElementById("view"));
	document.body.append(readout);
	readout.hidden = true;
	await loadData();
	document.documentElement.style.setProperty("--nights", nights.length);
	document.querySelectorAll(".fresh > li").forEach(tellChanges);
	await show();
	window.addEventListener("hashchange", moved);
	document.documentElement.dataset.ready = String(
		Math.round(performance.now()));
}

start().catch((error) => document.getElementById("main").prepend(
	el("p.note.error", {role: "alert"},
		"This page cannot be shown completely: " + error.message)));
