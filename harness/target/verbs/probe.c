// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds out which types of queue pairs a device makes, and whether it has
 * extended completion queues, batches, null regions and ibv_rereg_mr. No
 * attribute tells, so the smallest object of each kind is created and
 * destroyed.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <string.h>
#include "contract/opcodes.h"
#include "program/repro/parts/dmabuf.h"
#include "program/repro/parts/dmah.h"
#include "program/repro/parts/import.h"
#include "target/verbs/verbs_target.h"

struct probe {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
};

static bool destroyed(struct ibv_qp *qp)
{
	return qp && !ibv_destroy_qp(qp);
}

static const struct ibv_qp_cap least = {
	.max_send_wr = 1,
	.max_recv_wr = 1,
	.max_send_sge = 1,
	.max_recv_sge = 1,
};

static bool makes_plain(const struct probe *p, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = p->cq,
		.recv_cq = p->cq,
		.cap = least,
		.qp_type = type,
	};

	return destroyed(ibv_create_qp(p->pd, &attr));
}

static bool makes_xrc_send(const struct probe *p)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = p->cq,
		.cap = {.max_send_wr = 1, .max_send_sge = 1},
		.qp_type = IBV_QPT_XRC_SEND,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = p->pd,
	};

	return destroyed(ibv_create_qp_ex(p->context, &attr));
}

static bool makes_xrc_recv(const struct probe *p)
{
	struct ibv_xrcd_init_attr domain = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
	};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
	};
	bool makes;

	attr.xrcd = ibv_open_xrcd(p->context, &domain);
	if (!attr.xrcd)
		return false;
	makes = destroyed(ibv_create_qp_ex(p->context, &attr));
	ibv_close_xrcd(attr.xrcd);
	return makes;
}

static bool makes_type(const struct probe *p, enum ibv_qp_type type)
{
	if (type == IBV_QPT_XRC_SEND)
		return makes_xrc_send(p);
	if (type == IBV_QPT_XRC_RECV)
		return makes_xrc_recv(p);
	return makes_plain(p, type);
}

/* Any other refusal is a fault of the device, which the cases then show. */
bool verbs_probe_cq_ex(struct ibv_context *context)
{
	struct ibv_cq_init_attr_ex attr = {.cqe = 1};
	struct ibv_cq_ex *cq;

	errno = 0;
	cq = ibv_create_cq_ex(context, &attr);
	if (!cq)
		return errno != EOPNOTSUPP && errno != ENOSYS;
	ibv_destroy_cq(ibv_cq_ex_to_cq(cq));
	return true;
}

static bool makes_builders(const struct probe *p, enum ibv_qp_type type,
			   uint64_t ops)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = p->cq,
		.recv_cq = p->cq,
		.cap = least,
		.qp_type = type,
		.comp_mask =
			IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = p->pd,
		.send_ops_flags = ops,
	};

	errno = 0;
	if (destroyed(ibv_create_qp_ex(p->context, &attr)))
		return true;
	return errno != EOPNOTSUPP && errno != ENOSYS;
}

static bool open_probe(struct probe *p)
{
	p->pd = ibv_alloc_pd(p->context);
	p->cq = p->pd ? ibv_create_cq(p->context, 1, NULL, NULL, 0) : NULL;
	return p->cq;
}

static void close_probe(const struct probe *p)
{
	if (p->cq)
		ibv_destroy_cq(p->cq);
	if (p->pd)
		ibv_dealloc_pd(p->pd);
}

bool verbs_probe_null_mr(struct ibv_context *context)
{
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_mr *mr = pd ? ibv_alloc_null_mr(pd) : NULL;
	bool makes = mr != NULL;

	if (mr)
		ibv_dereg_mr(mr);
	if (pd)
		ibv_dealloc_pd(pd);
	return makes;
}

bool verbs_probe_dmabuf(struct ibv_context *context)
{
	struct ibv_pd *pd = ibv_alloc_pd(context);
	void *at = NULL;
	struct ibv_mr *mr =
		pd ? register_dmabuf(pd, DMABUF_FD_MADE, 1, 0, 1, 0, 0, &at)
		   : NULL;
	bool makes = mr != NULL;

	if (mr) {
		ibv_dereg_mr(mr);
		munmap(at, dmabuf_size(1));
	}
	if (pd)
		ibv_dealloc_pd(pd);
	return makes;
}

