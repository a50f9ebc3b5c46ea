// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Packets to a queue pair with an indirection table of two work queues. Packets
 * that are equal in the hashed field reach the same work queue, whatever else
 * differs.
 */
#include "cases/flow/flow.h"

#define QUEUES	 2
#define PACKETS	 3
#define RECEIVES 20
#define MANY	 17 /* packets, the first of which may all be on one queue */
#define LENGTH	 128
#define ROOM	 256
#define WAIT	 20 /* ms in which a packet may arrive */

/* A hashed field, its field of the packet, and one that is not hashed. */
struct hashed {
	const char *name;
	uint64_t bit;
	uint32_t l3, l4;
	enum field own, other;
};

#define IPV4 IBV_FLOW_SPEC_IPV4
#define IPV6 IBV_FLOW_SPEC_IPV6
#define TCP  IBV_FLOW_SPEC_TCP
#define UDP  IBV_FLOW_SPEC_UDP
#define ESP  IBV_FLOW_SPEC_ESP

static const struct hashed fields[] = {
	{"src-ipv4", IBV_RX_HASH_SRC_IPV4, IPV4, UDP, F_packet_ipv4_src,
	 F_packet_ipv4_dst},
	{"dst-ipv4", IBV_RX_HASH_DST_IPV4, IPV4, UDP, F_packet_ipv4_dst,
	 F_packet_ipv4_src},
	{"src-ipv6", IBV_RX_HASH_SRC_IPV6, IPV6, UDP, F_packet_ipv6_src,
	 F_packet_l4_src},
	{"dst-ipv6", IBV_RX_HASH_DST_IPV6, IPV6, UDP, F_packet_ipv6_dst,
	 F_packet_l4_src},
	{"src-port-tcp", IBV_RX_HASH_SRC_PORT_TCP, IPV4, TCP, F_packet_l4_src,
	 F_packet_l4_dst},
	{"dst-port-tcp", IBV_RX_HASH_DST_PORT_TCP, IPV4, TCP, F_packet_l4_dst,
	 F_packet_l4_src},
	{"src-port-udp", IBV_RX_HASH_SRC_PORT_UDP, IPV4, UDP, F_packet_l4_src,
	 F_packet_l4_dst},
	{"dst-port-udp", IBV_RX_HASH_DST_PORT_UDP, IPV4, UDP, F_packet_l4_dst,
	 F_packet_l4_src},
	{"spi", IBV_RX_HASH_IPSEC_SPI, IPV4, ESP, F_packet_esp_spi,
	 F_packet_ipv4_src},
};

struct rss_stage {
	struct gen *g;
	struct flow_sender from;
	uint8_t mr, rss, wq[QUEUES], cq[QUEUES];
};

static void move(struct gen *g, uint8_t wq, uint64_t state)
{
	gen_call(g, V_modify_wq, wq);
	prog_num(g->p, F_wq_attr_mask, IBV_WQ_ATTR_STATE);
	prog_num(g->p, F_wq_attr_state, state);
}

static void receives(const struct rss_stage *t, int i)
{
	struct gen *g = t->g;

	gen_call(g, V_post_wq_recv, t->wq[i]);
	prog_num(g->p, F_recv_wr_id, 100 * (uint64_t)(i + 1));
	prog_num(g->p, F_recv_more, RECEIVES - 1);
	prog_num(g->p, F_recv_num_sge, 1);
	prog_obj(g->p, F_recv_mr, t->mr);
	prog_num(g->p, F_recv_offset, (uint64_t)i * ROOM);
	prog_num(g->p, F_recv_length, ROOM);
}

