// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Creates objects other than queue pairs as mlx5_ib does: checks the request,
 * computes sizes, fills the answer.
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <rdma/mlx5-abi.h>
#include <stdlib.h>
#include <string.h>
#include "mutants/mutant.h"
#include "vendor-mlx5/virtual/driver.h"
#include "vendor-mlx5/virtual/rings.h"

#define CQ_FLAGS_KNOWN                                                         \
	(MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD |                                \
	 MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX |                              \
	 MLX5_IB_CREATE_CQ_FLAGS_REAL_TIME_TS)
#define LEAST_ENTRY 32u	     /* bytes of a receive of an SRQ */
#define BASIC_SRQ   0x800000 /* no number of an XRC SRQ has this bit */

uint32_t mlx5_round_up(uint32_t n)
{
	uint32_t power = 1;

	while (power < n && power << 1)
		power <<= 1;
	return power;
}

int mlx5_check_doorbell(uint64_t address)
{
	uint64_t page = 4096;

	return pages_check(address & ~(page - 1), page, true);
}

int mlx5_check_index(const struct command *c, bool said, uint32_t index)
{
	bool old = !c->file->driver_word; /* CQE version 0 */

	if (old && (!said || index == MLX5_NO_INDEX))
		return 0;
	if (old == said)
		return -EINVAL;
	return index & ~MLX5_INDEX_BITS ? -EINVAL : 0;
}

static int check_cq_request(const struct mlx5_ib_create_cq *in)
{
	if (in->flags & ~CQ_FLAGS_KNOWN || in->reserved0 || in->reserved1)
		return -EINVAL;
	return in->cqe_size == 64 || in->cqe_size == 128 ? 0 : -EINVAL;
}

bool mlx5_breaks(const struct command *c, enum row row)
{
	return mutant_skips(model_mutant(core_model(c->device)), row);
}

/* Returns true if the device compresses entries of this size. */
static bool compresses(const struct command *c, uint32_t size)
{
	const struct device_info *d = &c->device->info;

	if (size == MLX5_LONG_ENTRY)
		return claim_holds(CLAIM_MLX5_COMPRESS_128, d) ||
		       mlx5_breaks(c, ROW_MLX5_CQ_FORMAT_128);
	return claim_holds(CLAIM_MLX5_COMPRESS, d);
}

/* Checks the response format of compressed entries: the driver takes one. */
static int check_format(const struct command *c, uint8_t format)
{
	uint64_t claimed = c->device->info.limit[LIM_mlx5_cqe_comp_formats];
	const struct mutant *m = model_mutant(core_model(c->device));

	switch (format) {
	case MLX5_IB_CQE_RES_FORMAT_HASH:
	case MLX5_IB_CQE_RES_FORMAT_CSUM:
		return 0;
	case MLX5_IB_CQE_RES_FORMAT_CSUM_STRIDX:
		return claimed & format ? 0 : -EOPNOTSUPP;
	default:
		if (format & ~claimed)
			return mlx5_breaks(c, ROW_MLX5_CQ_FORMAT_MIXED)
				       ? 0
				       : -EINVAL;
		return mutant_choice(m, ROW_MLX5_CQ_FORMATS) == OUT_OK
			       ? 0
			       : -EINVAL;
	}
}

static int check_cq_features(const struct command *c,
			     const struct mlx5_ib_create_cq *in)
{
	int err = 0;

	if (!(in->flags & MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX))
		return -EINVAL;
	if (in->cqe_comp_en == 1)
		err = compresses(c, in->cqe_size)
			      ? check_format(c, in->cqe_comp_res_format)
			      : -EOPNOTSUPP;
	if (!err && in->flags & MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD &&
	    (in->cqe_size != MLX5_LONG_ENTRY ||
	     !claim_holds(CLAIM_MLX5_PAD, &c->device->info)))
		err = -EOPNOTSUPP;
	return err;
}

