// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages to multicast groups: which members get a copy, how many, and in
 * which state; and what detaching, another Q_Key and membership of the sender
 * change.
 */
#include "cases/data/multicast.h"
#include "cases/two-devices/two_devices.h"

const union ibv_gid mcast_nodes = {.raw = {0xff, 0x02, [15] = 0x01}};
static const union ibv_gid other = {
	.raw = {0xff, 0x12, [10] = 0xff, [11] = 0xff, [15] = 0x18}};

enum claim mcast_traffic_claim(const struct gen *g)
{
	enum claim claim = post_claim(g, QK_UD, IBV_QPS_RTS, NULL);

	return gen_also(g, gen_also(g, claim, CLAIM_MCAST), CLAIM_GID6);
}

/* Returns the index of the source GID, of the device or of its second port. */
static uint64_t source(const struct device_info *d, bool joined)
{
	struct device_info of = *d;
	int index;

	if (joined)
		of.port_num = d->joined_port;
	index = device_gid6(&of);
	return index < 0 ? 0 : (uint64_t)index;
}

void mcast_put_address(struct gen *g, bool second, const union ibv_gid *gid)
{
	const struct device_info *from =
		second && !g->ports ? g->d->second : g->d;
	struct program *prog = g->p;

	prog_num(prog, F_addr_is_global, 1);
	prog_gid(prog, F_addr_dgid, gid);
	prog_num(prog, F_addr_sgid_index, source(from, second && g->ports));
	prog_num(prog, F_addr_hop_limit, 64);
	pair_put(g, F_addr_port_num, OWN_PORT, second);
	if (!g->global)
		prog_num(prog, F_addr_dlid, MCAST_LID);
}

void mcast_member(struct gen *g, enum verb verb, uint8_t qp,
		  const union ibv_gid *gid)
{
	gen_call(g, verb, qp);
	prog_gid(g->p, F_mcast_gid, gid);
	prog_num(g->p, F_mcast_lid, MCAST_LID);
}

void mcast_put_receivers(struct gen *g)
{
	prog_num(g->p, F_send_remote_qpn, MCAST_QPN);
	prog_num(g->p, F_send_remote_qkey, POST_QKEY);
}

/* Returns true for the cases of the quick profile. */
static bool is_quick(const char *name)
{
	static const char *const quick[] = {"one",
					    "attached-twice",
					    "nobody",
					    "detached",
					    "not-answered",
					    "one-number",
					    "srq-of-two",
					    "attached-again",
					    "first-left",
					    "last-left",
					    "middle-left",
					    "sender-twice",
					    "attached-again-of-two"};

	for (size_t i = 0; i < COUNT(quick); i++)
		if (!strcmp(name, quick[i]))
			return true;
	return false;
}

bool mcast_traffic_case(struct gen *g, const char *name, enum row row,
			struct post *p)
{
	if (!gen_id(g, "traffic/%s", name) ||
	    !gen_says_rule(g, row, mcast_traffic_claim(g),
			   "A message to a group, %s", name))
		return false;
	gen_parents(g, QK_UD);
	*p = post_bare(g, QK_UD);
	p->mr = gen_mr(g, g->pd);
	p->ah = gen_make(g, V_create_ah, g->pd);
	mcast_put_address(g, false, &mcast_nodes);
	return true;
}

static bool traffic_case(struct gen *g, const char *name, enum row row,
			 struct post *p)
{
	return (gen_full(g) || is_quick(name)) &&
	       mcast_traffic_case(g, name, row, p);
}

static void attach(const struct post *p, enum verb verb, uint8_t qp,
		   const union ibv_gid *gid)
{
	mcast_member(p->g, verb, qp, gid);
}

static uint8_t qp_in(const struct post *p, int state)
{
	uint8_t qp = gen_qp_of(p->g, QK_UD);

	post_bring(p, qp, qp, state);
	return qp;
}

uint8_t mcast_receiver(const struct post *p, uint64_t wr_id)
{
	uint8_t qp = qp_in(p, IBV_QPS_RTS);

	post_recv(p, qp, wr_id, 1);
	return qp;
}

uint8_t mcast_new_member(const struct post *p, uint64_t wr_id)
{
	uint8_t qp = mcast_receiver(p, wr_id);

	attach(p, V_attach_mcast, qp, &mcast_nodes);
	return qp;
}

void mcast_send(const struct post *p, uint64_t wr_id)
{
	struct post to = *p;

	to.b = p->a;
	post_send(&to, IBV_WR_SEND, wr_id, IBV_SEND_SIGNALED);
	mcast_put_receivers(p->g);
}

/* A group that differs from the others in its last byte. */
static union ibv_gid group_of(uint8_t last)
{
	union ibv_gid gid = other;

	gid.raw[15] = last;
	return gid;
}

