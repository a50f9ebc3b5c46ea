/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What is wrong with a request that is posted: its queue has no room or is not
 * ready, it has too many elements, or its operation, flags or inline data are
 * not permitted.
 */
#include "contract/opcodes.h"
#include "model/data/post.h"
#include "model/memory/access_fault.h"
#include "model/raw/raw_packet.h"
#include "model/vendor.h"

bool post_check_room(struct step *s, struct faults *f,
		     const struct post_queue *to)
{
	const struct wr_list *list = wr_list_of(s->m, &to->q);

	if (mutant_has_quirk(s->mutant, QUIRK_LIST_THIRD) && to->at == 2 &&
	    s->b->verb == V_post_recv)
		return true;
	if (list->posted + to->ahead >= to->max_wr)
		add_fault(s, f, (enum row)to->rows->full);
	else if (to->lost || list->occupied + to->ahead >= to->max_wr)
		add_fault(s, f, (enum row)to->rows->unpolled);
	else
		return true;
	return false;
}

/* Judges the number of elements. Buffers of ibv_wr_set_inline_data_list do not
 * count as elements: only max_inline_data limits them. */
static void check_elements(struct step *s, struct faults *f,
			   const struct post_queue *to)
{
	uint32_t n = s->b->in.wr.num_sge;

	if (s->b->verb == V_wr && s->b->in.wr.setter == SET_INLINE_LIST && n)
		return;
	if (mutant_has_quirk(s->mutant, QUIRK_LIST_RECV_SGE) && to->q.recv &&
	    to->at)
		return;
	if (n > mutant_limit(s->mutant, to->sge, n, to->max_sge) ||
	    (!n && mutant_refuses_zero(s->mutant, to->sge)))
		add_fault(s, f, (enum row)to->rows->sge);
}

/* Judges the number of elements of a READ, which has a limit of its own. */
static void check_read(struct step *s, struct faults *f)
{
	uint64_t most = s->d->limit[LIM_max_sge_rd];
	uint32_t n = s->b->in.wr.num_sge;

	if (s->b->in.wr.opcode == IBV_WR_RDMA_READ &&
	    n > mutant_limit(s->mutant, F_dev_max_sge_rd, n, most))
		add_fault(s, f, ROW_POST_SGE_READ);
}

/* Returns true if the device computes checksums for queue pairs of this
 * type. */
static bool has_checksums(const struct device_info *d, enum qp_kind kind)
{
	switch (kind) {
	case QK_RC:
		return device_flag(d, IBV_DEVICE_RC_IP_CSUM);
	case QK_UD:
		return device_flag(d, IBV_DEVICE_UD_IP_CSUM);
	case QK_RAW_PACKET:
		return claim_holds(CLAIM_RAW_CSUM, d);
	default:
		return false;
	}
}

/* Judges IBV_SEND_IP_CSUM and IBV_SEND_FENCE. */
static void check_flags(struct step *s, struct faults *f, enum qp_kind kind)
{
	uint32_t flags = s->b->in.wr.send_flags;
	bool offers = has_checksums(s->d, kind);

	/* seeded fault: refuses what the device claims to have */
	if (s->mutant && mutant_checks_unmasked(s->mutant, F_send_flags))
		offers = false;
	if (flags & IBV_SEND_IP_CSUM && !offers)
		add_fault(s, f, ROW_POST_IP_CSUM);
	if (flags & IBV_SEND_FENCE && kind != QK_RC)
		add_fault(s, f, ROW_POST_FENCE);
}

bool post_fetches_inline(const struct wr_args *in)
{
	const struct opcode *op = opcode_of(in->opcode);

	return in->send_flags & IBV_SEND_INLINE && op &&
	       (op->atomic || in->opcode == IBV_WR_RDMA_READ);
}

/* Seeded fault: each of max_send_sge elements takes one byte of
 * max_inline_data. Returns true if the data do not fit then. */
static bool is_cut(const struct step *s, const struct model_qp *qp,
		   uint64_t bytes)
{
	const struct ibv_qp_cap *cap = &qp->init.cap;
	uint32_t n = s->b->in.wr.num_sge;

	if (qp->inline_segment && bytes == cap->max_inline_data &&
	    (s->b->in.wr.opcode == IBV_WR_RDMA_WRITE ||
	     s->b->in.wr.opcode == IBV_WR_RDMA_WRITE_WITH_IMM))
		return true;
	if (qp->inline_cut && bytes + 4 > cap->max_inline_data)
		return true;
	return mutant_has_quirk(s->mutant, QUIRK_INLINE_PARTS) && n > 1 &&
	       n == cap->max_send_sge && bytes + n > cap->max_inline_data;
}

