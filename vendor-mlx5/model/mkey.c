// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Indirect mkeys in the model: their creation, the requests that configure
 * them, and copies of memory by the device (memcpy).
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include "contract/opcodes.h"
#include "model/create.h"
#include "model/data/post.h"
#include "vendor-mlx5/model/convert.h"
#include "vendor-mlx5/model/crypto.h"
#include "vendor-mlx5/model/signature.h"

#define DEFINED_FLAGS                                                          \
	((uint32_t)(MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |                     \
		    MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE |              \
		    MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO |                       \
		    MLX5DV_MKEY_INIT_ATTR_FLAGS_UPDATE_TAG |                   \
		    MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE))
#define PLAIN_FLAGS                                                            \
	((uint32_t)(MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |                     \
		    MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE))
#define RIGHTS                                                                 \
	((uint32_t)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |         \
		    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC))
#define MLX5_SET_NO_SKIP 0x40000000u /* a seeded fault */
#define MLX5_SET_STRIDE	 0x20000000u /* a seeded fault */
#define ENTRY		 16u	     /* bytes of an entry in a request */
#define LAYOUT		 (MLX5_SET_LIST | MLX5_SET_INTERLEAVED)

/* Returns the create flags that need no feature, or one that is claimed. */
static uint32_t granted_flags(const struct step *s)
{
	uint32_t flags = PLAIN_FLAGS;

	if (claim_holds(CLAIM_MLX5_SIG, s->d))
		flags |= MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE;
	if (mlx5_has_engine(s->d))
		flags |= MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO;
	return flags;
}

static void check_mkey(struct step *s, struct faults *f)
{
	uint32_t flags = s->b->in.mkey_init.create_flags;

	if (!claim_holds(CLAIM_MLX5_MKEY, s->d))
		add_fault(s, f, ROW_MKEY_CLAIM);
	else if (!flags || flags & ~DEFINED_FLAGS)
		add_fault(s, f, ROW_MKEY_FLAGS);
	else if (flags & ~granted_flags(s))
		add_fault(s, f, ROW_MKEY_OFFLOADS);
}

/* The device chooses the key, which is lkey and rkey. */
static void fill_mkey(struct step *s, struct model_mr *mr)
{
	const struct mkey_init_args *in = &s->b->in.mkey_init;
	uint32_t lkey = ++s->m->next_key << 8;

	mr->indirect = true;
	mr->last_row = ROW_DATA_BYTES;
	mr->layout.row = ROW_MKEY_LIST;
	mr->layout.invalid_row = ROW_MKEY_INVALID;
	mr->layout.data.mr = mr->layout.data.part.mr = NO_OBJ;
	mr->layout.by_remote =
		(in->create_flags &
		 MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE) != 0;
	mr->layout.signs = (in->create_flags &
			    MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE) != 0;
	mr->vendor.mlx5 = (struct mlx5_mr_state){
		.armed = true,
		.may_crypt = in->create_flags &
			     (uint32_t)MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO,
	};
	crypto_permit(s, s->b->result);
	mr->lkey = (uint32_t)answer_seen(s, F_mkey_lkey, lkey);
	mr->rkey = (uint32_t)answer_seen(s, F_mkey_rkey, lkey);
	index_name(s->m, s->b->result);
	bytes_forget(s->m, s->b->result);
	answer_define(s, F_mkey_lkey, mr->lkey, ROW_MKEY_ACCEPT);
	answer_define(s, F_mkey_rkey, mr->rkey, ROW_MKEY_ACCEPT);
	mr->entries = (uint32_t)answer_define_at_least(
		s, F_mkey_granted, in->max_entries,
		mutant_grant(s->mutant, F_mkey_granted, in->max_entries),
		ROW_MKEY_ENTRIES);
	mr->vendor.mlx5.made = in->max_entries;
	if (mutant_has_quirk(s->mutant, QUIRK_MKEY_ROUNDED)) {
		mr->entries = (uint32_t)(in->max_entries + 3) / 4 * 4;
		answer_define(s, F_mkey_granted, mr->entries, ROW_MKEY_ENTRIES);
	}
}

