// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The calls that threads make. Each request has a wr_id of its own, and each
 * modify values that the one before did not have, so that the checks can tell
 * them apart.
 */
#include "fuzz/fire/stage.h"

enum { LIST = 8, TIMERS = 28, RETRIES = 7, MOST_SERVED = 4 };

/* Returns the pair, or seldom the second one. */
static const struct post *draw_pair(struct fire_stage *s)
{
	return s->second.a == NO_OBJ || fire_below(s, 3) ? &s->d.p : &s->second;
}

/* Returns a sender, or seldom its peer. */
static uint8_t either(struct fire_stage *s)
{
	const struct post *p = draw_pair(s);

	return fire_below(s, 4) ? p->a : p->b;
}

static uint64_t draw_offset(struct fire_stage *s, unsigned int length)
{
	unsigned int places = (FIRE_SPAN - length) / FIRE_LENGTH + 1;

	return FIRE_LENGTH * fire_below(s, places);
}

/* Messages that need no receive have several packets at times. */
static unsigned int draw_length(struct fire_stage *s, uint32_t opcode)
{
	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		return sizeof(uint64_t);
	if (opcode == IBV_WR_RDMA_READ || opcode == IBV_WR_RDMA_WRITE)
		return fire_below(s, 3) ? FIRE_LENGTH : FIRE_SPAN / 2;
	return FIRE_LENGTH;
}

/* Adds a list of n requests. */
static void put_list(struct fire_stage *s, enum field wr_id, enum field more,
		     unsigned int n)
{
	prog_num(s->g.p, wr_id, s->wr_id);
	if (n > 1)
		prog_num(s->g.p, more, n - 1);
	s->wr_id += n;
}

static unsigned int draw_number(struct fire_stage *s)
{
	return fire_below(s, 3) ? 1 : 1 + fire_below(s, LIST);
}

static uint32_t draw_opcode(struct fire_stage *s)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND,	      IBV_WR_SEND,
		IBV_WR_RDMA_WRITE,    IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_READ,     IBV_WR_ATOMIC_FETCH_AND_ADD,
		IBV_WR_SEND_WITH_IMM,
	};
	const struct opcode *op;
	uint32_t drawn;

	do {
		drawn = opcodes[fire_below(s, COUNT(opcodes))];
		op = opcode_of(drawn);
	} while (!post_offers(&s->g, s->d.p.kind, op));
	return drawn;
}

static void put_remote(struct fire_stage *s, unsigned int length)
{
	prog_obj(s->g.p, F_send_remote, s->remote);
	prog_num(s->g.p, F_send_remote_offset, draw_offset(s, length));
}

static void add_sends(struct fire_stage *s, uint32_t opcode, unsigned int n)
{
	const struct post *pair = draw_pair(s);
	bool atomic = opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
	bool fetches = atomic || opcode == IBV_WR_RDMA_READ;
	unsigned int length = draw_length(s, opcode);
	struct program *p = s->g.p;

	gen_call(&s->g, V_post_send, pair->a);
	if (opcode_of(opcode)->imm)
		prog_num(p, F_send_imm_data, s->wr_id);
	put_list(s, F_send_wr_id, F_send_more, n);
	prog_num(p, F_send_opcode, opcode);
	prog_num(p, F_send_flags, fire_below(s, 8) ? IBV_SEND_SIGNALED : 0);
	prog_num(p, F_send_num_sge, 1);
	prog_obj(p, F_send_mr, fetches ? s->d.into : s->d.from);
	prog_num(p, F_send_offset, draw_offset(s, length));
	prog_num(p, F_send_length, length);
	if (opcode_of(opcode)->access)
		put_remote(s, length);
	post_put_receiver(pair);
	if (atomic)
		prog_num(p, F_send_compare_add, 1);
}

static void begin_receive(struct fire_stage *s)
{
	if (s->srq != NO_OBJ)
		gen_call(&s->g, V_post_srq_recv, s->srq);
	else
		gen_call(&s->g, V_post_recv,
			 fire_below(s, 8) ? s->d.p.b : s->d.p.a);
}

static void add_receives(struct fire_stage *s, unsigned int n)
{
	struct program *p = s->g.p;
	unsigned int header = s->d.p.kind == QK_UD ? DATA_GRH : 0;

	begin_receive(s);
	put_list(s, F_recv_wr_id, F_recv_more, n);
	prog_num(p, F_recv_num_sge, 1);
	prog_obj(p, F_recv_mr, s->d.into);
	prog_num(p, F_recv_offset, draw_offset(s, FIRE_LENGTH));
	prog_num(p, F_recv_length, FIRE_LENGTH + header);
}

void fire_add_send(struct fire_stage *s)
{
	add_sends(s, draw_opcode(s), draw_number(s));
}

void fire_add_receive(struct fire_stage *s)
{
	add_receives(s, draw_number(s));
}

/* A burst of messages, and twice as many receives: a message that arrives again
 * finds one. */
