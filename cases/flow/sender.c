// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sends raw packets, one at a time; requests with TSO.
 */
#include "cases/flow/flow.h"

#define MEMORY	4096
#define PATTERN 3

enum claim flow_packet_claim(const struct gen *g)
{
	return gen_also(g, flow_claim(g),
			gen_also(g, gen_needs(g, CLAIM_ROCE),
				 gen_claim(g, QK_RAW_PACKET, IBV_QPS_RTS,
					   IBV_QPS_RTS)));
}

bool flow_packet_case(struct gen *g, const char *id, enum row row,
		      enum claim more, const char *what)
{
	return gen_id(g, "%s", id) &&
	       gen_says_rule(g, row, gen_also(g, flow_packet_claim(g), more),
			     "%s", what);
}

struct flow_sender flow_sender(struct gen *g)
{
	return flow_sender_with(g, NULL);
}

struct flow_sender flow_sender_with(struct gen *g, void (*more)(struct gen *))
{
	struct flow_sender from = {0};

	g->ctx = gen_make(g, V_open_device, NO_OBJ);
	g->kind = QK_RAW_PACKET;
	gen_parents(g, QK_RAW_PACKET);
	from.cq = g->cq;
	from.mr = gen_mr_of(g, g->pd, MEMORY, IBV_ACCESS_LOCAL_WRITE);
	from.qp = gen_qp_by(g, QK_RAW_PACKET, more != NULL);
	if (more)
		more(g);
	gen_bring(g, from.qp, IBV_QPS_RTS);
	g->ctx = NO_OBJ;
	return from;
}

void flow_packet(struct gen *g, const struct flow_sender *from, uint64_t mac,
		 uint32_t length)
{
	gen_call(g, V_write_packet, from->mr);
	prog_num(g->p, F_packet_length, length);
	prog_num(g->p, F_packet_pattern, PATTERN);
	prog_num(g->p, F_packet_eth_dst, mac);
	prog_num(g->p, F_packet_eth_src, FLOW_SOURCE_MAC);
	prog_num(g->p, F_packet_l3, IBV_FLOW_SPEC_IPV4);
	prog_num(g->p, F_packet_l4, IBV_FLOW_SPEC_UDP);
	prog_num(g->p, F_packet_ipv4_src, FLOW_IPV4);
	prog_num(g->p, F_packet_ipv4_dst, FLOW_IPV4 + 1);
	prog_num(g->p, F_packet_l4_src, FLOW_PORT);
	prog_num(g->p, F_packet_l4_dst, FLOW_PORT);
}

void flow_tunnel(struct gen *g, const struct flow_sender *from, uint64_t mac,
		 uint32_t length)
{
	flow_packet(g, from, mac, length);
	prog_num(g->p, F_packet_tunnel, IBV_FLOW_SPEC_VXLAN_TUNNEL);
	prog_num(g->p, F_packet_tunnel_id, 7);
	prog_num(g->p, F_packet_l4_dst, 4789);
}

void flow_send(struct gen *g, struct flow_sender *from, uint32_t length)
{
	flow_send_with(g, from, length, 0);
}

void flow_send_with(struct gen *g, struct flow_sender *from, uint32_t length,
		    uint32_t flags)
{
	gen_call(g, V_post_send, from->qp);
	prog_num(g->p, F_send_wr_id, ++from->sent);
	prog_num(g->p, F_send_opcode, IBV_WR_SEND);
	prog_num(g->p, F_send_flags, IBV_SEND_SIGNALED | flags);
	prog_num(g->p, F_send_num_sge, 1);
	prog_obj(g->p, F_send_mr, from->mr);
	prog_num(g->p, F_send_length, length);
	flow_await_sent(g, from);
}

void flow_send_packet(struct gen *g, struct flow_sender *from, uint64_t mac,
		      uint32_t length)
{
	flow_packet(g, from, mac, length);
	flow_send(g, from, length);
}

void flow_await_sent(struct gen *g, const struct flow_sender *from)
{
	gen_call(g, V_poll_cq, from->cq);
	prog_num(g->p, F_poll_max, 1);
	prog_num(g->p, F_poll_timeout, 1000);
}

void flow_ask_tso(struct gen *g)
{
	prog_num(g->p, F_comp_mask,
		 IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_MAX_TSO_HEADER);
	prog_num(g->p, F_max_tso_header, FLOW_TSO_HEADER);
}

void flow_put_tso(struct gen *g, struct flow_sender *from, uint32_t length,
		  uint32_t header, uint32_t mss)
{
	prog_num(g->p, F_send_wr_id, ++from->sent);
	prog_num(g->p, F_send_opcode, IBV_WR_TSO);
	prog_num(g->p, F_send_flags, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_num_sge, 1);
	prog_obj(g->p, F_send_mr, from->mr);
	prog_num(g->p, F_send_length, length);
	prog_num(g->p, F_send_tso_hdr_sz, header);
	prog_num(g->p, F_send_tso_mss, mss);
}
