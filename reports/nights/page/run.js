/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* A night of a device: the run, and the rules that fail in it. */

const environmentTable = (environment) => el("details",
	el("summary", "The whole environment"), facts(Object.entries(environment)
		.map(([what, x]) => [what.replace(/_/g, " "), value(x)])));

/* The nights on which something in the environment changed, the latest first */
function environmentHistory(device) {
	const items = device.changes.map((night) =>
		[night, changesSince(device, night)]).reverse();
	return items.length > 0 && el("section",
		el("h3", "When the environment changed"),
		el("dl.facts", items.map(([night, what]) => el("div",
			el("dt", a(runLink(device, night), nights[night])),
			el("dd", what)))));
}

function runStrips(device, night) {
	const rows = (list) => stripList(list.map((s) =>
		ruleRow(s, "rule", night)));
	const failing = device.strips.filter((s) => s.n[night] > 0);
	const other = device.strips.filter((s) => !failing.includes(s));
	return [failing.length > 0 && el("section", el("h3", counted(failing.length,
		"rule fails", "rules fail") + " on this night"), rows(failing)),
	other.length > 0 && el("section", el("h3", "Rules that failed on other " +
		"nights: " + number(other.length)), rows(other))];
}

function runView(to) {
	const device = deviceByLabel(to.value), night = nightOf(to);
	if (!device || night < 0)
		return unknown("such night of " + (to.value || "a device"));
	return el("article",
		nightSteps(device, night, (i) => runLink(device, i)),
		el("h2", device.label),
		el("p.lead", nights[night] + ": " + cellText(device.n[night]) + "."),
		stripList(deviceRow(device, night)),
		device.runs[night] ? [runFacts(device, night),
			environmentTable(environmentOn(device, night) || {})]
			: el("p.note", "The device had no run on this night."),
		runStrips(device, night),
		environmentHistory(device));
}
