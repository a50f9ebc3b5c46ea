// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queue pairs in several groups: senders with BLOCK_SELF_MCAST_LB, and groups
 * whose addresses differ in one byte. All messages go to the group of all
 * nodes, since a network delivers no others without a join.
 */
#include "cases/data/multicast.h"

/* Memberships of a sender, in the order of the calls: 'n' is the group of all
 * nodes, 'a' to 'c' are other groups. A capital letter leaves the group. */
static const struct memberships {
	const char *name, *calls;
} memberships[] = {
	{"first", "na"},	  {"last", "an"},	{"middle", "anb"},
	{"after-three", "abcn"},  {"again", "nan"},	{"back", "naNn"},
	{"first-left", "anA"},	  {"last-left", "naA"}, {"middle-left", "anbA"},
	{"others-left", "abnAB"},
};

/* The group of all nodes with another value in one byte */
static union ibv_gid group_near(unsigned int byte)
{
	union ibv_gid gid = mcast_nodes;

	gid.raw[byte] ^= 3;
	return gid;
}

static void make_calls(const struct post *p, uint8_t qp, const char *calls)
{
	for (; *calls; calls++) {
		char letter = *calls | 0x20;
		enum verb verb =
			letter == *calls ? V_attach_mcast : V_detach_mcast;
		union ibv_gid gid = mcast_nodes;

		if (letter != 'n')
			gid = group_near(15 - (unsigned int)(letter - 'a'));
		mcast_member(p->g, verb, qp, &gid);
	}
}

/* Creates a queue pair that is given no copies of its own messages, in RTS,
 * with two receives. */
static uint8_t blocked(const struct post *p, uint64_t wr_id)
{
	struct gen *g = p->g;
	uint8_t qp = gen_make(g, V_create_qp_ex, NO_OBJ);

	gen_qp_parents(g, QK_UD);
	gen_qp_caps(g, QK_UD);
	prog_obj(g->p, F_pd, g->pd);
	prog_num(g->p, F_comp_mask,
		 IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS);
	prog_num(g->p, F_create_flags, IBV_QP_CREATE_BLOCK_SELF_MCAST_LB);
	if (p->srq != NO_OBJ)
		prog_obj(g->p, F_srq, p->srq);
	post_bring(p, qp, qp, IBV_QPS_RTS);
	post_recv(p, p->srq != NO_OBJ ? p->srq : qp, wr_id, 1);
	return qp;
}

/* Sends a message, and polls for its completion and the copies. */
static void send_from(const struct post *p, uint8_t qp, uint64_t wr_id,
		      unsigned int copies)
{
	struct post from = *p;

	from.a = qp;
	mcast_send(&from, wr_id);
	post_poll(p, 1 + copies);
	post_poll(p, 0);
}

/* Ends a case: the sender's own messages reach the other member alone, and
 * messages of the other member reach both, or itself not if it is blocked. */
static void exchange(const struct post *p, uint8_t other, bool other_blocked)
{
	send_from(p, p->a, 1, 1);
	send_from(p, other, 2, other_blocked ? 1 : 2);
	if (!other_blocked)
		post_recv(p, other, 302, 0);
	send_from(p, p->a, 3, 1);
	gen_done(p->g);
}

static void blocked_in_two(struct gen *g, const struct memberships *m)
{
	struct post p;
	char name[48];

	snprintf(name, sizeof(name), "blocked/%s", m->name);
	if (!mcast_traffic_case(g, name, ROW_MC_SELF, &p))
		return;
	p.a = blocked(&p, 200);
	make_calls(&p, p.a, m->calls);
	exchange(&p, mcast_new_member(&p, 300), false);
}

/* The other member was attached first. */
static void blocked_behind_member(struct gen *g)
{
	struct post p;
	uint8_t other;

	if (!mcast_traffic_case(g, "blocked/behind-member", ROW_MC_SELF, &p))
		return;
	other = mcast_new_member(&p, 300);
	p.a = blocked(&p, 200);
	make_calls(&p, p.a, "an");
	exchange(&p, other, false);
}

static void two_blocked(struct gen *g)
{
	uint8_t other;
	struct post p;

	if (!mcast_traffic_case(g, "blocked/two", ROW_MC_SELF, &p))
		return;
	p.a = blocked(&p, 200);
	other = blocked(&p, 300);
	make_calls(&p, p.a, "an");
	make_calls(&p, other, "na");
	exchange(&p, other, true);
}

/* A sender goes to RESET and up again, and is attached before or after that. */
static const struct restart {
	const char *name;
	int from; /* the state before RESET */
	unsigned int times;
	const char *before, *after; /* as in struct memberships */
} restarts[] = {
	{"reset", IBV_QPS_RTS, 1, "an", ""},
	{"err", IBV_QPS_ERR, 1, "an", ""},
	{"sqd", IBV_QPS_SQD, 1, "an", ""},
	{"reset-alone", IBV_QPS_RTS, 1, "n", ""},
	{"err-alone", IBV_QPS_ERR, 1, "n", ""},
	{"reset-twice", IBV_QPS_RTS, 2, "n", ""},
	{"err-twice", IBV_QPS_ERR, 2, "n", ""},
	{"reset-unattached", IBV_QPS_RTS, 1, "", "n"},
	{"err-unattached", IBV_QPS_ERR, 1, "", "n"},
	{"reset-between", IBV_QPS_RTS, 1, "n", "Nan"},
};