static enum row accept_row(const struct step *s)
{
	uint32_t flags = s->b->in.mkey_init.create_flags;

	if (flags & (uint32_t)MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO)
		return ROW_CRYPTO_ACCEPT;
	return flags & (uint32_t)MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE
		       ? ROW_SIG_ACCEPT
		       : ROW_MKEY_ACCEPT;
}

void do_mlx5dv_create_mkey(struct step *s)
{
	struct faults f = {0};
	struct object *o;
	enum out effect;
	int err;

	answer_accept(s, accept_row(s));
	add_fault(s, &f, accept_row(s));
	check_mkey(s, &f);
	err = choose_outcome(s, &f, &effect);
	if (err) {
		answer_refuse(s, s->a->row, err);
		return;
	}
	o = object_add(s, OBJ_MR);
	object_add_parent(s->m, o, s->b->on);
	fill_mkey(s, &o->mr);
}

void do_mlx5dv_destroy_mkey(struct step *s)
{
	do_dereg_mr(s);
}

/* Returns true if the creator of the queue pair asked for the operation. */
static bool asked_for(const struct model_qp *qp, uint64_t op)
{
	const struct mlx5_qp_args *asked = &qp->init.vendor.mlx5;

	return asked->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS &&
	       asked->send_ops_flags & op;
}

bool mlx5_is_built(struct step *s, uint64_t op)
{
	enum out effect;
	int err = 0;

	answer_accept(s, ROW_WR_ACCEPT);
	if (!asked_for(qp_of(s->m, s->b->on), op))
		err = choose_for_row(s, ROW_DV_WR_NOT_ASKED, &effect);
	if (err)
		answer_refuse(s, ROW_DV_WR_NOT_ASKED, err);
	return !err;
}

/* The entries have to fit into the request, as inline data do, and into the
 * mkey. An interleaved layout has a header of the size of an entry. */
static void check_entries(struct step *s, struct faults *f,
			  const struct wr_args *in, uint32_t setters)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);
	uint32_t room = (qp->init.cap.max_inline_data + 4) / ENTRY;
	uint32_t most = s->m->object[in->vendor.mlx5.mkey].mr.entries;
	uint32_t header = setters & MLX5_SET_INTERLEAVED ? 1 : 0;

	if (in->num_sge > most || in->num_sge + header > room)
		add_fault(s, f, ROW_UMR_ENTRIES);
}

static void check_signature(struct step *s, struct faults *f,
			    const struct mlx5_signature *sig, uint16_t mkey)
{
	if (!s->m->object[mkey].mr.layout.signs)
		add_fault(s, f, ROW_UMR_SIGNATURE);
	else if (!signature_is_valid(sig))
		add_fault(s, f, ROW_SIG_ATTR);
	else if (sig->flags & MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK &&
		 sig->wire.kind && !signature_is_shared(sig))
		add_fault(s, f, ROW_SIG_COPIES);
}

#define ROOM                                                                   \
	64u /* bytes of signatures, or of crypto attributes, in a request */

/* Returns the bytes that an mkey's attributes take: for an mkey with CRYPTO, a
 * request that changes one of them has all. */
static uint32_t attributes_size(const struct step *s, uint16_t mkey,
				uint32_t setters)
{
	const struct model_mr *mr = &s->m->object[mkey].mr;
	uint32_t size = 0;

	if (setters & MLX5_SET_SIG_BLOCK ||
	    (mr->layout.signs && setters & MLX5_SET_CRYPTO))
		size += ROOM;
	if (setters & MLX5_SET_CRYPTO || mr->vendor.mlx5.crypts)
		size += ROOM;
	return size;
}

/* Attributes have to fit into their request. A signature has to fit, as up to
 * three of its ring's requests, into the queue. */
