/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The list of cases and its filters. */

const targetPart = (column) => columns.length > 1 ? {target: column} : {};
const caseLink = (c) => link("case", c.id, targetPart(c.column));
const ruleLink = (id) => link("rule", id);

const PART = 200; /* how many rows are added at a time */
let listed = []; /* the cases of the last list, in its order */
let lastList = "#cases"; /* the address of the list `listed` */
const listLink = () => lastList;

const drivers = [...new Set(columns.map((c) => c.driver))].filter(Boolean);

const NO_RULE = "-"; /* in an address: cases without a rule */

/* Returns a function that is true for the cases that an address selects. */
function filterOf(params) {
	const get = (key) => params.get(key) || "";
	const chosen = get("verdict").split(",").filter(Boolean);
	const matches = matcher(get("q"));
	const ruleWord = get("rule"), type = get("type");
	const target = get("target"), driver = get("driver");
	const attr = get("attr");
	const isRule = (c) => !ruleWord || (ruleWord === NO_RULE
		? !ruleId(c.rule)
		: ruleId(c.rule) === ruleWord ||
			ruleId(c.rule).startsWith(ruleWord + "/"));
	return (c) => (!chosen.length || chosen.includes(c.verdict)) &&
		(target === "" || c.column === Number(target)) &&
		(!driver || columns[c.column].driver === driver) &&
		isRule(c) && (!type || typeOf(c.id) === type) &&
		(!attr || attributesOf(c.id).includes(attr)) && matches(c.id);
}

/* Sorts cases by verdict, worst first, then by the order in which they ran. A
   catalogue has no verdicts. */
function worstFirst(list) {
	const rank = new Map(severity.map((v, i) => [v, i]));
	return isCatalogue ? list : list.sort((x, y) =>
		rank.get(x.verdict) - rank.get(y.verdict) || x.n - y.n);
}

const chosenCases = (params) => worstFirst(cases.filter(filterOf(params)));

function select(id, name, options, value) {
	return [el("label", {for: id}, name), el("select", {id}, options.map(
		([v, text]) => el("option", {value: v, selected: v === value},
			text)))];
}

/* Returns a check box for each verdict. The counts include cases that the page
   does not list. */
function verdictBoxes(params) {
	const chosen = (params.get("verdict") || "").split(",");
	const sum = (i) => columns.reduce((n, c) =>
		n + ((c.target.verdicts || [])[i] || 0), 0);
	const boxes = severity.map((v) => [v, sum(verdicts.indexOf(v))])
		.filter(([v, n]) => n || chosen.includes(v));
	return el("fieldset.verdicts", el("legend", "Verdict"),
		boxes.map(([v, n]) => el("label.check", el("input", {
			type: "checkbox", name: "verdict", value: v,
			checked: chosen.includes(v)}),
		badge(v, v + " " + number(n)))));
}

function caseFilters(params) {
	const types = contract.types.map((t) => [t.slug, t.name]);
	const value = (key) => params.get(key) || "";
	return el("form.filters", {role: "search", onsubmit: "return false"},
		el("span", el("label", {for: "case-q"}, "Id"),
			el("input", {type: "search", id: "case-q", value: value("q"),
				placeholder: "words, or a glob such as modify/rc/*/missing/*",
				autocomplete: "off", spellcheck: "false"})),
		el("span", el("label", {for: "case-rule"}, "Rule"),
			el("input", {type: "search", id: "case-rule",
				value: value("rule"), list: "rule-ids",
				autocomplete: "off", spellcheck: "false"}),
			el("datalist", {id: "rule-ids"}, rules.map((rule) =>
				el("option", {value: rule.id})))),
		el("span", select("case-type", "Type", [["", "any"], ...types],
			value("type"))),
		el("span", select("case-attr", "Attribute", [["", "any"],
			...contract.attrs.map(([, name]) => [name, name])],
			value("attr"))),
		columns.length > 1 && el("span", select("case-target", "Device",
			[["", "any"], ...columns.map((c) =>
				[String(c.number), c.label])], value("target"))),
		drivers.length > 1 && el("span", select("case-driver", "Driver",
			[["", "any"], ...drivers.map((d) => [d, d])],
			value("driver"))),
		!isCatalogue && verdictBoxes(params));
}

function filterRoute(form) {
	const get = (id) => {
		const field = form.querySelector("#" + id);
		return field ? field.value : "";
	};
	const verdict = [...form.querySelectorAll("[name=verdict]:checked")]
		.map((box) => box.value).join(",");
	return link("cases", undefined, {q: get("case-q"), verdict,
		rule: get("case-rule"), type: get("case-type"), attr: get("case-attr"),
		target: get("case-target"), driver: get("case-driver")});
}

function caseRow(c) {
	return el("tr",
		!isCatalogue && el("td", badge(c.verdict)),
		el("th", {scope: "row"}, a(caseLink(c), code(c.id))),
		el("td", ruleId(c.rule) && a(ruleLink(ruleId(c.rule)),
			ruleId(c.rule))),
		columns.length > 1 && el("td", columns[c.column].label));
}

/* Draws rows in parts, because a browser is slow with 100,000 rows. */
function caseTable() {
	const body = el("tbody");
	const more = el("button", {type: "button"});
	let shown = 0;
	const add = () => {
		body.append(...listed.slice(shown, shown + PART).map(caseRow));
		shown = Math.min(shown + PART, listed.length);
		more.hidden = shown === listed.length;
		more.textContent = "Show " + number(Math.min(PART,
			listed.length - shown)) + " more of " + number(listed.length);
	};
	const heads = [...(isCatalogue ? [] : ["verdict"]), "case", "rule",
		...(columns.length > 1 ? ["device"] : [])];
	const whole = table("Cases", heads, [], {class: "cases"});
	whole.querySelector("tbody").replaceWith(body);
	more.addEventListener("click", add);
	add();
	return el("div", el("div.scroll", whole), el("p", more));
}

function caseCount() {
	const all = isCatalogue ? sums.cases
		: columns.reduce((n, c) => n + c.target.total, 0);
	return number(listed.length) + " of " + counted(all, "case", "cases") +
		(unlisted ? " (" + number(unlisted) + " are only counted)" : "");
}

function casesView({params}) {
	const place = el("div"), live = el("p.live", {role: "status"});
	const form = caseFilters(params);
	const draw = (chosen) => {
		listed = chosenCases(chosen);
		lastList = location.hash || "#cases";
		live.textContent = caseCount();
		place.replaceChildren(caseTable());
	};
	let waiting = 0;
	form.addEventListener("input", () => {
		clearTimeout(waiting);
		waiting = setTimeout(() => {
			if (!form.isConnected)
				return;
			replaceRoute(filterRoute(form));
			draw(route().params);
		}, 120);
	});
	draw(params);
	return el("div", el("h2", "Cases"), form, live, place);
}
