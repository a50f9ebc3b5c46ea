// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Posting and polling: each request is a call of the model. A request is turned
 * into the model's arguments (struct wr_args), which name memory by region and
 * offset, and a completion of the model into a struct ibv_wc. The calls that
 * make an address handle from a completion are here too.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include "tests/stand-in/stand_in.h"

/* Fills in the arguments of a bind. The offset of a bind without a region is
 * the address. */
static void take_window(const struct fake *f, struct wr_args *in,
			const struct ibv_mw *mw,
			const struct ibv_mw_bind_info *to)
{
	in->mw = fake_slot(f, mw);
	in->mw_rkey = mw->rkey;
	in->bind_mr = fake_slot(f, to->mr);
	in->bind_offset = to->addr - (to->mr ? fake_iova(to->mr) : 0);
	in->bind_length = to->length;
	in->bind_access = to->mw_access_flags;
}

/* Returns true if all elements except number `odd` (-1: none) have one length
 * and one key and lie at a constant stride. Inline data have no key, and their
 * addresses are not compared. Sets *from to the first of these elements. */
static bool are_alike(const struct ibv_sge *sge, int n, int odd, int *from,
		      int64_t *stride)
{
	int next = *from = odd == 0;

	do
		next++;
	while (next == odd);
	*stride = next < n ? (int64_t)(sge[next].addr - sge[*from].addr) /
				     (next - *from)
			   : 0;
	for (int i = *from; i < n; i++)
		if (i != odd && (sge[i].length != sge[*from].length ||
				 sge[i].lkey != sge[*from].lkey ||
				 (sge[i].lkey &&
				  sge[i].addr - sge[*from].addr !=
					  (uint64_t)((i - *from) * *stride))))
			return false;
	return true;
}

static uint64_t offset_in(const struct fake *f, uint16_t slot, uint64_t addr)
{
	const struct ibv_mr *mr = fake_object_at(f, slot);

	return mr ? addr - fake_iova(mr) : 0;
}

/* Fills in the element that differs from the others. */
static void take_part(const struct fake *f, struct wr_args *in,
		      const struct ibv_sge *sge, int odd)
{
	in->part = (uint32_t)odd + 1;
	in->part_length = sge[odd].length;
	in->part_lkey = sge[odd].lkey;
	in->part_mr = fake_region_at(f, sge[odd].addr, sge[odd].lkey, false);
	in->part_offset = offset_in(f, in->part_mr, sge[odd].addr);
}

/* Fills in the elements. The model's arguments hold equal elements at a
 * constant stride, and at most one that differs. */
static void take_elements(const struct fake *f, struct wr_args *in,
			  const struct ibv_sge *sge, int n)
{
	int odd = -1, from;

	in->mr = in->remote = in->ah = in->mw = in->bind_mr = NO_OBJ;
	in->num_sge = (uint32_t)n;
	if (n < 1)
		return;
	while (!are_alike(sge, n, odd, &from, &in->stride) && odd + 1 < n)
		odd++;
	if (odd >= 0)
		take_part(f, in, sge, odd);
	in->length = sge[from].length;
	in->mr = fake_region_at(f, sge[from].addr, sge[from].lkey, false);
	in->offset = offset_in(f, in->mr, sge[from].addr) -
		     (uint64_t)(from * in->stride);
	in->lkey = sge[from].lkey;
}

static void take_remote(const struct fake *f, struct wr_args *in, uint64_t addr,
			uint32_t rkey)
{
	const struct ibv_mr *mr;

	in->remote = fake_region_at(f, addr, rkey, true);
	mr = fake_object_at(f, in->remote);
	in->remote_offset = addr - (mr ? fake_iova(mr) : 0);
	in->rkey = rkey;
}

/* Fills in the arguments of a TSO request. Reads each byte of the header,
 * because a provider copies the header: a wrong pointer must crash here too. */
static void take_tso(struct wr_args *in, const struct ibv_send_wr *wr)
{
	const volatile uint8_t *header = wr->tso.hdr;

	for (int i = 0; i < wr->tso.hdr_sz; i++)
		(void)header[i];
	in->imm_data = 0;
	in->tso_hdr_sz = wr->tso.hdr_sz;
	in->tso_mss = wr->tso.mss;
}

