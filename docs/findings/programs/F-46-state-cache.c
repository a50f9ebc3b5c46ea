// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * F-46 (docs/findings/siw.md): moves a fresh queue pair to RTR, and prints
 * qp->state and the state that ibv_query_qp reports. Takes a device's name.
 *
 *	cc -o f46 docs/findings/programs/F-46-state-cache.c -libverbs
 */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (int i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			return ibv_open_device(list[i]);
	return NULL;
}

static struct ibv_qp *make_qp(struct ibv_context *context)
{
	struct ibv_qp_init_attr init = {
		.cap = {4, 4, 1, 1, 0},
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_pd *pd = ibv_alloc_pd(context);

	init.send_cq = ibv_create_cq(context, 16, NULL, NULL, 0);
	init.recv_cq = init.send_cq;
	return pd && init.send_cq ? ibv_create_qp(pd, &init) : NULL;
}

int main(int argc, char **argv)
{
	struct ibv_context *context = argc == 2 ? open_device(argv[1]) : NULL;
	struct ibv_qp *qp = context ? make_qp(context) : NULL;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR};
	struct ibv_qp_init_attr init;
	int moved, cached;

	if (!qp)
		return 2;
	moved = ibv_modify_qp(qp, &attr, IBV_QP_STATE);
	cached = (int)qp->state; /* ibv_query_qp overwrites qp->state */
	if (ibv_query_qp(qp, &attr, IBV_QP_STATE, &init))
		return 2;
	printf("to RTR: %d; qp->state %d; ibv_query_qp: %d\n", moved, cached,
	       (int)attr.qp_state);
	return 0;
}
