// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Steers packets that RAW_PACKET sends, unless a virtual device does: finds the
 * rule that decides, the queues that its queue pair receives with, and what
 * create flags do to the packet.
 */
#include "contract/opcodes.h"
#include "model/raw/looped.h"
#include "model/raw/raw_packet.h"
#include "model/raw/spread.h"
#include "model/vendor.h"

#define VLAN_TAG_LEN 4
#define FCS_LEN	     4

#define FRAME_LEAST 60 /* bytes of a frame without its check sequence */

#define SAME(member) (((is->member ^ r->val.member) & r->mask.member) == 0)

void raw_packet_check(struct step *s, struct faults *f, uint64_t length)
{
	const struct opcode *op = opcode_of(s->b->in.wr.opcode);

	if (qp_of(s->m, s->b->on)->kind == QK_RAW_PACKET && op &&
	    !op->segmented && length < FRAME_LEAST)
		add_fault(s, f, ROW_POST_SHORT_FRAME);
}

static bool same_address(const union ibv_gid *is, const union ibv_gid *value,
			 const union ibv_gid *mask)
{
	for (int i = 0; i < 16; i++)
		if ((is->raw[i] ^ value->raw[i]) & mask->raw[i])
			return false;
	return true;
}

static bool matches_eth(const struct packet *p, const struct flow_rule *r)
{
	const struct flow_filter *is = &p->is;

	return SAME(dst_mac) && SAME(src_mac) && SAME(ether_type) &&
	       (!r->mask.vlan_tag || (p->tagged && SAME(vlan_tag)));
}

static bool matches_ipv4(const struct packet *p, const struct flow_rule *r,
			 bool ext)
{
	const struct flow_filter *is = &p->is;

	if (p->l3 != IBV_FLOW_SPEC_IPV4 || !SAME(ipv4_src) || !SAME(ipv4_dst))
		return false;
	return !ext || (SAME(ipv4_proto) && SAME(ipv4_tos) && SAME(ipv4_ttl) &&
			SAME(ipv4_flags));
}

static bool matches_ipv6(const struct packet *p, const struct flow_rule *r)
{
	const struct flow_filter *is = &p->is;

	return p->l3 == IBV_FLOW_SPEC_IPV6 &&
	       same_address(&is->ipv6_src, &r->val.ipv6_src,
			    &r->mask.ipv6_src) &&
	       same_address(&is->ipv6_dst, &r->val.ipv6_dst,
			    &r->mask.ipv6_dst) &&
	       SAME(flow_label) && SAME(next_hdr) && SAME(traffic_class) &&
	       SAME(hop_limit);
}

static bool matches_spec(const struct packet *p, const struct flow_rule *r,
			 uint32_t type)
{
	const struct flow_filter *is = &p->is;

	switch (type) {
	case IBV_FLOW_SPEC_ETH:
		return matches_eth(p, r);
	case IBV_FLOW_SPEC_IPV4:
	case IBV_FLOW_SPEC_IPV4_EXT:
		return matches_ipv4(p, r, type == IBV_FLOW_SPEC_IPV4_EXT);
	case IBV_FLOW_SPEC_IPV6:
		return matches_ipv6(p, r);
	case IBV_FLOW_SPEC_TCP:
	case IBV_FLOW_SPEC_UDP:
		return p->l4 == type && SAME(src_port) && SAME(dst_port);
	case IBV_FLOW_SPEC_ESP:
		return p->l4 == type && SAME(esp_spi) && SAME(esp_seq);
	default:
		return true; /* an action */
	}
}

/* Returns true if a rule of the port asks for more than the addresses and the
 * type of a packet, so that its decision about one with several VLAN tags is
 * unknown. */
