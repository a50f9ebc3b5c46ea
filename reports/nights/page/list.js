/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The list: all devices, then what fails, by rule or by device. */

const GROUPS = 60; /* shown at once */
const statuses = ["new", "failing", "flaky", "fixed", "past"];
const titles = {"new": "new tonight", failing: "failing", flaky: "flaky",
	fixed: "fixed tonight", past: "held lately"};

/* Reads the choice of an address. */
function choiceOf(params) {
	const shown = (params.get("show") || "").split(",")
		.filter((word) => statuses.includes(word));
	return {by: params.get("by") === "device" ? "device" : "rule",
		q: params.get("q") || "", show: shown};
}

const choiceLink = (choice) => link("list", undefined, {by: choice.by,
	q: choice.q, show: choice.show.join(",")});

function chosen(choice) {
	const matches = matcher(choice.q);
	return strips.filter((s) => (!choice.show.length ||
		choice.show.includes(s.status)) &&
		matches(s.device.label + " " + ruleName(s.rule) + " " + s.rule.text));
}

/* Groups come in the order of their most urgent strip, then of the night since
   which they fail, the latest first. */
function order(one, other) {
	const urgency = (g) => Math.min(...g.strips.map((s) =>
		statuses.indexOf(s.status)));
	const latest = (g) => Math.max(...g.strips.map((s) => s.since));
	return urgency(one) - urgency(other) || latest(other) - latest(one) ||
		other.strips.length - one.strips.length || byName(one.name, other.name);
}

function grouped(list, by) {
	const groups = new Map();
	for (const strip of list) {
		const owner = strip[by];
		if (!groups.has(owner))
			groups.set(owner, {owner, strips: [],
				name: by === "rule" ? ruleName(owner) : owner.label});
		groups.get(owner).strips.push(strip);
	}
	for (const group of groups.values())
		group.strips.sort((x, y) => statuses.indexOf(x.status) -
			statuses.indexOf(y.status) || byName(x.device.label,
			y.device.label) || byName(x.rule.id, y.rule.id));
	return [...groups.values()].sort(order);
}

const stripsShown = 8;

/* The strips of a group, the first ones at once */
function groupRows(group, by) {
	const rows = (list) => list.map((s) =>
		ruleRow(s, by === "rule" ? "device" : "rule"));
	const rest = group.strips.slice(stripsShown);
	const body = stripList(rows(group.strips.slice(0, stripsShown)));
	if (!rest.length)
		return body;
	const more = el("button.more", {type: "button"},
		"Show " + counted(rest.length, "more strip", "more strips"));
	more.addEventListener("click", () => {
		more.remove();
		body.append(...rows(rest));
	});
	return [body, more];
}

function groupTitle(group, by) {
	const n = counted(group.strips.length, by === "rule" ? "device" : "rule",
		by === "rule" ? "devices" : "rules");
	if (by === "device")
		return [el("h3", a(runLink(group.owner, group.owner.latest),
			group.name), el("span.quiet", " " + n))];
	return [el("h3", a(ruleLink(group.owner), code(group.name)),
		el("span.quiet", " " + n)),
	el("p.rule-line", group.owner.text || (group.owner.id
		? "This ibvet does not have the rule." : "Cases that ended " +
			"without a rule: they crashed or hung, or could not be judged."))];
}

function groupSection(group, by) {
	return el("section.group", groupTitle(group, by), groupRows(group, by));
}

function groupList(groups, by) {
	const list = el("div.groups");
	let shown = 0;
	const more = el("button.more", {type: "button"});
	const show = () => {
		list.append(...groups.slice(shown, shown + GROUPS).map((g) =>
			groupSection(g, by)));
		shown += GROUPS;
		more.hidden = shown >= groups.length;
		more.textContent = "Show more: " +
			number(Math.max(groups.length - shown, 0));
	};
	more.addEventListener("click", show);
	show();
	return [list, more];
}

/* --- Filters ----------------------------------------------------------------- */

function statusBox(status, choice, changed) {
	const id = "show-" + status;
	const n = strips.filter((s) => s.status === status).length;
	const box = el("input", {type: "checkbox", id,
		checked: choice.show.includes(status), disabled: !n});
	box.addEventListener("change", () => {
		choice.show = statuses.filter((word) => word === status
			? box.checked : choice.show.includes(word));
		changed();
	});
	return el("span.check", box, el("label", {for: id},
		titles[status] + " ", el("b", number(n))));
}

function filters(choice, changed) {
	const by = el("select", {id: "by"}, ["rule", "device"].map((word) =>
		el("option", {value: word, selected: word === choice.by},
			"by " + word)));
	by.addEventListener("change", () => {
		choice.by = by.value;
		changed();
	});
	return el("form.filters", {"aria-label": "Filters"},
		el("span", el("label", {for: "by"}, "group"), by),
		el("fieldset.verdicts", el("legend", "show only"),
			statuses.map((status) => statusBox(status, choice, changed))));
}

function stripsSection(choice) {
	const result = el("div");
	const count = el("p.live", {role: "status"});
	const draw = () => {
		const list = chosen(choice), groups = grouped(list, choice.by);
		count.textContent = strips.length === 0
			? "No case failed on these nights."
			: counted(list.length, "strip", "strips") + " of " +
				number(strips.length) + (choice.q ? " match \u201c" +
				choice.q + "\u201d" : "");
		result.replaceChildren(...groupList(groups, choice.by));
	};
	const form = filters(choice, () => {
		replaceRoute(choiceLink(choice));
		markTab();
		draw();
	});
	form.addEventListener("submit", (event) => event.preventDefault());
	draw();
	return el("section", el("h2", "What fails"), form, count,
		strips.length > 0 && el("div.strips.shared-axis", axisRow()), result);
}

function devicesSection() {
	const total = counted(devices.length, "device", "devices") + ", " +
		counted(nights.length, "night", "nights");
	return el("section", el("h2", "All devices", el("span.quiet", " " + total)),
		key(), stripList(devices.map((device) => deviceRow(device))));
}

function listView(to) {
	const choice = choiceOf(to.params);
	const find = document.getElementById("find");
	find.value = choice.q;
	return el("div.list", choice.q ? null : devicesSection(),
		stripsSection(choice));
}
