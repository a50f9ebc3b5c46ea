/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Requests with wrong memory at either end: the status of both completions, the
 * states of both queue pairs, what is flushed, which event is raised, and which
 * bytes stay unchanged.
 */
#include "cases/faults/memory.h"

static const struct length message = {"", NULL, 64};

void fault_pair(struct data *d)
{
	struct data own = *d;

	data_pair(d);
	own.p.b = d->p.a;
	if (kind_receiver(d->p.kind) == d->p.kind)
		data_recv(&own, 100, &message);
}

void fault_begin(struct data *d, const struct opcode *op)
{
	fault_pair(d);
	if (op->receive)
		data_recv(d, 200, &message);
	data_recv(d, 201, &message);
}

/* Adds a copy to the request that fails, and posts a valid unsignaled send
 * behind both. */
static void follow(const struct data *d)
{
	prog_num(d->p.g->p, F_send_more, 1);
	data_send(d, opcode_of(IBV_WR_SEND), 3, &message);
	prog_num(d->p.g->p, F_send_flags, 0);
}

void fault_settle(const struct data *d, unsigned int sure, unsigned int maybe)
{
	if (sure)
		post_poll_for(&d->p, sure, POST_WAIT);
	post_poll_for(&d->p, maybe, POST_MAYBE);
	post_poll_for(&d->p, 4, POST_QUIET);
	gen_query(d->p.g, d->p.a);
	gen_query(d->p.g, d->p.b);
}

void fault_finish(const struct data *d, unsigned int sure)
{
	bool stops = post_reliable(d->p.kind);
	struct gen *g = d->p.g;

	fault_settle(d, sure, stops ? 1 : 4);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	data_look_at(d, d->into, 0, DATA_AT);
	data_look_at(d, d->into, DATA_AT + 1024, 0);
	data_look(d, d->from);
	gen_done(g);
}

void fault_finish_both(const struct data *d, unsigned int receives)
{
	fault_finish(d, 1 + (d->p.kind == QK_RC ? receives + 1 : 0));
}

/* The error: a wrong key, region or offset. RANGE exceeds the end of the region
 * by all bytes but a few, BYTE by one byte. BEFORE starts before the region.
 * TOP begins 8 bytes below address 2^64. */
enum wrong { KEY, GONE, PD, RANGE, RIGHT, BYTE, BEFORE, TOP, WRONGS };
static const char *const wrong_names[WRONGS] = {"key",		"deregistered",
						"pd",		"range",
						"right",	"range-byte",
						"range-before", "range-top"};

/* Half of the bytes are in the region, so that an unsigned offset wraps around.
 */
#define BEFORE_BYTES (64 / 2)

static bool has_edge(const struct opcode *op, enum wrong wrong)
{
	return wrong < BYTE || wrong == TOP || (!op->atomic && !op->imm);
}

/* Returns a region with the error, or the valid region if only the key or
 * offset is wrong. */
static uint8_t wrong_region(const struct data *d, enum wrong wrong,
			    uint8_t good, uint64_t access)
{
	struct gen *g = d->p.g;
	uint8_t mr;

	if (wrong != GONE && wrong != PD && wrong != RIGHT)
		return good;
	mr = gen_make(g, V_reg_mr, wrong == PD ? gen_pd(g) : g->pd);
	prog_num(g->p, F_mr_length, 8192);
	prog_num(g->p, F_mr_access,
		 wrong == RIGHT
			 ? access
			 : IBV_ACCESS_LOCAL_WRITE | gen_remote_access(g));
	if (wrong != GONE)
		data_fill(d, mr, 4);
	else
		gen_call(g, V_dereg_mr, mr);
	return mr;
}

struct place_fields {
	enum field mr, offset, key, of;
};

