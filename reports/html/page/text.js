/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Formats numbers and times, and matches search words. */
"use strict";

const number = (n) => n.toLocaleString("en-US");
const counted = (n, one, many) => number(n) + " " + (n === 1 ? one : many);

/* Matches a word as part of a text, or as a glob if it has * or ?. */
function wordMatcher(word) {
	if (!/[*?]/.test(word))
		return (text) => text.includes(word);
	const pattern = word.replace(/[.+^${}()|[\]\\]/g, "\\$&")
		.replace(/\*/g, ".*").replace(/\?/g, ".");
	const re = new RegExp("^" + pattern + "$");
	return (text) => re.test(text);
}

/* Matches if all words match. */
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
