// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Makes the calls of libmlx5 on a real or virtual device, and reads the limits
 * that mlx5dv_query_device reports.
 */
#include <infiniband/mlx5dv.h>
#include <string.h>
#include "target/verbs/verbs_target.h"
#include "vendor-mlx5/cancel.h"
#include "vendor-mlx5/look_cqe.h"
#include "vendor-mlx5/mkey.h"
#include "vendor-mlx5/mlx5.h"
#include "vendor-mlx5/raw_wqe.h"

_Static_assert(RAW_NOP == MLX5_WR_NOP,
	       "a program and its C form mean one operation");

static void fill_vendor(const struct mlx5_qp_args *in,
			struct mlx5dv_qp_init_attr *attr)
{
	struct mlx5dv_dc_init_attr *dc = &attr->dc_init_attr;

	memset(attr, 0, sizeof(*attr));
	attr->comp_mask = in->comp_mask;
	attr->create_flags = in->create_flags;
	attr->send_ops_flags = in->send_ops_flags;
	dc->dc_type = (enum mlx5dv_dc_type)in->dc_type;
	if (in->dc_type == MLX5DV_DCTYPE_DCT) {
		dc->dct_access_key = in->dct_access_key;
		return;
	}
	dc->dci_streams.log_num_concurent = in->log_num_concurent;
	dc->dci_streams.log_num_errored = in->log_num_errored;
}

void real_mlx5dv_create_qp(struct verbs_target *t, const struct bound *b,
			   struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	struct ibv_qp_init_attr_ex attr, before;
	struct mlx5dv_qp_init_attr dv, dv_before;
	uint8_t hash_key[UINT8_MAX] = {HASH_KEY};
	struct ibv_qp *qp;

	verbs_fill_qp_attr(t, b, &attr);
	attr.rx_hash_conf.rx_hash_key = hash_key;
	fill_vendor(&b->in.qp_init.vendor.mlx5, &dv);
	memcpy(&before, &attr, sizeof(attr));
	memcpy(&dv_before, &dv, sizeof(dv));
	RECORD_PTR(o, qp, mlx5dv_create_qp(context, &attr, &dv));
	if (qp)
		o->out.qp_init.cap = attr.cap;
	before.cap = attr.cap;
	o->in_changed = memcmp(&attr, &before, sizeof(attr)) != 0 ||
			memcmp(&dv, &dv_before, sizeof(dv)) != 0;
	slot_fill(t, b, qp);
	verbs_report_qp(qp, attr.qp_context, o);
}

void real_mlx5dv_create_cq(struct verbs_target *t, const struct bound *b,
			   struct outcome *o)
{
	const struct mlx5_cq_args *in = &b->in.cq.vendor.mlx5;
	struct ibv_context *context = slot_context(t, b->on);
	struct ibv_cq_init_attr_ex attr, before;
	struct mlx5dv_cq_init_attr dv, dv_before;
	struct ibv_cq_ex *cq;

	verbs_fill_cq_attr(t, b, &attr);
	memset(&dv, 0, sizeof(dv));
	dv.comp_mask = in->comp_mask;
	dv.cqe_comp_res_format = in->format;
	dv.flags = in->flags;
	dv.cqe_size = in->cqe_size;
	memcpy(&before, &attr, sizeof(attr));
	memcpy(&dv_before, &dv, sizeof(dv));
	RECORD_PTR(o, cq, mlx5dv_create_cq(context, &attr, &dv));
	o->in_changed = memcmp(&attr, &before, sizeof(attr)) != 0 ||
			memcmp(&dv, &dv_before, sizeof(dv)) != 0;
	verbs_report_cq(t, b, cq, o);
}

void real_mlx5dv_dci_stream_id_reset(struct verbs_target *t,
				     const struct bound *b, struct outcome *o)
{
	RECORD_INT(o, mlx5dv_dci_stream_id_reset(slot_ptr(t, b->on),
						 b->in.stream.stream));
}

void real_mlx5dv_modify_qp_udp_sport(struct verbs_target *t,
				     const struct bound *b, struct outcome *o)
{
	RECORD_INT(o, mlx5dv_modify_qp_udp_sport(slot_ptr(t, b->on),
						 b->in.sport.udp_sport));
}

void real_mlx5dv_modify_qp_lag_port(struct verbs_target *t,
				    const struct bound *b, struct outcome *o)
{
	RECORD_INT(o, mlx5dv_modify_qp_lag_port(slot_ptr(t, b->on),
						b->in.lag.port_num));
}

