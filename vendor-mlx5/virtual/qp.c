// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The checks of mlx5_ib for a new queue pair, in the order of the driver:
 * types, create flags of mlx5 and verbs, sizes, memory. Also what the driver
 * adds to modify and query.
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <rdma/mlx5-abi.h>
#include <stdlib.h>
#include "mutants/mutant.h"
#include "model/data/ring.h"
#include "vendor-mlx5/model/create_bits.h"
#include "vendor-mlx5/virtual/driver.h"
#include "vendor-mlx5/virtual/rings.h"

#define NO_BFREG	     (1u << 31)
#define DEVICE_CROSS_CHANNEL (1u << 27)
#define CROSS_CHANNEL	     (1u << 2 | 1u << 3 | 1u << 4)
#define DC_TYPES	     (MLX5_QP_FLAG_TYPE_DCT | MLX5_QP_FLAG_TYPE_DCI)
#define DOORBELL_CHOICES                                                       \
	(MLX5_QP_FLAG_UAR_PAGE_INDEX | MLX5_QP_FLAG_BFREG_INDEX)

/* A request to create a queue pair. */
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
	if (command_has_unknown(said,
				offsetof(struct mlx5_ib_create_qp, reserved)))
		return -EINVAL;
	command_get(c, UVERBS_ATTR_UHW_IN, &r->in, sizeof(r->in));
	return 0;
}

/* Flags that every type and device accepts. */
#define FLAGS_OF_ALL                                                           \
	(DC_TYPES | DOORBELL_CHOICES | MLX5_QP_FLAG_SIGNATURE |                \
	 MLX5_QP_FLAG_SCATTER_CQE)

/* The contract decides about the other flags, under libmlx5's names. */
static const struct {
	uint32_t flag, bit;
} create_flags[] = {
	{MLX5_QP_FLAG_TUNNEL_OFFLOADS, MLX5DV_QP_CREATE_TUNNEL_OFFLOADS},
	{MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC,
	 MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC},
	{MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC,
	 MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_MC},
	{MLX5_QP_FLAG_ALLOW_SCATTER_CQE, MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE},
	{MLX5_QP_FLAG_PACKET_BASED_CREDIT_MODE,
	 MLX5DV_QP_CREATE_PACKET_BASED_CREDIT_MODE},
};

static bool is_raw(const struct request *r)
{
	return r->sort == VERBS && r->init->qp_type == IBV_QPT_RAW_PACKET;
}

static enum qp_kind kind_of(const struct request *r)
{
	if (r->sort == VERBS)
		return qp_kind_of((int)r->init->qp_type);
	return r->sort == DCI ? QK_DCI : QK_DCT;
}

/* Returns the requested flags that the type has and the device claims. */
static uint32_t claimed(const struct virtual_device *d, const struct request *r)
{
	const struct mutant *mutant = model_mutant(core_model(d));
	enum qp_kind kind = kind_of(r);
	uint32_t flags = 0;

	if (d->info.limit[LIM_mlx5_dci_log_num_concurent])
		flags |= MLX5_QP_FLAG_DCI_STREAM;
	for (size_t i = 0; i < COUNT(create_flags); i++) {
		uint64_t bit = create_flags[i].bit;

		if (r->in.flags & create_flags[i].flag &&
		    mlx5_create_bit_row(&d->info, kind, F_dv_create_flags, bit,
					mutant_flips(mutant, kind,
						     F_dv_create_flags, bit)) ==
			    ROW_DV_FLAG)
			flags |= create_flags[i].flag;
	}
	return flags;
}

static int check_flags(const struct virtual_device *d, struct request *r)
{
	uint32_t left = r->in.flags & ~(uint32_t)FLAGS_OF_ALL;
	uint32_t dc = r->in.flags & DC_TYPES;

	if (dc == MLX5_QP_FLAG_TYPE_DCI)
		r->sort = DCI;
	else if (dc == MLX5_QP_FLAG_TYPE_DCT)
		r->sort = DCT;
	else if (r->init->qp_type == IBV_QPT_DRIVER)
		return -EINVAL;
	left &= ~claimed(d, r);
	return left ? -EINVAL : 0;
}

