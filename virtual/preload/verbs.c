// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Runs the NIC when a program posts and polls. These verbs make no command: the
 * program calls the provider through function pointers in its context, queue
 * pair or completion queue. We replace these pointers; each function here calls
 * the provider's function and runs the NIC.
 */
#include <errno.h>
#include <stdatomic.h>
#include "virtual/preload/preload.h"

/* The provider's functions, by the descriptor of the context */
static struct ibv_context_ops provider[MAX_FILES];
static int (*provider_rt_values[MAX_FILES])(struct ibv_context *,
					    struct ibv_values_ex *);

static const struct ibv_context_ops *ops_of(const struct ibv_context *context)
{
	return &provider[context->cmd_fd];
}

/* Returns the object of a handle, or NULL. The caller holds the lock. */
static struct virtual_object *object_of(const struct ibv_context *context,
					uint16_t sort, uint32_t handle)
{
	struct virtual_file *f = preload_file(context->cmd_fd);

	if (!f || object_check(f, sort, handle))
		return NULL;
	return &f->object[handle];
}

static void ring_doorbell(const struct ibv_context *context, uint16_t sort,
			  uint32_t handle)
{
	const struct virtual_object *o;

	preload_lock();
	o = object_of(context, sort, handle);
	if (o)
		nic_ring(preload_file(context->cmd_fd)->device, o->slot);
	preload_unlock();
}

int virtual_fail_send(int cmd_fd, uint32_t handle)
{
	struct bound b = {.verb = V_inject_send_error, .result = NO_OBJ};
	struct virtual_file *f;
	struct answer a;
	int err = -ENODEV;

	preload_lock();
	f = preload_file(cmd_fd);
	if (f)
		err = object_slot(f, UVERBS_OBJECT_QP, handle, &b.on);
	if (!err)
		err = core_call(f->device, &b, &a);
	preload_unlock();
	preload_run_nic();
	return -err;
}

static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	int got = ops_of(cq->context)->poll_cq(cq, n, wc);

	if (got)
		return got;
	preload_poll_nic();
	return ops_of(cq->context)->poll_cq(cq, n, wc);
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	int ret = ops_of(cq->context)->req_notify_cq(cq, solicited_only);

	preload_run_nic();
	return ret;
}

/* Number of batches that wr_start() began and neither our wr_complete() nor our
 * wr_abort() did end. When the queue pair's state changes, a provider may put
 * its own functions back, and then we miss the end of a batch. So while the
 * number is not 0, the NIC fetches all requests before the next post. */
static atomic_int open_batches;

static void fetch_open_batches(void)
{
	if (open_batches > 0)
		preload_run_nic();
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		     struct ibv_send_wr **bad)
{
	int ret;

	fetch_open_batches();
	ret = ops_of(qp->context)->post_send(qp, wr, bad);
	ring_doorbell(qp->context, UVERBS_OBJECT_QP, qp->handle);
	return ret;
}

static int bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
		   struct ibv_mw_bind *what)
{
	int ret;

	fetch_open_batches();
	ret = ops_of(qp->context)->bind_mw(qp, mw, what);
	ring_doorbell(qp->context, UVERBS_OBJECT_QP, qp->handle);
	return ret;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		     struct ibv_recv_wr **bad)
{
	int ret;

	fetch_open_batches();
	ret = ops_of(qp->context)->post_recv(qp, wr, bad);
	ring_doorbell(qp->context, UVERBS_OBJECT_QP, qp->handle);
	return ret;
}

static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad)
{
	int ret;

	fetch_open_batches();
	ret = ops_of(srq->context)->post_srq_recv(srq, wr, bad);
	ring_doorbell(srq->context, UVERBS_OBJECT_SRQ, srq->handle);
	return ret;
}

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	int (*real)(struct ibv_cq_ex *, struct ibv_poll_cq_attr *);
	int ret;

	preload_lock();
	real = object_of(cq->context, UVERBS_OBJECT_CQ, cq->handle)->start_poll;
	preload_unlock();
	ret = real(cq, attr);
	if (ret != ENOENT)
		return ret;
	preload_poll_nic();
	return real(cq, attr);
}

/* Ends a batch with the provider's function. Returns the result of
 * wr_complete(), 0 after wr_abort(). */
