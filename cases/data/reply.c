// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Answers a datagram with an address handle made from its completion and its
 * GRH: what the address says, an answer that arrives, and messages that cannot
 * be answered.
 */
#include "cases/post/post.h"

#define NOWHERE 2048 /* offset at which nothing was received */

/* The path of a message: without a GRH, or from one of the GIDs of the port. */
enum path { PATH_LOCAL, PATH_USUAL, PATH_IPV4, PATH_IPV6, PATH_NR };

static const char *const path_names[PATH_NR] = {"local", "usual", "ipv4",
						"ipv6"};

/* Returns the position of a GID of that kind, or -1. */
static int gid_of(const struct gen *g, enum path path)
{
	const struct port_info *port = device_port(g->d);

	for (int i = 0; i < port->ngids; i++) {
		bool ipv4 = gid_is_ipv4(&port->gid[i].gid);

		if (path == PATH_USUAL && port->gid[i].index != g->d->gid_index)
			continue;
		if (path == PATH_IPV4 && !ipv4)
			continue;
		if (path == PATH_IPV6 &&
		    (ipv4 || (int)port->gid[i].index != device_gid6(g->d)))
			continue;
		return i;
	}
	return -1;
}

static enum claim reply_claim(const struct gen *g, enum path path)
{
	enum claim claim = post_claim(g, QK_UD, IBV_QPS_RTS, NULL);

	if (claim != CLAIM_NONE)
		return claim;
	if (path == PATH_LOCAL)
		return g->global ? CLAIM_INFINIBAND : CLAIM_NONE;
	if (gid_of(g, path) >= 0)
		return CLAIM_NONE;
	return path == PATH_IPV4 ? CLAIM_GID4 : CLAIM_GID6;
}

static void put_path(struct gen *g, enum path path)
{
	const struct port_info *port = device_port(g->d);
	int at = gid_of(g, path);

	prog_sym(g->p, F_addr_port_num, "port", 0);
	if (!g->global)
		prog_sym(g->p, F_addr_dlid, "lid", 0);
	if (path == PATH_LOCAL)
		return;
	prog_num(g->p, F_addr_is_global, 1);
	prog_gid(g->p, F_addr_dgid, &port->gid[at].gid);
	prog_num(g->p, F_addr_sgid_index, port->gid[at].index);
	prog_num(g->p, F_addr_hop_limit, 37);
	prog_num(g->p, F_addr_traffic_class, 0x68);
	prog_num(g->p, F_addr_flow_label, 0xa2345);
}

/* Opens a case and sends an unsignaled message from a to b. Only the receive
 * completes. */
static bool message_case(struct gen *g, const char *id, enum path path,
			 enum row row, struct post *p, uint8_t *wc)
{
	if (path > PATH_USUAL && gid_of(g, path) >= 0 &&
	    gid_of(g, path) == gid_of(g, PATH_USUAL))
		return false; /* equals the usual path */
	if (!gen_id(g, "%s/%s", path_names[path], id) ||
	    !gen_says_rule(g, row, reply_claim(g, path),
			   "Answering a datagram (%s, %s)", path_names[path],
			   id))
		return false;
	gen_parents(g, QK_UD);
	*p = post_bare(g, QK_UD);
	p->mr = gen_mr(g, g->pd);
	p->ah = gen_make(g, V_create_ah, g->pd);
	put_path(g, path);
	p->a = g->qp = gen_qp_of(g, QK_UD);
	p->b = gen_qp_of(g, QK_UD);
	post_both(p, 1);
	post_send(p, IBV_WR_SEND, 1, 0);
	*wc = post_poll_one(g, g->cq);
	return true;
}

static void init_ah(const struct post *p, uint8_t wc, uint64_t offset)
{
	gen_call(p->g, V_init_ah_from_wc, NO_OBJ);
	post_put_message(p, wc, offset);
}

static uint8_t create_ah(const struct post *p, uint8_t wc, uint64_t offset)
{
	uint8_t ah = gen_make(p->g, V_create_ah_from_wc, p->g->pd);

	post_put_message(p, wc, offset);
	return ah;
}

/* b answers the sender that the completion names, and a receives the answer. */
static void answer(struct post *p, uint8_t wc, uint8_t ah)
{
	struct post back = post_back(p);

	back.ah = ah;
	post_recv(p, p->a, 300, 0);
	post_send(&back, IBV_WR_SEND_WITH_IMM, 2, IBV_SEND_SIGNALED);
	prog_out(p->g->p, F_send_remote_qpn, wc, F_wc0_src_qp, 0);
	post_poll(p, 2);
	post_poll(p, 0);
}

