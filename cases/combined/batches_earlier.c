// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Prepares the batch of a case: requests fill the send queue up to a place, and
 * an earlier batch is completed, aborted or refused. Its requests have flags,
 * immediate data and elements that the requests behind them do not have.
 */
#include "cases/combined/batches.h"

#define PREFIX_WR_ID	  500
#define PREFIX_LAST_WR_ID 999
#define EARLIER_WR_ID	  300
#define EARLIER_IMM	  0x0badcafe
#define LOST_BEHIND	  3 /* the first request that is lost behind the batch */
#define FILLED		  700 /* offset in a place that fillers write to */

static uint64_t lost_place(unsigned int at)
{
	return batches_place(BATCHES_EARLIER + at);
}

/* Datagrams of fillers go to nobody. */
static void put_nowhere(const struct batches *b)
{
	struct program *p = b->d.p.g->p;

	if (b->d.p.kind == QK_UD)
		prog_num(p, F_send_remote_qpn, POST_NO_QPN);
	else
		prog_num(p, F_send_remote_offset, lost_place(0) + FILLED);
}

void batches_put_filler(const struct batches *b, uint64_t wr_id, uint32_t flags,
			bool more)
{
	static const struct length one = {"", NULL, 1};
	uint32_t opcode = post_without_receive(b->d.p.kind);
	struct program *p = b->d.p.g->p;

	if (more)
		data_more(&b->d, opcode_of(opcode), wr_id, &one);
	else
		data_send(&b->d, opcode_of(opcode), wr_id, &one);
	prog_num(p, F_send_offset, lost_place(0));
	prog_num(p, F_send_flags, flags);
	put_nowhere(b);
}

/* A request has as many elements as there may be, so that it takes as much of a
 * ring as any. */
static void put_prefix(const struct batches *b, uint64_t wr_id, uint32_t flags,
		       bool more)
{
	struct gen *g = b->d.p.g;

	batches_put_filler(b, wr_id, flags, more);
	if (g->wr)
		prog_num(g->p, F_send_setter, SET_SGE_LIST);
	prog_num(g->p, F_send_num_sge, DATA_SGE);
}

void batches_begin(struct batches *b)
{
	struct gen *g = b->d.p.g;
	int less = (int)b->row[BEGINS] - AT_END;

	if (batches_has(b, BEGINS, AT_START))
		return;
	g->wr = !batches_has(b, BY_POST_SEND, BEFORE);
	put_prefix(b, PREFIX_WR_ID, 0, false);
	prog_out(g->p, F_send_more, b->d.p.a, F_max_send_wr, -2 - less);
	put_prefix(b, PREFIX_LAST_WR_ID, IBV_SEND_SIGNALED, true);
	gen_end_batch(g);
	g->wr = true;
	if (batches_has(b, SIGNALS, SIGNALS_ALL))
		batches_poll(b, -less, true);
	else
		batches_poll(b, 1, false);
}

const struct opcode *batches_message(const struct batches *b)
{
	bool imm = claim_holds(CLAIM_IMM_DATA, b->d.p.g->d);

	return opcode_of(imm ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND);
}

/* The setters of requests take turns, but those that are carried out are inline
 * only if the row says so: a fault in that would hide others. */
static uint32_t lost_setter(const struct batches *b, unsigned int at)
{
	bool may_be_inline = batches_has(b, INLINE, 1) ||
			     !batches_has(b, EARLIER, EARLIER_UNPOLLED);

	return at % 2 || !may_be_inline ? SET_SGE_LIST : SET_INLINE_LIST;
}

/* A READ has one element. */
static void put_lost_elements(const struct batches *b, const struct opcode *op,
			      unsigned int at)
{
	struct program *p = b->d.p.g->p;

	prog_num(p, F_send_offset, lost_place(at));
	if (opcode_fetches(op))
		return;
	prog_num(p, F_send_setter, lost_setter(b, at));
	prog_num(p, F_send_num_sge, 2);
	prog_num(p, F_send_stride, 100);
}