void real_mlx5dv_query_qp_lag_port(struct verbs_target *t,
				   const struct bound *b, struct outcome *o)
{
	RECORD_INT(o, mlx5dv_query_qp_lag_port(slot_ptr(t, b->on),
					       &o->out.lag.port_num,
					       &o->out.lag.active_port_num));
}

void real_mlx5dv_qp_cancel_posted_send_wrs(struct verbs_target *t,
					   const struct bound *b,
					   struct outcome *o)
{
	struct canceled canceled;

	RECORD_INT(o, cancel_sends(slot_ptr(t, b->on), b->in.cancel.wr_id,
				   &canceled));
	if (!o->ret)
		o->out.canceled = (struct canceled_args){canceled.count};
}

void real_mlx5_look_cqe(struct verbs_target *t, const struct bound *b,
			struct outcome *o)
{
	struct cqe cqe;

	RECORD_INT(o, look_cqe(slot_ptr(t, b->on), &cqe));
	if (!o->ret)
		o->out.cqe = (struct cqe_args){
			.opcode = cqe.opcode,
			.size = cqe.size,
			.scattered = cqe.scattered,
		};
}

static int end_mkey(struct verbs_target *t, uint16_t slot)
{
	return destroy_mkey(slot_ptr(t, slot));
}

void real_mlx5dv_create_mkey(struct verbs_target *t, const struct bound *b,
			     struct outcome *o)
{
	struct ibv_pd *pd = slot_ptr(t, b->on);
	struct mkey_size size = {b->in.mkey_init.max_entries};
	struct verbs_object *object;
	struct ibv_mr *mr;

	RECORD_PTR(o, mr, create_mkey(pd, b->in.mkey_init.create_flags, &size));
	object = slot_fill(t, b, mr);
	if (!object)
		return;
	object->destroy = end_mkey;
	o->out.mkey = (struct mkey_args){
		.lkey = mr->lkey,
		.rkey = mr->rkey,
		.max_entries = size.max_entries,
	};
}

