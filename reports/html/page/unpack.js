/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Reads blocks of data: JSON, deflated, in base64 (../pack.h). */

function bytesOf(base64) {
	const text = atob(base64), bytes = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++)
		bytes[i] = text.charCodeAt(i);
	return bytes;
}

async function inflated(bytes) {
	if (typeof DecompressionStream === "undefined")
		return new TextDecoder().decode(new Inflater(bytes).run());
	const stream = new Blob([bytes]).stream()
		.pipeThrough(new DecompressionStream("deflate"));
	return new Response(stream).text();
}

async function unpack(script) {
	return JSON.parse(await inflated(bytesOf(script.textContent)));
}

const blocks = (kind) => [...document.querySelectorAll("script." + kind)];

/* Returns a function that reads the item of a number. The blocks of the kind are
   arrays that follow each other; the block read last is kept. */
function blockReader(kind) {
	const all = blocks(kind).map((script) => ({
		script,
		first: Number(script.dataset.first),
		items: Number(script.dataset.cases),
	}));
	let last = {};
	return async (n) => {
		const block = all.find((b) =>
			n >= b.first && n < b.first + b.items);
		if (last.block !== block)
			last = {block, list: await unpack(block.script)};
		return last.list[n - block.first];
	};
}
