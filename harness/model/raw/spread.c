// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Spreads packets over the work queues of an indirection table, by a hash of
 * their headers.
 */
#include "program/toeplitz.h"
#include "model/raw/spread.h"

#define RSS_MANY 16 /* hashes that one queue does not get by chance */

/* The hashed fields of a packet, in the order of the Toeplitz hash. */
struct hashed {
	uint8_t byte[40];
	unsigned int n;
	bool pair; /* both addresses, or both ports: a device whose hash is
		      symmetric treats them otherwise */
};

static void put(struct hashed *to, uint64_t value, unsigned int bytes)
{
	while (bytes--)
		to->byte[to->n++] = (uint8_t)(value >> 8 * bytes);
}

/* Adds those of two fields that are hashed by. `both` are their bits, the lower
 * one for the source. */
static void put_two(struct hashed *to, uint64_t by, uint64_t both,
		    uint64_t source, uint64_t target, unsigned int bytes)
{
	uint64_t first = both & ~(both - 1);

	to->pair |= (by & both) == both;
	if (by & first)
		put(to, source, bytes);
	if (by & both & ~first)
		put(to, target, bytes);
}

static void put_ipv6(struct hashed *to, uint64_t by, const struct packet *p)
{
	const union ibv_gid *source = &p->is.ipv6_src,
			    *target = &p->is.ipv6_dst;

	to->pair |= (by & RX_HASH_IPV6) == RX_HASH_IPV6;
	for (unsigned int i = 0; by & IBV_RX_HASH_SRC_IPV6 && i < 16; i++)
		put(to, source->raw[i], 1);
	for (unsigned int i = 0; by & IBV_RX_HASH_DST_IPV6 && i < 16; i++)
		put(to, target->raw[i], 1);
}

/* Gathers the fields of a packet that a queue pair spreads packets by. */
static struct hashed hashed_fields(uint64_t by, const struct packet *p)
{
	struct hashed to = {.n = 0};

	if (p->l3 == IBV_FLOW_SPEC_IPV4)
		put_two(&to, by, RX_HASH_IPV4, p->is.ipv4_src, p->is.ipv4_dst,
			4);
	else if (p->l3 == IBV_FLOW_SPEC_IPV6)
		put_ipv6(&to, by, p);
	if (p->l4 == IBV_FLOW_SPEC_TCP)
		put_two(&to, by, RX_HASH_TCP, p->is.src_port, p->is.dst_port,
			2);
	else if (p->l4 == IBV_FLOW_SPEC_UDP)
		put_two(&to, by, RX_HASH_UDP, p->is.src_port, p->is.dst_port,
			2);
	else if (p->l4 == IBV_FLOW_SPEC_ESP && by & IBV_RX_HASH_IPSEC_SPI)
		put(&to, p->is.esp_spi, 4);
	return to;
}

