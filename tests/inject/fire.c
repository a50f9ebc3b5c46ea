// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The changes of fire.def. Several threads make these calls at once.
 */
#include <sched.h>
#include <unistd.h>
#include "tests/inject/fire.h"

#define DESTROY(name) int inject_##name(struct ibv_qp *qp)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

atomic_uint under_way;

/* Lets other threads see that the call is under way. */
static void linger(void)
{
	for (int i = 0; i < 3; i++)
		sched_yield();
}

static int marked_modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int ret;

	atomic_fetch_add(&under_way, 1);
	linger();
	ret = next.modify_qp(qp, attr, mask);
	linger();
	atomic_fetch_sub(&under_way, 1);
	return ret;
}

static int marked_post(struct ibv_qp *qp, struct ibv_send_wr *wr,
		       struct ibv_send_wr **bad)
{
	int ret;

	atomic_fetch_add(&under_way, 1);
	linger();
	ret = next.post_send(qp, wr, bad);
	atomic_fetch_sub(&under_way, 1);
	return ret;
}

int marked_poll(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	int ret;

	atomic_fetch_add(&under_way, 1);
	linger();
	ret = next.poll_cq(cq, most, wc);
	atomic_fetch_sub(&under_way, 1);
	return ret;
}

/* Completions again, for another request, or lost */

static struct ibv_wc kept;
static struct ibv_cq *kept_of;
static bool errs;

MODIFY(fire_again_err_modify_qp)
{
	int ret = next.modify_qp(qp, attr, mask);

	if (!ret && goes_to(attr, mask, IBV_QPS_ERR))
		errs = true;
	return ret;
}

int again(struct ibv_cq *cq, int most, struct ibv_wc *wc, bool now,
	  bool (*keeps)(const struct ibv_wc *wc))
{
	int n;

	pthread_mutex_lock(&lock);
	if (kept_of == cq && most > 0) {
		*wc = kept;
		kept_of = NULL;
		pthread_mutex_unlock(&lock);
		return 1;
	}
	n = next.poll_cq(cq, most, wc);
	if (n > 0 && now && (!keeps || keeps(wc))) {
		kept = *wc;
		kept_of = cq;
	}
	pthread_mutex_unlock(&lock);
	return n;
}

POLL(fire_again_err)
{
	bool now = errs;

	errs = false;
	return again(cq, most, wc, now, NULL);
}

MODIFY(fire_again_beside_modify_qp)
{
	return marked_modify(qp, attr, mask);
}

POLL(fire_again_beside)
{
	return again(cq, most, wc, atomic_load(&under_way) > 0, NULL);
}

POLL(fire_post_twice_poll_cq)
{
	return marked_poll(cq, most, wc);
}

SEND(fire_post_twice)
{
	struct ibv_send_wr *unused;
	int ret = next.post_send(qp, wr, bad);

	if (!ret && atomic_load(&under_way))
		next.post_send(qp, wr, &unused);
	return ret;
}

SEND(fire_neighbour_post_send)
{
	return marked_post(qp, wr, bad);
}

POLL(fire_neighbour)
{
	int n = next.poll_cq(cq, most, wc);

	if (n > 1 && atomic_load(&under_way))
		wc[1].wr_id = wc[0].wr_id;
	return n;
}

int drop(struct ibv_wc *wc, int n, int at)
{
	memmove(&wc[at], &wc[at + 1], (size_t)(n - at - 1) * sizeof(*wc));
	return n - 1;
}

POLL(fire_lost_flush)
{
	static atomic_uint flushed;
	int n = next.poll_cq(cq, most, wc);

	for (int i = 0; i < n; i++)
		if (is_flush(&wc[i]) &&
		    atomic_fetch_add(&flushed, 1) % 64 == 63)
			return drop(wc, n, i);
	return n;
}

MODIFY(fire_lost_beside_modify_qp)
{
	return marked_modify(qp, attr, mask);
}

POLL(fire_lost_beside)
{
	int n = next.poll_cq(cq, most, wc);

	return n > 1 && atomic_load(&under_way) ? n - 1 : n;
}

/* Requests that are lost */

POLL(fire_post_lost_poll_cq)
{
	return marked_poll(cq, most, wc);
}

SEND(fire_post_lost)
{
	return atomic_load(&under_way) ? 0 : next.post_send(qp, wr, bad);
}

SEND(fire_recv_lost_post_send)
{
	return marked_post(qp, wr, bad);
}

