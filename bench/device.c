// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A bare loop of the system calls that a sweep makes, on the first device of
 * this machine: RC from RTS to RTS with the sweep's attributes, and every mask
 * in the order of a sweep. A query follows each accepted call and every
 * thousandth refused call. The loop judges and keeps nothing.
 */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench/bench.h"
#include "sweep/destination.h"
#include "sweep/mask_order.h"
#include "sweep/restore.h"
#include "target/verbs/verbs_target.h"

struct bare {
	struct target *target;
	struct restorer restorer;
	struct ibv_qp *qp;
	struct ibv_qp_attr attr;
	struct mask_walk walk;
	uint32_t left; /* masks left in the walk */
	uint32_t refused;
};

static void close_bare(void *state)
{
	struct bare *b = state;

	if (b->qp)
		restorer_close(&b->restorer);
	if (b->target)
		b->target->ops->close(b->target);
	free(b);
}

struct ibv_context *bench_open_first(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;

	if (list && *list)
		context = ibv_open_device(*list);
	if (list)
		ibv_free_device_list(list);
	return context;
}

bool bench_first_device(char *name, size_t len)
{
	struct ibv_context *context = bench_open_first();

	if (!context) {
		fprintf(stderr, "bench: no RDMA device\n");
		return false;
	}
	snprintf(name, len, "%s", ibv_get_device_name(context->device));
	ibv_close_device(context);
	return true;
}

static struct target *open_first(void)
{
	const struct target_options options = {.gid_index = -1};
	char name[IBV_SYSFS_NAME_MAX], err[256];
	struct target *target = NULL;

	if (bench_first_device(name, sizeof(name)) &&
	    target_open(name, &options, &target, err, sizeof(err)))
		fprintf(stderr, "bench: %s: %s\n", name, err);
	return target;
}

static void begin(struct bare *b)
{
	const struct mask_order order = {mask_pack(A_STATE), false};

	walk_begin(&b->walk, &order, 0);
	b->left = order_size(&order);
}

static bool open_restorer(struct bare *b)
{
	static const struct sweep_cell cell = {
		.sort = CELL_MASKS,
		.kind = QK_RC,
		.from = IBV_QPS_RTS,
		.to = IBV_QPS_RTS,
		.claimed = IBV_QPS_RTS,
	};
	const struct verbs_target *t = (const struct verbs_target *)b->target;

	if (restorer_open(&b->restorer, b->target, &cell)) {
		fprintf(stderr, "bench: %s\n", b->restorer.why);
		restorer_close(&b->restorer);
		return false;
	}
	restorer_aim(&b->restorer, destination_is_looked_up(&b->target->info));
	b->qp = t->repeat_qp;
	b->attr = t->repeat_attr;
	return true;
}

static void *open_bare(int arg)
{
	struct bare *b = calloc(1, sizeof(*b));

	(void)arg;
	if (!b)
		return NULL;
	b->target = open_first();
	if (b->target && open_restorer(b)) {
		begin(b);
		return b;
	}
	close_bare(b);
	return NULL;
}

static int query(const struct bare *b)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(b->qp, &attr, IBV_QP_STATE | A_STANDARD, &init);
}

static uint64_t sweep(void *state, uint64_t rounds)
{
	struct bare *b = state;

	for (uint64_t i = 0; i < rounds; i++) {
		uint32_t mask = mask_unpack(walk_next(&b->walk));
		int err = ibv_modify_qp(b->qp, &b->attr, (int)mask);

		b->refused += err != 0;
		if ((!err || b->refused % 1000 == 0) && query(b))
			return 0;
		if (!--b->left)
			begin(b);
	}
	return rounds;
}

const struct bench bench_device[] = {
	{.name = "device/modify",
	 .about = "modify_qp of the first RDMA device by every mask",
	 .against = "device/modify",
	 .asked = true,
	 .wall = true,
	 .open = open_bare,
	 .run = sweep,
	 .close = close_bare},
	{0},
};
