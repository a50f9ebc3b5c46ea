/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Receive side scaling: queue pairs that spread received packets over the work
 * queues of an indirection table.
 */
#include "cases/generate/generate.h"

struct rss {
	const char *name;
	enum row row;
	uint64_t function, key_len, fields;
	uint32_t recv_wr, recv_sge, send_wr;
	bool recv_cq, srq, no_hash;
};

static enum claim rss_claim(const struct gen *g, enum qp_kind kind)
{
	return gen_also(g,
			gen_needs(g, claim_of_kind(kind), CLAIM_WQ, CLAIM_RSS),
			gen_claim(g, kind, 0, 0));
}

/* Creates a queue pair without queues of its own. */
static uint8_t rss_qp(struct gen *g, enum qp_kind kind, uint8_t pd, uint8_t ind,
		      const struct rss *r)
{
	uint8_t qp = gen_make(g, V_create_qp_ex, NO_OBJ);
	uint32_t comp = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE;

	if (kind == QK_XRC_RECV)
		comp |= IBV_QP_INIT_ATTR_XRCD;
	if (!r->no_hash)
		comp |= IBV_QP_INIT_ATTR_RX_HASH;
	prog_num(g->p, F_comp_mask, comp);
	prog_obj(g->p, F_pd, pd);
	if (kind == QK_XRC_RECV)
		prog_obj(g->p, F_xrcd, g->xrcd);
	prog_num(g->p, F_qp_type, (uint64_t)qp_kind_value(kind));
	prog_obj(g->p, F_rwq_ind_tbl, ind);
	if (r->no_hash)
		return qp;
	prog_num(g->p, F_rx_hash_function, r->function);
	prog_num(g->p, F_rx_hash_key_len, r->key_len);
	prog_num(g->p, F_rx_hash_fields_mask, r->fields);
	return qp;
}

static void put_recv_side(struct gen *g, const struct rss *r, uint8_t cq,
			  uint8_t srq)
{
	if (r->recv_wr)
		prog_num(g->p, F_max_recv_wr, r->recv_wr);
	if (r->recv_sge)
		prog_num(g->p, F_max_recv_sge, r->recv_sge);
	if (r->recv_cq)
		prog_obj(g->p, F_recv_cq, cq);
	if (r->srq)
		prog_obj(g->p, F_srq, srq);
	if (r->send_wr) {
		prog_num(g->p, F_max_send_wr, r->send_wr);
		prog_num(g->p, F_max_send_sge, 1);
		prog_obj(g->p, F_send_cq, cq);
	}
}

static void rss_case(struct gen *g, enum qp_kind kind, const struct rss *r)
{
	uint8_t pd, cq, ind, srq = NO_OBJ;
	enum claim claim = rss_claim(g, kind);

	if (r->srq)
		claim = gen_also(g, claim, CLAIM_SRQ);
	if (!gen_id(g, "rss/%s", r->name) ||
	    !gen_says_rule(g, r->row, claim, "%s on an indirection table (%s)",
			   qp_kind_name(kind), r->name))
		return;
	g->kind = kind;
	pd = gen_pd(g);
	cq = gen_cq(g);
	ind = gen_ind(g, gen_wq(g, pd, cq));
	if (kind == QK_XRC_RECV)
		g->xrcd = gen_xrcd(g);
	if (r->srq)
		srq = gen_srq(g, pd);
	g->qp = rss_qp(g, kind, pd, ind, r);
	put_recv_side(g, r, cq, srq);
	if (row_accepts(r->row))
		gen_call(g, V_destroy_qp, g->qp);
	gen_call(g, V_destroy_rwq_ind_table, ind);
	gen_done(g);
}

#define HASH(function_, len, mask)                                             \
	.function = (function_), .key_len = (len), .fields = (mask)

static const struct rss good = {HASH(IBV_RX_HASH_FUNC_TOEPLITZ, 40, 3)};

