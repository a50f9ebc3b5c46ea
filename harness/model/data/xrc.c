// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * XRC: each request names the shared receive queue that it is for, which has to
 * belong to the XRC domain of the receiving queue pair.
 */
#include "model/data/tag.h"

bool kind_sends_to(enum qp_kind kind, enum qp_kind peer)
{
	return peer == kind_receiver(kind);
}

bool xrc_same_domain(const struct model *m, uint16_t a, uint16_t b)
{
	uint8_t file;

	if (a == b || a == NO_OBJ || b == NO_OBJ)
		return a == b;
	file = m->object[a].xrcd.file;
	return m->object[a].device == m->object[b].device &&
	       file == m->object[b].xrcd.file && file != XRCD_PRIVATE;
}

/* Returns true if an SRQ of XRC is the one that a request to queue pair `to`
 * names. A device with a seeded fault looks at the domain alone, or at the
 * number alone. */
static bool is_named(const struct step *s, const struct model_srq *srq,
		     const struct model_qp *to, uint32_t number)
{
	const struct model *m = s->m;

	if (srq->type != IBV_SRQT_XRC)
		return false;
	if (mutant_skips(m->mutant, ROW_XRC_SRQ))
		return xrc_same_domain(m, srq->xrcd, to->init.xrcd);
	return srq->number == number &&
	       (xrc_same_domain(m, srq->xrcd, to->init.xrcd) ||
		mutant_skips(m->mutant, ROW_XRC_SRQ_BAD));
}

uint16_t receiving_srq(const struct step *s, uint32_t number, uint16_t peer)
{
	const struct model_qp *to = &s->m->object[peer].qp;

	if (to->kind != QK_XRC_RECV)
		return to->init.srq;
	for (uint16_t i = first_of(s->m, OBJ_SRQ); i != NO_OBJ;
	     i = next_of(s->m, OBJ_SRQ, i))
		if (s->m->object[i].alive &&
		    is_named(s, &s->m->object[i].srq, to, number))
			return i;
	return NO_OBJ;
}

bool xrc_names_srq(const struct step *s, uint32_t number, uint16_t peer)
{
	bool named;

	/* A device with a seeded fault looks for an SRQ on each type. */
	if (s->m->object[peer].qp.kind != QK_XRC_RECV)
		return !number ||
		       mutant_unmasked(s->mutant) != F_send_remote_srqn;
	named = receiving_srq(s, number, peer) != NO_OBJ;
	record_row(s, named ? ROW_XRC_SRQ : ROW_XRC_SRQ_BAD);
	return named;
}

uint16_t receiving_cq(const struct model *m, const struct model_wr *r,
		      uint16_t peer)
{
	uint16_t newest =
		m->object[peer].qp.kind == QK_XRC_RECV
			? m->object[m->object[r->srq].srq.xrcd].xrcd.cq
			: 0;

	if (newest && m->object[newest - 1].alive &&
	    mutant_has_quirk(m->mutant, QUIRK_XRC_NEWEST))
		return (uint16_t)(newest - 1);
	if (m->object[peer].qp.kind == QK_XRC_RECV || tm_takes(m, peer))
		return m->object[r->srq].srq.cq;
	return m->object[peer].qp.init.recv_cq;
}

uint16_t memory_owner(const struct step *s, const struct model_wr *w,
		      uint16_t peer)
{
	if (s->m->object[peer].qp.kind != QK_XRC_RECV)
		return peer;
	return receiving_srq(s, w->remote_srqn, peer);
}
