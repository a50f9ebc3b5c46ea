// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The virtual device under the real libibverbs and the vendor's library: what a
 * queue pair costs that is made and destroyed, and one that is changed.
 */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench/bench.h"
#include "virtual/virtual.h"

struct device {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

static struct ibv_qp *make(const struct device *d)
{
	struct ibv_qp_init_attr init = {.send_cq = d->cq,
					.recv_cq = d->cq,
					.cap = {16, 16, 1, 1, 0},
					.qp_type = IBV_QPT_RC};

	return ibv_create_qp(d->pd, &init);
}

static void close_device(void *state)
{
	struct device *d = state;

	if (d->qp)
		ibv_destroy_qp(d->qp);
	if (d->cq)
		ibv_destroy_cq(d->cq);
	if (d->pd)
		ibv_dealloc_pd(d->pd);
	if (d->context)
		ibv_close_device(d->context);
	free(d);
	virtual_detach();
}

static struct ibv_context *open_context(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;

	if (list && *list)
		context = ibv_open_device(*list);
	if (list)
		ibv_free_device_list(list);
	return context;
}

static void *open_device(int arg)
{
	struct device *d = calloc(1, sizeof(*d));
	char err[256];

	(void)arg;
	if (!d || virtual_attach(virtual_default(), err, sizeof(err))) {
		free(d);
		return NULL;
	}
	d->context = open_context();
	d->pd = d->context ? ibv_alloc_pd(d->context) : NULL;
	d->cq = d->pd ? ibv_create_cq(d->context, 16, NULL, NULL, 0) : NULL;
	d->qp = d->cq ? make(d) : NULL;
	if (d->qp)
		return d;
	close_device(d);
	return NULL;
}

static uint64_t create(void *state, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++) {
		struct ibv_qp *qp = make(state);

		if (!qp || ibv_destroy_qp(qp))
			return 0;
	}
	return rounds;
}

static uint64_t modify(void *state, uint64_t rounds)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RESET};
	const struct device *d = state;

	for (uint64_t i = 0; i < rounds; i++)
		if (ibv_modify_qp(d->qp, &attr, IBV_QP_STATE))
			return 0;
	return rounds;
}

const struct bench bench_virtual[] = {
	{.name = "virtual/modify-qp",
	 .about = "modify_qp to RESET through the vendor's library",
	 .against = "model/modify",
	 .open = open_device,
	 .run = modify,
	 .close = close_device},
	{.name = "virtual/create-qp",
	 .about = "create_qp and destroy_qp through it",
	 .against = "virtual/modify-qp",
	 .open = open_device,
	 .run = create,
	 .close = close_device},
	{0},
};
