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

function actionOf(key) {
	const view = views[Number(key) - 1];
	return view ? () => go(view) : {
		"j": () => step(1),
		"k": () => step(-1),
		"u": up,
	}[key];
}

function startKeys() {
	startControls(actionOf, (words) =>
		go(link("cases", undefined, {q: words})));
}