static bool asks_more(const struct model *m, uint16_t sender)
{
	for (uint16_t i = first_of(m, OBJ_FLOW); i != NO_OBJ;
	     i = next_of(m, OBJ_FLOW, i)) {
		const struct object *o = &m->object[i];
		const struct flow_rule *r = &o->flow.rule;

		if (!o->alive || o->device != m->object[sender].device)
			continue;
		for (unsigned int n = 0; n < r->num_of_specs && n < FLOW_SPECS;
		     n++)
			if (r->spec[n] == IBV_FLOW_SPEC_ETH
				    ? r->mask.vlan_tag != 0
				    : r->spec[n] < IBV_FLOW_SPEC_ACTION_TAG)
				return true;
	}
	return false;
}

/* Returns true if the rule has an action of this type. */
static bool acts(const struct flow_rule *r, uint32_t type)
{
	for (unsigned int n = 0; n < r->num_of_specs && n < FLOW_SPECS; n++)
		if (r->spec[n] == type)
			return true;
	return false;
}

static bool matches(const struct model *m, const struct packet *p,
		    const struct flow_rule *r)
{
	if (mutant_skips(m->mutant, ROW_FLOW_MATCH))
		return true;
	for (unsigned int n = 0; n < r->num_of_specs && n < FLOW_SPECS; n++)
		if (!matches_spec(p, r, r->spec[n]))
			return false;
	return true;
}

/* Returns true if two rules have equal specifications. */
static bool are_equal(const struct flow_rule *a, const struct flow_rule *b)
{
	return a->num_of_specs == b->num_of_specs && a->tag_id == b->tag_id &&
	       !memcmp(a->spec, b->spec, sizeof(a->spec)) &&
	       !memcmp(&a->val, &b->val, sizeof(a->val)) &&
	       !memcmp(&a->mask, &b->mask, sizeof(a->mask));
}

/* Seeded fault: the place of a destroyed rule stays in the table, before those
 * of less important rules with equal specifications. */
void raw_packet_bury(struct step *s, uint16_t gone)
{
	struct model *m = s->m;
	const struct object *old = &m->object[gone];

	if (!mutant_has_quirk(m->mutant, QUIRK_FLOW_GHOST))
		return;
	for (uint16_t i = first_of(m, OBJ_FLOW); i != NO_OBJ;
	     i = next_of(m, OBJ_FLOW, i)) {
		struct object *o = &m->object[i];

		if (o->alive && i != gone && o->device == old->device &&
		    o->flow.rule.port == old->flow.rule.port &&
		    o->flow.rule.priority > old->flow.rule.priority &&
		    o->parent[0] != old->parent[0] &&
		    are_equal(&o->flow.rule, &old->flow.rule))
			o->flow.buried = true;
	}
}

/* Returns true if a rule has just these specifications. */
static bool has_shape(const struct flow_rule *r, const uint32_t *spec,
		      unsigned int n)
{
	if (r->num_of_specs != n)
		return false;
	for (unsigned int i = 0; i < n; i++)
		if (r->spec[i] != spec[i])
			return false;
	return true;
}

/* Seeded fault: returns true if the rule of `late` is for Ethernet alone and
 * that of `early` for UDP over IPv4. */
static bool has_late_shape(const struct model *m, uint16_t early, uint16_t late)
{
	static const uint32_t udp[] = {IBV_FLOW_SPEC_ETH, IBV_FLOW_SPEC_IPV4,
				       IBV_FLOW_SPEC_UDP};

	return mutant_has_quirk(m->mutant, QUIRK_FLOW_SHAPES) && early < late &&
	       has_shape(&m->object[early].flow.rule, udp, 3) &&
	       has_shape(&m->object[late].flow.rule, udp, 1);
}

/* Seeded fault: returns when the rules of this priority moved to the end of the
 * table, or 0. */
static uint32_t flow_turn(const struct model *m, const struct flow_rule *r)
{
	if (!mutant_has_quirk(m->mutant, QUIRK_FLOW_EMPTIED) ||
	    r->priority >= SEEDED_PRIORITIES)
		return 0;
	return m->emptied[r->priority];
}

