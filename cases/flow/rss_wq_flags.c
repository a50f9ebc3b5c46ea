// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Flags of work queues, which change what the queues receive: set when the
 * queues are created, and changed afterwards, alone or beside another flag.
 */
#include "cases/flow/rss.h"

#define VLAN	IBV_WQ_FLAGS_CVLAN_STRIPPING
#define FCS	IBV_WQ_FLAGS_SCATTER_FCS
#define DROP	IBV_WQ_FLAGS_DELAY_DROP
#define PADDING IBV_WQ_FLAGS_PCI_WRITE_END_PADDING
#define HASHED	IBV_RX_HASH_SRC_IPV4

/* A change of the flags of both work queues, and the row about the packets that
 * the queues then receive. */
static const struct wq_flags {
	const char *name;
	uint32_t created, flags, mask;
	enum row row;
	bool unnamed; /* comp_mask and attr_mask do not name the flags */
} wq_flags[] = {
	{"created", VLAN, 0, 0, ROW_FLOW_VLAN, false},
	{"created-both", VLAN | FCS, 0, 0, ROW_FLOW_VLAN, false},
	{"on", 0, VLAN, VLAN, ROW_FLOW_VLAN, false},
	{"off", VLAN, 0, VLAN, ROW_FLOW_MATCH, false},
	{"on-unmasked", 0, VLAN, FCS, ROW_FLOW_MATCH, false},
	{"off-unmasked", VLAN, 0, FCS, ROW_FLOW_VLAN, false},
	{"fcs-on", 0, FCS, FCS, ROW_FLOW_FCS, false},
	{"created-unnamed", VLAN, 0, 0, ROW_FLOW_MATCH, true},
	{"created-unnamed-fcs", FCS, 0, 0, ROW_FLOW_MATCH, true},
	{"on-unnamed", 0, VLAN, VLAN, ROW_FLOW_MATCH, true},
	{"on-unnamed-fcs", 0, FCS, FCS, ROW_FLOW_MATCH, true},
};

/* Without a name for the flags the call says only which state it is in. */
static void set_flags(const struct rss_stage *t, uint8_t wq,
		      const struct wq_flags *w)
{
	flow_set_wq_flags(t->g, wq, w->flags, w->mask);
	if (!w->unnamed)
		return;
	prog_num(t->g->p, F_wq_attr_mask, IBV_WQ_ATTR_CURR_STATE);
	prog_num(t->g->p, F_wq_attr_curr_state, IBV_WQS_RDY);
}

enum claim rss_flags_claim(const struct gen *g, uint32_t flags)
{
	return gen_also(g, flow_packet_claim(g),
			gen_needs(g, CLAIM_WQ, CLAIM_RSS, CLAIM_CVLAN_STRIPPING,
				  flags & FCS ? CLAIM_SCATTER_FCS
					      : CLAIM_NONE));
}

void rss_send_tagged(struct rss_stage *t)
{
	struct gen *g = t->g;

	flow_packet(g, &t->from, GEN_MAC, FLOW_LENGTH);
	prog_num(g->p, F_packet_eth_vlan, 5);
	flow_send(g, &t->from, FLOW_LENGTH);
	rss_poll(t);
	gen_done(g);
}

static void tagged_to_wq(struct gen *g, const struct wq_flags *w)
{
	const struct rss_maker by = {.create = V_create_qp_ex,
				     .claim = CLAIM_NONE,
				     .wq_flags = w->created,
				     .unnamed = w->unnamed};
	struct rss_stage t;

	if (!gen_id(g, "wq-flags/%s", w->name) ||
	    !gen_says_rule(g, w->row, rss_flags_claim(g, w->mask),
			   "A packet with a VLAN tag to a work queue whose "
			   "flags are changed (%s)",
			   w->name))
		return;
	t = rss_make_stage(g, &by, HASHED);
	for (unsigned int i = 0; i < t.queues && w->mask; i++)
		set_flags(&t, t.wq[i], w);
	rss_send_tagged(&t);
}

/* Flags of which a packet shows whether they hold. */
static const struct shown_flag {
	const char *name;
	uint32_t flag;
	enum row row;
} shown[] = {{"vlan", VLAN, ROW_FLOW_VLAN}, {"fcs", FCS, ROW_FLOW_FCS}};

/* Flags that the mask names. mlx5 takes a change of SCATTER_FCS and does
 * nothing, so that the flag is not switched on. */
static const struct masked_flag {
	const char *name;
	uint32_t flag;
	bool switched_on;
} masked[] = {
	{"vlan", VLAN, true},
	{"fcs", FCS, false},
	{"drop", DROP, true},
	{"padding", PADDING, true},
};

static bool offers_flag(const struct gen *g, uint32_t flag)
{
	switch (flag) {
	case VLAN:
		return claim_holds(CLAIM_CVLAN_STRIPPING, g->d);
	case FCS:
		return claim_holds(CLAIM_SCATTER_FCS, g->d);
	case DROP:
		return g->d->limit[LIM_raw_packet_caps] &
		       IBV_RAW_PACKET_CAP_DELAY_DROP;
	default:
		return claim_holds(CLAIM_WRITE_PADDING, g->d);
	}
}

/* A call that changes flag b alone leaves flag a as it is. The work queue was
 * created with a, or without it; then `flags` of the call has it. */
static void beside(struct gen *g, const struct shown_flag *a,
		   const struct masked_flag *b)
{
	char kept[40], on[40], unset[40];
	const struct wq_flags list[] = {
		{kept, a->flag, 0, b->flag, a->row, false},
		{on, a->flag, b->flag, b->flag, a->row, false},
		{unset, 0, a->flag, b->flag, ROW_FLOW_MATCH, false},
	};

	snprintf(kept, sizeof(kept), "%s-kept-beside-%s", a->name, b->name);
	snprintf(on, sizeof(on), "%s-kept-beside-%s-on", a->name, b->name);
	snprintf(unset, sizeof(unset), "%s-unset-beside-%s", a->name, b->name);
	for (size_t i = 0; i < COUNT(list); i++)
		if (list[i].name != on || b->switched_on)
			tagged_to_wq(g, &list[i]);
}

void rss_wq_flags(struct gen *g)
{
	if (!rss_offers(g, HASHED))
		return;
	for (size_t i = 0; i < COUNT(wq_flags); i++)
		tagged_to_wq(g, &wq_flags[i]);
	for (size_t a = 0; a < COUNT(shown); a++)
		for (size_t b = 0; b < COUNT(masked); b++)
			if (shown[a].flag != masked[b].flag &&
			    offers_flag(g, shown[a].flag) &&
			    offers_flag(g, masked[b].flag))
				beside(g, &shown[a], &masked[b]);
}
