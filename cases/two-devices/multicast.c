// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages to multicast groups with members on two devices, or at two ports of
 * one: who gets a copy, and its bytes.
 */
#include "cases/data/multicast.h"
#include "cases/two-devices/two_devices.h"

/* Offsets of the copies of two messages, behind the sent bytes */
#define FIRST  (DATA_AT + 1024)
#define SECOND (DATA_AT + 2048)

static const struct length small = {"", NULL, 100};

/* A sender on each side, and its members. */
struct group {
	struct pair p;
	uint8_t ah[2];	   /* address handle of the group */
	uint8_t member[2]; /* NO_OBJ: no member on that side */
};

static bool says(struct gen *g, const char *name, enum row row)
{
	enum claim claim = gen_also(g, CLAIM_NONE, CLAIM_MCAST);

	claim = gen_also(g, claim, CLAIM_GID6);
	claim = gen_also(g, claim, g->ports ? CLAIM_NONE : CLAIM_SECOND_MCAST);
	return gen_id(g, "%s", name) &&
	       pair_says(g, QK_UD, NULL, claim, row, "A message to a group");
}

static uint8_t in_rts(const struct pair *p, int at)
{
	struct post as = post_bare(p->g, QK_UD);
	uint8_t qp;

	pair_enter(p, at);
	pair_port_values(p, at, &as.with);
	qp = gen_qp_of(p->g, QK_UD);
	post_bring(&as, qp, qp, IBV_QPS_RTS);
	return qp;
}

/* Posts a receive at its own offset. */
static void receive(const struct group *a, int at, uint64_t wr_id,
		    uint64_t offset)
{
	struct pair p = a->p;

	p.side[at].qp = a->member[at];
	pair_recv(&p, at, wr_id, &small);
	prog_num(p.g->p, F_recv_offset, offset);
}

static void join(struct group *a, int at)
{
	a->member[at] = in_rts(&a->p, at);
	receive(a, at, (uint64_t)(200 + 100 * at), FIRST);
	receive(a, at, (uint64_t)(201 + 100 * at), SECOND);
	mcast_member(a->p.g, V_attach_mcast, a->member[at], &mcast_nodes);
}

static struct group make_group(struct gen *g)
{
	struct group a = {.p = pair_parents(g, QK_UD, &small),
			  .member = {NO_OBJ, NO_OBJ}};

	pair_fill(&a.p);
	for (int at = 0; at < 2; at++) {
		a.p.side[at].qp = in_rts(&a.p, at);
		a.ah[at] = gen_make(g, V_create_ah, a.p.side[at].pd);
		mcast_put_address(g, at, &mcast_nodes);
	}
	return a;
}

/* Sends from a side to all members, each of which gets one copy. */
static void send_to_all(const struct group *a, int from, uint64_t wr_id)
{
	struct pair p = a->p;

	p.side[from].ah = a->ah[from];
	pair_send(&p, from, IBV_WR_SEND, wr_id, &small);
	mcast_put_receivers(p.g);
	for (int at = 0; at < 2; at++) {
		bool member = a->member[at] != NO_OBJ;

		if (member || at == from)
			pair_poll(&p, at,
				  (unsigned int)(member + (at == from)));
	}
}

/* Reads everything but the GRHs, and ends the case. */
static void end(const struct group *a)
{
	struct data d = pair_data(&a->p, 0, false);

	pair_quiet(&a->p);
	for (int at = 0; at < 2; at++) {
		uint8_t mr = a->p.side[at].mr;

		data_look_at(&d, mr, 0, FIRST);
		data_look_at(&d, mr, FIRST + DATA_GRH,
			     SECOND - FIRST - DATA_GRH);
		data_look_at(&d, mr, SECOND + DATA_GRH, 0);
	}
	gen_done(a->p.g);
}

static void to_members(struct gen *g, const char *name, bool here, bool there)
{
	struct group a;

	if (!says(g, name, ROW_MC_MEMBERS))
		return;
	a = make_group(g);
	if (here)
		join(&a, 0);
	if (there)
		join(&a, 1);
	send_to_all(&a, 0, 1);
	send_to_all(&a, 1, 2);
	end(&a);
}

/* The member leaves the group before the second message. */
static void left(struct gen *g)
{
	struct group a;

	if (!says(g, "detached", ROW_MC_MEMBERS))
		return;
	a = make_group(g);
	join(&a, 1);
	send_to_all(&a, 0, 1);
	mcast_member(g, V_detach_mcast, a.member[1], &mcast_nodes);
	a.member[1] = NO_OBJ;
	send_to_all(&a, 0, 2);
	end(&a);
}

static void twice(struct gen *g)
{
	struct group a;

	if (!says(g, "attached-twice", ROW_MC_COPY))
		return;
	a = make_group(g);
	join(&a, 1);
	mcast_member(g, V_attach_mcast, a.member[1], &mcast_nodes);
	send_to_all(&a, 0, 1);
	end(&a);
}

/* Each side has its own address handle of the group. */
static void group_cases(struct gen *g)
{
	to_members(g, "there", false, true);
	to_members(g, "both", true, true);
	if (gen_full(g)) {
		to_members(g, "here", true, false);
		to_members(g, "nobody", false, false);
	}
	left(g);
	twice(g);
}

void gen_two_devices_multicast(struct gen *g)
{
	gen_prefix(g, "pair/mcast/");
	group_cases(g);
	g->ports = true;
	gen_prefix(g, "ports/mcast/");
	group_cases(g);
	g->ports = false;
}
