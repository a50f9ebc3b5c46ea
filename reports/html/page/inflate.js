/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Inflates zlib data (RFC 1950, 1951), for browsers without
   DecompressionStream. */

const INFLATE_LENGTH = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31,
	35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const INFLATE_DISTANCE = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129,
	193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193,
	12289, 16385, 24577];
const INFLATE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2,
	14, 1, 15];

const lengthExtra = (i) => (i < 8 || i === 28 ? 0 : (i >> 2) - 1);
const distanceExtra = (i) => (i < 4 ? 0 : (i >> 1) - 1);

/* Returns a canonical Huffman code: the number of codes of each length, and the
   symbols in the order of their codes. */
function codesOf(lengths) {
	const count = new Uint16Array(16), offset = new Uint16Array(16);
	const symbols = new Uint16Array(lengths.length);
	for (const length of lengths)
		count[length]++;
	count[0] = 0;
	for (let i = 1; i < 16; i++)
		offset[i] = offset[i - 1] + count[i - 1];
	lengths.forEach((length, symbol) => {
		if (length)
			symbols[offset[length]++] = symbol;
	});
	return {count, symbols};
}

class Inflater {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 2; /* after the two bytes of the zlib header */
		this.hold = 0;
		this.held = 0;
		this.out = new Uint8Array(bytes.length * 8 + 1024);
		this.length = 0;
	}

	bits(n) {
		while (this.held < n) {
			if (this.at >= this.bytes.length)
				throw new Error("the data of this page is cut short");
			this.hold |= this.bytes[this.at++] << this.held;
			this.held += 8;
		}
		const value = this.hold & ((1 << n) - 1);
		this.hold >>>= n;
		this.held -= n;
		return value;
	}

	symbol(codes) {
		let code = 0, first = 0, index = 0;
		for (let length = 1; length < 16; length++) {
			code |= this.bits(1);
			const count = codes.count[length];
			if (code - count < first)
				return codes.symbols[index + (code - first)];
			index += count;
			first = (first + count) << 1;
			code <<= 1;
		}
		throw new Error("the data of this page is damaged");
	}

	reserve(n) {
		if (this.length + n <= this.out.length)
			return;
		const grown = new Uint8Array((this.length + n) * 2);
		grown.set(this.out.subarray(0, this.length));
		this.out = grown;
	}

	stored() {
		this.hold = 0;
		this.held = 0;
		const n = this.bytes[this.at] | this.bytes[this.at + 1] << 8;
		this.at += 4;
		this.reserve(n);
		this.out.set(this.bytes.subarray(this.at, this.at + n),
			this.length);
		this.at += n;
		this.length += n;
	}

	fixed() {
		const lengths = [];
		for (let i = 0; i < 288; i++)
			lengths.push(i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
		this.compressed(codesOf(lengths), codesOf(Array(30).fill(5)));
	}

	dynamic() {
		const literals = this.bits(5) + 257, distances = this.bits(5) + 1;
		const n = this.bits(4) + 4, order = Array(19).fill(0), lengths = [];
		for (let i = 0; i < n; i++)
			order[INFLATE_ORDER[i]] = this.bits(3);
		const codes = codesOf(order);
		while (lengths.length < literals + distances)
			this.lengthCode(this.symbol(codes), lengths);
		this.compressed(codesOf(lengths.slice(0, literals)),
			codesOf(lengths.slice(literals)));
	}

	lengthCode(symbol, lengths) {
		let value = 0, times = 1;
		if (symbol < 16)
			value = symbol;
		else if (symbol === 16) {
			value = lengths[lengths.length - 1];
			times = 3 + this.bits(2);
		} else
			times = symbol === 17 ? 3 + this.bits(3) : 11 + this.bits(7);
		while (times--)
			lengths.push(value);
	}

	compressed(literals, distances) {
		for (;;) {
			const symbol = this.symbol(literals);
			if (symbol === 256)
				return;
			this.reserve(258);
			if (symbol < 256)
				this.out[this.length++] = symbol;
			else
				this.copy(symbol - 257, distances);
		}
	}

	copy(symbol, distances) {
		let n = INFLATE_LENGTH[symbol] + this.bits(lengthExtra(symbol));
		const code = this.symbol(distances);
		const back = INFLATE_DISTANCE[code] + this.bits(distanceExtra(code));
		for (; n > 0; n--, this.length++)
			this.out[this.length] = this.out[this.length - back];
	}

	run() {
		const kinds = [() => this.stored(), () => this.fixed(),
			() => this.dynamic()];
		for (let last = 0; !last;) {
			last = this.bits(1);
			kinds[this.bits(2)]();
		}
		return this.out.subarray(0, this.length);
	}
}
