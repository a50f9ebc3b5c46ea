// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibv_bind_mw: libibverbs checks the call, chooses the next rkey of the window
 * and posts a bind request to the send queue.
 */
#include "model/data/post.h"

/* Returns the row by which libibverbs itself refuses the call, or ROW_NONE. */
static enum row refused_by_library(const struct step *s,
				   const struct wr_args *in)
{
	if (s->m->object[in->mw].mw.type != IBV_MW_TYPE_1)
		return ROW_MW_BIND_TYPE;
	if (in->bind_mr == NO_OBJ && (in->bind_offset || in->bind_length))
		return ROW_MW_BIND_NOWHERE;
	if (in->bind_mr != NO_OBJ && s->m->object[in->bind_mr].parent[0] !=
					     s->m->object[in->mw].parent[0])
		return ROW_MW_BIND_EPERM;
	return ROW_NONE;
}

static void check_bind(struct step *s, struct faults *f,
		       const struct post_queue *to)
{
	const struct wr_args *in = &s->b->in.wr;
	enum row row = refused_by_library(s, in);

	if (row != ROW_NONE)
		add_fault(s, f, row);
	if (f->n)
		return;
	if (in->bind_access & IBV_ACCESS_ZERO_BASED &&
	    !mutant_has_quirk(s->mutant, QUIRK_ZERO_BOUND) &&
	    !mutant_has_quirk(s->mutant, QUIRK_ZERO_PAGE))
		add_fault(s, f, ROW_MW_BIND_ZERO_1);
	if (in->bind_mr != NO_OBJ &&
	    s->m->object[in->bind_mr].mr.access & IBV_ACCESS_ZERO_BASED)
		add_fault(s, f, ROW_MW_REGION_ZERO_1);
	post_check_send(s, f, to);
}

/* Returns the next rkey: an oracle adopts any key but the old one. */
static uint32_t next_key(struct step *s, uint32_t old)
{
	uint32_t mine = ibv_inc_rkey(old);
	uint32_t rkey;

	record_row(s, ROW_MW_REKEY);
	if (mutant_skips(s->mutant, ROW_MW_REKEY))
		mine = old;
	rkey = (uint32_t)answer_seen_written(s, F_window_rkey, mine);
	if (is_oracle(s) && rkey == old)
		rkey = mine;
	answer_define(s, F_window_rkey, rkey, ROW_MW_REKEY);
	return rkey;
}

/* Returns the request that the call posts, without members that a bind ignores.
 */
static struct bound request_of(const struct step *s)
{
	struct bound b = *s->b;
	struct wr_args *in = &b.in.wr;

	in->opcode = IBV_WR_BIND_MW;
	in->mr = in->remote = in->ah = NO_OBJ;
	return b;
}

static void bind(struct step *s, const struct post_queue *to,
		 struct bound *request)
{
	const struct model_mw *mw = &s->m->object[request->in.wr.mw].mw;
	struct step alone = *s;
	struct faults f = {0};
	enum out effect;
	int err;

	alone.b = request;
	check_bind(&alone, &f, to);
	err = choose_outcome(&alone, &f, &effect);
	if (err) {
		answer_refuse(s, s->a->row, err);
		post_note_refused(&alone, to, 0);
		return;
	}
	request->in.wr.bind_rkey = next_key(s, mw->caller_rkey);
	if (!mutant_does_nothing(s->mutant, s->b->verb))
		post_enqueue(&alone, to, 0, effect);
	window_take_key(&alone);
}

void do_bind_mw(struct step *s)
{
	struct bound request = request_of(s);
	const struct post_queue to = post_send_queue(s, &post_rows_alone);

	window_set_key(s);
	answer_accept(s, ROW_POST_ACCEPT);
	bind(s, &to, &request);
	if (s->b->result != NO_OBJ && !s->a->outcome.ret)
		object_add(s, OBJ_KEY);
	transfer(s);
}
