/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Formats numbers and times, and matches search words. */
"use strict";

const number = (n) => n.toLocaleString("en-US");
const counted = (n, one, many) => number(n) + " " + (n === 1 ? one : many);

/* Returns a function that is true for texts that contain the word. A word with *
   or ? is a glob for the whole text. */
function wordMatcher(word) {
	if (!/[*?]/.test(word))
		return (text) => text.includes(word);
	const pattern = word.replace(/[.+^${}()|[\]\\]/g, "\\$&")
		.replace(/\*/g, ".*").replace(/\?/g, ".");
	const re = new RegExp("^" + pattern + "$");
	return (text) => re.test(text);
}

/* Returns a function that is true for texts that match all words. */
function matcher(query) {
	const words = query.toLowerCase().split(/\s+/).filter(Boolean)
		.map(wordMatcher);
	return (text) => {
		const lower = text.toLowerCase();
		return words.every((matches) => matches(lower));
	};
}

function duration(us) {
	if (us < 1000)
		return us + " \u00b5s";
	if (us < 1000000)
		return (us / 1000).toFixed(1) + " ms";
	return (us / 1000000).toFixed(1) + " s";
}