/* Each work queue of a table is kept, and the table by each queue pair. */
static void kept(struct gen *g, bool by_pairs)
{
	uint8_t pd, cq, wq[2], ind, qp[2];

	if (!gen_id(g, by_pairs ? "rss/table-of-two" : "rss/two-queues") ||
	    !gen_says_rule(g, by_pairs ? ROW_LIFE_IND : ROW_LIFE_WQ,
			   rss_claim(g, QK_RAW_PACKET),
			   by_pairs ? "An indirection table of two queue pairs"
				    : "Two work queues of a table"))
		return;
	g->kind = QK_RAW_PACKET;
	pd = gen_pd(g);
	cq = gen_cq(g);
	for (int i = 0; i < 2; i++)
		wq[i] = gen_wq(g, pd, cq);
	ind = gen_ind(g, wq[0]);
	prog_num(g->p, F_ind_log_size, 1);
	prog_obj(g->p, F_ind_wq1, wq[1]);
	for (int i = 0; by_pairs && i < 2; i++)
		qp[i] = rss_qp(g, QK_RAW_PACKET, pd, ind, &good);
	for (int i = 0; by_pairs && i < 2; i++) {
		gen_call(g, V_destroy_rwq_ind_table, ind);
		gen_call(g, V_destroy_qp, qp[i]);
	}
	for (int i = 0; i < 2; i++)
		gen_call(g, V_destroy_wq, wq[i]);
	gen_call(g, V_destroy_rwq_ind_table, ind);
	for (int i = 0; i < 2; i++)
		gen_call(g, V_destroy_wq, wq[1 - i]);
	gen_done(g);
}

/* A queue pair on an indirection table has no state to modify. */
static void rss_modify(struct gen *g, uint32_t mask, int to, const char *name)
{
	uint8_t pd, cq;

	if (!gen_id(g, "rss/modify-%s", name) ||
	    !gen_says_rule(
		    g, ROW_RSS_MODIFY, rss_claim(g, QK_RAW_PACKET),
		    "ibv_modify_qp of RAW_PACKET on an indirection table"))
		return;
	g->kind = QK_RAW_PACKET;
	pd = gen_pd(g);
	cq = gen_cq(g);
	g->qp = rss_qp(g, QK_RAW_PACKET, pd, gen_ind(g, gen_wq(g, pd, cq)),
		       &good);
	gen_modify(g, g->qp, mask, IBV_QPS_RESET, to, NULL);
	gen_call(g, V_destroy_qp, g->qp);
	gen_done(g);
}

/* Sets of hash fields besides those of variants(), and the row that judges a
 * device that offers them. */
static const struct {
	const char *name;
	enum row row;
	uint64_t fields;
} field_sets[] = {
	{"none", ROW_CRE_RSS_FIELDS, 0},
	{"dst-ipv4", ROW_CRE_ACCEPT, IBV_RX_HASH_DST_IPV4},
	{"src-ipv6", ROW_CRE_ACCEPT, IBV_RX_HASH_SRC_IPV6},
	{"dst-ipv6", ROW_CRE_ACCEPT, IBV_RX_HASH_DST_IPV6},
	{"src-port-tcp", ROW_CRE_ACCEPT, IBV_RX_HASH_SRC_PORT_TCP},
	{"dst-port-tcp", ROW_CRE_ACCEPT, IBV_RX_HASH_DST_PORT_TCP},
	{"src-port-udp", ROW_CRE_ACCEPT, IBV_RX_HASH_SRC_PORT_UDP},
	{"dst-port-udp", ROW_CRE_ACCEPT, IBV_RX_HASH_DST_PORT_UDP},
	{"spi", ROW_CRE_ACCEPT, IBV_RX_HASH_IPSEC_SPI},
	{"inner", ROW_CRE_RSS_INNER, IBV_RX_HASH_INNER},
	{"tcp-ipv4", ROW_CRE_ACCEPT, RX_HASH_IPV4 | RX_HASH_TCP},
	{"udp-ipv4", ROW_CRE_ACCEPT, RX_HASH_IPV4 | RX_HASH_UDP},
	{"tcp-ipv6", ROW_CRE_ACCEPT, RX_HASH_IPV6 | RX_HASH_TCP},
	{"udp-ipv6", ROW_CRE_ACCEPT, RX_HASH_IPV6 | RX_HASH_UDP},
	{"spi-ipv4", ROW_CRE_ACCEPT, RX_HASH_IPV4 | IBV_RX_HASH_IPSEC_SPI},
	{"ipv4-ipv6", ROW_CRE_RSS_FIELDS, RX_HASH_IPV4 | RX_HASH_IPV6},
	{"tcp-udp", ROW_CRE_RSS_FIELDS,
	 RX_HASH_IPV4 | RX_HASH_TCP | RX_HASH_UDP},
	{"spi-udp", ROW_CRE_RSS_FIELDS,
	 RX_HASH_IPV4 | RX_HASH_UDP | IBV_RX_HASH_IPSEC_SPI},
	{"inner-ipv4", ROW_CRE_RSS_INNER, RX_HASH_IPV4 | IBV_RX_HASH_INNER},
	{"inner-udp-ipv6", ROW_CRE_RSS_INNER,
	 RX_HASH_IPV6 | RX_HASH_UDP | IBV_RX_HASH_INNER},
};

