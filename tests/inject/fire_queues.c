// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The changes of fire.def to queue pairs of other types than RC, SRQs, resized
 * and overrun queues, and windows. Several threads make these calls at once.
 */
#include "tests/inject/fire.h"

#define SRQ_RECV(name)                                                         \
	int inject_##name(struct ibv_srq *srq, struct ibv_recv_wr *wr,         \
			  struct ibv_recv_wr **bad)
#define GET_EVENT(name)                                                        \
	int inject_##name(struct ibv_context *context,                         \
			  struct ibv_async_event *event)
#define RESIZE(name) int inject_##name(struct ibv_cq *cq, int cqe)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* The queue pairs that a change is about, by their numbers */

enum { NUMBERS = 4096 };
static atomic_bool chosen[NUMBERS];

static void choose_if(const struct ibv_qp *qp, bool is)
{
	atomic_store(&chosen[qp->qp_num % NUMBERS], is);
}

static bool is_chosen(const struct ibv_wc *wc)
{
	return atomic_load(&chosen[wc->qp_num % NUMBERS]);
}

static bool is_receive(const struct ibv_wc *wc)
{
	return wc->status == IBV_WC_SUCCESS && wc->opcode & IBV_WC_RECV;
}

/* A completion that is kept back, or returned again */

static struct ibv_wc kept;
static struct ibv_cq *kept_of;
static bool is_over, was_empty;

/* Keeps the last chosen completion back, and with `receives` only a receive,
 * until end_of() was called for its queue pair, and a poll has found the queue
 * empty. */
static int keep_back(struct ibv_cq *cq, int most, struct ibv_wc *wc,
		     bool receives)
{
	int n = 0;

	pthread_mutex_lock(&lock);
	if (kept_of == cq && most > 0 && is_over && was_empty) {
		*wc = kept;
		kept_of = NULL;
		pthread_mutex_unlock(&lock);
		return 1;
	}
	n = next.poll_cq(cq, most, wc);
	if (!n && kept_of == cq && is_over)
		was_empty = true;
	if (n > 0 && !kept_of && is_chosen(&wc[n - 1]) &&
	    (!receives || is_receive(&wc[n - 1]))) {
		kept = wc[--n];
		kept_of = cq;
		is_over = was_empty = false;
	}
	pthread_mutex_unlock(&lock);
	return n;
}

static void end_of(uint32_t qp_num)
{
	pthread_mutex_lock(&lock);
	if (kept_of && kept.qp_num == qp_num)
		is_over = true;
	pthread_mutex_unlock(&lock);
}

/* Changes the queue pairs that are chosen. They come into being at INIT. */
static int modify_chosen(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
			 bool is)
{
	int ret;

	if (goes_to(attr, mask, IBV_QPS_INIT))
		choose_if(qp, is);
	ret = next.modify_qp(qp, attr, mask);
	if (!ret && goes_to(attr, mask, IBV_QPS_RESET))
		end_of(qp->qp_num);
	return ret;
}

MODIFY(fire_ud_reset_modify_qp)
{
	return modify_chosen(qp, attr, mask, qp->qp_type == IBV_QPT_UD);
}

POLL(fire_ud_reset)
{
	return keep_back(cq, most, wc, false);
}

MODIFY(fire_srq_reset_modify_qp)
{
	return modify_chosen(qp, attr, mask, qp->srq);
}

POLL(fire_srq_reset)
{
	return keep_back(cq, most, wc, true);
}

MODIFY(fire_uc_flush_twice_modify_qp)
{
	return modify_chosen(qp, attr, mask, qp->qp_type == IBV_QPT_UC);
}

static bool is_chosen_flush(const struct ibv_wc *wc)
{
	return is_chosen(wc) && is_flush(wc);
}

POLL(fire_uc_flush_twice)
{
	return again(cq, most, wc, true, is_chosen_flush);
}

MODIFY(fire_last_wqe_early_modify_qp)
{
	return modify_chosen(qp, attr, mask, qp->srq);
}

POLL(fire_last_wqe_early)
{
	return keep_back(cq, most, wc, true);
}

GET_EVENT(fire_last_wqe_early_get_async_event)
{
	int ret = next.get_async_event(context, event);

	if (!ret && event->event_type == IBV_EVENT_QP_LAST_WQE_REACHED)
		end_of(event->element.qp->qp_num);
	return ret;
}

GET_EVENT(fire_last_wqe_unasked)
{
	int ret = next.get_async_event(context, event);

	if (!ret && event->event_type == IBV_EVENT_SQ_DRAINED)
		event->event_type = IBV_EVENT_QP_LAST_WQE_REACHED;
	return ret;
}

