// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The streams of a DCI in the model. An error stops only its stream, until the
 * stream is reset or too many streams are in error.
 */
#include <infiniband/mlx5dv.h>
#include "contract/opcodes.h"
#include "model/vendor.h"
#include "vendor-mlx5/mlx5.h"

/* Returns the index of a stream in stopped[], or nstopped if it is not there.
 */
static uint16_t find_stream(const struct model_qp *qp, uint16_t stream)
{
	uint16_t i = 0;

	while (i < qp->vendor.mlx5.nstopped &&
	       qp->vendor.mlx5.stopped[i] != stream)
		i++;
	return i;
}

/* Returns the stream of a request. A seeded fault puts a request without a
 * stream in that of a request before it. */
static uint16_t stream_of(const struct step *s, const struct model_wr *w)
{
	uint16_t stream = w->vendor.mlx5.stream;

	if (stream || !mutant_has_quirk(s->m->mutant, QUIRK_STREAM_STAYS))
		return stream;
	each_wr(s->m, wr_list_at(s->m, w->owner, 0), before)
	{
		if (before == w)
			break;
		if (before->vendor.mlx5.stream)
			stream = before->vendor.mlx5.stream;
	}
	return stream;
}

/* A seeded fault goes on to the DCT of the request before if the address
 * handle, the key and the stream are the same. */
static void stay_connected(struct step *s, struct model_wr *w)
{
	struct mlx5_qp_state *of = &s->m->object[w->owner].qp.vendor.mlx5;
	const struct opcode *op = opcode_of(w->opcode);

	if (!mutant_has_quirk(s->mutant, QUIRK_DC_CONNECTED) || !op || op->own)
		return;
	if (of->dc_named && of->dc_ah == w->ah &&
	    of->dc_key == w->vendor.mlx5.dc_key &&
	    of->dc_stream == w->vendor.mlx5.stream) {
		w->remote_qpn = of->dctn;
		return;
	}
	of->dc_named = true;
	of->dc_ah = w->ah;
	of->dc_key = w->vendor.mlx5.dc_key;
	of->dc_stream = w->vendor.mlx5.stream;
	of->dctn = w->remote_qpn;
}

/* A seeded fault leaves the stream of the request that had the place before. */
void mlx5_take_place(struct step *s, struct model_wr *w)
{
	struct model_qp *qp = &s->m->object[w->owner].qp;
	uint32_t places = qp->init.cap.max_send_wr;
	uint16_t *of;

	if (!w->recv && qp->kind == QK_DCI)
		stay_connected(s, w);
	if (!w->recv && qp->kind == QK_DCI &&
	    mutant_has_quirk(s->mutant, QUIRK_STREAM_LAST)) {
		if (!w->vendor.mlx5.stream &&
		    find_stream(qp, qp->vendor.mlx5.last_stream) <
			    qp->vendor.mlx5.nstopped)
			w->vendor.mlx5.stream = qp->vendor.mlx5.last_stream;
		qp->vendor.mlx5.last_stream = w->vendor.mlx5.stream;
	}
	if (w->recv || !places || places > MLX5_RING ||
	    !mutant_has_quirk(s->mutant, QUIRK_STREAM_STALE))
		return;
	of = &qp->vendor.mlx5.stream_at[qp->vendor.mlx5.posted++ % places];
	if (!w->vendor.mlx5.stream)
		w->vendor.mlx5.stream = *of;
	*of = w->vendor.mlx5.stream;
}

bool mlx5_flushes(const struct step *s, const struct model_wr *w)
{
	const struct model_qp *qp = &s->m->object[w->owner].qp;

	if (!qp->vendor.mlx5.nstopped)
		return false;
	if (find_stream(qp, stream_of(s, w)) == qp->vendor.mlx5.nstopped) {
		record_row(s, ROW_DCI_STREAM_OTHERS);
		return mutant_skips(s->m->mutant, ROW_DCI_STREAM_OTHERS);
	}
	record_row(s, ROW_DCI_STREAM_FLUSH);
	return !mutant_skips(s->m->mutant, ROW_DCI_STREAM_FLUSH);
}

static bool has_streams(const struct model_qp *qp)
{
	return qp->kind == QK_DCI &&
	       qp->init.vendor.mlx5.comp_mask &
		       MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS;
}

/* Notes a stream in a list of `n` streams. Returns how many are in the list. */
static uint16_t note_stream(uint16_t *list, uint16_t n, uint16_t stream)
{
	for (uint16_t i = 0; i < n; i++)
		if (list[i] == stream)
			return n;
	if (n < MLX5_MAX_STREAMS)
		list[n++] = stream;
	return n;
}