static void answered(struct gen *g, enum path path)
{
	struct post p;
	uint8_t wc;

	if (message_case(g, "address", path, ROW_REPLY, &p, &wc)) {
		init_ah(&p, wc, 0);
		gen_done(g);
	}
	if (message_case(g, "answer", path, ROW_REPLY, &p, &wc)) {
		answer(&p, wc, create_ah(&p, wc, 0));
		gen_done(g);
	}
	if (message_case(g, "sender-gone", path, ROW_REPLY, &p, &wc)) {
		gen_call(g, V_destroy_qp, p.a);
		gen_call(g, V_destroy_ah, p.ah);
		init_ah(&p, wc, 0);
		gen_call(g, V_destroy_ah, create_ah(&p, wc, 0));
		gen_done(g);
	}
	if (path != PATH_LOCAL &&
	    message_case(g, "no-header", path, ROW_REPLY_NO_GRH, &p, &wc)) {
		init_ah(&p, wc, NOWHERE);
		create_ah(&p, wc, NOWHERE);
		answer(&p, wc, create_ah(&p, wc, 0));
		gen_done(g);
	}
}

/* With a port that the device does not have. */
static void other_port(struct gen *g, enum path path)
{
	enum row row = path == PATH_LOCAL ? ROW_AH_PORT : ROW_REPLY_PORT;
	struct post p;
	uint8_t wc;

	if (!message_case(g, "no-such-port", path, row, &p, &wc))
		return;
	gen_call(g, V_init_ah_from_wc, NO_OBJ);
	post_put_header(&p, wc, 0);
	gen_make(g, V_create_ah_from_wc, g->pd);
	post_put_header(&p, wc, 0);
	gen_make(g, V_create_ah_from_wc, g->pd);
	post_put_header(&p, wc, 0);
	prog_sym(g->p, F_from_port_num, "ports", 1);
	answer(&p, wc, create_ah(&p, wc, 0));
	gen_done(g);
}

/* A message with immediate data, answered in the same way. */
static void own_message(struct gen *g, enum path path)
{
	struct post p;
	uint8_t wc;

	if (!message_case(g, "immediate", path, ROW_REPLY, &p, &wc))
		return;
	post_recv(&p, p.b, 201, 0);
	post_send(&p, IBV_WR_SEND_WITH_IMM, 2, 0);
	wc = post_poll_one(g, g->cq);
	init_ah(&p, wc, 0);
	answer(&p, wc, create_ah(&p, wc, 0));
	gen_done(g);
}

/* A second address handle differs from the first one in one member alone. Each
 * message has the header of its own. */
static void twins(struct gen *g, enum path path, const char *name,
		  enum field field, uint64_t value)
{
	struct post p, second;
	uint8_t wc;

	if (path == PATH_LOCAL ||
	    !message_case(g, name, path, ROW_REPLY, &p, &wc))
		return;
	second = p;
	second.ah = gen_make(g, V_create_ah, g->pd);
	put_path(g, path);
	prog_num(g->p, field, value);
	for (uint64_t i = 0; i < 3; i++) {
		post_recv(&p, p.b, 201 + i, 0);
		post_send(i == 1 ? &p : &second, IBV_WR_SEND, 2 + i, 0);
		init_ah(&p, post_poll_one(g, g->cq), 0);
	}
	gen_done(g);
}

/* A flushed receive, which has no message. */
static void flushed(struct gen *g)
{
	struct post p;

	if (!gen_id(g, "flushed") ||
	    !gen_says_rule(
		    g, ROW_REPLY_NOTHING, reply_claim(g, PATH_USUAL),
		    "An address from the completion of a flushed receive"))
		return;
	gen_parents(g, QK_UD);
	p = post_bare(g, QK_UD);
	p.mr = gen_mr(g, g->pd);
	p.a = g->qp = gen_qp_of(g, QK_UD);
	p.b = gen_qp_of(g, QK_UD);
	post_both(&p, 1);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	init_ah(&p, post_poll_one(g, g->cq), 0);
	gen_done(g);
}

void gen_data_reply(struct gen *g)
{
	gen_prefix(g, "reply/");
	flushed(g);
	for (int path = 0; path < PATH_NR; path++) {
		answered(g, (enum path)path);
		other_port(g, (enum path)path);
		own_message(g, (enum path)path);
		twins(g, (enum path)path, "twin-class", F_addr_traffic_class,
		      0x74);
		twins(g, (enum path)path, "twin-flow", F_addr_flow_label,
		      0x12345);
	}
}
