// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Combined raw packets: who receives them, which rules lead them there, what is
 * counted, how they are sent and received, which calls are refused meanwhile,
 * and what changes before a second round. Each round ends with a packet that
 * differs from the first rule in one field.
 */
#include "cases/combined/packets.h"

const struct combined_factor packets_factors[PACKETS_FACTORS] = {
	[RECEIVER] = {"receiver", {"qp", "table", "shared-table", "itself"}},
	[FLAGS] = {"flags", {"none", "fcs", "strip", "pad"}},
	[FLAGGED] = {"flagged", {"created", "on", "between"}},
	[FIELDS] = {"fields", {"eth", "vlan", "ipv4", "ipv6", "tcp", "many"}},
	[TAGGED] = {"tagged", {"no", "yes"}},
	[ACTION] = {"action", {"none", "tag", "drop", "count", "drop-count"}},
	[COUNTED] = {"counted", {"both", "sum", "two-rules"}},
	[READ] = {"read", {"last", "each", "cached"}},
	[OVERLAP] = {"overlap", {"no", "behind", "before"}},
	[MADE] = {"made", {"first", "last"}},
	[CHANGED] = {"changed",
		     {"no", "rule-gone", "rule-anew", "rule-moved",
		      "other-gone"}},
	[LIFE] = {"life", {"same", "reset", "err", "down"}},
	[SENT] = {"sent",
		  {"alone", "computed", "spoiled", "parts", "inline", "list",
		   "tso"}},
	[LENGTH] = {"length", {"128", "90", "200"}},
	[MESSAGES] = {"messages", {"1", "3"}},
	[POSTED] = {"posted", {"list", "calls", "parts", "few"}},
	[TAKING] = {"taking", {"each", "many", "more", "batch"}},
	[REFUSED] = {"refused",
		     {"none", "modify", "create-flow", "attach", "destroy",
		      "post"}},
	[ENDING] = {"end", {"look", "tried", "receives"}},
};

bool packets_has(const struct packets *t, enum packets_factor f, unsigned int l)
{
	return t->row[f] == l;
}

bool packets_count(const struct packets *t)
{
	return packets_has(t, ACTION, COUNT_PACKETS) ||
	       packets_has(t, ACTION, DROP_COUNT);
}

bool packets_spread(const struct packets *t)
{
	return packets_has(t, RECEIVER, BY_TABLE) ||
	       packets_has(t, RECEIVER, BY_SHARED_TABLE);
}

static bool receiver_offered(const struct gen *g, unsigned int level)
{
	const uint64_t hashed = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_SRC_IPV6;

	if (level == BY_QP || level == BY_ITSELF)
		return true;
	return gen_needs(g, CLAIM_WQ, CLAIM_RSS) == CLAIM_NONE &&
	       !(hashed & ~g->d->limit[LIM_rx_hash_fields_mask]);
}

static bool flags_offered(const struct gen *g, unsigned int level)
{
	static const enum claim needed[] = {
		[FCS] = CLAIM_SCATTER_FCS,
		[STRIP] = CLAIM_CVLAN_STRIPPING,
		[PAD] = CLAIM_WRITE_PADDING,
	};

	return !level || claim_holds(needed[level], g->d);
}

static bool sent_offered(const struct gen *g, unsigned int level)
{
	if (level == COMPUTED || level == SPOILED)
		return claim_holds(CLAIM_RAW_CSUM, g->d);
	return level != TSO || claim_holds(CLAIM_TSO, g->d);
}

static bool offered(const struct gen *g, enum qp_kind kind, unsigned int factor,
		    unsigned int level)
{
	(void)kind;
	switch ((enum packets_factor)factor) {
	case RECEIVER:
		return receiver_offered(g, level);
	case FLAGS:
		return flags_offered(g, level);
	case ACTION:
		return (level != COUNT_PACKETS && level != DROP_COUNT) ||
		       claim_holds(CLAIM_COUNTERS, g->d);
	case SENT:
		return sent_offered(g, level);
	case TAKING:
		return level != BY_BATCH || claim_holds(CLAIM_CQ_EX, g->d);
	default:
		return true;
	}
}

/* Returns false if the row needs counters that it does not have. How many
 * packets were dropped is not known, since some may be lost. */
static bool counters_agree(const uint8_t *row)
{
	if (!is_other(row, ACTION, COUNT_PACKETS))
		return true;
	return !is_other(row, COUNTED, BOTH_APART) &&
	       !is_other(row, READ, READ_LAST) &&
	       !is_level(row, REFUSED, ATTACH);
}

/* Returns false if the row needs a second rule that it does not have. mlx5
 * looks at no priority of rules for a group (mlx5_ib_create_flow, MCAST_PRIO).
 */
static bool rules_agree(const uint8_t *row)
{
	bool single = is_level(row, RECEIVER, BY_ITSELF);

	if (single && is_other(row, OVERLAP, NO_OVERLAP))
		return false;
	if (!single && !is_level(row, OVERLAP, NO_OVERLAP))
		return true;
	return !is_other(row, MADE, MADE_FIRST) &&
	       !is_level(row, COUNTED, TWO_RULES) &&
	       !is_level(row, CHANGED, RULE_MOVED) &&
	       !is_level(row, CHANGED, OTHER_GONE);
}

