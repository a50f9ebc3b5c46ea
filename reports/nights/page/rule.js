/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* A rule on all devices, and where it began to fail. */

/* Returns the nights on which a strip began to fail after it had held. */
function beginnings(strip) {
	const list = [];
	let held = -1;
	strip.n.forEach((n, night) => {
		if (n > 0 && held >= 0)
			list.push([held, night]);
		held = n > 0 ? -1 : n === 0 ? night : held;
	});
	return list;
}

function beginningRow(strip, [held, failed]) {
	const device = strip.device;
	const parts = changed(device, held, failed);
	return el("tr", el("th", {scope: "row"}, a(runLink(device, failed),
		device.label)), el("td", nights[held]),
	el("td", a(cellLink(strip, failed), nights[failed])),
	el("td", parts.length === 0 ? el("span.quiet", "nothing")
		: parts.map(([what, was, is], i) => [i > 0 && ", ",
			what.replace(/_/g, " ") + " ", code(value(was)), " \u2192 ",
			code(value(is))])));
}

function beginningsSection(rule) {
	const rows = rule.strips.flatMap((strip) => beginnings(strip).slice(-1)
		.map((one) => ({strip, one})))
		.sort((x, y) => y.one[1] - x.one[1] ||
			byName(x.strip.device.label, y.strip.device.label));
	return rows.length > 0 && el("section", el("h3", "Where it began last"),
		el("div.scroll", table("The two nights between which the rule began " +
			"to fail on a device", ["device", "held on", "failed on",
			"what changed between them"], rows.map(({strip, one}) =>
			beginningRow(strip, one)))),
		el("p", "Over all nights of the history:"),
		command("ibvet history " + quoted(page.db) + " --bisect " +
			quoted(rule.id)));
}

function ruleView(to) {
	const rule = rules.find((r) => r.id === to.value);
	if (!rule)
		return unknown("rule " + to.value);
	const all = [...rule.strips].sort((x, y) =>
		statuses.indexOf(x.status) - statuses.indexOf(y.status) ||
		byName(x.device.label, y.device.label));
	return el("article",
		el("nav.steps", {"aria-label": "Views"}, a("#list", "All")),
		el("h2.id", ruleName(rule)), el("p.sentence", rule.text),
		rule.source && el("p.quiet", "Source: " + rule.source),
		stripList(all.map((s) => ruleRow(s, "device"))),
		beginningsSection(rule));
}
