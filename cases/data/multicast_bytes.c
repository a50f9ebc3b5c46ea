// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Do the bytes of a message to a group arrive in each copy, and are those
 * around them as before? Each member has memory of its own, and another place
 * in it.
 */
#include "cases/data/data.h"
#include "cases/data/multicast.h"

#define MEMBERS 3
#define SECOND	1500 /* bytes from a member's first receive to the second */

struct member {
	uint8_t qp, mr;
	uint64_t at; /* where the header of its copy is */
};

struct meeting {
	struct data d; /* the sender, and the memory that it sends from */
	int n;
	struct member member[MEMBERS];
};

static bool meeting_says(struct gen *g, const char *name, enum row row)
{
	return gen_id(g, "data/%s", name) &&
	       gen_says_rule(g, row, mcast_traffic_claim(g),
			     "The bytes of a message to a group, %s", name);
}

static void receive(struct meeting *m, int at, uint64_t wr_id,
		    const struct length *length)
{
	struct data to = m->d;

	to.p.b = m->member[at].qp;
	to.into = m->member[at].mr;
	data_recv(&to, wr_id, length);
	prog_num(m->d.p.g->p, F_recv_offset, m->member[at].at);
}

static uint8_t in_rts(struct meeting *m)
{
	uint8_t qp = data_qp(m->d.p.g, QK_UD);

	post_bring(&m->d.p, qp, qp, IBV_QPS_RTS);
	return qp;
}

/* A queue pair with two receives, the second one behind the first. */
static void join(struct meeting *m, const struct length *length)
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

static struct meeting meet_for(struct gen *g, int members,
			       const struct length *length)
{
	struct meeting m = {.d = {.p = post_bare(g, QK_UD)}};

	gen_parents(g, QK_UD);
	m.d.from = data_region(g, length);
	data_fill(&m.d, m.d.from, 1);
	m.d.p.ah = gen_make(g, V_create_ah, g->pd);
	mcast_lead_to(g, false, &mcast_nodes);
	m.d.p.a = m.d.p.b = g->qp = in_rts(&m);
	while (m.n < members)
		join(&m, length);
	return m;
}

static void send_to_all(struct meeting *m, uint32_t opcode, uint64_t wr_id,
			const struct length *length)
{
	data_send(&m->d, opcode_of(opcode), wr_id, length);
	mcast_put_receivers(m->d.p.g);
}

/* All but the header, of which a device may leave the bytes as they are. */
static void look(const struct meeting *m)
{
	for (int i = 0; i < m->n; i++) {
		data_look_at(&m->d, m->member[i].mr, 0, m->member[i].at);
		data_look_at(&m->d, m->member[i].mr, m->member[i].at + DATA_GRH,
			     0);
	}
	data_look(&m->d, m->d.from);
}

/* The same after two messages. */
static void look_apart(const struct meeting *m)
{
	for (int i = 0; i < m->n; i++) {
		uint64_t first = m->member[i].at + DATA_GRH;
		uint64_t second = m->member[i].at + SECOND;

		data_look_at(&m->d, m->member[i].mr, 0, m->member[i].at);
		data_look_at(&m->d, m->member[i].mr, first, second - first);
		data_look_at(&m->d, m->member[i].mr, second + DATA_GRH, 0);
	}
}

static void end(struct meeting *m)
{
	post_poll(&m->d.p, (unsigned int)(1 + m->n));
	post_poll(&m->d.p, 0);
	look(m);
	gen_done(m->d.p.g);
}

static void sized(struct gen *g, int members, const struct length *length)
{
	struct meeting m;
	char name[48];

	snprintf(name, sizeof(name), "%d-member%s/length-%s", members,
		 members > 1 ? "s" : "", length->name);
	if (!meeting_says(g, name, ROW_DATA_DATAGRAM))
		return;
	m = meet_for(g, members, length);
	send_to_all(&m, IBV_WR_SEND, 1, length);
	end(&m);
}

static const struct length small = {"100", NULL, 100};

/* One member has less room than the message takes, the others get it. */
static void one_short(struct gen *g)
{
	static const struct length shorter = {"", NULL, 60};
	struct meeting m;

	if (!meeting_says(g, "one-short", ROW_DATAGRAM_SHORT))
		return;
	m = meet_for(g, 1, &small);
	join(&m, &shorter);
	send_to_all(&m, IBV_WR_SEND, 1, &small);
	post_poll_for(&m.d.p, 3, POST_MAYBE);
	post_poll_for(&m.d.p, 1, POST_MAYBE);
	look(&m);
	gen_done(g);
}

/* A second copy would lie in the second receive, which stays as it was. */
static void attached_twice(struct gen *g)
{
	struct meeting m;

	if (!meeting_says(g, "attached-twice", ROW_MC_COPY))
		return;
	m = meet_for(g, 1, &small);
	mcast_member(g, V_attach_mcast, m.member[0].qp, &mcast_nodes);
	send_to_all(&m, IBV_WR_SEND_WITH_IMM, 1, &small);
	end(&m);
}

/* Gathered from elements, one message behind the other. */
static void gathered(struct gen *g)
{
	struct meeting m;

	if (!meeting_says(g, "gathered", ROW_DATA_DATAGRAM))
		return;
	m = meet_for(g, 2, &small);
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
