/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Creates what cases about bytes need: regions with patterns, two connected
 * queue pairs, and requests between the regions.
 */
#include "cases/data/data.h"

const struct data_lengths data_lengths = {
	.quick = {{"1", NULL, 1}, {"over-mtu", "mtu_bytes", 1}},
	.full = {{"0", NULL, 0},
		 {"below-mtu", "mtu_bytes", -1},
		 {"7", NULL, 7},
		 {"mtu", "mtu_bytes", 0},
		 {"513", NULL, 513}},
	.large = {{"65535", NULL, 65535},
		  {"65536", NULL, 65536},
		  {"65537", NULL, 65537},
		  {"100001", NULL, 100001},
		  {"1048576", NULL, 1048576}},
};

void data_length(struct gen *g, enum field f, const struct length *length,
		 int64_t plus)
{
	if (length->symbol)
		prog_sym(g->p, f, length->symbol, length->bytes + plus);
	else
		prog_num(g->p, f, (uint64_t)(length->bytes + plus));
}

enum row data_bytes_row(enum qp_kind kind)
{
	return kind == QK_UD ? ROW_DATA_DATAGRAM : ROW_DATA_BYTES;
}

uint8_t data_region(struct gen *g, const struct length *length)
{
	uint8_t mr = gen_make(g, V_reg_mr, g->pd);

	data_length(g, F_mr_length, length, DATA_MARGIN);
	prog_num(g->p, F_mr_access,
		 IBV_ACCESS_LOCAL_WRITE | gen_remote_access(g));
	return mr;
}

void data_fill(const struct data *d, uint8_t mr, unsigned int pattern)
{
	gen_fill(d->p.g, mr, pattern);
}

struct data data_stage(struct gen *g, enum qp_kind kind,
		       const struct length *length)
{
	struct data d = {.p = post_bare(g, kind)};

	gen_parents(g, kind);
	d.from = data_region(g, length);
	d.into = data_region(g, length);
	post_shared_parents(&d.p);
	if (g->by_srq)
		d.p.srq = gen_srq(g, g->pd);
	if (d.p.xsrq != NO_OBJ || g->by_srq)
		prog_num(g->p, F_srq_max_sge, DATA_SGE);
	data_fill(&d, d.from, 1);
	data_fill(&d, d.into, 2);
	return d;
}

uint8_t data_qp(struct gen *g, enum qp_kind kind)
{
	uint8_t qp = gen_qp_of(g, kind);

	if (kind_has_send(kind))
		prog_num(g->p, F_max_send_sge, DATA_SGE);
	if (kind_has_recv(kind))
		prog_num(g->p, F_max_recv_sge, DATA_SGE);
	return qp;
}

void data_make_pair(struct data *d)
{
	struct gen *g = d->p.g;

	d->p.a = g->qp = data_qp(g, d->p.kind);
	if (d->all_signaled)
		prog_num(g->p, F_sq_sig_all, 1);
	if (d->inline_data)
		prog_num(g->p, F_max_inline_data, d->inline_data);
	if (d->send_sge)
		prog_num(g->p, F_max_send_sge, d->send_sge);
	d->p.b = data_qp(g, kind_receiver(d->p.kind));
	if (d->p.srq != NO_OBJ)
		prog_obj(g->p, F_srq, d->p.srq);
}

void data_pair(struct data *d)
{
	data_make_pair(d);
	post_both(&d->p, 0);
}

void data_look_at(const struct data *d, uint8_t mr, uint64_t offset,
		  uint64_t length)
{
	gen_call(d->p.g, V_read_mr, mr);
	if (offset)
		prog_num(d->p.g->p, F_memory_offset, offset);
	if (length)
		prog_num(d->p.g->p, F_memory_length, length);
}

void data_look(const struct data *d, uint8_t mr)
{
	data_look_at(d, mr, 0, 0);
}

void data_look_into(const struct data *d, uint8_t mr)
{
	if (d->p.kind != QK_UD) {
		data_look(d, mr);
		return;
	}
	data_look_at(d, mr, 0, DATA_AT);
	data_look_at(d, mr, DATA_AT + DATA_GRH, 0);
}

void data_look_all(const struct data *d)
{
	data_look_into(d, d->into);
	data_look(d, d->from);
}

void data_recv(const struct data *d, uint64_t wr_id,
	       const struct length *length)
{
	uint8_t srq = d->p.xsrq != NO_OBJ ? d->p.xsrq : d->p.srq;
	struct program *prog = d->p.g->p;

	gen_call(d->p.g, srq == NO_OBJ ? V_post_recv : V_post_srq_recv,
		 srq == NO_OBJ ? d->p.b : srq);
	prog_num(prog, F_recv_wr_id, wr_id);
	prog_num(prog, F_recv_num_sge, 1);
	prog_obj(prog, F_recv_mr, d->into);
	prog_num(prog, F_recv_offset, DATA_AT);
	data_length(d->p.g, F_recv_length, length,
		    d->p.kind == QK_UD ? DATA_GRH : 0);
}

static void put_other_end(const struct data *d, const struct opcode *op)
{
	struct program *prog = d->p.g->p;

	if (op->access) {
		prog_obj(prog, F_send_remote,
			 opcode_fetches(op) ? d->from : d->into);
		prog_num(prog, F_send_remote_offset, DATA_AT);
	}
	if (op->imm)
		prog_num(prog, F_send_imm_data, POST_IMM);
	if (op->atomic && d->compare_add)
		prog_num(prog, F_send_compare_add, d->compare_add);
	post_put_receiver(&d->p);
}