/* Shared receive queues */

POLL(fire_srq_twice_poll_cq)
{
	return marked_poll(cq, most, wc);
}

SRQ_RECV(fire_srq_twice)
{
	struct ibv_recv_wr *unused;
	int ret = next.post_srq_recv(srq, wr, bad);

	if (!ret && atomic_load(&under_way))
		next.post_srq_recv(srq, wr, &unused);
	return ret;
}

MODIFY(fire_srq_lost_modify_qp)
{
	int ret = next.modify_qp(qp, attr, mask);

	if (!ret && goes_to(attr, mask, IBV_QPS_ERR))
		choose_if(qp, qp->srq);
	if (!ret && goes_to(attr, mask, IBV_QPS_INIT))
		choose_if(qp, false);
	return ret;
}

POLL(fire_srq_lost)
{
	int n = next.poll_cq(cq, most, wc);

	for (int i = 0; i < n; i++)
		if (is_chosen(&wc[i]) && is_receive(&wc[i]))
			return drop(wc, n, i);
	return n;
}

POLL(fire_xrc_lost_poll_cq)
{
	return marked_poll(cq, most, wc);
}

SEND(fire_xrc_lost)
{
	if (qp->qp_type == IBV_QPT_XRC_SEND && atomic_load(&under_way))
		return 0;
	return next.post_send(qp, wr, bad);
}

/* Completion queues that are resized */

RESIZE(fire_resize_lost)
{
	struct ibv_wc unused;

	next.poll_cq(cq, 1, &unused);
	return next.resize_cq(cq, cqe);
}

RESIZE(fire_resize_again_resize_cq)
{
	pthread_mutex_lock(&lock);
	was_empty = false;
	is_over = true;
	pthread_mutex_unlock(&lock);
	return next.resize_cq(cq, cqe);
}

/* Returns the last completion from before the resize again. */
POLL(fire_resize_again)
{
	int n;

	pthread_mutex_lock(&lock);
	if (is_over && kept_of == cq && most > 0) {
		is_over = false;
		*wc = kept;
		pthread_mutex_unlock(&lock);
		return 1;
	}
	n = next.poll_cq(cq, most, wc);
	if (n > 0) {
		kept = wc[n - 1];
		kept_of = cq;
	}
	pthread_mutex_unlock(&lock);
	return n;
}

/* Queues that are overrun */

SEND(fire_full_lost)
{
	int ret = next.post_send(qp, wr, bad);

	return ret == ENOMEM ? 0 : ret;
}

POLL(fire_full_early_poll_cq)
{
	return marked_poll(cq, most, wc);
}

SEND(fire_full_early)
{
	if (!atomic_load(&under_way))
		return next.post_send(qp, wr, bad);
	*bad = wr;
	return ENOMEM;
}

POLL(fire_full_posted_poll_cq)
{
	return marked_poll(cq, most, wc);
}

SEND(fire_full_posted)
{
	int ret = next.post_send(qp, wr, bad);

	if (ret || !atomic_load(&under_way))
		return ret;
	*bad = wr;
	return ENOMEM;
}

/* Windows */

enum { KEYS = 256 };
static atomic_uint invalid[KEYS]; /* rkeys, by their lowest byte */

/* The bytes of a write by an invalid rkey arrive all the same. */
SEND(fire_window_open)
{
	uint32_t rkey = wr->wr.rdma.rkey;

	if (wr->opcode == IBV_WR_LOCAL_INV)
		atomic_store(&invalid[wr->invalidate_rkey % KEYS],
			     wr->invalidate_rkey);
	if (wr->opcode == IBV_WR_BIND_MW)
		atomic_store(&invalid[wr->bind_mw.rkey % KEYS], 0);
	if (wr->opcode == IBV_WR_RDMA_WRITE &&
	    atomic_load(&invalid[rkey % KEYS]) == rkey)
		memset((void *)(uintptr_t)wr->wr.rdma.remote_addr, 0x5a, 8);
	return next.post_send(qp, wr, bad);
}

/* Attributes */

int inject_fire_qkey_stale(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			   int mask, struct ibv_qp_init_attr *init)
{
	static struct ibv_qp *of;
	static uint32_t last;
	int ret = next.query_qp(qp, attr, mask, init);
	uint32_t now = attr->qkey;

	pthread_mutex_lock(&lock);
	if (!ret && of == qp && qp->qp_type == IBV_QPT_UD)
		attr->qkey = last;
	of = qp;
	last = now;
	pthread_mutex_unlock(&lock);
	return ret;
}
