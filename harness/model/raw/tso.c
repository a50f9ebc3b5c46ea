// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * TSO: judges whether the device offers TSO for the type of the queue pair, and
 * whether header and payload are short enough.
 */
#include "contract/opcodes.h"
#include "model/data/post.h"

/* Returns the first row that a request violates, or ROW_NONE. The length of a
 * UD header has no limit, since a UD queue pair cannot ask for one. */
static enum row row_of(const struct step *s, const struct model_qp *qp,
		       const struct wr_args *in, uint64_t payload)
{
	enum qp_kind kind = (enum qp_kind)qp->kind;
	uint64_t header = in->tso_hdr_sz, most = UINT16_MAX;

	if (in->opcode != IBV_WR_TSO || !opcode_offered(in->opcode, kind))
		return ROW_NONE;
	if (!device_segments(s->d, (unsigned int)qp_kind_value(kind)))
		return ROW_TSO_CLAIM;
	if (kind == QK_RAW_PACKET)
		most = qp->init.comp_mask & IBV_QP_INIT_ATTR_MAX_TSO_HEADER
			       ? qp->init.max_tso_header
			       : 0;
	if (header > mutant_limit(s->mutant, F_send_tso_hdr_sz, header, most))
		return ROW_TSO_HEADER;
	if (payload > mutant_limit(s->mutant, F_dev_max_tso, payload,
				   s->d->limit[LIM_max_tso]))
		return ROW_TSO_LONG;
	return ROW_NONE;
}

void tso_check(struct step *s, struct faults *f, uint64_t payload)
{
	enum row row = row_of(s, qp_of(s->m, s->b->on), &s->b->in.wr, payload);

	if (row != ROW_NONE)
		add_fault(s, f, row);
}

void tso_fill(const struct step *s, struct model_wr *w,
	      const struct wr_args *in)
{
	enum row row;

	if (in->opcode != IBV_WR_TSO)
		return;
	row = row_of(s, qp_of(s->m, s->b->on), in, w->length);
	w->header = in->tso_hdr_sz;
	w->segment = in->tso_mss;
	if (row == ROW_NONE || mutant_skips(s->mutant, row))
		return;
	w->illegal = true;
	w->status_row = (uint16_t)row;
}