/* Judges IBV_SEND_INLINE and the length of inline data. */
static void check_inline(struct step *s, struct faults *f,
			 const struct post_queue *to)
{
	const struct model_qp *qp = &s->m->object[to->q.owner].qp;
	const struct wr_args *in = &s->b->in.wr;
	uint64_t bytes = request_bytes(in);

	if (post_fetches_inline(in)) {
		add_fault(s, f, ROW_POST_INLINE_UNFIT);
		return;
	}
	if (mutant_checks_first_only(s->mutant, F_send_length))
		bytes = in->length;
	if (mutant_has_quirk(s->mutant, QUIRK_LIST_INLINE) && to->at)
		return;
	if (in->send_flags & IBV_SEND_INLINE && is_cut(s, qp, bytes))
		add_fault(s, f, (enum row)to->rows->inline_data);
	else if (in->send_flags & IBV_SEND_INLINE &&
		 bytes > mutant_limit(s->mutant, F_send_length, bytes,
				      qp->init.cap.max_inline_data))
		add_fault(s, f, (enum row)to->rows->inline_data);
}

/* Names the row of a post that comes too early. A seeded fault in what becomes
 * of such a request needs a device that takes it. */
static void check_early(struct step *s, struct faults *f, enum row row)
{
	record_row(s, ROW_POST_EARLY_FATE);
	if (mutant_choice(s->mutant, ROW_POST_EARLY_FATE) < 0)
		add_fault(s, f, row);
}

/* Names the row of an operation that the type does not have. A seeded fault in
 * the status of such a request needs a device that takes it. */
static void check_opcode(struct step *s, struct faults *f, enum qp_kind kind)
{
	if (opcode_offered(s->b->in.wr.opcode, kind))
		return;
	record_row(s, ROW_POLL_OPCODE);
	if (!mutant_skips(s->mutant, ROW_POLL_OPCODE))
		add_fault(s, f, ROW_POST_OPCODE);
}

void post_check_send_state(struct step *s, struct faults *f)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);

	if (qp->iwarp_ending)
		add_fault(s, f, ROW_POST_SEND_ERR);
	else if (qp->state < IBV_QPS_RTS)
		check_early(s, f, ROW_POST_SEND_EARLY);
	else if (qp->state > IBV_QPS_SQD)
		add_fault(s, f, ROW_POST_SEND_ERR);
	else if (qp->state == IBV_QPS_SQD)
		add_fault(s, f, ROW_POST_SQD);
}

/* Returns true if a window of type 1 is to be bound by ibv_post_send. */
static bool posts_type_1(const struct step *s, const struct wr_args *in)
{
	return s->b->verb != V_bind_mw && in->opcode == IBV_WR_BIND_MW &&
	       in->mw != NO_OBJ &&
	       s->m->object[in->mw].mw.type == IBV_MW_TYPE_1;
}

void post_check_request(struct step *s, struct faults *f,
			const struct post_queue *to)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);
	const struct wr_args *in = &s->b->in.wr;
	uint64_t length = request_bytes(in);
	enum row row = fault_of_post(s, qp, in, length);

	if (row != ROW_NONE)
		add_fault(s, f, row);
	if (posts_type_1(s, in))
		add_fault(s, f, ROW_MW_POST_1);
	check_opcode(s, f, (enum qp_kind)qp->kind);
	tso_check(s, f, length);
	check_elements(s, f, to);
	check_read(s, f);
	check_flags(s, f, (enum qp_kind)qp->kind);
	check_inline(s, f, to);
	raw_packet_check(s, f, length);
}

void post_check_send(struct step *s, struct faults *f,
		     const struct post_queue *to)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);

	if (kind_sends_as((enum qp_kind)qp->kind) == QK_NR || qp->rss) {
		add_fault(s, f, ROW_POST_NO_QUEUE);
		return;
	}
	post_check_send_state(s, f);
	post_check_room(s, f, to);
	post_check_request(s, f, to);
}

void post_check_recv(struct step *s, struct faults *f,
		     const struct post_queue *to)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);

	if (kind_receiver((enum qp_kind)qp->kind) != qp->kind ||
	    qp->kind == QK_XRC_RECV || qp->rss) {
		add_fault(s, f, ROW_POST_NO_QUEUE);
		return;
	}
	if (qp->init.srq != NO_OBJ) {
		add_fault(s, f, ROW_POST_SRQ_RECV);
		return;
	}
	if (qp->state == IBV_QPS_RESET)
		check_early(s, f, ROW_POST_RECV_RESET);
	post_check_room(s, f, to);
	check_elements(s, f, to);
}

void post_check_wq_recv(struct step *s, struct faults *f,
			const struct post_queue *to)
{
	const struct model_qp *wq = qp_of(s->m, s->b->on);

	if (wq->state == IBV_QPS_RESET)
		check_early(s, f, ROW_WQ_POST_RESET);
	post_check_room(s, f, to);
	check_elements(s, f, to);
}

void post_check_srq_recv(struct step *s, struct faults *f,
			 const struct post_queue *to)
{
	post_check_room(s, f, to);
	check_elements(s, f, to);
}
