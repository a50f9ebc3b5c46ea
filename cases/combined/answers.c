// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Combined answers: what a device, its ports and its tables say is the same
 * each time, whatever happened in between and on whichever context the question
 * is asked; and a queue pair or SRQ that nobody changed answers the same twice.
 */
#include "cases/combined/combined.h"
#include "cases/post/post.h"

enum answers_factor {
	HAPPENS,
	HAPPENS_FIRST,
	CONTEXT,
	ENTRY,
	ASKED_IN_VAIN,
	STATE,
	RECEIVER,
	AGAIN,
	ANSWERS_FACTORS
};

enum {
	NOTHING,
	MESSAGE,
	CREATE_REFUSED,
	MODIFY_REFUSED,
	DESTROY_REFUSED,
	SRQ_REFUSED,
	OBJECTS_GONE,
	HANDLE,
	REGION_REFUSED,
	CONTEXT_CLOSED,
	FAILED
};
enum { FIRST_CONTEXT, SECOND_CONTEXT };
enum { FIRST_ENTRY, LAST_ENTRY };
enum { NOT_IN_VAIN, NO_PORT, NO_ENTRY };
enum { IN_RTS, IN_RESET, IN_INIT, IN_RTR, IN_ERR };

#define EVENTS                                                                 \
	{                                                                      \
		"nothing", "message", "create", "modify", "destroy", "srq",    \
			"gone", "ah", "mr", "closed", "failed"                 \
	}

static const struct combined_factor factors[ANSWERS_FACTORS] = {
	[HAPPENS] = {"after", EVENTS},
	[HAPPENS_FIRST] = {"before", EVENTS},
	[CONTEXT] = {"context", {"first", "second"}},
	[ENTRY] = {"entry", {"0", "last"}},
	[ASKED_IN_VAIN] = {"vain", {"no", "port", "entry"}},
	[STATE] = {"in", {"rts", "reset", "init", "rtr", "err"}},
	[RECEIVER] = {"with-srq", {"no", "yes"}},
	[AGAIN] = {"asked", {"twice", "in-turn"}},
};

struct answers {
	struct post p;
	const uint8_t *row;
	uint8_t ctx;
	uint64_t messages;
};

static bool has(const struct answers *a, enum answers_factor f,
		unsigned int level)
{
	return a->row[f] == level;
}

static bool offered(const struct gen *g, enum qp_kind kind, unsigned int factor,
		    unsigned int level)
{
	bool srqs = kind != QK_UC && claim_holds(CLAIM_SRQ, g->d);

	switch ((enum answers_factor)factor) {
	case HAPPENS:
	case HAPPENS_FIRST:
		if (level == SRQ_REFUSED)
			return srqs;
		return (level != HANDLE && level != MODIFY_REFUSED &&
			level != FAILED) ||
		       !device_iwarp(g->d);
	case STATE:
		return !level || !device_iwarp(g->d);
	case RECEIVER:
		return !level || srqs;
	default:
		return true;
	}
}

static bool happens(const uint8_t *row, unsigned int level)
{
	return is_level(row, HAPPENS, level) ||
	       is_level(row, HAPPENS_FIRST, level);
}

static bool permitted(const struct gen *g, enum qp_kind kind,
		      const uint8_t *row)
{
	(void)g;
	(void)kind;
	if (is_other(row, STATE, IN_RTS) &&
	    (happens(row, MESSAGE) || happens(row, FAILED)))
		return false;
	if (is_level(row, HAPPENS_FIRST, FAILED) &&
	    (is_level(row, HAPPENS, MESSAGE) || is_level(row, HAPPENS, FAILED)))
		return false;
	return !happens(row, SRQ_REFUSED) || !is_other(row, RECEIVER, 1);
}

static void stage(struct answers *a, struct gen *g, enum qp_kind kind)
{
	static const int states[] = {
		[IN_RTS] = IBV_QPS_RTS,	  [IN_RESET] = IBV_QPS_RESET,
		[IN_INIT] = IBV_QPS_INIT, [IN_RTR] = IBV_QPS_RTR,
		[IN_ERR] = IBV_QPS_RTS,
	};
	struct post *p = &a->p;
	int to = states[a->row[STATE]];

	a->ctx = has(a, CONTEXT, SECOND_CONTEXT)
			 ? gen_make(g, V_open_device, NO_OBJ)
			 : NO_OBJ;
	*p = post_parents(g, kind);
	if (has(a, RECEIVER, 1))
		p->srq = gen_srq(g, g->pd);
	p->a = g->qp = gen_qp_of(g, kind);
	p->b = gen_qp_of(g, kind);
	if (p->srq != NO_OBJ)
		prog_obj(g->p, F_srq, p->srq);
	post_bring(p, p->b, p->a, to);
	post_bring(p, p->a, p->b, to);
	if (!has(a, STATE, IN_ERR))
		return;
	gen_step(g, p->a, IBV_QPS_RTS, IBV_QPS_ERR);
	gen_step(g, p->b, IBV_QPS_RTS, IBV_QPS_ERR);
}

static void ask_index(const struct answers *a, enum verb verb, uint64_t port,
		      int64_t index)
{
	struct gen *g = a->p.g;

	gen_call(g, verb, a->ctx);
	prog_num(g->p, F_index_port_num, port);
	if (verb != V_query_port)
		prog_num(g->p, F_index, (uint64_t)index);
}

static void ask_in_vain(const struct answers *a)
{
	const struct ibv_port_attr *port = &device_port(a->p.g->d)->attr;
	uint64_t number = a->p.g->d->port_num;

	if (has(a, ASKED_IN_VAIN, NO_PORT))
		ask_index(a, V_query_port, 255, 0);
	if (!has(a, ASKED_IN_VAIN, NO_ENTRY))
		return;
	ask_index(a, V_query_gid, number, port->gid_tbl_len);
	ask_index(a, V_query_pkey, number, port->pkey_tbl_len);
}

