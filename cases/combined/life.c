// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Combined lives: how one queue pair is created, which attributes each
 * transition sets and to what, a call that is refused on the way, and a second
 * life. Queries between the steps show what is kept.
 */
#include "cases/combined/combined.h"

enum life_factor {
	CREATION,
	SEND_WR,
	SEND_SGE,
	RECV_WR,
	RECV_SGE,
	INLINE_DATA,
	SIGNALING,
	SRQ_USED,
	QUEUES,
	TO_INIT,
	TO_RTR,
	TO_RTS,
	REFUSED_CALL,
	REFUSED_IN,
	MIDDLE,
	AGAIN,
	QUERIES,
	LIFE_FACTORS
};

enum { BY_CREATE_QP, BY_CREATE_QP_EX, WITH_SEND_OPS };
enum { REQUIRED, REQUIRED_OTHERS, REQUIRED_ZEROS, ALL_OTHERS };
enum {
	NOT_REFUSED,
	FALSE_STATE,
	SURPLUS,
	MISSING,
	PORT_ZERO,
	CQ_DESTROYED,
	RESET_WITH_MORE
};
enum { IN_INIT, IN_RTR, IN_RTS };
enum { NO_MIDDLE, BY_RESET, BY_ERR, BY_SQD, BY_RTS };

#define VALUES_MOST 20

static const struct combined_factor factors[LIFE_FACTORS] = {
	[CREATION] = {"created", {"plain", "ex", "send-ops"}},
	[SEND_WR] = {"send-wr", {"7", "1", "33"}},
	[SEND_SGE] = {"send-sge", {"1", "3"}},
	[RECV_WR] = {"recv-wr", {"7", "1", "33"}},
	[RECV_SGE] = {"recv-sge", {"1", "3"}},
	[INLINE_DATA] = {"inline", {"0", "1", "64"}},
	[SIGNALING] = {"sig-all", {"no", "yes"}},
	[SRQ_USED] = {"srq", {"no", "yes"}},
	[QUEUES] = {"cqs", {"same", "apart"}},
	[TO_INIT] = {"init", {"required", "others", "zeros", "all"}},
	[TO_RTR] = {"rtr", {"required", "others", "zeros", "all"}},
	[TO_RTS] = {"rts", {"required", "others", "zeros", "all"}},
	[REFUSED_CALL] = {"refused",
			  {"none", "false-state", "surplus", "missing",
			   "port-zero", "destroy-cq", "reset-with-more"}},
	[REFUSED_IN] = {"in", {"init", "rtr", "rts"}},
	[MIDDLE] = {"middle", {"none", "reset", "err", "sqd", "rts"}},
	[AGAIN] = {"again", {"required", "others", "zeros", "all"}},
	[QUERIES] = {"query", {"usual", "all"}},
};

static const unsigned int depths[] = {7, 1, 33};
static const unsigned int elements[] = {1, 3};
static const unsigned int inlines[] = {0, 1, 64};

struct life {
	struct gen *g;
	const uint8_t *row;
	uint8_t cq, other_cq;
};

static bool creation_offered(const struct gen *g, enum qp_kind kind,
			     unsigned int level)
{
	if (kind == QK_XRC_RECV || kind == QK_XRC_SEND)
		return level == BY_CREATE_QP_EX;
	return level != WITH_SEND_OPS || claim_holds(CLAIM_SEND_OPS, g->d);
}

static bool offered(const struct gen *g, enum qp_kind kind, unsigned int factor,
		    unsigned int level)
{
	switch ((enum life_factor)factor) {
	case CREATION:
		return creation_offered(g, kind, level);
	case SEND_WR:
	case SEND_SGE:
	case INLINE_DATA:
	case SIGNALING:
		return !level || kind_has_send(kind);
	case RECV_WR:
	case RECV_SGE:
	case QUEUES:
		return !level || kind_has_recv(kind);
	case SRQ_USED:
		return !level || ((kind == QK_RC || kind == QK_UD) &&
				  claim_holds(CLAIM_SRQ, g->d));
	case MIDDLE:
		return level != BY_SQD || gen_claim(g, kind, IBV_QPS_RTS,
						    IBV_QPS_SQD) == CLAIM_NONE;
	default:
		return true;
	}
}

/* The values of a second life need a second life; with an SRQ nobody has
 * receives of its own. */
