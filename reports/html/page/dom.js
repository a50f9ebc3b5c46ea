/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Builds elements. Texts of a journal become text nodes, never markup. */

/* Returns a new element: el("p.note", {title: "..."}, "text", child, ...).
   Ignores null, undefined and false. */
function el(what, ...rest) {
	const [tag, ...classes] = what.split(".");
	const node = document.createElement(tag);
	if (classes.length)
		node.className = classes.join(" ");
	const isAttributes = (x) => x && typeof x === "object" &&
		!(x instanceof Node) && !Array.isArray(x);
	for (const x of rest.flat(2)) {
		if (isAttributes(x))
			Object.entries(x).forEach(([k, v]) =>
				v !== null && v !== undefined && v !== false &&
				node.setAttribute(k, v === true ? "" : v));
		else if (x !== null && x !== undefined && x !== false)
			node.append(x);
	}
	return node;
}

const a = (href, ...rest) => el("a", {href}, ...rest);
const code = (text) => el("code", text);

/* Returns a verdict with its colour and sign, from style.css. */
const badge = (verdict, ...text) =>
	el("span.v.v-" + verdict, text.length ? text : verdict);

function copyButton(text, what) {
	const button = el("button.copy", {type: "button",
		"aria-label": "Copy " + what}, "Copy");
	button.addEventListener("click", async () => {
		button.textContent = await copied(text) ? "Copied" : "Not copied";
		setTimeout(() => (button.textContent = "Copy"), 1500);
	});
	return button;
}

/* Copies a text. The old way is for pages on disk, for which a browser may have
   no clipboard API. */
async function copied(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		const area = el("textarea", {class: "offscreen"});
		area.value = text;
		document.body.append(area);
		area.select();
		const done = document.execCommand("copy");
		area.remove();
		return done;
	}
}

function saveButton(text, name) {
	const button = el("button.copy", {type: "button"}, "Save " + name);
	button.addEventListener("click", () => {
		const url = URL.createObjectURL(new Blob([text]));
		const link = el("a", {href: url, download: name});
		document.body.append(link);
		link.click();
		link.remove();
		URL.revokeObjectURL(url);
	});
	return button;
}

const command = (text) => el("div.command", el("pre", code(text)),
	copyButton(text, "the command"));

function table(caption, heads, rows, attributes) {
	return el("table", attributes || {}, el("caption", caption),
		el("thead", el("tr", heads.map((head) =>
			head instanceof Node ? head
				: el("th", {scope: "col"}, head)))),
		el("tbody", rows));
}

const facts = (pairs) => el("dl.facts", pairs.filter((p) => p && p[1])
	.map(([name, ...value]) =>
		el("div", el("dt", name), el("dd", ...value))));

/* Returns the nonzero counts by verdict, worst first. */
function countsOf(list) {
	return severity.map((verdict) =>
		({verdict, n: (list && list[verdicts.indexOf(verdict)]) || 0}))
		.filter((count) => count.n);
}
const total = (list) => (list || []).reduce((sum, n) => sum + n, 0);