/* Returns a number for the values of the hashed fields. */
static uint32_t sum_of(const struct hashed *in)
{
	uint32_t sum = 0x811c9dc5;

	for (unsigned int i = 0; i < in->n; i++)
		sum = (sum ^ in->byte[i]) * 0x01000193;
	return sum ^ sum >> 16;
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

/* Returns true if one queue got packets of so many hashes that chance cannot be
 * the reason. */
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

void spread_seen(struct step *s, const struct model_wr *r)
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

/* Returns the packet whose fields a queue pair hashes. */
static const struct packet *hashed_packet(struct step *s, uint64_t fields,
					  const struct packets *p)
{
	if (!(fields & IBV_RX_HASH_INNER))
		return &p->outer;
	record_row(s, ROW_RSS_INNER);
	return mutant_skips(s->m->mutant, ROW_RSS_INNER) ? &p->outer
							 : &p->inner;
}

/* Returns the fields that a queue pair hashes. With seeded faults also the
 * source address, if the destination and a port are chosen, or both addresses,
 * if ports alone are chosen. */
static uint64_t fields_hashed(const struct mutant *m, uint64_t chosen)
{
	if (chosen == RX_HASH_IPV4 && mutant_has_quirk(m, QUIRK_HASH_PORTS))
		return chosen | RX_HASH_UDP;
	if (mutant_has_quirk(m, QUIRK_HASH_UDP) &&
	    chosen & IBV_RX_HASH_SRC_PORT_UDP)
		return chosen | IBV_RX_HASH_DST_PORT_UDP;
	if (mutant_has_quirk(m, QUIRK_HASH_ADDRESSES) && chosen &&
	    !(chosen & ~(uint64_t)(RX_HASH_TCP | RX_HASH_UDP)))
		return chosen | RX_HASH_IPV4;
	if (!mutant_has_quirk(m, QUIRK_HASH_SOURCE) ||
	    !(chosen & (RX_HASH_TCP | RX_HASH_UDP)))
		return chosen;
	if (chosen & IBV_RX_HASH_DST_IPV4)
		chosen |= IBV_RX_HASH_SRC_IPV4;
	if (chosen & IBV_RX_HASH_DST_IPV6)
		chosen |= IBV_RX_HASH_SRC_IPV6;
	return chosen;
}

/* For a seeded fault: a table has each of its queues once before it repeats
 * them. */
static uint16_t folded_queue(const struct model_ind *ind, uint64_t entry)
{
	uint16_t once[IND_QUEUES];
	unsigned int n = 1;

	once[0] = ind->wq[0];
	for (unsigned int i = 1; i < queues_of(ind); i++) {
		unsigned int at = 0;

		while (at < n && once[at] != ind->wq[i])
			at++;
		once[at] = ind->wq[i];
		n = at == n ? n + 1 : n;
	}
	return once[entry % n];
}

/* Returns the work queue of an entry of a table, which has its queues over and
 * over. */
static uint16_t queue_at(const struct model *m, const struct model_ind *ind,
			 uint64_t entry)
{
	if (mutant_has_quirk(m->mutant, QUIRK_TABLE_FOLDED))
		return folded_queue(ind, entry);
	if (mutant_has_quirk(m->mutant, QUIRK_TABLE_64))
		entry %= 64;
	if (mutant_has_quirk(m->mutant, QUIRK_TABLE_LAST) &&
	    ind->log_size > 4 && entry == (UINT64_C(1) << ind->log_size) - 1)
		entry--;
	if (mutant_has_quirk(m->mutant, QUIRK_TABLE_LOWER) && ind->log_size > 1)
		entry &= (UINT64_C(1) << (ind->log_size - 1)) - 1;
	if (mutant_has_quirk(m->mutant, QUIRK_TABLE_HALF) && ind->log_size > 1)
		entry |= UINT64_C(1) << (ind->log_size - 1);
	return ind->wq[entry % queues_of(ind)];
}

/* Returns the work queue that the Toeplitz hash of a packet names, or NO_OBJ if
 * the hash is not known. */
static uint16_t named_queue(struct step *s, const struct qp_init_args *init,
			    const struct hashed *in)
{
	const struct model_ind *ind = &s->m->object[init->rwq_ind_tbl].ind;

	if (!in->n || init->rx_hash_key_len != TOEPLITZ_KEY_BYTES ||
	    init->rx_hash_function != IBV_RX_HASH_FUNC_TOEPLITZ ||
	    (in->pair && is_oracle(s)))
		return NO_OBJ;
	record_row(s, ROW_RSS_TOEPLITZ);
	return queue_at(s->m, ind,
			toeplitz_hash(in->byte, in->n) &
				((UINT64_C(1) << ind->log_size) - 1));
}

unsigned int spread_packet(struct step *s, struct model_wr *w, uint16_t qp,
			   const struct packets *p, uint16_t to[IND_QUEUES])
{
	const struct qp_init_args *init = &s->m->object[qp].qp.init;
	const struct model_ind *ind = &s->m->object[init->rwq_ind_tbl].ind;
	uint64_t fields =
		fields_hashed(s->m->mutant, init->rx_hash_fields_mask);
	struct hashed in = hashed_fields(fields, hashed_packet(s, fields, p));
	const struct mutant *mutant = s->m->mutant;
	unsigned int n = queues_of(ind);
	uint16_t named;

	record_row(s, ROW_RSS_SAME);
	record_row(s, ROW_RSS_SPREAD);
	w->rss_packet = ++s->m->rss_packets;
	w->rss_qp = qp;
	w->rss_sum = sum_of(&in);
	named = named_queue(s, init, &in);
	s->m->lost_track |= !in.n && is_oracle(s);
	to[0] = named == NO_OBJ ? known_queue(s->m, qp, w->rss_sum) : named;
	if (is_oracle(s) && to[0] == NO_OBJ) {
		memcpy(to, ind->wq, n * sizeof(*to));
		return n;
	}
	if (is_oracle(s))
		return 1;
	if (named == NO_OBJ || mutant_skips(mutant, ROW_RSS_TOEPLITZ))
		to[0] = ind->wq[w->rss_sum % n];
	if (mutant_skips(mutant, ROW_RSS_SPREAD) ||
	    mutant_choice(mutant, ROW_RSS_SPREAD) == OUT_LOST)
		to[0] = ind->wq[0];
	if (mutant_skips(mutant, ROW_RSS_SAME))
		to[0] = ind->wq[w->rss_packet % n];
	return 1;
}

bool spread_is_stale(const struct model *m, uint16_t qp, uint16_t wq)
{
	const struct model_ind *ind =
		&m->object[m->object[qp].qp.init.rwq_ind_tbl].ind;

	for (unsigned int i = 0; i < queues_of(ind); i++)
		if (ind->wq[i] == wq && ind->stale[i])
			return true;
	return false;
}

void spread_note_reset(struct step *s, uint16_t wq)
{
	struct model *m = s->m;

	if (!mutant_has_quirk(m->mutant, QUIRK_TABLE_STALE))
		return;
	for (uint16_t i = first_of(m, OBJ_QP); i != NO_OBJ;
	     i = next_of(m, OBJ_QP, i)) {
		struct model_ind *ind;

		if (!m->object[i].alive || m->object[i].real != i ||
		    !m->object[i].qp.rss)
			continue;
		ind = &m->object[m->object[i].qp.init.rwq_ind_tbl].ind;
		for (unsigned int k = 0; k < queues_of(ind); k++)
			ind->stale[k] |= ind->wq[k] == wq;
	}
}
