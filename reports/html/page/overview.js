/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Adds to each target of the first screen its failures, known deviations and
   non-strict cases, grouped by rule. */

const ruleTitle = (id) => {
	const rule = ruleById.get(id);
	return rule ? rule.text : "A rule that this ibvet does not have.";
};

/* Groups cases by rule, the largest group first. */
function groupsByRule(list) {
	const groups = new Map();
	for (const c of list) {
		const id = ruleId(c.rule);
		if (!groups.has(id))
			groups.set(id, []);
		groups.get(id).push(c);
	}
	return [...groups].sort((x, y) => y[1].length - x[1].length);
}

function verdictCounts(list) {
	const count = verdicts.map((v) =>
		list.filter((c) => c.verdict === v).length);
	return countsOf(count).map(({verdict, n}) =>
		badge(verdict, number(n) + " " + verdict));
}

function groupItem([id, list], column, chosen) {
	const some = list.slice(0, 3).map((c) =>
		el("li", a(caseLink(c), code(c.id))));
	const more = list.length > 3 && el("li", a(link("cases", undefined,
		{verdict: chosen.join(","), rule: id || NO_RULE,
			...targetPart(column)}),
		"all " + number(list.length) + " cases"));
	return el("li.group",
		el("p.counts-line", verdictCounts(list)),
		el("p", id ? ruleTitle(id) : "Cases without a rule."),
		id && el("p.rule-line", "Rule ", a(ruleLink(id), code(id))),
		el("ul.ids", some, more));
}

/* Lists cases by rule, at most `most` rules. `chosen`: the verdicts of the cases. */
function groupList(list, column, chosen, most) {
	const groups = groupsByRule(list);
	const rest = groups.length - most;
	return [
		el("ul.groups", groups.slice(0, most)
			.map((group) => groupItem(group, column, chosen))),
		rest > 0 && el("p", a(link("rules"),
			"and " + counted(rest, "more rule", "more rules"))),
	];
}

function findingsOf(column) {
	const own = cases.filter((c) => c.column === column.number);
	const failures = verdicts.filter((v) => fails(v, column));
	const failing = own.filter((c) => failures.includes(c.verdict));
	const known = own.filter((c) => c.verdict === "expected");
	const free = own.filter((c) => c.verdict === "non-strict" &&
		!failures.includes("non-strict"));
	const folded = (title, list, verdict) => list.length > 0 &&
		el("details", el("summary", title),
			groupList(list, column.number, [verdict], 40));
	const shown = failing.length || known.length || free.length;
	return shown ? el("div.look",
		failing.length > 0 && [el("h3", "Failures"),
			groupList(failing, column.number, failures, 12)],
		folded("Known deviations that the profile expects: " +
			number(known.length), known, "expected"),
		folded("Permitted, but not the best outcome: " +
			number(free.length), free, "non-strict")) : null;
}

function fillOverview() {
	document.querySelectorAll("section.target").forEach((section) => {
		const column = columns[Number(section.dataset.column)];
		const list = findingsOf(column);
		if (list)
			section.querySelector(".counts").after(list);
	});
	if (isCatalogue)
		document.getElementById("first").append(catalogueOverview());
	else if (unlisted || stripped)
		document.getElementById("first").append(leftOut());
}

const leftOut = () => el("p.note",
	unlisted > 0 && "This page does not list " +
		counted(unlisted, "case", "cases") + ", to stay small enough for " +
		"a mail, but counts them in all sums; results.json in the run's " +
		"folder lists all cases. ",
	stripped > 0 && "The programs of " +
		counted(stripped, "case that passed", "cases that passed") +
		" are left out; the view of each case has the command that makes " +
		"its program.");

function catalogueOverview() {
	const verbs = new Map();
	for (const rule of rules)
		verbs.set(rule.verb, (verbs.get(rule.verb) || 0) + 1);
	const rows = [...verbs].sort().map(([verb, n]) => el("tr",
		el("th", {scope: "row"}, a(link("rules", undefined, {q: verb}),
			code(verb))), el("td.n", n)));
	return el("div.pair",
		el("div", table("Rules by verb", ["verb", "rules"], rows,
			{class: "count"})),
		el("div.prose", el("h3", "How to read it"),
			el("p", "A ", el("b", "rule"), " is one sentence that a " +
			"device keeps or breaks, with its strength and its sources: man " +
			"pages, the IBTA specification as publicly paraphrased, the " +
			"kernel and rdma-core. No rule requires more than its sources " +
			"promise. If they disagree, all of their outcomes are permitted, " +
			"best first."),
			el("p", "A ", el("b", "case"), " is a program of verbs calls " +
			"that checks a rule. ", a("#cases", counted(sums.cases, "case",
				"cases")), " are listed here, each with its program."),
			el("p", a("#map", "The states"), " of each type of queue pair " +
			"show the attributes that each transition requires and allows.")));
}
