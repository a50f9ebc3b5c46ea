/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Multicast groups: attaching and detaching once, twice and never; GIDs that
 * are not groups; types without multicast; and attached queue pairs that are
 * destroyed or moved.
 */
#include "cases/data/multicast.h"

/* A transient group of link-local scope. */
static const union ibv_gid group = {
	.raw = {0xff, 0x12, [10] = 0xff, [11] = 0xff, [15] = 0x17}};
static const union ibv_gid other_group = {
	.raw = {0xff, 0x12, [10] = 0xff, [11] = 0xff, [15] = 0x18}};
static const union ibv_gid no_group = {.raw = {0xfe, 0x80, [15] = 0x17}};

static void mcast_call(struct gen *g, enum verb verb, const union ibv_gid *gid,
		       uint32_t lid)
{
	gen_call(g, verb, g->qp);
	prog_gid(g->p, F_mcast_gid, gid);
	prog_num(g->p, F_mcast_lid, lid);
}

static void attach(struct gen *g)
{
	mcast_call(g, V_attach_mcast, &group, MCAST_LID);
}

static void detach(struct gen *g)
{
	mcast_call(g, V_detach_mcast, &group, MCAST_LID);
}

static enum claim mcast_claim(const struct gen *g, enum qp_kind kind, int state)
{
	return gen_also(g, gen_claim(g, kind, state, state), CLAIM_MCAST);
}

static bool mcast_case(struct gen *g, const char *id, enum qp_kind kind,
		       int state, enum row row)
{
	if (!gen_id(g, "%s", id) ||
	    !gen_says_rule(g, row, mcast_claim(g, kind, state),
			   "Multicast on %s in %s (%s)", qp_kind_name(kind),
			   state_name(state), id))
		return false;
	gen_fixture(g, kind, state);
	return true;
}

/* An attached queue pair cannot be destroyed, a detached one can. */
static void in_state(struct gen *g, int state)
{
	char id[32];

	snprintf(id, sizeof(id), "attach/%s", state_slug(state));
	if (mcast_case(g, id, QK_UD, state, ROW_LIFE_QP_MCAST)) {
		attach(g);
		gen_query(g, g->qp);
		gen_call(g, V_destroy_qp, g->qp);
		gen_query(g, g->qp);
		detach(g);
		gen_call(g, V_destroy_qp, g->qp);
		gen_done(g);
	}
	snprintf(id, sizeof(id), "duplicate/%s", state_slug(state));
	if (mcast_case(g, id, QK_UD, state, ROW_MC_TWICE)) {
		attach(g);
		attach(g);
		detach(g);
		detach(g);
		gen_call(g, V_destroy_qp, g->qp);
		gen_done(g);
	}
	snprintf(id, sizeof(id), "detach/%s", state_slug(state));
	if (mcast_case(g, id, QK_UD, state, ROW_MC_DETACH)) {
		detach(g);
		attach(g);
		detach(g);
		gen_call(g, V_destroy_qp, g->qp);
		gen_done(g);
	}
}

static void wrong_type(struct gen *g, enum qp_kind kind)
{
	char id[32];

	snprintf(id, sizeof(id), "type/%s", qp_kind_slug(kind));
	if (kind == QK_UD || !mcast_case(g, id, kind, IBV_QPS_INIT, ROW_MC_QP))
		return;
	attach(g);
	detach(g);
	gen_call(g, V_destroy_qp, g->qp);
	gen_done(g);
}

static void wrong_gid(struct gen *g)
{
	static const union ibv_gid zero;

	if (mcast_case(g, "gid/unicast", QK_UD, IBV_QPS_INIT, ROW_MC_GID)) {
		mcast_call(g, V_attach_mcast, &no_group, MCAST_LID);
		gen_call(g, V_destroy_qp, g->qp);
		gen_done(g);
	}
	if (mcast_case(g, "gid/zero", QK_UD, IBV_QPS_INIT, ROW_MC_GID)) {
		mcast_call(g, V_attach_mcast, &zero, MCAST_LID);
		gen_call(g, V_destroy_qp, g->qp);
		gen_done(g);
	}
}

static void lid_case(struct gen *g, uint32_t lid)
{
	bool legal = lid >= 0xc000 && lid < 0xffff;
	bool refused = !g->global && !legal;
	char id[32];

	snprintf(id, sizeof(id), "lid/0x%x", lid);
	if (!mcast_case(g, id, QK_UD, IBV_QPS_INIT,
			refused ? ROW_MC_LID : ROW_MC_TWICE))
		return;
	mcast_call(g, V_attach_mcast, &group, lid);
	mcast_call(g, V_detach_mcast, &group, lid);
	gen_call(g, V_destroy_qp, g->qp);
	gen_done(g);
}