static uint32_t lost_flags(const struct batches *b, const struct opcode *op)
{
	uint32_t flags = IBV_SEND_SIGNALED;

	if (b->d.p.kind == QK_RC)
		flags |= IBV_SEND_FENCE;
	return op->receive ? flags | IBV_SEND_SOLICITED : flags;
}

/* Adds a request of the earlier batch to the open one. */
static void put_lost(const struct batches *b, const struct opcode *op,
		     unsigned int at)
{
	static const struct length few = {"", NULL, 8};
	struct program *p = b->d.p.g->p;

	if (op->local) {
		post_more(&b->lost, op->value, EARLIER_WR_ID + at,
			  lost_flags(b, op));
		return;
	}
	data_more(&b->d, op, EARLIER_WR_ID + at, &few);
	put_lost_elements(b, op, at);
	prog_num(p, F_send_flags, lost_flags(b, op));
	if (op->access)
		prog_num(p, F_send_remote_offset, lost_place(at));
	if (op->imm)
		prog_num(p, F_send_imm_data, EARLIER_IMM);
}

static void put_inline_over(const struct batches *b, unsigned int at)
{
	struct program *p = b->d.p.g->p;

	put_lost(b, batches_message(b), at);
	prog_num(p, F_send_setter, SET_INLINE);
	prog_num(p, F_send_num_sge, 1);
	prog_out(p, F_send_length, b->d.p.a, F_max_inline_data, 1);
}

static void put_elements_over(const struct batches *b, unsigned int at)
{
	struct program *p = b->d.p.g->p;

	put_lost(b, batches_message(b), at);
	prog_num(p, F_send_setter, SET_SGE_LIST);
	prog_out(p, F_send_num_sge, b->d.p.a, F_max_send_sge, 1);
}

static void put_not_asked(const struct batches *b, unsigned int at)
{
	const struct data *d = &b->d;

	data_more(d, opcode_of(IBV_WR_ATOMIC_CMP_AND_SWP), EARLIER_WR_ID + at,
		  NULL);
}

/* Adds the request that the batch fails for. */
static void put_bad(const struct batches *b, unsigned int at)
{
	if (batches_has(b, EARLIER, EARLIER_NOT_ASKED))
		put_not_asked(b, at);
	else if (batches_has(b, EARLIER, EARLIER_INLINE))
		put_inline_over(b, at);
	else
		put_elements_over(b, at);
}

static unsigned int bad_at(const struct batches *b, unsigned int n)
{
	if (batches_has(b, BAD, BAD_FIRST))
		return 0;
	return batches_has(b, BAD, BAD_MIDDLE) ? 1 : n - 1;
}

static void end_batch(const struct batches *b, bool abort)
{
	gen_call(b->d.p.g, abort ? V_wr_abort : V_wr_complete, b->d.p.a);
}

/* The most requests are three, of which the first that is not bad, which has
 * the row's operation, is repeated. */
static void put_lost_batch(const struct batches *b)
{
	bool most = batches_has(b, EARLIER_OF, OF_MOST);
	unsigned int n = most ? 3 : b->row[EARLIER_OF] + 1u;
	unsigned int bad =
		batches_has(b, EARLIER, EARLIER_ABORTED) ? n : bad_at(b, n);
	unsigned int first = bad ? 0 : 1;
	const struct opcode *op = batches_has(b, LOST, LOST_SEND_IMM)
					  ? batches_message(b)
					  : batches_lost(b->row[LOST]);
	struct gen *g = b->d.p.g;

	gen_call(g, V_wr_start, b->d.p.a);
	for (unsigned int at = 0; at < n; at++) {
		if (at == bad)
			put_bad(b, at);
		else
			put_lost(b, at == first ? op : batches_message(b), at);
		if (most && at == first)
			prog_out(g->p, F_send_more, b->d.p.a, F_max_send_wr,
				 -3);
	}
	end_batch(b, batches_has(b, EARLIER, EARLIER_ABORTED) ||
			     batches_has(b, EARLIER, EARLIER_NOT_ASKED));
}