/* Turns the request into the mlx5dv_create_cq that libmlx5 was called with. A
 * request of usual entries may be of another call. */
static void become_own_cq(struct making *w, const struct mlx5_ib_create_cq *in)
{
	struct mlx5_cq_args *v = &w->b.in.cq.vendor.mlx5;

	if (in->cqe_size != MLX5_LONG_ENTRY && in->cqe_comp_en != 1)
		return;
	w->b.verb = V_mlx5dv_create_cq;
	w->b.in.cq.wc_flags = IBV_WC_STANDARD_FLAGS;
	v->comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE;
	v->cqe_size = (uint16_t)in->cqe_size;
	if (in->cqe_comp_en == 1) {
		v->comp_mask |= MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE;
		v->format = in->cqe_comp_res_format;
	}
	if (in->flags & MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD) {
		v->comp_mask |= MLX5DV_CQ_INIT_ATTR_MASK_FLAGS;
		v->flags = MLX5DV_CQ_INIT_ATTR_FLAGS_CQE_PAD;
	}
}

/* Seeds the faults of entries that are not the usual ones. */
static void seed_cq(const struct command *c, const struct mlx5_ib_create_cq *in,
		    struct mlx5_cq *ring)
{
	ring->pads = in->flags & MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD;
	ring->cuts_bytes = in->cqe_size == MLX5_LONG_ENTRY &&
			   mlx5_breaks(c, ROW_MLX5_CQ_LONG);
	ring->repeats_imm =
		in->cqe_comp_en == 1 && mlx5_breaks(c, ROW_MLX5_CQ_COMPRESSED);
	ring->drops_imm = ring->pads && mlx5_breaks(c, ROW_MLX5_CQ_PADDED);
}