void real_mlx5dv_destroy_mkey(struct verbs_target *t, const struct bound *b,
			      struct outcome *o)
{
	RECORD_INT(o, destroy_mkey(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop(t, b->on);
}

void real_mlx5dv_mkey_check(struct verbs_target *t, const struct bound *b,
			    struct outcome *o)
{
	struct mkey_error error;

	RECORD_INT(o, check_mkey(mkey_of(slot_ptr(t, b->on)), &error));
	if (!o->ret)
		o->out.mkey_err = (struct mkey_err_args){
			.actual_value = error.actual_value,
			.expected_value = error.expected_value,
			.offset = error.offset,
			.err_type = error.err_type,
		};
}

static struct crypto_setter crypto_of(const struct verbs_target *t,
				      const struct mlx5_crypto *in)
{
	return (struct crypto_setter){
		.dek = slot_ptr(t, in->dek),
		.tweak = {in->tweak[0], in->tweak[1]},
		.keytag = in->keytag,
		.standard = in->standard,
		.encrypts = in->encrypts,
		.order = in->order,
		.unit = in->unit,
		.comp_mask = in->comp_mask,
	};
}

static struct sig_domain sig_domain_of(const struct mlx5_sig_domain *in)
{
	return (struct sig_domain){
		.kind = in->kind,
		.block = in->block,
		.seed = in->seed,
		.flags = in->flags,
		.app_tag = in->app_tag,
		.ref_tag = in->ref_tag,
	};
}

typedef int mkey_builder(struct ibv_qp *qp, const struct request *r,
			 const struct mkey_request *k);

static void build_mkey(const struct verbs_target *t, const struct bound *b,
		       struct outcome *o, mkey_builder *build)
{
	const struct mlx5_send_args *in = &b->in.wr.vendor.mlx5;
	const struct mkey_request k = {
		.mkey = slot_ptr(t, in->mkey),
		.comp_mask = in->comp_mask,
		.setters = in->setters,
		.access = in->access,
		.repeat_count = in->repeat_count,
		.bytes_skip = in->bytes_skip,
		.part_skip = in->part_skip,
		.conf_flags = in->conf_flags,
		.crypto = crypto_of(t, &in->crypto),
		.sig =
			{
				.mem = sig_domain_of(&in->sig.mem),
				.wire = sig_domain_of(&in->sig.wire),
				.check_mask = in->sig.check_mask,
				.copy_mask = in->sig.copy_mask,
				.flags = in->sig.flags,
				.comp_mask = in->sig.comp_mask,
			},
	};
	struct request r;

	verbs_resolve_entries(t, &b->in.wr, &r);
	o->err = ERRNO_POISON;
	o->ret = slot_qp_ex(t, b->on) ? build(slot_ptr(t, b->on), &r, &k)
				      : EOPNOTSUPP;
}

void real_mlx5dv_wr_mr_list(struct verbs_target *t, const struct bound *b,
			    struct outcome *o)
{
	build_mkey(t, b, o, build_list);
}

void real_mlx5dv_wr_mr_interleaved(struct verbs_target *t,
				   const struct bound *b, struct outcome *o)
{
	build_mkey(t, b, o, build_interleaved);
}

void real_mlx5dv_wr_mkey_configure(struct verbs_target *t,
				   const struct bound *b, struct outcome *o)
{
	build_mkey(t, b, o, build_configure);
}

void real_mlx5dv_wr_memcpy(struct verbs_target *t, const struct bound *b,
			   struct outcome *o)
{
	struct request r;

	verbs_resolve_request(t, &b->in.wr, &r);
	o->err = ERRNO_POISON;
	o->ret = slot_qp_ex(t, b->on) ? build_copy(slot_ptr(t, b->on), &r)
				      : EOPNOTSUPP;
}

void real_mlx5dv_wr_raw_wqe(struct verbs_target *t, const struct bound *b,
			    struct outcome *o)
{
	const struct mlx5_send_args *in = &b->in.wr.vendor.mlx5;
	const struct raw_wqe raw = {in->wr_flags, in->dc_key, in->stream};
	struct request r;

	verbs_resolve_request(t, &b->in.wr, &r);
	o->err = ERRNO_POISON;
	o->ret = slot_qp_ex(t, b->on) ? build_raw(slot_ptr(t, b->on), &r, &raw)
				      : EOPNOTSUPP;
}

/* A request without a stream belongs to stream 0. */
void mlx5_address(struct ibv_qp_ex *qp, struct ibv_ah *ah,
		  const struct wr_args *in)
{
	struct mlx5dv_qp_ex *dv = mlx5dv_qp_ex_from_ibv_qp_ex(qp);

	if (in->vendor.mlx5.stream)
		mlx5dv_wr_set_dc_addr_stream(dv, ah, in->remote_qpn,
					     in->vendor.mlx5.dc_key,
					     in->vendor.mlx5.stream);
	else
		mlx5dv_wr_set_dc_addr(dv, ah, in->remote_qpn,
				      in->vendor.mlx5.dc_key);
}

/* No attribute tells whether the device makes indirect mkeys. */
static bool probe_mkeys(struct ibv_context *context)
{
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct mkey_size size = {4};
	struct ibv_mr *mkey = NULL;

	if (!pd)
		return false;
	mkey = create_mkey(pd, MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, &size);
	if (mkey)
		destroy_mkey(mkey);
	ibv_dealloc_pd(pd);
	return mkey != NULL;
}

/* No attribute tells whether the device makes scheduling elements. */
static bool probe_sched(struct ibv_context *context)
{
	const struct mlx5dv_sched_attr root = {.flags = 0};
	struct mlx5dv_sched_node *node =
		mlx5dv_sched_node_create(context, &root);

	return node && !mlx5dv_sched_node_destroy(node);
}

/* No attribute tells whether the device reserves numbers. */
static bool probe_reserved(struct ibv_context *context)
{
	uint32_t number;

	return !mlx5dv_reserved_qpn_alloc(context, &number) &&
	       !mlx5dv_reserved_qpn_dealloc(context, number);
}

/* Objects for the smallest DCI and DCT. No attribute tells whether the device
 * has DC, so mlx5_describe() tries to make both. */
struct dc_probe {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
};

static bool makes_dc(const struct dc_probe *p, enum mlx5dv_dc_type type)
{
	bool dci = type == MLX5DV_DCTYPE_DCI;
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = p->cq,
		.recv_cq = p->cq,
		.srq = dci ? NULL : p->srq,
		.cap = {.max_send_wr = dci, .max_send_sge = dci},
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = p->pd,
	};
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = {.dc_type = type},
	};
	struct ibv_qp *qp = mlx5dv_create_qp(p->context, &attr, &dv);

