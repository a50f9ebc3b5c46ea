// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Spreads packets over the work queues of an indirection table, by a hash of
 * their headers.
 */
#include "model/raw/spread.h"

#define RSS_MANY 16 /* hashes that one queue does not get by chance */

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

unsigned int spread_packet(struct step *s, struct model_wr *w, uint16_t qp,
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
