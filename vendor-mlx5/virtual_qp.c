// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What mlx5_ib checks of a queue pair before the device sees it, in the order
 * in which it does: types, flags of both interfaces, sizes, memory.
 */
#include <errno.h>
#include <rdma/mlx5-abi.h>
#include "vendor-mlx5/driver.h"

#define BLOCK		     64u /* of a send queue */
#define SEGMENT		     16u /* of an entry of a receive queue */
#define NO_BFREG	     (1u << 31)
#define DEVICE_CROSS_CHANNEL (1u << 27)
#define CROSS_CHANNEL	     (1u << 2 | 1u << 3 | 1u << 4)
#define DC_TYPES	     (MLX5_QP_FLAG_TYPE_DCT | MLX5_QP_FLAG_TYPE_DCI)
#define DOORBELL_CHOICES                                                       \
	(MLX5_QP_FLAG_UAR_PAGE_INDEX | MLX5_QP_FLAG_BFREG_INDEX)

/* A queue pair that is asked for. */
struct request {
	struct mlx5_ib_create_qp in;
	struct qp_init_args *init;
	enum sort { VERBS, DCI, DCT } sort;
};

static int get_request(const struct command *c, struct request *r)
{
	const struct ib_uverbs_attr *said = command_attr(c, UVERBS_ATTR_UHW_IN);

	if (command_room(c, UVERBS_ATTR_UHW_IN) <
	    offsetof(struct mlx5_ib_create_qp, ece_options))
		return -EINVAL;
	if (command_says_more(said,
			      offsetof(struct mlx5_ib_create_qp, reserved)))
		return -EINVAL;
	command_get(c, UVERBS_ATTR_UHW_IN, &r->in, sizeof(r->in));
	return 0;
}

/* Flags that are taken whatever the type. What a part can do past verbs is
 * not known, and then it is not there: streams of DCI, tunnels, credits that
 * are counted in packets. */
#define FLAGS_OF_ALL                                                           \
	(DC_TYPES | DOORBELL_CHOICES | MLX5_QP_FLAG_SIGNATURE |                \
	 MLX5_QP_FLAG_SCATTER_CQE | MLX5_QP_FLAG_ALLOW_SCATTER_CQE)
#define FLAGS_OF_RAW                                                           \
	(MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC | MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC)

static int check_flags(struct request *r)
{
	uint32_t left = r->in.flags & ~(uint32_t)FLAGS_OF_ALL;
	uint32_t dc = r->in.flags & DC_TYPES;

	if (dc == MLX5_QP_FLAG_TYPE_DCI)
		r->sort = DCI;
	else if (dc == MLX5_QP_FLAG_TYPE_DCT)
		r->sort = DCT;
	else if (r->init->qp_type == IBV_QPT_DRIVER)
		return -EINVAL;
	if (r->sort == VERBS && r->init->qp_type == IBV_QPT_RAW_PACKET)
		left &= ~(uint32_t)FLAGS_OF_RAW;
	return left ? -EINVAL : 0;
}

/* The flags of verbs that the device has for such a queue pair. */
static uint32_t offered(const struct device_info *d, const struct request *r)
{
	uint64_t caps = d->limit[LIM_device_cap_flags_ex];
	uint64_t raw = d->limit[LIM_raw_packet_caps];
	uint32_t flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;
	bool ib = d->port[0].attr.link_layer == IBV_LINK_LAYER_INFINIBAND;

	if (caps & DEVICE_CROSS_CHANNEL)
		flags |= CROSS_CHANNEL;
	if (caps & IBV_DEVICE_PCI_WRITE_END_PADDING)
		flags |= IBV_QP_CREATE_PCI_WRITE_END_PADDING;
	if (r->sort == VERBS && r->init->qp_type == IBV_QPT_UD && ib)
		flags |= IBV_QP_CREATE_SOURCE_QPN;
	if (r->sort != VERBS || r->init->qp_type != IBV_QPT_RAW_PACKET)
		return flags;
	if (raw & IBV_RAW_PACKET_CAP_SCATTER_FCS)
		flags |= IBV_QP_CREATE_SCATTER_FCS;
	if (raw & IBV_RAW_PACKET_CAP_CVLAN_STRIPPING)
		flags |= IBV_QP_CREATE_CVLAN_STRIPPING;
	return flags;
}

static int check_create_flags(const struct device_info *d, struct request *r)
{
	uint32_t flags = r->init->create_flags;

	if (r->sort == DCT)
		return flags ? -EINVAL : 0;
	if (flags & ~offered(d, r))
		return -EOPNOTSUPP;
	/* Verbs have no names for these: the model is not asked. */
	r->init->create_flags &= ~CROSS_CHANNEL;
	return 0;
}

static int check_attributes(const struct request *r)
{
	const struct qp_init_args *i = r->init;

	if (r->sort == DCT)
		return i->srq == NO_OBJ || i->recv_cq == NO_OBJ ? -EINVAL : 0;
	if (r->sort == DCI && (i->cap.max_recv_wr || i->cap.max_recv_sge))
		return -EINVAL;
	return 0;
}

static bool has_receives(const struct qp_init_args *i)
{
	return i->qp_type != IBV_QPT_XRC_SEND &&
	       i->qp_type != IBV_QPT_XRC_RECV && i->srq == NO_OBJ &&
	       i->cap.max_recv_wr;
}

/* The receive queue that user space made has to be the one that is asked for;
 * without one its size is 0. */
