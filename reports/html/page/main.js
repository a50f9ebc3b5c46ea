/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Shows the view that the address selects. */

const shown = {cases: casesView, case: caseView, rules: rulesView,
	rule: ruleView, map: mapView, changes: changesView};
const tabOf = {case: "cases", rule: "rules"};

/* Marks the tab of the view. */
function markTab(view) {
	const href = "#" + (tabOf[view] || view);
	document.querySelectorAll("header nav a").forEach((tab) =>
		tab.getAttribute("href") === href
			? tab.setAttribute("aria-current", "page")
			: tab.removeAttribute("aria-current"));
}

let drawn = 0;

async function show() {
	const to = route(), view = document.getElementById("view");
	const overview = document.getElementById("first");
	const turn = ++drawn, known = shown[to.view];
	const content = known ? await known(to) : null;
	if (turn !== drawn)
		return; /* meanwhile show() was called again */
	overview.hidden = Boolean(known);
	view.hidden = !known;
	view.replaceChildren(...(content ? [content] : []));
	markTab(known ? to.view : "overview");
	document.documentElement.dataset.drawn = turn;
}

async function moved() {
	await show();
	window.scrollTo(0, 0);
	document.getElementById("main").focus({preventScroll: true});
}

/* Opens all details for printing. */
function unfold() {
	document.querySelectorAll("details:not([open])").forEach((part) => {
		part.open = true;
		part.dataset.folded = "";
	});
}

function foldAgain() {
	document.querySelectorAll("details[data-folded]").forEach((part) => {
		part.open = false;
		delete part.dataset.folded;
	});
}

async function start() {
	startKeys();
	await casesLoaded;
	fillOverview();
	document.getElementById("to-changes").hidden = !comparisons.length;
	await show();
	window.addEventListener("hashchange", moved);
	window.addEventListener("beforeprint", unfold);
	window.addEventListener("afterprint", foldAgain);
	document.documentElement.dataset.ready = String(
		Math.round(performance.now()));
}

start().catch((error) => document.getElementById("main").prepend(
	el("p.note.error", {role: "alert"},
		"This page cannot be shown completely: " + error.message)));