static int end_batch(struct ibv_qp_ex *qp, bool aborts)
{
	const struct ibv_qp *base = &qp->qp_base;
	int (*provider_complete)(struct ibv_qp_ex *);
	void (*provider_abort)(struct ibv_qp_ex *);
	const struct virtual_object *o;
	int ret = 0;

	preload_lock();
	o = object_of(base->context, UVERBS_OBJECT_QP, base->handle);
	provider_complete = o->wr_complete;
	provider_abort = o->wr_abort;
	preload_unlock();
	if (aborts)
		provider_abort(qp);
	else
		ret = provider_complete(qp);
	if (open_batches > 0)
		open_batches--;
	return ret;
}

/* Completes a batch, then lets the NIC fetch its requests. */
static int wr_complete(struct ibv_qp_ex *qp)
{
	const struct ibv_qp *base = &qp->qp_base;
	int ret = end_batch(qp, false);

	ring_doorbell(base->context, UVERBS_OBJECT_QP, base->handle);
	return ret;
}

/* Drops a batch. The NIC has nothing to fetch. */
static void wr_abort(struct ibv_qp_ex *qp)
{
	end_batch(qp, true);
}

/* Starts a batch. Replaces wr_complete and wr_abort again if the provider has
 * set its own. */
static void wr_start(struct ibv_qp_ex *qp)
{
	const struct ibv_qp *base = &qp->qp_base;
	struct virtual_object *o;
	void (*real)(struct ibv_qp_ex *);

	preload_lock();
	o = object_of(base->context, UVERBS_OBJECT_QP, base->handle);
	open_batches++;
	real = o->wr_start;
	if (qp->wr_complete != wr_complete) {
		o->wr_complete = qp->wr_complete;
		qp->wr_complete = wr_complete;
	}
	if (qp->wr_abort != wr_abort) {
		o->wr_abort = qp->wr_abort;
		qp->wr_abort = wr_abort;
	}
	preload_unlock();
	real(qp);
}

/* Lets the device's clock go on before the program reads it. */
static int query_rt_values(struct ibv_context *context,
			   struct ibv_values_ex *values)
{
	preload_run_nic();
	return provider_rt_values[context->cmd_fd](context, values);
}

static void hook_time(struct ibv_context *context)
{
	struct verbs_context *verbs = verbs_get_ctx(context);

	if (!verbs || !verbs->query_rt_values)
		return;
	provider_rt_values[context->cmd_fd] = verbs->query_rt_values;
	verbs->query_rt_values = query_rt_values;
}

static void hook_context(struct ibv_context *context)
{
	struct ibv_context_ops *ops = &context->ops;

	if (ops->poll_cq == poll_cq)
		return;
	provider[context->cmd_fd] = *ops;
	ops->poll_cq = poll_cq;
	ops->req_notify_cq = req_notify_cq;
	ops->post_send = post_send;
	ops->bind_mw = bind_mw;
	ops->post_recv = post_recv;
	ops->post_srq_recv = post_srq_recv;
	hook_time(context);
}

static void hook_cq(struct virtual_object *o, int fd)
{
	struct ibv_cq_ex *cq = (struct ibv_cq_ex *)(uintptr_t)o->user_handle;

	if (cq->context->cmd_fd != fd)
		return;
	hook_context(cq->context);
	o->start_poll = cq->start_poll;
	if (cq->start_poll)
		cq->start_poll = start_poll;
}

/* Replaces wr_start, if the queue pair has the extended interface. */
static void hook_qp(struct virtual_object *o, int fd)
{
	struct ibv_qp_ex *qp = (struct ibv_qp_ex *)(uintptr_t)o->user_handle;

	if (qp->qp_base.context->cmd_fd != fd)
		return;
	o->wr_start = qp->wr_start;
	if (qp->wr_start)
		qp->wr_start = wr_start;
}

/* libibverbs gives the address of its own queue structure as the user handle of
 * a creation command: so the functions of a new queue can be replaced. */
void preload_hook_queue(struct virtual_file *f, int fd,
			const struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct command c = {
		.file = f,
		.device = f->device,
		.hdr = (struct ib_uverbs_ioctl_hdr *)(uintptr_t)hdr};

	if (!f->device->driver->extended)
		return;
	if (hdr->object_id == UVERBS_OBJECT_CQ &&
	    hdr->method_id == UVERBS_METHOD_CQ_CREATE)
		hook_cq(attr_object(&c, UVERBS_ATTR_CREATE_CQ_HANDLE), fd);
	if (hdr->object_id == UVERBS_OBJECT_QP &&
	    hdr->method_id == UVERBS_METHOD_QP_CREATE)
		hook_qp(attr_object(&c, UVERBS_ATTR_CREATE_QP_HANDLE), fd);
}