/* Returns true if the rule of slot `a` comes before that of slot `b`. */
static bool is_before(const struct model *m, uint16_t a, uint16_t b)
{
	const struct flow_rule *first = &m->object[a].flow.rule;
	const struct flow_rule *other = &m->object[b].flow.rule;

	if (mutant_has_quirk(m->mutant, QUIRK_FLOW_NEWEST) &&
	    are_equal(first, other))
		return a > b;
	if (mutant_has_quirk(m->mutant, QUIRK_FLOW_OLDEST))
		return a < b;
	if (has_late_shape(m, a, b) || has_late_shape(m, b, a))
		return a < b;
	if (flow_turn(m, first) != flow_turn(m, other))
		return flow_turn(m, first) < flow_turn(m, other);
	if (mutant_skips(m->mutant, ROW_FLOW_ORDER))
		return first->priority > other->priority;
	return first->priority < other->priority;
}

static bool has_dont_trap(const struct model *m, uint16_t rule)
{
	return m->object[rule].flow.rule.flags & IBV_FLOW_ATTR_FLAGS_DONT_TRAP;
}

/* Seeded fault: returns true for a rule that a packet skips which was copied
 * before. */
static bool is_skipped(const struct model *m, uint16_t last, uint16_t rule)
{
	return last != NO_OBJ && has_dont_trap(m, rule) &&
	       mutant_has_quirk(m->mutant, QUIRK_FLOW_PASSES_ONCE);
}

/* Returns the rule behind rule `last`, if any, that decides on a packet from
 * the port of `sender`, or NO_OBJ. If two rules of one priority match, nobody
 * knows which decides. */
static uint16_t deciding_rule(struct step *s, uint16_t sender,
			      const struct packet *p, uint16_t last)
{
	const struct model *m = s->m;
	uint16_t best = NO_OBJ;
	bool equal = false;

	for (uint16_t i = first_of(m, OBJ_FLOW); i != NO_OBJ;
	     i = next_of(m, OBJ_FLOW, i)) {
		const struct object *o = &m->object[i];

		if (!o->alive || o->device != m->object[sender].device ||
		    o->flow.vague ||
		    o->flow.rule.port != m->object[sender].qp.port ||
		    (last != NO_OBJ && !is_before(m, last, i)) ||
		    is_skipped(m, last, i) || !matches(m, p, &o->flow.rule))
			continue;
		if (best != NO_OBJ)
			record_row(s, ROW_FLOW_ORDER);
		if (best == NO_OBJ || is_before(m, i, best)) {
			best = i;
			equal = false;
		} else {
			equal |= !is_before(m, best, i);
		}
	}
	s->m->lost_track |= equal && is_oracle(s);
	return best;
}

/* Returns true for a multicast packet that the receiver sent itself and does
 * not want. */
static bool is_blocked(struct step *s, uint16_t sender, uint16_t to,
		       const struct packet *p)
{
	const struct qp_init_args *init = &s->m->object[to].qp.init;

	if (sender != to || !packet_is_multicast(p) ||
	    !(init->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) ||
	    !(init->create_flags & IBV_QP_CREATE_BLOCK_SELF_MCAST_LB))
		return false;
	record_row(s, ROW_FLOW_SELF);
	return !mutant_skips(s->m->mutant, ROW_FLOW_SELF);
}

/* Returns true if the queue may receive packets in its state. mlx5 receives in
 * INIT already, and no packet has to arrive. */
static bool receives(const struct model *m, uint16_t slot)
{
	uint8_t state = m->object[slot].qp.state;

	return state >= IBV_QPS_INIT && state <= IBV_QPS_SQE &&
	       !m->object[slot].qp.stopped;
}