/* Posts the request; with `more`, within the open batch. */
static void put_request(const struct data *d, const struct opcode *op,
			uint64_t wr_id, bool more)
{
	struct program *prog = d->p.g->p;

	if (d->p.g->wr && more) {
		post_more(&d->p, op->value, wr_id, IBV_SEND_SIGNALED);
	} else if (d->p.g->wr) {
		post_send(&d->p, op->value, wr_id, IBV_SEND_SIGNALED);
	} else {
		gen_call(d->p.g, V_post_send, d->p.a);
		prog_num(prog, F_send_wr_id, wr_id);
		prog_num(prog, F_send_opcode, op->value);
		prog_num(prog, F_send_flags, IBV_SEND_SIGNALED);
	}
	if (d->p.g->wr)
		prog_num(prog, F_send_setter, SET_SGE);
}

static void send(const struct data *d, const struct opcode *op, uint64_t wr_id,
		 const struct length *length, bool more)
{
	static const struct length word = {"", NULL, 8};
	struct program *prog = d->p.g->p;

	put_request(d, op, wr_id, more);
	prog_num(prog, F_send_num_sge, 1);
	prog_obj(prog, F_send_mr, opcode_fetches(op) ? d->into : d->from);
	prog_num(prog, F_send_offset, DATA_AT);
	data_length(d->p.g, F_send_length, op->atomic ? &word : length, 0);
	put_other_end(d, op);
}

void data_send(const struct data *d, const struct opcode *op, uint64_t wr_id,
	       const struct length *length)
{
	send(d, op, wr_id, length, false);
}

void data_send_nothing(const struct data *d, uint64_t wr_id)
{
	static const struct length none = {"", NULL, 0};
	struct gen *g = d->p.g;

	data_send(d, opcode_of(IBV_WR_SEND), wr_id, &none);
	prog_num(g->p, F_send_num_sge, 0);
	if (g->wr)
		prog_num(g->p, F_send_setter, SET_SGE_LIST);
}

void data_more(const struct data *d, const struct opcode *op, uint64_t wr_id,
	       const struct length *length)
{
	send(d, op, wr_id, length, true);
}

/* A write of UC or iWARP without a receive arrives unnoticed: sends a message
 * behind it, which tells. Returns false for other types. */
static bool tell(const struct data *d)
{
	static const struct length one = {"", NULL, 1};
	bool silent = device_iwarp(d->p.g->d) || d->p.kind == QK_UC;

	if (!silent)
		return false;
	data_recv(d, 299, &one);
	prog_num(d->p.g->p, F_recv_offset, 1);
	data_send(d, opcode_of(IBV_WR_SEND), 99, &one);
	return true;
}

void data_fenced(const struct data *d, const struct opcode *op, uint64_t wr_id,
		 const struct length *length, uint64_t offset)
{
	struct program *prog = d->p.g->p;

	data_more(d, op, wr_id, length);
	prog_num(prog, F_send_flags, IBV_SEND_SIGNALED | IBV_SEND_FENCE);
	prog_obj(prog, F_send_mr, d->into);
	if (op->access) {
		prog_obj(prog, F_send_remote, d->from);
		prog_num(prog, F_send_remote_offset, offset);
	}
}

void data_recv_fenced(const struct data *d, uint64_t wr_id,
		      const struct length *length, uint64_t offset)
{
	struct program *prog = d->p.g->p;

	data_recv(d, wr_id, length);
	prog_obj(prog, F_recv_mr, d->from);
	prog_num(prog, F_recv_offset, offset);
}

void data_wait_sent(const struct data *d)
{
	if (tell(d))
		post_poll(&d->p, 2);
}

void data_wait(const struct data *d, const struct opcode *op)
{
	bool told = !op->receive && !opcode_fetches(op) && tell(d);

	post_poll(&d->p, told ? 3 : op->receive ? 2 : 1);
}

void data_wait_or_fail(const struct data *d)
{
	post_poll_for(&d->p, 1, POST_WAIT);
	post_poll_for(&d->p, 4, POST_QUIET);
	gen_query(d->p.g, d->p.a);
}

void data_carry_at(const struct data *d, const struct opcode *op,
		   uint64_t number, const struct length *length, uint64_t from,
		   uint64_t into)
{
	struct program *p = d->p.g->p;

	if (op->receive) {
		data_recv(d, 199 + number, length);
		prog_num(p, F_recv_offset, into);
	}
	data_send(d, op, number, length);
	prog_num(p, F_send_offset, from);
	if (op->access)
		prog_num(p, F_send_remote_offset, from);
	data_wait(d, op);
}

void data_carry_one(const struct data *d, const struct opcode *op,
		    uint64_t number, const struct length *length)
{
	if (op->receive)
		data_recv(d, 199 + number, length);
	data_send(d, op, number, length);
	data_wait(d, op);
}

void data_carry(struct data *d, const struct opcode *op,
		const struct length *length)
{
	data_pair(d);
	data_carry_one(d, op, 1, length);
	data_look_all(d);
	gen_done(d->p.g);
}

void data_carry_mixed(struct data *d, const struct opcode *op,
		      const struct length *room, uint8_t second)
{
	struct gen *g = d->p.g;

	data_pair(d);
	data_recv(d, 200, room);
	data_send(d, op, 1, room);
	prog_num(g->p, F_send_num_sge, 3);
	prog_num(g->p, F_send_length, 100);
	prog_num(g->p, F_send_stride, 133);
	prog_num(g->p, F_send_part, 2);
	prog_obj(g->p, F_send_part_mr, second);
	data_wait(d, op);
	data_look_all(d);
	gen_done(g);
}
