/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The map of the states of a type: a row and a column for each state. Also the
   view of one pair of states. */

const states = contract.states; /* [slug, name] */

const cellOf = (type, from, to) =>
	type.cells.find((cell) => cell[0] === from && cell[1] === to);
const pairSlug = (from, to) => states[from][0] + "-" + states[to][0];
const pairName = (from, to) => states[from][1] + " to " + states[to][1];

function mapColumn(params) {
	return columns[Number(params.get("target")) || 0];
}

const resultOf = (column, type, from, to) => column && column.target.cells &&
	column.target.cells[type.slug + "/" + pairSlug(from, to)];

/* Returns the worst verdict in a list of counts, as {verdict, n}. */
const worst = (list) => countsOf(list)[0];

function cellText(list) {
	const bad = worst(list);
	if (!bad)
		return el("span.v.v-none", isCatalogue ? "" : "not tried");
	const all = total(list);
	return bad.verdict === "pass" || bad.n === all
		? badge(bad.verdict, number(all))
		: badge(bad.verdict, number(bad.n) + " of " + number(all));
}

function mapCell(type, from, to, column, chosen) {
	const legal = cellOf(type, from, to);
	const slug = pairSlug(from, to);
	const list = resultOf(column, type, from, to);
	const bad = worst(list);
	const says = type.name + " " + pairName(from, to) + ": " +
		(legal ? "a transition" : "no transition") + (bad
			? "; " + countsOf(list).map((c) => number(c.n) + " " +
				c.verdict).join(", ") : "");
	return el("td", {class: [legal ? "legal" : "refused",
		chosen === slug ? "chosen" : ""].join(" ")},
	el("a", {href: link("map", type.slug + "/" + slug,
		column ? targetPart(column.number) : {}), "aria-label": says,
		title: says, "aria-current": chosen === slug ? "true" : null},
	el("span.kind", legal ? "allowed" : "refused"),
	!isCatalogue && cellText(list)));
}

function mapTable(type, column, chosen) {
	const heads = [el("th", {scope: "col"}, "from \\ to")].concat(
		states.map((state) => el("th", {scope: "col"}, state[1])));
	const rows = states.map((state, from) => el("tr",
		el("th", {scope: "row"}, state[1]),
		states.map((_, to) => mapCell(type, from, to, column, chosen))));
	const caption = type.name + (column ? " on " + column.label : "") +
		": from the state of the row to the state of the column";
	return el("div.scroll", table(caption, heads, rows, {class: "map"}));
}

function attributeCounts(prefix, column) {
	const counts = new Map();
	for (const c of cases) {
		if (c.column !== column.number || !c.id.startsWith(prefix))
			continue;
		for (const name of new Set(attributesOf(c.id))) {
			if (!counts.has(name))
				counts.set(name, verdicts.map(() => 0));
			counts.get(name)[verdicts.indexOf(c.verdict)]++;
		}
	}
	return counts;
}

function attributeRow(attr, kind, man, counts, prefix, column) {
	const [bit, name, meaning] = attr;
	const list = counts && counts.get(name);
	const shown = list && link("cases", undefined,
		{q: prefix + "*", attr: name, ...targetPart(column.number)});
	return el("tr", {class: kind.replace(/ .*/, "")},
		el("th", {scope: "row"}, code(name)),
		el("td", kind),
		el("td", man === null ? "no list" : man & (1 << bit) ? "required"
			: "not listed"),
		counts && el("td", list ? el("a", {href: shown},
			countsOf(list).map(({verdict, n}) => [badge(verdict,
				number(n) + " " + verdict), " "])) : "none"),
		el("td.meaning", meaning));
}

const NOT_ALLOWED = "refused";

function attributeKind(cell, bit) {
	const has = (mask) => Math.floor(mask / 2 ** bit) % 2 === 1;
	if (!cell)
		return NOT_ALLOWED;
	return has(cell[2]) ? "required" : has(cell[3]) ? "optional"
		: NOT_ALLOWED;
}

