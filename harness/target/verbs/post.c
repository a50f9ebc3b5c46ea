// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Posting to the queues of a libibverbs device, and polling for completions.
 * Every wait is bounded.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include "program/repro/parts/request.h"
#include "target/verbs/verbs_target.h"

#define TAKE(member) .member = in->member
#define FIND(member) .member = slot_ptr(t, in->member)

static void resolve(const struct verbs_target *t, const struct wr_args *in,
		    struct request *r)
{
	*r = (struct request){
		TAKE(wr_id),
		TAKE(offset),
		TAKE(remote_offset),
		TAKE(compare_add),
		TAKE(swap),
		TAKE(stride),
		TAKE(lkey),
		TAKE(rkey),
		TAKE(more),
		TAKE(odd),
		TAKE(odd_num_sge),
		TAKE(num_sge),
		TAKE(length),
		TAKE(opcode),
		TAKE(send_flags),
		TAKE(imm_data),
		TAKE(remote_qpn),
		TAKE(remote_qkey),
		TAKE(remote_srqn),
		TAKE(setter),
		TAKE(bind_offset),
		TAKE(bind_length),
		TAKE(bind_access),
		TAKE(bind_rkey),
		TAKE(mw_rkey),
		TAKE(invalidate_rkey),
		TAKE(tso_hdr_sz),
		TAKE(tso_mss),
		TAKE(flush_type),
		TAKE(flush_level),
		TAKE(odd_offset),
		TAKE(odd_remote_offset),
		TAKE(part_offset),
		TAKE(odd_opcode),
		TAKE(odd_flags),
		TAKE(odd_length),
		TAKE(odd_lkey),
		TAKE(odd_rkey),
		TAKE(odd_imm_data),
		TAKE(odd_remote_qpn),
		TAKE(odd_remote_qkey),
		TAKE(odd_remote_srqn),
		TAKE(part),
		TAKE(part_length),
		TAKE(part_lkey),
		FIND(mr),
		FIND(remote),
		FIND(bind_mr),
		FIND(odd_mr),
		FIND(part_mr),
		FIND(ah),
		FIND(mw),
	};
}

uint64_t verbs_shift_of(const struct verbs_target *t, uint16_t mr)
{
	return mr < PROG_MAX_OBJECTS ? t->object[mr].shift : 0;
}

static void shift_elements(const struct verbs_target *t,
			   const struct wr_args *in, struct request *r)
{
	r->offset += verbs_shift_of(t, in->mr);
	r->part_offset += verbs_shift_of(t, in->part_mr);
}

/* Requests name the bytes of a region by its IOVA, but for inline data. */
static void shift_to_iova(const struct verbs_target *t,
			  const struct wr_args *in, struct request *r)
{
	if (!is_inline(r->send_flags, r->setter))
		shift_elements(t, in, r);
	if (!is_inline(r->odd_flags, r->setter))
		r->odd_offset += verbs_shift_of(t, in->odd_mr);
	r->remote_offset += verbs_shift_of(t, in->remote);
	r->odd_remote_offset += verbs_shift_of(t, in->remote);
	r->bind_offset += verbs_shift_of(t, in->bind_mr);
}

void verbs_resolve_request(const struct verbs_target *t,
			   const struct wr_args *in, struct request *r)
{
	resolve(t, in, r);
	shift_to_iova(t, in, r);
}

void verbs_resolve_entries(const struct verbs_target *t,
			   const struct wr_args *in, struct request *r)
{
	resolve(t, in, r);
	shift_elements(t, in, r);
}

void real_bind_mw(struct verbs_target *t, const struct bound *b,
		  struct outcome *o)
{
	struct ibv_mw_bind bind, before;
	struct request r;

	verbs_resolve_request(t, &b->in.wr, &r);
	bind = (struct ibv_mw_bind){
		.wr_id = r.wr_id,
		.send_flags = r.send_flags,
		.bind_info = bind_info(&r),
	};
	before = bind;
	if (r.mw_rkey)
		r.mw->rkey = r.mw_rkey;
	RECORD_INT(o, ibv_bind_mw(slot_ptr(t, b->on), r.mw, &bind));
	o->in_changed = memcmp(&bind, &before, sizeof(bind)) != 0;
	o->out.keys.rkey = r.mw->rkey;
}

void real_post_send(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	struct ibv_send_wr untouched, *bad = &untouched;
	struct request_list list;
	struct request r;

	verbs_resolve_request(t, &b->in.wr, &r);
	if (send_list_make(&r, &list)) {
		verbs_cannot_make(b, o, ENOMEM);
		return;
	}
	RECORD_INT(o, ibv_post_send(slot_ptr(t, b->on), list.wr, &bad));
	o->out.posted.bad_wr = index_of_bad(bad, &untouched, list.wr,
					    sizeof(list.wr[0]), r.more + 1ul);
	if (!o->ret || o->out.posted.bad_wr > 0)
		window_was_bound(&r);
	send_list_free(&list);
}

static void post_recv(struct verbs_target *t, const struct bound *b,
		      struct outcome *o)
{
	struct ibv_recv_wr untouched, *bad = &untouched, *list;
	struct ibv_sge sge[2][POST_MAX_SGE];
	void *queue = slot_ptr(t, b->on);
	struct request r;