/* A device whose queue is larger than granted carries the batch out, and no
 * request of it completes but the last one. */
static void put_too_long(const struct batches *b)
{
	struct gen *g = b->d.p.g;

	batches_put_filler(b, EARLIER_WR_ID, 0, false);
	prog_out(g->p, F_send_more, b->d.p.a, F_max_send_wr,
		 b->row[EARLIER_OF]);
	gen_end_batch(g);
	post_poll(&b->d.p, 0);
}

static void put_completed(const struct batches *b)
{
	bool most = batches_has(b, EARLIER_OF, OF_MOST);
	struct gen *g = b->d.p.g;

	batches_put_filler(b, EARLIER_WR_ID, IBV_SEND_SIGNALED, false);
	if (most)
		prog_out(g->p, F_send_more, b->d.p.a, F_max_send_wr, -1);
	else
		prog_num(g->p, F_send_more, b->row[EARLIER_OF]);
	gen_end_batch(g);
	batches_poll(b, most ? 0 : (int)b->row[EARLIER_OF] + 1, most);
}

/* Posts messages that are polled together with the batch, and may wait until
 * then. */
static void put_unpolled(const struct batches *b)
{
	struct gen *g = b->d.p.g;

	gen_call(g, V_wr_start, b->d.p.a);
	for (unsigned int at = 0; at < b->unpolled; at++)
		put_lost(b, batches_message(b), at);
	gen_call(g, V_wr_complete, b->d.p.a);
}

/* A list of ibv_post_send is carried out up to the request that is refused. */
static void put_send_list(const struct batches *b)
{
	bool most = batches_has(b, EARLIER_OF, OF_MOST);
	bool last = most && batches_has(b, BAD, BAD_LAST);
	unsigned int bad = bad_at(b, b->row[EARLIER_OF] + 1u);
	struct gen *g = b->d.p.g;

	g->wr = false;
	batches_put_filler(b, EARLIER_WR_ID, IBV_SEND_SIGNALED, false);
	if (most)
		prog_out(g->p, F_send_more, b->d.p.a, F_max_send_wr, -1);
	else
		prog_num(g->p, F_send_more, b->row[EARLIER_OF]);
	if (last)
		prog_out(g->p, F_send_odd, b->d.p.a, F_max_send_wr, 0);
	else
		prog_num(g->p, F_send_odd, bad + 1);
	prog_out(g->p, F_send_odd_num_sge, b->d.p.a, F_max_send_sge, 1);
	g->wr = true;
	batches_poll(b, last ? -1 : (int)bad, last);
}

void batches_earlier(struct batches *b)
{
	static void (*const put[])(const struct batches *b) = {
		[EARLIER_COMPLETED] = put_completed,
		[EARLIER_UNPOLLED] = put_unpolled,
		[EARLIER_ABORTED] = put_lost_batch,
		[EARLIER_INLINE] = put_lost_batch,
		[EARLIER_ELEMENTS] = put_lost_batch,
		[EARLIER_FULL] = put_too_long,
		[EARLIER_NOT_ASKED] = put_lost_batch,
		[EARLIER_LIST] = put_send_list,
	};

	if (!batches_has(b, EARLIER, EARLIER_NONE))
		put[b->row[EARLIER]](b);
}

/* An empty batch behind an aborted one posts nothing of that. */
void batches_behind(struct batches *b)
{
	bool breaks = batches_has(b, BEHIND, BEHIND_INLINE);
	struct gen *g = b->d.p.g;

	if (batches_has(b, BEHIND, BEHIND_NOTHING))
		return;
	gen_call(g, V_wr_start, b->d.p.a);
	put_lost(b, batches_message(b), LOST_BEHIND);
	if (breaks)
		put_inline_over(b, LOST_BEHIND + 1);
	else
		put_lost(b, batches_message(b), LOST_BEHIND + 1);
	end_batch(b, !breaks);
	if (!batches_has(b, BEHIND, BEHIND_EMPTY))
		return;
	gen_call(g, V_wr_start, b->d.p.a);
	end_batch(b, false);
}