/* Attaches a member again, after it was attached to so many other groups. */
static void attach_again(const struct post *p, uint8_t qp, uint8_t others)
{
	for (uint8_t i = 0; i < others; i++) {
		union ibv_gid gid = group_of(0x20 + i);

		attach(p, V_attach_mcast, qp, &gid);
	}
	attach(p, V_attach_mcast, qp, &mcast_nodes);
}

void mcast_count_copies(const struct post *p, unsigned int copies)
{
	mcast_send(p, 1);
	post_poll_for(p, 1 + copies, copies ? POST_WAIT : POST_MAYBE);
	post_poll(p, 0);
	mcast_send(p, 2);
	post_poll_for(p, 1 + copies, copies ? POST_WAIT : POST_MAYBE);
	post_poll(p, 0);
	gen_done(p->g);
}

static void to_members(struct gen *g)
{
	struct post p;

	if (traffic_case(g, "one", ROW_MC_MEMBERS, &p)) {
		p.a = qp_in(&p, IBV_QPS_RTS);
		mcast_new_member(&p, 200);
		mcast_count_copies(&p, 1);
	}
	if (traffic_case(g, "two", ROW_MC_MEMBERS, &p)) {
		p.a = qp_in(&p, IBV_QPS_RTS);
		mcast_new_member(&p, 200);
		mcast_new_member(&p, 300);
		mcast_count_copies(&p, 2);
	}
	if (traffic_case(g, "attached-twice", ROW_MC_COPY, &p)) {
		p.a = qp_in(&p, IBV_QPS_RTS);
		attach(&p, V_attach_mcast, mcast_new_member(&p, 200),
		       &mcast_nodes);
		mcast_count_copies(&p, 1);
	}
	if (traffic_case(g, "two-groups", ROW_MC_COPY, &p)) {
		p.a = qp_in(&p, IBV_QPS_RTS);
		attach(&p, V_attach_mcast, mcast_new_member(&p, 200), &other);
		mcast_count_copies(&p, 1);
	}
	if (traffic_case(g, "immediate", ROW_MC_MEMBERS, &p)) {
		p.a = qp_in(&p, IBV_QPS_RTS);
		mcast_new_member(&p, 200);
		mcast_send(&p, 1);
		prog_num(g->p, F_send_opcode, IBV_WR_SEND_WITH_IMM);
		prog_num(g->p, F_send_imm_data, POST_IMM);
		post_poll(&p, 2);
		gen_done(g);
	}
}

/* Members that are attached again after another group, after three, and after
 * another member. */
static void to_attached_again(struct gen *g)
{
	uint8_t qp;
	struct post p;

	if (traffic_case(g, "attached-again", ROW_MC_COPY, &p)) {
		p.a = qp_in(&p, IBV_QPS_RTS);
		attach_again(&p, mcast_new_member(&p, 200), 1);
		mcast_count_copies(&p, 1);
	}
	if (traffic_case(g, "attached-again-after-three", ROW_MC_COPY, &p)) {
		p.a = qp_in(&p, IBV_QPS_RTS);
		attach_again(&p, mcast_new_member(&p, 200), 3);
		mcast_count_copies(&p, 1);
	}
	if (traffic_case(g, "attached-again-of-two", ROW_MC_COPY, &p)) {
		p.a = qp_in(&p, IBV_QPS_RTS);
		qp = mcast_new_member(&p, 200);
		mcast_new_member(&p, 300);
		attach_again(&p, qp, 1);
		mcast_count_copies(&p, 2);
	}
	if (traffic_case(g, "attached-again-detached", ROW_MC_MEMBERS, &p)) {
		p.a = qp_in(&p, IBV_QPS_RTS);
		qp = mcast_new_member(&p, 200);
		attach_again(&p, qp, 1);
		attach(&p, V_detach_mcast, qp, &mcast_nodes);
		mcast_count_copies(&p, 0);
	}
}

void mcast_losable_sender(struct post *p, unsigned int members)
{
	p->g->cq = gen_cq(p->g);
	prog_num(p->g->p, F_cqe, (1 + members) * POST_LOSABLE);
	p->a = qp_in(p, IBV_QPS_RTS);
}

uint8_t mcast_losable_receiver(const struct post *p, uint64_t wr_id,
			       unsigned int more)
{
	uint8_t qp = gen_qp_of(p->g, QK_UD);

	prog_num(p->g->p, F_max_recv_wr, POST_LOSABLE + more);
	post_bring(p, qp, qp, IBV_QPS_RTS);
	post_recv(p, qp, wr_id, POST_LOSABLE + more - 1);
	return qp;
}

void mcast_send_losable(const struct post *p, unsigned int copies)
{
	for (uint64_t i = 1; i <= POST_LOSABLE; i++) {
		mcast_send(p, i);
		post_poll_for(p, 1 + copies,
			      i < POST_LOSABLE ? POST_MAYBE : POST_WAIT);
	}
}

