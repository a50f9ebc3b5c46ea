// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands that modify and query queue pairs, and attach them to multicast
 * groups.
 */
#include <errno.h>
#include <string.h>
#include "contract/contract.h"
#include "virtual/uverbs/object.h"

static struct ibv_ah_attr address(const struct ib_uverbs_qp_dest *d)
{
	struct ibv_ah_attr ah = {
		.grh = {.flow_label = d->flow_label,
			.sgid_index = d->sgid_index,
			.hop_limit = d->hop_limit,
			.traffic_class = d->traffic_class},
		.dlid = d->dlid,
		.sl = d->sl,
		.src_path_bits = d->src_path_bits,
		.static_rate = d->static_rate,
		.is_global = d->is_global,
		.port_num = d->port_num,
	};

	memcpy(&ah.grh.dgid, d->dgid, sizeof(ah.grh.dgid));
	return ah;
}

static struct ibv_qp_attr attributes(const struct ib_uverbs_ex_modify_qp *m)
{
	const struct ib_uverbs_modify_qp *b = &m->base;

	return (struct ibv_qp_attr){
		.qp_state = (enum ibv_qp_state)b->qp_state,
		.cur_qp_state = (enum ibv_qp_state)b->cur_qp_state,
		.path_mtu = (enum ibv_mtu)b->path_mtu,
		.path_mig_state = (enum ibv_mig_state)b->path_mig_state,
		.qkey = b->qkey,
		.rq_psn = b->rq_psn,
		.sq_psn = b->sq_psn,
		.dest_qp_num = b->dest_qp_num,
		.qp_access_flags = b->qp_access_flags,
		.ah_attr = address(&b->dest),
		.alt_ah_attr = address(&b->alt_dest),
		.pkey_index = b->pkey_index,
		.alt_pkey_index = b->alt_pkey_index,
		.en_sqd_async_notify = b->en_sqd_async_notify,
		.max_rd_atomic = b->max_rd_atomic,
		.max_dest_rd_atomic = b->max_dest_rd_atomic,
		.min_rnr_timer = b->min_rnr_timer,
		.port_num = b->port_num,
		.timeout = b->timeout,
		.retry_cnt = b->retry_cnt,
		.rnr_retry = b->rnr_retry,
		.alt_port_num = b->alt_port_num,
		.alt_timeout = b->alt_timeout,
		.rate_limit = m->rate_limit,
	};
}

static int change_qp(struct command *c, const struct ib_uverbs_ex_modify_qp *m)
{
	const struct virtual_driver *driver = c->device->driver;
	struct bound b = {.verb = V_modify_qp, .result = NO_OBJ};
	const struct virtual_object *qp;
	struct answer a;
	int err;

	err = object_slot(c->file, UVERBS_OBJECT_QP, m->base.qp_handle, &b.on);
	if (err)
		return err;
	qp = &c->file->object[m->base.qp_handle];
	b.in.qp_attr.attr = attributes(m);
	b.in.qp_attr.attr.qp_access_flags &= driver->qp_access;
	b.in.qp_attr.mask = m->base.attr_mask;
	err = driver->modify_qp ? driver->modify_qp(c, qp, &b.in.qp_attr) : 0;
	if (!err)
		err = core_call(c->device, &b, &a);
	if (err)
		return err;
	core_send_events(c->device);
	if (driver->modified_qp)
		driver->modified_qp(c, qp, &b.in.qp_attr);
	return 0;
}

int modify_qp(struct command *c)
{
	struct ib_uverbs_ex_modify_qp asked = {0};

	legacy_get(c, &asked.base);
	if (asked.base.attr_mask & ~(uint32_t)A_STANDARD)
		return -EOPNOTSUPP;
	return change_qp(c, &asked);
}

int ex_modify_qp(struct command *c)
{
	struct ib_uverbs_ex_modify_qp_resp r = {
		.response_length =
			command_length(c, UVERBS_ATTR_CORE_OUT, sizeof(r))};
	const uint32_t known = A_STANDARD | A_RATE_LIMIT;
	struct ib_uverbs_ex_modify_qp asked;
	int err;

	legacy_get(c, &asked);
	if (asked.base.attr_mask & ~known) {
		err = core_refuses(c->device, ROW_MASK_UNKNOWN, EOPNOTSUPP);
		if (err)
			return err;
		asked.base.attr_mask &= known;
	}
	err = change_qp(c, &asked);
	return err ? err : legacy_answer(c, &r, sizeof(r));
}

