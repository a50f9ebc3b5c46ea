/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* A night of a rule on a device: its cases, their programs, and the run. */

const nightOf = (to) => nights.indexOf(to.params.get("night"));
const unknown = (what) => el("p.note", "This page has no " + what + ".");

const quoted = (text) => /^[\w./:+-]+$/.test(text) ? text
	: "'" + text.replace(/'/g, "'\\''") + "'";

/* Returns the path from one folder to another one. */
function pathBetween(from, to) {
	const was = from.split("/"), is = to.split("/");
	let same = 0;
	while (same < was.length && was[same] === is[same])
		same++;
	return [...was.slice(same).map(() => ".."), ...is.slice(same)].join("/");
}

/* Returns the address of a run's folder: from the page's own place if a server
   shows both, else the file. */
function folderAddress(run) {
	const served = location.protocol.startsWith("http") && page.place;
	const path = served ? pathBetween(page.place, run.folder) : run.folder;
	return (served ? "" : "file://") +
		path.split("/").map(encodeURIComponent).join("/");
}

const reportLink = (run, part, ...text) => el("a", {href: folderAddress(run) +
	"/report.html" + (part || "")}, ...text);

const runFolder = (run) => el("span", reportLink(run, "", "report.html"),
	" in ", code(run.folder), " ", copyButton(run.folder, "the folder"));

/* Links to the nights before and after with a run */
function nightSteps(device, night, address) {
	const before = nightBefore(device, night);
	const after = device.runs.findIndex((run, i) => run && i > night);
	return el("nav.steps", {"aria-label": "Nights"},
		before >= 0 && a(address(before), {rel: "prev"},
			"\u2190 " + nights[before]),
		el("span", nights[night]),
		after >= 0 && a(address(after), {rel: "next"},
			nights[after] + " \u2192"),
		a("#list", "All"));
}

const value = (x) => x === undefined || x === null ? "none"
	: typeof x === "string" ? x
	: JSON.stringify(x);

/* Lists the parts of the environment that differ from the run before. */
function changesSince(device, night) {
	const before = nightBefore(device, night);
	const parts = before < 0 ? [] : changed(device, before, night);
	if (before < 0)
		return null;
	return parts.length === 0 ? "nothing" : el("ul", parts.map(
		([what, was, is]) => el("li", what.replace(/_/g, " ") + ": ",
			code(value(was)), " \u2192 ", code(value(is)))));
}

function runFacts(device, night) {
	const run = device.runs[night];
	const environment = environmentOn(device, night) || {};
	return facts([
		["run", runFolder(run)],
		["cases", number(run.cases) + ", of which " + number(run.failing) +
			" fail" + (run.notRun ? "; " + number(run.notRun) +
			" had no time" : "")],
		["firmware", environment.firmware],
		["driver", environment.driver],
		["kernel", environment.kernel],
		["rdma-core", environment.rdma_core],
		["ibvet", environment.ibvet],
		["changed since the run before", changesSince(device, night)]]);
}

/* --- Cases ------------------------------------------------------------------- */

const readCase = ([id, verdict, expected, observed, from, to, program, gaps,
	older]) => ({id, verdict: page.verdicts[verdict], expected, observed, from,
	to, program, gaps, older});
const failedOn = (c, night) =>
	c.from <= night && night <= c.to && !c.gaps.includes(night);

/* ibvet run -d mlx5_0 CASE, with the case */
function commandOf(device, night, id) {
	const template = since(device.commands, night) || "";
	return template.replace(/CASE$/, () => quoted(id));
}

async function programPart(c, again) {
	const text = c.program < 0 ? "" : await programOf(c.program);
	if (!text)
		return el("p", "This page does not have the program. It is in the " +
			"report of the run, and this command prints it as a C file: ",
		command(again.replace(/^ibvet run/, "ibvet repro")
			.replace(/ --profile (full|exhaustive)/, "") + " -o case.c"));
	return el("div", el("h4", "Program"), el("div.command",
		el("pre.program", code(text)),
		el("span", copyButton(text, "the program"), " ",
			saveButton(text, "case.ibv"))));
}

function caseParts(c, strip, night) {
	const run = strip.device.runs[night];
	const again = commandOf(strip.device, night, c.id);
	const part = link("case", c.id, {target: run.target});
	return [facts([
		["expected", c.expected && code(c.expected)],
		["observed", c.observed && code(c.observed)],
		["this result", (c.older ? "since before " : "since ") +
			nights[c.from]],
		["in the run", reportLink(run, part, "the case with its calls")],
		["run it again", command(again)]]),
	programPart(c, again)];
}

/* One case; its program is read when a reader opens it. */
function caseItem(c, strip, night, open) {
	const body = el("div.case-body");
	const item = el("details.case", {open},
		el("summary", badge(c.verdict), " ", code(c.id), c.observed &&
			el("span.quiet", " " + c.observed)), body);
	let filled = null;
	const fill = () => {
		filled = filled || Promise.all(caseParts(c, strip, night))
			.then((parts) => body.append(...parts));
		return filled;
	};
	item.addEventListener("toggle", () => item.open && fill());
	return {item, fill};
}

async function casesSection(strip, night) {
	const all = (await casesOf(strip.number)).map(readCase)
		.filter((c) => failedOn(c, night));
	const total = strip.n[night];
	const items = all.map((c, i) => caseItem(c, strip, night, i === 0));
	if (total === NO_CASE)
		return el("p.note", "The cases that failed before did not run on " +
			"this night.");
	if (total <= 0)
		return el("p.note.calm", "No case failed by this rule on this night.");
	await items[0].fill();
	return el("section", el("h3", counted(total, "case fails",
		"cases fail")), items.map((one) => one.item),
	all.length < total && el("p", "The page has the first " +
		number(all.length) + " of them. All of them:",
	command("ibvet history " + quoted(page.db) + " --night " +
		quoted(nights[night]) + " --device " +
		quoted(strip.device.label) + " -v")));
}

/* The other devices on which the rule fails on this night */
function elsewhere(strip, night) {
	const rows = strip.rule.strips.filter((s) => s !== strip)
		.sort((x, y) => byName(x.device.label, y.device.label));
	return rows.length > 0 && el("section", el("h3", "The same rule on other " +
		"devices"), stripList(rows.map((s) => ruleRow(s, "device", night))));
}

async function cellView(to) {
	const device = deviceByLabel(to.value), night = nightOf(to);
	const strip = stripOf(device, to.params.get("rule") || "");
	if (!strip || night < 0)
		return unknown("such night of " + (to.value || "a device"));
	const rule = strip.rule;
	const at = (i) => cellLink(strip, i);
	return el("article",
		nightSteps(device, night, at),
		el("h2.id", a(ruleLink(rule), ruleName(rule))),
		el("p.sentence", rule.text),
		el("p.lead", a(runLink(device, night), el("b", device.host), " " +
			device.name), " on " + nights[night] + ": " +
			cellText(strip.n[night], strip.n[night] > 0
				? strip.worst[night] : undefined) + ". ", stripTail(strip)),
		stripList(ruleRow(strip, "device", night)),
		device.runs[night] ? [await casesSection(strip, night),
			el("h3", "The run"), runFacts(device, night)]
			: el("p.note", "The device had no run on this night."),
		elsewhere(strip, night));
}