/* Stores in *n how many other streams have requests before `w` that wait.
 * Returns true if a request of its own stream is among these. */
static bool own_stream_waits(const struct step *s, const struct model_wr *w,
			     uint16_t *n)
{
	uint16_t waiting[MLX5_MAX_STREAMS];
	bool own = false;

	*n = 0;
	each_wr(s->m, wr_list_at(s->m, w->owner, 0), before)
	{
		if (before == w)
			break;
		if (before->stage != WR_POSTED || before->passed)
			continue;
		if (stream_of(s, before) == stream_of(s, w))
			own = true;
		else
			*n = note_stream(waiting, *n, stream_of(s, before));
	}
	return own;
}

enum row mlx5_passes(struct step *s, const struct model_wr *w)
{
	const struct model_qp *qp = &s->m->object[w->owner].qp;
	uint16_t waiting;

	if (!has_streams(qp) ||
	    find_stream(qp, stream_of(s, w)) < qp->vendor.mlx5.nstopped)
		return ROW_NONE;
	if (own_stream_waits(s, w, &waiting)) {
		record_row(s, ROW_DCI_STREAM_ORDER);
		if (!mutant_skips(s->m->mutant, ROW_DCI_STREAM_ORDER))
			return ROW_NONE;
	}
	return waiting < 1u << qp->init.vendor.mlx5.log_num_concurent
		       ? ROW_DCI_STREAM_PARALLEL
		       : ROW_DCI_STREAM_BEYOND;
}

/* Returns true if a request failed because of local or remote memory. */
static bool is_memory_fault(const struct model_wr *w)
{
	return !w->waits_for && !w->illegal && w->status_row != ROW_NONE;
}

static bool reaches_limit(const struct step *s, const struct model_qp *qp)
{
	uint16_t before = mutant_has_quirk(s->m->mutant, QUIRK_STREAM_COUNTS)
				  ? qp->vendor.mlx5.errors
				  : qp->vendor.mlx5.nstopped;

	if (before + 1u < 1u << qp->init.vendor.mlx5.log_num_errored)
		return false;
	record_row(s, ROW_DCI_STREAM_LIMIT);
	return !mutant_skips(s->m->mutant, ROW_DCI_STREAM_LIMIT);
}

bool mlx5_survives(struct step *s, const struct model_wr *w)
{
	struct model_qp *qp = &s->m->object[w->owner].qp;

	if (!has_streams(qp) || reaches_limit(s, qp))
		return false;
	if (!is_memory_fault(w) &&
	    choose_hidden(s, ROW_DCI_STREAM_WHICH) == OUT_STATE_ERR)
		return false;
	record_row(s, ROW_DCI_STREAM_STAYS);
	qp->vendor.mlx5.errors++;
	if (mutant_skips(s->m->mutant, ROW_DCI_STREAM_STAYS))
		return false;
	if (qp->vendor.mlx5.nstopped == MLX5_MAX_STREAMS)
		s->m->wrs.forgot = true;
	else if (find_stream(qp, stream_of(s, w)) == qp->vendor.mlx5.nstopped)
		qp->vendor.mlx5.stopped[qp->vendor.mlx5.nstopped++] =
			stream_of(s, w);
	return true;
}

static void judge_reset(struct step *s, struct faults *f,
			const struct model_qp *qp, bool stopped)
{
	bool claimed = s->d->limit[LIM_mlx5_dci_log_num_errored];

	if (!claim_holds(CLAIM_DV, s->d) || !claimed)
		add_fault(s, f, ROW_DCI_RESET_CLAIM);
	else if (qp->state != IBV_QPS_RTS)
		add_fault(s, f, ROW_DCI_RESET_STATE);
	else if (qp->kind != QK_DCI)
		add_fault(s, f, ROW_DCI_RESET_TYPE);
	else if (!stopped)
		add_fault(s, f, ROW_DCI_RESET_GOOD);
	else
		add_fault(s, f, ROW_DCI_RESET);
}

void do_mlx5dv_dci_stream_id_reset(struct step *s)
{
	struct model_qp *qp = qp_of(s->m, s->b->on);
	uint16_t at = find_stream(qp, s->b->in.stream.stream);
	bool stopped = at < qp->vendor.mlx5.nstopped;
	struct faults f = {0};
	enum out effect;
	int err;

	answer_accept(s, ROW_DCI_RESET);
	judge_reset(s, &f, qp, stopped);
	err = choose_outcome(s, &f, &effect);
	if (err)
		answer_refuse(s, s->a->row, err);
	else if (stopped && !mutant_does_nothing(s->mutant, s->b->verb))
		qp->vendor.mlx5.stopped[at] =
			qp->vendor.mlx5.stopped[--qp->vendor.mlx5.nstopped];
}