static void check_room(struct step *s, struct faults *f,
		       const struct wr_args *in, uint32_t setters)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);
	uint16_t slot = obj(s->m, s->b->on)->real;
	uint32_t header = setters & MLX5_SET_INTERLEAVED ? 1 : 0;
	uint32_t entries = setters & LAYOUT ? in->num_sge + header : 0;
	uint32_t taken = (entries * ENTRY + ROOM - 1) / ROOM * ROOM;

	if (taken + attributes_size(s, in->vendor.mlx5.mkey, setters) >
	    qp->init.cap.max_inline_data + 4)
		add_fault(s, f, ROW_SIG_INLINE);
	else if (setters & MLX5_SET_SIG_BLOCK &&
		 wr_list_at(s->m, slot, false)->occupied + 3u >
			 qp->init.cap.max_send_wr)
		add_fault(s, f, ROW_SIG_QUEUE);
}

static void check_umr(struct step *s, struct faults *f, uint32_t setters)
{
	const struct wr_args *in = &s->b->in.wr;
	const struct mlx5_send_args *own = &in->vendor.mlx5;

	if (!(in->send_flags & IBV_SEND_INLINE)) {
		add_fault(s, f, ROW_UMR_INLINE);
		return;
	}
	if (own->comp_mask ||
	    own->conf_flags & ~(uint32_t)MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR) {
		add_fault(s, f, ROW_UMR_CONF);
		return;
	}
	if (setters & MLX5_SET_ACCESS && own->access & ~RIGHTS)
		add_fault(s, f, ROW_UMR_ACCESS);
	if ((setters & LAYOUT) == LAYOUT)
		add_fault(s, f, ROW_UMR_TWICE);
	if (setters & MLX5_SET_SIG_BLOCK)
		check_signature(s, f, &own->sig, own->mkey);
	crypto_check(s, f, own->mkey, setters);
	if (setters & LAYOUT)
		check_entries(s, f, in, setters);
	if (setters & (MLX5_SET_SIG_BLOCK | MLX5_SET_CRYPTO))
		check_room(s, f, in, setters);
}

/* Whether a request with attributes will be carried out is open for now. */
static void note_building(struct model_mr *mr, uint32_t setters)
{
	struct mlx5_mr_state *st = &mr->vendor.mlx5;

	if ((mr->layout.signs || st->may_crypt) && setters &&
	    st->building < UINT8_MAX)
		st->building++;
}

/* Builds a request that configures an mkey. Its elements are the entries. */
static void build_umr(struct step *s, uint64_t op, uint32_t setters)
{
	struct bound request = *s->b;
	struct wr_args *wr = &request.in.wr;
	struct mlx5_send_args *own = &wr->vendor.mlx5;
	struct step alone = *s;
	struct faults f = {0};

	if (!mlx5_is_built(s, op))
		return;
	if (own->crypto.dek == NO_OBJ &&
	    s->m->object[own->mkey].mr.vendor.mlx5.may_crypt)
		setters &= ~(uint32_t)MLX5_SET_CRYPTO;
	check_umr(s, &f, setters);
	wr->opcode = MLX5_WR_UMR;
	wr->send_flags &= ~(uint32_t)IBV_SEND_INLINE;
	wr->remote = wr->ah = wr->mw = wr->bind_mr = wr->odd_mr = NO_OBJ;
	if (!(setters & LAYOUT))
		wr->num_sge = 0;
	own->setters = setters;
	own->mkey_key = s->m->object[own->mkey].mr.lkey;
	note_building(&s->m->object[own->mkey].mr, setters);
	alone.b = &request;
	post_build_own(&alone, &f);
}

void do_mlx5dv_wr_mr_list(struct step *s)
{
	build_umr(s, MLX5DV_QP_EX_WITH_MR_LIST,
		  MLX5_SET_ACCESS | MLX5_SET_LIST);
}

void do_mlx5dv_wr_mr_interleaved(struct step *s)
{
	build_umr(s, MLX5DV_QP_EX_WITH_MR_INTERLEAVED,
		  MLX5_SET_ACCESS | MLX5_SET_INTERLEAVED);
}

void do_mlx5dv_wr_mkey_configure(struct step *s)
{
	build_umr(s, MLX5DV_QP_EX_WITH_MKEY_CONFIGURE,
		  s->b->in.wr.vendor.mlx5.setters |
			  (mutant_has_quirk(s->mutant, QUIRK_SKIP_LOST)
				   ? MLX5_SET_NO_SKIP
				   : 0) |
			  (mutant_has_quirk(s->mutant, QUIRK_STRIDE_FIRST)
				   ? MLX5_SET_STRIDE
				   : 0));
}