/* Returns the verbs create flags that the device has for this type. */
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
	if (!is_raw(r))
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
	/* Verbs do not name these flags, so the model does not know them. */
	r->init->create_flags &= ~CROSS_CHANNEL;
	return 0;
}

static bool has_receives(const struct qp_init_args *i)
{
	return i->qp_type != IBV_QPT_XRC_SEND &&
	       i->qp_type != IBV_QPT_XRC_RECV && i->srq == NO_OBJ &&
	       i->cap.max_recv_wr;
}

/* Sizes the receive queue as user space laid it out, with at most the device's
 * max_sge elements. */
static int size_receives(const struct device_info *d, const struct request *r)
{
	uint32_t signature = r->in.flags & MLX5_QP_FLAG_SIGNATURE ? 1 : 0;
	struct ibv_qp_cap *cap = &r->init->cap;
	uint32_t elements;

	if (r->in.rq_wqe_shift > 30)
		return -EINVAL;
	elements = (1u << r->in.rq_wqe_shift) / MLX5_SEGMENT;
	if (elements < signature)
		return -EINVAL;
	elements -= signature;
	cap->max_recv_wr = r->in.rq_wqe_count;
	cap->max_recv_sge = elements < d->limit[LIM_max_sge]
				    ? elements
				    : (uint32_t)d->limit[LIM_max_sge];
	return 0;
}

/* A queue pair without a receive queue has size 0. The model refuses a DCI that
 * asks for receives. */
static int check_receives(const struct device_info *d, const struct request *r)
{
	struct ibv_qp_cap *cap = &r->init->cap;

	if (cap->max_recv_wr > d->limit[LIM_max_qp_wr])
		return -EINVAL;
	if (has_receives(r->init))
		return size_receives(d, r);
	if (r->sort != DCI)
		cap->max_recv_wr = cap->max_recv_sge = 0;
	return r->in.rq_wqe_shift || r->in.rq_wqe_count ? -EINVAL : 0;
}

/* User space must name a doorbell page: the context has none. */
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
	uint64_t sends = (uint64_t)r->in.sq_wqe_count * MLX5_BLOCK;
	bool raw = is_raw(r);
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
	if (i->qp_type == IBV_QPT_DRIVER &&
	    !c->device->info.limit[LIM_mlx5_dc_types])
		return -EOPNOTSUPP;
	if (i->qp_type == IBV_QPT_RAW_PACKET && !c->file->driver_word)
		return -EINVAL;
	return 0;
}

/* libmlx5 does not tell the kernel max_tso_header, so the model is given the
 * largest. */
static void take_headers(const struct device_info *d, struct request *r)
{
	bool raw = is_raw(r);

	if (!raw || !device_segments(d, IBV_QPT_RAW_PACKET))
		return;
	r->init->comp_mask |= IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
	r->init->max_tso_header = UINT16_MAX;
}

/* The model has to know how an RC queue pair counts credits. */
static void tell_credits(const struct request *r)
{
	struct mlx5_qp_args *v = &r->init->vendor.mlx5;

	if (!(r->in.flags & MLX5_QP_FLAG_PACKET_BASED_CREDIT_MODE))
		return;
	v->comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS;
	v->create_flags |= MLX5DV_QP_CREATE_PACKET_BASED_CREDIT_MODE;
}

/* Turns the request into the mlx5dv_create_qp that libmlx5 was called with. */
static void become_dc(struct making *w, const struct request *r)
{
	struct mlx5_qp_args *v = &r->init->vendor.mlx5;

	w->b.verb = V_mlx5dv_create_qp;
	r->init->qp_type = IBV_QPT_DRIVER;
	v->comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC;
	v->dc_type = r->sort == DCT ? MLX5DV_DCTYPE_DCT : MLX5DV_DCTYPE_DCI;
	if (r->sort == DCT)
		v->dct_access_key = r->in.access_key;
	if (!(r->in.flags & MLX5_QP_FLAG_DCI_STREAM))
		return;
	v->comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS;
	v->log_num_concurent = r->in.dci_streams.log_num_concurent;
	v->log_num_errored = r->in.dci_streams.log_num_errored;
}