bool verbs_probe_reg_ex(struct ibv_context *context)
{
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_mr *mr =
		pd ? reg_mr_ex(pd, 1, 0, 0, MR_ATTR_ADDR, NULL) : NULL;
	bool makes = mr != NULL;

	if (mr) {
		void *memory = mr->addr;

		ibv_dereg_mr(mr);
		munmap(memory, mapped_length(1));
	}
	if (pd)
		ibv_dealloc_pd(pd);
	return makes;
}

bool verbs_probe_import(struct ibv_context *context)
{
	struct ibv_context *import = import_device(context, IMPORT_FD_COPY);
	struct ibv_pd *pd = import ? ibv_alloc_pd(context) : NULL;
	struct ibv_pd *again = pd ? ibv_import_pd(import, pd->handle) : NULL;
	bool imports = again != NULL;

	if (again)
		ibv_unimport_pd(again);
	if (pd)
		ibv_dealloc_pd(pd);
	if (import)
		ibv_close_device(import);
	return imports;
}

/* Attaches a counter that a rule to come would count by. */
bool verbs_probe_counters(struct ibv_context *context)
{
	struct ibv_counters_init_attr init = {0};
	struct ibv_counter_attach_attr attr = {
		.counter_desc = IBV_COUNTER_PACKETS,
	};
	struct ibv_counters *counters = ibv_create_counters(context, &init);
	bool counts = counters &&
		      !ibv_attach_counters_point_flow(counters, &attr, NULL);

	if (counters)
		ibv_destroy_counters(counters);
	return counts;
}

/* Changes the access flags of a region, for instance of this function's stack.
 */
bool verbs_probe_rereg(struct ibv_context *context)
{
	struct ibv_pd *pd = ibv_alloc_pd(context);
	char memory[64];
	struct ibv_mr *mr =
		pd ? ibv_reg_mr(pd, memory, sizeof(memory), 0) : NULL;
	bool makes = false;

	errno = 0;
	if (mr)
		makes = !ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL,
				      NULL, 0, IBV_ACCESS_LOCAL_WRITE) ||
			(errno != EOPNOTSUPP && errno != ENOSYS);
	if (mr)
		ibv_dereg_mr(mr);
	if (pd)
		ibv_dealloc_pd(pd);
	return makes;
}

/* Gives an advice about a key of no region. */
bool verbs_probe_advise(struct ibv_context *context)
{
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_sge none = {.length = 1};
	int error;

	if (!pd)
		return false;
	error = ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH,
			      IBV_ADVISE_MR_FLAG_FLUSH, &none, 1);
	ibv_dealloc_pd(pd);
	return error != EOPNOTSUPP && error != ENOSYS;
}

/* Tries the first type that the device makes. */
bool verbs_probe_send_ops(struct ibv_context *context, uint64_t types)
{
	static const enum ibv_qp_type order[] = {IBV_QPT_RC, IBV_QPT_UD,
						 IBV_QPT_UC};
	struct probe p = {.context = context};
	bool makes = false;
	int i = 0;

	while (i < 3 && !(types >> order[i] & 1))
		i++;
	if (i < 3 && open_probe(&p))
		makes = makes_builders(&p, order[i], IBV_QP_EX_WITH_SEND);
	close_probe(&p);
	return makes;
}

/* The kernel may claim FLUSH while the provider lacks its builder. */
bool verbs_probe_flush(struct ibv_context *context, const struct device_info *d)
{
	struct probe p = {.context = context};
	bool makes = false;

	if (d->can_wr && device_makes(d, IBV_QPT_RC) &&
	    device_flag(d, DEVICE_FLUSH_GLOBAL | DEVICE_FLUSH_PERSISTENT) &&
	    open_probe(&p))
		makes = makes_builders(&p, IBV_QPT_RC, QP_EX_WITH_FLUSH);
	close_probe(&p);
	return makes;
}

uint64_t verbs_probe_types(struct ibv_context *context)
{
	struct probe p = {.context = context};
	bool opened = open_probe(&p);
	uint64_t types = 0;

	for (int kind = 0; opened && kind < QK_NR; kind++) {
		int type = qp_kind_value((enum qp_kind)kind);

		if (makes_type(&p, (enum ibv_qp_type)type))
			types |= 1ull << type;
	}
	close_probe(&p);
	return types;
}
