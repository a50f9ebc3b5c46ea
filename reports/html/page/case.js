/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The view of one case. If the page lacks the trace, the program or the C file,
   the view shows the command that makes it. */

/* Returns the command that makes the C file of a case. */
function reproCommand(c, detail) {
	if (isCatalogue)
		return "ibvet repro -d " + sums.device + " " + c.id + " -o case.c";
	return detail.again.replace(/^ibvet run/, "ibvet repro")
		.replace(/ --profile (full|exhaustive)/, "") + " -o case.c";
}

/* Returns false for cases that "ibvet repro" cannot print: unsupported cases,
   stale lines of a profile, opening and closing a device, replayed programs. */
const hasProgram = (c, detail) => isCatalogue ? c.verdict === "pass"
	: !["unsupported", "fixed"].includes(c.verdict) &&
		!/^device\/(first-open|close)$/.test(c.id) &&
		!detail.again.startsWith("ibvet replay");

/* Shows a call with one attribute a line. */
function callText(text) {
	const [verb, ...words] = text.split(" ");
	const result = words[0] === "=" ? verb + " = " + words[1] : verb;
	const rest = words[0] === "=" ? words.slice(2) : words;
	const objects = rest.filter((w) => !w.includes("="));
	const settings = rest.filter((w) => w.includes("="));
	return [el("b", result), " " + objects.join(" "),
		settings.length > 0 && el("ul.settings",
			settings.map((w) => el("li", code(w))))];
}

function traceItem([text, outcome], i, detail) {
	const decided = i === detail.at;
	return el("li", {class: decided ? "decided" : null}, callText(text),
		el("p.outcome", el("span.arrow", "\u2192 "), outcome === undefined
			? el("em", "did not return") : code(outcome),
		decided && el("span.decides", " this call decided")));
}

/* Returns true if an output field still has the byte 0xd6, with which ibvet fills
   all output fields before a call. */
const unwritten = (trace) => trace.some((call) =>
	/=(0xd6(d6)*|d6d6:|54998|214)\b/.test(call[1] || ""));

function traceSection(c, detail) {
	if (detail.trace)
		return [el("h3", "Calls and their outcomes"),
			unwritten(detail.trace) && el("p.quiet", "ibvet fills " +
				"all output fields with 0xd6 before a call: a field with " +
				"0xd6 in each byte (214, 54998) was not written."),
			el("ol.trace", {start: 0}, detail.trace.map((call, i) =>
				traceItem(call, i, detail)))];
	if (isCatalogue || !hasProgram(c, detail))
		return null;
	return [el("h3", "Trace"), el("p", c.verdict === "pass"
		? "The journal keeps only the calls of cases that did not pass. " +
			"The C file of this case prints its calls:"
		: "The journal has no calls of this case. Its C file prints " +
			"them:"),
	command(reproCommand(c, detail) +
		" && cc -o case case.c -libverbs && ./case")];
}

function programSection(c, detail) {
	if (detail.program)
		return [el("h3", "Program"), el("div.command",
			el("pre.program", code(detail.program)),
			copyButton(detail.program, "the program"))];
	if (!hasProgram(c, detail))
		return null;
	return [el("h3", "Program"), el("p", "This page does not have " +
		"the program: the journal of a model keeps only programs of cases " +
		"that did not pass, and a large page leaves out programs of cases " +
		"that passed. This command prints the program as a C file:"),
	command(reproCommand(c, detail))];
}

const fileName = (c) => c.id.replace(/[^\w.+-]+/g, ".") + ".c";

function cFileSection(c, detail) {
	if (!detail.cfile)
		return detail.program && hasProgram(c, detail)
			? [el("h3", "C file"), command(reproCommand(c, detail))] : null;
	const where = columns[c.column].run.dir + "/" +
		detail.repro.replace(/\.ibv$/, ".c");
	return [el("h3", "C file"),
		el("p", "Needs only libibverbs. In the run's folder: ",
			code(where)),
		el("p", saveButton(detail.cfile, fileName(c)), " ",
			copyButton(detail.cfile, "the C file")),
		el("details", el("summary", "Show the C file"),
			el("pre.program", code(detail.cfile)))];
}

function kernelSection(detail) {
	return detail.kernel && [el("h3", "Kernel log"),
		el("pre.program", code(detail.kernel.join("\n")))];
}

function ruleSection(c) {
	const id = ruleId(c.rule), rule = ruleById.get(id);
	if (!id)
		return null;
	return el("section.panel",
		el("h3", "The rule"),
		el("p.sentence", rule ? rule.text
			: "This ibvet does not have the rule."),
		facts([["id", a(ruleLink(id), code(id))],
			rule && ["strength", rule.strength],
			rule && ["sources", el("ul", rule.sources.map((s) =>
				el("li", contract.sources[s])))]]));
}

/* Makes a link only of an http URL. */
const outside = (text) => /^https?:\/\//.test(text)
	? el("a", {href: text, rel: "noreferrer"}, text) : text;

function findings(c, detail) {
	return facts([
		["expected", detail.expected],
		["observed", detail.observed],
		["beside others", detail.beside],
		["outcome taken", detail.taken],
		["needs", detail.claim],
		["expected because", detail.reason],
		["see", detail.link && outside(detail.link)],
		["call", !detail.trace && detail.call && code(detail.call)],
		["made on", detail.made && detail.made +
			({peer: ", on the peer",
				second: ", the second device"}[detail.end] || "")],
		["whose", detail.whose],
		["device", columns.length > 1 && columns[c.column].label],
		["duration", detail.us !== undefined && duration(detail.us)],
	]);
}

/* Lists the same case on other devices and in other runs. */
function elsewhere(c) {
	const others = casesOf(c.id).filter((other) => other !== c);
	return others.length > 0 && [el("h3", "The same case elsewhere"),
		el("ul.ids", others.map((other) => el("li", badge(other.verdict), " ",
			a(caseLink(other), columns[other.column].label))))];
}

function neighbours(c) {
	const at = listed.indexOf(c);
	const step = (other, text, rel) => other &&
		el("a", {href: caseLink(other), rel}, text);
	return el("nav.steps", {"aria-label": "Cases of the list"},
		a(listLink(), "Cases"), at >= 0 && [
			step(listed[at - 1], "previous", "prev"),
			el("span", number(at + 1) + " of " + number(listed.length)),
			step(listed[at + 1], "next", "next")]);
}

function caseArticle(c, detail) {
	return el("article.case",
		neighbours(c),
		el("h2.id", c.id),
		el("p", !isCatalogue && badge(c.verdict)),
		el("p.sentence", detail.says),
		findings(c, detail),
		detail.again && [el("h3", "Run it again"), command(detail.again)],
		ruleSection(c), kernelSection(detail), traceSection(c, detail),
		programSection(c, detail), cFileSection(c, detail), elsewhere(c));
}

async function caseView({value, params}) {
	const all = casesOf(value), target = params.get("target");
	const c = all.find((one) => target === null ||
		one.column === Number(target)) || all[0];
	if (!c)
		return el("p.note", unlisted
			? "This page does not list the case " + value +
				", but it lists only a part of the cases."
			: "There is no case " + value + " on this page.");
	return caseArticle(c, await detailOf(c.n));
}