function attributeTable(type, from, to, column) {
	const cell = cellOf(type, from, to), man = cell ? cell[4] : null;
	const prefix = "modify/" + type.slug + "/" + pairSlug(from, to) + "/";
	const counts = column && attributeCounts(prefix, column);
	const order = ["required", "optional", NOT_ALLOWED];
	const kinds = contract.attrs.map((attr) =>
		[attr, attributeKind(cell, attr[0])]);
	const rows = order.flatMap((kind) => kinds.filter((k) => k[1] === kind)
		.map(([attr]) => attributeRow(attr, kind, man, counts, prefix,
			column)));
	return el("div.scroll", table("Attributes of " + type.name + " " +
		pairName(from, to), ["attribute", "the kernel's table",
		"ibv_modify_qp(3)", ...(counts ? ["cases"] : []),
		"meaning"], rows, {class: "attributes"}));
}

function pairPanel(type, slug, column) {
	const [from, to] = slug.split("-").map((word) =>
		states.findIndex((state) => state[0] === word));
	if (!(from >= 0 && to >= 0))
		return null;
	const cell = cellOf(type, from, to);
	const list = resultOf(column, type, from, to);
	const prefix = "modify/" + type.slug + "/" + slug;
	return el("section.panel", {"aria-labelledby": "pair"},
		el("h3", {id: "pair"}, type.name + " " + pairName(from, to)),
		el("p", cell ? "The table connects these states."
			: "The table does not connect these states: the call is " +
			"refused with every mask."),
		!isCatalogue && el("p.counts-line", list
			? countsOf(list).map(({verdict, n}) => a(link("cases",
				undefined, {q: prefix + "/*", verdict,
					...targetPart(column.number)}),
			badge(verdict, number(n) + " " + verdict)))
			: "No case has tried this pair."),
		isCatalogue && el("p", a(link("cases", undefined,
			{q: prefix + "/*"}), "The cases of this pair")),
		attributeTable(type, from, to, column));
}

function legend() {
	const words = isCatalogue ? [] : ["pass", "non-strict", "deviates",
		"expected", "crashed", "unsupported"];
	return el("p.legend", words.map((v) => [badge(v), " "]),
		!isCatalogue && el("span.v.v-none", "not tried"), " ",
		el("span.key.legal", "allowed"), " the table connects the states, ",
		el("span.key.refused", "refused"), " the table does not. ",
		!isCatalogue && "The number counts the cases of a pair; the sign " +
			"shows the worst verdict.");
}

function typeTabs(chosen, column) {
	const any = (type) => Object.keys((column && column.target.cells) || {})
		.some((key) => key.startsWith(type.slug + "/"));
	const shown = contract.types.filter((type) => !type.vendor ||
		isCatalogue || type === chosen || any(type));
	return el("nav.tabs", {"aria-label": "Types of queue pairs"},
		el("ul", shown.map((type) => el("li", el("a", {
			href: link("map", type.slug,
				column ? targetPart(column.number) : {}),
			"aria-current": type === chosen ? "page" : null},
		type.name)))));
}

function targetChooser(column, change) {
	if (columns.length < 2)
		return null;
	const select = el("select", {id: "map-target"}, columns.map((c) =>
		el("option", {value: c.number, selected: c === column}, c.label)));
	select.addEventListener("change", () => change(select.value));
	return el("p", el("label", {for: "map-target"}, "Device "), select);
}

function mapView({value, params}) {
	const [slug, pair] = value.split("/");
	const type = typeBySlug.get(slug) || contract.types[0];
	const column = mapColumn(params);
	return el("div",
		el("h2", "States of a queue pair"),
		targetChooser(column, (target) =>
			go(link("map", value || type.slug, {target}))),
		typeTabs(type, column), mapTable(type, column, pair), legend(),
		pair ? pairPanel(type, pair, column)
			: el("p.note", "Choose a pair of states to see its attributes."));
}
