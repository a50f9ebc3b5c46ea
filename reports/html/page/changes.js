/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The changes from each run of the page to the next run. */

const comparisons = sums.changes || [];

const side = (verdict, observed) => verdict
	? [badge(verdict), observed && el("span.quiet", " " + observed)]
	: el("span.quiet", "not in this run");

/* Links to the case in run i + 1, or in run i if the later run lacks it. */
function changedCase(id, target, i) {
	const all = casesOf(id);
	const c = [i + 1, i].map((run) => all.find((one) =>
		columns[one.column].run === sums.runs[run] &&
		(!target || columns[one.column].target.name === target)))
		.find(Boolean);
	return c ? a(caseLink(c), code(id)) : code(id);
}

function changeRow([, id, rule, wasVerdict, was, isVerdict, is, target], i) {
	return el("tr", el("th", {scope: "row"}, changedCase(id, target, i)),
		el("td", side(wasVerdict, was)), el("td", side(isVerdict, is)),
		el("td", rule && a(ruleLink(rule), rule)));
}

function changesOfKind([title, n], kind, comparison, i) {
	const rows = comparison.cases.filter((c) => c[0] === kind);
	return n > 0 && el("section", el("h3", title + ": " + number(n)),
		el("div.scroll", table(title, ["case", "was", "is", "rule"],
			rows.map((row) => changeRow(row, i)), {class: "cases"})));
}

function pairSection(pair) {
	const rows = pair.environment.map((part) => el("tr",
		el("th", {scope: "row"}, String(part.what).replace(/_/g, " ")),
		el("td", part.was === null ? "none" : part.was),
		el("td", part.is === null ? "none" : part.is)));
	const only = pair.onlyWas + pair.onlyIs;
	const name = pair.was && pair.is && pair.was !== pair.is
		? pair.was + " and " + pair.is : pair.is || pair.was;
	return el("section",
		el("h3", name),
		el("p", counted(pair.same, "case has", "cases have") +
			" the same result in both runs" + (only ? "; " +
			counted(only, "case was", "cases were") +
			" run or asked for in only one of the runs, which is not a change"
			: "") + "."),
		rows.length > 0 ? el("div.scroll", table("Differences in the environment",
			["what", "was", "is"], rows))
			: el("p", "Machine, device and options are the same."));
}

function comparisonArticle(comparison, i) {
	const title = el("h2", sums.runs[i].dir + " \u2192 " +
		sums.runs[i + 1].dir);
	if (comparison.why)
		return el("article", title, el("p.note", "Not compared: " +
			comparison.why + " (these are options of ibvet diff)."));
	const changed = comparison.kinds.reduce((n, [, count, counts]) =>
		n + (counts ? count : 0), 0);
	return el("article", title,
		el("p.sentence", changed ? counted(changed, "case", "cases") +
			" changed." : "Nothing changed."),
		comparison.pairs.map(pairSection),
		comparison.kinds.map((kind, k) =>
			changesOfKind(kind, k, comparison, i)),
		comparison.left > 0 && el("p.note", number(comparison.left) +
			" more changes are only counted; ibvet diff lists them all."));
}

function changesView() {
	return el("div", comparisons.length
		? comparisons.map(comparisonArticle)
		: el("p.note", "This page has only one run. To compare runs: ",
			code("ibvet report RUN RUN -o FILE.html")));
}