/* Only a work queue can change its flags. mlx5 leaves SCATTER_FCS as it was,
 * which a case of cases/flow/ shows. */
static bool flags_agree(const uint8_t *row)
{
	if ((is_level(row, FLAGS, NO_FLAGS) || is_level(row, FLAGS, FCS)) &&
	    is_other(row, FLAGGED, CREATED))
		return false;
	if (is_level(row, FLAGS, STRIP) && is_level(row, TAGGED, 0))
		return false;
	return !is_other(row, FLAGGED, CREATED) ||
	       (!is_level(row, RECEIVER, BY_QP) &&
		!is_level(row, RECEIVER, BY_ITSELF));
}

static bool permitted(const struct gen *g, enum qp_kind kind,
		      const uint8_t *row)
{
	(void)g;
	(void)kind;
	if (is_level(row, FIELDS, BY_VLAN) && is_level(row, TAGGED, 0))
		return false;
	if (is_level(row, SENT, IN_LIST) && is_other(row, MESSAGES, 1))
		return false;
	/* a program gives no more than four specifications */
	if (is_level(row, FIELDS, BY_MANY) && is_level(row, ACTION, DROP_COUNT))
		return false;
	if (is_level(row, FIELDS, BY_TCP) && is_level(row, ACTION, DROP_COUNT))
		return false;
	return counters_agree(row) && rules_agree(row) && flags_agree(row);
}

static void refuse(const struct packets *t)
{
	uint8_t main = t->queue[0].on;
	struct gen *g = t->g;

	switch (t->row[REFUSED]) {
	case MODIFY:
		if (packets_spread(t))
			flow_move_wq(g, main, 3);
		else
			gen_modify(g, t->qp, A_STATE, IBV_QPS_RTS, IBV_QPS_INIT,
				   NULL);
		return;
	case CREATE_FLOW:
		gen_flow(g, t->qp, GEN_MAC);
		prog_num(g->p, F_flow_port, 0);
		return;
	case ATTACH:
		flow_attach(g, t->counters, 2, 0);
		flow_attach(g, t->counters, IBV_COUNTER_BYTES, 2);
		return;
	case DESTROY:
		gen_call(g, V_destroy_qp, t->qp);
		if (packets_spread(t))
			gen_call(g, V_destroy_wq, main);
		gen_call(g, V_destroy_cq, t->queue[0].cq);
		return;
	case POST:
		gen_call(g, t->queue[0].verb, main);
		prog_num(g->p, F_recv_wr_id, 900);
		prog_obj(g->p, F_recv_mr, t->mr);
		prog_num(g->p, F_recv_length, 1);
		prog_out(g->p, F_recv_num_sge, main,
			 packets_spread(t) ? F_wq_max_sge : F_max_recv_sge, 1);
		return;
	default:
		return;
	}
}

static void read_counters(const struct packets *t, bool ends)
{
	struct gen *g = t->g;

	if (!packets_count(t))
		return;
	if (packets_has(t, READ, READ_CACHED))
		flow_read_counters(g, t->counters, 3, 1);
	if (ends || packets_has(t, READ, READ_EACH))
		flow_read_counters(g, t->counters, 3, 0);
}

static void carry(struct packets *t)
{
	packets_post(t);
	if (!t->round)
		refuse(t);
	packets_send(t);
	read_counters(t, false);
	for (unsigned int i = 0; i < t->nqueues; i++)
		gen_read_part(t->g, t->mr, (uint64_t)i * PACKETS_MEMORY,
			      PACKETS_MEMORY);
}

static void end(struct packets *t)
{
	struct gen *g = t->g;

	if (packets_has(t, ENDING, RECEIVES_LEFT))
		packets_post(t);
	read_counters(t, true);
	if (packets_has(t, ENDING, TRIED))
		gen_call(g, V_destroy_qp, t->qp);
	packets_drop_rules(t);
	gen_call(g, V_destroy_qp, t->qp);
	if (packets_has(t, ENDING, LOOK))
		return;
	if (t->other_qp != NO_OBJ)
		gen_call(g, V_destroy_qp, t->other_qp);
	if (t->ind != NO_OBJ)
		gen_call(g, V_destroy_rwq_ind_table, t->ind);
	for (unsigned int i = 0; i < t->nmain && packets_spread(t); i++)
		gen_call(g, V_destroy_wq, t->queue[i].on);
	for (unsigned int i = 0; i < t->nqueues; i++)
		gen_call(g, V_destroy_cq, t->queue[i].cq);
	if (packets_count(t))
		gen_call(g, V_destroy_counters, t->counters);
}

static void build(struct gen *g, enum qp_kind kind, const uint8_t *row)
{
	struct packets t = {.g = g, .row = row};

	(void)kind;
	packets_stage(&t);
	packets_make_rules(&t);
	carry(&t);
	packets_live(&t);
	packets_change_rules(&t);
	t.round = 1;
	carry(&t);
	end(&t);
}

static const struct combined packets = {
	.name = "packets",
	.factor = packets_factors,
	.n = PACKETS_FACTORS,
	.offered = offered,
	.permitted = permitted,
	.build = build,
};

void gen_combined_packets(struct gen *g, enum qp_kind kind)
{
	if (kind == QK_RAW_PACKET)
		combined_cases(g, kind, &packets, ROW_FLOW_MATCH,
			       flow_packet_claim(g));
}
