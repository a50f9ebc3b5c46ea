// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Steers packets that RAW_PACKET sends, unless a virtual device does: reads the
 * headers from the memory of the send, finds the rule that decides, and the
 * work queue of a queue pair with an indirection table.
 */
#include "model/raw/raw_packet.h"
#include "program/repro/parts/packet.h"

#define HEADERS_MOST 96
#define RSS_MANY     16 /* hashes that one queue does not get by chance */

struct packet {
	bool tagged;
	uint32_t l3, l4; /* IBV_FLOW_SPEC_ values, 0: none that is known */
	struct flow_filter is;
};

/* Reads the first bytes of a send. Returns how many; 0: they are unknown. */
static size_t read_headers(const struct model *m, const struct model_wr *w,
			   uint8_t into[HEADERS_MOST])
{
	uint64_t length = w->length < HEADERS_MOST ? w->length : HEADERS_MOST;
	struct place at;
	uint64_t step;

	for (uint64_t done = 0; done < length; done += step) {
		step = elements_locate(&w->data, done, &at);
		step = step < length - done ? step : length - done;
		if (!step || !bytes_read(m, at, into + done, step))
			return 0;
	}
	return length;
}

static uint64_t get(const uint8_t *at, unsigned int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

static void parse_l4(struct packet *p, uint64_t protocol, const uint8_t *at,
		     size_t bytes)
{
	if (bytes < 8)
		return;
	switch (protocol) {
	case PACKET_IP_TCP:
		p->l4 = IBV_FLOW_SPEC_TCP;
		break;
	case PACKET_IP_UDP:
		p->l4 = IBV_FLOW_SPEC_UDP;
		break;
	case PACKET_IP_ESP:
		p->l4 = IBV_FLOW_SPEC_ESP;
		p->is.esp_spi = (uint32_t)get(at, 4);
		p->is.esp_seq = (uint32_t)get(at + 4, 4);
		return;
	default:
		return;
	}
	p->is.src_port = (uint16_t)get(at, 2);
	p->is.dst_port = (uint16_t)get(at + 2, 2);
}

static void parse_ipv4(struct packet *p, const uint8_t *at, size_t bytes)
{
	if (bytes < 20 || at[0] != 0x45)
		return;
	p->l3 = IBV_FLOW_SPEC_IPV4;
	p->is.ipv4_tos = at[1];
	p->is.ipv4_flags = at[6] >> 5;
	p->is.ipv4_ttl = at[8];
	p->is.ipv4_proto = at[9];
	p->is.ipv4_src = (uint32_t)get(at + 12, 4);
	p->is.ipv4_dst = (uint32_t)get(at + 16, 4);
	parse_l4(p, at[9], at + 20, bytes - 20);
}

static void parse_ipv6(struct packet *p, const uint8_t *at, size_t bytes)
{
	uint32_t first;

	if (bytes < 40 || at[0] >> 4 != 6)
		return;
	first = (uint32_t)get(at, 4);
	p->l3 = IBV_FLOW_SPEC_IPV6;
	p->is.traffic_class = (uint8_t)(first >> 20);
	p->is.flow_label = first & 0xfffff;
	p->is.next_hdr = at[6];
	p->is.hop_limit = at[7];
	memcpy(p->is.ipv6_src.raw, at + 8, 16);
	memcpy(p->is.ipv6_dst.raw, at + 24, 16);
	parse_l4(p, at[6], at + 40, bytes - 40);
}

/* Returns false for a packet without an Ethernet header. */
static bool parse(struct packet *p, const uint8_t *at, size_t bytes)
{
	size_t n = 14;

	*p = (struct packet){0};
	if (bytes < n)
		return false;
	p->is.dst_mac = get(at, 6);
	p->is.src_mac = get(at + 6, 6);
	if (get(at + 12, 2) == 0x8100 && bytes >= 18) {
		p->tagged = true;
		p->is.vlan_tag = (uint16_t)get(at + 14, 2);
		n = 18;
	}
	p->is.ether_type = (uint16_t)get(at + n - 2, 2);
	if (p->is.ether_type == 0x0800)
		parse_ipv4(p, at + n, bytes - n);
	else if (p->is.ether_type == 0x86dd)
		parse_ipv6(p, at + n, bytes - n);
	return true;
}

#define SAME(member) (((is->member ^ r->val.member) & r->mask.member) == 0)

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

static bool drops(const struct flow_rule *r)
{
	for (unsigned int n = 0; n < r->num_of_specs && n < FLOW_SPECS; n++)
		if (r->spec[n] == IBV_FLOW_SPEC_ACTION_DROP)
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

/* Returns true if the rule of slot `a` comes before that of slot `b`. */
static bool is_before(const struct model *m, uint16_t a, uint16_t b)
{
	const struct flow_rule *first = &m->object[a].flow.rule;
	const struct flow_rule *other = &m->object[b].flow.rule;

	if (mutant_skips(m->mutant, ROW_FLOW_ORDER))
		return first->priority > other->priority;
	return first->priority < other->priority;
}

/* Returns the rule that decides on a packet from the port of `sender`, or
 * NO_OBJ. If two rules of one priority match, nobody knows which decides. */
static uint16_t deciding_rule(struct step *s, uint16_t sender,
			      const struct packet *p)
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
		    !matches(m, p, &o->flow.rule))
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

	if (sender != to || !(p->is.dst_mac >> 40 & 1) ||
	    !(init->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) ||
	    !(init->create_flags & IBV_QP_CREATE_BLOCK_SELF_MCAST_LB))
		return false;
	record_row(s, ROW_FLOW_SELF);
	return !mutant_skips(s->m->mutant, ROW_FLOW_SELF);
}

