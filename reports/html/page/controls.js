/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The controls of every page: theme, help, search field, and the keys. */

const isTyping = (target) => target instanceof Element &&
	target.closest("input, select, textarea, dialog") !== null &&
	target.type !== "checkbox";

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

function startTheme() {
	document.getElementById("theme").addEventListener("click", nextTheme);
	setTheme(themes.includes(keptTheme()) ? keptTheme() : "auto");
}

/* Starts all controls. `actionOf` returns what a key does on this page, or
   undefined; `search` gets the words of the search field. */
function startControls(actionOf, search) {
	const find = document.getElementById("find");
	const showHelp = () => document.getElementById("help").showModal();
	const common = {"/": () => find.focus(), "?": showHelp};

	document.addEventListener("keydown", (event) => {
		const action = common[event.key] || actionOf(event.key);
		if (!action || event.ctrlKey || event.metaKey || event.altKey ||
			isTyping(event.target))
			return;
		event.preventDefault();
		action();
	});
	document.getElementById("keys").addEventListener("click", showHelp);
	document.querySelector("form.find").addEventListener("submit", (event) => {
		event.preventDefault();
		search(find.value);
	});
	startTheme();
}
