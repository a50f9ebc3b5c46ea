/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Reads the data of the page. On each night a strip has a number of failing cases,
   or NO_RUN if the device had no run, or NO_CASE if none of the cases that failed
   before ran. */

const NO_RUN = -1, NO_CASE = -2;
const IS_NEW = 1, IS_FLAKY = 2, IS_MOVED = 4; /* of ../strips.c */

let page = null; /* the data as written */
let nights = [], devices = [], strips = [];
let rules = [];

const byName = (one, other) =>
	one.localeCompare(other, "en", {numeric: true});
const ruleName = (rule) => rule.id || "no rule";

/* Returns a Map from a night to a value that holds until the next entry. */
const since = (list, night) => {
	const held = list.filter(([from]) => from <= night);
	return held.length ? held[held.length - 1][1] : null;
};

function readDevice(raw, number) {
	const device = {number, host: raw.host, name: raw.name,
		label: raw.host + " " + raw.name,
		environments: raw.environments, commands: raw.commands,
		runs: new Array(nights.length).fill(null),
		n: new Int32Array(nights.length).fill(NO_RUN),
		worst: new Uint8Array(nights.length), strips: []};
	for (const [night, cases, failing, notRun, target, folder] of raw.runs) {
		device.runs[night] = {cases, failing, notRun, target, folder};
		device.n[night] = failing;
	}
	device.changes = raw.environments.slice(1).map(([night]) => night);
	device.latest = device.runs.findLastIndex(Boolean);
	return device;
}

/* Returns the first of the nights, up to the latest run, on which the strip
   failed without a night between on which it held; -1 if it holds now. */
function failsSince(strip) {
	let first = -1;
	for (let i = strip.device.latest; i >= 0; i--) {
		if (strip.n[i] === 0)
			break;
		if (strip.n[i] > 0)
			first = i;
	}
	return first;
}

/* Returns true if the cases of the strip ran on none of the last nights. */
const isStale = (strip) => strip.n.slice(-page.window).every((n) =>
	n === NO_CASE || n === NO_RUN);

/* Returns "new", "failing", "flaky", "fixed" or "past". A strip that is flaky and
   has news is "new". */
function statusOf(strip) {
	const runs = strip.device.runs, latest = strip.device.latest;
	const before = runs.slice(0, latest).findLastIndex(Boolean);
	if (strip.since < 0 && strip.flags & IS_MOVED || isStale(strip))
		return "past";
	if (strip.flags & IS_NEW)
		return "new";
	if (strip.flags & IS_FLAKY)
		return "flaky";
	if (strip.since >= 0)
		return "failing";
	return before >= 0 && strip.n[before] !== 0 ? "fixed" : "past";
}

function readStrip([device, rule, flags, list], number) {
	const strip = {number, device: devices[device], rule: rules[rule], flags,
		n: devices[device].n.map((n) => n === NO_RUN ? NO_RUN : 0),
		worst: new Uint8Array(nights.length)};
	for (let i = 0; i < list.length; i += 3) {
		strip.n[list[i]] = list[i + 1] || NO_CASE;
		strip.worst[list[i]] = list[i + 2];
	}
	strip.since = failsSince(strip);
	strip.status = statusOf(strip);
	strip.device.strips.push(strip);
	strip.rule.strips.push(strip);
	return strip;
}

const severity = ["host-lost", "crashed", "hung", "deviates", "non-strict",
	"fixed", "inconclusive"];
const rank = (verdict) => severity.indexOf(page.verdicts[verdict]);

/* A night of a device is as bad as its worst strip. */
function addWorst(strip) {
	strip.n.forEach((n, i) => {
		const worst = strip.device.worst;
		if (n > 0 && (!page.verdicts[worst[i]] ||
			rank(worst[i]) < 0 || rank(strip.worst[i]) < rank(worst[i])))
			worst[i] = strip.worst[i];
	});
}

async function loadData() {
	page = await unpack(blocks("data")[0]);
	nights = page.nights;
	rules = page.rules.map(([id, text, source], number) =>
		({number, id, text, source, strips: []}));
	devices = page.devices.map(readDevice);
	strips = page.strips.map(readStrip);
	strips.forEach(addWorst);
	devices = devices.sort((a, b) => byName(a.label, b.label));
	return page;
}

/* Read the cases of a strip, and a program. */
const casesOf = blockReader("cases");
const programOf = blockReader("programs");

const deviceByLabel = (label) => devices.find((d) => d.label === label);
const stripOf = (device, id) =>
	device && device.strips.find((s) => s.rule.id === id);
const environmentOn = (device, night) => since(device.environments, night);

/* Returns [[what, was, is], …] between two nights of a device. */
function changed(device, from, to) {
	const was = environmentOn(device, from) || {};
	const is = environmentOn(device, to) || {};
	return [...new Set([...Object.keys(was), ...Object.keys(is)])]
		.filter((what) =>
			JSON.stringify(was[what]) !== JSON.stringify(is[what]))
		.map((what) => [what, was[what], is[what]]);
}

/* Returns the night of the run before, -1 if there is none. */
const nightBefore = (device, night) =>
	device.runs.slice(0, night).findLastIndex(Boolean);