static void ask_device(const struct answers *a)
{
	const struct ibv_port_attr *port = &device_port(a->p.g->d)->attr;
	uint64_t number = a->p.g->d->port_num;
	bool last = has(a, ENTRY, LAST_ENTRY);
	struct gen *g = a->p.g;

	gen_call(g, V_query_device, a->ctx);
	gen_call(g, V_query_device_ex, a->ctx);
	ask_index(a, V_query_port, number, 0);
	ask_index(a, V_query_gid, number, last ? port->gid_tbl_len - 1 : 0);
	if (port->pkey_tbl_len)
		ask_index(a, V_query_pkey, number,
			  last ? port->pkey_tbl_len - 1 : 0);
}

static void ask_objects(const struct answers *a)
{
	const struct post *p = &a->p;

	gen_query(p->g, p->a);
	gen_query(p->g, p->b);
	if (p->srq != NO_OBJ)
		gen_call(p->g, V_query_srq, p->srq);
}

static void ask(const struct answers *a)
{
	ask_in_vain(a);
	if (has(a, AGAIN, 0)) {
		ask_device(a);
		ask_device(a);
		ask_objects(a);
		ask_objects(a);
		return;
	}
	ask_device(a);
	ask_objects(a);
	ask_device(a);
	ask_objects(a);
}

static void message(struct answers *a)
{
	const struct post *p = &a->p;

	post_recv(p, p->srq != NO_OBJ ? p->srq : p->b, 200 + a->messages, 0);
	post_send(p, IBV_WR_SEND, 1 + a->messages++, IBV_SEND_SIGNALED);
	post_poll(p, 2);
}

static void modify_refused(const struct post *p)
{
	struct gen_values v = {0};

	gen_value(&v, F_port_num, NULL, 0);
	gen_value(&v, F_qkey, NULL, 0x3333);
	gen_modify(p->g, p->a, A_STATE | A_PORT | A_QKEY | A_RQ_PSN,
		   IBV_QPS_RTS, IBV_QPS_RTS, &v);
}

static void create_refused(const struct post *p)
{
	struct gen *g = p->g;

	gen_qp_of(g, p->kind);
	prog_limit(g->p, F_max_send_wr, LIM_max_qp_wr, 1);
	gen_cq(g);
	prog_num(g->p, F_cqe, 0);
}

static void objects_gone(const struct post *p)
{
	struct gen *g = p->g;
	uint8_t mr = gen_mr(g, g->pd), cq = gen_cq(g),
		qp = gen_qp_of(g, p->kind);

	gen_call(g, V_destroy_qp, qp);
	gen_call(g, V_destroy_cq, cq);
	gen_call(g, V_dereg_mr, mr);
}

static void closed(struct gen *g)
{
	uint8_t ctx = gen_make(g, V_open_device, NO_OBJ);
	uint8_t pd = gen_make(g, V_alloc_pd, ctx);

	gen_call(g, V_dealloc_pd, pd);
	gen_call(g, V_close_device, ctx);
}

static void resize_zero(const struct post *p)
{
	gen_call(p->g, V_modify_srq, p->srq);
	prog_num(p->g->p, F_srq_mask, IBV_SRQ_MAX_WR);
	prog_num(p->g->p, F_srq_attr_max_wr, 0);
}

static void region_refused(struct gen *g)
{
	gen_mr(g, g->pd);
	prog_num(g->p, F_mr_access, IBV_ACCESS_REMOTE_WRITE);
}

static void event(struct answers *a, unsigned int level)
{
	const struct post *p = &a->p;
	struct gen *g = p->g;

	switch (level) {
	case MESSAGE:
		message(a);
		return;
	case CREATE_REFUSED:
		create_refused(p);
		return;
	case MODIFY_REFUSED:
		modify_refused(p);
		return;
	case DESTROY_REFUSED:
		gen_call(g, V_destroy_cq, g->cq);
		gen_call(g, V_dealloc_pd, g->pd);
		return;
	case SRQ_REFUSED:
		resize_zero(p);
		gen_call(g, V_destroy_srq, p->srq);
		return;
	case OBJECTS_GONE:
		objects_gone(p);
		return;
	case HANDLE:
		gen_call(g, V_destroy_ah, gen_ah(g, g->pd));
		return;
	case REGION_REFUSED:
		region_refused(g);
		return;
	case CONTEXT_CLOSED:
		closed(g);
		return;
	case FAILED:
		gen_step(g, p->a, IBV_QPS_RTS, IBV_QPS_ERR);
		return;
	default:
		return;
	}
}

static void build(struct gen *g, enum qp_kind kind, const uint8_t *row)
{
	struct answers a = {.row = row};

	stage(&a, g, kind);
	ask(&a);
	event(&a, row[HAPPENS_FIRST]);
	ask(&a);
	event(&a, row[HAPPENS]);
	ask(&a);
	gen_call(g, V_destroy_qp, a.p.a);
	gen_call(g, V_destroy_qp, a.p.b);
	ask_device(&a);
	if (a.ctx != NO_OBJ)
		gen_call(g, V_close_device, a.ctx);
}

static const struct combined answers = {
	.name = "answers",
	.factor = factors,
	.n = ANSWERS_FACTORS,
	.offered = offered,
	.permitted = permitted,
	.build = build,
};

void gen_combined_answers(struct gen *g, enum qp_kind kind)
{
	if (kind == QK_RC || kind == QK_UC || kind == QK_UD)
		combined_cases(g, kind, &answers, ROW_DEV_AGREE,
			       post_claim(g, kind, IBV_QPS_RTS, NULL));
}