void fake_take_send(const struct fake *f, struct wr_args *in,
		    const struct ibv_send_wr *wr)
{
	take_elements(f, in, wr->sg_list, wr->num_sge);
	in->wr_id = wr->wr_id;
	in->opcode = wr->opcode;
	in->send_flags = wr->send_flags;
	in->imm_data = be32toh(wr->imm_data);
	in->remote_srqn = wr->qp_type.xrc.remote_srqn;
	if (wr->opcode == IBV_WR_TSO)
		take_tso(in, wr);
	switch ((uint32_t)wr->opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_RDMA_READ:
	case WR_FLUSH:
		take_remote(f, in, wr->wr.rdma.remote_addr, wr->wr.rdma.rkey);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
	case IBV_WR_ATOMIC_WRITE:
		take_remote(f, in, wr->wr.atomic.remote_addr,
			    wr->wr.atomic.rkey);
		in->compare_add = wr->wr.atomic.compare_add;
		in->swap = wr->wr.atomic.swap;
		break;
	case IBV_WR_BIND_MW:
		take_window(f, in, wr->bind_mw.mw, &wr->bind_mw.bind_info);
		in->bind_rkey = wr->bind_mw.rkey;
		break;
	case IBV_WR_LOCAL_INV:
	case IBV_WR_SEND_WITH_INV:
		in->imm_data = 0;
		in->invalidate_rkey = wr->invalidate_rkey;
		break;
	default:
		in->ah = fake_slot(f, wr->wr.ud.ah);
		in->remote_qpn = wr->wr.ud.remote_qpn;
		in->remote_qkey = wr->wr.ud.remote_qkey;
		break;
	}
}

/* Returns true if bad_wr of a refusal points at the request. */
static bool names_request(const struct answer *a)
{
	return a->outcome.out.posted.bad_wr == 0;
}

int fake_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		   struct ibv_send_wr **bad)
{
	struct fake *f = fake_of(qp);
	struct answer a;
	int ret = 0;

	for (; wr && !ret; wr = wr->next) {
		struct bound b = fake_bound_on_object(V_post_send, qp);

		fake_take_send(f, &b.in.wr, wr);
		fake_inlined = wr->sg_list;
		ret = fake_call(f, &b, &a);
		if (ret)
			*bad = names_request(&a) ? wr : NULL;
	}
	return ret;
}

int fake_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	struct fake *f = fake_of(qp);
	struct bound b = fake_bound_on_object(V_bind_mw, qp);
	struct answer a;
	int ret;

	take_window(f, &b.in.wr, mw, &bind->bind_info);
	b.in.wr.wr_id = bind->wr_id;
	b.in.wr.send_flags = bind->send_flags;
	ret = fake_call(f, &b, &a);
	if (!ret)
		mw->rkey = a.outcome.out.keys.rkey;
	fake_spoil_input(&a, bind);
	return ret;
}

static int post_recv_on(enum verb verb, void *queue, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad)
{
	struct fake *f = fake_of(queue);
	struct answer a;
	int ret = 0;

	for (; wr && !ret; wr = wr->next) {
		struct bound b = fake_bound_on_object(verb, queue);

		take_elements(f, &b.in.wr, wr->sg_list, wr->num_sge);
		b.in.wr.wr_id = wr->wr_id;
		ret = fake_call(f, &b, &a);
		if (ret)
			*bad = names_request(&a) ? wr : NULL;
	}
	return ret;
}

int fake_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		   struct ibv_recv_wr **bad)
{
	return post_recv_on(V_post_recv, qp, wr, bad);
}

int fake_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		       struct ibv_recv_wr **bad)
{
	return post_recv_on(V_post_srq_recv, srq, wr, bad);
}

int fake_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *op,
		      struct ibv_ops_wr **bad)
{
	struct fake *f = fake_of(srq);
	struct answer a;
	int ret = 0;

	for (; op && !ret; op = op->next) {
		struct bound b = fake_bound_on_object(V_post_srq_ops, srq);
		struct ops_args *in = &b.in.ops;

		take_elements(f, &in->wr, op->tm.add.sg_list,
			      op->tm.add.num_sge);
		in->wr.wr_id = op->wr_id;
		in->wr.opcode = op->opcode;
		in->wr.send_flags = (uint32_t)op->flags;
		in->unexpected_cnt = op->tm.unexpected_cnt;
		in->handle = op->tm.handle;
		in->recv_wr_id = op->tm.add.recv_wr_id;
		in->tag = op->tm.add.tag;
		in->mask = op->tm.add.mask;
		ret = fake_call(f, &b, &a);
		if (ret)
			*bad = names_request(&a) ? op : NULL;
		else if (op->opcode == IBV_WR_TAG_ADD)
			op->tm.handle = a.outcome.out.posted.handle[0];
	}
	return ret;
}

int fake_post_wq_recv(struct ibv_wq *wq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad)
{
	return post_recv_on(V_post_wq_recv, wq, wr, bad);
}

void fake_fill_wc(const struct fake *f, const struct answer *a, unsigned int n,
		  struct ibv_wc *wc)
{
	struct polled_args all;
	const struct polled_wc *out = &all.wc[n];
	const struct ibv_qp *qp;

