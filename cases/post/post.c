/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Creates what cases about posting need: the queue pair under test, its peer on
 * the same device, and the calls on both.
 */
#include "cases/post/post.h"
#include "vendor/vendor.h"

/* Creates the domain and the SRQ that sends to XRC name. */
static void xrc_parents(struct post *p)
{
	p->g->xrcd = gen_xrcd(p->g);
	p->xsrq = gen_xrc_srq(p->g, p->g->pd, p->g->xrcd, p->g->cq);
}

void post_shared_parents(struct post *p)
{
	struct gen *g = p->g;

	if (kind_addresses(p->kind))
		p->ah = gen_ah(g, g->pd);
	if (kind_is_vendors(p->kind))
		p->xsrq = g->srq = gen_srq(g, g->pd);
	if (p->kind == QK_XRC_SEND && claim_holds(CLAIM_XRC, g->d))
		xrc_parents(p);
}

struct post post_bare(struct gen *g, enum qp_kind kind)
{
	return (struct post){.g = g,
			     .kind = kind,
			     .mr = NO_OBJ,
			     .ah = NO_OBJ,
			     .srq = NO_OBJ,
			     .xsrq = NO_OBJ,
			     .a = NO_OBJ,
			     .b = NO_OBJ,
			     .mw = NO_OBJ,
			     .bind_mr = NO_OBJ};
}

struct post post_parents(struct gen *g, enum qp_kind kind)
{
	struct post p = post_bare(g, kind);

	gen_parents(g, kind);
	if (kind == QK_XRC_RECV)
		g->pd = gen_pd(g);
	p.mr = gen_mr(g, g->pd);
	prog_num(g->p, F_mr_access,
		 IBV_ACCESS_LOCAL_WRITE | gen_remote_access(g));
	post_shared_parents(&p);
	return p;
}

struct post post_losable_pair(struct gen *g, enum qp_kind kind)
{
	struct post p = post_parents(g, kind);

	g->cq = gen_cq(g);
	prog_num(g->p, F_cqe, 2 * POST_LOSABLE);
	p.a = g->qp = gen_qp_of(g, kind);
	p.b = gen_qp_of(g, kind);
	prog_num(g->p, F_max_recv_wr, POST_LOSABLE);
	return p;
}

bool post_carries(enum qp_kind kind)
{
	return kind != QK_RAW_PACKET && kind_sends_as(kind) != QK_NR;
}

void post_each_kind(struct gen *g, void (*fn)(struct gen *g, enum qp_kind kind))
{
	for (int k = 0; k < QK_NR && !g->stop; k++)
		if (k != QK_XRC_RECV && post_carries((enum qp_kind)k))
			fn(g, (enum qp_kind)k);
}

bool post_reliable(enum qp_kind kind)
{
	return kind_is_reliable(kind) && kind != QK_XRC_RECV;
}

uint32_t post_without_receive(enum qp_kind kind)
{
	return kind == QK_UD ? IBV_WR_SEND : IBV_WR_RDMA_WRITE;
}

struct post post_pair(struct gen *g, enum qp_kind kind)
{
	struct post p = post_parents(g, kind);

	p.a = gen_qp_of(g, kind);
	p.b = gen_qp_of(g, kind_receiver(kind));
	g->qp = p.a;
	return p;
}

struct post post_pair_in_domain(struct gen *g, enum qp_kind kind)
{
	struct post p = post_bare(g, kind);

	p.mr = gen_mr(g, g->pd);
	post_shared_parents(&p);
	p.a = g->qp = gen_qp_of(g, kind);
	p.b = gen_qp_of(g, kind_receiver(kind));
	return p;
}

struct post post_srq_pair(struct gen *g, enum qp_kind kind)
{
	struct post p = post_parents(g, kind);

	p.srq = p.xsrq != NO_OBJ ? p.xsrq : gen_srq(g, g->pd);
	p.a = g->qp = gen_qp_of(g, kind);
	p.b = gen_qp_of(g, kind_receiver(kind));
	if (p.xsrq == NO_OBJ)
		prog_obj(g->p, F_srq, p.srq);
	return p;
}

void post_retries(struct gen_values *v, int64_t timeout, int64_t count)
{
	gen_value(v, F_timeout, NULL, timeout);
	gen_value(v, F_retry_cnt, NULL, count);
}

void post_rnr(struct gen_values *v, int64_t retry, int64_t timer)
{
	gen_value(v, F_rnr_retry, NULL, retry);
	gen_value(v, F_min_rnr_timer, NULL, timer);
}

