/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Keyboard and search field. */

const views = ["#overview", "#map", "#rules", "#cases",
	...(comparisons.length ? ["#changes"] : [])];

/* In the view of a case, opens the next or previous case; in a list,
   focuses the link of the next or previous row. */
function step(by) {
	const next = document.querySelector(by > 0 ? ".steps a[rel=next]"
		: ".steps a[rel=prev]");
	if (next) {
		go(next.getAttribute("href"));
		return;
	}
	const links = [...document.querySelectorAll("#view tbody th a, " +
		"#first:not([hidden]) .groups a")];
	const at = links.indexOf(document.activeElement);
	const to = links[at < 0 ? 0 : at + by];
	if (to)
		to.focus();
}

function up() {
	if (route().view === "case")
		go(listLink());
	else if (route().view === "rule")
		go("#rules");
	else
		go("#overview");
}

function onKey(event) {
	if (event.ctrlKey || event.metaKey || event.altKey ||
		isTyping(event.target))
		return;
	const actions = {
		"/": () => document.getElementById("find").focus(),
		"?": () => document.getElementById("help").showModal(),
		"j": () => step(1),
		"k": () => step(-1),
		"u": up,
	};
	const view = views[Number(event.key) - 1];
	const action = view ? () => go(view) : actions[event.key];
	if (!action)
		return;
	event.preventDefault();
	action();
}

function startKeys() {
	document.addEventListener("keydown", onKey);
	document.getElementById("keys").addEventListener("click", () =>
		document.getElementById("help").showModal());
	document.querySelector("form.find").addEventListener("submit", (event) => {
		event.preventDefault();
		go(link("cases", undefined,
			{q: document.getElementById("find").value}));
	});
	startTheme();
}
