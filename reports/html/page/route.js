/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Links: the part of the address after # selects the view, as in
   #case=modify/rc/init-rtr/minimal&target=0. */

const plainly = (text) => encodeURIComponent(text)
	.replace(/%(2F|3A|2C|2A|40|24)/g, decodeURIComponent);

function link(view, value, more) {
	const parts = [value === undefined ? view : view + "=" + plainly(value)];
	for (const [key, part] of Object.entries(more || {}))
		if (part !== "" && part !== null && part !== undefined)
			parts.push(key + "=" + plainly(String(part)));
	return "#" + parts.join("&");
}

/* Returns the view, its value and all parameters of the address. The first
   parameter is the view. */
function route() {
	const hash = location.hash.slice(1);
	const params = new URLSearchParams(hash.replace(/\+/g, "%2B"));
	const view = [...params.keys()][0] || "overview";
	return {view, value: params.get(view) || "", params};
}

const go = (hash) => {
	location.hash = hash;
};

/* Changes the address without a new entry in the history. */
const replaceRoute = (hash) => history.replaceState(null, "", hash);