void fire_add_burst(struct fire_stage *s)
{
	const struct opcode *imm = opcode_of(IBV_WR_SEND_WITH_IMM);
	const bool with = post_offers(&s->g, s->d.p.kind, imm);
	unsigned int n = 2 + fire_below(s, s->depth / 2 - 1);

	add_receives(s, 2 * n);
	add_sends(s, with && fire_below(s, 2) ? imm->value : IBV_WR_SEND, n);
}

/* About as many requests as the queue has room for, or some more. */
void fire_add_overrun(struct fire_stage *s)
{
	unsigned int n = s->depth - 2 + fire_below(s, LIST);

	if (fire_below(s, 3))
		add_sends(s, draw_opcode(s), n);
	else
		add_receives(s, n);
}

/* Sizes with room for all requests of a program. */
void fire_add_resize(struct fire_stage *s)
{
	static const unsigned int sizes[] = {800, 1000, 1024, 1500, 2048};

	gen_call(&s->g, V_resize_cq, fire_below(s, 2) ? s->cq_a : s->cq_b);
	prog_num(s->g.p, F_cqe, sizes[fire_below(s, COUNT(sizes))]);
}

void fire_add_poll(struct fire_stage *s)
{
	gen_call(&s->g, V_poll_cq, fire_below(s, 3) ? s->cq_a : s->cq_b);
	prog_num(s->g.p, F_poll_entries, fire_below(s, 3) ? POLL_MAX : 2);
	if (!fire_below(s, 4)) {
		prog_num(s->g.p, F_poll_entries, 1);
		prog_num(s->g.p, F_poll_max, 1 + fire_below(s, 4));
		prog_num(s->g.p, F_poll_timeout, fire_below(s, 3));
	}
}

void fire_add_query(struct fire_stage *s)
{
	gen_call(&s->g, V_query_qp, either(s));
	prog_num(s->g.p, F_mask, fire_queried(s));
}

static uint32_t next_value(struct fire_stage *s, unsigned int n)
{
	return 1 + s->turn++ % n;
}

static uint32_t draw_access(struct fire_stage *s)
{
	uint32_t all = gen_remote_access(&s->g);

	return fire_below(s, 2) ? all : all & ~(uint32_t)IBV_ACCESS_REMOTE_READ;
}

/* Datagrams arrive only with the usual key. */
static uint32_t draw_qkey(struct fire_stage *s)
{
	uint32_t other = next_value(s, TIMERS);

	return other % 2 ? POST_QKEY : other;
}

/* Sets attributes that differ from those before. Those that the state does not
 * allow make the call one that is refused. */
static void put_attributes(struct fire_stage *s, uint32_t mask)
{
	struct program *p = s->g.p;

	prog_num(p, F_mask, mask);
	if (mask & A_MIN_RNR_TIMER)
		prog_num(p, F_min_rnr_timer, next_value(s, TIMERS));
	if (mask & A_TIMEOUT)
		prog_num(p, F_timeout, next_value(s, TIMERS));
	if (mask & A_RETRY_CNT)
		prog_num(p, F_retry_cnt, next_value(s, RETRIES));
	if (mask & A_RNR_RETRY)
		prog_num(p, F_rnr_retry, next_value(s, RETRIES));
	if (mask & A_ACCESS_FLAGS)
		prog_num(p, F_qp_access_flags, draw_access(s));
	if (mask & A_QKEY)
		prog_num(p, F_qkey, draw_qkey(s));
}

static enum qp_kind kind_of(const struct fire_stage *s, uint8_t qp)
{
	bool receives = qp == s->d.p.b || qp == s->second.b;

	return receives ? kind_receiver(s->d.p.kind) : s->d.p.kind;
}

void fire_add_attributes(struct fire_stage *s)
{
	static const uint32_t masks[] = {
		A_STATE | A_MIN_RNR_TIMER | A_QKEY,
		A_STATE | A_MIN_RNR_TIMER | A_ACCESS_FLAGS | A_QKEY,
		A_STATE | A_TIMEOUT | A_RETRY_CNT | A_RNR_RETRY |
			A_MIN_RNR_TIMER,
		A_STATE | A_TIMEOUT | A_RETRY_CNT,
	};
	uint32_t mask = masks[fire_below(s, COUNT(masks))];
	int state = mask & A_TIMEOUT ? IBV_QPS_SQD : IBV_QPS_RTS;
	uint8_t qp = either(s);

	gen_call(&s->g, V_modify_qp, qp);
	put_attributes(s, mask & gen_allowed(kind_of(s, qp), state, state));
	prog_num(s->g.p, F_qp_state, (uint64_t)state);
}

/* No transition from RTS or SQD takes SQ_PSN. */
void fire_add_refused(struct fire_stage *s)
{
	uint8_t qp = either(s);
	uint32_t own = kind_of(s, qp) == QK_UD ? A_QKEY : A_MIN_RNR_TIMER;

	gen_call(&s->g, V_modify_qp, qp);
	put_attributes(s, A_STATE | A_ACCESS_FLAGS | A_SQ_PSN | own);
	prog_num(s->g.p, F_qp_state, IBV_QPS_RTS);
}

