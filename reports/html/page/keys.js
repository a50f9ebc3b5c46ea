/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Keyboard, theme and search field. */

const views = ["#overview", "#map", "#rules", "#cases",
	...(comparisons.length ? ["#changes"] : [])];

const isTyping = (target) => target instanceof Element &&
	target.closest("input, select, textarea, dialog") !== null &&
	target.type !== "checkbox";

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

const themes = ["auto", "light", "dark"];

/* Stores `value`, if given, and returns the stored theme. Returns null if the
   browser has no storage for pages on disk. */
function keptTheme(value) {
	try {
		if (value)
			localStorage.setItem("ibvet-theme", value);
		return localStorage.getItem("ibvet-theme");
	} catch {
		return null;
	}
}

function setTheme(theme) {
	const button = document.getElementById("theme");
	document.documentElement.dataset.theme = theme;
	button.textContent = "Theme: " + theme;
}

function nextTheme() {
	const now = document.documentElement.dataset.theme || "auto";
	const theme = themes[(themes.indexOf(now) + 1) % themes.length];
	keptTheme(theme);
	setTheme(theme);
}

function startKeys() {
	document.addEventListener("keydown", onKey);
	document.getElementById("theme").addEventListener("click", nextTheme);
	document.getElementById("keys").addEventListener("click", () =>
		document.getElementById("help").showModal());
	document.querySelector("form.find").addEventListener("submit", (event) => {
		event.preventDefault();
		go(link("cases", undefined,
			{q: document.getElementById("find").value}));
	});
	setTheme(themes.includes(keptTheme()) ? keptTheme() : "auto");
}
