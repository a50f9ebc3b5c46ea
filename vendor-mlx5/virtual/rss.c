// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The checks of mlx5_ib for work queues, indirection tables, and queue pairs
 * that spread packets over a table.
 */
#include <errno.h>
#include <rdma/mlx5-abi.h>
#include <stdlib.h>
#include <string.h>
#include "vendor-mlx5/virtual/driver.h"
#include "vendor-mlx5/virtual/rings.h"

#define HASH_KEY_LEN 40 /* bytes, for Toeplitz, the only function */
#define IPV4	     (MLX5_RX_HASH_SRC_IPV4 | MLX5_RX_HASH_DST_IPV4)
#define IPV6	     (MLX5_RX_HASH_SRC_IPV6 | MLX5_RX_HASH_DST_IPV6)
#define TCP	     (MLX5_RX_HASH_SRC_PORT_TCP | MLX5_RX_HASH_DST_PORT_TCP)
#define UDP	     (MLX5_RX_HASH_SRC_PORT_UDP | MLX5_RX_HASH_DST_PORT_UDP)

static bool says_more(const struct command *c, size_t known)
{
	const struct ib_uverbs_attr *said = command_attr(c, UVERBS_ATTR_UHW_IN);

	return said && command_has_unknown(said, known);
}

static int check_memory(const struct mlx5_ib_create_wq *in)
{
	uint64_t size = (uint64_t)in->rq_wqe_count << in->rq_wqe_shift;
	int err = pages_check(in->buf_addr, size, true);

	return err ? err : mlx5_check_doorbell(in->db_addr);
}

/* Returns true if the device claims the offload of each flag. */
static bool offers(const struct device_info *d, uint32_t flags)
{
	uint64_t caps = d->limit[LIM_raw_packet_caps];

	if (flags & IBV_WQ_FLAGS_CVLAN_STRIPPING &&
	    !(caps & IBV_RAW_PACKET_CAP_CVLAN_STRIPPING))
		return false;
	if (flags & IBV_WQ_FLAGS_SCATTER_FCS &&
	    !(caps & IBV_RAW_PACKET_CAP_SCATTER_FCS))
		return false;
	if (flags & IBV_WQ_FLAGS_DELAY_DROP &&
	    !(caps & IBV_RAW_PACKET_CAP_DELAY_DROP))
		return false;
	return !(flags & IBV_WQ_FLAGS_PCI_WRITE_END_PADDING) ||
	       d->limit[LIM_device_cap_flags_ex] &
		       IBV_DEVICE_PCI_WRITE_END_PADDING;
}

/* Keeps the ring, of whose receives the device has a power of two. */
static int keep_ring(struct making *w, const struct mlx5_ib_create_wq *in)
{
	uint32_t flags = w->b.in.wq.create_flags;
	struct mlx5_queue *q = calloc(1, sizeof(*q));

	w->own = q;
	if (!q)
		return -ENOMEM;
	q->receives = in->buf_addr;
	q->doorbell = in->db_addr;
	q->nreceives = 1u << (31 - __builtin_clz(in->rq_wqe_count));
	q->shift = (uint8_t)in->rq_wqe_shift;
	q->before = in->flags & MLX5_WQ_FLAG_SIGNATURE ? MLX5_SEGMENT : 0;
	q->index = in->user_index;
	q->type = IBV_QPT_RAW_PACKET;
	q->strips = flags & IBV_WQ_FLAGS_CVLAN_STRIPPING;
	q->keeps_fcs = flags & IBV_WQ_FLAGS_SCATTER_FCS;
	return 0;
}

int mlx5_check_wq(struct command *c, struct making *w)
{
	const struct device_info *d = &c->device->info;
	struct mlx5_ib_create_wq in;
	int err;

	if (command_room(c, UVERBS_ATTR_UHW_IN) <
	    offsetof(struct mlx5_ib_create_wq, single_wqe_log_num_of_strides))
		return -EINVAL;
	if (says_more(c, sizeof(in)))
		return -EOPNOTSUPP;
	command_get(c, UVERBS_ATTR_UHW_IN, &in, sizeof(in));
	/* No device claims striding receive queues. */
	if (in.comp_mask)
		return -EOPNOTSUPP;
	if (w->b.in.wq.max_wr > d->limit[LIM_max_qp_wr] || !in.rq_wqe_count ||
	    in.rq_wqe_shift > 31)
		return -EINVAL;
	err = check_memory(&in);
	if (!err && !offers(d, w->b.in.wq.create_flags))
		err = -EOPNOTSUPP;
	return err ? err : keep_ring(w, &in);
}

/* Checks the flags that are changed. Only the stripping of VLAN tags can be. */
static int check_changes(const struct device_info *d,
			 const struct ibv_wq_attr *attr)
{
	if (!(attr->attr_mask & IBV_WQ_ATTR_FLAGS))
		return 0;
	if (attr->flags_mask & IBV_WQ_FLAGS_CVLAN_STRIPPING &&
	    !(d->limit[LIM_raw_packet_caps] &
	      IBV_RAW_PACKET_CAP_CVLAN_STRIPPING))
		return -EOPNOTSUPP;
	return attr->flags_mask & IBV_WQ_FLAGS_PCI_WRITE_END_PADDING
		       ? -EOPNOTSUPP
		       : 0;
}

