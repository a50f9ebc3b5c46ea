// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Polling an extended completion queue of a libibverbs device. Only the fields
 * that the queue was created with are read.
 */
#include <endian.h>
#include "target/verbs/verbs_target.h"

/* True if the queue was created with the field and has its function. */
#define READ(flag, function)                                                   \
	(flags & IBV_WC_EX_WITH_##flag && cq->read_##function)

static void read_tm_info(struct ibv_cq_ex *cq, struct polled_args *out)
{
	struct ibv_wc_tm_info info = {0};

	ibv_wc_read_tm_info(cq, &info);
	out->tm_tag = info.tag;
	out->tm_priv = info.priv;
}

/* Fields that struct ibv_wc does not have. */
static void read_more(struct ibv_cq_ex *cq, uint64_t flags,
		      struct polled_args *out)
{
	if (READ(COMPLETION_TIMESTAMP, completion_ts))
		out->completion_ts = ibv_wc_read_completion_ts(cq);
	if (READ(COMPLETION_TIMESTAMP_WALLCLOCK, completion_wallclock_ns))
		out->wallclock_ns = ibv_wc_read_completion_wallclock_ns(cq);
	if (READ(CVLAN, cvlan))
		out->cvlan = ibv_wc_read_cvlan(cq);
	if (READ(FLOW_TAG, flow_tag))
		out->flow_tag = ibv_wc_read_flow_tag(cq);
	if (READ(TM_INFO, tm_info))
		read_tm_info(cq, out);
}

static void read_path(struct ibv_cq_ex *cq, uint64_t flags,
		      struct polled_wc *wc)
{
	if (READ(SLID, slid))
		wc->slid = ibv_wc_read_slid(cq);
	if (READ(SL, sl))
		wc->sl = ibv_wc_read_sl(cq);
	if (READ(DLID_PATH_BITS, dlid_path_bits))
		wc->path_bits = ibv_wc_read_dlid_path_bits(cq);
}

/* Only a few fields of an error completion are valid; no others are read. */
static void read_wc(const struct verbs_target *t, struct ibv_cq_ex *cq,
		    uint64_t flags, struct polled_wc *wc)
{
	wc->wr_id = cq->wr_id;
	wc->status = cq->status;
	if (READ(QP_NUM, qp_num))
		wc->qp = verbs_qp_slot(t, cq->context, ibv_wc_read_qp_num(cq));
	if (wc->status != IBV_WC_SUCCESS) {
		wc->vendor_err = ibv_wc_read_vendor_err(cq);
		return;
	}
	wc->opcode = ibv_wc_read_opcode(cq);
	wc->wc_flags = ibv_wc_read_wc_flags(cq);
	if (READ(BYTE_LEN, byte_len))
		wc->byte_len = ibv_wc_read_byte_len(cq);
	if (READ(IMM, imm_data) && wc->wc_flags & IBV_WC_WITH_INV)
		wc->invalidated_rkey = ibv_wc_read_invalidated_rkey(cq);
	else if (READ(IMM, imm_data))
		wc->imm_data = be32toh(ibv_wc_read_imm_data(cq));
	if (READ(SRC_QP, src_qp))
		wc->src_qp = ibv_wc_read_src_qp(cq);
	read_path(cq, flags, wc);
}

static void read_all(struct verbs_target *t, const struct bound *b,
		     struct outcome *o)
{
	struct ibv_cq_ex *cq = slot_ptr(t, b->on);
	uint64_t flags = t->object[b->on].wc_flags;

	o->out.polled.count = o->ret == 0;
	if (o->ret)
		return;
	read_wc(t, cq, flags, &o->out.polled.wc[0]);
	if (o->out.polled.wc[0].status == IBV_WC_SUCCESS)
		read_more(cq, flags, &o->out.polled);
}

/* ibv_create_cq_ex(3): EBUSY means that the wall clock has to be read again. */
#define CLOCK_BUSY_MS 1000

static bool is_busy(const struct verbs_object *cq, int ret)
{
	return ret == EBUSY &&
	       cq->wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;
}

/* Calls ibv_start_poll until there is a completion, or the time is over. */
void real_start_poll(struct verbs_target *t, const struct bound *b,
		     struct outcome *o)
{
	struct ibv_poll_cq_attr attr = {.comp_mask = b->in.poll.comp_mask};
	int64_t deadline = deadline_after(b->in.poll.timeout_ms);
	int64_t clock_deadline = 0;
	struct ibv_cq_ex *cq = slot_ptr(t, b->on);
	bool busy, last;

	if (!t->object[b->on].extended || !cq->start_poll) {
		o->ret = EOPNOTSUPP;
		o->err = ERRNO_POISON;
		return;
	}
	do {
		last = is_past(deadline);
		RECORD_INT(o, ibv_start_poll(cq, &attr));
		busy = is_busy(&t->object[b->on], o->ret);
		if (busy && !clock_deadline)
			clock_deadline = deadline_after(CLOCK_BUSY_MS);
		if (busy)
			last = is_past(clock_deadline);
		if ((o->ret == ENOENT || busy) && !last)
			nap_us(100);
	} while ((o->ret == ENOENT || busy) && !last);
	o->in_changed = attr.comp_mask != b->in.poll.comp_mask;
	t->object[b->on].open = o->ret == 0;
	read_all(t, b, o);
}

void real_next_poll(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	RECORD_INT(o, ibv_next_poll(slot_ptr(t, b->on)));
	read_all(t, b, o);
}

void real_end_poll(struct verbs_target *t, const struct bound *b,
		   struct outcome *o)
{
	t->object[b->on].open = false;
	ibv_end_poll(slot_ptr(t, b->on));
	o->ret = 0;
	o->err = ERRNO_POISON;
}