/* Feeds the bytes of hashed fields to a hash. */
static void hash(uint32_t *sum, const void *bytes, size_t n)
{
	const uint8_t *at = bytes;

	while (n--)
		*sum = (*sum ^ *at++) * 0x01000193;
}

#define HASHED(bit, member)                                                    \
	do {                                                                   \
		if (fields & (bit)) {                                          \
			hash(&sum, &p->is.member, sizeof(p->is.member));       \
			any = true;                                            \
		}                                                              \
	} while (0)

/* Sets *sum to a hash of the fields that a queue pair spreads packets by.
 * Returns false if the packet has none of them. */
static bool hash_of(uint64_t fields, const struct packet *p, uint32_t *of)
{
	uint32_t sum = 0x811c9dc5;
	bool any = false;

	if (p->l3 == IBV_FLOW_SPEC_IPV4) {
		HASHED(IBV_RX_HASH_SRC_IPV4, ipv4_src);
		HASHED(IBV_RX_HASH_DST_IPV4, ipv4_dst);
	} else if (p->l3 == IBV_FLOW_SPEC_IPV6) {
		HASHED(IBV_RX_HASH_SRC_IPV6, ipv6_src);
		HASHED(IBV_RX_HASH_DST_IPV6, ipv6_dst);
	}
	if (p->l4 == IBV_FLOW_SPEC_TCP) {
		HASHED(IBV_RX_HASH_SRC_PORT_TCP, src_port);
		HASHED(IBV_RX_HASH_DST_PORT_TCP, dst_port);
	} else if (p->l4 == IBV_FLOW_SPEC_UDP) {
		HASHED(IBV_RX_HASH_SRC_PORT_UDP, src_port);
		HASHED(IBV_RX_HASH_DST_PORT_UDP, dst_port);
	} else if (p->l4 == IBV_FLOW_SPEC_ESP) {
		HASHED(IBV_RX_HASH_IPSEC_SPI, esp_spi);
	}
	*of = sum ^ sum >> 16;
	return any;
}

static unsigned int queues_of(const struct model_ind *ind)
{
	unsigned int n = 1;

	while (n < IND_QUEUES && n < UINT64_C(1) << ind->log_size &&
	       ind->wq[n] != NO_OBJ)
		n++;
	return n;
}

/* Returns the work queue that got earlier packets with the same hash, or
 * NO_OBJ. */
static uint16_t known_queue(const struct model *m, uint16_t qp, uint32_t sum)
{
	for (unsigned int i = 0; i < m->nrss; i++)
		if (m->rss[i].qp == qp && m->rss[i].sum == sum)
			return m->rss[i].wq;
	return NO_OBJ;
}

/* Returns true if packets of so many hashes went to one queue that this is no
 * chance. */
static bool clusters(const struct model *m, uint16_t qp, uint16_t wq)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < m->nrss; i++) {
		if (m->rss[i].qp != qp)
			continue;
		if (m->rss[i].wq != wq)
			return false;
		n++;
	}
	return n == RSS_MANY;
}

void raw_packet_seen(struct step *s, const struct model_wr *r)
{
	struct model *m = s->m;
	uint16_t ind = m->object[r->rss_qp].qp.init.rwq_ind_tbl;

	if (known_queue(m, r->rss_qp, r->rss_sum) != NO_OBJ ||
	    m->nrss == MODEL_RSS_CLASSES)
		return;
	m->rss[m->nrss++] = (struct rss_class){r->rss_sum, r->rss_qp, r->owner};
	if (queues_of(&m->object[ind].ind) > 1 &&
	    clusters(m, r->rss_qp, r->owner))
		choose_second(s, ROW_RSS_SPREAD);
}