void do_mlx5dv_wr_memcpy(struct step *s)
{
	uint64_t most = s->d->limit[LIM_mlx5_max_wr_memcpy_length];
	struct bound request = *s->b;
	struct wr_args *wr = &request.in.wr;
	struct step alone = *s;
	struct faults f = {0};

	if (!mlx5_is_built(s, MLX5DV_QP_EX_WITH_MEMCPY))
		return;
	if (!wr->length ||
	    wr->length >
		    mutant_limit(s->mutant, F_copy_length, wr->length, most) ||
	    (wr->length == most &&
	     mutant_has_quirk(s->mutant, QUIRK_MEMCPY_LIMIT)))
		add_fault(s, &f, ROW_MEMCPY_LENGTH);
	wr->opcode = MLX5_WR_MEMCPY;
	wr->num_sge = 1;
	wr->ah = wr->mw = wr->bind_mr = wr->odd_mr = wr->part_mr = NO_OBJ;
	alone.b = &request;
	post_build_own(&alone, &f);
}

/* Gives the layout of a request to an mkey. */
static void set_layout(struct step *s, const struct model_wr *w, uint16_t mkey)
{
	const struct mlx5_send_args *own = &w->vendor.mlx5;
	bool list = own->setters & MLX5_SET_LIST;
	bool skips = !(own->setters & MLX5_SET_NO_SKIP);
	enum row row = list ? ROW_MKEY_LIST : ROW_MKEY_INTERLEAVED;
	const struct place of = {w->data.offset, w->data.mr};
	const struct repetition repeat = {list ? 1 : own->repeat_count,
					  skips ? own->bytes_skip : 0,
					  skips ? own->part_skip : 0};
	struct elements data = w->data;

	record_row(s, row);
	if (w->data.mr == MEMORY_SENDS)
		data = (struct elements){
			.mr = MEMORY_LAYOUTS,
			.offset = (uint64_t)mkey << 48,
			.n = 1,
			.length = (uint32_t)s->m->memory->keep_layout(
				s->m->memory->arg, of, mkey),
			.part.mr = NO_OBJ,
		};
	indirect_set(s->m, mkey, &data, &repeat, (uint16_t)row);
	s->m->object[mkey].mr.layout.runs_on =
		mutant_has_quirk(s->m->mutant, QUIRK_LIST_BORDER);
	s->m->object[mkey].mr.layout.one_stride =
		own->setters & MLX5_SET_STRIDE ? ONE_STRIDE : 0;
	if (mutant_has_quirk(s->m->mutant, QUIRK_SKIP_FIRST))
		s->m->object[mkey].mr.layout.one_stride = ONE_SKIP;
}

/* Gives an mkey the signatures of a request, or takes them away. */
static void set_signature(struct step *s, const struct mlx5_send_args *own,
			  uint16_t mkey)
{
	struct mlx5_mr_state *st = &s->m->object[mkey].mr.vendor.mlx5;
	bool resets = own->conf_flags &
		      (uint32_t)MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR;

	st->used = false;
	record_row(s, ROW_SIG_KEPT);
	if (mutant_skips(s->m->mutant, ROW_SIG_KEPT))
		resets = !resets;
	if (s->m->memory ? own->setters & MLX5_SET_ARM
			 : !st->error || st->told) {
		st->armed = true;
		if (s->m->memory)
			st->error = MLX5DV_MKEY_NO_ERR;
	}
	if (own->setters & MLX5_SET_SIG_BLOCK)
		st->sig = own->sig;
	else if (resets ||
		 (own->setters & LAYOUT &&
		  !(own->setters & MLX5_SETTERS & ~(uint32_t)(LAYOUT)) &&
		  mutant_has_quirk(s->m->mutant, QUIRK_SIG_LAYOUT)))
		st->sig = (struct mlx5_signature){0};
}

