// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases for requests of a DCI to DCTs: addressing by number and access key,
 * requests that no DCT answers, and faults, which do not stop the DCT. Also the
 * RC cases that apply to a DCI. Requests are posted in batches, because
 * ibv_post_send cannot name a DCT.
 */
#include "cases/data/data.h"
#include "cases/memory/memory.h"
#include "vendor-mlx5/cases/cases.h"
#include "cases/post/post.h"

#define OTHER_KEY 0x0fedcba987654321ull
#define RETRIES	  1
#define NPOSTED	  4 /* operations in the cases of keys and faults */

static const uint32_t posted[NPOSTED] = {IBV_WR_SEND_WITH_IMM,
					 IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
					 IBV_WR_ATOMIC_FETCH_AND_ADD};

/* Makes a DCI in RTS, a DCT in RTR, and `receives` receives. */
static struct post ready_pair(struct gen *g, unsigned int receives)
{
	struct post p = post_pair(g, QK_DCI);

	post_retries(&p.with, POST_TIMER, RETRIES);
	post_both(&p, receives);
	return p;
}

/* Makes another DCT with this access key on the same SRQ, in RTR. */
static struct post other_dct(const struct post *p, uint64_t key)
{
	struct post other = *p;

	other.b = gen_qp_of(p->g, QK_DCT);
	prog_num(p->g->p, F_dct_access_key, key);
	post_bring(&other, other.b, p->a, IBV_QPS_RTR);
	return other;
}

/* Makes another DCI, in RTS. */
static struct post other_dci(const struct post *p)
{
	struct post other = *p;

	other.a = gen_qp_of(p->g, QK_DCI);
	post_bring(&other, other.a, p->b, IBV_QPS_RTS);
	return other;
}

/* Ends a case: the DCT still receives the messages of another DCI. */
static void finish(const struct post *p, const struct post *other)
{
	post_poll(p, 0);
	gen_query(p->g, p->a);
	gen_query(p->g, p->b);
	post_send(other, IBV_WR_SEND, 90, IBV_SEND_SIGNALED);
	post_poll(other, 2);
	gen_call(p->g, V_read_mr, p->mr);
	gen_done(p->g);
}

static void wrong_key(struct gen *g, uint32_t opcode, const char *name,
		      uint64_t key)
{
	const struct opcode *op = opcode_of(opcode);
	struct post p, other;

	if (!gen_id(g, "key/%s-%s", op->slug, name) ||
	    !post_op_says(g, QK_DCI, op, ROW_DC_KEY))
		return;
	p = ready_pair(g, 2);
	other = other_dci(&p);
	post_send(&p, opcode, 1, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_dc_key, key);
	post_send(&p, IBV_WR_SEND, 2, 0);
	post_poll_for(&p, 1, POST_ENDS + POST_TRY);
	post_poll(&p, 1);
	finish(&p, &other);
}

/* Requests that were taken do not make up for a wrong key later. */
static void wrong_key_later(struct gen *g, uint32_t opcode)
{
	const struct opcode *op = opcode_of(opcode);
	struct post p, other;

	if (!gen_id(g, "key/%s-later", op->slug) ||
	    !post_op_says(g, QK_DCI, op, ROW_DC_KEY))
		return;
	p = ready_pair(g, 4);
	other = other_dci(&p);
	post_send(&p, opcode, 1, IBV_SEND_SIGNALED);
	post_poll(&p, op->receive ? 2 : 1);
	post_send(&p, opcode, 2, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_dc_key, DC_ACCESS_KEY + 1);
	post_poll_for(&p, 1, POST_ENDS + POST_TRY);
	finish(&p, &other);
}