static bool permitted(const struct gen *g, enum qp_kind kind,
		      const uint8_t *row)
{
	bool again = is_level(row, MIDDLE, BY_RESET) ||
		     is_level(row, MIDDLE, BY_ERR);

	(void)g;
	(void)kind;
	if (is_level(row, REFUSED_CALL, NOT_REFUSED) &&
	    is_other(row, REFUSED_IN, IN_INIT))
		return false;
	if (is_level(row, SRQ_USED, 1) &&
	    (is_other(row, RECV_WR, 0) || is_other(row, RECV_SGE, 0)))
		return false;
	return again || row[MIDDLE] == COVERING_OPEN ||
	       !is_other(row, AGAIN, REQUIRED);
}

static void query(const struct life *l)
{
	if (l->row[QUERIES])
		gen_query_all(l->g, l->g->qp);
	else
		gen_query(l->g, l->g->qp);
}

/* Creates the queue pair by the call that the row names. */
static void create_by_call(const struct life *l, enum qp_kind kind)
{
	struct gen *g = l->g;

	if (l->row[CREATION] == BY_CREATE_QP_EX && kind != QK_XRC_RECV &&
	    kind != QK_XRC_SEND) {
		g->qp = gen_make(g, V_create_qp_ex, NO_OBJ);
		prog_num(g->p, F_comp_mask, IBV_QP_INIT_ATTR_PD);
		prog_obj(g->p, F_pd, g->pd);
		gen_qp_parents(g, kind);
		gen_qp_caps(g, kind);
		return;
	}
	g->wr = l->row[CREATION] == WITH_SEND_OPS;
	g->qp = gen_qp_of(g, kind);
	g->wr = false;
}

static void put_send(const struct life *l)
{
	struct program *p = l->g->p;

	prog_num(p, F_max_send_wr, depths[l->row[SEND_WR]]);
	prog_num(p, F_max_send_sge, elements[l->row[SEND_SGE]]);
	prog_num(p, F_max_inline_data, inlines[l->row[INLINE_DATA]]);
	prog_num(p, F_sq_sig_all, l->row[SIGNALING]);
}

static void put_recv(const struct life *l, uint8_t srq)
{
	struct program *p = l->g->p;

	prog_num(p, F_max_recv_wr, depths[l->row[RECV_WR]]);
	prog_num(p, F_max_recv_sge, elements[l->row[RECV_SGE]]);
	if (l->row[QUEUES])
		prog_obj(p, F_recv_cq, l->other_cq);
	if (srq != NO_OBJ)
		prog_obj(p, F_srq, srq);
}

static void create(struct life *l, enum qp_kind kind)
{
	struct gen *g = l->g;
	uint8_t srq = NO_OBJ;

	gen_parents(g, kind);
	if (kind != QK_XRC_RECV)
		l->other_cq = gen_cq(g);
	l->cq = g->cq;
	if (l->row[SRQ_USED])
		srq = gen_srq(g, g->pd);
	create_by_call(l, kind);
	if (kind_has_send(kind))
		put_send(l);
	if (kind_has_recv(kind))
		put_recv(l, srq);
	query(l);
}

/* Adds another value than fixtures use for every attribute of the mask. */
static void others(const struct gen *g, uint32_t mask, struct gen_values *v)
{
	for (int bit = 1; bit < 32 && v->n < VALUES_MOST; bit++)
		if (mask & 1u << bit)
			gen_other(g, bit, v);
}

/* Returns the mask of a step, and its values. */
static uint32_t attributes(const struct gen *g, unsigned int level, int from,
			   int to, struct gen_values *v)
{
	uint32_t mask = level == ALL_OTHERS ? gen_maximal(g, g->kind, from, to)
					    : gen_minimal(g->kind, from, to);

	mask &= ~(uint32_t)(A_CUR_STATE | A_PATH_MIG_STATE | A_ALT_PATH);
	if (level == REQUIRED_ZEROS)
		gen_zeros(mask, v);
	else if (level != REQUIRED)
		others(g, mask, v);
	return mask;
}

static void step(const struct life *l, unsigned int level, int from, int to)
{
	struct gen_values v = {0};
	uint32_t mask = attributes(l->g, level, from, to, &v);

	gen_modify(l->g, l->g->qp, mask, from, to, &v);
	query(l);
}

/* Returns an attribute that the step does not allow. */
static uint32_t surplus(const struct gen *g, int from, int to)
{
	static const uint32_t tried[] = {A_PATH_MTU, A_RQ_PSN, A_SQ_PSN, A_PORT,
					 A_QKEY};

	for (size_t i = 0; i < COUNT(tried); i++)
		if (!(gen_allowed(g->kind, from, to) & tried[i]))
			return tried[i];
	return A_CAP;
}