void mcast_some_arrive(struct post *p, const union ibv_gid *gid, bool join)
{
	uint8_t qp;

	mcast_losable_sender(p, 1);
	qp = mcast_losable_receiver(p, 200, 0);
	if (join)
		mcast_join(p->g, qp, gid, false);
	attach(p, V_attach_mcast, qp, gid);
	mcast_send_losable(p, 1);
	gen_query(p->g, qp);
	gen_done(p->g);
}

/* Some of the messages reach each member that has not left. */
static void others_stay(struct gen *g, const char *name, unsigned int members,
			unsigned int leaves)
{
	uint8_t gone = NO_OBJ;
	struct post p;

	if (!traffic_case(g, name, ROW_POLL_ARRIVES, &p))
		return;
	mcast_losable_sender(&p, members);
	for (unsigned int i = 0; i < members; i++) {
		uint8_t qp = mcast_losable_receiver(&p, 200 + 100 * i, 0);

		attach(&p, V_attach_mcast, qp, &mcast_nodes);
		if (i == leaves)
			gone = qp;
	}
	attach(&p, V_detach_mcast, gone, &mcast_nodes);
	mcast_send_losable(&p, members - 1);
	post_poll(&p, 0);
	gen_done(g);
}

static void some_arrive(struct gen *g)
{
	struct post p;

	if (traffic_case(g, "arrives", ROW_POLL_ARRIVES, &p))
		mcast_some_arrive(&p, &mcast_nodes, false);
	others_stay(g, "first-left", 2, 0);
	others_stay(g, "last-left", 2, 1);
	others_stay(g, "middle-left", 3, 1);
}

static void to_nobody(struct gen *g)
{
	struct post p;

	if (traffic_case(g, "nobody", ROW_MC_MEMBERS, &p)) {
		p.a = qp_in(&p, IBV_QPS_RTS);
		mcast_receiver(&p, 200);
		mcast_count_copies(&p, 0);
	}
	if (traffic_case(g, "other-group", ROW_MC_MEMBERS, &p)) {
		p.a = qp_in(&p, IBV_QPS_RTS);
		attach(&p, V_attach_mcast, mcast_receiver(&p, 200), &other);
		mcast_count_copies(&p, 0);
	}
	if (traffic_case(g, "other-qkey", ROW_MC_MEMBERS, &p)) {
		p.a = qp_in(&p, IBV_QPS_RTS);
		mcast_new_member(&p, 200);
		mcast_send(&p, 1);
		prog_num(g->p, F_send_remote_qkey, POST_QKEY + 1);
		post_poll_for(&p, 2, POST_MAYBE);
		gen_done(g);
	}
}

/* A receiver that is not a member, addressed by its number at the group's
 * address. */
static void to_one_number(struct gen *g)
{
	struct post p;

	if (!traffic_case(g, "one-number", ROW_MC_NUMBER, &p))
		return;
	p.a = qp_in(&p, IBV_QPS_RTS);
	p.b = mcast_receiver(&p, 200);
	mcast_send(&p, 1);
	prog_out(g->p, F_send_remote_qpn, p.b, F_qp_num, 0);
	post_poll_for(&p, 2, POST_MAYBE);
	gen_done(g);
}

/* The GID of a group cannot be the source of an answer. */
static void not_answered(struct gen *g)
{
	struct post p;
	uint8_t wc;

	if (!traffic_case(g, "not-answered", ROW_REPLY_GROUP, &p))
		return;
	p.a = qp_in(&p, IBV_QPS_RTS);
	mcast_new_member(&p, 200);
	mcast_send(&p, 1);
	prog_num(g->p, F_send_flags, 0);
	wc = post_poll_one(g, g->cq);
	gen_call(g, V_init_ah_from_wc, NO_OBJ);
	post_put_message(&p, wc, 0);
	gen_make(g, V_create_ah_from_wc, g->pd);
	post_put_message(&p, wc, 0);
	gen_done(g);
}

/* Detaches the only member or one of two, and attaches it again. */
static void detached(struct gen *g)
{
	uint8_t gone;
	struct post p;

	if (traffic_case(g, "detached", ROW_MC_MEMBERS, &p)) {
		p.a = qp_in(&p, IBV_QPS_RTS);
		gone = mcast_new_member(&p, 200);
		mcast_send(&p, 1);
		post_poll(&p, 2);
		attach(&p, V_detach_mcast, gone, &mcast_nodes);
		mcast_send(&p, 2);
		post_poll_for(&p, 2, POST_MAYBE);
		attach(&p, V_attach_mcast, gone, &mcast_nodes);
		mcast_send(&p, 3);
		post_poll(&p, 2);
		gen_done(g);
	}
	if (traffic_case(g, "one-of-two-detached", ROW_MC_MEMBERS, &p)) {
		p.a = qp_in(&p, IBV_QPS_RTS);
		gone = mcast_new_member(&p, 200);
		mcast_new_member(&p, 300);
		attach(&p, V_detach_mcast, gone, &mcast_nodes);
		mcast_count_copies(&p, 1);
	}
	if (traffic_case(g, "attached-twice-detached", ROW_MC_MEMBERS, &p)) {
		p.a = qp_in(&p, IBV_QPS_RTS);
		gone = mcast_new_member(&p, 200);
		attach(&p, V_attach_mcast, gone, &mcast_nodes);
		attach(&p, V_detach_mcast, gone, &mcast_nodes);
		mcast_count_copies(&p, 0);
	}
}