static uint8_t rss_qp(struct gen *g, uint8_t ind, uint64_t hashed)
{
	uint8_t qp = gen_make(g, V_create_qp_ex, NO_OBJ);

	prog_num(g->p, F_comp_mask,
		 IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			 IBV_QP_INIT_ATTR_RX_HASH);
	prog_obj(g->p, F_pd, g->pd);
	prog_num(g->p, F_qp_type, IBV_QPT_RAW_PACKET);
	prog_obj(g->p, F_rwq_ind_tbl, ind);
	prog_num(g->p, F_rx_hash_function, IBV_RX_HASH_FUNC_TOEPLITZ);
	prog_num(g->p, F_rx_hash_key_len, 40);
	prog_num(g->p, F_rx_hash_fields_mask, hashed);
	return qp;
}

static struct rss_stage stage(struct gen *g, uint64_t hashed)
{
	struct rss_stage t = {.g = g};
	uint8_t ind;

	t.from = flow_sender(g);
	gen_parents(g, QK_RAW_PACKET);
	t.mr = gen_make(g, V_reg_mr, g->pd);
	prog_num(g->p, F_mr_length, QUEUES * ROOM);
	prog_num(g->p, F_mr_access, IBV_ACCESS_LOCAL_WRITE);
	for (int i = 0; i < QUEUES; i++) {
		t.cq[i] = gen_cq(g);
		t.wq[i] = gen_wq(g, g->pd, t.cq[i]);
		prog_num(g->p, F_wq_max_wr, RECEIVES);
		move(g, t.wq[i], IBV_WQS_RDY);
		receives(&t, i);
	}
	ind = gen_ind(g, t.wq[0]);
	prog_num(g->p, F_ind_log_size, 1);
	prog_obj(g->p, F_ind_wq1, t.wq[1]);
	t.rss = rss_qp(g, ind, hashed);
	gen_flow(g, t.rss, GEN_MAC);
	return t;
}

/* Sends a packet with another value of a field, and polls both work queues. */
static void packet(struct rss_stage *t, const struct hashed *f,
		   enum field field, uint64_t n)
{
	struct gen *g = t->g;

	flow_packet(g, &t->from, GEN_MAC, LENGTH);
	prog_num(g->p, F_packet_l3, f->l3);
	prog_num(g->p, F_packet_l4, f->l4);
	if (f->l4 == ESP)
		prog_num(g->p, F_packet_esp_spi, 77);
	if (field_info(field)->kind == FK_GID)
		prog_gid(g->p, field,
			 &(union ibv_gid){.raw = {0x20, 1, 13,
						  0xb8, [15] = (uint8_t)n}});
	else
		prog_num(g->p, field, FLOW_IPV4 + 16 + n);
	flow_send(g, &t->from, LENGTH);
	for (int i = 0; i < QUEUES; i++) {
		gen_call(g, V_poll_cq, t->cq[i]);
		prog_num(g->p, F_poll_max, 1);
		prog_num(g->p, F_poll_timeout, WAIT);
	}
}

/* `n` packets that differ in one field. */
static void packets(struct gen *g, const struct hashed *f, const char *what,
		    enum row row, enum field differs, uint64_t n)
{
	enum claim claim = gen_also(g, flow_packet_claim(g),
				    gen_needs(g, CLAIM_WQ, CLAIM_RSS));
	struct rss_stage t;

	if (!gen_id(g, "%s/%s", what, f->name) ||
	    !gen_says_rule(g, row, claim, "Packets hashed by %s", f->name))
		return;
	t = stage(g, f->bit);
	for (uint64_t i = 0; i < n; i++)
		packet(&t, f, differs, i);
	gen_done(g);
}

static void same_queue(struct gen *g, const struct hashed *f)
{
	packets(g, f, "same-queue", ROW_RSS_SAME, f->other, PACKETS);
}

static void spread(struct gen *g, const struct hashed *f)
{
	packets(g, f, "spread", ROW_RSS_SPREAD, f->own, MANY);
}

/* The fields that the device can hash. */
void gen_flow_rss_packets(struct gen *g)
{
	gen_prefix(g, "rss/");
	for (size_t i = 0; i < COUNT(fields); i++)
		if (g->d->limit[LIM_rx_hash_fields_mask] & fields[i].bit) {
			same_queue(g, &fields[i]);
			spread(g, &fields[i]);
		}
}