static void put_address(struct ib_uverbs_qp_dest *d,
			const struct ibv_ah_attr *ah)
{
	*d = (struct ib_uverbs_qp_dest){.dlid = ah->dlid,
					.sl = ah->sl,
					.src_path_bits = ah->src_path_bits,
					.static_rate = ah->static_rate,
					.is_global = ah->is_global,
					.port_num = ah->port_num};
	if (!ah->is_global)
		return;
	memcpy(d->dgid, &ah->grh.dgid, sizeof(d->dgid));
	d->flow_label = ah->grh.flow_label;
	d->sgid_index = ah->grh.sgid_index;
	d->hop_limit = ah->grh.hop_limit;
	d->traffic_class = ah->grh.traffic_class;
}

static struct ib_uverbs_query_qp_resp
describe_qp(const struct ibv_qp_attr *is, const struct qp_init_args *init)
{
	struct ib_uverbs_query_qp_resp r = {
		.qkey = is->qkey,
		.rq_psn = is->rq_psn,
		.sq_psn = is->sq_psn,
		.dest_qp_num = is->dest_qp_num,
		.qp_access_flags = is->qp_access_flags,
		.pkey_index = is->pkey_index,
		.alt_pkey_index = is->alt_pkey_index,
		.qp_state = (uint8_t)is->qp_state,
		.cur_qp_state = (uint8_t)is->cur_qp_state,
		.path_mtu = (uint8_t)is->path_mtu,
		.path_mig_state = (uint8_t)is->path_mig_state,
		.sq_draining = is->sq_draining,
		.max_rd_atomic = is->max_rd_atomic,
		.max_dest_rd_atomic = is->max_dest_rd_atomic,
		.min_rnr_timer = is->min_rnr_timer,
		.port_num = is->port_num,
		.timeout = is->timeout,
		.retry_cnt = is->retry_cnt,
		.rnr_retry = is->rnr_retry,
		.alt_port_num = is->alt_port_num,
		.alt_timeout = is->alt_timeout,
		.max_send_wr = is->cap.max_send_wr,
		.max_recv_wr = is->cap.max_recv_wr,
		.max_send_sge = is->cap.max_send_sge,
		.max_recv_sge = is->cap.max_recv_sge,
		.max_inline_data = is->cap.max_inline_data,
		.sq_sig_all = init->sq_sig_all != 0,
	};

	put_address(&r.dest, &is->ah_attr);
	put_address(&r.alt_dest, &is->alt_ah_attr);
	return r;
}

int query_qp(struct command *c)
{
	struct bound b = {.verb = V_query_qp, .result = NO_OBJ};
	struct ib_uverbs_query_qp_resp r;
	struct ib_uverbs_query_qp asked;
	struct qp_init_args init;
	struct ibv_qp_attr attr;
	struct answer a;
	int err;

	legacy_get(c, &asked);
	b.in.qp_attr.mask = asked.attr_mask;
	err = object_call(c, UVERBS_OBJECT_QP, asked.qp_handle, &b, &a);
	if (err)
		return err;
	model_qp_attributes(core_model(c->device), b.on, &attr, &init);
	r = describe_qp(&attr, &init);
	if (c->device->driver->query_qp)
		c->device->driver->query_qp(&c->file->object[asked.qp_handle],
					    &r);
	return legacy_answer(c, &r, sizeof(r));
}

static int change_group(struct command *c, enum verb verb)
{
	struct bound b = {.verb = verb, .result = NO_OBJ};
	struct ib_uverbs_attach_mcast asked;
	struct answer a;

	legacy_get(c, &asked);
	b.in.mcast.lid = asked.mlid;
	memcpy(&b.in.mcast.gid, asked.gid, sizeof(b.in.mcast.gid));
	return object_call(c, UVERBS_OBJECT_QP, asked.qp_handle, &b, &a);
}

int attach_mcast(struct command *c)
{
	return change_group(c, V_attach_mcast);
}

int detach_mcast(struct command *c)
{
	return change_group(c, V_detach_mcast);
}
