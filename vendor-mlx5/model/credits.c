// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages between RC queue pairs that count end-to-end credits by packet
 * (PACKET_BASED_CREDIT_MODE). Credits are not seen by verbs: a message takes
 * one receive in either mode. Nothing says what happens if the two ends differ.
 */
#include <infiniband/mlx5dv.h>
#include "model/unseen/failed_qp.h"
#include "model/vendor.h"
#include "vendor-mlx5/mlx5.h"

static bool counts_packets(const struct model *m, uint16_t slot)
{
	const struct model_qp *qp = &m->object[slot].qp;

	return qp->kind == QK_RC &&
	       mlx5_create_flags(&qp->init) &
		       MLX5DV_QP_CREATE_PACKET_BASED_CREDIT_MODE;
}

/* Returns true if the peer has fewer receives than the message has packets. */
static bool lacks_packets(struct model *m, const struct model_wr *w,
			  uint16_t peer)
{
	uint32_t packet = 128u << m->object[w->owner].qp.attr.path_mtu;

	return wr_list_at(m, peer, 1)->posted <
	       (w->length + packet - 1) / packet;
}

/* Stops the RC queue pairs that do not belong to the connection. */
static void stop_others(struct step *s, uint16_t a, uint16_t b)
{
	for (uint16_t i = first_of(s->m, OBJ_QP); i != NO_OBJ;
	     i = next_of(s->m, OBJ_QP, i)) {
		const struct model_qp *qp = &s->m->object[i].qp;

		if (i != a && i != b && qp->kind == QK_RC &&
		    qp->state == IBV_QPS_RTS)
			failed_qp_stop(s, i, IBV_QPS_ERR, true);
	}
}

bool mlx5_withholds(struct step *s, struct model_wr *w, uint16_t peer)
{
	bool ours = counts_packets(s->m, w->owner);
	bool theirs = counts_packets(s->m, peer);

	if (mlx5_leaf_withholds(s, w) || mlx5_map_withholds(s, w))
		return true;
	if (ours && theirs) {
		record_row(s, ROW_CREDIT_MESSAGES);
		return mutant_skips(s->m->mutant, ROW_CREDIT_MESSAGES) &&
		       lacks_packets(s->m, w, peer);
	}
	if (ours == theirs || s->m->object[peer].qp.kind != QK_RC)
		return false;
	if (mutant_skips(s->m->mutant, ROW_CREDIT_MIXED))
		stop_others(s, w->owner, peer);
	if (choose_hidden(s, ROW_CREDIT_MIXED) == OUT_ARRIVES)
		return false;
	w->waits_row = ROW_CREDIT_MIXED;
	return true;
}