/* Seeded faults add the rights to those that the mkey had. */
static void set_rights(struct step *s, struct model_mr *mr,
		       const struct mlx5_send_args *own)
{
	bool adds = mutant_skips(s->m->mutant, ROW_MKEY_RIGHTS) ||
		    (own->setters & LAYOUT &&
		     mutant_has_quirk(s->m->mutant, QUIRK_RIGHTS_LAYOUT)) ||
		    (mr->layout.set &&
		     mutant_has_quirk(s->m->mutant, QUIRK_RIGHTS_ADDED));

	record_row(s, ROW_MKEY_RIGHTS);
	mr->access = own->access | (adds ? mr->access : 0);
}

/* Returns true for a seeded fault: the mkey has fewer entries than its creator
 * was told. */
static bool own_entries_lack(const struct step *s, const struct model_wr *w,
			     uint16_t mkey)
{
	return mutant_has_quirk(s->m->mutant, QUIRK_MKEY_ROUNDED) &&
	       w->data.n > s->m->object[mkey].mr.vendor.mlx5.made;
}

static bool configure(struct step *s, struct model_wr *w)
{
	const struct mlx5_send_args *own = &w->vendor.mlx5;
	uint16_t mkey = region_of_key(s->m, own->mkey_key, false, w->owner);
	uint32_t setters = own->setters;
	struct mlx5_mr_state *st;

	if (!region_is_indirect(s->m, mkey) ||
	    pd_of(s->m, mkey) != pd_of(s->m, w->owner)) {
		w->status_row = ROW_LOCAL_KEY;
		return false;
	}
	if (setters & LAYOUT && own_entries_lack(s, w, mkey)) {
		w->status_row = ROW_LOCAL_KEY;
		return false;
	}
	record_row(s, ROW_MKEY_KEPT);
	if (mutant_skips(s->m->mutant, ROW_MKEY_KEPT)) {
		s->m->object[mkey].mr.access = 0;
		s->m->object[mkey].mr.layout.set = false;
	}
	if (setters & MLX5_SET_ACCESS)
		set_rights(s, &s->m->object[mkey].mr, own);
	if (setters & LAYOUT)
		set_layout(s, w, mkey);
	st = &s->m->object[mkey].mr.vendor.mlx5;
	st->doubt |= st->building > 1;
	st->building = 0;
	if (setters & MLX5_SET_CRYPTO && !crypto_set(s, w, mkey))
		return false;
	if (s->m->object[mkey].mr.layout.signs)
		set_signature(s, own, mkey);
	crypto_permit(s, mkey);
	mkey_set_framing(s->m, mkey);
	return true;
}

static bool copy_memory(struct step *s, struct model_wr *w)
{
	const struct elements to = {
		.offset = w->remote_offset,
		.length = w->length,
		.n = 1,
		.key = w->rkey,
		.mr = w->remote,
		.part.mr = NO_OBJ,
	};

	if (access_local(s->m, w->owner, &w->data, false) != ACCESS_FINE ||
	    access_local(s->m, w->owner, &to, true) != ACCESS_FINE) {
		w->status_row = ROW_LOCAL_KEY;
		return false;
	}
	record_row(s, ROW_MEMCPY_BYTES);
	if (region_converts(s->m, to.mr) || region_converts(s->m, w->data.mr))
		s->m->lost_track |= is_oracle(s);
	if (!mutant_skips(s->m->mutant, ROW_MEMCPY_BYTES) &&
	    !(mutant_has_quirk(s->m->mutant, QUIRK_MEMCPY_MOST) &&
	      w->length == home_of(s->m, w->owner)
				   ->limit[LIM_mlx5_max_wr_memcpy_length]))
		copy_here(s->m, w, &to, ROW_MEMCPY_BYTES);
	return true;
}

void mlx5_carry_out(struct step *s, struct model_wr *w)
{
	bool done = true;

	if (w->opcode == MLX5_WR_NOP)
		record_row(s, s->m->memory ? ROW_CANCEL_NOP : ROW_RAW_NOP);
	else if (w->opcode == MLX5_WR_PSV)
		record_row(s, ROW_SIG_GENERATE);
	else if (w->opcode == MLX5_WR_MEMCPY)
		done = copy_memory(s, w);
	else
		done = configure(s, w);
	if (done)
		transfer_succeed(s, w);
	else
		transfer_fail(s, w);
}