static void right_key(struct gen *g, const char *name, uint64_t key)
{
	struct post p, other;

	if (!post_case(g, QK_DCI, IBV_QPS_RTS, ROW_POLL_FIELDS, "An access key",
		       "key/%s", name))
		return;
	p = ready_pair(g, 4);
	other = other_dct(&p, key);
	post_send(&other, IBV_WR_SEND_WITH_IMM, 1, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_dc_key, key);
	post_poll(&other, 2);
	post_send(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	post_poll(&p, 0);
	gen_done(g);
}

/* Each request of a batch has its own DCT. */
static void two_receivers(struct gen *g)
{
	struct post p, other;

	if (!post_case(g, QK_DCI, IBV_QPS_RTS, ROW_POLL_FIELDS,
		       "Requests to two DCTs", "two-dcts"))
		return;
	p = ready_pair(g, 6);
	other = other_dct(&p, OTHER_KEY);
	for (uint64_t i = 0; i < 3; i++) {
		post_send(&p, IBV_WR_SEND, 10 * i, IBV_SEND_SIGNALED);
		post_more(&other, IBV_WR_SEND_WITH_IMM, 10 * i + 1,
			  IBV_SEND_SIGNALED);
		prog_num(g->p, F_send_dc_key, OTHER_KEY);
		post_poll(&p, 4);
	}
	post_poll(&p, 0);
	gen_query(g, p.a);
	gen_done(g);
}

static void two_senders(struct gen *g)
{
	struct post p, other;

	if (!post_case(g, QK_DCI, IBV_QPS_RTS, ROW_POLL_FIELDS,
		       "Requests of two DCIs", "two-dcis"))
		return;
	p = ready_pair(g, 6);
	other = other_dci(&p);
	for (uint64_t i = 0; i < 3; i++) {
		post_send(&p, IBV_WR_SEND, 10 * i, IBV_SEND_SIGNALED);
		post_poll(&p, 2);
		post_send(&other, IBV_WR_SEND, 10 * i + 1, IBV_SEND_SIGNALED);
		post_poll(&p, 2);
	}
	post_poll(&p, 0);
	gen_query(g, p.b);
	gen_done(g);
}

/* A faulty request stops its DCI, but not the DCT. */
static void dct_lasts(struct gen *g, uint32_t opcode)
{
	const struct opcode *op = opcode_of(opcode);
	struct post p, other;

	if (!op->access || !gen_id(g, "lasts/%s", op->slug) ||
	    !post_op_says(g, QK_DCI, op, ROW_DCT_LASTS))
		return;
	p = ready_pair(g, 2);
	other = other_dci(&p);
	post_send(&p, opcode, 1, IBV_SEND_SIGNALED);
	prog_out(g->p, F_send_rkey, p.mr, F_keys_rkey, 1);
	post_send(&p, opcode, 2, 0);
	post_poll_for(&p, 2, POST_WAIT);
	finish(&p, &other);
}

/* Posts a request to a number without a DCT, and another request after it. */
static void send_nowhere(const struct post *p)
{
	post_send(p, IBV_WR_RDMA_WRITE, 1, IBV_SEND_SIGNALED);
	prog_num(p->g->p, F_send_remote_qpn, POST_NO_QPN);
	post_send(p, IBV_WR_SEND, 2, 0);
}

static bool nobody_says(struct gen *g, const char *name)
{
	return gen_id(g, "nobody/%s", name) &&
	       gen_says(g, ROW_DC_NOBODY,
			post_claim_behind(g, CLAIM_RETRIES, QK_DCI), "%s",
			rule(ROW_DC_NOBODY)->text);
}

static void to_no_dct(struct gen *g)
{
	struct post p, other;

	if (!nobody_says(g, "no-such"))
		return;
	p = ready_pair(g, 2);
	other = other_dci(&p);
	send_nowhere(&p);
	post_poll_for(&p, 2, POST_ENDS + POST_TRY);
	finish(&p, &other);
}

/* A request to the number of a DCI, which receives nothing. */
static void to_a_dci(struct gen *g)
{
	struct post p, other;

	if (!nobody_says(g, "dci"))
		return;
	p = ready_pair(g, 2);
	other = other_dci(&p);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	prog_out(g->p, F_send_remote_qpn, other.a, F_qp_num, 0);
	post_poll_for(&p, 1, POST_ENDS + POST_TRY);
	finish(&p, &other);
}

/* The DCT is destroyed after the request was built and before it is posted. */
static void to_destroyed_dct(struct gen *g)
{
	struct post p, other;

	if (!nobody_says(g, "destroyed"))
		return;
	p = ready_pair(g, 4);
	other = other_dci(&p);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	post_send(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	g->building = false;
	gen_call(g, V_destroy_qp, p.b);
	gen_call(g, V_wr_complete, p.a);
	post_poll_for(&p, 1, POST_ENDS + POST_TRY);
	gen_query(g, p.a);
	other = other_dct(&other, DC_ACCESS_KEY);
	post_send(&other, IBV_WR_SEND, 3, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	post_poll(&p, 0);
	gen_done(g);
}

/* With timeout 0 the request waits until ERR flushes it. */
static void waits_for_flush(struct gen *g)
{
	struct post p;

	if (!nobody_says(g, "timeout-0"))
		return;
	p = post_pair(g, QK_DCI);
	post_retries(&p.with, 0, RETRIES);
	post_both(&p, 0);
	send_nowhere(&p);
	post_poll_for(&p, 1, 3 * POST_MAYBE);
	gen_query(g, p.a);
	post_to_err(&p, p.a, IBV_QPS_RTS);
	post_poll(&p, 2);
	post_poll(&p, 0);
	gen_done(g);
}

static void requests_to_dcts(struct gen *g)
{
	gen_prefix(g, "post/dci/");
	for (int i = 0; i < NPOSTED; i++) {
		wrong_key(g, posted[i], "wrong", DC_ACCESS_KEY + 1);
		wrong_key(g, posted[i], "high", DC_ACCESS_KEY ^ 1ull << 63);
		wrong_key(g, posted[i], "none", 0);
		wrong_key_later(g, posted[i]);
		dct_lasts(g, posted[i]);
	}
	right_key(g, "zero", 0);
	right_key(g, "ones", UINT64_MAX);
	two_receivers(g);
	two_senders(g);
	to_no_dct(g);
	to_a_dci(g);
	to_destroyed_dct(g);
	waits_for_flush(g);
}

void mlx5_gen_dc_traffic(struct gen *g)
{
	g->wr = true;
	requests_to_dcts(g);
	mlx5_gen_dci_streams(g);
	mlx5_gen_dci_parallel(g);
	mlx5_gen_dci_moves(g);
	gen_data(g, QK_DCI);
	gen_data_srq_refilled(g, QK_DCI);
	gen_combined_traffic(g, QK_DCI);
	gen_faults_memory(g, QK_DCI);
	gen_memory_parent_domain(g, QK_DCI);
	gen_faults_retry(g, QK_DCI);
	gen_events_async(g, QK_DCI);
	if (!gen_full(g)) {
		gen_prefix(g, "wr/%s/", qp_kind_slug(QK_DCI));
		gen_post_states(g, QK_DCI);
	}
	gen_post_batch(g, QK_DCI);
	g->wr = false;
}