/* Returns how a queue receives a packet, as bits of enum packet_altered. */
static uint8_t altered(struct step *s, const struct packet *p, uint16_t to)
{
	const struct qp_init_args *init = &s->m->object[to].qp.init;
	uint32_t flags = init->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS
				 ? init->create_flags
				 : 0;
	uint8_t how = 0;

	/* nothing says which of several tags is taken off */
	s->m->lost_track |= p->more_tags && is_oracle(s) &&
			    flags & IBV_QP_CREATE_CVLAN_STRIPPING;
	if (flags & IBV_QP_CREATE_CVLAN_STRIPPING && p->tagged) {
		record_row(s, ROW_FLOW_VLAN);
		if (!mutant_skips(s->m->mutant, ROW_FLOW_VLAN))
			how |= PACKET_STRIPPED;
	}
	if (flags & IBV_QP_CREATE_SCATTER_FCS) {
		record_row(s, ROW_FLOW_FCS);
		if (!mutant_skips(s->m->mutant, ROW_FLOW_FCS))
			how |= PACKET_WITH_FCS;
	}
	if (flags & IBV_QP_CREATE_PCI_WRITE_END_PADDING)
		how |= PACKET_PADDED;
	return how;
}

/* Notes what the completion may say of the checksums of a packet. With offloads
 * for tunnels it is about the inner packet. */
static void note_checksum(struct step *s, struct model_wr *w, uint16_t qp,
			  const struct packets *p)
{
	uint8_t is = p->outer.checksum;
	enum row row = is == CHECKSUM_RIGHT ? ROW_FLOW_CSUM_OK : ROW_FLOW_CSUM;

	if (!claim_holds(CLAIM_RAW_CSUM, home_of(s->m, qp)))
		return;
	if (p->tunnel) {
		is = p->inner.checksum;
		row = vendor_tunnel_checksum(s, qp, is == CHECKSUM_RIGHT);
	}
	if (!is || row == ROW_NONE)
		return;
	if (p->outer.ip_bytes > 20 &&
	    mutant_has_quirk(s->m->mutant, QUIRK_CSUM_OPTIONS))
		is = CHECKSUM_RIGHT;
	w->checksum = is;
	w->checksum_row = (uint16_t)row;
}

/* Returns true if a copy of a packet comes if another one does. */
static bool comes_with_copies(const struct model *m, const struct model_wr *w,
			      uint16_t to)
{
	return !w->own_row && !w->rss_packet &&
	       m->object[to].qp.state >= IBV_QPS_RTR;
}

void raw_packet_arrive(struct step *s, struct model_wr *w, uint16_t to)
{
	uint16_t qp = w->rss_packet ? w->rss_qp : to;
	struct packets p;
	bool known;

	if (!packets_read(s->m, w, &p, &known))
		return;
	note_checksum(s, w, qp, &p);
	/* libmlx5 tells no flags of packets to a work queue */
	if (qp != to && w->checksum == CHECKSUM_RIGHT)
		w->checksum = CHECKSUM_UNKNOWN;
	if (qp == to && s->m->object[to].qp.state >= IBV_QPS_RTR &&
	    s->m->object[to].ctx == s->m->object[w->owner].ctx)
		w->own_row = (uint16_t)vendor_own_packets(
			s, to, packet_is_multicast(&p.outer));
	if (!comes_with_copies(s->m, w, to))
		w->passing = 0;
	looped_note(s, w, to, &p);
	w->altered = altered(s, &p.outer, to);
	if (p.rewritten)
		w->altered |= PACKET_REWRITTEN;
	if (w->altered & PACKET_STRIPPED)
		w->length -= VLAN_TAG_LEN;
	if (w->altered & PACKET_WITH_FCS)
		w->length += FCS_LEN;
}

/* For a seeded fault: returns the last rule with a tag, or `rule`. */
static uint16_t last_tagging(const struct model *m, uint16_t rule)
{
	for (uint16_t i = first_of(m, OBJ_FLOW); i != NO_OBJ;
	     i = next_of(m, OBJ_FLOW, i))
		if (m->object[i].alive && i > rule &&
		    acts(&m->object[i].flow.rule, IBV_FLOW_SPEC_ACTION_TAG))
			rule = i;
	return rule;
}

/* Notes the tag of the rule that decides on a packet. */
static void note_tag(const struct step *s, struct model_wr *w, uint16_t rule)
{
	const struct model *m = s->m;

	if (mutant_has_quirk(m->mutant, QUIRK_FLOW_TAG_LAST))
		rule = last_tagging(m, rule);
	w->flow_tagged =
		acts(&m->object[rule].flow.rule, IBV_FLOW_SPEC_ACTION_TAG);
	w->flow_tag = m->object[rule].flow.rule.tag_id;
}