RECV(fire_recv_lost)
{
	return atomic_load(&under_way) ? 0 : next.post_recv(qp, wr, bad);
}

SEND(fire_err_ignored_post_send)
{
	return marked_post(qp, wr, bad);
}

MODIFY(fire_err_ignored)
{
	if (goes_to(attr, mask, IBV_QPS_ERR) && atomic_load(&under_way))
		return 0;
	return next.modify_qp(qp, attr, mask);
}

/* Order and status */

static void swap(struct ibv_wc *a, struct ibv_wc *b)
{
	struct ibv_wc first = *a;

	*a = *b;
	*b = first;
}

POLL(fire_swapped)
{
	static atomic_uint pairs;
	int n = next.poll_cq(cq, most, wc);

	for (int i = 1; i < n; i++)
		if (wc[i].qp_num == wc[i - 1].qp_num &&
		    atomic_fetch_add(&pairs, 1) % 64 == 63)
			swap(&wc[i], &wc[i - 1]);
	return n;
}

POLL(fire_recv_swapped)
{
	int n = next.poll_cq(cq, most, wc);

	if (n == most && n > 1 && is_flush(&wc[n - 2]) && is_flush(&wc[n - 1]))
		swap(&wc[n - 2], &wc[n - 1]);
	return n;
}

static int restate(struct ibv_cq *cq, int most, struct ibv_wc *wc,
		   enum ibv_wc_status status)
{
	static atomic_uint flushed;
	int n = next.poll_cq(cq, most, wc);

	for (int i = 0; i < n; i++)
		if (is_flush(&wc[i]) &&
		    atomic_fetch_add(&flushed, 1) % 64 == 63)
			wc[i].status = status;
	return n;
}

POLL(fire_flush_success)
{
	return restate(cq, most, wc, IBV_WC_SUCCESS);
}

POLL(fire_flush_other)
{
	return restate(cq, most, wc, IBV_WC_LOC_PROT_ERR);
}

/* As if the packet of the message were processed again and again. */
POLL(fire_message_again)
{
	static struct ibv_wc last;
	int n = next.poll_cq(cq, most, wc);

	pthread_mutex_lock(&lock);
	for (int i = 0; i < n; i++) {
		const uint64_t wr_id = wc[i].wr_id;

		if (!is_flush(&wc[i])) {
			if (wc[i].opcode & IBV_WC_RECV)
				last = wc[i];
		} else if (last.qp_num == wc[i].qp_num) {
			wc[i] = last;
			wc[i].wr_id = wr_id;
		}
	}
	pthread_mutex_unlock(&lock);
	return n;
}

SEND(fire_spurious_post_send)
{
	return marked_post(qp, wr, bad);
}

POLL(fire_spurious)
{
	int n = next.poll_cq(cq, most, wc);

	if (n > 0 && wc[n - 1].status == IBV_WC_SUCCESS &&
	    atomic_load(&under_way))
		wc[n - 1].status = IBV_WC_WR_FLUSH_ERR;
	return n;
}

/* Completions that are kept back. The one that is kept comes first in the next
 * poll, unless its queue pair has ended: then after a poll of the empty
 * queue. */

static uint32_t ended; /* number of the queue pair */
static bool has_ended, was_empty;

static void note_end(struct ibv_qp *qp)
{
	pthread_mutex_lock(&lock);
	if (kept_of && kept.qp_num == qp->qp_num) {
		ended = qp->qp_num;
		has_ended = true;
		was_empty = false;
	}
	pthread_mutex_unlock(&lock);
}

static int hand_out(struct ibv_cq *cq, struct ibv_wc *wc)
{
	if (has_ended && kept.qp_num == ended && !was_empty)
		return 0;
	has_ended = false;
	*wc = kept;
	kept_of = NULL;
	(void)cq;
	return 1;
}

static int keep_back(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	int n = 0;

	pthread_mutex_lock(&lock);
	if (kept_of == cq && most > 0)
		n = hand_out(cq, wc);
	if (!n)
		n = next.poll_cq(cq, most, wc);
	if (!n && has_ended)
		was_empty = true;
	if (n > 0 && !kept_of) {
		kept = wc[--n];
		kept_of = cq;
	}
	pthread_mutex_unlock(&lock);
	return n;
}