static int check_receives(const struct device_info *d, const struct request *r)
{
	struct ibv_qp_cap *cap = &r->init->cap;
	uint32_t signature = r->in.flags & MLX5_QP_FLAG_SIGNATURE ? 1 : 0;

	if (cap->max_recv_wr > d->limit[LIM_max_qp_wr])
		return -EINVAL;
	if (has_receives(r->init))
		return r->in.rq_wqe_shift > 30 ||
				       (1u << r->in.rq_wqe_shift) / SEGMENT <
					       signature
			       ? -EINVAL
			       : 0;
	cap->max_recv_wr = 0;
	cap->max_recv_sge = 0;
	return r->in.rq_wqe_shift || r->in.rq_wqe_count ? -EINVAL : 0;
}

/* All doorbell pages are asked for by user space, none came with the context.
 */
static int check_sends(const struct device_info *d, const struct request *r)
{
	uint32_t n = r->in.sq_wqe_count;

	if (n > d->limit[LIM_max_qp_wr])
		return -EINVAL;
	if ((r->in.flags & DOORBELL_CHOICES) != MLX5_QP_FLAG_UAR_PAGE_INDEX)
		return -EINVAL;
	return n & (n - 1) ? -EINVAL : 0;
}

static int check_buffer(uint64_t at, uint64_t size)
{
	return at && size ? pages_check(at, size, false) : 0;
}

static int check_memory(const struct request *r)
{
	uint64_t receives = (uint64_t)r->in.rq_wqe_count << r->in.rq_wqe_shift;
	uint64_t sends = (uint64_t)r->in.sq_wqe_count * BLOCK;
	bool raw = r->sort == VERBS && r->init->qp_type == IBV_QPT_RAW_PACKET;
	int err;

	if (receives + sends > INT32_MAX)
		return -EINVAL;
	if (raw && !r->in.rq_wqe_count && !r->in.sq_wqe_count)
		return -EINVAL;
	err = check_buffer(r->in.buf_addr, receives + (raw ? 0 : sends));
	if (!err && raw)
		err = check_buffer(r->in.sq_buf_addr, sends);
	return err ? err : mlx5_check_doorbell(r->in.db_addr);
}

static int check_rings(const struct device_info *d, const struct request *r)
{
	int err;

	if (r->sort == DCT ||
	    (r->sort == VERBS && r->init->qp_type == IBV_QPT_XRC_RECV))
		return 0;
	err = check_receives(d, r);
	if (!err)
		err = check_sends(d, r);
	return err ? err : check_memory(r);
}

static int check_type(const struct command *c, const struct qp_init_args *i)
{
	bool xrc = i->qp_type == IBV_QPT_XRC_SEND ||
		   i->qp_type == IBV_QPT_XRC_RECV;

	if (xrc && !device_flag(&c->device->info, IBV_DEVICE_XRC))
		return -EOPNOTSUPP;
	if (i->qp_type == IBV_QPT_RAW_PACKET && !c->file->driver_word)
		return -EINVAL;
	return 0;
}

/* The model knows no such type: what stands for one there is connected, stays
 * in RESET, and holds what the queue pair uses. */
static int become_dc(struct making *w, const struct request *r)
{
	w->own = mlx5_dc_new(r->sort == DCT, r->init);
	r->init->qp_type = IBV_QPT_RC;
	r->init->create_flags = 0;
	return w->own ? 0 : -ENOMEM;
}

int mlx5_check_qp(struct command *c, struct making *w)
{
	const struct device_info *d = &c->device->info;
	struct request r = {.init = &w->b.in.qp_init};
	int err;

	if (w->b.verb == V_open_qp)
		return 0;
	err = check_type(c, r.init);
	if (!err)
		err = get_request(c, &r);
	if (!err)
		err = check_flags(&r);
	if (!err)
		err = mlx5_check_index(c, true, r.in.uidx);
	if (!err)
		err = check_create_flags(d, &r);
	if (!err)
		err = check_attributes(&r);
	if (!err)
		err = check_rings(d, &r);
	if (!err && r.sort != VERBS)
		err = become_dc(w, &r);
	return err;
}

/* The parts that a queue pair for packets consists of have numbers. */
static void name_parts(struct mlx5_ib_create_qp_resp *r, uint32_t number)
{
	r->comp_mask = MLX5_IB_CREATE_QP_RESP_MASK_TIRN |
		       MLX5_IB_CREATE_QP_RESP_MASK_TISN |
		       MLX5_IB_CREATE_QP_RESP_MASK_RQN |
		       MLX5_IB_CREATE_QP_RESP_MASK_SQN;
	r->tirn = r->tisn = r->rqn = r->sqn = number;
}

void mlx5_made_qp(struct command *c, const struct making *w)
{
	uint32_t number = w->a.outcome.out.qp_init.qp_num;
	uint32_t type = w->b.in.qp_init.qp_type;
	struct mlx5_ib_create_qp_resp r = {0};

	if (w->b.verb == V_open_qp)
		return;
	if (w->own)
		mlx5_dc_number(w->object, number);
	if (type == IBV_QPT_RAW_PACKET)
		name_parts(&r, number);
	if (type != IBV_QPT_XRC_RECV)
		r.bfreg_index = NO_BFREG;
	command_put(c, UVERBS_ATTR_UHW_OUT, &r, sizeof(r));
}

int mlx5_modify_qp(struct command *c)
{
	const struct ib_uverbs_attr *said = command_attr(c, UVERBS_ATTR_UHW_IN);
	struct mlx5_ib_modify_qp in;

	if (!said || !said->len)
		return 0;
	if (said->len < sizeof(in))
		return -EINVAL;
	if (command_says_more(said, sizeof(in)))
		return -EOPNOTSUPP;
	command_get(c, UVERBS_ATTR_UHW_IN, &in, sizeof(in));
	return in.comp_mask || in.burst_info.reserved ? -EOPNOTSUPP : 0;
}