static void put_state(struct fire_stage *s, uint8_t qp, enum ibv_qp_state to)
{
	gen_call(&s->g, V_modify_qp, qp);
	prog_num(s->g.p, F_mask, A_STATE);
	prog_num(s->g.p, F_qp_state, to);
}

void fire_add_err(struct fire_stage *s)
{
	const struct post *p = draw_pair(s);

	put_state(s, fire_below(s, 2) ? p->a : p->b, IBV_QPS_ERR);
}

/* Goes to SQD, mostly with the event, and back to RTS. */
void fire_add_sqd(struct fire_stage *s)
{
	uint8_t qp = draw_pair(s)->a;

	put_state(s, qp, IBV_QPS_SQD);
	if (fire_below(s, 4)) {
		prog_num(s->g.p, F_mask, A_STATE | A_EN_SQD_ASYNC_NOTIFY);
		prog_num(s->g.p, F_en_sqd_async_notify, 1);
	}
	if (!fire_below(s, 3)) {
		gen_call(&s->g, V_wait_drained, qp);
		prog_num(s->g.p, F_event_timeout, 1 + fire_below(s, 5));
	}
	if (fire_below(s, 2))
		put_state(s, qp, IBV_QPS_RTS);
}

bool fire_may_serve(const struct fire_stage *s)
{
	return s->g.d->limit[LIM_max_qp_rd_atom] >= MOST_SERVED &&
	       gen_allowed(kind_of(s, s->d.p.b), IBV_QPS_SQD, IBV_QPS_SQD) &
		       A_MAX_DEST_RD_ATOMIC;
}

/* A receiver gets other resources for READs and atomics while it serves them:
 * never less than the one at a time that its peer sends. */
void fire_add_resources(struct fire_stage *s)
{
	uint8_t qp = draw_pair(s)->b;

	put_state(s, qp, IBV_QPS_SQD);
	for (unsigned int n = 1 + fire_below(s, 4); n; n--) {
		put_state(s, qp, IBV_QPS_SQD);
		prog_num(s->g.p, F_mask, A_STATE | A_MAX_DEST_RD_ATOMIC);
		prog_num(s->g.p, F_max_dest_rd_atomic,
			 1 + fire_below(s, MOST_SERVED));
	}
	put_state(s, qp, IBV_QPS_RTS);
}

/* RESET, and sometimes up again. */
void fire_add_reset(struct fire_stage *s)
{
	const struct post *p = draw_pair(s);
	uint8_t qp = fire_below(s, 4) ? p->a : p->b;

	put_state(s, qp, IBV_QPS_RESET);
	if (!fire_below(s, 3) && !device_iwarp(s->g.d))
		post_up(p, qp, qp == p->a ? p->b : p->a, IBV_QPS_RESET,
			IBV_QPS_RTS);
}

/* A queue pair with a bound window stays: some drivers destroy it only after a
 * long wait (F-81). */
void fire_add_destroy(struct fire_stage *s)
{
	gen_call(&s->g, V_destroy_qp, s->mw == NO_OBJ ? either(s) : s->d.p.a);
}

void fire_add_dereg(struct fire_stage *s)
{
	const uint8_t mr[] = {s->d.from, s->d.into, s->remote, s->remote};

	gen_call(&s->g, V_dereg_mr, mr[fire_below(s, COUNT(mr))]);
}

bool fire_may_link(const struct fire_stage *s)
{
	return s->g.d->second && s->g.d->can_link;
}

static void put_link(struct fire_stage *s, enum link_action action)
{
	gen_call(&s->g, V_link, NO_OBJ);
	prog_num(s->g.p, F_link_action, action);
}

/* Cuts the link to the second device, or lets it lose or delay packets, and
 * heals it after a while. */
void fire_add_link(struct fire_stage *s)
{
	switch (fire_below(s, 4)) {
	case 0:
		put_link(s, LINK_LOSS);
		prog_num(s->g.p, F_link_amount, 1 + fire_below(s, 60));
		break;
	case 1:
		put_link(s, LINK_DELAY);
		prog_num(s->g.p, F_link_amount, 1 + fire_below(s, 10));
		break;
	default:
		put_link(s, LINK_CUT);
	}
	for (unsigned int n = fire_below(s, 3); n; n--)
		fire_add_moment(s, 15);
	put_link(s, LINK_HEAL);
}

void fire_add_event(struct fire_stage *s)
{
	gen_async_event(&s->g, NO_OBJ, fire_below(s, 2));
}

void fire_add_moment(struct fire_stage *s, unsigned int powers)
{
	gen_call(&s->g, V_nap, NO_OBJ);
	prog_num(s->g.p, F_nap_us, 1u << fire_below(s, powers));
}

void fire_add_nap(struct fire_stage *s)
{
	gen_call(&s->g, V_nap, NO_OBJ);
	if (fire_below(s, 2))
		prog_num(s->g.p, F_nap_us, 1 + fire_below(s, 100));
	else
		prog_num(s->g.p, F_nap_yields, 1 + fire_below(s, 3));
}