MODIFY(fire_after_reset_modify_qp)
{
	int ret = next.modify_qp(qp, attr, mask);

	if (!ret && goes_to(attr, mask, IBV_QPS_RESET))
		note_end(qp);
	return ret;
}

POLL(fire_after_reset)
{
	return keep_back(cq, most, wc);
}

DESTROY(fire_after_destroy_destroy_qp)
{
	note_end(qp);
	return next.destroy_qp(qp);
}

POLL(fire_after_destroy)
{
	return keep_back(cq, most, wc);
}

/* Attributes */

SEND(fire_half_set_post_send)
{
	return marked_post(qp, wr, bad);
}

MODIFY(fire_half_set)
{
	int both = IBV_QP_MIN_RNR_TIMER | IBV_QP_ACCESS_FLAGS;

	if ((mask & both) == both && !goes_to(attr, mask, IBV_QPS_INIT) &&
	    atomic_load(&under_way))
		mask &= ~IBV_QP_ACCESS_FLAGS;
	return next.modify_qp(qp, attr, mask);
}

MODIFY(fire_refused_set)
{
	int ret = next.modify_qp(qp, attr, mask);

	if (ret && mask & IBV_QP_MIN_RNR_TIMER)
		next.modify_qp(qp, attr, IBV_QP_MIN_RNR_TIMER);
	return ret;
}

static atomic_uint before_modify; /* MIN_RNR_TIMER, plus 1; 0: unknown */

MODIFY(fire_query_torn_modify_qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr now;

	memset(&now, 0, sizeof(now));
	if (next.query_qp(qp, &now, IBV_QP_MIN_RNR_TIMER, &init) == 0)
		atomic_store(&before_modify, now.min_rnr_timer + 1u);
	return marked_modify(qp, attr, mask);
}

int inject_fire_query_torn(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			   int mask, struct ibv_qp_init_attr *init)
{
	int ret = next.query_qp(qp, attr, mask, init);
	unsigned int before = atomic_load(&before_modify);

	if (!ret && atomic_load(&under_way) && before)
		attr->min_rnr_timer = (uint8_t)(before - 1);
	return ret;
}

int inject_fire_query_stale(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			    int mask, struct ibv_qp_init_attr *init)
{
	static struct ibv_qp *of;
	static uint8_t last;
	int ret = next.query_qp(qp, attr, mask, init);
	uint8_t now = attr->min_rnr_timer;

	pthread_mutex_lock(&lock);
	if (!ret && of == qp)
		attr->min_rnr_timer = last;
	of = qp;
	last = now;
	pthread_mutex_unlock(&lock);
	return ret;
}

/* Memory */

static char *gone; /* the memory of a region that was deregistered */

int inject_fire_late_write_dereg_mr(struct ibv_mr *mr)
{
	char *at = mr->addr;
	int ret = next.dereg_mr(mr);

	pthread_mutex_lock(&lock);
	if (!ret)
		gone = at;
	pthread_mutex_unlock(&lock);
	return ret;
}

/* The memory may be gone for good when the program is over. */
int inject_fire_late_write_destroy_qp(struct ibv_qp *qp)
{
	pthread_mutex_lock(&lock);
	gone = NULL;
	pthread_mutex_unlock(&lock);
	return next.destroy_qp(qp);
}

POLL(fire_late_write)
{
	pthread_mutex_lock(&lock);
	if (gone)
		gone[64] = 1;
	pthread_mutex_unlock(&lock);
	return next.poll_cq(cq, most, wc);
}

POLL(fire_wild_write_poll_cq)
{
	return marked_poll(cq, most, wc);
}

SEND(fire_wild_write)
{
	bool writes = wr->opcode == IBV_WR_RDMA_WRITE;
	char *at = writes ? (char *)(uintptr_t)wr->wr.rdma.remote_addr : NULL;

	if (at && atomic_load(&under_way))
		at[2048]++;
	return next.post_send(qp, wr, bad);
}

/* Calls that end otherwise */

POLL(fire_leak_poll_cq)
{
	return marked_poll(cq, most, wc);
}

DESTROY(fire_leak)
{
	return atomic_load(&under_way) ? 0 : next.destroy_qp(qp);
}

SEND(fire_hang_post_send)
{
	return marked_post(qp, wr, bad);
}

MODIFY(fire_hang)
{
	while (atomic_load(&under_way) && goes_to(attr, mask, IBV_QPS_SQD))
		pause();
	return next.modify_qp(qp, attr, mask);
}