	verbs_resolve_request(t, &b->in.wr, &r);
	list = recv_list(&r, sge);
	if (!list) {
		verbs_cannot_make(b, o, ENOMEM);
		return;
	}
	if (b->verb == V_post_wq_recv)
		RECORD_INT(o, ibv_post_wq_recv(queue, list, &bad));
	else if (b->verb == V_post_srq_recv)
		RECORD_INT(o, ibv_post_srq_recv(queue, list, &bad));
	else
		RECORD_INT(o, ibv_post_recv(queue, list, &bad));
	o->out.posted.bad_wr = index_of_bad(bad, &untouched, list,
					    sizeof(*list), r.more + 1ul);
	recv_list_free(list, &r, sge);
}

void real_post_recv(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	post_recv(t, b, o);
}

void real_post_srq_recv(struct verbs_target *t, const struct bound *b,
			struct outcome *o)
{
	post_recv(t, b, o);
}

void real_post_wq_recv(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	post_recv(t, b, o);
}

static bool is_qp(const struct verbs_object *object,
		  const struct ibv_context *on, uint32_t qp_num)
{
	const struct ibv_qp *qp = object->ptr;

	return object->kind == OBJ_QP && !object->hidden &&
	       qp->qp_num == qp_num && qp->context->device == on->device;
}

uint16_t verbs_qp_slot(const struct verbs_target *t,
		       const struct ibv_context *on, uint32_t qp_num)
{
	uint16_t slot = 0;

	slots_lock(t);
	while (slot < PROG_MAX_OBJECTS && !is_qp(&t->object[slot], on, qp_num))
		slot++;
	slots_unlock(t);
	return slot < PROG_MAX_OBJECTS ? slot : NO_OBJ;
}

static void convert_wc(const struct verbs_target *t, const struct ibv_cq *cq,
		       const struct ibv_wc *wc, struct polled_wc *out)
{
	out->wr_id = wc->wr_id;
	out->status = wc->status;
	out->opcode = wc->opcode;
	out->byte_len = wc->byte_len;
	out->wc_flags = wc->wc_flags;
	out->imm_data = be32toh(wc->imm_data);
	out->invalidated_rkey = wc->invalidated_rkey;
	out->src_qp = wc->src_qp;
	out->vendor_err = wc->vendor_err;
	out->slid = wc->slid;
	out->sl = wc->sl;
	out->path_bits = wc->dlid_path_bits;
	out->qp = verbs_qp_slot(t, cq->context, wc->qp_num);
}

/* Keeps the completions of a poll that a later call refers to. */
static struct ibv_wc *keep_completions(struct verbs_target *t,
				       const struct bound *b)
{
	struct ibv_wc *kept = NULL;

	if (b->result != NO_OBJ)
		kept = calloc(POLL_MAX, sizeof(*kept));
	slot_fill(t, b, kept);
	return kept;
}

/* Returns how many elements of an array of poison are written. */
static uint32_t count_written(const struct ibv_wc *wc, unsigned int n)
{
	struct ibv_wc poison;
	uint32_t written = 0;

	memset(&poison, OUT_POISON, sizeof(poison));
	for (unsigned int i = 0; i < n; i++)
		written += memcmp(&wc[i], &poison, sizeof(poison)) != 0;
	return written;
}

/* Calls ibv_poll_cq once with room for num_entries completions. Returns how
 * many came, or -1 for a number that is none. With room for another number than
 * one, counts the elements of the array that are written past those that came.
 */
static int poll_once(struct ibv_cq *cq, uint32_t num_entries,
		     struct ibv_wc wc[POLL_MAX], struct outcome *o)
{
	size_t room = num_entries == 1 ? 1 : POLL_MAX;

	memset(wc, OUT_POISON, room * sizeof(*wc));
	RECORD_INT(o, ibv_poll_cq(cq, (int)num_entries, wc));
	if (o->ret < 0 || o->ret > (int)num_entries)
		return -1;
	if (num_entries != 1)
		o->out.polled.spilled += count_written(
			&wc[o->ret], POLL_MAX - (unsigned int)o->ret);
	return o->ret;
}

/* Polls until the requested number of completions came, or the time is over.
 * The clock is read before each poll: the process may be stopped in between. */
void real_poll_cq(struct verbs_target *t, const struct bound *b,
		  struct outcome *o)
{
	uint32_t most = poll_most(&b->in.poll);
	int64_t deadline = deadline_after(b->in.poll.timeout_ms);
	struct ibv_cq *cq = slot_ptr(t, b->on);
	struct polled_args *out = &o->out.polled;
	struct ibv_wc *kept = keep_completions(t, b), wc[POLL_MAX];

	out->count = 0;
	out->spilled = 0;
	o->ret = 0;
	o->err = ERRNO_POISON;
	if (poll_is_single(&b->in.poll))
		nap_us(1000 * (int64_t)b->in.poll.timeout_ms);
	while (out->count < most || poll_is_single(&b->in.poll)) {
		bool last = is_past(deadline);
		int n = poll_once(cq, poll_entries(&b->in.poll, out->count), wc,
				  o);

		if (n < 0)
			return;
		if (kept)
			memcpy(&kept[out->count], wc, (size_t)n * sizeof(*wc));
		for (int i = 0; i < n; i++)
			convert_wc(t, cq, &wc[i], &out->wc[out->count++]);
		if (poll_is_single(&b->in.poll) || (!n && last))
			break;
		if (!n)
			nap_us(100);
	}
	o->ret = 0;
}