static void fields(struct gen *g)
{
	uint64_t offered = g->d->limit[LIM_rx_hash_fields_mask];

	for (size_t i = 0; i < COUNT(field_sets); i++) {
		struct rss r = good;
		char name[32];

		snprintf(name, sizeof(name), "fields/%s", field_sets[i].name);
		r.name = name;
		r.fields = field_sets[i].fields;
		r.row = r.fields & ~offered ? ROW_CRE_RSS_HASH
					    : field_sets[i].row;
		rss_case(g, QK_RAW_PACKET, &r);
	}
}

static void variants(struct gen *g)
{
	static const struct rss list[] = {
		{"accept", ROW_CRE_ACCEPT, HASH(1, 40, 3)},
		{"one-field", ROW_CRE_ACCEPT, HASH(1, 40, 1)},
		{"recv-depth", ROW_CRE_IND_RECV, HASH(1, 40, 3), .recv_wr = 4},
		{"recv-elements", ROW_CRE_IND_RECV, HASH(1, 40, 3),
		 .recv_sge = 1},
		{"recv-cq", ROW_CRE_IND_RECV, HASH(1, 40, 3), .recv_cq = true},
		{"srq", ROW_CRE_IND_RECV, HASH(1, 40, 3), .srq = true},
		{"send-queue", ROW_CRE_RSS_SEND, HASH(1, 40, 3), .send_wr = 4},
		{"no-hash", ROW_CRE_RSS_HASH, .no_hash = true},
		{"function-0", ROW_CRE_RSS_HASH, HASH(0, 40, 3)},
		{"function-2", ROW_CRE_RSS_HASH, HASH(2, 40, 3)},
		{"function-128", ROW_CRE_RSS_HASH, HASH(128, 40, 3)},
		{"key-0", ROW_CRE_RSS_HASH, HASH(1, 0, 3)},
		{"key-39", ROW_CRE_RSS_HASH, HASH(1, 39, 3)},
		{"key-41", ROW_CRE_RSS_HASH, HASH(1, 41, 3)},
		{"key-255", ROW_CRE_RSS_HASH, HASH(1, 255, 3)},
		{"fields-bit20", ROW_CRE_RSS_HASH, HASH(1, 40, 1 << 20)},
		{"fields-bit63", ROW_CRE_RSS_HASH,
		 HASH(1, 40, UINT64_C(1) << 63)},
	};

	for (size_t i = 0; i < COUNT(list); i++)
		rss_case(g, QK_RAW_PACKET, &list[i]);
	fields(g);
	kept(g, false);
	kept(g, true);
	rss_modify(g, A_STATE | A_PORT, IBV_QPS_INIT, "init");
	rss_modify(g, A_STATE, IBV_QPS_RESET, "reset");
	rss_modify(g, A_STATE, IBV_QPS_ERR, "err");
	rss_modify(g, 0, IBV_QPS_RESET, "nothing");
}

void gen_create_rss(struct gen *g, enum qp_kind kind)
{
	struct rss wrong = good;

	if (kind == QK_RAW_PACKET) {
		variants(g);
		return;
	}
	wrong.name = "wrong-type";
	wrong.row = ROW_CRE_IND_TYPE;
	rss_case(g, kind, &wrong);
}
