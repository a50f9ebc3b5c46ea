/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Reads the data of the page: sums and contract at once, then the list of cases.
   The details of a case are read when a reader opens the case. */

const sums = JSON.parse(document.getElementById("sums").textContent);
const contract = sums.contract;
const isCatalogue = sums.kind === "catalogue";
const verdicts = contract.verdicts;
const severity = ["crashed", "hung", "host-lost", "deviates", "fixed",
	"inconclusive", "non-strict", "expected", "pass", "unsupported"];

/* A column for each target of each run */
const columns = sums.runs.flatMap((run) =>
	run.targets.map((target) => ({run, target})));

columns.forEach((column, i) => {
	const name = column.target.name;
	const twins = columns.filter((c) => c.target.name === name).length;
	column.number = i;
	column.label = twins > 1 ? name + " (" + column.run.dir + ")" : name;
	column.driver = String(column.target.environment.driver || "");
});

function fails(verdict, column) {
	if (verdict === "non-strict")
		return Boolean(column && column.run.strict);
	return !["pass", "expected", "unsupported"].includes(verdict);
}

/* The `rule` of a case is a number, an index of contract.rules, or the id of a rule
   that this ibvet does not have, or 0 without a rule. */
const rules = contract.rules.slice(1).map((rule, i) =>
	Object.assign(rule, {number: i + 1}));
const ruleById = new Map(rules.map((rule) => [rule.id, rule]));
const ruleId = (rule) => typeof rule === "string" ? rule
	: rule ? contract.rules[rule].id : "";

const cases = [];

async function loadCases() {
	const lists = await Promise.all(blocks("index").map(unpack));
	for (const list of lists)
		for (let i = 0; i < list.length; i += 4)
			cases.push({n: cases.length, id: list[i],
				verdict: verdicts[list[i + 1]],
				rule: list[i + 2], column: list[i + 3]});
}

const casesLoaded = loadCases();
/* Reads the details of a case. */
const detailOf = blockReader("detail");

let byId = null;

/* Returns the cases of an id, one for each target that ran it. */
function casesOf(id) {
	if (!byId) {
		byId = new Map();
		for (const c of cases)
			byId.has(c.id) ? byId.get(c.id).push(c)
				: byId.set(c.id, [c]);
	}
	return byId.get(id) || [];
}

const typeBySlug = new Map(contract.types.map((type) => [type.slug, type]));
const typeOf = (id) => id.split("/").find((word) => typeBySlug.has(word)) || "";

const attributeOfField = new Map(Object.entries(contract.fields));

/* Returns the attributes that the id of a case names, for modify/... only. */
function attributesOf(id) {
	const [verb, , , ...words] = id.split("/");
	return verb !== "modify" ? [] : words.join("/").split(/[/+]/)
		.map((word) => attributeOfField.get(word) ||
			word.replace(/^no-/, ""));
}

/* The numbers of cases that the page only counts, or lists without a program */
const unlisted = isCatalogue ? sums.unlisted
	: sums.runs.reduce((n, run) => n + run.unlisted, 0);
const stripped = isCatalogue ? sums.stripped
	: sums.runs.reduce((n, run) => n + run.stripped, 0);