	return qp && !ibv_destroy_qp(qp);
}

static uint64_t probe_dc(struct ibv_context *context)
{
	struct ibv_srq_init_attr least = {.attr = {.max_wr = 1, .max_sge = 1}};
	struct dc_probe p = {.context = context};
	uint64_t types = 0;

	p.pd = ibv_alloc_pd(context);
	p.cq = p.pd ? ibv_create_cq(context, 1, NULL, NULL, 0) : NULL;
	p.srq = p.cq ? ibv_create_srq(p.pd, &least) : NULL;
	if (p.srq && makes_dc(&p, MLX5DV_DCTYPE_DCT))
		types |= 1u << MLX5DV_DCTYPE_DCT;
	if (p.cq && makes_dc(&p, MLX5DV_DCTYPE_DCI))
		types |= 1u << MLX5DV_DCTYPE_DCI;
	if (p.srq)
		ibv_destroy_srq(p.srq);
	if (p.cq)
		ibv_destroy_cq(p.cq);
	if (p.pd)
		ibv_dealloc_pd(p.pd);
	return types;
}

void mlx5_describe(struct verbs_target *t)
{
	struct mlx5dv_context dv = {
		.comp_mask = MLX5DV_CONTEXT_MASK_CQE_COMPRESION |
			     MLX5DV_CONTEXT_MASK_TUNNEL_OFFLOADS |
			     MLX5DV_CONTEXT_MASK_DCI_STREAMS |
			     MLX5DV_CONTEXT_MASK_NUM_LAG_PORTS |
			     MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH |
			     MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD |
			     MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD,
	};
	uint64_t *limit = t->base.info.limit;

	if (!mlx5dv_is_supported(t->device) ||
	    mlx5dv_query_device(t->context, &dv))
		return;
	limit[LIM_mlx5_dv] = 1;
	limit[LIM_mlx5_flags] = dv.flags;
	if (dv.comp_mask & MLX5DV_CONTEXT_MASK_CQE_COMPRESION) {
		limit[LIM_mlx5_cqe_comp_max_num] = dv.cqe_comp_caps.max_num;
		limit[LIM_mlx5_cqe_comp_formats] =
			dv.cqe_comp_caps.supported_format;
	}
	if (dv.comp_mask & MLX5DV_CONTEXT_MASK_TUNNEL_OFFLOADS)
		limit[LIM_mlx5_tunnel_offloads_caps] = dv.tunnel_offloads_caps;
	if (dv.comp_mask & MLX5DV_CONTEXT_MASK_DCI_STREAMS) {
		limit[LIM_mlx5_dci_log_num_concurent] =
			dv.dci_streams_caps.max_log_num_concurent;
		limit[LIM_mlx5_dci_log_num_errored] =
			dv.dci_streams_caps.max_log_num_errored;
	}
	if (dv.comp_mask & MLX5DV_CONTEXT_MASK_NUM_LAG_PORTS)
		limit[LIM_mlx5_num_lag_ports] = dv.num_lag_ports;
	if (dv.comp_mask & MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH)
		limit[LIM_mlx5_max_wr_memcpy_length] = dv.max_wr_memcpy_length;
	if (dv.comp_mask & MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD) {
		limit[LIM_mlx5_sig_block_prot] = dv.sig_caps.block_prot;
		limit[LIM_mlx5_sig_block_size] = dv.sig_caps.block_size;
		limit[LIM_mlx5_sig_t10dif_bg] = dv.sig_caps.t10dif_bg;
		limit[LIM_mlx5_sig_crc_type] = dv.sig_caps.crc_type;
	}
	if (dv.comp_mask & MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD) {
		limit[LIM_mlx5_crypto_flags] = dv.crypto_caps.flags;
		limit[LIM_mlx5_crypto_engines] = dv.crypto_caps.crypto_engines;
		limit[LIM_mlx5_crypto_wrapped] =
			dv.crypto_caps.wrapped_import_method;
	}
	limit[LIM_mlx5_dc_types] = probe_dc(t->context);
	limit[LIM_mlx5_mkeys] = probe_mkeys(t->context);
	limit[LIM_mlx5_sched] = probe_sched(t->context);
	limit[LIM_mlx5_reserved_qpns] = probe_reserved(t->context);
}