void post_values(const struct gen *g, struct gen_values *v)
{
	gen_value(v, F_qp_access_flags, NULL, gen_remote_access(g));
	gen_value(v, F_sq_psn, NULL, POST_PSN);
	gen_value(v, F_rq_psn, NULL, POST_PSN);
}

/* rdma_cm connects both queue pairs at once, when a is brought up. */
static void join(const struct post *p, uint8_t qp, uint8_t peer)
{
	if (qp == p->b && qp != p->a)
		return;
	gen_connect(p->g, qp);
	prog_obj(p->g->p, F_connect_peer, peer);
}

static void iwarp_step(const struct post *p, uint8_t qp, uint8_t peer, int from,
		       int to, const struct gen_values *v)
{
	uint32_t mask = A_STATE | (to == IBV_QPS_INIT ? A_ACCESS_FLAGS : 0u);

	if (from == IBV_QPS_RTR)
		join(p, qp, peer);
	else if (to != IBV_QPS_RTR)
		gen_modify(p->g, qp, mask, from, to, v);
}

/* g->qp names the queue pair whose number the connection leads to. */
void post_up(const struct post *p, uint8_t qp, uint8_t peer, int from, int to)
{
	struct gen *g = p->g;
	struct gen_values v = p->with; /* the first value of a field counts */
	bool other = qp == p->b && qp != p->a;
	enum qp_kind kind = other ? kind_receiver(p->kind) : p->kind;
	uint8_t self = g->qp;
	int path[STATE_NR];
	int n = state_path(to == IBV_QPS_SQE ? IBV_QPS_RTS : to, path);
	int at = IBV_QPS_RESET;

	post_values(g, &v);
	g->qp = peer;
	for (int i = 0; i < n; i++) {
		if (kind_is_vendors(kind) && !kind_reaches(kind, path[i]))
			break;
		if (at >= from && device_iwarp(g->d))
			iwarp_step(p, qp, peer, at, path[i], &v);
		else if (at >= from)
			gen_modify(g, qp, gen_minimal(kind, at, path[i]), at,
				   path[i], &v);
		at = path[i];
	}
	g->qp = self;
	if (gen_is_receiver(g, qp) && at == IBV_QPS_RTR)
		gen_query(g, qp); /* its number is known from now on */
	if (to == IBV_QPS_SQD)
		gen_wait_drained(g, qp);
	if (to == IBV_QPS_SQE)
		gen_call(g, V_inject_send_error, qp);
}

void post_bring(const struct post *p, uint8_t qp, uint8_t peer, int to)
{
	post_up(p, qp, peer, IBV_QPS_RESET, to);
}

void post_bring_by_gids(const struct post *p, uint8_t qp, uint8_t peer,
			const struct gid_entry *from,
			const struct gid_entry *to)
{
	struct post at = *p;

	gen_value(&at.with, F_ah_is_global, NULL, 1);
	gen_value(&at.with, F_ah_sgid_index, NULL, from->index);
	post_bring(&at, qp, peer, IBV_QPS_INIT);
	post_up(&at, qp, peer, IBV_QPS_INIT, IBV_QPS_RTR);
	if (!kind_addresses(p->kind))
		prog_gid(p->g->p, F_ah_dgid, &to->gid);
	post_up(&at, qp, peer, IBV_QPS_RTR, IBV_QPS_RTS);
}

void post_both(const struct post *p, unsigned int receives)
{
	post_bring(p, p->b, p->a, IBV_QPS_RTS);
	if (receives)
		post_recv(p, p->b, 200, receives - 1);
	post_bring(p, p->a, p->b, IBV_QPS_RTS);
}

struct post post_back(const struct post *p)
{
	struct post back = *p;

	back.a = p->b;
	back.b = p->a;
	return back;
}

struct post post_ready(struct gen *g, enum qp_kind kind, int state)
{
	struct post p = post_pair(g, kind);

	post_bring(&p, p.b, p.a, IBV_QPS_RTS);
	post_recv(&p, p.b, 200, 1);
	post_bring(&p, p.a, p.b, state);
	return p;
}

