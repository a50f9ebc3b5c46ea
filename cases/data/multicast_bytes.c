// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The bytes of messages to a group: each member gets a copy, at another offset
 * of its own memory, and no other byte changes.
 */
#include "cases/data/data.h"
#include "cases/data/multicast.h"

#define MEMBERS 3
#define SECOND	1500 /* distance of the two receives of a member */

struct member {
	uint8_t qp, mr;
	uint64_t at; /* offset of the GRH of its copy */
};

struct group {
	struct data d; /* the sender and its memory */
	int n;
	struct member member[MEMBERS];
};

static bool says(struct gen *g, const char *name, enum row row)
{
	return gen_id(g, "data/%s", name) &&
	       gen_says_rule(g, row, mcast_traffic_claim(g),
			     "The bytes of a message to a group, %s", name);
}

static void receive(struct group *m, int at, uint64_t wr_id,
		    const struct length *length)
{
	struct data to = m->d;

	to.p.b = m->member[at].qp;
	to.into = m->member[at].mr;
	data_recv(&to, wr_id, length);
	prog_num(m->d.p.g->p, F_recv_offset, m->member[at].at);
}

static uint8_t in_rts(struct group *m)
{
	uint8_t qp = data_qp(m->d.p.g, QK_UD);

	post_bring(&m->d.p, qp, qp, IBV_QPS_RTS);
	return qp;
}

/* Adds a member with two receives, the second one behind the first. */
static void join(struct group *m, const struct length *length)
{
	struct gen *g = m->d.p.g;
	int at = m->n++;

	m->member[at] = (struct member){.at = (uint64_t)(DATA_AT + 200 * at)};
	m->member[at].mr = data_region(g, length);
	data_fill(&m->d, m->member[at].mr, (unsigned int)(at + 2));
	m->member[at].qp = in_rts(m);
	receive(m, at, (uint64_t)(200 + 100 * at), length);
	receive(m, at, (uint64_t)(201 + 100 * at), length);
	prog_num(g->p, F_recv_offset, m->member[at].at + SECOND);
	mcast_member(g, V_attach_mcast, m->member[at].qp, &mcast_nodes);
}

static struct group make_group(struct gen *g, int members,
			       const struct length *length)
{
	struct group m = {.d = {.p = post_bare(g, QK_UD)}};

	gen_parents(g, QK_UD);
	m.d.from = data_region(g, length);
	data_fill(&m.d, m.d.from, 1);
	m.d.p.ah = gen_make(g, V_create_ah, g->pd);
	mcast_put_address(g, false, &mcast_nodes);
	m.d.p.a = m.d.p.b = g->qp = in_rts(&m);
	while (m.n < members)
		join(&m, length);
	return m;
}

static void send_to_all(struct group *m, uint32_t opcode, uint64_t wr_id,
			const struct length *length)
{
	data_send(&m->d, opcode_of(opcode), wr_id, length);
	mcast_put_receivers(m->d.p.g);
}

/* Reads everything but the GRHs, which a device may leave unwritten. */
static void look(const struct group *m)
{
	for (int i = 0; i < m->n; i++) {
		data_look_at(&m->d, m->member[i].mr, 0, m->member[i].at);
		data_look_at(&m->d, m->member[i].mr, m->member[i].at + DATA_GRH,
			     0);
	}
	data_look(&m->d, m->d.from);
}

/* The same after two messages. */
static void look_apart(const struct group *m)
{
	for (int i = 0; i < m->n; i++) {
		uint64_t first = m->member[i].at + DATA_GRH;
		uint64_t second = m->member[i].at + SECOND;

		data_look_at(&m->d, m->member[i].mr, 0, m->member[i].at);
		data_look_at(&m->d, m->member[i].mr, first, second - first);
		data_look_at(&m->d, m->member[i].mr, second + DATA_GRH, 0);
	}
}

static void end(struct group *m)
{
	post_poll(&m->d.p, (unsigned int)(1 + m->n));
	post_poll(&m->d.p, 0);
	look(m);
	gen_done(m->d.p.g);
}

static void sized(struct gen *g, int members, const struct length *length)
{
	struct group m;
	char name[48];

	snprintf(name, sizeof(name), "%d-member%s/length-%s", members,
		 members > 1 ? "s" : "", length->name);
	if (!says(g, name, ROW_DATA_DATAGRAM))
		return;
	m = make_group(g, members, length);
	send_to_all(&m, IBV_WR_SEND, 1, length);
	end(&m);
}

static const struct length small = {"100", NULL, 100};

/* One member has too little room; the others get the message. */
static void one_short(struct gen *g)
{
	static const struct length shorter = {"", NULL, 60};
	struct group m;

	if (!says(g, "one-short", ROW_DATAGRAM_SHORT))
		return;
	m = make_group(g, 1, &small);
	join(&m, &shorter);
	send_to_all(&m, IBV_WR_SEND, 1, &small);
	post_poll_for(&m.d.p, 3, POST_MAYBE);
	post_poll_for(&m.d.p, 1, POST_MAYBE);
	look(&m);
	gen_done(g);
}

/* A second copy would change the second receive, which stays unchanged. */
static void attached_twice(struct gen *g)
{
	struct group m;

	if (!says(g, "attached-twice", ROW_MC_COPY))
		return;
	m = make_group(g, 1, &small);
	mcast_member(g, V_attach_mcast, m.member[0].qp, &mcast_nodes);
	send_to_all(&m, IBV_WR_SEND_WITH_IMM, 1, &small);
	end(&m);
}

/* Two messages of several elements. */
static void gathered(struct gen *g)
{
	struct group m;

	if (!says(g, "gathered", ROW_DATA_DATAGRAM))
		return;
	m = make_group(g, 2, &small);
	send_to_all(&m, IBV_WR_SEND, 1, &small);
	prog_num(g->p, F_send_num_sge, 3);
	prog_num(g->p, F_send_length, 30);
	prog_num(g->p, F_send_stride, 41);
	post_poll(&m.d.p, 3);
	look(&m);
	send_to_all(&m, IBV_WR_SEND, 2, &small);
	prog_num(g->p, F_send_offset, DATA_AT + 7);
	post_poll(&m.d.p, 3);
	look_apart(&m);
	gen_done(g);
}

void gen_data_multicast_bytes(struct gen *g)
{
	static const struct length lengths[] = {
		{"100", NULL, 100},
		{"1", NULL, 1},
		{"0", NULL, 0},
		{"mtu", "mtu_bytes", 0},
	};

	for (int members = 1; members <= MEMBERS; members++)
		for (size_t i = 0; i < 4; i++)
			if (gen_full(g) || (members == 2 && !i))
				sized(g, members, &lengths[i]);
	attached_twice(g);
	if (!gen_full(g))
		return;
	one_short(g);
	gathered(g);
}