/* The sender is a member: alone and with others. */
static void to_sender(struct gen *g)
{
	struct post p;

	if (traffic_case(g, "sender", ROW_MC_COPY, &p)) {
		p.a = mcast_new_member(&p, 200);
		mcast_count_copies(&p, 1);
	}
	if (traffic_case(g, "sender-twice", ROW_MC_COPY, &p)) {
		p.a = mcast_new_member(&p, 200);
		attach(&p, V_attach_mcast, p.a, &mcast_nodes);
		mcast_count_copies(&p, 1);
	}
	if (traffic_case(g, "sender-twice-and-other", ROW_MC_COPY, &p)) {
		p.a = mcast_new_member(&p, 200);
		mcast_new_member(&p, 300);
		attach(&p, V_attach_mcast, p.a, &mcast_nodes);
		mcast_count_copies(&p, 2);
	}
	if (traffic_case(g, "sender-and-other", ROW_MC_COPY, &p)) {
		p.a = mcast_new_member(&p, 200);
		mcast_new_member(&p, 300);
		mcast_count_copies(&p, 2);
	}
}

/* A member in a state that receives nothing. */
static void not_ready(struct gen *g, int state)
{
	bool takes = state >= IBV_QPS_RTR && state <= IBV_QPS_SQE;
	char name[32];
	uint8_t qp;
	struct post p;

	snprintf(name, sizeof(name), "state/%s", state_slug(state));
	if (state == IBV_QPS_SQE || !traffic_case(g, name, ROW_MC_MEMBERS, &p))
		return;
	p.a = qp_in(&p, IBV_QPS_RTS);
	mcast_new_member(&p, 300);
	qp = qp_in(&p, state);
	attach(&p, V_attach_mcast, qp, &mcast_nodes);
	if (state == IBV_QPS_INIT || takes)
		post_recv(&p, qp, 200, 1);
	mcast_send(&p, 1);
	post_poll(&p, takes ? 3 : 2);
	post_poll(&p, 0);
	gen_done(g);
}

static void without_receive(struct gen *g)
{
	struct post p;
	uint8_t qp;

	if (!traffic_case(g, "no-receive", ROW_MC_MEMBERS, &p))
		return;
	p.a = qp_in(&p, IBV_QPS_RTS);
	qp = qp_in(&p, IBV_QPS_RTS);
	attach(&p, V_attach_mcast, qp, &mcast_nodes);
	mcast_new_member(&p, 300);
	mcast_send(&p, 1);
	post_poll(&p, 2);
	post_recv(&p, qp, 200, 0);
	post_poll(&p, 0);
	mcast_send(&p, 2);
	post_poll(&p, 3);
	gen_done(g);
}

static uint8_t on_srq(const struct post *p)
{
	uint8_t qp = gen_qp_of(p->g, QK_UD);

	prog_obj(p->g->p, F_srq, p->srq);
	post_bring(p, qp, qp, IBV_QPS_RTS);
	attach(p, V_attach_mcast, qp, &mcast_nodes);
	return qp;
}

/* Members with one SRQ. */
static void from_srq(struct gen *g, const char *name, unsigned int members)
{
	struct post p;

	if (!claim_holds(CLAIM_SRQ, g->d) ||
	    !traffic_case(g, name, ROW_MC_MEMBERS, &p))
		return;
	p.a = qp_in(&p, IBV_QPS_RTS);
	p.srq = gen_srq(g, g->pd);
	post_recv(&p, p.srq, 200, 4);
	for (unsigned int i = 0; i < members; i++)
		on_srq(&p);
	mcast_count_copies(&p, members);
}

void gen_data_multicast_traffic(struct gen *g)
{
	to_members(g);
	to_attached_again(g);
	some_arrive(g);
	to_nobody(g);
	to_one_number(g);
	not_answered(g);
	detached(g);
	to_sender(g);
	for (int state = 0; state < STATE_NR; state++)
		not_ready(g, state);
	without_receive(g);
	from_srq(g, "srq", 1);
	from_srq(g, "srq-of-two", 2);
}