static void put_wrong(const struct data *d, enum wrong wrong, uint8_t mr,
		      uint8_t good, const struct place_fields *f)
{
	bool grh = f->mr == F_recv_mr && d->p.kind == QK_UD;
	struct program *p = d->p.g->p;

	if (wrong == KEY)
		prog_out(p, f->key, good, f->of, 1);
	else if (wrong == GONE)
		prog_out(p, f->key, mr, f->of, 0);
	else if (wrong == RANGE)
		prog_num(p, f->offset, 64 + DATA_MARGIN - 7);
	else if (wrong == BYTE)
		prog_num(p, f->offset, DATA_MARGIN + 1u - (grh ? DATA_GRH : 0));
	else if (wrong == BEFORE)
		prog_num(p, f->offset, (uint64_t)-BEFORE_BYTES);
	else if (wrong == TOP)
		prog_out(p, f->offset, good, F_keys_top, -8);
	else
		prog_obj(p, f->mr, mr);
}

/* A failing request completes even if it is unsignaled, and so do those behind
 * it. */
static void put_signal(const struct data *d, bool signaled)
{
	if (!signaled)
		prog_num(d->p.g->p, F_send_flags, 0);
}

/* Wrong memory of the sender. */
static void local(struct gen *g, enum qp_kind kind, const struct opcode *op,
		  enum wrong wrong, bool signaled)
{
	static const enum row rows[WRONGS] = {ROW_LOCAL_KEY,   ROW_LOCAL_KEY,
					      ROW_LOCAL_PD,    ROW_LOCAL_RANGE,
					      ROW_LOCAL_RIGHT, ROW_LOCAL_RANGE,
					      ROW_LOCAL_RANGE, ROW_LOCAL_RANGE};
	static const struct place_fields fields = {F_send_mr, F_send_offset,
						   F_send_lkey, F_keys_lkey};
	enum row row = device_iwarp(g->d) ? ROW_IWARP_LOCAL : rows[wrong];
	uint8_t good, mr;
	struct data d;

	if ((wrong == RIGHT && !opcode_fetches(op)) ||
	    !post_op_case(g, kind, op, row, "local-%s%s", wrong_names[wrong],
			  signaled ? "" : "-unsignaled"))
		return;
	d = data_stage(g, kind, &message);
	good = opcode_fetches(op) ? d.into : d.from;
	mr = wrong_region(&d, wrong, good, IBV_ACCESS_REMOTE_READ);
	fault_begin(&d, op);
	data_send(&d, op, 1, &message);
	put_wrong(&d, wrong, mr, good, &fields);
	put_signal(&d, signaled);
	follow(&d);
	post_poll(&d.p, 1);
	if (wrong == PD || wrong == RIGHT)
		data_look(&d, mr);
	fault_finish_both(&d, 0);
}

/* Wrong memory at the other end of a READ, WRITE or atomic operation. */
static void remote(struct gen *g, enum qp_kind kind, const struct opcode *op,
		   enum wrong wrong, bool signaled)
{
	static const enum row rows[WRONGS] = {
		ROW_REMOTE_KEY,	  ROW_REMOTE_KEY,   ROW_REMOTE_PD,
		ROW_REMOTE_RANGE, ROW_REMOTE_RIGHT, ROW_REMOTE_RANGE,
		ROW_REMOTE_RANGE, ROW_REMOTE_RANGE};
	static const struct place_fields fields = {
		F_send_remote, F_send_remote_offset, F_send_rkey, F_keys_rkey};
	uint8_t good, mr;
	struct data d;