/* Attaches the sender, which has two receives, moves it to RESET and up again,
 * and gives it two receives. */
static void restart(const struct post *p, const struct restart *r)
{
	make_calls(p, p->a, r->before);
	for (uint64_t i = 0; i < r->times; i++) {
		post_restart(p, p->a, p->a, r->from, 2);
		post_recv(p, p->a, 400 + 100 * i, 1);
	}
	make_calls(p, p->a, r->after);
}

static void blocked_through_reset(struct gen *g, const struct restart *r)
{
	struct post p;
	char name[48];

	snprintf(name, sizeof(name), "blocked/through-%s", r->name);
	if (!mcast_traffic_case(g, name, ROW_MC_SELF, &p))
		return;
	p.a = blocked(&p, 200);
	restart(&p, r);
	exchange(&p, mcast_new_member(&p, 300), false);
}

/* A sender that blocks nothing still gets its own messages. */
static void member_through_reset(struct gen *g, const struct restart *r)
{
	struct post p;
	char name[48];

	snprintf(name, sizeof(name), "sender-through-%s", r->name);
	if (!mcast_traffic_case(g, name, ROW_MC_COPY, &p))
		return;
	p.a = mcast_receiver(&p, 200);
	restart(&p, r);
	mcast_count_copies(&p, 1);
}

static void blocked_with_srq(struct gen *g)
{
	struct post p;

	if (!claim_holds(CLAIM_SRQ, g->d) ||
	    !mcast_traffic_case(g, "blocked/srq", ROW_MC_SELF, &p))
		return;
	p.srq = gen_srq(g, g->pd);
	p.a = blocked(&p, 200);
	make_calls(&p, p.a, "an");
	exchange(&p, mcast_new_member(&p, 300), false);
}

/* A member of the group, one of a group that differs in one byte, and one of
 * both. */
static void alike(struct gen *g, unsigned int byte)
{
	union ibv_gid near = group_near(byte);
	uint8_t both;
	struct post p;
	char name[48];

	snprintf(name, sizeof(name), "alike/byte-%u", byte);
	if (!mcast_traffic_case(g, name, ROW_MC_MEMBERS, &p))
		return;
	p.a = mcast_new_member(&p, 200);
	mcast_member(g, V_attach_mcast, mcast_receiver(&p, 300), &near);
	both = mcast_receiver(&p, 400);
	mcast_member(g, V_attach_mcast, both, &near);
	mcast_member(g, V_attach_mcast, both, &mcast_nodes);
	mcast_count_copies(&p, 2);
}

/* A member of two groups leaves the one whose address differs in one byte, and
 * then goes there from the group. */
static void alike_left(struct gen *g, unsigned int byte)
{
	union ibv_gid near = group_near(byte);
	struct post p;
	char name[48];
	uint8_t qp;

	snprintf(name, sizeof(name), "alike-left/byte-%u", byte);
	if (!mcast_traffic_case(g, name, ROW_MC_MEMBERS, &p))
		return;
	p.a = mcast_new_member(&p, 200);
	qp = mcast_new_member(&p, 300);
	mcast_member(g, V_attach_mcast, qp, &near);
	mcast_member(g, V_detach_mcast, qp, &near);
	send_from(&p, p.a, 1, 2);
	mcast_member(g, V_attach_mcast, qp, &near);
	mcast_member(g, V_detach_mcast, qp, &mcast_nodes);
	send_from(&p, p.a, 2, 1);
	gen_done(g);
}

/* The sender blocks its own messages in the only group. */
static void blocked_alone(struct gen *g)
{
	struct post p;

	if (!mcast_traffic_case(g, "sender-blocked", ROW_MC_SELF, &p))
		return;
	p.a = blocked(&p, 200);
	make_calls(&p, p.a, "n");
	mcast_count_copies(&p, 0);
}

void gen_data_multicast_groups(struct gen *g)
{
	blocked_alone(g);
	for (size_t i = 0; i < COUNT(memberships); i++)
		blocked_in_two(g, &memberships[i]);
	blocked_behind_member(g);
	two_blocked(g);
	for (size_t i = 0; i < COUNT(restarts); i++)
		blocked_through_reset(g, &restarts[i]);
	for (size_t i = 0; i < 3; i++)
		member_through_reset(g, &restarts[i]);
	blocked_with_srq(g);
	for (unsigned int byte = 1; byte < 16; byte++) {
		alike(g, byte);
		alike_left(g, byte);
	}
}
