/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Keyboard and search field. */

/* Focuses the next or previous strip that is shown. */
function step(by) {
	const all = [...document.querySelectorAll("#view .cells")];
	const at = all.indexOf(document.activeElement);
	const to = all[at < 0 ? 0 : at + by];
	if (to) {
		to.focus({preventScroll: true});
		to.scrollIntoView({block: "nearest"});
	}
}

/* In the view of a night, opens the night before or after. */
function stepNight(rel) {
	const to = document.querySelector(".steps a[rel=" + rel + "]");
	if (to)
		go(to.getAttribute("href"));
}

function actionOf(key) {
	return {
		"1": () => go("#list&by=rule"),
		"2": () => go("#list&by=device"),
		"j": () => step(1),
		"k": () => step(-1),
		"h": () => stepNight("prev"),
		"l": () => stepNight("next"),
		"u": () => go("#list"),
	}[key];
}

function startKeys() {
	startControls(actionOf, (words) => go(link("list", undefined,
		{by: choiceOf(route().params).by, q: words})));
}
