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

function onKey(event) {
	if (event.ctrlKey || event.metaKey || event.altKey ||
		isTyping(event.target))
		return;
	const action = {
		"/": () => document.getElementById("find").focus(),
		"?": () => document.getElementById("help").showModal(),
		"1": () => go("#list&by=rule"),
		"2": () => go("#list&by=device"),
		"j": () => step(1),
		"k": () => step(-1),
		"h": () => stepNight("prev"),
		"l": () => stepNight("next"),
		"u": () => go("#list"),
	}[event.key];
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
		go(link("list", undefined, Object.assign({by:
			choiceOf(route().params).by},
		{q: document.getElementById("find").value})));
	});
	startTheme();
}