/* Returns the SRQ of a queue pair if it is one for tag matching, else NULL. */
static struct mlx5_queue *tags_of(const struct command *c,
				  const struct qp_init_args *init)
{
	const struct virtual_object *srq =
		init->srq == NO_OBJ ? NULL : core_object(c->device, init->srq);
	struct mlx5_queue *q = srq ? srq->own : NULL;

	return q && q->type == IBV_SRQT_TM ? q : NULL;
}

static int keep_rings(const struct command *c, struct making *w,
		      const struct request *r)
{
	const struct device_info *d = &c->device->info;
	bool raw = is_raw(r);
	struct mlx5_queue *q = calloc(1, sizeof(*q));
	uint64_t receives;

	w->own = q;
	if (!q)
		return -ENOMEM;
	q->index = r->in.uidx;
	q->type = (uint8_t)r->init->qp_type;
	q->ethernet = d->port[0].attr.link_layer == IBV_LINK_LAYER_ETHERNET;
	q->tags = tags_of(c, r->init);
	mlx5_scatter(c, r->init, r->in.flags, q);
	if (r->sort == DCT || r->init->qp_type == IBV_QPT_XRC_RECV)
		return 0;
	receives = (uint64_t)r->in.rq_wqe_count << r->in.rq_wqe_shift;
	q->receives = r->in.buf_addr;
	q->sends = raw ? r->in.sq_buf_addr : r->in.buf_addr + receives;
	q->doorbell = r->in.db_addr;
	/* Without a buffer nothing can be posted. */
	if (raw ? r->in.sq_buf_addr : r->in.buf_addr)
		q->blocks = r->in.sq_wqe_count;
	if (r->in.buf_addr)
		q->nreceives = r->in.rq_wqe_count;
	q->shift = (uint8_t)r->in.rq_wqe_shift;
	q->before = r->in.flags & MLX5_QP_FLAG_SIGNATURE ? MLX5_SEGMENT : 0;
	q->strips = r->init->create_flags & IBV_QP_CREATE_CVLAN_STRIPPING;
	q->keeps_fcs = r->init->create_flags & IBV_QP_CREATE_SCATTER_FCS;
	q->checks_inner = r->in.flags & MLX5_QP_FLAG_TUNNEL_OFFLOADS;
	q->one_unit = !(d->limit[LIM_mlx5_crypto_engines] &
			MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK);
	q->own_unicast = r->in.flags & MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC;
	q->own_multicast = r->in.flags & MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC;
	return 0;
}

int mlx5_check_qp(struct command *c, struct making *w)
{
	const struct device_info *d = &c->device->info;
	struct request r = {.init = &w->b.in.qp_init};
	int err;

	if (w->b.verb == V_open_qp)
		return 0;
	err = check_type(c, r.init);
	if (!err && r.init->rwq_ind_tbl != NO_OBJ)
		return mlx5_check_rss(c, w);
	if (!err)
		err = get_request(c, &r);
	if (!err)
		err = check_flags(c->device, &r);
	if (!err)
		err = mlx5_check_index(c, true, r.in.uidx);
	if (!err)
		err = check_create_flags(d, &r);
	if (!err)
		err = check_rings(d, &r);
	if (!err)
		err = keep_rings(c, w, &r);
	if (!err)
		take_headers(d, &r);
	if (!err)
		tell_credits(&r);
	if (!err && r.sort != VERBS)
		become_dc(w, &r);
	return err;
}

static bool is_target(const struct qp_init_args *init)
{
	return init->vendor.mlx5.comp_mask & MLX5DV_QP_INIT_ATTR_MASK_DC &&
	       init->vendor.mlx5.dc_type == MLX5DV_DCTYPE_DCT;
}

/* Tells the numbers of the parts of a RAW_PACKET queue pair. */
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
	if (w->b.in.qp_init.rwq_ind_tbl != NO_OBJ) {
		r.comp_mask = MLX5_IB_CREATE_QP_RESP_MASK_TIRN;
		r.tirn = w->object->slot;
	} else if (type == IBV_QPT_RAW_PACKET) {
		name_parts(&r, number);
	}
	if (type != IBV_QPT_XRC_RECV && !is_target(&w->b.in.qp_init))
		r.bfreg_index = NO_BFREG;
	command_put(c, UVERBS_ATTR_UHW_OUT, &r, sizeof(r));
}