	if (!post_op_case(g, kind, op, rows[wrong], "remote-%s%s",
			  wrong_names[wrong], signaled ? "" : "-unsignaled"))
		return;
	d = data_stage(g, kind, &message);
	good = opcode_fetches(op) ? d.from : d.into;
	mr = wrong_region(
		&d, wrong, good,
		op->access == IBV_ACCESS_REMOTE_READ
			? IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE
			: IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	fault_begin(&d, op);
	data_send(&d, op, 1, &message);
	put_wrong(&d, wrong, mr, good, &fields);
	if (op->atomic && wrong == RANGE)
		prog_num(g->p, F_send_remote_offset, 64 + DATA_MARGIN);
	put_signal(&d, signaled);
	follow(&d);
	post_poll_for(&d.p, 1, POST_WAIT);
	if (wrong == PD || wrong == RIGHT)
		data_look(&d, mr);
	fault_finish_both(&d, op->receive ? 2 : 1);
}

static void by_queue_pair(struct gen *g, enum qp_kind kind,
			  const struct opcode *op)
{
	struct gen_values none = {0};
	struct data d;

	if (!post_op_case(g, kind, op, ROW_REMOTE_QP, "remote-queue-pair"))
		return;
	d = data_stage(g, kind, &message);
	gen_value(&none, F_qp_access_flags, NULL, 0);
	if (kind_is_vendors(kind))
		d.p.with = none;
	fault_begin(&d, op);
	if (!kind_is_vendors(kind))
		gen_modify(g, d.p.b, A_STATE | A_ACCESS_FLAGS, IBV_QPS_RTS,
			   IBV_QPS_RTS, &none);
	data_send(&d, op, 1, &message);
	follow(&d);
	post_poll_for(&d.p, 1, POST_WAIT);
	fault_finish_both(&d, op->receive ? 2 : 1);
}

/* The responder has all rights, goes to RESET, and comes back without any. */
static void by_second_life(struct gen *g, enum qp_kind kind,
			   const struct opcode *op)
{
	struct data d;

	if (kind_is_vendors(kind) || device_iwarp(g->d) ||
	    !post_op_case(g, kind, op, ROW_REMOTE_QP,
			  "remote-queue-pair-again"))
		return;
	d = data_stage(g, kind, &message);
	fault_begin(&d, op);
	gen_step(g, d.p.b, IBV_QPS_RTS, IBV_QPS_RESET);
	gen_value(&d.p.with, F_qp_access_flags, NULL, 0);
	post_bring(&d.p, d.p.b, d.p.a, IBV_QPS_RTS);
	data_send(&d, op, 1, &message);
	follow(&d);
	post_poll_for(&d.p, 1, POST_WAIT);
	fault_finish_both(&d, op->receive ? 2 : 1);
}

/* Without bytes the key may be wrong. */
static void zero_length(struct gen *g, enum qp_kind kind,
			const struct opcode *op)
{
	struct data d;

	if (!post_op_case(g, kind, op, ROW_REMOTE_ZERO, "remote-key-no-bytes"))
		return;
	d = data_stage(g, kind, &message);
	fault_begin(&d, op);
	data_send(&d, op, 1, &message);
	prog_num(g->p, F_send_length, 0);
	prog_out(g->p, F_send_rkey, d.into, F_keys_rkey, 1);
	post_poll_for(&d.p, op->receive ? 2 : 1, POST_WAIT);
	fault_finish(&d, 0);
}

/* Wrong memory of the receive. */
static void receiver(struct gen *g, enum qp_kind kind, const struct opcode *op,
		     enum wrong wrong, bool signaled)
{
	static const struct place_fields fields = {F_recv_mr, F_recv_offset,
						   F_recv_lkey, F_keys_lkey};
	uint8_t mr;
	struct data d;