void post_window(struct post *p)
{
	struct gen *g = p->g;

	p->bind_mr = gen_mr(g, g->pd);
	prog_num(g->p, F_mr_access,
		 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	p->mw = gen_mw(g, g->pd, IBV_MW_TYPE_2);
}

static void put_window(const struct post *p, const struct opcode *op)
{
	struct program *prog = p->g->p;

	if (op->value != IBV_WR_BIND_MW) {
		prog_out(prog, F_send_invalidate_rkey, p->mw, F_window_rkey, 1);
		return;
	}
	prog_obj(prog, F_send_mw, p->mw);
	prog_obj(prog, F_send_bind_mr, p->bind_mr);
	prog_num(prog, F_send_bind_offset, 1024);
	prog_num(prog, F_send_bind_length, 512);
	prog_num(prog, F_send_bind_access, IBV_ACCESS_REMOTE_READ);
	prog_out(prog, F_send_bind_rkey, p->mw, F_window_rkey, 1);
}

static void put_elements(const struct post *p, enum field num, enum field mr,
			 enum field length, uint64_t bytes)
{
	prog_num(p->g->p, num, 1);
	prog_obj(p->g->p, mr, p->mr);
	prog_num(p->g->p, length, bytes);
}

/* Begins a request. In batches its setter is a list of elements, or inline
 * data. */
static void begin_request(const struct post *p, bool no_setter, uint32_t *flags)
{
	bool is_inline = *flags & IBV_SEND_INLINE;

	if (!p->g->wr) {
		prog_call(p->g->p, V_post_send, NO_OBJ, p->a);
		return;
	}
	prog_call(p->g->p, p->g->raw ? p->g->raw_verb : V_wr, NO_OBJ, p->a);
	if (no_setter || p->g->raw)
		return;
	prog_num(p->g->p, F_send_setter, is_inline ? SET_INLINE : SET_SGE_LIST);
	*flags &= ~(uint32_t)IBV_SEND_INLINE;
}

void post_put_receiver(const struct post *p)
{
	struct program *prog = p->g->p;

	if (p->xsrq != NO_OBJ && !kind_is_vendors(p->kind))
		prog_out(prog, F_send_remote_srqn, p->xsrq, F_srq_num, 0);
	if (p->ah == NO_OBJ)
		return;
	prog_obj(prog, F_send_ah, p->ah);
	prog_out(prog, F_send_remote_qpn, p->b, F_qp_num, 0);
	if (kind_is_vendors(p->kind))
		vendor_of_kind(p->kind)->generate_receiver(p->g);
	else
		prog_num(prog, F_send_remote_qkey, POST_QKEY);
}

static void put_flush(struct program *prog)
{
	prog_num(prog, F_send_length, POST_LENGTH);
	prog_num(prog, F_send_flush_type, FLUSH_GLOBAL);
	prog_num(prog, F_send_flush_level, FLUSH_RANGE);
}

void post_send(const struct post *p, uint32_t opcode, uint64_t wr_id,
	       uint32_t flags)
{
	gen_end_batch(p->g);
	if (p->g->wr)
		gen_call(p->g, V_wr_start, p->a);
	p->g->building = p->g->wr;
	p->g->builder = p->a;
	post_more(p, opcode, wr_id, flags);
}

void post_abort(const struct post *p)
{
	p->g->building = false;
	gen_call(p->g, V_wr_abort, p->a);
}

void post_more(const struct post *p, uint32_t opcode, uint64_t wr_id,
	       uint32_t flags)
{
	const struct opcode *op;
	struct program *prog = p->g->p;

	if (opcode == IBV_WR_SEND_WITH_IMM &&
	    !claim_holds(CLAIM_IMM_DATA, p->g->d))
		opcode = IBV_WR_SEND; /* the device has no immediate data */
	op = opcode_of(opcode);
	begin_request(p, op && op->batched, &flags);
	prog_num(prog, F_send_wr_id, wr_id);
	prog_num(prog, F_send_opcode, opcode);
	if (flags)
		prog_num(prog, F_send_flags, flags);
	if (op && op->window && p->mw != NO_OBJ)
		put_window(p, op);
	if (op && op->by_value)
		prog_num(prog, F_send_swap, POST_VALUE);
	else if (op && op->places)
		put_flush(prog);
	else if (!op || !op->local)
		put_elements(p, F_send_num_sge, F_send_mr, F_send_length,
			     op && op->atomic ? 8 : POST_LENGTH);
	if (op && op->access) {
		prog_obj(prog, F_send_remote, p->mr);
		prog_num(prog, F_send_remote_offset, 2048);
	}
	if (op && op->imm)
		prog_num(prog, F_send_imm_data, POST_IMM);
	post_put_receiver(p);
}

void post_bind(const struct post *p, uint8_t qp, uint64_t wr_id)
{
	struct post own = *p;

	own.a = qp;
	post_send(&own, IBV_WR_BIND_MW, wr_id, IBV_SEND_SIGNALED);
	post_poll(p, 1);
}

void post_recv(const struct post *p, uint8_t qp, uint64_t wr_id, uint32_t more)
{
	struct program *prog = p->g->p;

	if (qp == p->b && qp != p->a && p->xsrq != NO_OBJ)
		qp = p->xsrq;
	gen_call(p->g,
		 qp == p->srq || qp == p->xsrq ? V_post_srq_recv : V_post_recv,
		 qp);
	prog_num(prog, F_recv_wr_id, wr_id);
	if (more)
		prog_num(prog, F_recv_more, more);
	put_elements(p, F_recv_num_sge, F_recv_mr, F_recv_length, POST_ROOM);
}

/* Polls one completion at a time, because their number is unknown. */
static void poll_batches(const struct post *p, unsigned int n, uint32_t ms)
{
	for (unsigned int i = 0; i < n; i++) {
		gen_call(p->g, V_start_poll, p->g->cq);
		prog_num(p->g->p, F_poll_timeout, ms);
		gen_call(p->g, V_end_poll, p->g->cq);
	}
}

void post_pause(struct gen *g)
{
	gen_async_event(g, NO_OBJ, POST_QUIET);
}

void post_poll_for(const struct post *p, unsigned int n, uint32_t ms)
{
	if (p->g->poll_ex) {
		poll_batches(p, n, ms);
		return;
	}
	gen_call(p->g, V_poll_cq, p->g->cq);
	prog_num(p->g->p, F_poll_max, n);
	prog_num(p->g->p, F_poll_timeout, ms);
}

void post_poll(const struct post *p, unsigned int n)
{
	if (n)
		post_poll_for(p, n, POST_WAIT);
	else
		post_poll_for(p, 1, POST_QUIET);
}

void post_poll_at(const struct post *p, uint8_t cq, unsigned int n)
{
	uint8_t usual = p->g->cq;

	p->g->cq = cq;
	post_poll(p, n);
	p->g->cq = usual;
}

uint8_t post_poll_one(struct gen *g, uint8_t cq)
{
	uint8_t wc = gen_make(g, V_poll_cq, cq);

	prog_num(g->p, F_poll_max, 1);
	prog_num(g->p, F_poll_timeout, POST_WAIT);
	return wc;
}

void post_put_message(const struct post *p, uint8_t wc, uint64_t offset)
{
	post_put_header(p, wc, offset);
	prog_sym(p->g->p, F_from_port_num, "port", 0);
}

void post_put_header(const struct post *p, uint8_t wc, uint64_t offset)
{
	struct program *prog = p->g->p;

	prog_obj(prog, F_from_completion, wc);
	prog_obj(prog, F_from_mr, p->mr);
	if (offset)
		prog_num(prog, F_from_offset, offset);
}

void post_to_err(const struct post *p, uint8_t qp, int from)
{
	if (!gen_is_receiver(p->g, qp))
		gen_modify(p->g, qp, A_STATE, from, IBV_QPS_ERR, NULL);
}

void post_restart(const struct post *p, uint8_t qp, uint8_t peer, int from,
		  unsigned int flushed)
{
	if (from != IBV_QPS_RTS)
		gen_step(p->g, qp, IBV_QPS_RTS, from);
	if (from == IBV_QPS_ERR && flushed)
		post_poll(p, flushed);
	gen_step(p->g, qp, from, IBV_QPS_RESET);
	post_bring(p, qp, peer, IBV_QPS_RTS);
}

void gen_post(struct gen *g, enum qp_kind kind)
{
	gen_prefix(g, "post/%s/", qp_kind_slug(kind));
	if (kind == QK_XRC_SEND)
		gen_post_xrc(g);
	if (kind == QK_RAW_PACKET)
		gen_post_raw_packet(g);
	if (kind == QK_XRC_SEND || !post_carries(kind))
		gen_post_alone(g, kind);
	if (!post_carries(kind))
		return;
	gen_post_states(g, kind);
	gen_post_limits(g, kind);
	gen_post_completions(g, kind);
	gen_post_entries(g, kind);
	gen_post_around_gone(g, kind);
	gen_post_flush_together(g, kind);
	gen_post_srq_beside(g, kind);
	gen_post_together(g, kind);
	gen_post_wr_id(g, kind);
	gen_post_list_members(g, kind);
	gen_post_ring(g, kind);
	gen_post_random_walk(g, kind);
	gen_post_gids(g, kind);
	if (kind == QK_UD)
		gen_post_source_qpn(g);
}

void post_end(const struct post *p)
{
	post_poll(p, 0);
	gen_query(p->g, p->a);
	gen_done(p->g);
}

void post_end_bytes(const struct post *p)
{
	post_poll(p, 0);
	gen_call(p->g, V_read_mr, p->mr);
	gen_query(p->g, p->a);
	gen_query(p->g, p->b);
	gen_done(p->g);
}

void post_finish(const struct post *p)
{
	post_poll(p, 0);
	gen_query(p->g, p->a);
	post_to_err(p, p->a, IBV_QPS_RTS);
	post_end(p);
}
