// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Flags of work queues that one call of ibv_modify_wq changes beside the state:
 * in the move from RESET to RDY, in the move from RDY to RESET, and in RDY with
 * the current state. A packet with a VLAN tag then shows which flags hold.
 */
#include "cases/flow/rss.h"

#define VLAN   IBV_WQ_FLAGS_CVLAN_STRIPPING
#define FCS    IBV_WQ_FLAGS_SCATTER_FCS
#define HASHED IBV_RX_HASH_SRC_IPV4
#define STATE  IBV_WQ_ATTR_STATE
#define CURR   IBV_WQ_ATTR_CURR_STATE
#define FLAGS  IBV_WQ_ATTR_FLAGS

/* When the flags change. */
enum when { TO_READY, IN_READY, TO_RESET };

/* A change of the flags of both work queues, and the row about the packets that
 * the queues then receive. */
static const struct change {
	const char *name;
	enum when when;
	uint32_t created, attr_mask, flags, flags_mask;
	enum row row;
} changes[] = {
	{"ready-on", TO_READY, 0, STATE | FLAGS, VLAN, VLAN, ROW_FLOW_VLAN},
	{"ready-off", TO_READY, VLAN, STATE | FLAGS, 0, VLAN, ROW_FLOW_MATCH},
	{"ready-unmasked", TO_READY, VLAN, STATE | FLAGS, 0, FCS,
	 ROW_FLOW_VLAN},
	{"ready-fcs-on", TO_READY, 0, STATE | FLAGS, FCS, FCS, ROW_FLOW_FCS},
	{"ready-all-on", TO_READY, 0, STATE | CURR | FLAGS, VLAN, VLAN,
	 ROW_FLOW_VLAN},
	{"ready-all-off", TO_READY, VLAN, STATE | CURR | FLAGS, 0, VLAN,
	 ROW_FLOW_MATCH},
	{"ready-unnamed", TO_READY, 0, STATE | CURR, VLAN, VLAN,
	 ROW_FLOW_MATCH},
	{"curr-on", IN_READY, 0, CURR | FLAGS, VLAN, VLAN, ROW_FLOW_VLAN},
	{"curr-off", IN_READY, VLAN, CURR | FLAGS, 0, VLAN, ROW_FLOW_MATCH},
	{"reset-on", TO_RESET, 0, STATE | FLAGS, VLAN, VLAN, ROW_FLOW_VLAN},
	{"reset-off", TO_RESET, VLAN, STATE | FLAGS, 0, VLAN, ROW_FLOW_MATCH},
	{"reset-all-on", TO_RESET, 0, STATE | CURR | FLAGS, VLAN, VLAN,
	 ROW_FLOW_VLAN},
};

/* Changes a queue in RDY, which is in RDY again with receives afterwards. */
static void change_wq(const struct rss_stage *t, unsigned int which,
		      const struct change *c)
{
	struct gen *g = t->g;

	flow_set_wq_flags(g, t->wq[which], c->flags, c->flags_mask);
	prog_num(g->p, F_wq_attr_mask, c->attr_mask);
	if (c->attr_mask & CURR)
		prog_num(g->p, F_wq_attr_curr_state, IBV_WQS_RDY);
	if (c->when == IN_READY)
		return;
	prog_num(g->p, F_wq_attr_state, IBV_WQS_RESET);
	flow_move_wq(g, t->wq[which], IBV_WQS_RDY);
	rss_refill(t, which);
}

static void tagged(struct gen *g, const struct change *c)
{
	const struct rss_ready ready = {c->attr_mask, c->flags, c->flags_mask};
	const struct rss_maker by = {.create = V_create_qp_ex,
				     .claim = CLAIM_NONE,
				     .wq_flags = c->created,
				     .ready = c->when == TO_READY ? &ready
								  : NULL};
	struct rss_stage t;

	if (!gen_id(g, "wq-flags/state/%s", c->name) ||
	    !gen_says_rule(g, c->row, rss_flags_claim(g, c->flags_mask),
			   "A packet with a VLAN tag to a work queue whose "
			   "flags are changed beside the state (%s)",
			   c->name))
		return;
	t = rss_make_stage(g, &by, HASHED);
	for (unsigned int i = 0; i < t.queues && c->when != TO_READY; i++)
		change_wq(&t, i, c);
	rss_send_tagged(&t);
}

void rss_wq_ready(struct gen *g)
{
	if (!rss_offers(g, HASHED))
		return;
	for (size_t i = 0; i < COUNT(changes); i++)
		tagged(g, &changes[i]);
}