	if (!post_op_case(g, kind, op, ROW_RECV_MEMORY, "receive-%s%s",
			  wrong_names[wrong], signaled ? "" : "-unsignaled"))
		return;
	d = data_stage(g, kind, &message);
	mr = wrong_region(&d, wrong, d.into, IBV_ACCESS_REMOTE_READ);
	fault_pair(&d);
	data_recv(&d, 200, &message);
	put_wrong(&d, wrong, mr, d.into, &fields);
	data_recv(&d, 201, &message);
	data_send(&d, op, 1, &message);
	put_signal(&d, signaled);
	follow(&d);
	post_poll(&d.p, 2);
	if (wrong == PD || wrong == RIGHT)
		data_look(&d, mr);
	if (post_reliable(kind))
		fault_finish_both(&d, 1);
	else
		fault_finish(&d, 2);
}

/* A receive of three elements that is too short. The element at `place` has no
 * bytes, and so gives no room. */
static void short_in_parts(struct gen *g, enum qp_kind kind,
			   const struct opcode *op, unsigned int place)
{
	enum row row =
		post_reliable(kind) ? ROW_RECV_SHORT : ROW_DATAGRAM_SHORT;
	struct data d;

	if (!post_op_case(g, kind, op, row, "receive-short-empty-%u", place))
		return;
	d = data_stage(g, kind, &message);
	fault_pair(&d);
	data_recv(&d, 200, &message);
	prog_num(g->p, F_recv_num_sge, 3);
	prog_num(g->p, F_recv_length, 31);
	prog_num(g->p, F_recv_stride, 40);
	prog_num(g->p, F_recv_part, place);
	prog_num(g->p, F_recv_part_length, 0);
	data_recv(&d, 201, &message);
	data_send(&d, op, 1, &message);
	follow(&d);
	post_poll(&d.p, 2);
	if (post_reliable(kind))
		fault_finish_both(&d, 1);
	else
		fault_finish(&d, 0);
}

static void short_receive(struct gen *g, enum qp_kind kind,
			  const struct opcode *op, int by)
{
	enum row row =
		post_reliable(kind) ? ROW_RECV_SHORT : ROW_DATAGRAM_SHORT;
	const struct length room = {"", NULL, 64 - by};
	struct data d;

	if (!post_op_case(g, kind, op, row, "receive-short-by-%d", by))
		return;
	d = data_stage(g, kind, &message);
	fault_pair(&d);
	data_recv(&d, 200, &room);
	data_recv(&d, 201, &message);
	data_send(&d, op, 1, &message);
	if (by)
		follow(&d);
	post_poll(&d.p, 2);
	if (by && post_reliable(kind))
		fault_finish_both(&d, 1);
	else
		fault_finish(&d, 0);
}

/* The first packet of a message fills the receive, and the others follow. */
static void short_of_packets(struct gen *g, enum qp_kind kind,
			     const struct opcode *op)
{
	const struct length room = {"", NULL, 256};
	const struct length long_message = {"", NULL, 5000};
	struct data d;

	if (!post_reliable(kind) || !post_op_case(g, kind, op, ROW_RECV_SHORT,
						  "receive-short-of-packets"))
		return;
	d = data_stage(g, kind, &long_message);
	fault_pair(&d);
	data_recv(&d, 200, &room);
	data_recv(&d, 201, &room);
	data_send(&d, op, 1, &long_message);
	follow(&d);
	post_poll(&d.p, 2);
	fault_finish_both(&d, 1);
}

/* Wrong lengths and unaligned addresses of atomic operations. */
static void atomics(struct gen *g, enum qp_kind kind, const struct opcode *op,
		    uint64_t length, uint64_t off)
{
	struct data d;

	if (!post_op_case(g, kind, op,
			  off ? ROW_ATOMIC_ALIGN : ROW_ATOMIC_LENGTH, "%s-%u",
			  off ? "unaligned" : "length",
			  (unsigned int)(off ? off : length)))
		return;
	d = data_stage(g, kind, &message);
	fault_begin(&d, op);
	data_send(&d, op, 1, &message);
	prog_num(g->p, F_send_length, length);
	prog_num(g->p, F_send_remote_offset, DATA_AT + off);
	prog_num(g->p, F_send_compare_add, 1);
	follow(&d);
	post_poll_for(&d.p, 5, POST_MAYBE);
	fault_finish(&d, 0);
}

static void over_mtu(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	static const struct length mtu = {"", "active_mtu_bytes", 1};
	struct data d;

	if (!post_op_case(g, kind, op, ROW_DATAGRAM_LONG, "over-mtu"))
		return;
	d = data_stage(g, kind, &mtu);
	fault_pair(&d);
	data_recv(&d, 200, &mtu);
	data_send(&d, op, 1, &mtu);
	follow(&d);
	post_poll_for(&d.p, 5, POST_MAYBE);
	gen_query(g, d.p.a);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	data_look_at(&d, d.into, 0, DATA_AT);
	data_look(&d, d.from);
	gen_done(g);
}

/* Returns true for the cases of the quick profile: every error on RC, and one
 * error for each sort of operation elsewhere. */
static bool is_quick(enum qp_kind kind, const struct opcode *op,
		     enum wrong wrong)
{
	if (op->value == IBV_WR_SEND)
		return wrong == KEY || kind == QK_RC;
	if (kind == QK_XRC_SEND && op->access && op->receive)
		return wrong == KEY; /* its receive is in an SRQ */
	if (kind != QK_RC || op->value == IBV_WR_SEND_WITH_IMM)
		return false;
	return (!op->atomic && !op->imm) || wrong == KEY;
}

enum row fault_key_row(const struct gen *g)
{
	return device_iwarp(g->d) ? ROW_IWARP_LOCAL : ROW_LOCAL_KEY;
}

bool fault_is_reported(const struct gen *g, const struct opcode *op)
{
	return !device_iwarp(g->d) || op->access == IBV_ACCESS_REMOTE_READ;
}

/* An unreliable sender does not learn of an error at the other end. */
static void unsignaled(struct gen *g, enum qp_kind kind,
		       const struct opcode *op)
{
	local(g, kind, op, KEY, false);
	if (!post_reliable(kind) || !fault_is_reported(g, op))
		return;
	if (op->access)
		remote(g, kind, op, KEY, false);
	else
		receiver(g, kind, op, KEY, false);
}

static void of_operation(struct gen *g, enum qp_kind kind,
			 const struct opcode *op)
{
	for (int wrong = 0; wrong < WRONGS; wrong++) {
		if ((!gen_full(g) && !is_quick(kind, op, (enum wrong)wrong)) ||
		    !has_edge(op, (enum wrong)wrong))
			continue;
		local(g, kind, op, (enum wrong)wrong, true);
		if (op->access)
			remote(g, kind, op, (enum wrong)wrong, true);
		else
			receiver(g, kind, op, (enum wrong)wrong, true);
	}
	if (!gen_full(g) && !is_quick(kind, op, KEY))
		return;
	unsignaled(g, kind, op);
	if (op->access)
		by_queue_pair(g, kind, op);
	if (op->value == IBV_WR_RDMA_WRITE)
		by_second_life(g, kind, op);
	if (op->access && !op->atomic)
		zero_length(g, kind, op);
	if (!op->access) {
		short_receive(g, kind, op, 1);
		short_of_packets(g, kind, op);
	}
	for (unsigned int place = 1; !op->access && place <= 3; place++)
		short_in_parts(g, kind, op, place);
	if (!op->access && gen_full(g)) {
		short_receive(g, kind, op, 0);
		short_receive(g, kind, op, 64);
	}
}

static void of_atomic(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	static const uint64_t lengths[] = {0, 4, 7, 9, 16};

	for (size_t i = 0; i < COUNT(lengths); i++)
		if (gen_full(g) || lengths[i] % 8 != 1)
			atomics(g, kind, op, lengths[i], 0);
	atomics(g, kind, op, 8, 4);
	if (gen_full(g))
		atomics(g, kind, op, 8, 1);
}

void gen_faults_memory(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	if (!post_carries(kind))
		return;
	gen_prefix(g, "fault/%s/", qp_kind_slug(kind));
	for (size_t i = 0; i < n; i++) {
		if (!post_has(kind, &op[i]))
			continue;
		of_operation(g, kind, &op[i]);
		if (op[i].atomic)
			of_atomic(g, kind, &op[i]);
		if (kind == QK_UD)
			over_mtu(g, kind, &op[i]);
		gen_faults_memory_list(g, kind, &op[i]);
		gen_faults_memory_parts(g, kind, &op[i]);
		gen_faults_memory_bare(g, kind, &op[i]);
		gen_faults_memory_kept(g, kind, &op[i]);
		gen_faults_memory_domains(g, kind, &op[i]);
		gen_faults_memory_late_packet(g, kind, &op[i]);
		if (gen_full(g) || is_quick(kind, &op[i], KEY))
			gen_faults_memory_late(g, kind, &op[i]);
	}
}
