// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Members of a group that are attached again, before and after others, and that
 * are detached: each gets one copy, or none. Members that stay get messages,
 * whoever leaves.
 */
#include <ctype.h>
#include "cases/data/multicast.h"

#define MEMBERS	    3
#define OTHER_FIRST 'X'
#define EARLY	    2 /* messages before the others */

static const union ibv_gid other = {
	.raw = {0xff, 0x12, [10] = 0xff, [11] = 0xff, [15] = 0x20}};

/* The calls, one a letter: A, B and C attach a member to the group of all
 * nodes, a, b and c detach it; X, Y, Z and x, y, z do so with the same members
 * and another group. */
static const char *const orders[] = {
	"ABA",	 "AAB",	   "BAA",   "ABAB",  "ABBA",   "ABAA",
	"ABCA",	 "ABCB",   "ABCAB", "ACBCA", "ABXA",   "AXBA",
	"AXBXA", "XAYBXA", "ABAa",  "ABAb",  "AABa",   "ABBAb",
	"ABCAa", "ABaA",   "ABaAa", "XABAx", "AXBYAx", "ABABab",
};

/* Members leave, first, last or between others, and other members stay or come
 * later. M sends a message to all members. */
static const char *const leaves[] = {
	"ABMa",	 "ABMb",   "ABCa",   "ABCMa", "ABCc",	"ABCab",  "ABCba",
	"ABCac", "ABCca",  "ABCbc",  "ABaC",  "ABbC",	"ABaMC",  "ABaA",
	"ABbB",	 "ABMaMA", "ABCaA",  "ABaCb", "ABaAb",	"AaBCb",  "ABAa",
	"XABa",	 "AXYBa",  "AXBYax", "ABXYx", "XYABMx", "AXBYxa", "ABXYMay",
};

/* Makes one call, and returns how many members of the group it adds. */
static int change(struct gen *g, const uint8_t *qps, bool *in, char c)
{
	const bool attaches = isupper((unsigned char)c);
	const char upper = (char)toupper((unsigned char)c);
	const bool elsewhere = upper >= OTHER_FIRST;
	const int member = upper - (elsewhere ? OTHER_FIRST : 'A');
	const bool was = in[member];

	mcast_member(g, attaches ? V_attach_mcast : V_detach_mcast, qps[member],
		     elsewhere ? &other : &mcast_nodes);
	if (elsewhere)
		return 0;
	in[member] = attaches;
	return attaches - was;
}

static void in_order(struct gen *g, const char *calls)
{
	bool in[MEMBERS] = {false};
	uint8_t qps[MEMBERS];
	char name[24];
	int copies = 0;
	struct post p;

	snprintf(name, sizeof(name), "order/%s", calls);
	if (!mcast_traffic_case(g, name, ROW_MC_COPY, &p))
		return;
	p.a = mcast_receiver(&p, 100);
	for (unsigned int i = 0; i < MEMBERS; i++)
		qps[i] = mcast_receiver(&p, 200 + 100 * i);
	for (const char *c = calls; *c; c++)
		copies += change(g, qps, in, *c);
	mcast_count_copies(&p, (unsigned int)copies);
}

/* As in_order(), with so many messages that they are not all lost by chance. */
static void someone_leaves(struct gen *g, const char *calls)
{
	bool in[MEMBERS] = {false};
	uint8_t qps[MEMBERS];
	char name[24];
	unsigned int copies = 0;
	uint64_t wr_id = 100;
	struct post p;

	snprintf(name, sizeof(name), "leaves/%s", calls);
	if (!mcast_traffic_case(g, name, ROW_POLL_ARRIVES, &p))
		return;
	mcast_losable_sender(&p, MEMBERS + 1);
	for (unsigned int i = 0; i < MEMBERS; i++)
		qps[i] = mcast_losable_receiver(&p, 200 + 100 * i, EARLY);
	for (const char *c = calls; *c; c++) {
		if (*c != 'M') {
			copies += (unsigned int)change(g, qps, in, *c);
			continue;
		}
		mcast_send(&p, wr_id++);
		post_poll_for(&p, 1 + copies, POST_MAYBE);
	}
	mcast_send_losable(&p, copies);
	post_poll(&p, 0);
	gen_done(g);
}

void gen_data_multicast_order(struct gen *g)
{
	for (size_t i = 0; i < COUNT(orders); i++)
		in_order(g, orders[i]);
	for (size_t i = 0; i < COUNT(leaves); i++)
		someone_leaves(g, leaves[i]);
}
