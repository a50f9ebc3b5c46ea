/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The list of rules with the results of each target, and the view of one rule. */

const ruleCounts = (column, rule) => column.target.rules &&
	column.target.rules[rule.number];

/* Shows only the worst verdict and its count, because the table can have many
   columns. */
function ruleCell(column, rule) {
	const list = ruleCounts(column, rule), bad = worst(list);
	if (!bad)
		return el("td.n", {"data-label": column.label},
			el("span.v.v-none", "not tried"));
	const all = total(list);
	const label = bad.n === all ? number(all)
		: number(bad.n) + " of " + number(all);
	return el("td.n", {"data-label": column.label}, el("a", {
		href: link("cases", undefined, {rule: rule.id,
			...targetPart(column.number)}),
		title: countsOf(list).map((c) => number(c.n) + " " + c.verdict)
			.join(", ")},
	badge(bad.verdict, label), el("span.quiet", " " + bad.verdict)));
}

const casesOfRule = (rule) => worstFirst(cases.filter((c) =>
	ruleId(c.rule) === rule.id));

let catalogueCounts = null;

function catalogueCount(rule) {
	if (!catalogueCounts) {
		catalogueCounts = new Map();
		for (const c of cases)
			catalogueCounts.set(c.rule,
				(catalogueCounts.get(c.rule) || 0) + 1);
	}
	const n = catalogueCounts.get(rule.number) || 0;
	return el("td.n", {"data-label": "cases"}, n ? a(link("cases",
		undefined, {rule: rule.id}), number(n)) : "none");
}

function ruleRow(rule) {
	return el("tr",
		el("th", {scope: "row"}, a(ruleLink(rule.id), code(rule.id)),
			rule.alias && [" ", el("span.alias", rule.alias)]),
		el("td.says", rule.text),
		el("td", {"data-label": "strength"}, rule.strength),
		isCatalogue ? catalogueCount(rule)
			: columns.map((column) => ruleCell(column, rule)));
}

/* Returns the severity of the worst result of a rule, for sorting: 0 is worst. */
function ruleRank(rule) {
	const ranks = columns.map((column) => {
		const bad = worst(ruleCounts(column, rule));
		return bad ? severity.indexOf(bad.verdict) : severity.length;
	});
	return Math.min(severity.length, ...ranks);
}

const differs = (rule) => new Set(columns.map((column) => {
	const bad = worst(ruleCounts(column, rule));
	return bad ? bad.verdict : "";
})).size > 1;

function ruleTable(shown) {
	const heads = ["rule", "sentence", "strength",
		...(isCatalogue ? ["cases"] : columns.map((c) => c.label))];
	return el("div.scroll", table(isCatalogue ? "The rules of the contract"
		: "Rules and their results", heads, shown.map(ruleRow),
	{class: "rules"}));
}

function ruleFilter(params, draw) {
	const input = el("input", {type: "search", id: "rule-q",
		value: params.get("q") || "", autocomplete: "off"});
	const tried = el("input", {type: "checkbox", id: "rule-tried"});
	const unlike = el("input", {type: "checkbox", id: "rule-unlike"});
	for (const part of [input, tried, unlike])
		part.addEventListener("input", draw);
	return {input, tried, unlike, form: el("form.filters",
		{role: "search", onsubmit: "return false"},
		el("label", {for: "rule-q"}, "Find in rules"), input,
		!isCatalogue && el("span.check", tried,
			el("label", {for: "rule-tried"}, "only tried rules")),
		columns.length > 1 && el("span.check", unlike,
			el("label", {for: "rule-unlike"},
				"only where devices or runs differ")))};
}

const searchable = (rule) => [rule.id, rule.alias, rule.text, rule.verb,
	rule.strength, rule.layer].join(" ");

function rulesView({params}) {
	const place = el("div"), live = el("p.live", {role: "status"});
	const ranked = rules.map((rule) => [ruleRank(rule), rule])
		.sort((x, y) => x[0] - y[0]).map((pair) => pair[1]);
	const draw = () => {
		const matches = matcher(filter.input.value);
		const shown = ranked.filter((rule) => matches(searchable(rule)) &&
			(!filter.tried.checked ||
				columns.some((c) => ruleCounts(c, rule))) &&
			(!filter.unlike.checked || differs(rule)));
		live.textContent = number(shown.length) + " of " +
			counted(rules.length, "rule", "rules");
		place.replaceChildren(ruleTable(shown));
	};
	const filter = ruleFilter(params, () => {
		replaceRoute(link("rules", undefined, {q: filter.input.value}));
		draw();
	});
	draw();
	return el("div", el("h2", "Rules"), filter.form, live, place);
}

function outcomes(rule) {
	return el("ol.outs", rule.outs.map(([name, meaning], i) => el("li",
		code(name), ": " + meaning, i === 0 && rule.outs.length > 1
			? " (best: pass)" : "", i > 0 ? " (non-strict)" : "")));
}

function driverFacts(rule) {
	const known = contract.facts.filter((f) => f[0] === rule.number);
	if (!known.length)
		return null;
	return [el("h3", "What known drivers do"), el("div.scroll",
		table("For comparison only; verdicts do not depend on it",
			["driver", "versions", "behaviour", "evidence"],
			known.map(([, driver, range, does, ran]) => el("tr",
				el("th", {scope: "row"}, driver), el("td", range),
				el("td", does), el("td", ran ? "seen running"
					: "read in its source")))))];
}

function ruleResults(rule) {
	if (isCatalogue)
		return null;
	return facts(columns.map((column) => {
		const list = countsOf(ruleCounts(column, rule));
		return [column.label, list.length ? list.map(({verdict, n}) => [
			a(link("cases", undefined, {rule: rule.id, verdict,
				...targetPart(column.number)}),
			badge(verdict, number(n) + " " + verdict)), " "])
			: "no case"];
	}));
}

function ruleView({value}) {
	const rule = ruleById.get(value) ||
		rules.find((r) => r.alias === value);
	if (!rule)
		return el("p.note", "No rule is called " + value + ".");
	const own = casesOfRule(rule);
	return el("article",
		el("p.crumbs", a("#rules", "Rules"), " / "),
		el("h2.id", rule.id, rule.alias && el("span.alias", rule.alias)),
		el("p.sentence", rule.text),
		facts([["strength", rule.strength],
			["decided by", rule.layer + ", on " + rule.verb],
			["permitted", outcomes(rule)],
			["sources", el("ul", rule.sources.map((s) =>
				el("li", contract.sources[s])))]]),
		!isCatalogue && [el("h3", "Results"), ruleResults(rule)],
		driverFacts(rule),
		el("h3", own.length ? "Cases" : "This page has no case for this rule"),
		own.length > 0 && el("ul.ids", own.slice(0, 50).map((c) => el("li",
			!isCatalogue && badge(c.verdict), " ",
			a(caseLink(c), code(c.id))))),
		own.length > 50 && el("p", a(link("cases", undefined,
			{rule: rule.id}), "all " + number(own.length) + " cases")),
		el("h3", "If you think that the rule is wrong"),
		el("p", "A rule must not require more than its sources promise. " +
			"Compare the sentence with the sources. If they say less, or " +
			"if another source permits more, the rule is wrong and not the " +
			"device: docs/interpreting.md says how to challenge the rule. " +
			"More about the rule:"),
		command("ibvet explain " + rule.id));
}