/* Stores the work queues that may get a packet. Those whose hashed fields are
 * equal all go to one queue. An oracle hands the first of them to each queue,
 * and sees which one gets it. */
static unsigned int work_queues(struct step *s, struct model_wr *w, uint16_t qp,
				const struct packet *p, uint16_t to[IND_QUEUES])
{
	const struct qp_init_args *init = &s->m->object[qp].qp.init;
	const struct model_ind *ind = &s->m->object[init->rwq_ind_tbl].ind;
	unsigned int n = queues_of(ind);

	record_row(s, ROW_RSS_SAME);
	record_row(s, ROW_RSS_SPREAD);
	w->rss_packet = ++s->m->rss_packets;
	w->rss_qp = qp;
	if (!hash_of(init->rx_hash_fields_mask, p, &w->rss_sum) && is_oracle(s))
		s->m->lost_track = true;
	to[0] = known_queue(s->m, qp, w->rss_sum);
	if (is_oracle(s) && to[0] == NO_OBJ) {
		memcpy(to, ind->wq, n * sizeof(*to));
		return n;
	}
	if (is_oracle(s))
		return 1;
	to[0] = ind->wq[w->rss_sum % n];
	if (mutant_skips(s->m->mutant, ROW_RSS_SPREAD) ||
	    mutant_choice(s->m->mutant, ROW_RSS_SPREAD) == OUT_LOST)
		to[0] = ind->wq[0];
	if (mutant_skips(s->m->mutant, ROW_RSS_SAME))
		to[0] = ind->wq[w->rss_packet % n];
	return 1;
}

/* Returns true if the queue may receive packets in its state. mlx5 receives in
 * INIT already, and no packet has to arrive. */
static bool receives(const struct model *m, uint16_t slot)
{
	uint8_t state = m->object[slot].qp.state;

	return state >= IBV_QPS_INIT && state <= IBV_QPS_SQE;
}

uint8_t raw_packet_altered(struct step *s, const struct model_wr *w,
			   uint16_t to)
{
	const struct qp_init_args *init = &s->m->object[to].qp.init;
	uint32_t flags = init->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS
				 ? init->create_flags
				 : 0;
	uint8_t bytes[HEADERS_MOST], altered = 0;
	struct packet p;

	if (!flags || !parse(&p, bytes, read_headers(s->m, w, bytes)))
		return 0;
	if (flags & IBV_QP_CREATE_CVLAN_STRIPPING && p.tagged) {
		record_row(s, ROW_FLOW_VLAN);
		if (!mutant_skips(s->m->mutant, ROW_FLOW_VLAN))
			altered |= PACKET_STRIPPED;
	}
	if (flags & IBV_QP_CREATE_SCATTER_FCS) {
		record_row(s, ROW_FLOW_FCS);
		if (!mutant_skips(s->m->mutant, ROW_FLOW_FCS))
			altered |= PACKET_WITH_FCS;
	}
	if (flags & IBV_QP_CREATE_PCI_WRITE_END_PADDING)
		altered |= PACKET_PADDED;
	return altered;
}

unsigned int raw_packet_receivers(struct step *s, struct model_wr *w,
				  uint16_t to[IND_QUEUES])
{
	uint8_t bytes[HEADERS_MOST];
	unsigned int n = 1, kept = 0;
	struct packet p;
	size_t length;
	uint16_t rule;

	if (first_of(s->m, OBJ_FLOW) == NO_OBJ)
		return 0;
	length = read_headers(s->m, w, bytes);
	if (is_oracle(s) && ((!length && w->length) || flow_is_vague(s->m)))
		s->m->lost_track = true;
	if (!length || !parse(&p, bytes, length))
		return 0;
	record_row(s, ROW_FLOW_MATCH);
	rule = deciding_rule(s, w->owner, &p);
	if (rule == NO_OBJ)
		return 0;
	if (drops(&s->m->object[rule].flow.rule)) {
		record_row(s, ROW_FLOW_DROP);
		if (!mutant_skips(s->m->mutant, ROW_FLOW_DROP))
			return 0;
	}
	to[0] = s->m->object[s->m->object[rule].parent[0]].real;
	if (is_blocked(s, w->owner, to[0], &p))
		return 0;
	if (s->m->object[to[0]].qp.rss)
		n = work_queues(s, w, to[0], &p, to);
	for (unsigned int i = 0; i < n; i++)
		if (receives(s->m, to[i]))
			to[kept++] = to[i];
	return kept;
}