/* Returns true if a packet goes on to the rules behind the last one. */
static bool lets_pass(struct step *s, const struct steering *by)
{
	const struct mutant *mutant = s->m->mutant;

	if (!has_dont_trap(s->m, by->rule))
		return false;
	record_row(s, ROW_FLOW_PASSES);
	return !mutant_skips(mutant, ROW_FLOW_PASSES) &&
	       (by->rules == 1 ||
		!mutant_has_quirk(mutant, QUIRK_FLOW_TRAPS_SECOND));
}

/* Returns true if a rule with DONT_TRAP before `rule` gives the packet to the
 * same queue pair. */
static bool has_copy(const struct model *m, uint16_t rule,
		     const struct packet *p)
{
	const struct object *o = &m->object[rule];

	for (uint16_t i = first_of(m, OBJ_FLOW); i != NO_OBJ;
	     i = next_of(m, OBJ_FLOW, i)) {
		const struct object *other = &m->object[i];

		if (other->alive && other->parent[0] == o->parent[0] &&
		    other->flow.rule.port == o->flow.rule.port &&
		    is_before(m, i, rule) && matches(m, p, &other->flow.rule))
			return true;
	}
	return false;
}

/* Gives a packet to the queues that its rule names. */
static void give_to_queues(struct step *s, struct model_wr *w,
			   const struct packets *p, struct steering *by)
{
	uint16_t to = s->m->object[s->m->object[by->rule].parent[0]].real;
	unsigned int n = 1;

	if (is_blocked(s, w->owner, to, &p->outer))
		return;
	by->to[0] = to;
	if (s->m->object[to].qp.rss)
		n = spread_packet(s, w, to, p, by->to);
	if (s->m->object[to].qp.rss && n == 1 &&
	    spread_is_stale(s->m, to, by->to[0]))
		return;
	for (unsigned int i = 0; i < n; i++)
		if (receives(s->m, by->to[i]))
			by->to[by->n++] = by->to[i];
}

/* Carries out what the rule says of a packet. */
static void follow_rule(struct step *s, struct model_wr *w,
			const struct packets *p, struct steering *by)
{
	by->n = 0;
	by->rules++;
	w->rule = by->rule;
	if (by->rules == 1)
		w->passing = has_dont_trap(s->m, by->rule)
				     ? ++s->m->passed_packets
				     : 0;
	/* nothing says whether a queue pair gets two copies of a packet */
	else if (is_oracle(s) && has_copy(s->m, by->rule, &p->outer))
		s->m->lost_track = true;
	if (s->m->object[by->rule].flow.buried)
		return;
	flow_counters_count(s, w, by->rule);
	note_tag(s, w, by->rule);
	if (acts(&s->m->object[by->rule].flow.rule,
		 IBV_FLOW_SPEC_ACTION_DROP)) {
		record_row(s, ROW_FLOW_DROP);
		if (!mutant_skips(s->m->mutant, ROW_FLOW_DROP))
			return;
	}
	give_to_queues(s, w, p, by);
}

bool raw_packet_steer(struct step *s, struct model_wr *w, struct steering *by)
{
	struct packets p;
	bool known, whole;

	if (first_of(s->m, OBJ_FLOW) == NO_OBJ ||
	    (by->rules && !lets_pass(s, by)))
		return false;
	whole = packets_read(s->m, w, &p, &known);
	if (is_oracle(s) && (!known || flow_is_vague(s->m) ||
			     (p.outer.more_tags && asks_more(s->m, w->owner))))
		s->m->lost_track = true;
	if (!whole)
		return false;
	record_row(s, ROW_FLOW_MATCH);
	by->rule = deciding_rule(s, w->owner, &p.outer,
				 by->rules ? by->rule : NO_OBJ);
	if (by->rule == NO_OBJ)
		return false;
	follow_rule(s, w, &p, by);
	return true;
}
