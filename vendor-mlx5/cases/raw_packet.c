// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases for create flags of mlx5dv_create_qp that decide about raw packets:
 * packets that a queue pair sends to itself, and packets in a tunnel.
 */
#include <infiniband/mlx5dv.h>
#include "cases/flow/flow.h"
#include "vendor-mlx5/cases/cases.h"

#define MULTICAST (UINT64_C(1) << 40) /* bit of an Ethernet address */
#define LONG	  (FLOW_TUNNEL + FLOW_LENGTH)

static const struct loopback {
	const char *name;
	uint32_t flags;
} loopbacks[] = {
	{"none", 0},
	{"uc", MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC},
	{"mc", MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_MC},
};

/* Makes a queue pair in RTS that has receives. */
static void receiver(struct flow_stage *t, uint32_t flags)
{
	struct gen *g = t->g;

	t->cq[0] = gen_cq(g);
	t->to[0] = mlx5_gen_qp_flags(g, QK_RAW_PACKET, flags);
	prog_obj(g->p, F_recv_cq, t->cq[0]);
	gen_bring(g, t->to[0], IBV_QPS_RTS);
	flow_receive(t, 0);
}

/* A queue pair with or without a loopback flag sends a packet to itself. */
static void own_packet(struct gen *g, const struct loopback *l, bool multicast)
{
	uint32_t needed = multicast
				  ? MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_MC
				  : MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC;
	uint64_t mac = multicast ? GEN_MAC | MULTICAST : GEN_MAC;
	struct flow_stage t = {.g = g};

	if (!gen_id(g, "%s/%s", l->name, multicast ? "multicast" : "unicast") ||
	    !gen_says_rule(g,
			   l->flags & needed ? ROW_DV_LOOPBACK
					     : ROW_DV_LOOPBACK_NONE,
			   flow_packet_claim(g), "A %s packet to itself",
			   multicast ? "multicast" : "unicast"))
		return;
	g->kind = QK_RAW_PACKET;
	gen_parents(g, QK_RAW_PACKET);
	t.mr = flow_memory(g);
	t.from = (struct flow_sender){.cq = g->cq, .mr = flow_memory(g)};
	receiver(&t, l->flags);
	t.from.qp = t.to[0];
	gen_flow(g, t.to[0], mac);
	flow_packet(g, &t.from, mac, FLOW_LENGTH);
	flow_send(g, &t.from, FLOW_LENGTH);
	flow_poll(&t, 0);
	flow_finish(&t, 1);
}

/* The inner packet of a tunnel. */
static const struct inner {
	const char *name;
	uint32_t l4;
	uint64_t spoiled; /* 1: the checksum of IPv4, 2: that of TCP or UDP */
} inners[] = {
	{"right-udp", IBV_FLOW_SPEC_UDP, 0},
	{"right-tcp", IBV_FLOW_SPEC_TCP, 0},
	{"wrong-ipv4", IBV_FLOW_SPEC_UDP, 1},
	{"wrong-udp", IBV_FLOW_SPEC_UDP, 2},
	{"wrong-tcp", IBV_FLOW_SPEC_TCP, 2},
};

static bool offers_vxlan(const struct gen *g)
{
	return g->d->limit[LIM_mlx5_tunnel_offloads_caps] &
	       MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_VXLAN;
}

static void tunnel(struct gen *g, const struct inner *i)
{
	struct flow_stage t = {.g = g};

	if (!gen_id(g, "%s", i->name) ||
	    !gen_says_rule(
		    g, i->spoiled ? ROW_DV_TUNNEL_CSUM : ROW_DV_TUNNEL_CSUM_OK,
		    gen_also(g, flow_packet_claim(g),
			     gen_needs(g, CLAIM_RAW_CSUM, CLAIM_MLX5_TUNNEL)),
		    "A packet in a tunnel with checksums that are %s",
		    i->spoiled ? "wrong" : "right"))
		return;
	t.from = flow_sender(g);
	gen_parents(g, QK_RAW_PACKET);
	t.mr = flow_memory(g);
	receiver(&t, MLX5DV_QP_CREATE_TUNNEL_OFFLOADS);
	gen_flow(g, t.to[0], GEN_MAC);
	flow_packet(g, &t.from, GEN_MAC, FLOW_LENGTH);
	prog_num(g->p, F_packet_offset, FLOW_TUNNEL);
	prog_num(g->p, F_packet_l4, i->l4);
	if (i->spoiled)
		prog_num(g->p, F_packet_spoiled, i->spoiled);
	flow_tunnel(g, &t.from, GEN_MAC, LONG);
	flow_send(g, &t.from, LONG);
	flow_poll(&t, 0);
	flow_finish(&t, 1);
}

static void put_tunnel(struct gen *g)
{
	prog_num(g->p, F_dv_comp_mask,
		 MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS);
	prog_num(g->p, F_dv_create_flags, MLX5DV_QP_CREATE_TUNNEL_OFFLOADS);
}

void mlx5_gen_raw_packet(struct gen *g)
{
	gen_prefix(g, "mlx5/loopback/");
	for (size_t i = 0; i < COUNT(loopbacks); i++)
		for (int multicast = 0; multicast < 2; multicast++)
			own_packet(g, &loopbacks[i], multicast);
	gen_prefix(g, "mlx5/tunnel/");
	for (size_t i = 0; offers_vxlan(g) && i < COUNT(inners); i++)
		tunnel(g, &inners[i]);
	gen_prefix(g, "mlx5/rss/");
	flow_rss_inner(g, V_mlx5dv_create_qp, put_tunnel,
		       gen_needs(g, CLAIM_MLX5_TUNNEL));
}