static void two_groups(struct gen *g)
{
	if (!mcast_case(g, "two-groups", QK_UD, IBV_QPS_INIT,
			ROW_LIFE_QP_MCAST))
		return;
	attach(g);
	mcast_call(g, V_attach_mcast, &other_group, MCAST_LID);
	detach(g);
	gen_call(g, V_destroy_qp, g->qp);
	detach(g);
	mcast_call(g, V_detach_mcast, &other_group, MCAST_LID);
	gen_call(g, V_destroy_qp, g->qp);
	gen_done(g);
}

/* The first group is attached again after the second, and has one membership.
 */
static void again_between(struct gen *g)
{
	if (!mcast_case(g, "again", QK_UD, IBV_QPS_INIT, ROW_MC_TWICE))
		return;
	attach(g);
	mcast_call(g, V_attach_mcast, &other_group, MCAST_LID);
	attach(g);
	detach(g);
	detach(g);
	gen_call(g, V_destroy_qp, g->qp);
	mcast_call(g, V_detach_mcast, &other_group, MCAST_LID);
	gen_call(g, V_destroy_qp, g->qp);
	gen_done(g);
}

/* Groups that differ in one byte are two groups. */
static void alike(struct gen *g, unsigned int byte)
{
	union ibv_gid near = group;
	char id[32];

	near.raw[byte] ^= 3;
	snprintf(id, sizeof(id), "alike/byte-%u", byte);
	if (!mcast_case(g, id, QK_UD, IBV_QPS_INIT, ROW_MC_DETACH))
		return;
	attach(g);
	mcast_call(g, V_detach_mcast, &near, MCAST_LID);
	mcast_call(g, V_attach_mcast, &near, MCAST_LID);
	mcast_call(g, V_detach_mcast, &near, MCAST_LID);
	gen_call(g, V_destroy_qp, g->qp);
	detach(g);
	gen_call(g, V_destroy_qp, g->qp);
	gen_done(g);
}

static void other_lid(struct gen *g)
{
	if (!mcast_case(g, "other-lid", QK_UD, IBV_QPS_INIT, ROW_MC_DETACH))
		return;
	attach(g);
	mcast_call(g, V_detach_mcast, &group, MCAST_LID + 1);
	detach(g);
	gen_call(g, V_destroy_qp, g->qp);
	gen_done(g);
}

/* The attachment survives RESET. */
static void through_states(struct gen *g)
{
	if (!mcast_case(g, "through-reset", QK_UD, IBV_QPS_INIT,
			ROW_LIFE_QP_MCAST))
		return;
	attach(g);
	gen_step(g, g->qp, IBV_QPS_INIT, IBV_QPS_RESET);
	gen_call(g, V_destroy_qp, g->qp);
	gen_bring(g, g->qp, IBV_QPS_INIT);
	detach(g);
	gen_call(g, V_destroy_qp, g->qp);
	gen_done(g);
}

static void two_members(struct gen *g)
{
	uint8_t first;

	if (!mcast_case(g, "two-members", QK_UD, IBV_QPS_INIT, ROW_MC_DETACH))
		return;
	attach(g);
	first = g->qp;
	g->qp = gen_qp_of(g, QK_UD);
	gen_bring(g, g->qp, IBV_QPS_INIT);
	detach(g);
	attach(g);
	gen_call(g, V_destroy_qp, first);
	detach(g);
	gen_call(g, V_destroy_qp, g->qp);
	g->qp = first;
	detach(g);
	gen_call(g, V_destroy_qp, first);
	gen_done(g);
}

void gen_create_multicast(struct gen *g)
{
	static const uint32_t lids[] = {0,	0x1,	0xbfff, 0xc000,
					0xfffe, 0xffff, 0x8000};

	gen_prefix(g, "mcast/");
	for (int state = 0; state < STATE_NR; state++)
		in_state(g, state);
	for (int kind = 0; kind < QK_NR; kind++)
		wrong_type(g, (enum qp_kind)kind);
	wrong_gid(g);
	for (size_t i = 0; i < COUNT(lids); i++)
		lid_case(g, lids[i]);
	two_groups(g);
	again_between(g);
	for (unsigned int byte = 1; byte < 16; byte++)
		alike(g, byte);
	other_lid(g);
	through_states(g);
	two_members(g);
	gen_data_multicast_traffic(g);
	gen_data_multicast_groups(g);
	gen_data_multicast_order(g);
	gen_data_multicast_bytes(g);
	gen_data_multicast_join(g);
}