int mlx5_modify_wq(struct command *c, const struct ibv_wq_attr *attr)
{
	struct mlx5_ib_modify_wq in;

	if (command_room(c, UVERBS_ATTR_UHW_IN) < sizeof(in))
		return -EINVAL;
	if (says_more(c, sizeof(in)))
		return -EOPNOTSUPP;
	command_get(c, UVERBS_ATTR_UHW_IN, &in, sizeof(in));
	if (in.comp_mask || in.reserved)
		return -EOPNOTSUPP;
	return check_changes(&c->device->info, attr);
}

void mlx5_modified_wq(struct command *c, const struct virtual_object *wq,
		      const struct ibv_wq_attr *attr)
{
	struct mlx5_queue *q = wq->own;

	(void)c;
	if (attr->attr_mask & IBV_WQ_ATTR_FLAGS &&
	    attr->flags_mask & IBV_WQ_FLAGS_CVLAN_STRIPPING)
		q->strips = attr->flags & IBV_WQ_FLAGS_CVLAN_STRIPPING;
	if (attr->attr_mask & IBV_WQ_ATTR_STATE &&
	    attr->wq_state == IBV_WQS_RESET)
		mlx5_begin_again(wq);
}

int mlx5_check_table(const struct command *c)
{
	return says_more(c, 0) ? -EOPNOTSUPP : 0;
}

/* The answer holds its own length only. */
void mlx5_made_rss(const struct command *c)
{
	struct mlx5_ib_create_wq_resp r = {.response_length =
						   sizeof(r.response_length)};

	command_put(c, UVERBS_ATTR_UHW_OUT, &r, sizeof(r.response_length));
}

static int check_flags(const struct device_info *d,
		       const struct mlx5_ib_create_qp_rss *in)
{
	uint32_t known = MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC |
			 MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC;

	if (d->limit[LIM_mlx5_tunnel_offloads_caps])
		known |= MLX5_QP_FLAG_TUNNEL_OFFLOADS;
	return in->flags & ~known ? -EINVAL : 0;
}

/* Checks the fields that the hash is made of. Without one, the table must have
 * a single queue. */
static int check_fields(const struct mlx5_ib_create_qp_rss *in,
			const struct virtual_table *table)
{
	uint64_t by = in->rx_hash_fields_mask;
	int layers =
		!!(by & TCP) + !!(by & UDP) + !!(by & MLX5_RX_HASH_IPSEC_SPI);

	if (!by)
		return table->n > 1 ? -EINVAL : 0;
	if (by & IPV4 && by & IPV6)
		return -EINVAL;
	return layers > 1 ? -EINVAL : 0;
}

static int check_hash(const struct mlx5_ib_create_qp_rss *in,
		      const struct virtual_table *table)
{
	if (in->comp_mask)
		return -EOPNOTSUPP;
	if (in->rx_hash_fields_mask & MLX5_RX_HASH_INNER &&
	    !(in->flags & MLX5_QP_FLAG_TUNNEL_OFFLOADS))
		return -EOPNOTSUPP;
	if (in->rx_hash_function != MLX5_RX_HASH_FUNC_TOEPLITZ)
		return -EOPNOTSUPP;
	return in->rx_key_len == HASH_KEY_LEN ? check_fields(in, table)
					      : -EINVAL;
}

static int keep_hash(struct making *w, const struct mlx5_ib_create_qp_rss *in)
{
	struct mlx5_queue *q = calloc(1, sizeof(*q));

	w->own = q;
	if (!q)
		return -ENOMEM;
	q->type = IBV_QPT_RAW_PACKET;
	q->checks_inner = in->flags & MLX5_QP_FLAG_TUNNEL_OFFLOADS;
	q->own_unicast = in->flags & MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC;
	q->own_multicast = in->flags & MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC;
	q->hashes = true;
	q->hash.fields = in->rx_hash_fields_mask;
	memcpy(q->hash.key, in->rx_hash_key, sizeof(q->hash.key));
	return 0;
}

int mlx5_check_rss(const struct command *c, struct making *w)
{
	struct qp_init_args *init = &w->b.in.qp_init;
	struct mlx5_ib_create_qp_rss in;
	int err;

	if (init->qp_type != IBV_QPT_RAW_PACKET)
		return -EINVAL;
	if (init->send_cq != NO_OBJ)
		return -EOPNOTSUPP;
	if (command_room(c, UVERBS_ATTR_UHW_IN) < sizeof(in) ||
	    command_room(c, UVERBS_ATTR_UHW_OUT) <
		    offsetof(struct mlx5_ib_create_qp_resp, ece_options) ||
	    says_more(c, sizeof(in)))
		return -EINVAL;
	command_get(c, UVERBS_ATTR_UHW_IN, &in, sizeof(in));
	err = check_flags(&c->device->info, &in);
	if (!err)
		err = check_hash(
			&in, core_object(c->device, init->rwq_ind_tbl)->kept);
	init->comp_mask |= IBV_QP_INIT_ATTR_RX_HASH;
	init->rx_hash_function = in.rx_hash_function;
	init->rx_hash_key_len = in.rx_key_len;
	init->rx_hash_fields_mask = in.rx_hash_fields_mask;
	return err ? err : keep_hash(w, &in);
}