	memset(&all, 0, sizeof(all));
	all.wc[n].qp = NO_OBJ;
	fake_take_fields(FAM_WC, a->defined, &all, &a->outcome.out.polled);
	wc->wr_id = out->wr_id;
	wc->status = (enum ibv_wc_status)out->status;
	pthread_mutex_lock(&fake_objects_lock);
	qp = fake_object_at(f, out->qp);
	wc->qp_num = qp ? qp->qp_num : 0;
	pthread_mutex_unlock(&fake_objects_lock);
	wc->opcode = (enum ibv_wc_opcode)out->opcode;
	wc->byte_len = out->byte_len;
	wc->wc_flags = out->wc_flags;
	wc->imm_data = htobe32(out->imm_data);
	if (wc->wc_flags & IBV_WC_WITH_INV)
		wc->invalidated_rkey = out->invalidated_rkey;
	wc->src_qp = out->src_qp;
	wc->vendor_err = out->vendor_err;
	wc->slid = (uint16_t)out->slid;
	wc->sl = out->sl;
	wc->dlid_path_bits = out->path_bits;
}

/* Stores the number of the completion's reply in vendor_err, which a successful
 * completion does not use. */
static void note_reply(unsigned int n, struct ibv_wc *wc)
{
	wc->vendor_err = (fake_first_reply + n) % FAKE_REPLIES;
}

/* With FAKE_ECHO, keeps the last of n completions; if there is none, returns 1
 * and the completion that was kept, when its time has come. */
static int echo(struct fake *f, struct ibv_cq *cq, int max, int n,
		struct ibv_wc *wc)
{
	const char *after = getenv("FAKE_ECHO");

	if (after && n) {
		f->echo = wc[n - 1];
		f->echo_cq = cq;
		f->echo_ms = fake_now_ms() + atoi(after);
	}
	if (n || !max || !after || f->echo_cq != cq ||
	    fake_now_ms() < f->echo_ms)
		return n;
	f->echo_cq = NULL;
	wc[0] = f->echo;
	return 1;
}

int fake_poll_cq(struct ibv_cq *cq, int max, struct ibv_wc *wc)
{
	struct fake *f = fake_of(cq);
	struct bound b = fake_bound_on_object(V_poll_cq, cq);
	struct answer a;

	if (fake_is_slow(f))
		return 0;
	b.in.poll.max = (uint32_t)max;
	b.in.poll.entries = max > 0;
	/* The model sees twenty times the time that has passed, so that retries
	 * end soon. */
	b.in.poll.timeout_ms = (uint32_t)(fake_now_ms() - f->last_call_ms) * 20;
	if (fake_call(f, &b, &a))
		return -1;
	for (unsigned int n = 0; n < a.outcome.out.polled.count; n++) {
		fake_fill_wc(f, &a, n, &wc[n]);
		note_reply(n, &wc[n]);
	}
	return echo(f, cq, max, (int)a.outcome.out.polled.count, wc);
}

/* Fills in the arguments of a call that takes a completion: puts the reply of
 * the completion into a free slot of the model, and names the place of the GRH.
 */
static void take_completion(struct fake *f, struct bound *b,
			    const struct ibv_wc *wc, const struct ibv_grh *grh)
{
	const struct reply *r = &f->reply[wc->vendor_err % FAKE_REPLIES];
	const struct ibv_mr *mr = fake_object_at(f, r->mr);
	uint16_t slot = PROG_MAX_OBJECTS - 1;

	/* libibverbs reads the GRH: a wrong pointer must crash here too. */
	if (wc->wc_flags & IBV_WC_GRH)
		(void)*(const volatile uint8_t *)&grh->hop_limit;
	while (slot && f->object[slot])
		slot--;
	model_put_reply(f->model, slot, r);
	b->in.ah_from.completion = slot;
	b->in.ah_from.mr = NO_OBJ;
	if (!mr || (const char *)mr->addr + r->offset != (const char *)grh)
		return;
	b->in.ah_from.mr = r->mr;
	b->in.ah_from.offset = r->offset;
}

int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port,
			struct ibv_wc *wc, struct ibv_grh *grh,
			struct ibv_ah_attr *attr)
{
	struct bound b = fake_bound_on_context(V_init_ah_from_wc, context);
	struct answer a;
	int ret;

	b.in.ah_from.port_num = port;
	take_completion(fake_context(context)->fake, &b, wc, grh);
	ret = fake_call(fake_context(context)->fake, &b, &a);
	memset(attr, 0, sizeof(*attr));
	fake_take_fields(FAM_AH, a.defined, attr, &a.outcome.out.ah);
	return ret;
}

struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc,
				     struct ibv_grh *grh, uint8_t port)
{
	struct bound b = fake_bound_on_object(V_create_ah_from_wc, pd);
	struct ibv_ah *ah;
	struct answer a;

	b.in.ah_from.port_num = port;
	take_completion(fake_of(pd), &b, wc, grh);
	ah = fake_create(pd->context, &b, &a);
	if (ah)
		ah->pd = pd;
	return ah;
}