#define NUMBER_END offsetof(struct mlx5_ib_modify_qp_resp, ece_options)

static int check_change(const struct command *c)
{
	const struct ib_uverbs_attr *said = command_attr(c, UVERBS_ATTR_UHW_IN);
	struct mlx5_ib_modify_qp in;

	if (!said || !said->len)
		return 0;
	if (said->len < sizeof(in))
		return -EINVAL;
	if (command_has_unknown(said, sizeof(in)))
		return -EOPNOTSUPP;
	command_get(c, UVERBS_ATTR_UHW_IN, &in, sizeof(in));
	return in.comp_mask || in.burst_info.reserved ? -EOPNOTSUPP : 0;
}

/* Returns true if a modify moves a DCT to RTR. */
static bool comes_to_be(const struct virtual_device *d,
			const struct virtual_object *qp,
			const struct qp_attr_args *in)
{
	struct qp_init_args init;
	struct ibv_qp_attr is;

	model_qp_attributes(core_model(d), qp->slot, &is, &init);
	return is_target(&init) && in->mask & IBV_QP_STATE &&
	       in->attr.qp_state == IBV_QPS_RTR;
}

/* Checks a modify. The answer to a DCT's move to RTR needs room for the number
 * that the DCT gets. */
/* A queue pair that sends under another number takes no attributes. */
static bool takes_none(const struct command *c, const struct virtual_object *qp)
{
	struct qp_init_args init;
	struct ibv_qp_attr is;

	model_qp_attributes(core_model(c->device), qp->slot, &is, &init);
	return init.create_flags & IBV_QP_CREATE_SOURCE_QPN;
}

int mlx5_modify_qp(struct command *c, const struct virtual_object *qp,
		   const struct qp_attr_args *in)
{
	const uint32_t states = IBV_QP_STATE | IBV_QP_CUR_STATE;
	int err = check_change(c);

	if (!err &&
	    model_qp_state(core_model(c->device), qp->slot) == IBV_QPS_SQD)
		mlx5_take_canceled(c->device, qp);
	if (!err && in->mask & ~states && takes_none(c, qp))
		err = -EINVAL;
	if (!err && comes_to_be(c->device, qp, in) &&
	    command_room(c, UVERBS_ATTR_UHW_OUT) < NUMBER_END)
		err = -EINVAL;
	return err;
}

/* Reports as many elements as fit into a receive; the model stops at max_sge.
 */
void mlx5_query_qp(const struct virtual_object *qp,
		   struct ib_uverbs_query_qp_resp *r)
{
	const struct mlx5_queue *q = qp->own;

	if (q && q->nreceives)
		r->max_recv_sge = ((1u << q->shift) - q->before) / MLX5_SEGMENT;
}

/* Resets the rings' indices, and has the NIC look at its doorbells again. */
static void begin_again(const struct virtual_device *d,
			const struct virtual_object *qp)
{
	mlx5_begin_again(qp);
	nic_distrust_bells(d);
}

void mlx5_modified_qp(struct command *c, const struct virtual_object *qp,
		      const struct qp_attr_args *in)
{
	struct bound b = {.verb = V_query_qp, .on = qp->slot};
	struct mlx5_ib_modify_qp_resp r = {0};
	struct qp_init_args init;
	struct ibv_qp_attr is;
	struct answer a;

	if (in->mask & IBV_QP_STATE && in->attr.qp_state == IBV_QPS_RESET)
		begin_again(c->device, qp);
	if (!comes_to_be(c->device, qp, in))
		return;
	b.result = NO_OBJ;
	b.in.qp_attr.mask = IBV_QP_STATE;
	core_call_uncounted(c->device, &b, &a);
	model_qp_attributes(core_model(c->device), qp->slot, &is, &init);
	r.dctn = init.qp_num;
	r.response_length = command_room(c, UVERBS_ATTR_UHW_OUT) < sizeof(r)
				    ? NUMBER_END
				    : sizeof(r);
	command_put(c, UVERBS_ATTR_UHW_OUT, &r, r.response_length);
}