/* Returns the last attribute that the step requires besides the state. */
static uint32_t last_required(const struct gen *g, int from, int to)
{
	uint32_t mask = gen_minimal(g->kind, from, to) & ~(uint32_t)A_STATE;

	while (mask & (mask - 1))
		mask &= mask - 1;
	return mask;
}

static void refused_step(const struct life *l, int from, int to)
{
	struct gen_values v = {0};
	uint32_t mask = attributes(l->g, ALL_OTHERS, from, to, &v);
	unsigned int how = l->row[REFUSED_CALL];

	if (how == FALSE_STATE) {
		mask |= A_CUR_STATE;
		gen_value(&v, F_cur_qp_state, NULL, IBV_QPS_SQE);
	}
	if (how == SURPLUS)
		mask |= surplus(l->g, from, to);
	if (how == MISSING)
		mask &= ~last_required(l->g, from, to);
	if (how == PORT_ZERO) {
		mask |= A_PORT;
		v.at[0] = (struct gen_value){F_port_num, {NULL, 0}};
		v.n += !v.n;
	}
	gen_modify(l->g, l->g->qp, mask, from, to, &v);
}

static void refused(const struct life *l, int state)
{
	static const int next[STATE_NR] = {[IBV_QPS_INIT] = IBV_QPS_RTR,
					   [IBV_QPS_RTR] = IBV_QPS_RTS,
					   [IBV_QPS_RTS] = IBV_QPS_RTS};
	struct gen *g = l->g;

	if (l->row[REFUSED_CALL] == NOT_REFUSED ||
	    state != IBV_QPS_INIT + (int)l->row[REFUSED_IN])
		return;
	if (l->row[REFUSED_CALL] == CQ_DESTROYED && g->kind != QK_XRC_RECV)
		gen_call(g, V_destroy_cq, l->row[QUEUES] ? l->other_cq : l->cq);
	else if (l->row[REFUSED_CALL] == RESET_WITH_MORE)
		gen_modify(g, g->qp, A_STATE | A_PORT, state, IBV_QPS_RESET,
			   NULL);
	else
		refused_step(l, state, next[state]);
	query(l);
}

/* Goes from RESET to RTS. In the first life a call is refused on the way. */
static void climb(const struct life *l, const unsigned int level[3], bool first)
{
	static const int states[] = {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR,
				     IBV_QPS_RTS};

	for (int i = 0; i < 3; i++) {
		step(l, level[i], states[i], states[i + 1]);
		if (first)
			refused(l, states[i + 1]);
	}
}

static void drain(const struct life *l)
{
	struct gen *g = l->g;

	gen_step(g, g->qp, IBV_QPS_RTS, IBV_QPS_SQD);
	query(l);
	step(l, ALL_OTHERS, IBV_QPS_SQD, IBV_QPS_RTS);
}

static void middle(const struct life *l)
{
	unsigned int again = l->row[AGAIN];
	const unsigned int levels[] = {again, again, again};
	struct gen *g = l->g;
	int from = IBV_QPS_RTS;

	switch (l->row[MIDDLE]) {
	case BY_SQD:
		drain(l);
		return;
	case BY_RTS:
		step(l, ALL_OTHERS, IBV_QPS_RTS, IBV_QPS_RTS);
		return;
	case BY_ERR:
		gen_step(g, g->qp, IBV_QPS_RTS, IBV_QPS_ERR);
		query(l);
		from = IBV_QPS_ERR;
		break;
	case BY_RESET:
		break;
	default:
		return;
	}
	gen_step(g, g->qp, from, IBV_QPS_RESET);
	query(l);
	climb(l, levels, false);
}

static void build(struct gen *g, enum qp_kind kind, const uint8_t *row)
{
	struct life l = {.g = g, .row = row, .other_cq = NO_OBJ};
	const unsigned int levels[] = {row[TO_INIT], row[TO_RTR], row[TO_RTS]};

	create(&l, kind);
	climb(&l, levels, true);
	middle(&l);
	gen_call(g, V_destroy_qp, g->qp);
	if (kind != QK_XRC_RECV)
		gen_call(g, V_destroy_cq, l.cq);
}

static const struct combined life = {
	.name = "life",
	.factor = factors,
	.n = LIFE_FACTORS,
	.offered = offered,
	.permitted = permitted,
	.build = build,
};

void gen_combined_life(struct gen *g, enum qp_kind kind)
{
	combined_cases(g, kind, &life, ROW_MOD_ACCEPT,
		       gen_also(g, gen_needs(g, CLAIM_VERBS_CONNECT),
				gen_claim(g, kind, IBV_QPS_RTS, IBV_QPS_RTS)));
}