static int check_cq(struct command *c, struct making *w)
{
	uint64_t most = c->device->info.limit[LIM_max_cqe] + 1;
	int32_t cqe = w->b.in.cq.cqe;
	struct mlx5_ib_create_cq in;
	struct mlx5_cq *ring;
	uint32_t entries;
	int err;

	if (cqe < 0 || (uint64_t)cqe > most)
		return -EINVAL;
	entries = mlx5_round_up((uint32_t)cqe + 1);
	if (entries > most || command_room(c, UVERBS_ATTR_UHW_IN) <
				      offsetof(struct mlx5_ib_create_cq, flags))
		return -EINVAL;
	command_get(c, UVERBS_ATTR_UHW_IN, &in, sizeof(in));
	err = check_cq_request(&in);
	if (!err)
		err = pages_check(in.buf_addr, (uint64_t)entries * in.cqe_size,
				  true);
	if (!err)
		err = mlx5_check_doorbell(in.db_addr);
	if (!err)
		err = check_cq_features(c, &in);
	if (err)
		return err;
	become_own_cq(w, &in);
	w->b.in.cq.cqe = (int32_t)entries - 1;
	w->own = ring = calloc(1, sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	ring->buffer = in.buf_addr;
	ring->doorbell = in.db_addr;
	ring->entries = entries;
	ring->size = in.cqe_size;
	ring->khz = c->device->info.limit[LIM_hca_core_clock];
	ring->heard = mlx5_mark_unheard(in.db_addr);
	seed_cq(c, &in, ring);
	return 0;
}

int mlx5_resize_cq(struct command *c, const struct virtual_object *cq,
		   int32_t *cqe)
{
	uint64_t most = c->device->info.limit[LIM_max_cqe] + 1;
	struct mlx5_cq *ring = cq->own;
	struct mlx5_ib_resize_cq in;
	uint32_t entries;
	int err;

	if (*cqe < 1 || (uint64_t)*cqe > most)
		return -EINVAL;
	entries = mlx5_round_up((uint32_t)*cqe + 1);
	if (entries > most)
		return -EINVAL;
	*cqe = (int32_t)entries - 1;
	ring->next_entries = 0;
	if (ring->entries - 1 - mlx5_nic.room(cq) >= entries)
		return -EINVAL; /* waiting completions would not fit */
	if (entries == ring->entries)
		return 0;
	command_get(c, UVERBS_ATTR_UHW_IN, &in, sizeof(in));
	if (in.reserved0 || in.reserved1)
		return -EINVAL;
	err = pages_check(in.buf_addr, (uint64_t)entries * in.cqe_size, true);
	ring->next_buffer = in.buf_addr;
	ring->next_size = in.cqe_size;
	ring->next_entries = err ? 0 : entries;
	return err;
}

/* Writes an entry that announces the new buffer at the end of the old one. */
void mlx5_resized_cq(struct command *c, const struct virtual_object *cq)
{
	struct mlx5_cq *ring = cq->own;
	uint32_t at = ring->produced & (ring->entries - 1);
	uint8_t *last;

	(void)c;
	if (!ring->next_entries)
		return;
	last = (uint8_t *)(uintptr_t)ring->buffer + (at + 1) * ring->size - 1;
	*last = (uint8_t)(MLX5_CQE_RESIZE << 4 |
			  !!(ring->produced & ring->entries));
	ring->produced++;
	mlx5_step_over(ring);
	ring->buffer = ring->next_buffer;
	ring->entries = ring->next_entries;
	ring->size = ring->next_size;
}

/* Returns how many handles the tags of an SRQ need: one more than there are
 * tags, since each names the next one. The model compares with the limit. */
static uint32_t count_handles(const struct srq_args *srq)
{
	uint32_t n = srq->tm_cap.max_num_tags;

	if (srq->srq_type != IBV_SRQT_TM)
		return 0;
	return n < UINT16_MAX ? n + 1 : UINT16_MAX;
}

static int check_srq(struct command *c, struct making *w)
{
	size_t room = command_room(c, UVERBS_ATTR_UHW_IN);
	struct srq_args *srq = &w->b.in.srq;
	const struct ib_uverbs_attr *said = command_attr(c, UVERBS_ATTR_UHW_IN);
	struct mlx5_ib_create_srq in;
	uint32_t entries, entry, ntags = count_handles(srq);
	struct mlx5_queue *ring;
	int err = 0;

	if (srq->attr.max_wr > c->device->info.limit[LIM_max_srq_wr] ||
	    srq->attr.max_sge > MLX5_MAX_RQ_DESC / MLX5_SEGMENT)
		return -EINVAL;
	command_get(c, UVERBS_ATTR_UHW_IN, &in, sizeof(in));
	if (in.reserved0 || in.reserved1 ||
	    (said && command_has_unknown(said, sizeof(in))))
		return -EINVAL;
	if (srq->srq_type != IBV_SRQT_BASIC)
		err = mlx5_check_index(
			c, room > offsetof(struct mlx5_ib_create_srq, uidx),
			in.uidx);
	entries = mlx5_round_up(srq->attr.max_wr + 1);
	entry = mlx5_round_up(MLX5_SEGMENT + srq->attr.max_sge * MLX5_SEGMENT);
	if (entry < LEAST_ENTRY)
		entry = LEAST_ENTRY;
	if (!err)
		err = pages_check(in.buf_addr, (uint64_t)entries * entry,
				  false);
	if (!err)
		err = mlx5_check_doorbell(in.db_addr);
	/* The driver makes an SRQ of 0 receives, too; the model's has one. */
	srq->attr.max_wr = entries > 1 ? entries - 1 : 1;
	if (err)
		return err;
	w->own = ring = calloc(1, sizeof(*ring) + ntags * sizeof(ring->tag[0]));
	if (!ring)
		return -ENOMEM;
	ring->ntags = ntags;
	ring->entry = mlx5_entry_size(c, srq->cq);
	ring->receives = in.buf_addr;
	ring->doorbell = in.db_addr;
	ring->nreceives = entries;
	ring->index = in.uidx;
	ring->shift = (uint8_t)__builtin_ctz(entry);
	ring->before = MLX5_SEGMENT;
	ring->type = (uint8_t)srq->srq_type;
	ring->shared = true;
	return 0;
}

static int check_ah(struct command *c, const struct making *w)
{
	unsigned int port = w->b.in.ah.port_num;
	const struct device_info *d = &c->device->info;
	size_t room = command_room(c, UVERBS_ATTR_UHW_OUT);

	if (port < 1 || port > (unsigned int)d->nports)
		return -EINVAL;
	if (d->port[port - 1].attr.link_layer != IBV_LINK_LAYER_ETHERNET)
		return 0;
	return room && room < offsetof(struct mlx5_ib_create_ah_resp, reserved)
		       ? -EINVAL
		       : 0;
}

static int check_mw(const struct command *c)
{
	struct mlx5_ib_alloc_mw in;

	command_get(c, UVERBS_ATTR_UHW_IN, &in, sizeof(in));
	return in.comp_mask || in.reserved1 || in.reserved2 ? -EOPNOTSUPP : 0;
}

int mlx5_check(struct command *c, struct making *w)
{
	switch (w->sort) {
	case UVERBS_OBJECT_CQ:
		return check_cq(c, w);
	case UVERBS_OBJECT_SRQ:
		return check_srq(c, w);
	case UVERBS_OBJECT_AH:
		return check_ah(c, w);
	case UVERBS_OBJECT_MW:
		return check_mw(c);
	case UVERBS_OBJECT_WQ:
		return mlx5_check_wq(c, w);
	case UVERBS_OBJECT_RWQ_IND_TBL:
		return mlx5_check_table(c);
	case UVERBS_OBJECT_QP:
		return mlx5_check_qp(c, w);
	default:
		return 0;
	}
}

int mlx5_modify_srq(struct command *c, uint32_t mask)
{
	(void)c;
	return mask & IBV_SRQ_MAX_WR ? -EINVAL : 0;
}

/* Derives the MAC address from the GID, because there is no neighbour to ask.
 */
static void answer_ah(const struct command *c, const struct making *w)
{
	struct mlx5_ib_create_ah_resp r = {
		.response_length =
			offsetof(struct mlx5_ib_create_ah_resp, reserved),
		.dmac = {0x02}};

	memcpy(r.dmac + 2, w->b.in.ah.grh.dgid.raw + 12, 4);
	command_put(c, UVERBS_ATTR_UHW_OUT, &r, r.response_length);
}

static void answer_srq(const struct command *c, const struct making *w)
{
	struct mlx5_ib_create_srq_resp r = {.srqn = BASIC_SRQ |
						    w->object->slot};

	if (w->b.in.srq.srq_type == IBV_SRQT_XRC)
		r.srqn = w->a.outcome.out.srq.srq_num;
	command_put(c, UVERBS_ATTR_UHW_OUT, &r, sizeof(r));
}

void mlx5_made(struct command *c, const struct making *w)
{
	/* The answer for a protection domain or completion queue */
	uint32_t number[2] = {w->object->slot, 0};

	switch (w->sort) {
	case UVERBS_OBJECT_PD:
		command_put(c, UVERBS_ATTR_UHW_OUT, number, sizeof(number[0]));
		break;
	case UVERBS_OBJECT_CQ:
		command_put(c, UVERBS_ATTR_UHW_OUT, number, sizeof(number));
		break;
	case UVERBS_OBJECT_SRQ:
		answer_srq(c, w);
		break;
	case UVERBS_OBJECT_AH:
		answer_ah(c, w);
		break;
	case UVERBS_OBJECT_WQ:
	case UVERBS_OBJECT_RWQ_IND_TBL:
		mlx5_made_rss(c);
		break;
	case UVERBS_OBJECT_QP:
		mlx5_made_qp(c, w);
		break;
	default:
		break;
	}
}
